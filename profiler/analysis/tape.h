// SPDX-License-Identifier: Apache-2.0
// The step as a tape: op by op, which tensors are stored and freed, what is kept for the backward pass, and live bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/base/table.h"
#include "profiler/capture/capture.h"

namespace profiler {

/// A tensor that owns bytes and does not live across steps.
struct TapeTensor {
  TensorId tensor = kNoTensor;
  OpId first = 0, last = 0;  ///< alive from before `first` to after `last`; views of it included
  int64_t size_bytes = 0;
  bool kept = false;  ///< stored in the forward pass and read behind it: the backward pass needs it
};

struct Tape {
  std::vector<TapeTensor> tensors;  ///< by `first`, then by id
  std::vector<double> live_bytes;   ///< by op, while it runs (exact)
  std::vector<double> kept_bytes;   ///< by op: of them, those of kept tensors
  OpId peak_op = kNoOp;
  double peak_bytes = 0, peak_kept_bytes = 0;
  double persistent_bytes = 0;  ///< weights, inputs, optimiser state: no part of the figures above

  /// Tensors that are stored when `op` begins, and those freed when it has ended.
  std::vector<TapeTensor> stored(OpId op) const;
  std::vector<TapeTensor> freed(OpId op) const;
};

/// Of a capture or a plan. Empty where lifetimes are not known: no_tape_words() says why.
Tape tape(const Capture&);
/// One sentence; empty: there is a tape.
std::string no_tape_words(const Capture&);

/// A row per op: stored, freed, alive, kept.
Table tape_table(const Capture&);

}  // namespace profiler
