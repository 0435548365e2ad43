// SPDX-License-Identifier: Apache-2.0
// What the kernels of recurrent layers have in common.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/cpu/context.h"
#include "engine/graph/op.h"
#include "engine/tensor/tensor.h"

namespace engine::cpu {

/// c = op(a) op(b) + beta * c, all row-major f32 (oneDNN's sgemm on the calling thread's count of threads).
void recurrent_product(char trans_a, char trans_b, int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* b, int64_t ldb,
                       float beta, float* c, int64_t ldc);

/// c = a w + beta * c as recurrent_product, of many a with one w, which is packed once for all of them.
class PackedProduct {
 public:
  struct Shape {
    int64_t m, n, k, lda, ldc;
    bool transposed = false;  ///< w is given as [n, k]
    bool adds = false;        ///< beta is 1, else 0
    int64_t times = 1;        ///< products between two packings
  };
  /// Nothing where packing does not pay: few or thin products, and CPUs whose kernels take w as it lies.
  static std::optional<PackedProduct> make(Context&, const Shape&);

  int64_t workspace_bytes() const { return workspace_bytes_; }
  void bind(std::byte* workspace);
  void pack(const float* w);
  void run(const float* a, float* c);

 private:
  PackedProduct(Context& context, const dnnl::matmul::primitive_desc& descriptor, const dnnl::memory::desc& plain);

  Context* context_;
  int64_t weight_bytes_ = 0, workspace_bytes_ = 0;
  dnnl::matmul primitive_;
  dnnl::reorder reorder_;
  dnnl::memory a_, plain_, packed_, c_, scratchpad_;
};
/// What several of them need, one behind the other; each part in whole lines.
int64_t workspace_bytes(const std::vector<std::optional<PackedProduct>>&);
void bind(std::vector<std::optional<PackedProduct>>&, std::byte* workspace);

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

/// "own gru (oneDNN sgemm, weights of the steps packed, AVX3)".
std::string recurrent_kernel_name(const Node& node, bool packs);

}  // namespace engine::cpu
