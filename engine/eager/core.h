// SPDX-License-Identifier: Apache-2.0
// Core: what a session and its variables share.
#pragma once

#include <cstdint>
#include <span>

#include "engine/eager/backward.h"
#include "engine/eager/devices.h"
#include "engine/eager/scale_recipes.h"
#include "engine/eager/tape.h"
#include "engine/runtime/observer.h"

namespace engine::eager {

/// Lives until its session and its last cell are gone.
struct Core {
  Core(Backend& device, uint64_t first_seed)
      : devices(device), scales(devices.runner()), backward(*this), seed(first_seed) {}
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  Cell* new_cell() { return tape.new_cell(*this); }
  static Cell* failed_cell(Core* core, Error error);
  /// One user less. Also lets go of recorded ops that nothing can reach any more.
  static void give_back(Cell* cell);
  /// The session ends.
  static void leave(Core* core) {
    core->session_lives_ = false;
    core->end_if_unused();
  }

  /// Computes the recipe's outputs from the inputs' bytes into new cells, one user each, and records the op where a
  /// gradient may be asked for. Null error: done.
  const Error* execute(Recipe& recipe, std::span<Cell* const> inputs, Cell** outputs);
  /// A row-major copy in the memory of `target`, as a recorded op; takes no user of `from`.
  Result<Cell*> to_device(Cell* from, const OpRunner& target, Transfer::Reason reason);
  /// Reports a copy that run() has made to the observer. Returns its error, or null.
  const Error* finish_transfer(PreparedOp* op) const;
  /// Gives the cells (leaves) copies of their bytes in the memory of `target`: same cells, other memory. Returns the
  /// bytes copied. After a refusal all are where they were.
  Result<int64_t> relocate(std::span<Cell* const> cells, OpRunner& target);

  Devices devices;
  Tape tape;
  ScaleRecipes scales;
  Backward backward;
  Observer* observer = nullptr;  ///< receives the copies that variables make; null: none does
  uint64_t seed;
  uint64_t variables = 0;  ///< made from fills: their streams
  int no_grad = 0;         ///< scopes in which nothing is recorded

 private:
  void end_if_unused() {
    if (!session_lives_ && tape.cells() == 0) delete this;
  }
  bool ready_several(Recipe& recipe, std::span<const Slot* const> inputs, Cell** outputs, PreparedOp*& op);

  bool session_lives_ = true;
};

}  // namespace engine::eager
