// SPDX-License-Identifier: Apache-2.0
// Observer: receives events while a plan runs. The engine owns the interface and knows no implementation.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "engine/tensor/device.h"

namespace engine {

/// Bytes that went from one device's memory to another's.
struct Transfer {
  static constexpr uint32_t kNoOp = std::numeric_limits<uint32_t>::max();
  enum class Reason : uint8_t {
    asked,    ///< .to(), .cpu(), .cuda(), copy_()
    scalar,   ///< a 0-d operand was fetched to the device of its op: nobody asked for it, and the op waits for it
    gradient  ///< backwards through one of the others
  };
  Device from = {}, to = {};
  int64_t size_bytes = 0;
  Reason reason = Reason::asked;
  bool pinned = false;                     ///< the host's memory at one end is page-locked: the copy needs no staging
  int64_t begin_ticks = 0, end_ticks = 0;  ///< engine::now_ticks()
};

/// The lane of a loader that reads files.
inline constexpr std::string_view kReadLane = "read";

/// Work that an op had done beside the step (a loader's threads): one stage of one item.
struct Stage {
  std::string_view lane;   ///< "read"; lives as long as the program
  int64_t item = 0;        ///< the batch
  int64_t size_bytes = 0;  ///< that came out of the stage
  int64_t begin_ticks = 0, end_ticks = 0;
};

/// Called on the thread that runs the step. A call must be cheap (the budget of tracing one op is 50 ns).
class Observer {
 public:
  virtual ~Observer() = default;
  /// A step (one pass over all ops of the plan) begins / has ended. Ticks: engine::now_ticks().
  virtual void step_begin(uint32_t step, int64_t ticks) = 0;
  virtual void step_end(uint32_t step, int64_t ticks) = 0;
  /// Op number `op` of the plan is about to run. Comes with no stamp: the op before has ended at the same instant.
  virtual void op_begin(uint32_t /*op*/) {}
  /// Op number `op` of the plan ran from `begin_ticks` to `end_ticks`. Consecutive ops share a stamp.
  virtual void op_done(uint32_t op, int64_t begin_ticks, int64_t end_ticks) = 0;
  /// Has ended; `op` of the plan asked for it, or Transfer::kNoOp. Comes after that op's op_done, on the thread that
  /// runs the step.
  virtual void transfer_done(uint32_t /*op*/, const Transfer&) {}
  /// It ended on any thread. The op that it was done for reports it later, on the thread that runs the step.
  virtual void stage_done(uint32_t /*op*/, const Stage&) {}
};

}  // namespace engine
