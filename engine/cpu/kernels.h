// SPDX-License-Identifier: Apache-2.0
// The list of CPU kernels: which code may compute which op. What none of them takes is computed by
// the op's reference.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "engine/cpu/context.h"
#include "engine/cpu/finish.h"
#include "engine/graph/fused.h"
#include "engine/runtime/backend.h"

namespace engine::cpu {

/// One way to compute one op. Kernels of an op are asked in list order.
struct Kernel {
  std::string_view op;
  /// The op made ready, or null: not for these types and layouts. May throw dnnl::error and
  /// std::bad_alloc (the backend catches).
  std::unique_ptr<PreparedOp> (*prepare)(Context&, const PrepareRequest&);
  /// Scratch bytes prepare() will find in the request; null: none. 0 where prepare() would return
  /// null.
  int64_t (*workspace_bytes)(Context&, const Node&, const Call&) = nullptr;
};

/// All kernels, one line each.
std::span<const Kernel> kernels();

/// The op by the first kernel that takes it, else by its reference.
Result<std::unique_ptr<PreparedOp>> prepare_op(Context&, const PrepareRequest&);
/// Scratch bytes prepare_op() wants in the request.
int64_t op_workspace(Context&, const Node&, const Call&);

// One factory per kernel; the file of the op family explains it.
// Those of conv2d are conv3d's as well.
std::unique_ptr<PreparedOp> prepare_conv2d(Context&, const PrepareRequest&);
int64_t conv2d_workspace(Context&, const Node&, const Call&);
struct FoldedConvolutionCall {
  std::unique_ptr<PreparedOp> op;  ///< null: there are none, or none that fold
  bool finishes = false;           ///< it calls what goes over the result
};
/// The convolution and batch norm that a fused op begins with as one convolution; see convolution_fused.cpp. Output 0 of the request
/// is theirs; what goes over it behind them is not called where the program has no such members.
FoldedConvolutionCall prepare_folded_convolution(Context&, const FusedProgram&, const PrepareRequest&, Finish);
int64_t folded_convolution_workspace(Context&, const FusedProgram&, const Call&);
std::unique_ptr<PreparedOp> prepare_conv2d_grad_input(Context&, const PrepareRequest&);
int64_t conv2d_grad_input_workspace(Context&, const Node&, const Call&);
std::unique_ptr<PreparedOp> prepare_conv2d_grad_weight(Context&, const PrepareRequest&);
int64_t conv2d_grad_weight_workspace(Context&, const Node&, const Call&);

// matmul and linear by the library that matmul_order() names; the others are there to be measured and as second choice.
std::unique_ptr<PreparedOp> prepare_matmul(Context&, const PrepareRequest&);
int64_t matmul_workspace(Context&, const Node&, const Call&);
std::unique_ptr<PreparedOp> prepare_blas_matmul(Context&, const PrepareRequest&);
std::unique_ptr<PreparedOp> prepare_own_matmul(Context&, const PrepareRequest&);
std::unique_ptr<PreparedOp> prepare_own_matmul(int threads, const PrepareRequest&);
int64_t own_matmul_workspace(Context&, const Node&, const Call&);
std::unique_ptr<PreparedOp> prepare_dnnl_matmul(Context&, const PrepareRequest&);
int64_t dnnl_matmul_workspace(Context&, const Node&, const Call&);

std::unique_ptr<PreparedOp> prepare_relayout(Context&, const PrepareRequest&);
std::unique_ptr<PreparedOp> prepare_slice_grad(Context&, const PrepareRequest&);
std::unique_ptr<PreparedOp> prepare_write_slice(Context&, const PrepareRequest&);

/// All elementwise ops and the SGD updates.
std::unique_ptr<PreparedOp> prepare_elementwise(Context&, const PrepareRequest&);

std::unique_ptr<PreparedOp> prepare_batch_norm_training(Context&, const PrepareRequest&);
std::unique_ptr<PreparedOp> prepare_batch_norm_inference(Context&, const PrepareRequest&);
std::unique_ptr<PreparedOp> prepare_batch_norm_grad(Context&, const PrepareRequest&);
std::unique_ptr<PreparedOp> prepare_batch_norm_running_update(Context&, const PrepareRequest&);
int64_t batch_norm_workspace(Context&, const Node&, const Call&);

// Average: also the global ones.
std::unique_ptr<PreparedOp> prepare_max_pool(Context&, const PrepareRequest&);
std::unique_ptr<PreparedOp> prepare_max_pool_grad(Context&, const PrepareRequest&);
std::unique_ptr<PreparedOp> prepare_average_pool(Context&, const PrepareRequest&);
std::unique_ptr<PreparedOp> prepare_average_pool_grad(Context&, const PrepareRequest&);

std::unique_ptr<PreparedOp> prepare_softmax(Context&, const PrepareRequest&);  // and its gradient
std::unique_ptr<PreparedOp> prepare_cross_entropy(Context&, const PrepareRequest&);
std::unique_ptr<PreparedOp> prepare_cross_entropy_grad(Context&, const PrepareRequest&);

std::unique_ptr<PreparedOp> prepare_sum(Context&, const PrepareRequest&);
int64_t sum_workspace(Context&, const Node&, const Call&);

// One list per later family.
std::span<const Kernel> attention_kernels();
std::span<const Kernel> casting_kernels();
std::span<const Kernel> dropout_kernels();
std::span<const Kernel> im2col_kernels();
std::span<const Kernel> elementwise_kernels();
std::span<const Kernel> fused_kernels();
std::span<const Kernel> indexing_kernels();
std::span<const Kernel> ladder_kernels();
std::span<const Kernel> loss_scaling_kernels();
std::span<const Kernel> probe_kernels();
std::span<const Kernel> quantized_kernels();
std::span<const Kernel> norms_kernels();
std::span<const Kernel> optimizers_kernels();
std::span<const Kernel> linear_algebra_kernels();
std::span<const Kernel> recurrent_kernels();
std::span<const Kernel> recurrent_state_kernels();

}  // namespace engine::cpu
