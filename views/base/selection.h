// SPDX-License-Identifier: GPL-3.0-or-later
// Selection: the one thing the whole window looks at: an op, a tensor, a layer, one event, a time range. Select
// anywhere, every view follows.
#pragma once

#include <QObject>
#include <QString>
#include <optional>
#include <vector>

#include "profiler/capture/capture.h"

namespace views {

struct TimeRange {
  int64_t begin_ns = 0, end_ns = 0;
  friend bool operator==(const TimeRange&, const TimeRange&) = default;
};

struct SelectionState {
  std::optional<profiler::OpId> op;
  std::optional<profiler::TensorId> tensor;
  std::optional<QString> layer;
  std::optional<uint32_t> activity;  ///< one event: its row in Capture::activities()
  std::optional<TimeRange> range;
  QString range_name;  ///< what the range is of: "step 14"; empty: a stretch that the user measured
  bool empty() const { return !op && !tensor && !layer && !activity && !range; }
  friend bool operator==(const SelectionState&, const SelectionState&) = default;
};

class Selection : public QObject {
  Q_OBJECT

 public:
  explicit Selection(QObject* parent = nullptr) : QObject(parent) {}
  const SelectionState& state() const { return history_[position_]; }
  void select_op(profiler::OpId);  ///< also clears tensor, layer and event
  /// One event, with the op it belongs to or the layer it is (none: it belongs to none); keeps the range.
  void select_activity(uint32_t row, std::optional<profiler::OpId>, const std::optional<QString>& layer = {});
  /// As select_op, but a run of scrubs (playing, dragging) is one entry of the history.
  void scrub_op(profiler::OpId);
  void select_tensor(profiler::TensorId);                  ///< keeps op, layer and range; clears the event
  void select_layer(const QString&);                       ///< also clears op, tensor and event
  void select_range(TimeRange, const QString& name = {});  ///< keeps op, tensor, layer; clears the event
  void clear();
  bool can_go_back() const { return position_ > 0; }
  bool can_go_forward() const { return position_ + 1 < history_.size(); }
  void back();
  void forward();
  void reset();  ///< new document: forgets the history

 signals:
  void changed();

 private:
  void set(SelectionState);
  bool scrubbing_ = false;  // the newest entry came from scrub_op
  std::vector<SelectionState> history_{SelectionState{}};
  size_t position_ = 0;
};

}  // namespace views
