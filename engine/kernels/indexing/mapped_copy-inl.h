// SPDX-License-Identifier: Apache-2.0
// The parts of copies by tables (mapped_copy_loops.h), over memory that is plain (indexing.cpp) or, in a test, notes
// each access.
#pragma once

#include "engine/kernels/core/copy-inl.h"
#include "engine/kernels/indexing/indexing.h"
#include "engine/kernels/indexing/mapped_copy_loops.h"

namespace engine::cpu {

template <class M = ScalarMemory>
struct MappedCopyParts : loops::Computes {
  const std::byte* x = nullptr;
  std::byte* y = nullptr;
  int64_t element_bytes = 0;
  ElementPattern pattern;

  MappedCopyParts(const std::byte* from, std::byte* to, DType dtype, double missing)
      : x(from), y(to), element_bytes(size_bytes(dtype)), pattern(dtype, missing) {}

  void copy(int64_t from, int64_t to, int64_t count) const {
    if (count == 1) copy_row_over<M>(x + from, 0, y + to, 0, 1, element_bytes);  // no call for so few bytes
    else M::copy_elements(x + from, y + to, count * element_bytes, element_bytes);
  }
  void missing(int64_t to, int64_t count) const { pattern.fill<M>(y + to, count); }
};

}  // namespace engine::cpu
