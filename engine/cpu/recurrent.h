// SPDX-License-Identifier: Apache-2.0
// What the kernels of recurrent layers have in common.
#pragma once

#include <string>
#include <vector>

#include "engine/graph/op.h"
#include "engine/tensor/tensor.h"

namespace engine::cpu {

/// c = op(a) op(b) + beta * c, all row-major f32 (oneDNN's sgemm on the calling thread's count of threads).
void recurrent_product(char trans_a, char trans_b, int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* b, int64_t ldb,
                       float beta, float* c, int64_t ldc);

/// Tensors number `from` and on are f32 and row-major; `states` of them from `first_state` on may have any strides.
bool plain_f32(const std::vector<Tensor>& tensors, size_t from = 0, size_t first_state = 0, size_t states = 0);

/// Element (i, j, k) of an f32 tensor of rank 3.
inline float element(const Tensor& tensor, int64_t i, int64_t j, int64_t k) {
  const Strides& s = tensor.strides();
  return tensor.data_as<const float>()[i * s[0] + j * s[1] + k * s[2]];
}

/// A state before the first step, [D, B, H], in one piece: states nobody gives are zeros repeated with stride 0.
class FirstState {
 public:
  explicit FirstState(const Tensor& tensor);
  /// Call once per run, before data().
  void gather();
  const float* data() const { return piece_.empty() ? tensor_.data_as<const float>() : piece_.data(); }

 private:
  Tensor tensor_;
  std::vector<float> piece_;
};

/// sums[j] = sum over rows of from[row, j], in double.
void sum_rows(const float* from, int64_t rows, int64_t columns, float* sums);

/// "own gru (oneDNN sgemm, AVX3)".
std::string recurrent_kernel_name(const Node& node);

}  // namespace engine::cpu
