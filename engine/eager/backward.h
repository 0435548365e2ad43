// SPDX-License-Identifier: Apache-2.0
// Backward: gradients of the leaves behind a loss, by programs that tapes of the same ops use again.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/eager/tape.h"

namespace engine::eager {

struct Program;

/// The backward passes of a session.
class Backward {
 public:
  explicit Backward(Core& core);
  ~Backward();
  Backward(const Backward&) = delete;
  Backward& operator=(const Backward&) = delete;

  /// Adds d(loss)/d(leaf) to each leaf's gradient. After a refusal every gradient is as it was.
  Result<void> run(Cell* loss);

 private:
  Result<Program*> program_for(Cell* loss, std::span<Recorded* const> tape, std::span<Cell* const> leaves);
  Result<void> add_gradient(Cell* earlier, const Slot& gradient, Cell*& sum);

  Core& core_;
  uint64_t next_walk_ = 0;
  std::vector<std::unique_ptr<Program>> programs_;  // the last ones
  size_t next_program_ = 0;                         // the oldest, which the next one replaces
};

}  // namespace engine::eager
