// SPDX-License-Identifier: GPL-3.0-or-later
// Learn: one lesson from the list to its explanation by keys alone, predictions that stay, the presenter's notes.
#include "app/gui/learn_panel.h"

#include <QApplication>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QTextBrowser>
#include <QTreeWidget>

#include "profiler/lessons/lesson_reader.h"
#include "tests/app/gui/window_test.h"
#include "tests/support/sample_lesson.h"

namespace app::gui {
namespace {

const QByteArray kLesson = QByteArray(tests::kLessonQuestions) + R"(```predict
id = "rank"
kind = "order"
question = "Largest first"
items = ["one", "two", "three"]
```

)" + tests::kLessonAnswers +
                           R"(```answer
predict = "rank"
queries = ["1", "2", "3"]
```

```note
Ask why.
```
)";

class LearnTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    QFile file(folder.filePath(QStringLiteral("bits.md")));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(kLesson);
    file.close();
    lessons = std::make_unique<Environment>("TENSORTIDE_LESSONS", folder.path());
    find<QAction>("action.lessons")->trigger();
    panel = window->findChild<LearnPanel*>();
    ASSERT_NE(panel, nullptr);
  }
  template <class T>
  T* part(const char* name) {
    T* found = panel->findChild<T*>(QString::fromLatin1(name));
    EXPECT_NE(found, nullptr) << name;
    return found;
  }
  QString text() { return part<QTextBrowser>("learn.text")->toPlainText(); }
  void key(Qt::Key key) { QTest::keyClick(QApplication::focusWidget(), key); }

  std::unique_ptr<Environment> lessons;
  LearnPanel* panel = nullptr;
};

/// Files and folders of a teacher's own, as File > Open and `tensortide learn` hand them over.
TEST_F(LearnTest, OpensALessonOrAFolderOfThem) {
  QTemporaryDir own;
  QFile file(own.filePath(QStringLiteral("mine.md")));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(QByteArray(kLesson).replace("Bits", "Mine"));
  file.close();
  window->open(own.path());
  auto* list = part<QTreeWidget>("learn.list");
  ASSERT_EQ(list->topLevelItemCount(), 1);
  EXPECT_EQ(list->topLevelItem(0)->child(0)->text(0), QStringLiteral("Mine"));
  window->open(file.fileName());
  EXPECT_GT(panel->pages(), 1);
  panel->open(own.filePath(QStringLiteral("none.md")));
  EXPECT_TRUE(part<QLabel>("learn.problem")->text().contains(QStringLiteral("none.md")));
  panel->open({});
  EXPECT_EQ(list->topLevelItem(0)->child(0)->text(0), QStringLiteral("Bits"));
}

TEST_F(LearnTest, ALessonIsTakenByKeysAlone) {
  auto* list = part<QTreeWidget>("learn.list");
  ASSERT_EQ(list->topLevelItemCount(), 1);
  ASSERT_NE(list->currentItem(), nullptr);
  EXPECT_EQ(list->currentItem()->text(0), QStringLiteral("Bits"));
  list->setFocus();
  key(Qt::Key_Return);
  ASSERT_EQ(panel->pages(), 5);
  EXPECT_EQ(panel->page(), 0);
  auto* number = part<QLineEdit>("learn.number");
  number->setFocus();
  QTest::keyClicks(number, QStringLiteral("1.4004"));
  key(Qt::Key_Return);
  EXPECT_EQ(panel->page(), 1) << "Enter commits and goes on";
  part<QRadioButton>("learn.choice.0")->setFocus();
  key(Qt::Key_Space);
  part<QPushButton>("learn.act")->setFocus();
  key(Qt::Key_Space);
  EXPECT_EQ(panel->page(), 2);
  part<QPushButton>("learn.next")->setFocus();
  key(Qt::Key_PageDown);  // the order is skipped
  ASSERT_EQ(panel->page(), 3);
  EXPECT_FALSE(part<QPushButton>("learn.next")->isEnabled()) << "nothing ran yet";
  part<QPushButton>("learn.act")->setFocus();
  key(Qt::Key_Space);
  ASSERT_TRUE(wait_for([this] { return panel->has_results(); }));
  EXPECT_EQ(panel->page(), 4);
  EXPECT_TRUE(text().contains(QStringLiteral("It stores 1.400390625."))) << text().toStdString();
  EXPECT_TRUE(text().contains(QStringLiteral("1.4 – right"))) << text().toStdString();
  EXPECT_TRUE(text().contains(QStringLiteral("less – not right"))) << text().toStdString();
  EXPECT_TRUE(text().contains(QStringLiteral("You made no prediction."))) << text().toStdString();
  EXPECT_FALSE(text().contains(QStringLiteral("Ask why.")));
  for (int i = 0; i < 4; ++i) key(Qt::Key_PageUp);
  EXPECT_EQ(panel->page(), 0);
  EXPECT_FALSE(part<QLineEdit>("learn.number")->isEnabled()) << "a committed prediction stays";
  EXPECT_EQ(part<QLineEdit>("learn.number")->text(), QStringLiteral("1.4004"));
}

TEST_F(LearnTest, ThePresenterHasLargeTypeAndNotes) {
  const auto read =
      profiler::read_lesson(kLesson.toStdString(), folder.filePath(QStringLiteral("bits.md")).toStdString());
  ASSERT_TRUE(read.faults.empty());
  panel->start(read.lesson);
  const double before = part<QTextBrowser>("learn.text")->document()->defaultFont().pointSizeF();
  panel->set_presenting(true);
  EXPECT_GE(part<QTextBrowser>("learn.text")->document()->defaultFont().pointSizeF(), 20);
  EXPECT_LT(before, 20);
  EXPECT_TRUE(window->isFullScreen());
  panel->set_presenting(false);
  EXPECT_FALSE(window->isFullScreen());
}

TEST_F(LearnTest, WorkIsCheckedAndAnAudienceIsShownBesideTheAnswer) {
  const QByteArray with_work = kLesson + R"(```exercise
id = "near"
task = "Name a number that f16 stores as 1.5."
check = "number @value --dtype f16"
expect = ["near.formats[dtype=f16].value == 1.5"]
points = 3
```
)";
  const auto read =
      profiler::read_lesson(with_work.toStdString(), folder.filePath(QStringLiteral("bits.md")).toStdString());
  ASSERT_TRUE(read.faults.empty()) << read.faults.front().words();
  QFile file(folder.filePath(QStringLiteral("bits.md")));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(with_work);
  file.close();
  panel->start(read.lesson);
  EXPECT_FALSE(part<QLineEdit>("learn.votes")->isVisible());
  panel->set_presenting(true);
  panel->go_on();
  part<QLineEdit>("learn.votes")->setText(QStringLiteral("A 12, B 36"));
  panel->go_on();
  panel->go_on();
  part<QPushButton>("learn.act")->click();
  ASSERT_TRUE(wait_for([this] { return panel->has_results(); }));
  EXPECT_TRUE(text().contains(QStringLiteral("more: 36 (75 %)"))) << text().toStdString();
  panel->go_on();
  ASSERT_EQ(panel->page(), 5);
  EXPECT_FALSE(part<QPushButton>("learn.choose")->isVisible()) << "a value is typed";
  part<QLineEdit>("learn.work")->setText(QStringLiteral("1.25"));
  part<QPushButton>("learn.act")->click();
  ASSERT_TRUE(wait_for([this] { return text().contains(QStringLiteral("0 of 3 points")); })) << text().toStdString();
  part<QLineEdit>("learn.work")->setText(QStringLiteral("1.5"));
  part<QPushButton>("learn.act")->click();
  ASSERT_TRUE(wait_for([this] { return text().contains(QStringLiteral("3 of 3 points")); })) << text().toStdString();
}

TEST_F(LearnTest, ControlsHaveNames) {
  part<QTreeWidget>("learn.list")->setFocus();
  key(Qt::Key_Return);
  for (const char* name : {"learn.number", "learn.text", "learn.list"})
    EXPECT_FALSE(part<QWidget>(name)->accessibleName().isEmpty()) << name;
}

}  // namespace
}  // namespace app::gui
