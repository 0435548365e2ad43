// SPDX-License-Identifier: Apache-2.0
// Observer: who is told while a plan runs. The engine owns the interface and never asks who listens.
#pragma once

#include <cstdint>

namespace engine {

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
};

}  // namespace engine
