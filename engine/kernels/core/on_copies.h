// SPDX-License-Identifier: Apache-2.0
// Kernels on copies of their operands: what no kernel takes as it lies, or in its type, is copied into the workspace,
// computed on there, and the results are copied back. 16-bit floats are computed on in f32 and rounded once on their
// way back.
#pragma once

#include <memory>
#include <vector>

#include "engine/kernels/core/kernels.h"
#include "engine/tensor/operand_copies.h"

namespace engine::cpu {

/// Whether some operand is bf16 or f16.
bool has_16_bit_floats(const Call&);

/// The first kernel of the op's list that takes the request and for which it brings workspace enough, or null. Throws
/// std::bad_alloc.
std::unique_ptr<PreparedOp> prepare_listed(Context&, const PrepareRequest&);
/// The most that one of them asks for.
int64_t listed_workspace(Context&, const Node&, const Call&);

/// Images, volumes with their channels side by side, densely.
inline constexpr OperandCopies kChannelsLast{.widens = false, .layout = CopyLayout::channels_last};

/// A kernel that stands behind copies.
using PrepareKernel = std::unique_ptr<PreparedOp> (*)(Context&, const PrepareRequest&);
using KernelWorkspace = int64_t (*)(Context&, const Node&, const Call&);

/// `prepare` on operands so copied; where none of them has to be, on themselves. Null where it is null, and where one
/// that has to be repeats_too_much().
std::unique_ptr<PreparedOp> prepare_on_copies(Context&, const PrepareRequest&, const OperandCopies&,
                                              PrepareKernel prepare);
/// Whether a copy, which holds each element that a stride of 0 repeats, would be many times as large and larger than is
/// right: none is made then.
bool repeats_too_much(const TensorType&);
/// What a KernelWorkspace may answer where there is no kernel; counts as 0.
inline constexpr int64_t kNoKernel = -1;
/// Room for the copies, and for what `workspace` (or null) asks for behind them; kNoKernel where that is its answer,
/// and where prepare_on_copies() is null for what repeats.
int64_t workspace_on_copies(Context&, const Node&, const Call&, const OperandCopies&, KernelWorkspace workspace);

/// Facts of a kernel on such copies of operands, the 16-bit ones of which are `narrow`.
KernelFacts facts_on_copies(const OperandCopies&, DType narrow, KernelFacts of_kernel);

/// Where a copy stays between the steps, so many bytes; null: memory is scarce. No plan has counted it: all that are
/// kept take half of what is left at most.
std::shared_ptr<Storage> keep(const Context&, int64_t bytes);

/// Null when no kernel takes copies of any kind.
std::unique_ptr<PreparedOp> prepare_on_any_copies(Context&, const PrepareRequest&);
/// Room for it; 0 when a kernel takes the operands as they are.
int64_t workspace_on_any_copies(Context&, const Node&, const Call&);

}  // namespace engine::cpu
