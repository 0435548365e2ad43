// SPDX-License-Identifier: GPL-3.0-or-later
// The area's rows, marks and saved views: each change is kept in the notes and told.
#include <QUndoCommand>
#include <algorithm>
#include <functional>

#include "views/base/paint.h"
#include "views/timeline/timeline_area.h"

namespace views {

namespace {
constexpr double kNearPixels = 8;
}

void TimelineArea::set_notes(TimelineNotes notes) {
  history_.clear();
  notes_ = std::move(notes);
  update_geometry();
}

void TimelineArea::put_notes(const TimelineNotes& notes) {
  notes_ = notes;
  update_geometry();
  emit notes_changed();
}

void TimelineArea::edit_notes(TimelineNotes notes, const QString& what) {
  if (notes == notes_) return;
  class Change : public QUndoCommand {
   public:
    Change(std::function<void(const TimelineNotes&)> put, TimelineNotes before, TimelineNotes after,
           const QString& text)
        : QUndoCommand(text), put_(std::move(put)), before_(std::move(before)), after_(std::move(after)) {}
    void undo() override { put_(before_); }
    void redo() override { put_(after_); }

   private:
    std::function<void(const TimelineNotes&)> put_;
    TimelineNotes before_, after_;
  };
  history_.push(new Change([this](const TimelineNotes& state) { put_notes(state); }, notes_, std::move(notes), what));
}

const TimelineRow* TimelineArea::row_at(double y) const {
  const TimelineGeometry& g = scene_.geometry;
  for (const TimelineRow& row : g.rows) {
    const int top = g.row_y(row, scene_.scroll_y);
    if (y >= (row.pinned ? g.top() : g.scroll_top()) && y >= top && y < top + row.height) return &row;
  }
  return nullptr;
}

std::string TimelineArea::row_of_interest() const {
  if (scene_.model == nullptr) return {};
  if (!scene_.row_cursor.empty()) return scene_.row_cursor;
  if (pointer_) {
    if (const TimelineRow* row = row_at(pointer_->y())) return row_key(*scene_.model, *row);
  }
  return scene_.current ? scene_.model->lanes[static_cast<size_t>(scene_.current->lane)].key : std::string();
}

void TimelineArea::change_rows(TimelineArrangement rows, const QString& what) {
  TimelineNotes notes = notes_;
  notes.rows = std::move(rows);
  edit_notes(std::move(notes), what);
}

namespace {

/// Whether `key` names a group and not a row.
bool is_group(const TimelineModel& model, const std::string& key) {
  return key == kChartGroup || std::any_of(model.lanes.begin(), model.lanes.end(),
                                           [&](const TimelineLane& lane) { return lane.group == key; });
}

}  // namespace

void TimelineArea::toggle_pin() {
  const std::string key = row_of_interest();
  if (key.empty() || is_group(*scene_.model, key)) return;
  TimelineArrangement rows = notes_.rows;
  const bool pinned = std::erase(rows.pinned, key) > 0;
  if (!pinned) rows.pinned.push_back(key);
  change_rows(std::move(rows), pinned ? tr("unpin the row") : tr("pin the row"));
}

void TimelineArea::hide_row() {
  const std::string key = row_of_interest();
  if (key.empty() || is_group(*scene_.model, key)) return;
  TimelineArrangement rows = notes_.rows;
  std::erase(rows.pinned, key);
  rows.hidden.insert(key);
  change_rows(std::move(rows), tr("hide the row"));
}

void TimelineArea::move_row(int direction) {
  const std::string key = row_of_interest();
  if (!key.empty()) change_rows(moved_row(*scene_.model, notes_.rows, key, direction), tr("move the row"));
}

void TimelineArea::toggle_fold() {
  std::string key = row_of_interest();
  if (key.empty()) return;
  for (const TimelineLane& lane : scene_.model->lanes)
    if (lane.key == key) key = lane.group;
  for (const TimelineCounter& counter : scene_.model->counters)
    if ("chart " + counter.key == key) key = kChartGroup;
  TimelineArrangement rows = notes_.rows;
  const bool folded = rows.folded.erase(key) > 0;
  if (!folded) rows.folded.insert(key);
  change_rows(std::move(rows), folded ? tr("unfold the group") : tr("fold the group"));
}

void TimelineArea::show_all_rows() {
  TimelineArrangement rows = notes_.rows;
  rows.hidden.clear();
  rows.folded.clear();
  change_rows(std::move(rows), tr("show all rows"));
}

TimeRange TimelineArea::mark_place() const {
  if (scene_.range) return *scene_.range;
  if (scene_.current) {
    const Span s = span(*scene_.current);
    return {s.begin_ns, s.end_ns};
  }
  const bool inside = pointer_ && pointer_->x() > scene_.geometry.header_width;
  const int64_t at = inside ? scene_.geometry.time(pointer_->x(), scene_.window)
                            : scene_.window.begin_ns + scene_.window.span_ns() / 2;
  return {at, at};
}

void TimelineArea::add_mark(TimeRange place, const QString& text) {
  if (scene_.model == nullptr || text.trimmed().isEmpty()) return;
  const int64_t origin = scene_.model->begin_ns;
  const TimelineMark mark{std::max<int64_t>(0, place.begin_ns - origin), std::max<int64_t>(0, place.end_ns - origin),
                          text.trimmed().toStdString()};
  TimelineNotes notes = notes_;
  const auto after =
      std::ranges::find_if(notes.marks, [&](const TimelineMark& m) { return m.begin_ns > mark.begin_ns; });
  notes.marks.insert(after, mark);
  edit_notes(std::move(notes), tr("mark"));
}

int TimelineArea::mark_at(int64_t at_ns) const {
  if (scene_.model == nullptr) return -1;
  const auto near = static_cast<int64_t>(kNearPixels * scene_.geometry.ns_per_px(scene_.window));
  for (size_t i = notes_.marks.size(); i-- > 0;) {
    const int64_t begin = scene_.model->begin_ns + notes_.marks[i].begin_ns,
                  end = scene_.model->begin_ns + notes_.marks[i].end_ns;
    if (at_ns >= begin - near && at_ns <= end + near) return static_cast<int>(i);
  }
  return -1;
}

void TimelineArea::remove_mark(int index) {
  if (index < 0 || index >= std::ssize(notes_.marks)) return;
  TimelineNotes notes = notes_;
  notes.marks.erase(notes.marks.begin() + index);
  edit_notes(std::move(notes), tr("remove the mark"));
}

void TimelineArea::go_to_mark(int direction) {
  if (scene_.model == nullptr || notes_.marks.empty()) return;
  const int64_t middle = scene_.window.begin_ns + scene_.window.span_ns() / 2;
  const auto center = [&](const TimelineMark& m) {
    return scene_.model->begin_ns + m.begin_ns + (m.end_ns - m.begin_ns) / 2;
  };
  const TimelineMark* best = nullptr;
  for (const TimelineMark& m : notes_.marks) {
    const bool beyond = direction > 0 ? center(m) > middle + 1 : center(m) < middle - 1;
    if (beyond && (best == nullptr || (direction > 0 ? center(m) < center(*best) : center(m) > center(*best))))
      best = &m;
  }
  if (best == nullptr) return;
  const int64_t half = scene_.window.span_ns() / 2;
  set_window({center(*best) - half, center(*best) - half + scene_.window.span_ns()});
}

void TimelineArea::save_view(size_t slot) {
  if (scene_.model == nullptr || slot >= notes_.views.size()) return;
  const int64_t origin = scene_.model->begin_ns;
  TimelineNotes notes = notes_;
  // the air before the start is not worth keeping
  notes.views[slot] = SavedWindow{std::max<int64_t>(0, scene_.window.begin_ns - origin),
                                  std::max<int64_t>(1, scene_.window.end_ns - origin)};
  edit_notes(std::move(notes), tr("save view %1").arg(slot));
}

void TimelineArea::recall_view(size_t slot) {
  if (scene_.model == nullptr || slot >= notes_.views.size() || !notes_.views[slot]) return;
  const int64_t origin = scene_.model->begin_ns;
  set_window({origin + notes_.views[slot]->begin_ns, origin + notes_.views[slot]->end_ns});
}

QString TimelineArea::current_text() const {
  if (scene_.model == nullptr || !scene_.current) return {};
  const Span s = span(*scene_.current);
  return tr("%1, %2, %3 after the start")
      .arg(QString::fromStdString(scene_.model->labels[s.label]),
           quantity(static_cast<double>(s.end_ns - s.begin_ns), profiler::Quantity::duration_ns),
           quantity(static_cast<double>(s.begin_ns - scene_.model->begin_ns), profiler::Quantity::duration_ns));
}

}  // namespace views
