// SPDX-License-Identifier: Apache-2.0
// The list of CPU kernels: which code may compute which op. What none of them takes is computed by
// the op's reference.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/fused.h"
#include "engine/kernels/core/context.h"
#include "engine/kernels/core/finish.h"
#include "engine/runtime/backend.h"

namespace engine::cpu {

/// One way to compute one op. Kernels of an op are asked in list order.
struct Kernel {
  std::string_view op;
  /// The op made ready, or null: not for these types and layouts. May throw std::bad_alloc, and oneDNN's kernels
  /// dnnl::error (the backend catches).
  std::unique_ptr<PreparedOp> (*prepare)(Context&, const PrepareRequest&);
  /// Scratch bytes prepare() will find in the request; null: none. 0 where prepare() would return
  /// null.
  int64_t (*workspace_bytes)(Context&, const Node&, const Call&) = nullptr;
  bool onednn = false;       ///< asked only where Context::dnnl is there
  bool takes_empty = false;  ///< tensors without elements, too; scratch bytes are not asked for then
};

/// Asked while an exception of one of oneDNN's kernels is handled: whether memory was what it lacked, rather than a
/// kernel for the op. Other exceptions pass on.
bool onednn_lacked_memory();

/// All kernels, one line each, but that of elementwise ops which have none of their own.
std::span<const Kernel> kernels();
/// Those of one op that may be asked; for an elementwise op (Op::elementwise) that is not in the list,
/// prepare_elementwise.
std::vector<Kernel> kernels_of(const Context&, const Op&);

/// The op by the first kernel that takes it, else by its reference. Where no result has elements nothing is computed.
Result<std::unique_ptr<PreparedOp>> prepare_op(Context&, const PrepareRequest&);
/// Scratch bytes prepare_op() wants in the request.
int64_t op_workspace(Context&, const Node&, const Call&);
/// Backend::shortcut().
Shortcut op_shortcut(Context&, const Node&, const Call&, bool constant_weights);

struct FoldedConvolutionCall {
  std::unique_ptr<PreparedOp> op;  ///< null: there are none, or none that fold
  bool finishes = false;           ///< it calls what goes over the result
};
/// The convolution and batch norm that a fused op begins with as one convolution; see convolution_fused.cpp. Output 0
/// of the request is theirs; what goes over it behind them is not called where the program has no such members.
FoldedConvolutionCall prepare_folded_convolution(Context&, const FusedProgram&, const PrepareRequest&, Finish);
int64_t folded_convolution_workspace(Context&, const FusedProgram&, const Call&);
/// Of conv2d and conv2d_grad_input, by Winograd's minimal filtering. `on_copies`: of images, too, whose channels do not
/// lie side by side.
Shortcut winograd_shortcut(Context&, const Node&, const Call&, bool constant_weights, bool on_copies);

// The libraries of matrix products: matmul_kernels() asks the one that matmul_order() names. The others are there to be
// measured, and as second choice.
std::unique_ptr<PreparedOp> prepare_blas_matmul(Context&, const PrepareRequest&);
std::unique_ptr<PreparedOp> prepare_own_matmul(Context&, const PrepareRequest&);
/// `any_strides`: vectors times matrices, too, whose elements lie side by side along neither axis, which is no faster
/// than a library's.
std::unique_ptr<PreparedOp> prepare_own_matmul(int threads, const PrepareRequest&, bool any_strides = false);
int64_t own_matmul_workspace(Context&, const Node&, const Call&);
std::unique_ptr<PreparedOp> prepare_dnnl_matmul(Context&, const PrepareRequest&);
int64_t dnnl_matmul_workspace(Context&, const Node&, const Call&);

/// A copy that changes the order of the axes, by oneDNN; null: it does not, or oneDNN has nothing for the layouts.
std::unique_ptr<PreparedOp> prepare_transposition(Context&, const Tensor& from, const Tensor& to);

/// All elementwise ops and the SGD updates.
std::unique_ptr<PreparedOp> prepare_elementwise(Context&, const PrepareRequest&);

/// "oneDNN 2.6.3"; empty in a build without it.
std::string onednn_version();
/// oneDNN's, first of all; empty in a build without it.
std::span<const Kernel> onednn_kernels();
/// Whether oneDNN has a kernel for conv2d, conv3d or a gradient of theirs, other than plain loops.
bool onednn_convolves(Context&, const Node&, const Call&);
/// Convolutions where oneDNN is not or does not compute.
std::span<const Kernel> own_convolution_kernels();

// One list per family, or file of one; elementwise_kernels() has what is no elementwise op and goes by the same loops.
std::span<const Kernel> along_axis_kernels();
std::span<const Kernel> attention_kernels();
std::span<const Kernel> batch_norm_kernels();
std::span<const Kernel> casting_kernels();
std::span<const Kernel> copy_kernels();
std::span<const Kernel> dropout_kernels();
std::span<const Kernel> elementwise_kernels();
std::span<const Kernel> fused_kernels();
std::span<const Kernel> group_norm_kernels();
std::span<const Kernel> im2col_kernels();
std::span<const Kernel> indexing_kernels();
std::span<const Kernel> ladder_kernels();
std::span<const Kernel> linear_algebra_kernels();
std::span<const Kernel> loss_scaling_kernels();
std::span<const Kernel> matmul_kernels();
std::span<const Kernel> norms_kernels();
std::span<const Kernel> optimizers_kernels();
std::span<const Kernel> pooling_kernels();
std::span<const Kernel> power_kernels();
std::span<const Kernel> probe_kernels();
std::span<const Kernel> quantized_kernels();
std::span<const Kernel> recurrent_kernels();
std::span<const Kernel> reduction_kernels();
std::span<const Kernel> resize_grad_kernels();
std::span<const Kernel> response_norm_kernels();
std::span<const Kernel> softmax_kernels();
std::span<const Kernel> volume_pooling_kernels();
std::span<const Kernel> winograd_kernels();

}  // namespace engine::cpu
