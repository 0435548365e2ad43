// SPDX-License-Identifier: Apache-2.0
// The table of CPU kernels: the first families one line each here, every later family by its own list.
#include "engine/cpu/kernels.h"

#include <vector>

#include "engine/cpu/along_axis.h"
#include "engine/cpu/group_norm.h"
#include "engine/cpu/pooling_3d.h"
#include "engine/cpu/power.h"
#include "engine/cpu/resize_grad.h"
#include "engine/cpu/response_norm.h"
#include "engine/cpu/more_norms.h"

namespace engine::cpu {
namespace {

std::span<const Kernel> first_kernels() {
  static constexpr Kernel kKernels[] = {
      {"matmul", prepare_matmul, matmul_workspace},
      {"linear", prepare_matmul, matmul_workspace},
      {"contiguous", prepare_relayout},
      {"relayout", prepare_relayout},
      {"slice_grad", prepare_slice_grad},
      {"write_slice", prepare_write_slice},
      {"sgd", prepare_elementwise},
      {"sgd_momentum", prepare_elementwise},
      {"batch_norm_training", prepare_batch_norm_training, batch_norm_workspace},
      {"batch_norm_inference", prepare_batch_norm_inference},
      {"batch_norm_grad", prepare_batch_norm_grad, batch_norm_workspace},
      {"batch_norm_running_update", prepare_batch_norm_running_update},
      {"max_pool2d", prepare_max_pool},
      {"max_pool2d_grad", prepare_max_pool_grad},
      {"average_pool2d", prepare_average_pool},
      {"average_pool2d_grad", prepare_average_pool_grad},
      {"global_average_pool", prepare_average_pool},
      {"global_average_pool_grad", prepare_average_pool_grad},
      {"softmax", prepare_softmax},
      {"softmax_grad", prepare_softmax},
      {"softmax_cross_entropy", prepare_cross_entropy},
      {"softmax_cross_entropy_grad", prepare_cross_entropy_grad},
      {"sum", prepare_sum, sum_workspace},
      {"mean", prepare_sum, sum_workspace},
      {"log_sum", prepare_sum, sum_workspace},
      {"l1_norm", prepare_sum, sum_workspace},
      {"l2_norm", prepare_sum, sum_workspace},
      {"sum_of_squares", prepare_sum, sum_workspace},
      {"reduce_max", prepare_sum, sum_workspace},
      {"reduce_min", prepare_sum, sum_workspace},
      {"product", prepare_sum, sum_workspace},
      {"log_sum_exp", prepare_sum, sum_workspace},
      {"log_softmax", prepare_softmax},
      {"log_softmax_grad", prepare_softmax},
      {"cumulative_sum", prepare_cumulative_sum},
      {"argmax", prepare_arg},
      {"argmin", prepare_arg},
      {"hardmax", prepare_hardmax},
      {"max_pool3d", prepare_max_pool3d},
      {"max_pool3d_grad", prepare_max_pool3d_grad},
      {"average_pool3d", prepare_average_pool3d},
      {"average_pool3d_grad", prepare_average_pool3d_grad},
      {"power", prepare_power},
      {"resize_grad", prepare_resize_grad},
      {"group_norm", prepare_group_norm},
      {"group_norm_grad", prepare_group_norm_grad, group_norm_workspace},
      {"local_response_norm", prepare_response_norm},
      {"local_response_norm_grad", prepare_response_norm},
  };
  return kKernels;
}

/// The families, one line each. Where two have a kernel for one op, the earlier is asked first.
std::vector<Kernel> all_kernels() {
  std::vector<Kernel> all;
  for (const std::span<const Kernel> family : {
           onednn_kernels(),
           first_kernels(),
           own_convolution_kernels(),
           attention_kernels(),
           dropout_kernels(),
           im2col_kernels(),
           norms_kernels(),
           more_norm_kernels(),
           recurrent_kernels(),
           casting_kernels(),
           fused_kernels(),
           indexing_kernels(),
           ladder_kernels(),
           loss_scaling_kernels(),
           quantized_kernels(),
           optimizers_kernels(),
           linear_algebra_kernels(),
           probe_kernels(),
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
