// SPDX-License-Identifier: Apache-2.0
// Products of recurrent layers with weights that are packed once for all steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/kernels/core/context.h"

namespace engine::cpu {

/// c = a w + beta * c, of many a with one w, which is packed once for all of them.
class PackedProduct {
 public:
  struct Shape {
    int64_t m, n, k, lda, ldc;
    bool transposed = false;  ///< w is given as [n, k]
    bool adds = false;        ///< beta is 1, else 0
    int64_t times = 1;        ///< products between two packings
  };
  /// Null where packing does not pay: few or thin products, and CPUs whose kernels take w as it lies; and where the
  /// backend has no oneDNN, whose layouts these are.
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

}  // namespace engine::cpu
