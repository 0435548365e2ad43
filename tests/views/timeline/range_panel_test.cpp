// SPDX-License-Identifier: GPL-3.0-or-later
// The panel of the selected range: flame graph as numbers and under the mouse, tables, durations, counters of foreign
// traces.
#include "views/timeline/range_panel.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QTest>
#include <cmath>
#include <map>

#include "profiler/capture/training_loss.h"
#include "tests/support/sample_capture.h"
#include "tests/support/sample_gpu_capture.h"
#include "tests/support/temporary_folder.h"
#include "views/base/view_settings.h"
#include "views/timeline/duration_chart.h"
#include "views/timeline/flame_view.h"
#include "views/timeline/timeline_area.h"
#include "views/timeline/timeline_view.h"
#include "views/widgets/canvas.h"
#include "views/widgets/table_view.h"

namespace views {
namespace {

using profiler::StackNode;

StackNode node(uint32_t parent, uint32_t depth, const char* name, int64_t total) {
  StackNode n;
  n.parent = parent, n.depth = depth, n.name = name, n.total_ns = total;
  return n;
}

/// all 100 = a 70 (a1 20, a2 40) + b 30
std::vector<StackNode> small_tree() {
  return {node(0, 0, "", 100), node(0, 1, "b", 30), node(0, 1, "a", 70), node(2, 2, "a1", 20), node(2, 2, "a2", 40)};
}

TEST(FlameLayout, WidthIsTimeAndChildrenLieInsideTheirParent) {
  const auto tree = small_tree();
  const FlameLayout layout = layout_flame(tree, 0, 1000, 20);
  ASSERT_EQ(layout.boxes.size(), tree.size());
  EXPECT_DOUBLE_EQ(layout.height, 60);
  for (const FlameBox& box : layout.boxes) {
    EXPECT_DOUBLE_EQ(box.width, 10.0 * static_cast<double>(tree[box.node].total_ns));
    EXPECT_DOUBLE_EQ(box.y, 20.0 * tree[box.node].depth);
    const FlameBox* parent = layout.of(tree[box.node].parent);
    EXPECT_GE(box.x, parent->x);
    EXPECT_LE(box.x + box.width, parent->x + parent->width);
  }
  EXPECT_LT(layout.of(2)->x, layout.of(1)->x) << "widest first";
  EXPECT_EQ(layout.at(500, 45)->node, 3u) << "a2 takes 0..400, a1 400..600";
  EXPECT_EQ(layout.at(650, 45), nullptr) << "time of a itself";
}

TEST(FlameLayout, ZoomGivesTheWholeWidthAndKeepsTheWayBack) {
  const auto tree = small_tree();
  const FlameLayout layout = layout_flame(tree, 2, 700, 20);
  EXPECT_DOUBLE_EQ(layout.of(2)->width, 700);
  EXPECT_TRUE(layout.of(0)->above);
  EXPECT_EQ(layout.of(1), nullptr) << "what lies beside is not shown";
  EXPECT_DOUBLE_EQ(layout.of(4)->width, 400);
  EXPECT_EQ(layout_flame(tree, 0, 3, 20).hidden, 3) << "b, a1 and a2 are narrower than a pixel and a half";
  EXPECT_TRUE(layout_flame({}, 0, 100, 20).boxes.empty());
}

TEST(FlameLayout, ArrowsFollowTheTree) {
  const auto tree = small_tree();
  const FlameLayout layout = layout_flame(tree, 0, 1000, 20);
  EXPECT_EQ(flame_neighbour(tree, layout, 0, FlameMove::down), 2u);
  EXPECT_EQ(flame_neighbour(tree, layout, 2, FlameMove::down), 4u);
  EXPECT_EQ(flame_neighbour(tree, layout, 4, FlameMove::right), 3u);
  EXPECT_EQ(flame_neighbour(tree, layout, 3, FlameMove::left), 4u);
  EXPECT_EQ(flame_neighbour(tree, layout, 3, FlameMove::up), 2u);
  EXPECT_EQ(flame_neighbour(tree, layout, 0, FlameMove::up), std::nullopt);
}

class RangePanelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    view_settings().clear();
    show(tests::sample_gpu_capture());
  }
  void show(std::shared_ptr<const profiler::Capture> capture, const QString& path = QStringLiteral("gpu.tide")) {
    document.set(profiler::analyze(std::move(capture)), path);
    view = std::make_unique<TimelineView>(document, nullptr);
    view->resize(1100, 700);
    view->show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(view.get()));
  }
  RangePanel* panel() const { return view->panel(); }
  QAction* details() const { return view->findChild<QAction*>(QStringLiteral("timeline.details")); }
  void drag(double from, double to) {
    TimelineArea* area = view->area();
    const auto& g = area->scene().geometry;
    const int y = g.scroll_top() + 4;
    const QPoint a(g.header_width + static_cast<int>(from * g.plot_width()), y),
        b(g.header_width + static_cast<int>(to * g.plot_width()), y);
    QTest::mousePress(area->viewport(), Qt::LeftButton, {}, a);
    QTest::mouseMove(area->viewport(), (a + b) / 2);
    QTest::mouseMove(area->viewport(), b);
    QTest::mouseRelease(area->viewport(), Qt::LeftButton, {}, b);
  }

  Document document;
  std::unique_ptr<TimelineView> view;
};

TEST_F(RangePanelTest, ADragOpensItUnlessTheUserClosedIt) {
  EXPECT_FALSE(panel()->isVisible());
  drag(0.1, 0.6);
  ASSERT_TRUE(document.selection().state().range.has_value());
  EXPECT_TRUE(panel()->isVisible());
  ASSERT_NE(panel()->details(), nullptr);
  EXPECT_EQ(panel()->details()->profile.begin_ns, document.selection().state().range->begin_ns);
  details()->setChecked(false);
  document.selection().clear();
  drag(0.2, 0.5);
  EXPECT_FALSE(panel()->isVisible());
  details()->setChecked(true);
  EXPECT_EQ(panel()->details()->profile.end_ns, document.selection().state().range->end_ns);
}

TEST_F(RangePanelTest, ATableSaysBusyIdleOverlapAndBytes) {
  details()->setChecked(true);
  const int64_t us = 1000, start = document.capture().steps()[0].start_ns;
  document.selection().select_range({start, start + 100 * us});
  const profiler::Table& table = panel()->busy()->table();
  const auto row = [&](const std::string& what) -> const std::vector<profiler::Cell>* {
    for (const auto& r : table.rows)
      if (std::get<std::string>(r[1]) == what) return &r;
    return nullptr;
  };
  ASSERT_NE(row("kernels run"), nullptr);
  EXPECT_DOUBLE_EQ(std::get<double>((*row("kernels run"))[2]), 51.0 * us) << "gemm 30, relu 20, memset 1";
  EXPECT_DOUBLE_EQ(std::get<double>((*row("copies run"))[2]), 27.0 * us);
  EXPECT_DOUBLE_EQ(std::get<double>((*row("idle"))[2]), 22.0 * us);
  double causes = 0;
  for (const auto& r : table.rows)
    if (std::get<std::string>(r[1]).starts_with("  idle")) causes += std::get<double>(r[2]);
  EXPECT_DOUBLE_EQ(causes, 22.0 * us) << "each idle nanosecond has a cause";
  ASSERT_NE(row("host to device"), nullptr);
  EXPECT_DOUBLE_EQ(std::get<double>((*row("host to device"))[5]), (1 << 20) + (1 << 18));
  EXPECT_EQ(std::get<std::string>(panel()->names()->table().rows[0][0]), "stream synchronize") << "31 us";
  EXPECT_EQ(std::get<std::string>(panel()->names()->table().rows[1][0]), "void gemm<float, 128>(float const*, float*)");
}

TEST_F(RangePanelTest, TheNameOfTheCurrentBarHasItsDurations) {
  details()->setChecked(true);
  TimelineArea* area = view->area();
  for (size_t lane = 0; lane < area->scene().model->lanes.size(); ++lane)
    if (area->scene().model->lanes[lane].kind == LaneKind::kernel) {
      area->go_to({static_cast<int>(lane), 0});
      break;
    }
  document.selection().clear();  // of everything, not of the span that was clicked
  EXPECT_EQ(panel()->durations()->spread().count, 2);
  EXPECT_EQ(panel()->durations()->spread().p50_ns, 30'000);
  EXPECT_TRUE(panel()->durations()->accessibleDescription().contains(QStringLiteral("median 30")))
      << panel()->durations()->accessibleDescription().toStdString();
}

TEST_F(RangePanelTest, ClicksZoomTheFlameGraph) {
  details()->setChecked(true);
  panel()->setCurrentIndex(RangePanel::flame_page);
  FlameView* flame = panel()->flame();
  const FlameLayout before = flame->layout_on_screen();
  const FlameBox* deep = nullptr;
  for (const FlameBox& box : before.boxes)
    if (flame->stacks()[box.node].op == 0u) deep = &box;
  ASSERT_NE(deep, nullptr);
  const uint32_t clicked = deep->node;
  QTest::mouseClick(flame->canvas(), Qt::LeftButton, {}, QPointF(deep->x + deep->width / 2, deep->y + 4).toPoint());
  EXPECT_EQ(flame->zoomed(), clicked);
  EXPECT_NEAR(flame->layout_on_screen().of(clicked)->width, flame->canvas()->width(), 1e-6);
  EXPECT_EQ(document.selection().state().op, 0u) << "every view follows";
  QTest::keyClick(flame->canvas(), Qt::Key_Backspace);
  EXPECT_EQ(flame->zoomed(), flame->stacks()[clicked].parent);
  QTest::keyClick(flame->canvas(), Qt::Key_Home);
  EXPECT_EQ(flame->zoomed(), 0u);
  EXPECT_TRUE(flame->tooltip(clicked).contains(QStringLiteral("of all")));
}

TEST_F(RangePanelTest, MarksLieBesideTheCaptureAndGoWithIt) {
  const tests::TemporaryFolder folder;
  const QString file = QString::fromStdString((folder / "r.tide").string());
  tests::write_bytes(folder / "r.tide", "a capture");
  show(tests::sample_gpu_capture(), file);
  view->area()->edits()->toggle_fold(view->area()->row_of_interest());
  EXPECT_FALSE(std::filesystem::exists(folder / "r.tide.notes"))
      << "folding rows writes nothing into the user's folders";
  view->area()->edits()->add_mark({document.capture().begin_ns(), document.capture().begin_ns()},
                                  QStringLiteral("here"));
  ASSERT_TRUE(std::filesystem::exists(folder / "r.tide.notes"));
  show(tests::sample_gpu_capture(), file);
  ASSERT_EQ(view->area()->notes().marks.size(), 1u);
  // another run under the same name does not get them
  auto other = tests::sample_gpu_builder();
  other.run().created_at = "2001-01-01T00:00:00Z";
  show(*other.finish(), file);
  EXPECT_TRUE(view->area()->notes().marks.empty());
}

TEST(TimelineCounters, RecordedSeriesAreDrawnAsTheyHold) {
  auto b = tests::sample_gpu_builder();
  const int64_t start = 1'000'000;
  b.add_counter({.name = b.intern("allocated"),
                 .group = b.intern("GPU 0"),
                 .unit = b.intern("B"),
                 .time_ns = {start, start + 50'000, start + 50'000, start + 150'000},
                 .value = {100, 7, 300, 50}});
  const TimelineModel model = build_timeline(*profiler::analyze(*b.finish()));
  const TimelineCounter* found = nullptr;
  for (const auto& counter : model.counters)
    if (counter.title == "allocated, GPU 0") found = &counter;
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->quantity, profiler::Quantity::bytes);
  std::vector<double> columns;
  found->columns(start, 50'000, 4, columns);
  EXPECT_EQ(columns, (std::vector<double>{100, 300, 300, 50})) << "a value replaced at once was never there";
}

TEST(TimelineCounters, ALossIsDrawnUntilItIsNoNumber) {
  auto b = tests::sample_gpu_builder();
  const int64_t start = 1'000'000;
  const auto group = b.intern(profiler::kLossGroup);
  b.add_counter({.name = b.intern(profiler::kLossName),
                 .group = group,
                 .unit = 0,
                 .time_ns = {start, start + 50'000},
                 .value = {3, 2}});
  b.add_counter({.name = b.intern(profiler::kLossFailedName),
                 .group = group,
                 .unit = 0,
                 .time_ns = {start + 100'000},
                 .value = {1}});
  const TimelineModel model = build_timeline(*profiler::analyze(*b.finish()));
  std::map<std::string, std::vector<double>> drawn;
  for (const auto& counter : model.counters) counter.columns(start, 50'000, 3, drawn[counter.title]);
  const std::vector<double> loss = drawn["loss, training"], failed = drawn["loss failed, training"];
  ASSERT_EQ(loss.size(), 3u);
  EXPECT_EQ(loss[1], 2);
  EXPECT_TRUE(std::isnan(loss[2])) << loss[2];
  ASSERT_EQ(failed.size(), 3u);
  EXPECT_TRUE(std::isnan(failed[1])) << failed[1];
  EXPECT_EQ(failed[2], 1);
}

}  // namespace
}  // namespace views
