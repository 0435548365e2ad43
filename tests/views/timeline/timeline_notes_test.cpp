// SPDX-License-Identifier: GPL-3.0-or-later
// Rows arranged, marks, saved views, links, keys and what a screen reader hears.
#include "views/timeline/timeline_notes.h"
#include "views/base/view_settings.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <QAccessible>
#include <QAction>
#include <QComboBox>
#include <QDateTime>
#include <QFile>
#include <QInputDialog>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QTest>
#include <QUndoStack>
#include <QWheelEvent>
#include <filesystem>
#include <functional>

#include "tests/support/big_capture.h"
#include "tests/support/full_disk.h"
#include "tests/support/sample_capture.h"
#include "tests/support/temporary_folder.h"
#include "views/timeline/timeline_area.h"
#include "views/timeline/timeline_view.h"

namespace views {
namespace {

TEST(TimelineNotes, ComeBackAsTheyWereSavedAndStrangeOnesDoNoHarm) {
  const tests::TemporaryFolder folder;
  const QString file = QString::fromStdString((folder / "sub/notes.json").string());
  EXPECT_EQ(load_notes(file), TimelineNotes());
  TimelineNotes notes;
  notes.rows.pinned = {"Host/main/ops", "chart dram"};
  notes.rows.order = {"b", "a"};
  notes.rows.hidden = {"x \"y\"\n"};
  notes.rows.folded = {"GPU 0"};
  notes.marks = {{5, 5, "peak ⚑"},
                 {6, 6, "✔\xef\xb8\x8f \xe0\xa4\x95\xe2\x80\x8d \u00ad"},
                 {9'223'372'036'854'775'000, 9'223'372'036'854'775'001, "late"}};
  notes.views[3] = SavedWindow{1, 1000};
  ASSERT_TRUE(save_notes(notes, file).ok());
  EXPECT_EQ(load_notes(file), notes);
  for (const char* text :
       {"", "[]", "{\"marks\":[1,{\"begin_ns\":\"9\",\"end_ns\":\"3\"},{\"begin_ns\":-4}],\"views\":{\"0\":7}}",
        "{\"pinned_rows\":\"a\",\"hidden_rows\":[1,null]}"}) {
    QFile out(file);
    ASSERT_TRUE(out.open(QIODevice::WriteOnly));
    out.write(text);
    out.close();
    EXPECT_EQ(load_notes(file), TimelineNotes()) << text;
  }
  EXPECT_FALSE(save_notes(notes, QStringLiteral("/proc/none/notes.json")).ok());
}

TEST(TimelineNotes, AFullDiskIsNamedAndTakesNothing) {
  const tests::TemporaryFolder folder;
  const QString path = QString::fromStdString((folder / "r.tide").string());
  QFile capture_file(path);
  ASSERT_TRUE(capture_file.open(QIODevice::WriteOnly));
  capture_file.close();
  const auto capture = tests::sample_capture();
  TimelineNotes notes;
  notes.marks = {{5, 5, "first"}};
  const auto kept = keep_notes(notes, *capture, path, notes_file(*capture));
  ASSERT_TRUE(kept.ok()) << kept.error().message;
  EXPECT_EQ(kept->file, notes_beside(path));
  EXPECT_EQ(kept->why_not_beside, QString());
  TimelineNotes more = notes;
  more.marks.push_back({7, 7, "second"});
  {
    const tests::FullDisk disk(16);
    ASSERT_TRUE(disk.works());
    const auto refused = keep_notes(more, *capture, path, kept->file);
    ASSERT_FALSE(refused.ok());
    const QString text = QString::fromStdString(refused.error().message), own = notes_file(*capture);
    EXPECT_EQ(text.count(QString::fromStdString(tests::FullDisk::words())), 2) << text.toStdString();
    EXPECT_TRUE(text.contains(kept->file) && text.contains(own)) << text.toStdString();
  }
  EXPECT_EQ(load_notes(kept->file), notes) << "what was there stays";

  // A full folder of the capture alone: the user's settings take them, and they are found there again.
  const QString away = QStringLiteral("/proc/none/r.tide");
  const auto elsewhere = keep_notes(more, *capture, away, notes_beside(away));
  ASSERT_TRUE(elsewhere.ok()) << elsewhere.error().message;
  EXPECT_EQ(elsewhere->file, notes_file(*capture));
  EXPECT_TRUE(elsewhere->why_not_beside.contains(notes_beside(away))) << elsewhere->why_not_beside.toStdString();
  QFile older(notes_beside(path));
  ASSERT_TRUE(older.open(QIODevice::ReadWrite));
  ASSERT_TRUE(older.setFileTime(QDateTime::currentDateTime().addSecs(-60), QFileDevice::FileModificationTime));
  older.close();
  EXPECT_EQ(load_notes(notes_file_for(*capture, path)), more) << "the later of two";
  ASSERT_TRUE(save_notes(notes, notes_beside(path), capture_id(*capture)).ok());
  ASSERT_TRUE(QFile::remove(notes_file(*capture)));
  EXPECT_EQ(notes_file_for(*capture, path), notes_beside(path));
}

/// What a stranger's folder may hold in place of the notes, or the user's own hand made of them.
TEST(TimelineNotes, ALinkPipeOrDeviceInTheirPlaceIsNeitherReadNorWritten) {
  const tests::TemporaryFolder folder;
  const auto capture = tests::sample_capture();
  const QString path = QString::fromStdString((folder / "r.tide").string()), beside = notes_beside(path),
                own = notes_file(*capture);
  tests::write_bytes(folder / "r.tide", "x");
  TimelineNotes notes;
  notes.marks = {{5, 5, "first"}};
  ASSERT_TRUE(save_notes(notes, QString::fromStdString((folder / "victim").string()), capture_id(*capture)).ok());
  const std::string victim = tests::read_bytes(folder / "victim");
  TimelineNotes other;
  other.marks = {{7, 7, "second"}};
  const std::filesystem::path place = beside.toStdString();
  const std::vector<std::pair<const char*, std::function<void()>>> plants{
      {"link", [&] { std::filesystem::create_symlink(folder / "victim", place); }},
      {"link to nothing", [&] { std::filesystem::create_symlink(folder / "none", place); }},
      {"device", [&] { std::filesystem::create_symlink("/dev/zero", place); }},
      {"pipe", [&] { ASSERT_EQ(mkfifo(place.c_str(), 0600), 0); }},
      {"folder", [&] { std::filesystem::create_directory(place); }},
      {"no notes", [&] { tests::write_bytes(place, "my shopping list"); }},
      {"too big", [&] { tests::write_bytes(place, std::string((16 << 20) + 1, ' ')); }}};
  for (const auto& [what, plant] : plants) {
    QFile::remove(own);
    plant();
    const std::string before =
        std::filesystem::is_regular_file(std::filesystem::symlink_status(place)) ? tests::read_bytes(place) : "";
    EXPECT_EQ(load_notes(beside, capture_id(*capture)), TimelineNotes()) << what;
    EXPECT_TRUE(other_notes(beside, {}).empty()) << what;
    const auto kept = keep_notes(other, *capture, path, beside);
    ASSERT_TRUE(kept.ok()) << what << kept.error().message;
    EXPECT_EQ(kept->file, own) << what;
    EXPECT_TRUE(kept->why_not_beside.contains(beside)) << kept->why_not_beside.toStdString();
    EXPECT_EQ(load_notes(own, capture_id(*capture)), other) << what;
    EXPECT_EQ(tests::read_bytes(folder / "victim"), victim) << what;
    EXPECT_FALSE(std::filesystem::exists(folder / "none")) << what;
    if (!before.empty()) {
      EXPECT_EQ(tests::read_bytes(place), before) << what;
    }
    std::filesystem::remove(place);
  }
  QFile::remove(own);
}

TEST(TimelineNotes, OfAnotherRecordingOfThatNameAreKeptAndOffered) {
  const tests::TemporaryFolder folder;
  const QString path = QString::fromStdString((folder / "r.tide").string()), beside = notes_beside(path);
  tests::write_bytes(folder / "r.tide", "x");
  auto builder = tests::sample_builder();
  builder.run().created_at = "2001-01-01T00:00:00Z";
  const auto older = *builder.finish(), newer = tests::sample_capture();
  TimelineNotes first, second;
  first.marks = {{5, 5, "it stalls"}, {9, 12, "and here"}};
  second.marks = {{7, 7, "better now"}};
  ASSERT_TRUE(keep_notes(first, *older, path, beside).ok());
  ASSERT_TRUE(keep_notes(second, *newer, path, beside).ok()) << "recorded anew under the same name";
  EXPECT_EQ(load_notes(beside, capture_id(*newer)), second);
  EXPECT_EQ(load_notes(beside, capture_id(*older)), first) << "not lost";
  const auto offered = other_notes(beside, capture_id(*newer));
  ASSERT_EQ(offered.size(), 1u);
  EXPECT_EQ(offered[0].notes, first);
  EXPECT_EQ(offered[0].recording, QStringLiteral("2001-01-01T00:00:00Z"));
  const TimelineNotes both = with_marks(second, offered[0].notes.marks);
  EXPECT_EQ(both.marks, (std::vector<TimelineMark>{first.marks[0], second.marks[0], first.marks[1]}));
  EXPECT_EQ(with_marks(both, first.marks), both) << "each once";
}

TEST(TimelineNotes, OfEarlierVersionsAndWithWhatIsNotUnderstoodAreKept) {
  const tests::TemporaryFolder folder;
  const QString file = QString::fromStdString((folder / "r.tide.notes").string());
  tests::write_bytes(
      folder / "r.tide.notes",
      R"({"capture_id": "abc", "marks": [{"begin_ns": "5", "end_ns": "5", "text": "old"}, {"begin_ns": "x", "text": "of a later version"}]})");
  TimelineNotes notes = load_notes(file, QStringLiteral("abc"));
  ASSERT_EQ(notes.marks.size(), 1u);
  EXPECT_EQ(load_notes(file, QStringLiteral("def")), TimelineNotes());
  notes.marks.push_back({9, 9, "new"});
  ASSERT_TRUE(save_notes(notes, file, QStringLiteral("abc")).ok());
  EXPECT_EQ(load_notes(file, QStringLiteral("abc")), notes);
  EXPECT_NE(tests::read_bytes(folder / "r.tide.notes").find("of a later version"), std::string::npos);
}

TEST(TimelineNotes, BelongToOneCapture) {
  auto other = tests::sample_builder();
  other.run().created_at = "2001-01-01T00:00:00Z";
  EXPECT_EQ(capture_id(*tests::sample_capture()), capture_id(*tests::sample_capture()));
  EXPECT_NE(capture_id(*tests::sample_capture()), capture_id(**other.finish()));
}

TEST(TimelineRows, ArrangementsMoveHideFoldAndPinWithoutOverlap) {
  const TimelineModel m = build_timeline(*profiler::analyze(tests::big_capture(2000)));
  TimelineArrangement rows;
  const auto keys = [&](const TimelineGeometry& g) {
    std::vector<std::string> all;
    for (const auto& row : g.rows) all.push_back(row_key(m, row));
    return all;
  };
  const auto plain = keys(layout_timeline(m, 1200, 700, 14));
  const std::string ops = m.lanes[static_cast<size_t>(m.op_lane)].key;
  const auto place = [](const std::vector<std::string>& all, const std::string& key) {
    return std::find(all.begin(), all.end(), key) - all.begin();
  };
  const TimelineArrangement up = moved_row(m, rows, ops, -1);
  EXPECT_EQ(place(keys(layout_timeline(m, 1200, 700, 14, up)), ops), place(plain, ops) - 1);
  EXPECT_EQ(keys(layout_timeline(m, 1200, 700, 14, moved_row(m, up, ops, 1))), plain);
  EXPECT_EQ(moved_row(m, rows, plain[1], -1), rows) << "the first of its group stays";
  rows.hidden = {ops};
  EXPECT_EQ(layout_timeline(m, 1200, 700, 14, rows).rows.size(), plain.size() - 1);
  rows.hidden.clear();
  rows.folded = {"GPU 0"};
  const auto folded = layout_timeline(m, 1200, 700, 14, rows);
  for (const auto& row : folded.rows)
    if (row.kind == TimelineRow::Kind::lane) {
      EXPECT_NE(m.lanes[static_cast<size_t>(row.index)].group, "GPU 0");
    }
  rows.pinned = {"chart flops", ops, "no such row"};
  const auto pinned = layout_timeline(m, 1200, 400, 14, rows);
  ASSERT_TRUE(pinned.rows[0].pinned && pinned.rows[1].pinned && !pinned.rows[2].pinned);
  EXPECT_EQ(row_key(m, pinned.rows[0]), "chart flops");
  for (const int scroll : {0, 57, 400}) {
    for (size_t i = 1; i < pinned.rows.size(); ++i) {
      if (pinned.rows[i].pinned != pinned.rows[i - 1].pinned) continue;
      EXPECT_GE(pinned.row_y(pinned.rows[i], scroll),
                pinned.row_y(pinned.rows[i - 1], scroll) + pinned.rows[i - 1].height);
    }
    EXPECT_LE(pinned.row_y(pinned.rows[1], scroll) + pinned.rows[1].height, pinned.scroll_top());
  }
}

TEST(TimelineLinks, JoinCallsWithKernelsAndOpsWithTheirData) {
  const TimelineModel big = build_timeline(*profiler::analyze(tests::big_capture(2000)));
  const auto& a = big.capture->activities();
  int launches = 0;
  for (uint32_t row = 0; row < 300; ++row) {
    if (a.kind[row] != profiler::ActivityKind::kernel) continue;
    const auto hit = span_of_row(big, row);
    ASSERT_TRUE(hit.has_value());
    const auto links = links_of(big, *hit);
    ASSERT_EQ(links.size(), 1u);
    EXPECT_EQ(links[0].kind, TimelineLink::Kind::launch);
    EXPECT_EQ(links[0].to, *hit);
    EXPECT_EQ(big.lanes[static_cast<size_t>(links[0].from.lane)].kind, LaneKind::api);
    EXPECT_EQ(links_of(big, links[0].from), links) << "the same arrow from its other end";
    ++launches;
  }
  EXPECT_GT(launches, 20);
  using tests::SampleOps;
  const TimelineModel m = build_timeline(*profiler::analyze(tests::sample_capture()));
  const Lane& ops = m.lanes[static_cast<size_t>(m.op_lane)].lane;
  for (size_t i = 0; i < ops.size(); ++i) {
    if (ops.op(i) != SampleOps::relu || ops.span(i).step != 2) continue;
    std::set<profiler::OpId> before, after;
    for (const auto& link : links_of(m, {m.op_lane, i})) {
      EXPECT_EQ(link.kind, TimelineLink::Kind::data);
      EXPECT_EQ(ops.span(link.from.span).step, 2u);
      (link.to.span == i ? before : after).insert(ops.op(link.to.span == i ? link.from.span : link.to.span));
    }
    EXPECT_EQ(before, (std::set<profiler::OpId>{SampleOps::conv}));
    EXPECT_TRUE(after.contains(SampleOps::pool));
  }
}

class TimelineNotesView : public ::testing::Test {
 protected:
  void SetUp() override {
    QFile::remove(notes_file(*tests::sample_capture()));
    view_settings().remove(QStringLiteral("timeline"));
    make();
  }
  void TearDown() override { view_settings().remove(QStringLiteral("timeline")); }
  void make() {
    view = std::make_unique<TimelineView>(document, nullptr);
    document.set(profiler::analyze(tests::sample_capture()), QStringLiteral("sample.tide"));
    view->resize(1100, 700);
    view->show();
    view->activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(view.get()));
    area = view->area();
    area->setFocus();
    QCoreApplication::processEvents();
  }
  void key(Qt::Key k, Qt::KeyboardModifiers m = Qt::NoModifier) { QTest::keyClick(area, k, m); }
  void point_at(const std::string& row) {
    const auto& scene = area->scene();
    for (const auto& r : scene.geometry.rows)
      if (row_key(*scene.model, r) == row)
        QTest::mouseMove(area->viewport(), QPoint(30, scene.geometry.row_y(r, scene.scroll_y) + r.height / 2));
    QCoreApplication::processEvents();
  }
  bool shown(const std::string& row) const {
    const auto& rows = area->scene().geometry.rows;
    return std::any_of(rows.begin(), rows.end(),
                       [&](const TimelineRow& r) { return row_key(*area->scene().model, r) == row; });
  }
  Document document;
  std::unique_ptr<TimelineView> view;
  TimelineArea* area = nullptr;
};

TEST_F(TimelineNotesView, RowsArePinnedHiddenAndFoldedAndStaySo) {
  point_at("chart flops");
  key(Qt::Key_P);
  EXPECT_TRUE(area->scene().geometry.rows.front().pinned);
  point_at("chart live");
  key(Qt::Key_H);
  EXPECT_FALSE(shown("chart live"));
  point_at("Profiler");
  QTest::mouseClick(area->viewport(), Qt::LeftButton, {}, QPoint(30, [&] {
                      for (const auto& r : area->scene().geometry.rows)
                        if (row_key(*area->scene().model, r) == "Profiler")
                          return area->scene().geometry.row_y(r, area->scene().scroll_y) + 5;
                      return -1;
                    }()));
  const size_t rows = area->scene().geometry.rows.size();
  view.reset();
  document.set(nullptr, {});
  make();
  EXPECT_EQ(area->scene().geometry.rows.size(), rows) << "read from the user's settings";
  EXPECT_TRUE(area->scene().geometry.rows.front().pinned);
  EXPECT_FALSE(shown("chart live"));
  EXPECT_TRUE(area->notes().rows.folded.contains("Profiler"));
  key(Qt::Key_H, Qt::ShiftModifier);
  EXPECT_TRUE(shown("chart live"));
}

TEST_F(TimelineNotesView, MarksAreWrittenFoundAndRemoved) {
  key(Qt::Key_Home);
  key(Qt::Key_M);
  auto* dialog = view->findChild<QInputDialog*>();
  ASSERT_NE(dialog, nullptr);
  QTest::keyClicks(dialog->findChild<QLineEdit*>(), QStringLiteral("here it stalls"));
  QTest::keyClick(dialog->findChild<QLineEdit*>(), Qt::Key_Return);
  ASSERT_EQ(area->notes().marks.size(), 1u);
  EXPECT_EQ(area->notes().marks[0].text, "here it stalls");
  EXPECT_EQ(load_notes(notes_file(document.capture())).marks, area->notes().marks);
  const int64_t at = area->scene().model->begin_ns + area->notes().marks[0].begin_ns;
  area->set_window({at + 2'000'000, at + 3'000'000});
  key(Qt::Key_N, Qt::ShiftModifier);
  EXPECT_LE(area->window_ns().begin_ns, at);
  EXPECT_GE(area->window_ns().end_ns, at);
  area->viewport()->repaint();
  EXPECT_EQ(area->mark_at(at), 0);
  area->edits()->remove_mark(0);
  EXPECT_EQ(area->mark_at(at), -1);
}

TEST_F(TimelineNotesView, EveryChangeIsTakenBackAndMadeAgain) {
  std::vector<TimelineNotes> states{area->notes()};
  const auto changed = [&](const char* what) {
    ASSERT_NE(area->notes(), states.back()) << what;
    states.push_back(area->notes());
  };
  point_at("chart flops");
  key(Qt::Key_P);
  changed("pinned");
  point_at("chart live");
  key(Qt::Key_H);
  changed("hidden");
  area->edits()->add_mark({area->scene().model->begin_ns + 100, area->scene().model->begin_ns + 100},
                          QStringLiteral("here"));
  changed("marked");
  key(Qt::Key_3, Qt::ControlModifier);
  changed("a view saved");
  area->edits()->remove_mark(0);
  changed("the mark removed");
  for (size_t i = states.size() - 1; i-- > 0;) {
    view->edits()->undo();
    EXPECT_EQ(area->notes(), states[i]) << i;
  }
  EXPECT_TRUE(shown("chart live"));
  view->edits()->undo();
  EXPECT_EQ(area->notes(), states[0]) << "nothing is left to take back";
  for (size_t i = 1; i < states.size(); ++i) {
    view->edits()->redo();
    EXPECT_EQ(area->notes(), states[i]) << i;
  }
  // What is taken back is taken back in the file, too; another capture has a history of its own.
  view->edits()->undo();
  EXPECT_EQ(load_notes(notes_file_for(*area->scene().model->capture, document.path()),
                       capture_id(*area->scene().model->capture)),
            states[states.size() - 2]);
  document.set(profiler::analyze(tests::sample_capture()), QStringLiteral("other.tide"));
  EXPECT_FALSE(area->edits()->history()->canUndo());
}

TEST_F(TimelineNotesView, ViewsAreSavedAndRecalledByDigits) {
  key(Qt::Key_Home);
  for (int i = 0; i < 6; ++i) key(Qt::Key_W);
  const TimelineWindow window = area->window_ns();
  key(Qt::Key_3, Qt::ControlModifier);
  key(Qt::Key_Home);
  key(Qt::Key_4);
  EXPECT_NE(area->window_ns(), window) << "nothing was saved as 4";
  key(Qt::Key_3);
  EXPECT_EQ(area->window_ns(), window);
}

TEST_F(TimelineNotesView, PresetsDecideWhatTheWheelDoesAndKeysCanBeChanged) {
  const auto wheel = [&](Qt::KeyboardModifiers m) {
    const QPointF p(600, 200);
    QWheelEvent e(p, area->viewport()->mapToGlobal(p), QPoint(), QPoint(0, 120), Qt::NoButton, m, Qt::NoScrollPhase,
                  false);
    const int64_t before = area->window_ns().span_ns();
    QCoreApplication::sendEvent(area->viewport(), &e);
    return area->window_ns().span_ns() < before;
  };
  EXPECT_FALSE(wheel(Qt::NoModifier));
  EXPECT_TRUE(wheel(Qt::ControlModifier));
  view->findChild<QAction*>(QStringLiteral("timeline.keys"))->trigger();
  auto* dialog = view->findChild<TimelineKeysDialog*>();
  ASSERT_NE(dialog, nullptr);
  dialog->preset_box()->setCurrentIndex(static_cast<int>(TimelinePreset::tracy));
  dialog->edit_of(QStringLiteral("timeline.zoom_in"))->setKeySequence(Qt::Key_S);
  dialog->accept();
  EXPECT_TRUE(dialog->isVisible()) << "S zooms out already";
  dialog->edit_of(QStringLiteral("timeline.zoom_in"))->setKeySequence(Qt::Key_J);
  dialog->accept();
  EXPECT_TRUE(wheel(Qt::NoModifier));
  EXPECT_FALSE(wheel(Qt::ControlModifier));
  key(Qt::Key_Home);
  const TimelineWindow whole = area->window_ns();
  key(Qt::Key_W);
  EXPECT_EQ(area->window_ns(), whole);
  key(Qt::Key_J);
  EXPECT_LT(area->window_ns().span_ns(), whole.span_ns());
  view.reset();
  make();
  EXPECT_TRUE(wheel(Qt::NoModifier)) << "kept in the settings";
  EXPECT_EQ(view->findChild<QAction*>(QStringLiteral("timeline.zoom_in"))->shortcut(), QKeySequence(Qt::Key_J));
}

TEST_F(TimelineNotesView, EveryRowIsReachedByKeysAlone) {
  const size_t rows = area->scene().geometry.rows.size();
  std::set<std::string> visited;
  for (size_t i = 0; i < rows; ++i) {
    key(Qt::Key_Down, Qt::AltModifier);
    visited.insert(area->row_of_interest());
  }
  EXPECT_EQ(visited.size(), rows) << "groups and charts as well";
  key(Qt::Key_Down, Qt::AltModifier);
  EXPECT_TRUE(visited.contains(area->row_of_interest())) << "the last row stays";
  while (area->row_of_interest() != "chart flops") key(Qt::Key_Up, Qt::AltModifier);
  key(Qt::Key_P);
  EXPECT_TRUE(area->scene().geometry.rows.front().pinned) << "a chart pinned without the mouse";
  while (area->row_of_interest() != "Profiler") key(Qt::Key_Down, Qt::AltModifier);
  key(Qt::Key_C);
  EXPECT_TRUE(area->notes().rows.folded.contains("Profiler"));
  QAccessibleInterface* list = QAccessible::queryAccessibleInterface(area);
  int focused = 0;
  for (int i = 0; i < list->childCount(); ++i) {
    if (!list->child(i)->state().focused) continue;
    ++focused;
    EXPECT_EQ(list->child(i)->text(QAccessible::Name), QStringLiteral("Profiler"));
  }
  EXPECT_EQ(focused, 1);
}

TEST_F(TimelineNotesView, ARangeIsMeasuredByKeysAlone) {
  key(Qt::Key_Right);
  ASSERT_TRUE(area->current().has_value());
  const TimelineHit first = *area->current();
  const Lane& lane = area->scene().model->lanes[static_cast<size_t>(first.lane)].lane;
  key(Qt::Key_Right, Qt::ShiftModifier);
  key(Qt::Key_Right, Qt::ShiftModifier);
  ASSERT_TRUE(document.selection().state().range.has_value());
  EXPECT_EQ(*document.selection().state().range, (TimeRange{lane.begin_ns(first.span), lane.end_ns(first.span + 2)}));
  key(Qt::Key_Left, Qt::ShiftModifier);
  EXPECT_EQ(document.selection().state().range->end_ns, lane.end_ns(first.span + 1));
  key(Qt::Key_F);
  EXPECT_GE(area->window_ns().end_ns, lane.end_ns(first.span + 1)) << "F fits the range, not the bar";
  EXPECT_LE(area->window_ns().begin_ns, lane.begin_ns(first.span));
  key(Qt::Key_Right);
  EXPECT_EQ(area->current()->span, first.span + 1) << "and arrows go on from the bar";
}

TEST_F(TimelineNotesView, FrameTimesAreShownOnRequest) {
  area->viewport()->repaint();
  const auto has_frame_time = [&] {
    for (const QLabel* label : view->findChildren<QLabel*>())
      if (label->isVisible() && label->text().startsWith(QStringLiteral("frame "))) return true;
    return false;
  };
  EXPECT_FALSE(has_frame_time());
  key(Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
  area->viewport()->repaint();
  EXPECT_TRUE(has_frame_time());
}

TEST_F(TimelineNotesView, AScreenReaderHearsRowsAndTheChosenBar) {
  QAccessibleInterface* list = QAccessible::queryAccessibleInterface(area);
  ASSERT_NE(list, nullptr);
  ASSERT_EQ(list->childCount(), static_cast<int>(area->scene().geometry.rows.size()));
  key(Qt::Key_Right);
  ASSERT_TRUE(area->current().has_value());
  int selected = 0;
  for (int i = 0; i < list->childCount(); ++i) {
    QAccessibleInterface* row = list->child(i);
    ASSERT_NE(row, nullptr);
    EXPECT_FALSE(row->text(QAccessible::Name).isEmpty());
    EXPECT_EQ(list->indexOfChild(row), i);
    EXPECT_GT(row->rect().height(), 10);
    if (!row->state().selected) continue;
    ++selected;
    EXPECT_EQ(row->text(QAccessible::Value), area->current_text());
    EXPECT_TRUE(row->text(QAccessible::Value).contains(QStringLiteral("after the start")));
  }
  EXPECT_EQ(selected, 1);
}

}  // namespace
}  // namespace views
