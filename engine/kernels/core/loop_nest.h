// SPDX-License-Identifier: Apache-2.0
// Turns strided operands of equal shape into as few nested loops as their layouts allow: the body
// of every elementwise kernel.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "engine/kernels/core/parallel.h"
#include "engine/kernels/core/walk_loops.h"
#include "engine/tensor/tensor.h"

namespace engine::cpu {

inline constexpr int kMaxOperands = 5;

/// Operands of a fused loop: those it reads, its result, and the output of the library call before it.
inline constexpr int kMaxFusedOperands = 14;

/// Addresses of one operand tuple.
template <int kMost>
using AddressesOf = std::array<std::byte*, kMost>;
using Addresses = AddressesOf<kMaxOperands>;

template <int kMost>
using LoopNestOf = loops::RowNest<kMost>;
using LoopNest = LoopNestOf<kMaxOperands>;
using FusedLoopNest = LoopNestOf<kMaxFusedOperands>;

/// Loops over `tensors`, all broadcastable to `shape` from the right (missing and extent-1 axes
/// repeat). Axes are sorted by the strides of tensors[leader] and merged where every operand allows
/// it. `shape` must have at least one element.
template <int kMost>
LoopNestOf<kMost> make_loops_of(const Shape& shape, std::span<const TensorType> tensors, int leader);
inline LoopNest make_loops(const Shape& shape, std::span<const TensorType> tensors, int leader) {
  return make_loops_of<kMaxOperands>(shape, tensors, leader);
}

/// The same in tiles where operands lie across each other (loops::tiled()); for bodies that take rows in any order.
inline LoopNest make_tiled_loops(const Shape& shape, std::span<const TensorType> tensors, int leader) {
  std::array<int64_t, kMaxOperands> bytes{};
  for (size_t k = 0; k < tensors.size(); ++k) bytes[k] = size_bytes(tensors[k].dtype);
  return engine::loops::tiled<kMaxOperands>(make_loops(shape, tensors, leader), bytes);
}

/// Calls body(addresses, count) for stretches of consecutive elements of rows that together cover
/// all, split over `threads`.
template <int kMost, class Body>
void run_loops(const LoopNestOf<kMost>& loops, const std::type_identity_t<AddressesOf<kMost>>& base, int threads,
               const Body& body) {
  const int64_t rows = loops.rows(), work = rows * loops.inner;
  if (rows == 1) {
    parallel_parts(threads, loops.inner, 64, work, [&](int64_t begin, int64_t end) {
      AddressesOf<kMost> at = base;
      for (int k = 0; k < loops.operands; ++k) at[k] += begin * loops.inner_stride[k];
      body(at, end - begin);
    });
    return;
  }
  struct Rows : engine::loops::Computes {
    const Body& body;
    int64_t inner;
    void row(const AddressesOf<kMost>& at) const { body(at, inner); }
  };
  parallel_parts(threads, rows, 1, work, [&](int64_t begin, int64_t end) {
    Rows visitor{{}, body, loops.inner};
    engine::loops::walk_rows(loops, base, {begin, end}, visitor);
  });
}

}  // namespace engine::cpu
