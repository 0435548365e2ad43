// SPDX-License-Identifier: Apache-2.0
// EngineCollector: notes what the engine says of each op, as cheaply as can be; it is read out
// between steps.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/thread_team.h"
#include "engine/runtime/observer.h"

namespace profiler {

/// One op as it was observed: stamps in ticks, converted later.
struct RawOp {
  uint32_t op = 0, step = 0;
  int64_t begin_ticks = 0, end_ticks = 0;
};

/// A copy between devices, or a stage of a loader, and the op that reported it.
struct RawTransfer {
  uint32_t op = 0, step = 0;
  engine::Transfer transfer;
};
struct RawStage {
  uint32_t op = 0;
  engine::Stage stage;
};

/// Writes into a buffer that was allocated (and touched) beforehand: no allocation, no lock, no
/// branch but the bound. Copies between devices and loaders' stages are few and cost more than the list that keeps
/// them.
class EngineCollector final : public engine::Observer {
 public:
  /// `ops`: of those, how many threads they were shared among is noted too, if the processor runs them.
  explicit EngineCollector(size_t capacity, size_t ops = 0)
      : buffer_(std::make_unique<RawOp[]>(capacity)), threads_(ops, 0), capacity_(capacity) {}

  void step_begin(uint32_t step, int64_t) override { step_ = step; }
  void step_end(uint32_t, int64_t) override {}
  void op_begin(uint32_t) override { engine::forget_teams(); }
  void op_done(uint32_t op, int64_t begin_ticks, int64_t end_ticks) override {
    if (op < threads_.size()) threads_[op] = std::max(threads_[op], engine::largest_team());
    if (size_ == capacity_) {
      ++dropped_;
      return;
    }
    buffer_[size_++] = {op, step_, begin_ticks, end_ticks};
  }

  void transfer_done(uint32_t op, const engine::Transfer& transfer) override {
    transfers_.push_back({op, step_, transfer});
  }
  void stage_done(uint32_t op, const engine::Stage& stage) override { stages_.push_back({op, stage}); }

  size_t room() const { return capacity_ - size_; }
  std::span<const RawOp> ops() const { return {buffer_.get(), size_}; }
  /// By op, the most threads of any step since the beginning; 0: it has not run, or that cannot be seen.
  std::span<const int> threads() const { return threads_; }
  std::span<const RawTransfer> transfers() const { return transfers_; }
  std::span<const RawStage> stages() const { return stages_; }
  void clear() {
    size_ = 0;
    transfers_.clear();
    stages_.clear();
  }
  /// Ops that found the buffer full, since the beginning.
  int64_t dropped() const { return dropped_; }

 private:
  std::unique_ptr<RawOp[]> buffer_;
  std::vector<int> threads_;
  std::vector<RawTransfer> transfers_;
  std::vector<RawStage> stages_;
  size_t capacity_, size_ = 0;
  uint32_t step_ = 0;
  int64_t dropped_ = 0;
};

}  // namespace profiler
