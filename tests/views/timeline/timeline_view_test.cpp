// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline under mouse, wheel and keyboard.
#include "views/timeline/timeline_view.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QTest>
#include <QWheelEvent>

#include "tests/support/sample_capture.h"
#include "tests/support/sample_gpu_capture.h"
#include "views/inspector/inspector_content.h"
#include "views/timeline/duration_chart.h"
#include "views/timeline/range_panel.h"
#include "views/timeline/timeline_area.h"

namespace views {
namespace {

using tests::SampleOps;

class TimelineViewTest : public ::testing::Test {
 protected:
  void SetUp() override {
    document.set(profiler::analyze(tests::sample_capture()), QStringLiteral("sample.tide"));
    view = std::make_unique<TimelineView>(document, nullptr);
    view->resize(1100, 600);
    view->show();
    view->activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(view.get()));
    area = view->area();
    area->setFocus();
    QCoreApplication::processEvents();
  }
  const SelectionState& selected() { return document.selection().state(); }
  TimelineHit op_hit(profiler::OpId op, uint32_t step) const {
    const int lane = area->scene().model->op_lane;
    const auto spans = area->scene().model->lanes[static_cast<size_t>(lane)].lane.spans();
    for (size_t i = 0; i < spans.size(); ++i)
      if (spans[i].op == op && spans[i].step == step) return {lane, i};
    ADD_FAILURE() << "no such span";
    return {};
  }
  QPoint middle_of(const TimelineHit& h) const { return area->span_rect(h).center().toPoint(); }
  void click(QPoint p) { QTest::mouseClick(area->viewport(), Qt::LeftButton, {}, p); }
  void wheel(QPointF p, int dy, Qt::KeyboardModifiers m) {
    QWheelEvent e(p, area->viewport()->mapToGlobal(p), QPoint(), QPoint(0, dy), Qt::NoButton, m, Qt::NoScrollPhase,
                  false);
    QCoreApplication::sendEvent(area->viewport(), &e);
  }
  void key(Qt::Key k, Qt::KeyboardModifiers m = Qt::NoModifier) { QTest::keyClick(area, k, m); }

  Document document;
  std::unique_ptr<TimelineView> view;
  TimelineArea* area = nullptr;
};

TEST_F(TimelineViewTest, ShowsOneTracedStepAtFirst) {
  const auto& step = document.capture().steps()[1];
  EXPECT_LE(area->window_ns().begin_ns, step.start_ns);
  EXPECT_GE(area->window_ns().end_ns, step.start_ns + step.duration_ns);
  EXPECT_LT(area->window_ns().span_ns(), 2 * step.duration_ns);
}

TEST_F(TimelineViewTest, ClickSelectsTheOpForTheWholeWindow) {
  click(middle_of(op_hit(SampleOps::relu, 1)));
  EXPECT_EQ(selected().op, SampleOps::relu);
  EXPECT_EQ(area->current(), op_hit(SampleOps::relu, 1));
}

TEST_F(TimelineViewTest, ArrowsGoFromEventToEvent) {
  click(middle_of(op_hit(SampleOps::conv, 1)));
  key(Qt::Key_Right);
  EXPECT_EQ(selected().op, SampleOps::relu);
  key(Qt::Key_Left);
  EXPECT_EQ(selected().op, SampleOps::conv);
  key(Qt::Key_Up);
  EXPECT_TRUE(selected().layer.has_value()) << "above the ops are the layers";
  key(Qt::Key_Down);
  EXPECT_EQ(selected().op, SampleOps::conv);
}

TEST_F(TimelineViewTest, CtrlWheelZoomsAtThePointer) {
  const auto& g = area->scene().geometry;
  const TimelineWindow before = area->window_ns();
  const int64_t at = g.time(600, before);
  wheel({600, 200}, 120, Qt::ControlModifier);
  EXPECT_LT(area->window_ns().span_ns(), before.span_ns());
  EXPECT_NEAR(g.x(at, area->window_ns()), 600, 1.0);
  wheel({600, 200}, -120, Qt::ControlModifier);
  EXPECT_NEAR(static_cast<double>(area->window_ns().span_ns()), static_cast<double>(before.span_ns()), 2.0);
}

TEST_F(TimelineViewTest, KeysZoomPanAndFit) {
  key(Qt::Key_Home);
  const TimelineWindow whole = area->window_ns();
  key(Qt::Key_W);
  key(Qt::Key_W);
  const TimelineWindow zoomed_in = area->window_ns();
  EXPECT_LT(zoomed_in.span_ns(), whole.span_ns());
  key(Qt::Key_D);
  EXPECT_GT(area->window_ns().begin_ns, zoomed_in.begin_ns);
  key(Qt::Key_A);
  EXPECT_EQ(area->window_ns().span_ns(), zoomed_in.span_ns());
  key(Qt::Key_S);
  EXPECT_GT(area->window_ns().span_ns(), zoomed_in.span_ns());
  key(Qt::Key_Home);
  EXPECT_EQ(area->window_ns(), whole);
  click(middle_of(op_hit(SampleOps::relu, 1)));
  key(Qt::Key_F);
  const Span s = area->scene().model->lanes[static_cast<size_t>(area->scene().model->op_lane)].lane.span(
      op_hit(SampleOps::relu, 1).span);
  EXPECT_LT(area->window_ns().span_ns(), 3 * (s.end_ns - s.begin_ns));
  EXPECT_LE(area->window_ns().begin_ns, s.begin_ns);
  EXPECT_GE(area->window_ns().end_ns, s.end_ns);
}

TEST_F(TimelineViewTest, DragSelectsARangeAndSaysItsStatistics) {
  const QPoint from = middle_of(op_hit(SampleOps::conv, 1)), to = middle_of(op_hit(SampleOps::conv_weight_gradient, 1));
  QTest::mousePress(area->viewport(), Qt::LeftButton, {}, from);
  QTest::mouseMove(area->viewport(), (from + to) / 2);
  QTest::mouseMove(area->viewport(), to);
  QTest::mouseRelease(area->viewport(), Qt::LeftButton, {}, to);
  ASSERT_TRUE(selected().range.has_value());
  EXPECT_NEAR(area->scene().geometry.x(selected().range->begin_ns, area->window_ns()), from.x(), 1.5);
  EXPECT_NEAR(area->scene().geometry.x(selected().range->end_ns, area->window_ns()), to.x(), 1.5);
  EXPECT_FALSE(selected().op.has_value()) << "a drag is not a click";
  const profiler::Table table = view->data();
  EXPECT_FALSE(table.rows.empty());
  EXPECT_LT(table.rows.size(),
            area->scene().model->lanes[static_cast<size_t>(area->scene().model->op_lane)].lane.size());
}

TEST_F(TimelineViewTest, DoubleClickFitsTheItem) {
  key(Qt::Key_Home);
  const TimelineHit h = op_hit(SampleOps::relu_gradient, 2);
  QTest::mouseDClick(area->viewport(), Qt::LeftButton, {}, middle_of(h));
  EXPECT_GT(area->span_rect(h).width(), 0.8 * area->scene().geometry.plot_width());
}

TEST_F(TimelineViewTest, FollowsASelectionMadeElsewhere) {
  area->set_window(
      fitted(document.capture().begin_ns(), document.capture().begin_ns() + 100000, 0, *area->scene().model));
  document.selection().select_op(SampleOps::conv_weight_gradient);
  ASSERT_TRUE(area->current().has_value());
  const QRectF r = area->span_rect(*area->current());
  EXPECT_LT(r.left(), area->viewport()->width());
  EXPECT_GT(r.right(), area->scene().geometry.header_width);
  document.selection().select_layer(QStringLiteral("features"));
  EXPECT_TRUE(area->scene().marks.any);
  EXPECT_NE(area->scene().marks.of[SampleOps::conv] & OpMarks::selected, 0);
  EXPECT_EQ(area->scene().marks.of[SampleOps::loss], 0);
  document.selection().clear();
  EXPECT_FALSE(area->scene().marks.any);
  EXPECT_FALSE(area->current().has_value());
}

TEST_F(TimelineViewTest, TensorMarksWhoReadsAndWritesIt) {
  const auto& capture = document.capture();
  profiler::TensorId out = profiler::kNoTensor;
  for (const auto& operand : capture.operands(capture.ops()[SampleOps::conv]))
    if (operand.output) out = operand.tensor;
  document.selection().select_tensor(out);
  EXPECT_EQ(area->scene().marks.of[SampleOps::conv] & OpMarks::writes, OpMarks::writes);
  EXPECT_EQ(area->scene().marks.of[SampleOps::relu] & OpMarks::reads, OpMarks::reads);
}

TEST_F(TimelineViewTest, FindGoesFromMatchToMatch) {
  key(Qt::Key_Home);
  key(Qt::Key_Slash);
  EXPECT_TRUE(view->find_box()->hasFocus());
  QTest::keyClicks(view->find_box(), QStringLiteral("relu_gradient"));
  QTest::keyClick(view->find_box(), Qt::Key_Return);
  EXPECT_EQ(selected().op, SampleOps::relu_gradient);
  const auto first = area->current();
  QTest::keyClick(view->find_box(), Qt::Key_Return);
  const auto second = area->current();
  ASSERT_TRUE(first && second);
  EXPECT_GT(second->span, first->span);
  QTest::keyClick(view->find_box(), Qt::Key_Return, Qt::ShiftModifier);
  EXPECT_EQ(area->current(), first);
  QTest::keyClick(view->find_box(), Qt::Key_Escape);
  EXPECT_TRUE(area->hasFocus());
}

TEST_F(TimelineViewTest, FindBeginsWhereTheViewIsAndMakesTheHitVisible) {
  // From the whole run, where a bar is a few pixels at most, to the last step.
  const Span last = area->scene().model->lanes[static_cast<size_t>(area->scene().model->op_lane)].lane.span(
      op_hit(SampleOps::relu, 4).span);
  area->set_window({last.begin_ns - 2'000'000, last.end_ns + 2'000'000});
  key(Qt::Key_Slash);
  QTest::keyClicks(view->find_box(), QStringLiteral("relu1"));
  QTest::keyClick(view->find_box(), Qt::Key_Return);
  ASSERT_TRUE(area->current().has_value());
  const int64_t found =
      area->scene().model->lanes[static_cast<size_t>(area->current()->lane)].lane.begin_ns(area->current()->span);
  EXPECT_GE(found, last.begin_ns - 2'000'000) << "not at the start of the run";
  EXPECT_GE(area->span_rect(*area->current()).width(), 20);
  // Wherever one looks from, the hit is wide enough, inside and marked.
  for (int64_t span : {int64_t{3}, int64_t{1000}, int64_t{2'000'000'000}}) {
    const int64_t middle =
        area->scene().model->begin_ns + (area->scene().model->end_ns - area->scene().model->begin_ns) / 2;
    area->set_window({middle, middle + span * 1000});
    QTest::keyClick(view->find_box(), Qt::Key_Return);
    ASSERT_TRUE(area->current().has_value());
    const QRectF at = area->span_rect(*area->current());
    EXPECT_GE(at.width(), 20) << span;
    EXPECT_GE(at.left(), area->scene().geometry.header_width - 1) << span;
    EXPECT_LE(at.right(), area->viewport()->width() + 1) << span;
    EXPECT_TRUE(area->viewport()->rect().contains(at.center().toPoint())) << span;
    area->viewport()->repaint();
    EXPECT_GT(area->statistics().matches, 0) << span;
  }
}

TEST_F(TimelineViewTest, FindSaysWhichOfTheMatchesItIs) {
  key(Qt::Key_Home);
  key(Qt::Key_Slash);
  QTest::keyClicks(view->find_box(), QStringLiteral("relu_gradient"));
  const size_t count = area->scene().matches->count;
  const auto says = [&](const QString& words) {
    for (QLabel* label : view->findChildren<QLabel*>())
      if (label->text() == words) return true;
    return false;
  };
  EXPECT_TRUE(says(QStringLiteral("%L1 found").arg(count)));
  for (size_t i = 1; i <= count; ++i) {
    QTest::keyClick(view->find_box(), Qt::Key_Return);
    EXPECT_TRUE(says(QStringLiteral("%L1 of %L2").arg(i).arg(count))) << i;
  }
  QTest::keyClick(view->find_box(), Qt::Key_Return);
  EXPECT_TRUE(says(QStringLiteral("1 of %L1").arg(count))) << "round";
  document.set(profiler::analyze(tests::sample_capture()), QStringLiteral("another.tide"));
  EXPECT_TRUE(view->find_box()->text().isEmpty());
  EXPECT_FALSE(says(QStringLiteral("no match")));
}

TEST_F(TimelineViewTest, FindGoesToRowsThatAreOutOfSightOrFolded) {
  const auto& model = *area->scene().model;
  view->resize(1100, 260);
  QCoreApplication::processEvents();
  TimelineNotes notes = area->notes();
  for (const auto& lane : model.lanes) notes.rows.folded.insert(lane.group);
  area->edits()->reset(notes);
  key(Qt::Key_Slash);
  QTest::keyClicks(view->find_box(), QStringLiteral("relu_gradient"));
  QTest::keyClick(view->find_box(), Qt::Key_Return);
  ASSERT_TRUE(area->current().has_value());
  const QRectF at = area->span_rect(*area->current());
  EXPECT_FALSE(at.isEmpty());
  EXPECT_GE(at.top(), area->scene().geometry.scroll_top());
  EXPECT_LE(at.bottom(), area->viewport()->height());
}

TEST_F(TimelineViewTest, ARunOfAnOpIsSelectedAsTheEventItIs) {
  click(middle_of(op_hit(SampleOps::relu, 2)));
  ASSERT_TRUE(selected().activity.has_value());
  EXPECT_EQ(document.capture().activities().step[*selected().activity], 2u) << "this run, not any";
  const InspectorContent content = inspect(document.analyzed(), selected());
  EXPECT_EQ(content.title, QStringLiteral("features.relu1/relu"));
  EXPECT_EQ(content.sections.front().title, QStringLiteral("This run of it"));
  document.selection().back();
  EXPECT_TRUE(selected().empty());
  document.selection().forward();
  EXPECT_EQ(area->current(), op_hit(SampleOps::relu, 2)) << "back to the same run";
}

TEST_F(TimelineViewTest, WhatIsDerivedIsSelectedByItsName) {
  for (const auto& row : area->scene().geometry.rows) {
    if (row.kind != TimelineRow::Kind::lane ||
        area->scene().model->lanes[static_cast<size_t>(row.index)].kind != LaneKind::step)
      continue;
    click(area->span_rect({row.index, 1}).center().toPoint());
    break;
  }
  ASSERT_TRUE(selected().range.has_value());
  EXPECT_TRUE(selected().range_name.startsWith(QStringLiteral("step"))) << selected().range_name.toStdString();
  EXPECT_EQ(inspect(document.analyzed(), selected()).title, selected().range_name);
}

TEST_F(TimelineViewTest, APhaseThatNobodyToldIsUnknown) {
  // Traces of other tools tell of backward and update alone; our own exports of all.
  for (const char* source : {"PyTorch (Kineto) trace", "Chrome JSON of Tensortide"}) {
    profiler::CaptureBuilder builder = tests::sample_builder();
    builder.run().source = source;
    const auto capture = builder.finish();
    ASSERT_TRUE(capture.ok());
    document.set(profiler::analyze(*capture), QString::fromLatin1(source));
    QCoreApplication::processEvents();
    const bool known = std::string(source).ends_with("Tensortide");
    const auto& model = *area->scene().model;
    bool forward_bar = false, backward_bar = false;
    for (const auto& lane : model.lanes) {
      if (lane.kind != LaneKind::phase) continue;
      for (const Span s : lane.lane.spans()) {
        forward_bar = forward_bar || model.labels[s.label] == "forward";
        backward_bar = backward_bar || model.labels[s.label] == "backward";
      }
    }
    EXPECT_EQ(forward_bar, known) << source;
    EXPECT_TRUE(backward_bar) << source;
    click(middle_of(op_hit(SampleOps::conv, 1)));
    EXPECT_EQ(inspect(document.analyzed(), selected()).subtitle.contains(QStringLiteral("forward")), known) << source;
    EXPECT_EQ(span_tip(document.analyzed(), *area->scene().model, op_hit(SampleOps::conv, 1))
                  .contains(QStringLiteral("phase unknown")),
              !known)
        << source;
    const TimelineLane& ops = model.lanes[static_cast<size_t>(model.op_lane)];
    const QColor drawn = area->scene().palette.fill(ops, ops.lane.span(op_hit(SampleOps::conv, 1).span));
    EXPECT_EQ(drawn == Theme::light().phase(engine::Phase::forward), known) << source;
    bool in_legend = false;
    for (QLabel* label : view->findChildren<QLabel*>())
      in_legend = in_legend || label->text().contains(QStringLiteral("phase&nbsp;unknown"));
    EXPECT_EQ(in_legend, !known) << source;
  }
}

class TimelineOfAGpuTest : public TimelineViewTest {
 protected:
  void SetUp() override {
    TimelineViewTest::SetUp();
    document.set(profiler::analyze(tests::sample_gpu_capture()), QStringLiteral("gpu.tide"));
    area->fit_all();
    QCoreApplication::processEvents();
  }
  void click_first(LaneKind kind, std::string_view label) {
    const auto& model = *area->scene().model;
    for (size_t l = 0; l < model.lanes.size(); ++l) {
      const Lane& lane = model.lanes[l].lane;
      for (size_t i = 0; model.lanes[l].kind == kind && i < lane.size(); ++i) {
        if (model.labels[lane.label(i)].find(label) == std::string::npos) continue;
        area->set_window({lane.begin_ns(i) - 5000, lane.end_ns(i) + 5000});
        return click(middle_of({static_cast<int>(l), i}));
      }
    }
    ADD_FAILURE() << "no " << label;
  }
  QString value(const QString& row) {
    const InspectorContent content = inspect(document.analyzed(), document.selection().state());
    for (const auto& section : content.sections)
      for (const auto& r : section.rows)
        if (r.label == row) return r.values.front().text;
    return QStringLiteral("no such row");
  }
};

TEST_F(TimelineOfAGpuTest, AKernelIsSelectedWithAllThatIsKnownOfIt) {
  click_first(LaneKind::kernel, "gemm");
  ASSERT_TRUE(selected().activity.has_value());
  EXPECT_FALSE(selected().range.has_value()) << "an event is no stretch of time";
  EXPECT_EQ(selected().op, profiler::OpId{0});
  const InspectorContent content = inspect(document.analyzed(), selected());
  EXPECT_EQ(content.title, QStringLiteral("gemm"));
  EXPECT_TRUE(content.sections.front().why.contains(QStringLiteral("void gemm<float, 128>(float const*, float*)")));
  EXPECT_TRUE(content.subtitle.contains(QStringLiteral("stream 7"))) << content.subtitle.toStdString();
  EXPECT_EQ(value(QStringLiteral("Duration")), QStringLiteral("30.0 µs"));
  EXPECT_EQ(value(QStringLiteral("Grid")), QStringLiteral("64 × 2 × 1"));
  EXPECT_EQ(value(QStringLiteral("Block")), QStringLiteral("128 × 1 × 1"));
  EXPECT_EQ(value(QStringLiteral("Stream")), QStringLiteral("7"));
  EXPECT_EQ(value(QStringLiteral("Launch delay")), QStringLiteral("3.00 µs"));
  EXPECT_EQ(value(QStringLiteral("Correlation")), QStringLiteral("2"));
  EXPECT_EQ(value(QStringLiteral("Step")), QStringLiteral("0"));
  EXPECT_EQ(value(QStringLiteral("Op: fc/matmul")), QStringLiteral("forward"));
}

TEST_F(TimelineOfAGpuTest, CopiesCallsAndWaitsAreSelectedToo) {
  click_first(LaneKind::copy, "HtoD");
  EXPECT_TRUE(selected().activity.has_value());
  EXPECT_EQ(value(QStringLiteral("Direction")), QStringLiteral("host to device"));
  EXPECT_EQ(value(QStringLiteral("Stream")), QStringLiteral("13"));
  EXPECT_EQ(value(QStringLiteral("Op")), QStringLiteral("–")) << "launched outside all ops";
  click_first(LaneKind::api, "cudaLaunchKernel");
  EXPECT_TRUE(selected().activity.has_value());
  EXPECT_EQ(value(QStringLiteral("Returned")), QStringLiteral("success"));
  EXPECT_EQ(value(QStringLiteral("Launched: gemm")), QStringLiteral("3.00 µs later"));
  click_first(LaneKind::synchronization, "synchronize");
  EXPECT_TRUE(selected().activity.has_value());
  EXPECT_EQ(value(QStringLiteral("Waits for")), QString::fromUtf8(profiler::name(profiler::SyncKind::stream).data()));
}

TEST_F(TimelineOfAGpuTest, DurationsAreOfAllRunsAndTheLineBelowNamesTheEvent) {
  click_first(LaneKind::kernel, "gemm");
  view->findChild<QAction*>(QStringLiteral("timeline.details"))->setChecked(true);
  view->panel()->setCurrentIndex(RangePanel::durations_page);
  QCoreApplication::processEvents();
  EXPECT_EQ(view->panel()->durations()->spread().count, 2) << "of both steps";
  bool named = false;
  for (QLabel* label : view->findChildren<QLabel*>()) named = named || label->text().contains(QStringLiteral("gemm"));
  EXPECT_TRUE(named);
}

TEST_F(TimelineViewTest, MinimapMovesTheWindow) {
  key(Qt::Key_W);
  key(Qt::Key_W);
  key(Qt::Key_W);
  key(Qt::Key_W);
  const int64_t span = area->window_ns().span_ns();
  click({area->viewport()->width() - 5, 10});
  EXPECT_NEAR(static_cast<double>(area->window_ns().span_ns()), static_cast<double>(span), 1.0);
  EXPECT_GE(area->window_ns().end_ns, area->scene().model->end_ns);
  EXPECT_LE(area->window_ns().end_ns, whole_window(*area->scene().model).end_ns);
}

TEST_F(TimelineViewTest, PaintsBarsAndLabels) {
  key(Qt::Key_Home);
  area->viewport()->repaint();
  EXPECT_GT(area->statistics().bars, 20);
  EXPECT_GT(area->statistics().labels, 5);
}

TEST_F(TimelineViewTest, PictureEqualsInBothThemesButForColours) {
  const auto picture = [&](const Theme& theme) {
    QImage image(800, 500, QImage::Format_RGB32);
    QPainter painter(&image);
    view->render_picture(painter, QRectF(0, 0, 800, 500), theme);
    return image;
  };
  const QImage light = picture(Theme::light()), dark = picture(Theme::dark());
  EXPECT_EQ(light.pixelColor(799, 499), Theme::light().surface);
  EXPECT_EQ(dark.pixelColor(799, 499), Theme::dark().surface);
  int colours = 0;
  for (int x = 150; x < 790; ++x) colours += light.pixel(x, 150) != Theme::light().surface.rgb() ? 1 : 0;
  EXPECT_GT(colours, 100) << "something is drawn";
}

TEST_F(TimelineViewTest, WithoutACaptureItSaysWhatToDo) {
  document.set(nullptr, {});
  EXPECT_FALSE(view->find_box()->isEnabled());
  EXPECT_TRUE(view->data().rows.empty());
  key(Qt::Key_W);
  key(Qt::Key_Right);
  click({400, 200});
  QImage image(400, 300, QImage::Format_RGB32);
  image.fill(Qt::magenta);
  QPainter painter(&image);
  view->render_picture(painter, QRectF(0, 0, 400, 300), Theme::light());
  EXPECT_FALSE(view->grab().isNull());
}

/// What is painted follows from the pixels, not from the events. Times: tests/benchmarks/timeline.
TEST_F(TimelineViewTest, OfAHundredThousandEventsAsMuchIsPaintedAsThereIsRoomFor) {
  profiler::CaptureBuilder builder;
  const auto track = builder.add_track({profiler::TrackKind::host_thread, "main thread", "Host"});
  for (int i = 0; i < 100; ++i) {
    profiler::OpRecord op;
    op.name = builder.intern("layer" + std::to_string(i / 10) + ".op" + std::to_string(i));
    op.layer = builder.intern("layer" + std::to_string(i / 10));
    builder.add_op(op, {});
  }
  for (int64_t step = 0; step < 1000; ++step) {
    builder.add_step({static_cast<uint32_t>(step), step * 100000, 99000, true, false});
    for (int64_t i = 0; i < 100; ++i) {
      profiler::Activity a;
      a.start_ns = step * 100000 + i * 950;
      a.duration_ns = 900;
      a.op = static_cast<profiler::OpId>(i);
      a.step = static_cast<uint32_t>(step);
      a.track = track;
      builder.add_activity(a);
    }
  }
  auto made = builder.finish();
  ASSERT_TRUE(made.ok()) << made.error().message;
  document.set(profiler::analyze(*made), QStringLiteral("large.tide"));
  key(Qt::Key_Home);
  area->viewport()->repaint();
  EXPECT_GT(area->statistics().columns, 500);
  const auto room = static_cast<int>(3 * area->scene().model->lanes.size()) * area->viewport()->width();
  EXPECT_LT(area->statistics().columns + area->statistics().bars, room);
  ASSERT_LT(room, 100'000) << "the window is too large for this test";
  for (int i = 0; i < 25; ++i) key(Qt::Key_W);
  area->viewport()->repaint();
  EXPECT_GT(area->statistics().labels, 0);
  EXPECT_LT(area->statistics().columns + area->statistics().bars, room);
}

}  // namespace
}  // namespace views
