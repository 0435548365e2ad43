// SPDX-License-Identifier: Apache-2.0
// Core: what a session and its variables share; cells, which variables are handles of; and the ops
// recorded for gradients.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/eager/pool.h"
#include "engine/eager/runner.h"
#include "engine/runtime/observer.h"

namespace engine::eager {

struct Core;
struct Recorded;
struct Program;

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

/// A further device of a session.
struct Place {
  Place(Backend& backend, const std::vector<OpRunner*>& runners, size_t number)
      : pool(backend), runner(backend, pool, runners, number) {}
  MemoryPool pool;
  OpRunner runner;
};

/// Who computes an op, and which of its operands lie elsewhere.
struct Meeting {
  OpRunner* runner = nullptr;
  uint64_t fetched = 0;  ///< bits: 0-d operands to be copied to it first
};

struct Core {
  Core(Backend& device, uint64_t first_seed);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  Cell* new_cell();
  void keep(Cell* cell) { ++cell->users; }
  /// Also lets go of recorded ops that nothing can reach any more (without recursion: tapes may be
  /// long).
  static void give_back(Cell* cell);
  /// One user less; the last one ends the core.
  static void leave(Core* core) {
    if (--core->users == 0) delete core;
  }
  static Cell* failed_cell(Core* core, Error error);

  // ---- devices (devices.cpp)
  /// Refused where the session has a device of that name.
  Result<void> add_device(Backend& device);
  /// Of the device whose memory the tensor lies in.
  OpRunner& runner_of(const Slot& slot) {
    // What gave its memory back lies nowhere: the first device answers for it.
    return slot.block.pool() == &pool || !slot.block ? runner : further_runner(*slot.block.pool());
  }
  /// Where one device can compute `op`: all operands lie there, or are 0-d and can be fetched. Refused, before anything
  /// is computed, naming op, operands and devices.
  Result<Meeting> meet(const Op& op, std::span<const Slot* const> operands);
  /// The recipe that fetches a 0-d operand.
  Result<Recipe*> fetching(const Slot& scalar, const OpRunner& target);
  /// A row-major copy in the memory of `target`, as a recorded op; takes no user of `from`.
  Result<Cell*> to_device(Cell* from, const OpRunner& target, Transfer::Reason reason);

  /// Tells the observer of a copy that run() has made; the error it met, or null.
  const Error* finish_transfer(PreparedOp* op) const;

  /// Gives the cells (leaves) copies of their bytes in the memory of `target`: same cells, other memory. Bytes copied.
  /// After a refusal all are where they were.
  Result<int64_t> relocate(std::span<Cell* const> cells, OpRunner& target);

  /// Computes the recipe's outputs from the inputs' bytes into new cells, one user each, and
  /// records the op where a gradient may be asked for. Null error: done.
  const Error* execute(Recipe& recipe, std::span<Cell* const> inputs, Cell** outputs);
  /// d(loss)/d(leaf) added to each leaf's gradient.
  Result<void> backward(Cell* loss);

  Backend& backend;
  MemoryPool pool;
  std::vector<OpRunner*> runners;  ///< of all devices, `runner` first
  OpRunner runner;
  std::vector<std::unique_ptr<Place>> places;  ///< of the further ones
  Observer* observer = nullptr;                ///< told of the copies that variables make
  uint64_t seed;
  uint64_t variables = 0;  ///< made from fills: their streams
  int64_t users = 1;       ///< the session, and each cell
  int no_grad = 0;         ///< scopes in which nothing is recorded
  int64_t recorded_ops = 0;
  int64_t saved_bytes = 0;  ///< of distinct blocks kept for gradients

  /// Of factor * x + shift; null: refused, see refusal(). Constants come as attributes, which take
  /// long to compare.
  Recipe* scale_recipe(const TypeInfo* type, double factor, double shift);
  const Error& refusal() const { return refusal_; }

 private:
  struct KnownScale {
    const TypeInfo* type = nullptr;
    double factor = 0, shift = 0;
    uint64_t generation = 0;
    Recipe* recipe = nullptr;
  };
  OpRunner& further_runner(const MemoryPool& other);
  bool ready_several(Recipe& recipe, std::span<const Slot* const> inputs, Cell** outputs, PreparedOp*& op);
  void record(Recipe& recipe, std::span<Cell* const> inputs, std::span<Cell* const> outputs);
  /// Which operands (bits: inputs, then outputs) the gradient by the `needed` inputs may read.
  uint64_t saved_operands(Recipe& recipe, uint64_t needed);
  void release(Cell* cell, std::vector<Recorded*>& unreachable);
  void release(Recorded* op, std::vector<Recorded*>& unreachable);
  Result<void> add_gradient(Cell* earlier, const Slot& gradient, Cell*& sum);
  Result<Program*> program_for(Cell* loss, std::span<Recorded* const> tape, std::span<Cell* const> leaves);
  void give_back(Program& program);

  std::array<KnownScale, 64> scales_;
  Error refusal_;
  Recycler<Cell> cells_;
  Recycler<Recorded> records_;
  uint64_t next_sequence_ = 0, next_walk_ = 0;
  std::vector<std::unique_ptr<Program>> programs_;  // the last backward passes, to be used again
  size_t next_program_ = 0;
};

}  // namespace engine::eager
