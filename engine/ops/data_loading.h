// SPDX-License-Identifier: Apache-2.0
// load_batch: where a step gets its samples from when they come from files.
#pragma once

#include <cstdint>

#include "engine/graph/builder.h"

namespace engine::ops {

/// load_batch() -> images f32 [batch, channels, height, width] {shape, batches, overlap, delay, seed, from_memory}: the
/// next of `batches` batches of a data set, after the last one the first again. Each is read from a file, decoded
/// (zlib) to 8-bit pixels and copied into the result as (p - 127.5) / 127.5. With overlap 1 two threads read and decode
/// ahead, two batches at most at each place; with 0 all happens in the op, one after the other. from_memory 1: one
/// batch is read and decoded when the op is made ready, and each step copies that one. `delay`: microseconds that each
/// read takes longer than the file system needs. The data set is made when the op is made ready, from `seed`, in a
/// temporary file without a name. Not in the catalog of ops: it has no operand a reference could compute from.
extern const Op kLoadBatch;

struct LoadBatchOptions {
  int64_t batches = 8;
  bool overlap = true;
  int64_t delay_us = 0;
  int64_t seed = 1;
  bool memory = false;
};
/// `shape`: [batch, channels, height, width].
ValueId load_batch(GraphBuilder&, const Shape& shape, const LoadBatchOptions& options);

}  // namespace engine::ops
