// SPDX-License-Identifier: Apache-2.0
// The factories of the kernels that pick and place elements, listed in indexing.cpp.
#pragma once

#include <memory>

#include "engine/cpu/kernels.h"

namespace engine::cpu {

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
