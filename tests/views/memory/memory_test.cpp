// SPDX-License-Identifier: GPL-3.0-or-later
// Memory: areas carry the bytes of the analysis, the peak is where it says, clicks select ops and tensors.
#include "views/memory/memory_view.h"

#include <gtest/gtest.h>

#include <QTest>
#include <numeric>
#include <set>

#include "tests/support/sample_document.h"
#include "tests/support/sample_gpu_capture.h"
#include "views/base/theme.h"
#include "views/memory/memory_paint.h"

namespace {

using tests::SampleOps;
using views::MemoryPicture;

class MemoryTest : public testing::Test {
 protected:
  MemoryTest() {
    document.set(tests::sample_analyzed(), QStringLiteral("sample.tide"));
    view.resize(1280, 720);
    view.show();
    QApplication::processEvents();
  }
  views::MemoryLayout layout(MemoryPicture picture, QSize size = {900, 600}) {
    return views::layout_memory(document.capture(), view.footprint(), picture, QRectF(QPointF(0, 0), QSizeF(size)),
                                views::data_font());
  }
  void click(QPointF at) { QTest::mouseClick(&view.canvas(), Qt::LeftButton, {}, at.toPoint()); }
  views::Document document;
  views::MemoryView view{document, nullptr};
};

TEST_F(MemoryTest, StackedHeightsAreTheLiveBytesOfEachOp) {
  const auto at = layout(MemoryPicture::live);
  const auto& points = view.footprint().points;
  ASSERT_EQ(at.op_count, points.size());
  for (size_t op = 0; op < points.size(); ++op) {
    double height = 0;
    for (const auto& area : at.areas) {
      // Upper edge first, then the lower one backwards; two corners per op.
      const auto n = static_cast<qsizetype>(points.size() * 2);
      const auto i = static_cast<qsizetype>(op * 2);
      EXPECT_NEAR(area.polygon[i].x(), at.x_of(static_cast<double>(op)), 1e-9);
      height += area.polygon[2 * n - 1 - i].y() - area.polygon[i].y();
    }
    const auto& live = points[op].live_bytes;
    EXPECT_NEAR(height, at.plot.bottom() - at.y_of(std::accumulate(live.begin(), live.end(), 0.0)), 1e-6) << op;
  }
}

TEST_F(MemoryTest, PeakIsTheTopOfThePicture) {
  const auto at = layout(MemoryPicture::live);
  EXPECT_EQ(at.op_at({at.peak.x(), at.plot.center().y()}), view.footprint().peak_op);
  EXPECT_NEAR(at.peak.y(), at.y_of(view.footprint().peak_bytes), 1e-9);
  for (const auto& area : at.areas) EXPECT_GE(area.polygon.boundingRect().top(), at.peak.y() - 1e-6);
  EXPECT_GE(at.top_bytes, view.footprint().peak_bytes);
  ASSERT_GE(at.ticks.size(), 3u);
  EXPECT_EQ(at.ticks.front().bytes, 0);
}

TEST_F(MemoryTest, PersistentRolesLieAtTheBottom) {
  const auto& order = views::stack_order();
  EXPECT_EQ(order.front(), engine::Role::weight);
  EXPECT_EQ(order.back(), engine::Role::activation);
  EXPECT_EQ(std::set<engine::Role>(order.begin(), order.end()).size(), static_cast<size_t>(engine::kRoleCount));
}

TEST_F(MemoryTest, ArenaBoxesNeverShareBytesAtOneTime) {
  const auto at = layout(MemoryPicture::arena);
  std::vector<QRectF> rects;
  for (const auto& box : at.boxes) rects.push_back(box.rect);
  ASSERT_GT(rects.size(), 5u);
  EXPECT_EQ(tests::first_overlap(rects), std::pair(-1, -1));
  for (const auto& rect : rects) EXPECT_TRUE(at.plot.adjusted(-0.01, -0.01, 0.01, 0.01).contains(rect));
}

TEST_F(MemoryTest, RowsOfThePictureKeepApart) {
  for (const QSize size : {QSize(420, 360), QSize(620, 420), QSize(934, 680), QSize(1520, 1040)}) {
    for (auto picture : {MemoryPicture::live, MemoryPicture::arena}) {
      const auto at = layout(picture, size);
      std::vector<QRectF> rects{at.title, at.subtitle, at.legend, at.plot.adjusted(0, -at.line, 0, 0), at.life};
      for (const auto& phase : at.phases) rects.push_back(phase.rect);
      EXPECT_EQ(tests::first_overlap(rects), std::pair(-1, -1)) << size.width();
      for (const auto& rect : rects) EXPECT_TRUE(QRectF(QPointF(0, 0), QSizeF(size)).contains(rect));
    }
  }
}

TEST_F(MemoryTest, ClickSelectsTheOpUnderIt) {
  const auto at = view.layout_on_screen();
  click({at.x_of(SampleOps::relu + 0.5), at.plot.center().y()});
  EXPECT_EQ(document.selection().state().op, SampleOps::relu);
  QTest::keyClick(&view.canvas(), Qt::Key_Right);
  EXPECT_EQ(document.selection().state().op, SampleOps::pool);
}

TEST_F(MemoryTest, ClickOnABoxOfTheArenaSelectsItsTensor) {
  QTest::mouseClick(view.picture_switch().button(1), Qt::LeftButton);
  const auto at = view.layout_on_screen();
  ASSERT_EQ(at.picture, MemoryPicture::arena);
  click(at.boxes.front().rect.center());
  EXPECT_EQ(document.selection().state().tensor, at.boxes.front().tensor);
  EXPECT_EQ(view.contents().rows()[static_cast<size_t>(view.contents().currentIndex().row())].id,
            at.boxes.front().tensor);
}

TEST_F(MemoryTest, ContentsOfThePeakAreRankedAndSelect) {
  const auto& rows = view.contents().rows();
  ASSERT_EQ(rows.size(), view.footprint().at_peak.size());
  for (size_t i = 1; i < rows.size(); ++i) EXPECT_LE(rows[i].ratio, rows[i - 1].ratio);
  QTest::mouseClick(view.contents().viewport(), Qt::LeftButton, {}, QPoint(40, 10));
  EXPECT_EQ(document.selection().state().tensor, rows[0].id);
}

/// A trace of another tool with an allocator's counter, or without.
std::shared_ptr<const profiler::Analyzed> foreign(bool with_counter) {
  profiler::CaptureBuilder b;
  b.run().source = "PyTorch (Kineto) trace";
  b.add_activity({.start_ns = 1000,
                  .duration_ns = 9000,
                  .name = b.intern("forward"),
                  .track = b.track(profiler::TrackKind::host_thread, "main", "Host"),
                  .kind = profiler::ActivityKind::range});
  if (with_counter) {
    profiler::CounterSeries series{
        .name = b.intern("allocated"), .group = b.intern("GPU 0"), .unit = b.intern("B"), .time_ns = {}, .value = {}};
    for (int i = 0; i < 5000; ++i)
      series.time_ns.push_back(1000 + i), series.value.push_back(i == 3210 ? 9e6 : 1e6 + 100 * i);
    b.add_counter(std::move(series));
  }
  auto capture = b.finish();
  EXPECT_TRUE(capture) << capture.error().message;
  return profiler::analyze(*capture);
}

/// One value among thousands within a pixel is not lost.
TEST_F(MemoryTest, ATraceOfAnotherToolShowsWhatItsAllocatorHeld) {
  document.set(foreign(true), QStringLiteral("trace.tide"));
  const auto series = profiler::allocated_series(document.capture());
  const auto at = views::layout_allocated(document.capture(), series, QRectF(0, 0, 900, 600), views::data_font());
  ASSERT_EQ(at.curves.size(), 1u);
  EXPECT_NEAR(at.curves[0].line.boundingRect().top(), at.y_of(9e6), 1e-6);
  EXPECT_NEAR(at.curves[0].line.boundingRect().bottom(), at.y_of(1e6), 1e-6);
  EXPECT_NEAR(at.curves[0].peak.x(), at.x_of(4210), 1);
  EXPECT_LT(at.curves[0].line.size(), 4000) << "no more points than pixels need";
  for (const QPointF& p : at.curves[0].line)
    EXPECT_TRUE(at.plot.adjusted(-1, -1, 1, 1).contains(p)) << p.x() << " " << p.y();
  EXPECT_TRUE(views::allocated_tip(document.capture(), series, at, QPointF(at.x_of(1500), at.plot.center().y()))
                  .contains(QStringLiteral("1.05 MB")));
  EXPECT_EQ(view.data().rows.size(), 5000u);
  EXPECT_TRUE(view.canvas().accessibleDescription().contains(QStringLiteral("9.00 MB")))
      << view.canvas().accessibleDescription().toStdString();
  document.set(foreign(false), QStringLiteral("trace.tide"));
  EXPECT_TRUE(view.canvas().accessibleDescription().isEmpty());
  EXPECT_FALSE(view.grab().isNull());
}

/// What was reserved is no more called allocated than the other way round, and names that do not fit are counted.
TEST_F(MemoryTest, EachSeriesHasItsOwnWords) {
  profiler::CaptureBuilder b;
  b.run().source = "PyTorch (Kineto) trace";
  b.add_activity({.start_ns = 0,
                  .duration_ns = 100,
                  .name = b.intern("forward"),
                  .track = b.track(profiler::TrackKind::host_thread, "main", "Host"),
                  .kind = profiler::ActivityKind::range});
  for (const char* device : {"GPU 0", "GPU 1", "GPU 2"}) {
    for (const auto& [name, bytes] : {std::pair{"reserved", 8e6}, std::pair{"allocated", 3e6}}) {
      b.add_counter({.name = b.intern(name),
                     .group = b.intern(device),
                     .unit = b.intern("B"),
                     .time_ns = {0, 50},
                     .value = {bytes, bytes / 2}});
    }
  }
  auto capture = b.finish();
  ASSERT_TRUE(capture) << capture.error().message;
  document.set(profiler::analyze(*capture), QStringLiteral("trace.tide"));
  EXPECT_EQ(view.canvas().accessibleDescription(), QStringLiteral("Allocated over time, GPU 0: at most 3.00 MB"));
  const auto series = profiler::allocated_series(document.capture());
  const auto laid = [&](double width) {
    return views::layout_allocated(document.capture(), series, QRectF(0, 0, width, 600), views::data_font());
  };
  const auto wide = laid(4000), narrow = laid(700);
  EXPECT_EQ(wide.heading, QStringLiteral("Allocated and reserved over time"));
  EXPECT_EQ(wide.names.size(), 6u);
  EXPECT_TRUE(wide.names.back().curve);
  ASSERT_LT(narrow.names.size(), 6u);
  EXPECT_FALSE(narrow.names.back().curve);
  EXPECT_TRUE(narrow.names.back().text.contains(QStringLiteral("and %1 more").arg(7 - narrow.names.size())))
      << narrow.names.back().text.toStdString();
  for (const auto& name : narrow.names) EXPECT_LE(name.rect.right(), narrow.legend.right());
  const QString tip = views::allocated_tip(document.capture(), series, wide, wide.plot.center());
  EXPECT_TRUE(tip.contains(QStringLiteral("Reserved: "))) << tip.toStdString();
  document.set(foreign(true), QStringLiteral("trace.tide"));
  const auto alone = profiler::allocated_series(document.capture());
  const auto at = views::layout_allocated(document.capture(), alone, QRectF(0, 0, 900, 600), views::data_font());
  EXPECT_EQ(at.heading, QStringLiteral("Allocated over time"));
  EXPECT_FALSE(
      views::allocated_tip(document.capture(), alone, at, at.plot.center()).contains(QStringLiteral("eserved")));
}

/// The mouse asks at each of its moves: laid out once, and anew when what is shown changes.
TEST_F(MemoryTest, IsLaidOutOnceForEachSizeAndPicture) {
  const auto* areas = view.layout_on_screen().areas.data();
  ASSERT_NE(areas, nullptr);
  view.canvas().tip(QPointF(view.canvas().rect().center()));
  EXPECT_EQ(view.layout_on_screen().areas.data(), areas);
  const double width = view.layout_on_screen().plot.width();
  view.resize(view.width() + 200, view.height());
  EXPECT_GT(view.layout_on_screen().plot.width(), width);
  view.picture_switch().button(1)->click();
  EXPECT_EQ(view.layout_on_screen().picture, views::MemoryPicture::arena);
  EXPECT_FALSE(view.layout_on_screen().boxes.empty());
  const size_t ops = view.layout_on_screen().op_count;
  document.set(profiler::analyze(tests::sample_gpu_capture()), QStringLiteral("gpu.tide"));
  EXPECT_NE(view.layout_on_screen().op_count, ops);
}

TEST_F(MemoryTest, AViewOfATensorShowsTheLifeOfItsBytes) {
  const auto& tensors = document.capture().tensors();
  for (const auto& tensor : tensors) {
    const auto root = views::root_of(document.capture(), tensor.id);
    EXPECT_EQ(tensors[root].alias_of, profiler::kNoTensor);
    if (tensor.alias_of == profiler::kNoTensor) {
      EXPECT_EQ(root, tensor.id);
    }
  }
}

TEST_F(MemoryTest, TheLineBelowTheTitleNamesTheDevicesOfThePeak) {
  profiler::Footprint f = view.footprint();
  EXPECT_FALSE(views::memory_subtitle(document.capture(), f).contains(QStringLiteral("all devices")));
  f.devices = {"cpu", "sim:0"};
  for (profiler::FootprintPoint& point : f.points) point.by_device = {1, 2};
  f.points[f.peak_op].by_device = {5e6, 7e6};
  const QString line = views::memory_subtitle(document.capture(), f);
  EXPECT_TRUE(line.startsWith(
      QStringLiteral("all devices: cpu %1, sim:0 %2")
          .arg(views::quantity(5e6, profiler::Quantity::bytes), views::quantity(7e6, profiler::Quantity::bytes))))
      << line.toStdString();
}

}  // namespace
