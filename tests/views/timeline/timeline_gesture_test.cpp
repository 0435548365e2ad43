// SPDX-License-Identifier: GPL-3.0-or-later
// What presses and moves mean, as numbers.
#include "views/timeline/timeline_gesture.h"

#include <gtest/gtest.h>

#include "tests/support/sample_capture.h"

namespace views {
namespace {

class TimelineGestureTest : public ::testing::Test {
 protected:
  TimelineGesture::Effect press(QPointF at, Qt::MouseButton button, Qt::KeyboardModifiers modifiers = Qt::NoModifier,
                                TimelinePreset preset = TimelinePreset::perfetto) {
    return gesture.press(at, button, modifiers, preset, model, geometry, window);
  }
  TimelineGesture::Effect move(QPointF at) { return gesture.move(at, model, geometry, window); }

  const TimelineModel model = build_timeline(*profiler::analyze(tests::sample_capture()));
  const TimelineGeometry geometry = layout_timeline(model, 1200, 600, 14);
  const TimelineWindow window = fitted(model.begin_ns, model.end_ns, -0.25, model);
  TimelineGesture gesture;
};

TEST_F(TimelineGestureTest, AShakyClickIsAClickAndADragARange) {
  press({600, 300}, Qt::LeftButton);
  EXPECT_FALSE(move({603, 320}).range.has_value());
  EXPECT_EQ(gesture.release(), TimelineGesture::Kind::pressed);
  press({600, 300}, Qt::LeftButton);
  const auto range = move({500, 300}).range;
  ASSERT_TRUE(range.has_value());
  EXPECT_NEAR(geometry.x(range->begin_ns, window), 500, 1) << "backwards as well";
  EXPECT_NEAR(geometry.x(range->end_ns, window), 600, 1);
  EXPECT_NEAR(geometry.x(move({5000, 300}).range->end_ns, window), geometry.width, 1) << "no further than is seen";
  EXPECT_EQ(gesture.release(), TimelineGesture::Kind::range);
  EXPECT_EQ(gesture.kind(), TimelineGesture::Kind::none);
}

TEST_F(TimelineGestureTest, PansByTheButtonOfThePreset) {
  const auto pans = [&](Qt::MouseButton button, Qt::KeyboardModifiers modifiers, TimelinePreset preset) {
    press({600, 300}, button, modifiers, preset);
    const auto moved = move({650, 300}).window;
    gesture.release();
    return moved && geometry.x(moved->begin_ns, window) < geometry.header_width - 49;
  };
  EXPECT_TRUE(pans(Qt::MiddleButton, Qt::NoModifier, TimelinePreset::perfetto));
  EXPECT_TRUE(pans(Qt::LeftButton, Qt::ShiftModifier, TimelinePreset::perfetto));
  EXPECT_FALSE(pans(Qt::RightButton, Qt::NoModifier, TimelinePreset::perfetto));
  EXPECT_TRUE(pans(Qt::RightButton, Qt::NoModifier, TimelinePreset::tracy));
}

TEST_F(TimelineGestureTest, TheEdgeOfTheNamesComesBeforeAllElse) {
  for (const double y : {5.0, 300.0}) {
    EXPECT_FALSE(press({geometry.header_width + 2.0, y}, Qt::LeftButton).window.has_value());
    EXPECT_EQ(move({333.4, y}).names_width, 333);
    EXPECT_EQ(move({-50, y}).names_width, 1);
    EXPECT_EQ(gesture.release(), TimelineGesture::Kind::names);
  }
  EXPECT_TRUE(press({geometry.header_width + 40.0, 5}, Qt::LeftButton).window.has_value()) << "the strip of the run";
}

}  // namespace
}  // namespace views
