// SPDX-License-Identifier: GPL-3.0-or-later
// What can be done with the event under the pointer, the rows' names and the events table, by real clicks and keys.
#include "views/timeline/timeline_menu.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include "tests/support/big_capture.h"
#include "tests/support/sample_capture.h"
#include "tests/support/sample_gpu_capture.h"
#include "views/base/view_settings.h"
#include "views/inspector/inspector_content.h"
#include "views/timeline/duration_chart.h"
#include "views/timeline/events_model.h"
#include "views/timeline/events_table.h"
#include "views/timeline/range_panel.h"
#include "views/timeline/timeline_finder.h"
#include "views/timeline/timeline_view.h"

namespace views {
namespace {

class TimelineMenuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    view_settings().remove(QStringLiteral("timeline"));
    const auto capture = tests::sample_gpu_capture();
    QFile::remove(notes_file(*capture));
    document.set(profiler::analyze(capture), QStringLiteral("gpu.tide"));
    view = std::make_unique<TimelineView>(document, nullptr);
    view->resize(1280, 700);
    view->show();
    view->activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(view.get()));
    area = view->area();
    area->setFocus();
    area->fit_all();
    QCoreApplication::processEvents();
  }
  void TearDown() override { view_settings().remove(QStringLiteral("timeline")); }
  const TimelineModel& model() const { return *area->scene().model; }
  const TimelineLane& lane_of(const TimelineHit& hit) const { return model().lanes[static_cast<size_t>(hit.lane)]; }
  TimelineHit first(LaneKind kind, std::string_view label) const {
    for (size_t l = 0; l < model().lanes.size(); ++l)
      for (size_t i = 0; model().lanes[l].kind == kind && i < model().lanes[l].lane.size(); ++i)
        if (model().labels[model().lanes[l].lane.label(i)].find(label) != std::string::npos)
          return {static_cast<int>(l), i};
    ADD_FAILURE() << "no " << label;
    return {};
  }
  void look_at(const TimelineHit& hit) {
    const Lane& lane = lane_of(hit).lane;
    area->set_window({lane.begin_ns(hit.span) - 5000, lane.end_ns(hit.span) + 5000});
  }
  TimelineMenu* open_menu(const TimelineHit& hit) {
    look_at(hit);
    return open_menu(area->span_rect(hit).center().toPoint());
  }
  TimelineMenu* open_menu(const QPoint& at) {
    for (auto* menu : view->findChildren<TimelineMenu*>()) delete menu;
    QTest::mouseMove(area->viewport(), at);
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, area->viewport()->mapToGlobal(at));
    QCoreApplication::sendEvent(area->viewport(), &event);
    return view->findChild<TimelineMenu*>();
  }
  /// As the mouse does it: the pointer leaves the timeline for the menu, and the menu is gone afterwards.
  void choose(TimelineMenu* menu, const char* name) {
    ASSERT_NE(menu, nullptr);
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(area->viewport(), &leave);
    auto* action = menu->findChild<QAction*>(QLatin1String(name));
    ASSERT_NE(action, nullptr) << name;
    QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
    QCoreApplication::processEvents();
  }
  QStringList labels() const {
    QStringList texts;
    for (const QLabel* label : view->findChildren<QLabel*>()) texts << label->text();
    return texts;
  }
  bool shown(const std::string& row) const {
    return std::ranges::any_of(area->scene().geometry.rows, [&](const auto& r) { return row_key(model(), r) == row; });
  }

  Document document;
  std::unique_ptr<TimelineView> view;
  TimelineArea* area = nullptr;
};

TEST_F(TimelineMenuTest, ANewCaptureClosesTheMenuOfTheOldOne) {
  TimelineMenu* menu = open_menu(first(LaneKind::kernel, "gemm"));
  ASSERT_NE(menu, nullptr);
  ASSERT_TRUE(menu->isVisible());
  document.set(profiler::analyze(tests::sample_capture()), QStringLiteral("other.tide"));
  QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  EXPECT_EQ(view->findChild<TimelineMenu*>(), nullptr) << "its entries point at events that are gone";
}

TEST_F(TimelineMenuTest, AnEventIsCopiedZoomedAndFound) {
  const TimelineHit gemm = first(LaneKind::kernel, "gemm");
  const QString name = QStringLiteral("void gemm<float, 128>(float const*, float*)");
  choose(open_menu(gemm), "event.copy_name");
  EXPECT_EQ(QApplication::clipboard()->text(), name) << "whole, not as the menu shows it";
  area->fit_all();
  const QPoint at = area->span_rect(gemm).center().toPoint();
  choose(open_menu(at), "event.zoom");
  EXPECT_GT(area->span_rect(gemm).width(), 0.8 * area->scene().geometry.plot_width());
  choose(open_menu(gemm), "event.find_same");
  EXPECT_EQ(view->find_box()->text(), QLatin1Char('"') + name + QLatin1Char('"'));
  ASSERT_NE(area->scene().matches, nullptr);
  EXPECT_EQ(area->scene().matches->count, 2u) << "one in each step";
  ASSERT_TRUE(area->current().has_value());
  EXPECT_EQ(model().labels[lane_of(*area->current()).lane.label(area->current()->span)], name.toStdString());
}

TEST_F(TimelineMenuTest, StatisticsOfANameAreShown) {
  choose(open_menu(first(LaneKind::kernel, "gemm")), "event.durations");
  EXPECT_TRUE(view->panel()->isVisible());
  EXPECT_EQ(view->panel()->currentIndex(), RangePanel::durations_page);
  EXPECT_EQ(view->panel()->durations()->spread().count, 2);
}

TEST_F(TimelineMenuTest, WaysLeadToTheCallAndBackAndToTheOp) {
  const TimelineHit gemm = first(LaneKind::kernel, "gemm");
  choose(open_menu(gemm), "event.launch");
  ASSERT_TRUE(area->current().has_value());
  EXPECT_EQ(lane_of(*area->current()).kind, LaneKind::api);
  const TimelineHit call = *area->current();
  choose(open_menu(call), "event.launch");
  EXPECT_EQ(area->current(), gemm);
  choose(open_menu(gemm), "event.op");
  EXPECT_EQ(document.selection().state().op, profiler::OpId{0});
}

TEST_F(TimelineMenuTest, TheRowUnderThePointerIsMeantNotThatOfTheSelection) {
  const TimelineHit gemm = first(LaneKind::kernel, "gemm"), copy = first(LaneKind::copy, "HtoD");
  look_at(gemm);
  area->select(gemm);
  const std::string kernels = lane_of(gemm).key, copies = lane_of(copy).key;
  ASSERT_NE(kernels, copies);
  choose(open_menu(copy), "row.hide");
  EXPECT_FALSE(shown(copies));
  EXPECT_TRUE(shown(kernels));
  choose(open_menu(gemm), "menu.timeline.undo");
  EXPECT_TRUE(shown(copies));
  choose(open_menu(copy), "row.pin");
  EXPECT_TRUE(area->notes().rows.is_pinned(copies));
  // An empty place has no event to speak of.
  TimelineMenu* menu = open_menu(QPoint(20, area->scene().geometry.scroll_top() + 60));
  ASSERT_NE(menu, nullptr);
  EXPECT_EQ(menu->findChild<QAction*>(QStringLiteral("event.copy_name")), nullptr);
}

TEST_F(TimelineMenuTest, TheMenuOfTheSelectedEventIsOpenedByKeys) {
  const TimelineHit gemm = first(LaneKind::kernel, "gemm");
  area->go_to_found(gemm);
  QTest::keyClick(area, Qt::Key_F10, Qt::ShiftModifier);
  choose(view->findChild<TimelineMenu*>(), "row.hide");
  EXPECT_FALSE(shown(lane_of(gemm).key));
}

TEST_F(TimelineMenuTest, TheNamesOfRowsAreAsWideAsTheUserWants) {
  const auto width = [&] { return area->scene().geometry.header_width; };
  const int before = width();
  const auto drag = [&](int to) {
    const int from = width();
    QTest::mouseMove(area->viewport(), QPoint(from, 200));
    EXPECT_EQ(area->viewport()->cursor().shape(), Qt::SplitHCursor);
    QTest::mousePress(area->viewport(), Qt::LeftButton, {}, QPoint(from, 200));
    QTest::mouseMove(area->viewport(), QPoint((from + to) / 2, 200));
    QTest::mouseMove(area->viewport(), QPoint(to, 200));
    QTest::mouseRelease(area->viewport(), Qt::LeftButton, {}, QPoint(to, 200));
  };
  drag(before + 90);
  EXPECT_EQ(width(), before + 90);
  EXPECT_FALSE(document.selection().state().range.has_value()) << "no range was measured";
  drag(2);
  EXPECT_GT(width(), 20) << "names do not vanish";
  drag(3000);
  EXPECT_LT(width(), area->viewport()->width() * 3 / 4) << "nor does the plot";
  drag(321);
  view = std::make_unique<TimelineView>(document, nullptr);
  view->resize(1280, 700);
  view->show();
  area = view->area();
  QCoreApplication::processEvents();
  EXPECT_EQ(width(), 321) << "kept";
  QTest::mouseDClick(area->viewport(), Qt::LeftButton, {}, QPoint(321, 200));
  const QFontMetrics metrics(area->scene().font);
  for (const TimelineLane& lane : model().lanes)
    EXPECT_LT(metrics.horizontalAdvance(QString::fromStdString(lane.title)), width());
}

TEST_F(TimelineMenuTest, NothingBeforeTheStartCanBeReached) {
  const auto at_start = [&] { return area->window_ns().begin_ns; };
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 12; ++i) QTest::keyClick(area, Qt::Key_S);
    for (int i = 0; i < 12; ++i) QTest::keyClick(area, Qt::Key_A);
    EXPECT_GE(at_start(), model().begin_ns);
    for (int i = 0; i < 4 * round; ++i) QTest::keyClick(area, Qt::Key_W);
    for (int i = 0; i < 40; ++i) QTest::keyClick(area, Qt::Key_A);
    EXPECT_EQ(at_start(), model().begin_ns);
  }
  area->set_window({model().begin_ns - 5'000'000, model().begin_ns + 1000});
  EXPECT_GE(at_start(), model().begin_ns);
}

TEST_F(TimelineMenuTest, AKernelHasItsNeighboursAndTheWorkOfItsOp) {
  look_at(first(LaneKind::kernel, "gemm"));
  QTest::mouseClick(area->viewport(), Qt::LeftButton, {},
                    area->span_rect(first(LaneKind::kernel, "gemm")).center().toPoint());
  const auto row_like = [&](const QString& start) {
    for (const auto& section : inspect(document.analyzed(), document.selection().state()).sections)
      for (const auto& row : section.rows)
        if (row.label.startsWith(start)) return row;
    ADD_FAILURE() << start.toStdString();
    return InspectorRow{};
  };
  EXPECT_EQ(row_like(QStringLiteral("FLOPs of the op")).values.front().text, QStringLiteral("1.00 MFLOP"));
  EXPECT_EQ(row_like(QStringLiteral("Bytes of the op")).values.front().text, QStringLiteral("–"))
      << "this capture has no operands";
  const InspectorRow next = row_like(QStringLiteral("Next: "));
  ASSERT_TRUE(next.activity.has_value());
  const auto& a = document.capture().activities();
  const uint32_t self = *document.selection().state().activity;
  EXPECT_EQ(a.kind[*next.activity], profiler::ActivityKind::kernel);
  EXPECT_EQ(a.track[*next.activity], a.track[self]);
  EXPECT_GE(a.start_ns[*next.activity], a.start_ns[self] + a.duration_ns[self]);
  document.selection().select_activity(*next.activity, {});
  EXPECT_EQ(row_like(QStringLiteral("Previous: ")).activity, self) << "and back";
}

TEST(TimelineFinder, TermsInQuotationMarksMeanWholeNames) {
  const std::vector<std::string> labels{"relu", "relu_gradient", "a.Relu", "\"relu\""};
  EXPECT_EQ(labels_of_term(labels, QStringLiteral("relu")), (std::vector<bool>{true, true, true, true}));
  EXPECT_EQ(labels_of_term(labels, QStringLiteral("\"relu\"")), (std::vector<bool>{true, false, false, false}));
  EXPECT_EQ(labels_of_term(labels, term_of_name("relu_gradient")), (std::vector<bool>{false, true, false, false}));
  EXPECT_EQ(labels_of_term(labels, QStringLiteral("\"relu")), (std::vector<bool>{false, false, false, true}))
      << "while the second mark is not typed yet";
}

TEST(TimelineFinder, OfABigCaptureLooksOnAThreadAndOnlyTheLastTermCounts) {
  const auto model =
      std::make_shared<const TimelineModel>(build_timeline(*profiler::analyze(tests::big_capture(210'000))));
  TimelineFinder finder(nullptr);
  finder.set_model(model);
  QSignalSpy changed(&finder, &TimelineFinder::changed);
  finder.find(QStringLiteral("e"), {});
  EXPECT_TRUE(finder.searching());
  finder.find(QStringLiteral("cudaLaunchKernel"), {});
  while (finder.searching()) ASSERT_TRUE(changed.wait(60'000));
  const auto wanted = labels_of_term(model->labels, QStringLiteral("cudaLaunchKernel"));
  EXPECT_EQ(finder.matches().wanted, wanted);
  EXPECT_EQ(finder.matches().count, find_matches(*model, wanted).count);
  EXPECT_GT(finder.matches().count, 0u);
  finder.find(QStringLiteral("e"), {});
  finder.set_model(nullptr);
  EXPECT_FALSE(finder.matches().active());
  EXPECT_FALSE(finder.searching()) << "nothing is looked for in a capture that is gone";
}

TEST_F(TimelineMenuTest, TheEventsTableIsSortedFilteredAndLinked) {
  EXPECT_FALSE(view->events()->isVisible()) << "off until it is asked for";
  QTest::keyClick(area, Qt::Key_E);
  ASSERT_TRUE(view->events()->isVisible());
  EventsModel* events = view->events()->model();
  QTableView* table = view->events()->table();
  const auto& a = document.capture().activities();
  size_t all = 0;
  events_in(document.capture(), {}, {}, 1000, all);
  ASSERT_EQ(events->rowCount(), static_cast<int>(all));
  const auto sort_by_click = [&](int column) {
    auto* header = table->horizontalHeader();
    QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                      QPoint(header->sectionViewportPosition(column) + header->sectionSize(column) / 2, 5));
  };
  sort_by_click(EventsModel::duration);
  const bool up = table->horizontalHeader()->sortIndicatorOrder() == Qt::AscendingOrder;
  for (int i = 1; i < events->rowCount(); ++i) {
    const int64_t before = a.duration_ns[events->event(i - 1)], own = a.duration_ns[events->event(i)];
    EXPECT_TRUE(up ? before <= own : before >= own) << i;
  }
  sort_by_click(EventsModel::name);
  for (int i = 1; i < events->rowCount(); ++i) {
    const auto name = [&](int row) {
      return events->data(events->index(row, EventsModel::name), Qt::DisplayRole).toString();
    };
    const bool rising = table->horizontalHeader()->sortIndicatorOrder() == Qt::AscendingOrder;
    EXPECT_TRUE(rising ? name(i - 1) <= name(i) : name(i - 1) >= name(i)) << i;
  }
  // A click in the table selects everywhere; a bar that is clicked is found in the table.
  table->scrollToTop();
  const QRect cell = table->visualRect(events->index(1, EventsModel::duration));
  QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, cell.center());
  EXPECT_EQ(document.selection().state().activity, events->event(1));
  ASSERT_TRUE(area->current().has_value());
  EXPECT_EQ(lane_of(*area->current()).lane.row(area->current()->span), events->event(1));
  const TimelineHit gemm = first(LaneKind::kernel, "gemm");
  area->go_to(gemm);
  EXPECT_EQ(events->event(table->currentIndex().row()), lane_of(gemm).lane.row(gemm.span));
  // What is searched for is what is listed, and only in the range.
  QTest::keyClick(area, Qt::Key_Slash);
  QTest::keyClicks(view->find_box(), QStringLiteral("gemm"));
  EXPECT_EQ(events->rowCount(), 2);
  const Lane& kernels = lane_of(gemm).lane;
  document.selection().select_range({kernels.begin_ns(gemm.span), kernels.end_ns(gemm.span)});
  EXPECT_EQ(events->rowCount(), 1);
  EXPECT_TRUE(labels().contains(QStringLiteral("1 matching event in the selected range")))
      << labels().join('|').toStdString();
}

}  // namespace
}  // namespace views
