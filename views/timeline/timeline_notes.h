// SPDX-License-Identifier: GPL-3.0-or-later
// TimelineNotes: what a user arranged and wrote on one capture: rows pinned, hidden, moved and
// folded, marks, saved views. A capture never changes, so they live beside it or with the user's settings.
#pragma once

#include <QString>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "profiler/capture/capture.h"

namespace views {

/// A moment (end = begin) or a stretch with a text; times since the start of the capture.
struct TimelineMark {
  int64_t begin_ns = 0, end_ns = 0;
  std::string text;
  friend bool operator==(const TimelineMark&, const TimelineMark&) = default;
};

struct SavedWindow {
  int64_t begin_ns = 0, end_ns = 0;  ///< since the start of the capture
  friend bool operator==(const SavedWindow&, const SavedWindow&) = default;
};

/// Rows are named by their key; keys that the capture lacks do nothing.
struct TimelineArrangement {
  std::vector<std::string> pinned;  ///< stay on top, in this order
  std::vector<std::string> order;   ///< all rows of a group that was rearranged, in their order
  std::set<std::string> hidden;
  std::set<std::string> folded;  ///< names of groups
  bool is_pinned(const std::string& key) const;
  friend bool operator==(const TimelineArrangement&, const TimelineArrangement&) = default;
};

struct TimelineNotes {
  TimelineArrangement rows;
  std::vector<TimelineMark> marks;  ///< by time
  std::array<std::optional<SavedWindow>, 10> views;
  friend bool operator==(const TimelineNotes&, const TimelineNotes&) = default;
};

/// Tells captures apart: a hash of who made them, when, and how much is in them.
QString capture_id(const profiler::Capture&);
/// The file that holds the notes of a capture, in the user's configuration folder.
QString notes_file(const profiler::Capture&);
/// Beside a capture: "r.tide" -> "r.tide.notes". It goes where the capture goes.
QString notes_beside(const QString& capture_path);
/// The file to read: the one beside the capture or the one in the user's configuration folder, the later where both are
/// of this capture.
QString notes_file_for(const profiler::Capture&, const QString& capture_path);
/// Notes of a file on the recording `id` (empty: on the first there is); a missing file, or one that is a link, pipe or
/// device, has none. Damaged content is left out.
TimelineNotes load_notes(const QString& file, const QString& id = {});
/// Puts the notes on recording `id` in place of those the file held on it; what it holds on others stays. `recording`
/// names it to people: when it was made. Written whole or not at all. Refused: a link, pipe or device of that name,
/// content that is not understood, a folder that cannot be written, a full disk.
engine::Result<void> save_notes(const TimelineNotes&, const QString& file, const QString& id = {},
                                const QString& recording = {});

/// Marks on another recording that had the same file.
struct OtherNotes {
  QString recording;  ///< when that was made; empty: unknown
  TimelineNotes notes;
};
/// Those of a notes file that hold marks, to be offered: a run that is recorded anew keeps its name, and loses no marks
/// by that.
std::vector<OtherNotes> other_notes(const QString& file, const QString& id);
/// Notes with further marks, each once, by time.
TimelineNotes with_marks(TimelineNotes, const std::vector<TimelineMark>& more);

/// Where notes are now, and why they are not beside the capture where they belong there: "r.tide.notes: ...: No space
/// left on device".
struct KeptNotes {
  QString file, why_not_beside;
};
/// Where notes belong: what was written (marks, saved views) beside the capture when its folder can be written, so that
/// it goes with it; mere arrangements of rows, until then, with the user's settings. Refused, with both reasons:
/// neither place can be written.
engine::Result<KeptNotes> keep_notes(const TimelineNotes&, const profiler::Capture&, const QString& capture_path,
                                     const QString& current_file);

}  // namespace views
