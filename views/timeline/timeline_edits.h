// SPDX-License-Identifier: GPL-3.0-or-later
// TimelineEdits: what a user arranges and writes on the capture that is shown, each change as one step that can be
// undone.
#pragma once

#include <QObject>
#include <QUndoStack>
#include <optional>
#include <string>
#include <vector>

#include "views/base/selection.h"
#include "views/timeline/timeline_layout.h"
#include "views/timeline/timeline_notes.h"

namespace views {

/// Rows are named by row_key(). Keys of groups and of nothing change nothing where only a row can be meant.
class TimelineEdits : public QObject {
  Q_OBJECT

 public:
  explicit TimelineEdits(QObject* parent) : QObject(parent) {}
  /// Whose rows and times the notes are of; null: nothing is shown, and nothing can be changed.
  void set_model(const TimelineModel* model) { model_ = model; }
  const TimelineNotes& notes() const { return notes_; }
  /// Notes of another capture, or of another file: there is nothing to undo in them.
  void reset(TimelineNotes);
  /// Changes the notes as one step; `what` names it: "hide the row".
  void edit(TimelineNotes, const QString& what);
  QUndoStack* history() { return &history_; }

  /// Whether `key` names a row and not a group.
  bool is_row(const std::string& key) const;
  void toggle_pin(const std::string& row);
  void hide_row(const std::string& row);
  void move_row(const std::string& row, int direction);
  /// Of the group `key` names, or of the one its row is in.
  void toggle_fold(const std::string& key);
  void unfold(const std::string& group);
  void show_all_rows();
  void add_mark(TimeRange, const QString& text);
  void remove_mark(int index);
  /// The last mark that begins at or before `at`; -1: none within `near_ns`.
  int mark_at(int64_t at_ns, int64_t near_ns) const;
  /// The mark next to the middle of a window, as the time of its middle; nothing: there is none in that direction.
  std::optional<int64_t> mark_beside(const TimelineWindow&, int direction) const;
  void save_view(size_t slot, const TimelineWindow&);
  std::optional<TimelineWindow> saved_view(size_t slot) const;

 signals:
  void replaced();  ///< by reset()
  void changed();   ///< by the user, undo and redo as well

 private:
  void put(const TimelineNotes&);
  void change_rows(TimelineArrangement, const QString& what);

  const TimelineModel* model_ = nullptr;
  TimelineNotes notes_;
  QUndoStack history_;
};

}  // namespace views
