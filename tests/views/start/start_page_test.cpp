// SPDX-License-Identifier: GPL-3.0-or-later
// The start page: cards in groups, search over all of them, files that are gone, and how it fits.
#include "views/start/start_page.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include "views/start/start_card.h"

namespace views {
namespace {

std::vector<StartCard> cards() {
  return {{.key = "stream",
           .title = "STREAM",
           .lesson = "Long arrays. Its speed is that of memory.",
           .group = "Learn",
           .summary = "How fast is memory?"},
          {.key = "gemm", .title = "Matrix multiplication", .lesson = "Square and large.", .group = "Learn"},
          {.key = "file", .title = "Open a model…", .lesson = "An ONNX file.", .group = "Your model", .runs = false},
          {.key = "lstm", .title = "LSTM language model", .lesson = "Each step waits for the last one."},
          {.key = "gpt", .title = "GPT decoder", .lesson = "Each token reads every weight from memory."}};
}

class StartPageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    page.set_cards(cards());
    page.resize(740, 480);
    page.show();
    QCoreApplication::processEvents();
  }
  template <class T>
  T* find(const char* name) {
    T* found = page.findChild<T*>(QString::fromLatin1(name));
    EXPECT_NE(found, nullptr) << name;
    return found;
  }
  QStringList shown() {
    QStringList keys;
    for (const auto* card : page.findChildren<WorkloadCard*>())
      if (card->isVisible()) keys << card->objectName().mid(5);
    return keys;
  }
  StartPage page{nullptr};
};

TEST(FoundCards, NamesComeBeforeWhatIsTaught) {
  const auto found = [](const char* text) {
    QStringList keys;
    const auto all = cards();
    for (const size_t i : found_cards(all, QString::fromLatin1(text))) keys << all[i].key;
    return keys;
  };
  EXPECT_EQ(found("memory"), (QStringList{"stream", "gpt"}));
  EXPECT_EQ(found("l").first(), QStringLiteral("lstm")) << "one that begins so";
  EXPECT_EQ(found("MODEL language"), (QStringList{"lstm"})) << "all words, in any order";
  EXPECT_TRUE(found("nothing like it").isEmpty());
  EXPECT_EQ(found("  ").size(), 5);
}

TEST_F(StartPageTest, TheFirstCardsAreThePickedOnesAndSearchFindsTheRest) {
  EXPECT_EQ(shown(), (QStringList{"stream", "gemm", "file"}));
  auto* search = find<QLineEdit>("start.search");
  QTest::keyClicks(search, QStringLiteral("gpt"));
  EXPECT_EQ(shown(), (QStringList{"gpt"}));
  QSignalSpy set_up(&page, &StartPage::setup_requested);
  QTest::keyClick(search, Qt::Key_Return);
  ASSERT_EQ(set_up.count(), 1);
  EXPECT_EQ(set_up[0][0].toString(), QStringLiteral("gpt"));
  QTest::keyClicks(search, QStringLiteral("zzz"));
  EXPECT_TRUE(shown().isEmpty());
  EXPECT_TRUE(find<QLabel>("start.count")->text().startsWith(QStringLiteral("No workload")));
  search->clear();
  EXPECT_EQ(shown().size(), 3);
  QTest::mouseClick(find<QToolButton>("start.all"), Qt::LeftButton);
  EXPECT_EQ(shown().size(), 5);
}

TEST_F(StartPageTest, ACardSetsUpAndItsButtonRunsUnlessSomethingRuns) {
  QSignalSpy set_up(&page, &StartPage::setup_requested), run(&page, &StartPage::run_requested),
      model(&page, &StartPage::open_model_requested);
  QTest::mouseClick(find<QPushButton>("card.gemm"), Qt::LeftButton, {}, QPoint(20, 20));
  EXPECT_EQ(set_up.count(), 1);
  QTest::mouseClick(find<QPushButton>("run.gemm"), Qt::LeftButton);
  EXPECT_EQ(run.count(), 1);
  EXPECT_EQ(set_up.count(), 1) << "not the card as well";
  QTest::mouseClick(find<QPushButton>("card.file"), Qt::LeftButton, {}, QPoint(20, 20));
  EXPECT_EQ(model.count(), 1);
  page.set_running(true);
  EXPECT_FALSE(find<QPushButton>("run.gemm")->isEnabled());
  EXPECT_FALSE(find<QPushButton>("start.probe")->isEnabled());
  QTest::keyClicks(find<QLineEdit>("start.search"), QStringLiteral("gemm"));
  EXPECT_FALSE(find<QPushButton>("run.gemm")->isEnabled()) << "nor a card that came later";
}

TEST_F(StartPageTest, AFileThatIsGoneIsGreyAndOpensNothing) {
  page.set_files({{.path = "/a.tide", .title = "ResNet-50 · batch 4", .detail = "today 14:02", .there = true},
                  {.path = "/b.tide", .title = "b.tide", .detail = "no longer there", .there = false}},
                 {{.path = "/e.tide", .title = "A sweep", .detail = "batch 1 to 128", .there = true}});
  QSignalSpy chosen(&page, &StartPage::file_chosen);
  EXPECT_FALSE(find<QPushButton>("start.recent.1")->isEnabled());
  QTest::mouseClick(find<QPushButton>("start.recent.1"), Qt::LeftButton);
  QCoreApplication::processEvents();
  EXPECT_EQ(chosen.count(), 0);
  QTest::mouseClick(find<QPushButton>("start.recent.0"), Qt::LeftButton);
  QTest::mouseClick(find<QPushButton>("start.example.0"), Qt::LeftButton);
  QCoreApplication::processEvents();
  ASSERT_EQ(chosen.count(), 2);
  EXPECT_EQ(chosen[0][0].toString(), QStringLiteral("/a.tide"));
  EXPECT_EQ(chosen[1][0].toString(), QStringLiteral("/e.tide"));
}

TEST(StartCardLayout, PartsOfACardLieBesideEachOther) {
  const QFont font = data_font();
  for (const int width : {230, 300, 460, 900}) {
    for (const int lines : {1, 2}) {
      const QSize size(width, card_height(font, lines));
      const CardLayout layout = card_layout(size, font, true);
      EXPECT_GE(layout.lines, lines) << width << ": as many as it was made for; the picture may need more room";
      const QRectF card{QPointF(), QSizeF(size)};
      for (const QRectF& part : {layout.picture, layout.title, layout.words, QRectF(layout.run)})
        EXPECT_TRUE(card.contains(part)) << width;
      EXPECT_GT(layout.title.left(), layout.picture.right());
      EXPECT_LT(layout.words.right(), layout.run.left());
      EXPECT_GE(layout.words.top(), layout.title.bottom() - 0.01);
    }
  }
}

TEST(StartCardLayout, WordsAreCutOnlyInTheLastLine) {
  const QFont font = data_font();
  const QString words = QStringLiteral("one two three four five six seven eight nine ten eleven twelve");
  EXPECT_EQ(lines_of(words, font, 10000, 2), QStringList{words});
  const QStringList lines = lines_of(words, font, 120, 2);
  ASSERT_EQ(lines.size(), 2);
  EXPECT_TRUE(words.startsWith(lines[0]));
  EXPECT_TRUE(lines[1].endsWith(QStringLiteral("…"))) << lines[1].toStdString();
}

TEST(WorkloadPicture, ShapesStayInTheirSquare) {
  for (const char* name :
       {"stream", "gemm", "resnet50", "transformer", "lstm", "mlp", "file", "tree", "ladder", "devices"}) {
    const auto shapes = workload_picture(QString::fromLatin1(name));
    EXPECT_FALSE(shapes.empty()) << name;
    const QRectF square(0, 0, 1, 1);
    for (const PictureShape& shape : shapes) {
      EXPECT_TRUE(shape.rect.isNull() || square.contains(shape.rect)) << name;
      for (const QPointF& at : shape.points) EXPECT_TRUE(square.contains(at)) << name;
    }
  }
}

}  // namespace
}  // namespace views
