// SPDX-License-Identifier: Apache-2.0
// The list of CUDA kernels: which code computes which op for which types.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/cuda/context.h"
#include "engine/runtime/backend.h"

namespace engine::cuda {

using PreparedKernel = Result<std::unique_ptr<PreparedOp>>;

/// One way to compute one op.
struct Kernel {
  std::string_view op;
  /// Whether it takes these types (layouts are prepare()'s matter).
  bool (*takes)(const Node&, const Call&);
  PreparedKernel (*prepare)(Context&, const PrepareRequest&);
  /// Scratch bytes prepare() will find in the request; null: none.
  int64_t (*workspace_bytes)(const Context&, const Node&, const Call&) = nullptr;
};

/// All kernels.
std::span<const Kernel> kernels();

// One list per family.
std::span<const Kernel> along_axis_kernels();
std::span<const Kernel> attention_kernels();
std::span<const Kernel> convolution_kernels();
std::span<const Kernel> copy_kernels();
std::span<const Kernel> elementwise_kernels();
std::span<const Kernel> fused_kernels();
std::span<const Kernel> gather_kernels();
std::span<const Kernel> load_kernels();
std::span<const Kernel> norm_kernels();
std::span<const Kernel> pooling_kernels();
std::span<const Kernel> probe_kernels();
std::span<const Kernel> product_kernels();
std::span<const Kernel> reduce_kernels();
std::span<const Kernel> update_kernels();
std::span<const Kernel> window_kernels();

/// Whether all operands are of the dtypes our float kernels are written for; integer operands (labels, indices) are
/// `whole`'s.
bool takes_floats(const Node&, const Call&);
bool takes_any(const Node&, const Call&);

/// An op that is one launch (or a few): `launch` resolves nothing, it only launches.
PreparedKernel launched(Context&, const PrepareRequest&, KernelFacts facts,
                        std::function<cudaError_t(const Launcher&)> launch);
/// The same of a kernel of which nothing but its name is to be said.
PreparedKernel launched(Context&, const PrepareRequest&, std::string kernel_name,
                        std::function<cudaError_t(const Launcher&)> launch);
PreparedKernel prepare_round_trip(Context&, const PrepareRequest&);
/// "[conv2d] layer1.conv: the operand has more than 8 axes that cannot be merged".
Error refuse(const PrepareRequest&, std::string_view why);

}  // namespace engine::cuda
