// SPDX-License-Identifier: GPL-3.0-or-later
// Predictions that are placed: a dot, a curve, roles; by mouse and by keys; and in the views that reveal them.
#include <QAccessible>
#include <QApplication>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTextBrowser>
#include <cmath>

#include "app/gui/answer_box.h"
#include "app/gui/answer_plot.h"
#include "app/gui/learn_panel.h"
#include "profiler/lessons/lesson_reader.h"
#include "tests/app/cli/made_roofs.h"
#include "tests/app/gui/window_test.h"
#include "views/base/prediction.h"
#include "views/roofline/roofline_view.h"
#include "views/sweep/sweep_view.h"

namespace app::gui {
namespace {

using profiler::LessonQuestion;

LessonQuestion dot() {
  LessonQuestion p{"dot", "Where?", "", LessonQuestion::Kind::point, {}, 1e8, 1e12, false};
  p.across_low = 0.01, p.across_high = 100;
  return p;
}

LessonQuestion line() {
  LessonQuestion p{"line", "How long?", "times", LessonQuestion::Kind::curve, {}, 1, 100, true};
  p.at = {1, 10, 100};
  p.at_unit = "samples";
  return p;
}

class PlotTest : public testing::Test {
 protected:
  void make(const LessonQuestion& asked, const profiler::GivenAnswer* given = nullptr) {
    question = asked;
    plot = std::make_unique<AnswerPlot>(question, given);
    plot->resize(400, 300);
    plot->show();
    plot->setFocus();
  }
  QPoint at(double across, double up) const {
    const QRectF box = plot->axes();
    return QPointF(box.left() + across * box.width(), box.bottom() - up * box.height()).toPoint();
  }
  std::vector<double> numbers() const { return plot->answer() ? plot->answer()->numbers : std::vector<double>(); }
  LessonQuestion question;
  std::unique_ptr<AnswerPlot> plot;
};

TEST_F(PlotTest, AClickPlacesTheDot) {
  make(dot());
  EXPECT_FALSE(plot->answer());
  QTest::mouseClick(plot.get(), Qt::LeftButton, {}, at(0.5, 0.25));
  ASSERT_EQ(numbers().size(), 2u);
  EXPECT_NEAR(std::log10(numbers()[0]), 0, 0.05);
  EXPECT_NEAR(std::log10(numbers()[1]), 9, 0.05);
  EXPECT_TRUE(plot->accessibleDescription().contains(QStringLiteral("FLOP/B")));
}

TEST_F(PlotTest, KeysPlaceTheDot) {
  make(dot());
  QTest::keyClick(plot.get(), Qt::Key_Right);
  ASSERT_EQ(numbers().size(), 2u) << "the first key begins in the middle";
  const std::vector<double> before = numbers();
  QTest::keyClick(plot.get(), Qt::Key_Right);
  QTest::keyClick(plot.get(), Qt::Key_Down);
  EXPECT_GT(numbers()[0], before[0]);
  EXPECT_LT(numbers()[1], before[1]);
  const double down = numbers()[1];
  QTest::keyClick(plot.get(), Qt::Key_Up, Qt::ShiftModifier);
  EXPECT_GT(numbers()[1], down);
  EXPECT_LT(numbers()[1], before[1]) << "shift makes smaller steps";
}

TEST_F(PlotTest, ACurveIsDrawnWithTheMouseAndPlacesThatItSkipsLieOnTheLine) {
  make(line());
  QTest::mousePress(plot.get(), Qt::LeftButton, {}, at(0, 0));
  QMouseEvent move(QEvent::MouseMove, at(1, 1), plot->mapToGlobal(at(1, 1)), Qt::NoButton, Qt::LeftButton, {});
  QApplication::sendEvent(plot.get(), &move);
  ASSERT_EQ(numbers().size(), 3u);
  EXPECT_NEAR(numbers()[0], 1, 0.05);
  EXPECT_NEAR(numbers()[1], 10, 0.5);
  EXPECT_NEAR(numbers()[2], 100, 2);
}

TEST_F(PlotTest, ACurveIsDrawnWithKeys) {
  make(line());
  QTest::keyClick(plot.get(), Qt::Key_Up);
  QTest::keyClick(plot.get(), Qt::Key_Right);
  QTest::keyClick(plot.get(), Qt::Key_Down);
  ASSERT_EQ(numbers().size(), 3u);
  EXPECT_GT(numbers()[0], 10);
  EXPECT_LT(numbers()[1], 10);
  EXPECT_NEAR(numbers()[2], 10, 1e-9);
  EXPECT_TRUE(plot->words().contains(QStringLiteral("10 samples"))) << plot->words().toStdString();
}

TEST_F(PlotTest, WhatWasGivenIsShownAgain) {
  const profiler::GivenAnswer given{{}, 0, {1, 20, 50}};
  make(line(), &given);
  EXPECT_NEAR(numbers()[1], 20, 1e-6);
}

TEST(Roles, AreChosenPerTensorAndAllAreNeeded) {
  const LessonQuestion p{"r", "Whose?", "", LessonQuestion::Kind::role, {"w", "x"}, 0, 0, false};
  AnswerBox box;
  box.ask(&p, nullptr, true);
  auto *first = box.findChild<QComboBox*>(QStringLiteral("learn.role.0")),
       *second = box.findChild<QComboBox*>(QStringLiteral("learn.role.1"));
  ASSERT_TRUE(first != nullptr && second != nullptr);
  EXPECT_FALSE(box.answer());
  QTest::keyClick(first, Qt::Key_Down);
  EXPECT_FALSE(box.answer());
  second->setCurrentIndex(1);
  ASSERT_TRUE(box.answer());
  EXPECT_EQ(box.answer()->items, (std::vector<int>{0, 1}));
  EXPECT_EQ(first->accessibleName(), QStringLiteral("Role of w"));
}

const QByteArray kPlaced = R"(+++
title = "Dots"
chapter = 1
rows = ["A1"]
+++

## A dot

```predict
id = "dot"
kind = "point"
question = "Where is the product?"
```

```predict
id = "whose"
kind = "role"
question = "Whose bytes?"
tensors = ["fc1.weight"]
```

```run
id = "small"
command = "run mlp --mode inference --set input=64 --set hidden=32 --batch 16 --steps 3"
```

```answer
predict = "dot"
queries = ["small.types[linear].flops / small.types[linear].compulsory_bytes", "small.types[linear].flop_per_s"]
within = "1000x"
```

```answer
predict = "whose"
queries = ["small.tensors[fc1.weight].role"]
```

```reveal
run = "small"
view = "roofline"
predict = "dot"
op = "fc1/linear"
```

```explain
Done.
```
)";

class PlacedTest : public WindowTest {
 protected:
  void SetUp() override {
    WindowTest::SetUp();
    const QString roofs = QString::fromStdString(test::roofs_file(folder.path().toStdString()));
    const QString script = QStringLiteral("exec '%1/bin/tensortide' \"$@\" --roofs '%2'\n")
                               .arg(QStringLiteral(TENSORTIDE_BINARY_DIR), roofs);
    program = std::make_unique<Environment>("TENSORTIDE_CLI",
                                            write_script(folder, QStringLiteral("tensortide-with-roofs"), script));
    QFile file(folder.filePath(QStringLiteral("dots.md")));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(kPlaced);
    file.close();
    lessons = std::make_unique<Environment>("TENSORTIDE_LESSONS", folder.path());
    find<QAction>("action.lessons")->trigger();
    panel = window->findChild<LearnPanel*>();
    ASSERT_NE(panel, nullptr);
    const auto read =
        profiler::read_lesson(kPlaced.toStdString(), folder.filePath(QStringLiteral("dots.md")).toStdString());
    ASSERT_TRUE(read.faults.empty()) << read.faults.front().words();
    panel->start(read.lesson);
  }
  template <class T>
  T* part(const char* name) {
    T* found = panel->findChild<T*>(QString::fromLatin1(name));
    EXPECT_NE(found, nullptr) << name;
    return found;
  }
  /// Each control that keys reach says to a screen reader what it is.
  void expect_names() {
    QCoreApplication::processEvents();
    for (QWidget* widget : panel->findChildren<QWidget*>()) {
      if (!widget->isVisible() || (widget->focusPolicy() & Qt::TabFocus) == 0) continue;
      if (qobject_cast<QLineEdit*>(widget) != nullptr && qobject_cast<QComboBox*>(widget->parentWidget()) != nullptr)
        continue;
      QAccessibleInterface* told = QAccessible::queryAccessibleInterface(widget);
      ASSERT_NE(told, nullptr);
      EXPECT_FALSE(told->text(QAccessible::Name).isEmpty())
          << widget->metaObject()->className() << " " << widget->objectName().toStdString() << " on page "
          << panel->page();
    }
  }
  std::unique_ptr<Environment> lessons, program;
  LearnPanel* panel = nullptr;
};

TEST_F(PlacedTest, ADotIsDrawnIntoTheRooflineThatRevealsTheAnswer) {
  expect_names();
  auto* plot = part<AnswerPlot>("learn.plot");
  plot->setFocus();
  QTest::keyClick(plot, Qt::Key_Up);
  ASSERT_TRUE(part<QPushButton>("learn.act")->isEnabled());
  part<QPushButton>("learn.act")->click();
  ASSERT_EQ(panel->page(), 1);
  expect_names();
  part<QComboBox>("learn.role.0")->setCurrentIndex(1);
  part<QPushButton>("learn.act")->click();
  ASSERT_EQ(panel->page(), 2);
  expect_names();
  part<QPushButton>("learn.act")->click();
  ASSERT_TRUE(wait_for([this] { return panel->has_results(); }));
  ASSERT_EQ(panel->page(), 3);
  expect_names();
  const QString text = part<QTextBrowser>("learn.text")->toPlainText();
  EXPECT_TRUE(text.contains(QStringLiteral("fc1.weight: weight"))) << text.toStdString();
  ASSERT_TRUE(wait_for([this] { return window->document().loaded(); }));
  ASSERT_TRUE(wait_for([this] { return window->document().selection().state().op.has_value(); }));
  const auto& said = views::Prediction::of(window->document()).said();
  ASSERT_TRUE(said.point);
  EXPECT_GT(said.point->y(), 0);
  auto* view = qobject_cast<views::RooflineView*>(window->view(QStringLiteral("roofline")));
  ASSERT_NE(view, nullptr);
  const auto picture = [&] {
    QTest::qWait(50);  // charts repaint in their own time
    return view->grab().toImage();
  };
  const QImage with = picture();
  views::Prediction::of(window->document()).set({});
  EXPECT_NE(picture(), with) << "the picture has the prediction";
  views::Prediction::of(window->document()).set({QPointF(1, 1), {}, {}});
  open(save(QStringLiteral("other.tide")));
  EXPECT_TRUE(views::Prediction::of(window->document()).said().empty()) << "another capture";
}

TEST_F(PlacedTest, APresenterHasAClockAndABlackScreen) {
  const auto black = [this] { return window->findChild<QWidget*>(QStringLiteral("learn.black")); };
  panel->go_black();
  EXPECT_EQ(black(), nullptr) << "nobody presents";
  panel->set_presenting(true);
  part<QTextBrowser>("learn.text")->setFocus();
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_B);
  ASSERT_NE(black(), nullptr);
  EXPECT_EQ(black()->size(), window->size());
  QTest::keyClick(black(), Qt::Key_Space);
  ASSERT_TRUE(wait_for([&] { return black() == nullptr; }));
  bool clock = false;
  for (const auto* label : panel->findChildren<QLabel*>()) clock |= label->text().contains(QStringLiteral("0:0"));
  EXPECT_TRUE(clock);
  panel->set_presenting(false);
}

TEST_F(PlacedTest, AVariationRunsAgainAndLeavesTheAnswersAlone) {
  const QByteArray text = kPlaced + R"(
```vary
run = "small"
option = "--batch"
values = ["1", "4"]
question = "What changes?"
```
)";
  QFile file(folder.filePath(QStringLiteral("dots.md")));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(text);
  file.close();
  const auto read = profiler::read_lesson(text.toStdString(), folder.filePath(QStringLiteral("dots.md")).toStdString());
  ASSERT_TRUE(read.faults.empty()) << read.faults.front().words();
  panel->start(read.lesson);
  panel->go_on();
  panel->go_on();
  part<QPushButton>("learn.act")->click();
  ASSERT_TRUE(wait_for([this] { return panel->has_results(); }));
  panel->go_on();
  auto* box = part<QWidget>("learn.vary");
  ASSERT_TRUE(box->isVisible());
  const auto buttons = box->findChildren<QPushButton*>();
  ASSERT_EQ(buttons.size(), 2);
  EXPECT_EQ(buttons[1]->text(), QStringLiteral("--batch 4"));
  buttons[1]->click();
  const auto said = [this] {
    for (const auto* label : panel->findChildren<QLabel*>())
      if (label->text().contains(QStringLiteral("With --batch 4"))) return true;
    return false;
  };
  ASSERT_TRUE(wait_for(said));
  ASSERT_TRUE(wait_for([this] {
    return window->document().loaded() && window->document().capture().run().arguments.at("batch") == "4";
  }));
}

}  // namespace
}  // namespace app::gui
