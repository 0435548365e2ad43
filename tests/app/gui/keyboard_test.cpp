// SPDX-License-Identifier: GPL-3.0-or-later
// The window by keys alone: every view is reached and used without the mouse, and no key means two things.
#include <gtest/gtest.h>

#include <QApplication>
#include <QLineEdit>
#include <QTest>
#include <mutex>

#include "tests/app/gui/window_test.h"
#include "tests/support/sample_sweep.h"
#include "views/ops/ops_view.h"
#include "views/timeline/timeline_area.h"

namespace app::gui {
namespace {

QStringList complaints;
std::mutex complaining;  // any thread may
void note_complaint(QtMsgType, const QMessageLogContext&, const QString& text) {
  const std::lock_guard lock(complaining);
  complaints << text;
}

class KeyboardTest : public WindowTest {
 protected:
  void SetUp() override {
    {
      const std::lock_guard lock(complaining);
      complaints.clear();
    }
    before_ = qInstallMessageHandler(note_complaint);
    WindowTest::SetUp();
    window->show_capture(profiler::analyze(tests::sample_capture()), QStringLiteral("/nowhere/sample.tide"));
    window->show_sweep(tests::sample_sweep(true), QStringLiteral("/nowhere/sweep.tide"));
    window->document().set_reference(window->document().shared(), QStringLiteral("/nowhere/other.tide"));
    QApplication::processEvents();
  }
  void TearDown() override {
    WindowTest::TearDown();
    qInstallMessageHandler(before_);
  }
  /// To whatever has the focus, as the keyboard does.
  void press(Qt::Key key, Qt::KeyboardModifiers with = {}) {
    QWidget* focus = QApplication::focusWidget();
    QTest::keyClick(focus != nullptr ? focus : window.get(), key, with);
    QApplication::processEvents();
  }
  void go_to(const QString& view) {
    int number = 1;
    for (const auto& entry : views::view_catalog()) {
      if (entry.key == view && number > 10) window->show_view(view);  // there are ten digits
      else if (entry.key == view) press(static_cast<Qt::Key>(Qt::Key_0 + number % 10), Qt::AltModifier);
      ++number;
    }
    ASSERT_EQ(window->current_view(), window->view(view))
        << view.toStdString() << ", the focus is in "
        << (QApplication::focusWidget() != nullptr ? QApplication::focusWidget()->metaObject()->className()
                                                   : "nothing");
  }

 private:
  QtMessageHandler before_ = nullptr;
};

TEST_F(KeyboardTest, TheTimelineZoomsAndPansAsSoonAsItIsInFront) {
  go_to(QStringLiteral("timeline"));
  auto* area = window->findChild<views::TimelineArea*>();
  ASSERT_NE(area, nullptr);
  const auto whole = area->scene().window;
  press(Qt::Key_W);
  const auto near = area->scene().window;
  EXPECT_LT(near.span_ns(), whole.span_ns()) << "W zooms in, without a click first";
  press(Qt::Key_D);
  EXPECT_GT(area->scene().window.begin_ns, near.begin_ns);
  press(Qt::Key_A);
  EXPECT_EQ(area->scene().window.begin_ns, near.begin_ns);
  press(Qt::Key_S);
  EXPECT_GT(area->scene().window.span_ns(), near.span_ns());
  press(Qt::Key_F, Qt::ControlModifier);
  EXPECT_NE(qobject_cast<QLineEdit*>(QApplication::focusWidget()), nullptr) << "Ctrl+F finds";
}

TEST_F(KeyboardTest, ArrowsChooseInEveryViewThatShowsOps) {
  for (const char* key : {"traffic", "timeline", "network", "roofline", "ops", "memory", "compare"}) {
    go_to(QString::fromLatin1(key));
    EXPECT_TRUE(QTest::qWaitFor([&] { return !window->current_view()->busy(); }, 30'000)) << key;
    // Ops opens on types, which are none of what a selection holds.
    if (auto* ops = qobject_cast<views::OpsView*>(window->current_view())) {
      QTest::mouseClick(ops->roll_up().button(0), Qt::LeftButton);
      ops->setFocus();
    }
    window->document().selection().clear();
    const auto chosen = [&] {
      const auto& state = window->document().selection().state();
      return state.op.has_value() || state.tensor.has_value() || state.layer.has_value();
    };
    for (const Qt::Key arrow : {Qt::Key_Down, Qt::Key_Right, Qt::Key_Down}) press(arrow);
    EXPECT_TRUE(chosen()) << key;
    press(Qt::Key_Escape);
    EXPECT_TRUE(window->document().selection().state().empty()) << key << ": Escape lets go";
  }
}

TEST_F(KeyboardTest, NoKeyMeansTwoThingsInAnyView) {
  const auto catalog = views::view_catalog();
  for (const auto& entry : catalog) {
    go_to(entry.key);
    for (const Qt::Key key : {Qt::Key_W, Qt::Key_A, Qt::Key_S, Qt::Key_D, Qt::Key_F, Qt::Key_M, Qt::Key_Slash,
                              Qt::Key_Home, Qt::Key_End, Qt::Key_PageUp, Qt::Key_PageDown, Qt::Key_Up, Qt::Key_Down,
                              Qt::Key_Left, Qt::Key_Right, Qt::Key_Plus, Qt::Key_Minus}) {
      press(key);
      if (QWidget* box = QApplication::activeModalWidget()) {  // M asks for a mark's text
        box->close();
        window->activateWindow();  // a window manager would
        ASSERT_TRUE(QTest::qWaitForWindowActive(window.get()));
      }
      ASSERT_EQ(window->current_view(), window->view(entry.key)) << entry.key.toStdString() << ", key " << key;
    }
    press(Qt::Key_F, Qt::ControlModifier);
    press(Qt::Key_Escape);
  }
  const std::lock_guard lock(complaining);
  EXPECT_TRUE(complaints.filter(QStringLiteral("mbiguous")).isEmpty())
      << complaints.join(QLatin1Char('\n')).toStdString();
}

}  // namespace
}  // namespace app::gui
