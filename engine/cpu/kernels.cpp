// SPDX-License-Identifier: Apache-2.0
// The table of CPU kernels.
#include "engine/cpu/kernels.h"

namespace engine::cpu {

std::span<const Kernel> kernels() {
  static constexpr Kernel kKernels[] = {
      {"conv2d", prepare_conv2d, conv2d_workspace},
      {"conv2d_grad_input", prepare_conv2d_grad_input, conv2d_grad_input_workspace},
      {"conv2d_grad_weight", prepare_conv2d_grad_weight, conv2d_grad_weight_workspace},
      {"matmul", prepare_blas_matmul},
      {"matmul", prepare_dnnl_matmul, dnnl_matmul_workspace},
      {"linear", prepare_blas_matmul},
      {"linear", prepare_dnnl_matmul, dnnl_matmul_workspace},
      {"contiguous", prepare_relayout},
      {"relayout", prepare_relayout},
      {"slice_grad", prepare_slice_grad},
      {"add", prepare_elementwise},
      {"subtract", prepare_elementwise},
      {"multiply", prepare_elementwise},
      {"scaled_add", prepare_elementwise},
      {"scale", prepare_elementwise},
      {"copy", prepare_elementwise},
      {"relu", prepare_elementwise},
      {"relu_grad", prepare_elementwise},
      {"sigmoid", prepare_elementwise},
      {"sigmoid_grad", prepare_elementwise},
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
  };
  return kKernels;
}

}  // namespace engine::cpu
