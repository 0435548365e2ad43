// SPDX-License-Identifier: GPL-3.0-or-later
// Selection: the one thing the whole window looks at: an op, a tensor, a layer, a time range. Select anywhere, every view follows.
#pragma once

#include <QObject>
#include <QString>
#include <optional>
#include <vector>

#include "profiler/model/capture.h"

namespace views {

struct TimeRange {
  int64_t begin_ns = 0, end_ns = 0;
  friend bool operator==(const TimeRange&, const TimeRange&) = default;
};

struct SelectionState {
  std::optional<profiler::OpId> op;
  std::optional<profiler::TensorId> tensor;
  std::optional<QString> layer;
  std::optional<TimeRange> range;
  bool empty() const { return !op && !tensor && !layer && !range; }
  friend bool operator==(const SelectionState&, const SelectionState&) = default;
};

class Selection : public QObject {
  Q_OBJECT

 public:
  explicit Selection(QObject* parent = nullptr) : QObject(parent) {}
  const SelectionState& state() const { return history_[position_]; }
  void select_op(profiler::OpId);        ///< also clears tensor and layer
  /// As select_op, but a run of scrubs (playing, dragging) is one entry of the history.
  void scrub_op(profiler::OpId);
  void select_tensor(profiler::TensorId);  ///< keeps op, layer and range
  void select_layer(const QString&);       ///< also clears op and tensor
  void select_range(TimeRange);          ///< keeps op, tensor, layer
  void clear();
  bool can_go_back() const { return position_ > 0; }
  bool can_go_forward() const { return position_ + 1 < history_.size(); }
  void back();
  void forward();
  void reset();                          ///< new document: forgets the history

 signals:
  void changed();

 private:
  void set(SelectionState);
  bool scrubbing_ = false;  // the newest entry came from scrub_op
  std::vector<SelectionState> history_{SelectionState{}};
  size_t position_ = 0;
};

}  // namespace views
