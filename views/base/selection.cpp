// SPDX-License-Identifier: GPL-3.0-or-later
// Selection: each change is one entry of a back/forward history.
#include "views/base/selection.h"

namespace views {

namespace {
constexpr size_t kHistoryLength = 200;
}

void Selection::set(SelectionState next) {
  scrubbing_ = false;
  if (next == state()) return;
  history_.resize(position_ + 1);
  history_.push_back(std::move(next));
  if (history_.size() > kHistoryLength) history_.erase(history_.begin());
  position_ = history_.size() - 1;
  emit changed();
}

void Selection::select_op(profiler::OpId op) {
  SelectionState next;
  next.op = op;
  next.range = state().range;
  next.range_name = state().range_name;
  set(std::move(next));
}

void Selection::scrub_op(profiler::OpId op) {
  if (!scrubbing_ || position_ + 1 != history_.size()) {
    select_op(op);
    scrubbing_ = true;
    return;
  }
  SelectionState next;
  next.op = op;
  next.range = state().range;
  next.range_name = state().range_name;
  if (next == state()) return;
  history_[position_] = std::move(next);
  emit changed();
}

void Selection::select_activity(uint32_t row, std::optional<profiler::OpId> op, const std::optional<QString>& layer) {
  SelectionState next;
  next.activity = row;
  next.op = op;
  next.layer = layer;
  next.range = state().range;
  next.range_name = state().range_name;
  set(std::move(next));
}

void Selection::select_tensor(profiler::TensorId tensor) {
  SelectionState next = state();
  next.tensor = tensor;
  next.activity.reset();
  set(std::move(next));
}

void Selection::select_layer(const QString& layer) {
  SelectionState next;
  next.layer = layer;
  next.range = state().range;
  next.range_name = state().range_name;
  set(std::move(next));
}

void Selection::select_range(TimeRange range, const QString& name) {
  SelectionState next = state();
  next.range = range;
  next.range_name = name;
  next.activity.reset();
  set(std::move(next));
}

void Selection::clear() { set(SelectionState{}); }

void Selection::back() {
  if (!can_go_back()) return;
  --position_;
  scrubbing_ = false;
  emit changed();
}

void Selection::forward() {
  if (!can_go_forward()) return;
  ++position_;
  scrubbing_ = false;
  emit changed();
}

void Selection::reset() {
  const bool was_empty = state().empty();
  history_.assign(1, SelectionState{});
  position_ = 0;
  scrubbing_ = false;
  if (!was_empty) emit changed();
}

}  // namespace views
