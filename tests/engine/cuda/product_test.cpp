// SPDX-License-Identifier: Apache-2.0
// What cuBLASLt is told of a product is that product: followed by hand, column by column, it gives what plain loops
// give.
#include "engine/cuda/product.h"

#include <gtest/gtest.h>

#include <vector>

#include "engine/cuda/convolution.h"
#include "engine/cuda/cublas_lt.h"

namespace {

using engine::DType;
using engine::Shape;
using engine::Strides;
using namespace engine::cuda;  // NOLINT: a test of this room

struct Layout {
  const char* label;
  int64_t a[2], b[2];  ///< strides of a [m, k] and b [k, n]
};

constexpr int64_t kM = 3, kN = 4, kK = 5, kBatch = 2;

Product product_of(const Layout& layout, int64_t a_step, int64_t b_step) {
  Product p;
  p.m = kM;
  p.n = kN;
  p.k = kK;
  p.a.dtype = p.b.dtype = p.c.dtype = DType::float32;
  for (int i = 0; i < 2; ++i) {
    p.a_strides[i] = layout.a[i];
    p.b_strides[i] = layout.b[i];
  }
  p.c_strides[0] = kN;
  p.c_strides[1] = 1;
  p.batch = *make_walk<3>({kBatch}, {Strides{kM * kN}, Strides{a_step}, Strides{b_step}});
  return p;
}

/// Element (i, j) of an operand as cuBLASLt reads it: column-major, perhaps transposed.
double element(const std::vector<double>& memory, int64_t begin, const LtMatrix& matrix, int64_t i, int64_t j) {
  return matrix.transposed ? memory.at(static_cast<size_t>(begin + j + i * matrix.leading))
                           : memory.at(static_cast<size_t>(begin + i + j * matrix.leading));
}

TEST(CudaProduct, CublasLtIsToldTheSameProduct) {
  const Layout layouts[] = {{"row-major", {kK, 1}, {kN, 1}},
                            {"a transposed", {1, kM}, {kN, 1}},
                            {"b transposed", {kK, 1}, {1, kK}},
                            {"both transposed", {1, kM}, {1, kK}},
                            {"rows with gaps", {kK + 2, 1}, {kN + 3, 1}}};
  std::vector<double> a(64), b(64);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = 1 + static_cast<double>(i % 7);
    b[i] = 2 - static_cast<double>(i % 5);
  }
  for (const Layout& layout : layouts) {
    SCOPED_TRACE(layout.label);
    for (const int64_t b_step : {int64_t{0}, int64_t{23}}) {  // 0: one b for all
      const Product p = product_of(layout, 24, b_step);
      const auto shape = lt_shape(p);
      ASSERT_TRUE(shape.has_value());
      EXPECT_EQ(shape->batch, kBatch);
      EXPECT_EQ(shape->d.rows, kN);
      EXPECT_EQ(shape->d.columns, kM);
      for (int64_t z = 0; z < kBatch; ++z) {
        for (int64_t i = 0; i < kM; ++i) {
          for (int64_t j = 0; j < kN; ++j) {
            double wanted = 0, told = 0;
            for (int64_t l = 0; l < kK; ++l) {
              wanted += a.at(static_cast<size_t>(z * 24 + i * p.a_strides[0] + l * p.a_strides[1])) *
                        b.at(static_cast<size_t>(z * b_step + l * p.b_strides[0] + j * p.b_strides[1]));
              // d^T[j, i] = sum of x[j, l] y[l, i]
              told += element(b, z * shape->x_step, shape->x, j, l) * element(a, z * shape->y_step, shape->y, l, i);
            }
            ASSERT_EQ(told, wanted) << z << " " << i << " " << j;
          }
        }
      }
    }
  }
}

TEST(CudaProduct, WhatCublasLtCannotBeToldStaysWithUs) {
  const Layout dense{"", {kK, 1}, {kN, 1}};
  EXPECT_FALSE(lt_shape(product_of({"no dense axis", {2 * kK, 2}, {kN, 1}}, 64, 64)).has_value());
  EXPECT_FALSE(lt_shape(product_of({"a row repeated", {0, 1}, {kN, 1}}, 64, 64)).has_value());
  Product whole = product_of(dense, 24, 23);
  whole.a.dtype = whole.b.dtype = whole.c.dtype = DType::int32;
  EXPECT_FALSE(lt_shape(whole).has_value());
  Product two_axes = product_of(dense, 24, 23);
  two_axes.batch = *make_walk<3>({2, 2}, {Strides{24, 12}, Strides{48, 0}, Strides{0, 20}});
  EXPECT_FALSE(lt_shape(two_axes).has_value());
  EXPECT_TRUE(lt_shape(product_of(dense, 24, 23)).has_value());
}

TEST(CudaProduct, LongSumsAreCutWhereTilesAreFew) {
  EXPECT_EQ(plan_parts(8192, 8192, 8192, 1, 132).count, 1);  // 16384 tiles
  const PartPlan long_sum = plan_parts(64, 64, 1 << 20, 1, 132);
  EXPECT_GT(long_sum.count, 64);
  EXPECT_GE(long_sum.count * long_sum.length, 1 << 20);
  EXPECT_LT((long_sum.count - 1) * long_sum.length, 1 << 20);  // no part is empty
  EXPECT_EQ(plan_parts(64, 64, 100, 1, 132).count, 1);
  EXPECT_EQ(plan_parts(64, 64, 100, 1, 132).length, 100);
}

/// Which input an output meets under a tap, and which output an input meets under it, say the same.
TEST(CudaConvolution, MapsOfForwardAndBackwardAgree) {
  for (const int64_t stride : {1, 2, 3}) {
    for (const int64_t dilation : {1, 2}) {
      for (const int64_t padding : {0, 1, 2}) {
        ConvolutionShape s;
        const int64_t input[3] = {1, 7, 9}, kernel[3] = {1, 3, 2};
        for (int axis = 0; axis < 3; ++axis) {
          s.input[axis] = input[axis];
          s.kernel[axis] = kernel[axis];
          if (axis > 0) {
            s.stride[axis] = stride;
            s.dilation[axis] = dilation;
            s.padding[axis] = padding;
          }
          s.output[axis] =
              (input[axis] + 2 * s.padding[axis] - s.dilation[axis] * (kernel[axis] - 1) - 1) / s.stride[axis] + 1;
        }
        const int64_t x_strides[5] = {0, 0, 0, 9, 1}, y_strides[5] = {0, 0, 0, s.output[2], 1};
        for (int i = 0; i < 5; ++i) {
          s.x_strides[i] = x_strides[i];
          s.y_strides[i] = y_strides[i];
        }
        int64_t forward = 0, backward = 0;
        for (int64_t tap = 0; tap < s.taps(); ++tap) {
          const Triple t = split3(tap, s.kernel);
          for (int64_t o = 0; o < s.outputs(); ++o) {
            const int64_t x = input_offset(s, split3(o, s.output), t);
            if (x < 0) continue;
            ++forward;
            EXPECT_EQ(output_offset(s, split3(x, s.input), t), o);
          }
          for (int64_t i = 0; i < s.inputs(); ++i) backward += output_offset(s, split3(i, s.input), t) >= 0 ? 1 : 0;
        }
        EXPECT_EQ(forward, backward) << "stride " << stride << ", dilation " << dilation << ", padding " << padding;
        EXPECT_GT(forward, 0);
      }
    }
  }
}

}  // namespace
