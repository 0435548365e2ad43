// SPDX-License-Identifier: Apache-2.0
// What the kernels of recurrent layers have in common.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/cpu/context.h"
#include "engine/cpu/products.h"
#include "engine/graph/op.h"
#include "engine/tensor/tensor.h"

namespace engine::cpu {

/// c = op(a) op(b) + beta * c, all row-major f32, shared among the context's threads.
class RecurrentProduct {
 public:
  explicit RecurrentProduct(const Context& context) : products_(context, /*shared=*/true) {}
  void operator()(char trans_a, char trans_b, int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* b, int64_t ldb, float beta, float* c,
                  int64_t ldc) const {
    products_.run(m, n, k, 1, {a, lda, trans_a == 'T'}, {b, ldb, trans_b == 'T'}, beta, c, ldc);
  }
  const char* name() const { return products_.name(); }
  /// See Products.
  int64_t workspace_bytes(std::span<const ProductShape> shapes) const { return products_.workspace_bytes(shapes); }
  void bind(std::byte* workspace, std::span<const ProductShape> shapes) { products_.bind(workspace, shapes); }

 private:
  Products<float> products_;
};

/// c = a w + beta * c, of many a with one w, which is packed once for all of them.
class PackedProduct {
 public:
  struct Shape {
    int64_t m, n, k, lda, ldc;
    bool transposed = false;  ///< w is given as [n, k]
    bool adds = false;        ///< beta is 1, else 0
    int64_t times = 1;        ///< products between two packings
  };
  /// Null where packing does not pay: few or thin products, and CPUs whose kernels take w as it lies; and where the backend has no oneDNN,
  /// whose layouts these are.
  static std::unique_ptr<PackedProduct> make(Context&, const Shape&);

  virtual ~PackedProduct() = default;
  virtual int64_t workspace_bytes() const = 0;
  virtual void bind(std::byte* workspace) = 0;
  virtual void pack(const float* w) = 0;
  virtual void run(const float* a, float* c) = 0;
};
using PackedProducts = std::vector<std::unique_ptr<PackedProduct>>;
/// What several of them need, one behind the other; each part in whole lines.
int64_t workspace_bytes(const PackedProducts&);
void bind_products(const PackedProducts&, std::byte* workspace);

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
std::string recurrent_kernel_name(const Node& node, const RecurrentProduct&, bool packs);

}  // namespace engine::cpu
