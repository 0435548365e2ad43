// SPDX-License-Identifier: Apache-2.0
// Tensors over storages: shape, strides and offset of each, whose bytes they are, and what moving made it cost.
#pragma once

#include <string>
#include <vector>

#include "profiler/base/table.h"
#include "profiler/capture/capture.h"

namespace profiler {

/// How one tensor lies in a storage.
struct StoredTensor {
  TensorId tensor = kNoTensor;
  TensorId storage = kNoTensor;  ///< the tensor that owns the bytes: itself, or what it is a view of
  OpId made_by = kNoOp;          ///< kNoOp: it is there before the step
  bool view = false;             ///< a view op made it: nothing ran
  int64_t offset_elements = 0;   ///< from the storage's first element to its own first one; -1: unknown
  double moved_bytes = 0;        ///< read and written by the op that made it (exact); NaN: unknown, or no op made it
};

/// Those that are there before the step first, then in the order of the ops. Empty: no_storage_words() says why.
std::vector<StoredTensor> stored_tensors(const Capture&);
std::string no_storage_words(const Capture&);

/// "3 views move nothing. 1 copy moves 921,600 B."
std::vector<std::string> storage_sentences(const Capture&);
Table storage_table(const Capture&);

}  // namespace profiler
