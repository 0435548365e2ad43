// SPDX-License-Identifier: Apache-2.0
// Matrix products: c[z] = a[z] b[z] + bias, in any strides; through cuBLASLt where it is here and takes them, else our
// own kernel.
#pragma once

#include "engine/cuda/data.h"
#include "engine/cuda/elementwise.h"
#include "engine/cuda/kernels.h"
#include "engine/cuda/launch.h"

namespace engine::cuda {

/// How the sum over k of a product is cut so that the GPU is filled.
struct PartPlan {
  int64_t count = 1, length = 0;
};
/// Tiles of 64 x 64; parts no shorter than 256.
PartPlan plan_parts(int64_t m, int64_t n, int64_t k, int64_t batches, int multiprocessors);

struct Product {
  int64_t m = 0, n = 0, k = 0;
  Data a, b, c, bias;         ///< bias: bytes null, or n elements
  int64_t a_strides[2] = {};  ///< [m, k]
  int64_t b_strides[2] = {};  ///< [k, n]
  int64_t c_strides[2] = {};  ///< [m, n]
  int64_t bias_stride = 1;
  Walk<3> batch;  ///< [0] = c, [1] = a, [2] = b: where each matrix begins
  Arithmetic arithmetic = Arithmetic::float32;
  PartPlan parts;
  void* sums = nullptr;
};
/// Bytes that `sums` needs.
int64_t sums_bytes(const Product&);
/// Our own kernel.
cudaError_t launch(const Launcher&, const Product&);

/// The op made ready. `product` has shapes, strides and addresses.
PreparedKernel prepare_product(Context&, const PrepareRequest&, Product product);
/// Scratch bytes that prepare_product() will want.
int64_t product_workspace(const Context&, const Product& product);

/// Double for f64, whole numbers for integers, float for the others.
Arithmetic product_arithmetic(DType);

}  // namespace engine::cuda
