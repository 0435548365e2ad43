// SPDX-License-Identifier: Apache-2.0
// The table of CPU kernels: one list per family.
#include "engine/kernels/core/kernels.h"

#include <vector>

namespace engine::cpu {
namespace {

/// The families, one line each. Where two have a kernel for one op, the earlier is asked first.
std::vector<Kernel> all_kernels() {
  std::vector<Kernel> all;
  for (const std::span<const Kernel> family : {
           winograd_kernels(),       onednn_kernels(),       matmul_kernels(),         copy_kernels(),
           elementwise_kernels(),    batch_norm_kernels(),   pooling_kernels(),        softmax_kernels(),
           reduction_kernels(),      along_axis_kernels(),   volume_pooling_kernels(), power_kernels(),
           resize_grad_kernels(),    group_norm_kernels(),   response_norm_kernels(),  own_convolution_kernels(),
           attention_kernels(),      dropout_kernels(),      im2col_kernels(),         norms_kernels(),
           recurrent_kernels(),      casting_kernels(),      fused_kernels(),          indexing_kernels(),
           ladder_kernels(),         loss_scaling_kernels(), quantized_kernels(),      optimizers_kernels(),
           linear_algebra_kernels(), probe_kernels(),
       }) {
    for (const Kernel& kernel : family) all.push_back(kernel);
  }
  return all;
}

}  // namespace

std::span<const Kernel> kernels() {
  static const std::vector<Kernel> all = all_kernels();
  return all;
}

std::vector<Kernel> kernels_of(const Context& context, const Op& op) {
  std::vector<Kernel> found;
  for (const Kernel& kernel : kernels()) {
    if (kernel.op == op.name && (context.dnnl != nullptr || !kernel.onednn)) found.push_back(kernel);
  }
  if (found.empty() && op.elementwise) found.push_back({op.name, prepare_elementwise});
  return found;
}

}  // namespace engine::cpu
