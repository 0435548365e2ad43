// SPDX-License-Identifier: GPL-3.0-or-later
// Entries keep what they are about: the pointer leaves the timeline for the menu.
#include "views/timeline/timeline_menu.h"

#include <QApplication>
#include <QClipboard>
#include <QUndoStack>

#include "views/base/plain_text.h"
#include "views/timeline/timeline_finder.h"
#include "views/timeline/timeline_links.h"
#include "views/timeline/timeline_walk.h"

namespace views {

namespace {

constexpr qsizetype kLongestName = 60;

/// A name of a file as a menu shows it.
QString in_menu(const QString& name) {
  QString text = displayed(name);
  if (text.size() > kLongestName) text = text.left(kLongestName - 1) + QStringLiteral("…");
  return text.replace(QLatin1Char('&'), QLatin1String("&&"));
}

}  // namespace

TimelineMenu::TimelineMenu(Document& document, TimelineArea& area, const QPoint& at, QWidget* parent)
    : QMenu(parent), document_(document), area_(area) {
  if (area_.scene().model == nullptr) return;
  const auto& g = area_.scene().geometry;
  const bool in_plot = at.x() > g.header_width;
  if (const int mark = in_plot ? area_.mark_at(g.time(at.x(), area_.window_ns())) : -1; mark >= 0) add_mark(mark);
  if (const auto hit = in_plot ? area_.hit(at) : std::nullopt) add_event(*hit);
  if (const TimelineRow* row = area_.row_at(at.y())) add_row(row_key(*area_.scene().model, *row));
  add_history();
}

QAction* TimelineMenu::add(const char* name, const QString& text, std::function<void()> run) {
  QAction* action = addAction(text, this, std::move(run));
  action->setObjectName(QLatin1String(name));
  return action;
}

/// The text with the key of one of the area's actions beside it.
QString TimelineMenu::with_key(const char* name, const QString& text) const {
  for (const QAction* action : area_.actions())
    if (action->objectName() == QLatin1String(name) && !action->shortcut().isEmpty())
      return text + QLatin1Char('\t') + action->shortcut().toString(QKeySequence::NativeText);
  return text;
}

void TimelineMenu::add_event(const TimelineHit& hit) {
  const TimelineModel& model = *area_.scene().model;
  const Lane& lane = model.lanes[static_cast<size_t>(hit.lane)].lane;
  const std::string& label = model.labels[lane.label(hit.span)];
  const QString name = QString::fromStdString(label);
  addAction(in_menu(name))->setEnabled(false);
  add("event.copy_name", tr("Copy the name"), [name] { QApplication::clipboard()->setText(name); });
  add("event.zoom", with_key("timeline.fit_selection", tr("Zoom to this event")), [this, hit] { area_.zoom_to(hit); });
  add("event.find_same", tr("Find all of this name"),
      [this, term = term_of_name(label)] { emit find_requested(term); });
  if (lane.row(hit.span) != kNoRow) {
    add("event.durations", tr("Statistics of this name"), [this, hit] {
      area_.select(hit);
      emit durations_requested();
    });
  }
  add_ways(hit);
  addSeparator();
}

/// To the op it was launched for, to the call that launched it, to what a call launched.
void TimelineMenu::add_ways(const TimelineHit& hit) {
  const TimelineModel& model = *area_.scene().model;
  const TimelineLane& lane = model.lanes[static_cast<size_t>(hit.lane)];
  if (lane.kind != LaneKind::kernel && lane.kind != LaneKind::copy && lane.kind != LaneKind::api) return;
  const Span span = lane.lane.span(hit.span);
  const auto& capture = *model.capture;
  if (span.op < capture.ops().size()) {
    const QString op = QString::fromStdString(std::string(capture.name(capture.ops()[span.op].name)));
    add("event.op", tr("Go to its op: %1").arg(in_menu(op)), [this, span] {
      const auto run = nearest_run(*area_.scene().model, {span.begin_ns, span.end_ns + 1}, span.op);
      if (run) area_.go_to_found(*run);
      else document_.selection().select_op(span.op);
    });
  }
  for (const TimelineLink& link : links_of(model, hit)) {
    const bool is_call = link.from == hit;
    add("event.launch", is_call ? tr("Go to what it launched") : tr("Go to the call that launched it"),
        [this, to = is_call ? link.to : link.from] { area_.go_to_found(to); });
    break;
  }
}

void TimelineMenu::add_row(const std::string& row) {
  TimelineEdits* edits = area_.edits();
  const auto& rows = area_.notes().rows;
  if (edits->is_row(row)) {
    add("row.pin", with_key("timeline.pin", rows.is_pinned(row) ? tr("Unpin the row") : tr("Pin the row")),
        [edits, row] { edits->toggle_pin(row); });
    add("row.hide", with_key("timeline.hide", tr("Hide the row")), [edits, row] { edits->hide_row(row); });
    add("row.up", with_key("timeline.row_up", tr("Move the row up")), [edits, row] { edits->move_row(row, -1); });
    add("row.down", with_key("timeline.row_down", tr("Move the row down")), [edits, row] { edits->move_row(row, 1); });
  }
  const bool folded = rows.folded.contains(row);
  add("row.fold", with_key("timeline.fold", folded ? tr("Unfold the group") : tr("Fold the group")),
      [edits, row] { edits->toggle_fold(row); });
  addSeparator();
}

void TimelineMenu::add_mark(int mark) {
  const QString text = QString::fromStdString(area_.notes().marks[static_cast<size_t>(mark)].text);
  add("mark.remove", tr("Remove the mark \"%1\"").arg(in_menu(text)),
      [this, mark] { area_.edits()->remove_mark(mark); });
}

void TimelineMenu::add_history() {
  QUndoStack* history = area_.edits()->history();
  if (history->canUndo())
    add("menu.timeline.undo", tr("Undo: %1").arg(history->undoText()), [history] { history->undo(); });
  if (history->canRedo())
    add("menu.timeline.redo", tr("Redo: %1").arg(history->redoText()), [history] { history->redo(); });
}

}  // namespace views
