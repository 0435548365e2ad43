// SPDX-License-Identifier: Apache-2.0
// The factories of the kernels that pick and place elements, listed in indexing.cpp.
#pragma once

#include <memory>
#include <utility>

#include "engine/kernels/core/copy-inl.h"
#include "engine/kernels/core/kernels.h"

namespace engine::cpu {

/// Op<T>, T an unsigned integer as wide as elements of the type: for kernels that move elements and do not compute with
/// them.
template <template <class> class Op, class... A>
std::unique_ptr<PreparedOp> make_moving(DType dtype, A&&... arguments) {
  return with_bytes(size_bytes(dtype), [&](auto zero) -> std::unique_ptr<PreparedOp> {
    return std::make_unique<Op<decltype(zero)>>(std::forward<A>(arguments)...);
  });
}

// data_dependent.cpp
std::unique_ptr<PreparedOp> prepare_non_zero(Context&, const PrepareRequest&);
std::unique_ptr<PreparedOp> prepare_compress(Context&, const PrepareRequest&);
std::unique_ptr<PreparedOp> prepare_unique(Context&, const PrepareRequest&);
std::unique_ptr<PreparedOp> prepare_non_max_suppression(Context&, const PrepareRequest&);
std::unique_ptr<PreparedOp> prepare_known_values(Context&, const PrepareRequest&);

// roi_align.cpp
std::unique_ptr<PreparedOp> prepare_roi_align(Context&, const PrepareRequest&);

// indexing_sums.cpp
std::unique_ptr<PreparedOp> prepare_gather_grad(Context&, const PrepareRequest&);
std::unique_ptr<PreparedOp> prepare_embedding_bag(Context&, const PrepareRequest&);

// indexing_elements.cpp
std::unique_ptr<PreparedOp> prepare_gather_elements(Context&, const PrepareRequest&);
std::unique_ptr<PreparedOp> prepare_gather_nd(Context&, const PrepareRequest&);
std::unique_ptr<PreparedOp> prepare_scatter_elements(Context&, const PrepareRequest&);
std::unique_ptr<PreparedOp> prepare_scatter_nd(Context&, const PrepareRequest&);
std::unique_ptr<PreparedOp> prepare_top_k(Context&, const PrepareRequest&);

// indexing_reverse.cpp
std::unique_ptr<PreparedOp> prepare_reverse_sequence(Context&, const PrepareRequest&);

// indexing_resize.cpp: linear and cubic
std::unique_ptr<PreparedOp> prepare_resize(Context&, const PrepareRequest&);

}  // namespace engine::cpu
