// SPDX-License-Identifier: Apache-2.0
// Tape: cells, which variables are handles of, and the ops recorded for gradients.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/eager/pool.h"
#include "engine/eager/runner.h"

namespace engine::eager {

struct Core;
struct Recorded;

/// What a Variable is a handle of: a tensor in place, or the error that kept it from being
/// computed.
struct Cell {
  Core* core = nullptr;  ///< null: a failed cell without session
  uint32_t users = 0;    ///< handles, recorded ops that read it as a leaf, its leaf when it is a gradient
  uint32_t output = 0;   ///< of `maker`
  bool requires_grad = false;
  Slot slot;
  Recorded* maker = nullptr;  ///< the recorded op that made it; null: a leaf
  Cell* gradient = nullptr;   ///< leaves: what backward() added up
  std::unique_ptr<Error> error;
  uint64_t walk = 0;   ///< backward walk that met it last ...
  uint32_t index = 0;  ///< ... and its number there
};

/// An operand of a recorded op: where its gradient goes, and its bytes where the op's gradient
/// needs them.
struct RecordedOperand {
  Recorded* maker = nullptr;  ///< inputs made by a recorded op
  Cell* leaf = nullptr;       ///< inputs that require a gradient of their own
  uint32_t output = 0;        ///< of `maker`
  uint32_t version = 0;       ///< of the bytes when they were saved
  Block* saved = nullptr;
  std::byte* data = nullptr;
};

/// One op on the tape. The tape is what can be reached from the variables that are still held;
/// nothing else keeps it.
struct Recorded {
  static constexpr size_t kInline = 4;
  Recipe* recipe = nullptr;
  uint64_t sequence = 0;  ///< in the order they ran
  uint32_t users = 0;     ///< cells it made, recorded ops that read them
  uint32_t index = 0;
  uint64_t walk = 0;
  RecordedOperand* operands = nullptr;  ///< inputs, then outputs
  std::array<RecordedOperand, kInline> few;
  std::unique_ptr<RecordedOperand[]> many;
};

/// Objects of one kind that are used again.
template <class T>
class Recycler {
 public:
  T* take() {
    if (free_.empty()) {
      auto chunk = std::make_unique<T[]>(kChunk);
      for (size_t i = kChunk; i-- > 0;) free_.push_back(&chunk[i]);
      chunks_.push_back(std::move(chunk));
    }
    T* object = free_.back();
    free_.pop_back();
    return object;
  }
  void put(T* object) { free_.push_back(object); }

 private:
  static constexpr size_t kChunk = 256;
  std::vector<std::unique_ptr<T[]>> chunks_;
  std::vector<T*> free_;
};

/// The cells of a session and its recorded ops. For one thread.
class Tape {
 public:
  /// A cell of `core` with one user.
  Cell* new_cell(Core& core) {
    Cell* cell = free_cells_.take();
    cell->core = &core;
    cell->users = 1;
    ++cells_;
    return cell;
  }
  static void keep(Cell* cell) { ++cell->users; }
  /// Takes back a cell without users, and the recorded ops that nothing can reach any more. Without recursion: tapes
  /// may be long.
  void release(Cell* cell);
  /// Records an op that ran, where one of its outputs is floating-point and none overwrites an input.
  void record(Recipe& recipe, std::span<Cell* const> inputs, std::span<Cell* const> outputs);

  int64_t cells() const { return cells_; }
  int64_t recorded_ops() const { return recorded_ops_; }
  int64_t saved_bytes() const { return saved_bytes_; }  ///< of distinct blocks kept for gradients

 private:
  void release(Cell* cell, std::vector<Recorded*>& unreachable);
  void release(Recorded* op, std::vector<Recorded*>& unreachable);

  Recycler<Cell> free_cells_;
  Recycler<Recorded> free_records_;
  uint64_t next_sequence_ = 0;
  int64_t cells_ = 0, recorded_ops_ = 0, saved_bytes_ = 0;
};

}  // namespace engine::eager
