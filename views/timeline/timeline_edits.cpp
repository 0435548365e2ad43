// SPDX-License-Identifier: GPL-3.0-or-later
// Each change makes notes anew and puts them on the history.
#include "views/timeline/timeline_edits.h"

#include <QUndoCommand>
#include <algorithm>
#include <functional>

namespace views {

void TimelineEdits::reset(TimelineNotes notes) {
  history_.clear();
  notes_ = std::move(notes);
  emit replaced();
}

void TimelineEdits::put(const TimelineNotes& notes) {
  notes_ = notes;
  emit changed();
}

void TimelineEdits::edit(TimelineNotes notes, const QString& what) {
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
  history_.push(new Change([this](const TimelineNotes& state) { put(state); }, notes_, std::move(notes), what));
}

void TimelineEdits::change_rows(TimelineArrangement rows, const QString& what) {
  TimelineNotes notes = notes_;
  notes.rows = std::move(rows);
  edit(std::move(notes), what);
}

bool TimelineEdits::is_row(const std::string& key) const {
  if (model_ == nullptr || key.empty() || key == kChartGroup) return false;
  return std::none_of(model_->lanes.begin(), model_->lanes.end(),
                      [&](const TimelineLane& lane) { return lane.group == key; });
}

void TimelineEdits::toggle_pin(const std::string& row) {
  if (!is_row(row)) return;
  TimelineArrangement rows = notes_.rows;
  const bool pinned = std::erase(rows.pinned, row) > 0;
  if (!pinned) rows.pinned.push_back(row);
  change_rows(std::move(rows), pinned ? tr("unpin the row") : tr("pin the row"));
}

void TimelineEdits::hide_row(const std::string& row) {
  if (!is_row(row)) return;
  TimelineArrangement rows = notes_.rows;
  std::erase(rows.pinned, row);
  rows.hidden.insert(row);
  change_rows(std::move(rows), tr("hide the row"));
}

void TimelineEdits::move_row(const std::string& row, int direction) {
  if (model_ != nullptr && !row.empty())
    change_rows(moved_row(*model_, notes_.rows, row, direction), tr("move the row"));
}

void TimelineEdits::toggle_fold(const std::string& key) {
  if (model_ == nullptr || key.empty()) return;
  std::string group = key;
  for (const TimelineLane& lane : model_->lanes)
    if (lane.key == key) group = lane.group;
  for (const TimelineCounter& counter : model_->counters)
    if ("chart " + counter.key == key) group = kChartGroup;
  if (notes_.rows.folded.contains(group)) return unfold(group);
  TimelineArrangement rows = notes_.rows;
  rows.folded.insert(group);
  change_rows(std::move(rows), tr("fold the group"));
}

void TimelineEdits::unfold(const std::string& group) {
  TimelineArrangement rows = notes_.rows;
  if (rows.folded.erase(group) > 0) change_rows(std::move(rows), tr("unfold the group"));
}

void TimelineEdits::show_all_rows() {
  TimelineArrangement rows = notes_.rows;
  rows.hidden.clear();
  rows.folded.clear();
  change_rows(std::move(rows), tr("show all rows"));
}

void TimelineEdits::add_mark(TimeRange place, const QString& text) {
  if (model_ == nullptr || text.trimmed().isEmpty()) return;
  const int64_t origin = model_->begin_ns;
  const TimelineMark mark{std::max<int64_t>(0, place.begin_ns - origin), std::max<int64_t>(0, place.end_ns - origin),
                          text.trimmed().toStdString()};
  TimelineNotes notes = notes_;
  const auto after =
      std::ranges::find_if(notes.marks, [&](const TimelineMark& m) { return m.begin_ns > mark.begin_ns; });
  notes.marks.insert(after, mark);
  edit(std::move(notes), tr("mark"));
}

void TimelineEdits::remove_mark(int index) {
  if (index < 0 || index >= std::ssize(notes_.marks)) return;
  TimelineNotes notes = notes_;
  notes.marks.erase(notes.marks.begin() + index);
  edit(std::move(notes), tr("remove the mark"));
}

int TimelineEdits::mark_at(int64_t at_ns, int64_t near_ns) const {
  if (model_ == nullptr) return -1;
  for (size_t i = notes_.marks.size(); i-- > 0;) {
    const int64_t begin = model_->begin_ns + notes_.marks[i].begin_ns, end = model_->begin_ns + notes_.marks[i].end_ns;
    if (at_ns >= begin - near_ns && at_ns <= end + near_ns) return static_cast<int>(i);
  }
  return -1;
}

std::optional<int64_t> TimelineEdits::mark_beside(const TimelineWindow& window, int direction) const {
  std::optional<int64_t> best;
  if (model_ == nullptr) return best;
  const int64_t middle = window.begin_ns + window.span_ns() / 2;
  for (const TimelineMark& m : notes_.marks) {
    const int64_t at = model_->begin_ns + m.begin_ns + (m.end_ns - m.begin_ns) / 2;
    const bool beyond = direction > 0 ? at > middle + 1 : at < middle - 1;
    if (beyond && (!best || (direction > 0 ? at < *best : at > *best))) best = at;
  }
  return best;
}

void TimelineEdits::save_view(size_t slot, const TimelineWindow& window) {
  if (model_ == nullptr || slot >= notes_.views.size()) return;
  const int64_t origin = model_->begin_ns;
  TimelineNotes notes = notes_;
  notes.views[slot] =
      SavedWindow{std::max<int64_t>(0, window.begin_ns - origin), std::max<int64_t>(1, window.end_ns - origin)};
  edit(std::move(notes), tr("save view %1").arg(slot));
}

std::optional<TimelineWindow> TimelineEdits::saved_view(size_t slot) const {
  if (model_ == nullptr || slot >= notes_.views.size() || !notes_.views[slot]) return {};
  return TimelineWindow{model_->begin_ns + notes_.views[slot]->begin_ns, model_->begin_ns + notes_.views[slot]->end_ns};
}

}  // namespace views
