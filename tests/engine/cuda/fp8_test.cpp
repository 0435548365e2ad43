// SPDX-License-Identifier: Apache-2.0
// FP8: rounding of operands over all codes of both formats, and products through a cuBLASLt of our own that is as
// strict as the real one. The same code that runs on a GPU, over host memory.
#include "engine/cuda/fp8.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <cstdlib>

#include "engine/cuda/backend.h"
#include "engine/cuda/cublas_lt.h"
#include "engine/ops/ops.h"
#include "engine/tensor/random.h"
#include "tests/support/fp8.h"
#include "tests/support/op_examples.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor
using cuda::Fp8Format;
using test::Fp8Kind;

Fp8Kind kind_of(Fp8Format format) { return format == Fp8Format::e4m3 ? Fp8Kind::e4m3 : Fp8Kind::e5m2; }

/// Codes and scale of a matrix (or a batch of them) as the kernels make them.
struct Rounded {
  std::vector<uint8_t> codes;
  float scale = 0;
  int64_t padded = 0;
};
Rounded round_matrix(const Tensor& x, Fp8Format format, int64_t batches, int64_t rows, int64_t depth,
                     std::array<int64_t, 3> strides) {
  cuda::Fp8Operand o;
  o.x = cuda::Data(x);
  o.batches = batches;
  o.rows = rows;
  o.depth = depth;
  std::ranges::copy(strides, o.strides);
  o.padded_depth = (depth + 15) / 16 * 16;
  o.format = format;
  o.all = *cuda::make_walk<1>({batches, rows, depth}, {Strides(strides.begin(), strides.end())});
  Rounded r;
  r.padded = o.padded_depth;
  std::vector<float> parts(cuda::Fp8Operand::kMostParts);
  struct alignas(16) Sixteen {
    uint8_t code[16];
  };
  std::vector<Sixteen> codes(static_cast<size_t>(batches * rows * o.padded_depth / 16), Sixteen{{0xaa}});
  o.codes = codes.data()->code;
  o.scale = &r.scale;
  o.parts = parts.data();
  EXPECT_EQ(launch(cuda::Launcher{.stream = nullptr, .multiprocessors = 1, .on_host = true}, o), cudaSuccess);
  for (const Sixteen& piece : codes) r.codes.insert(r.codes.end(), piece.code, piece.code + 16);
  return r;
}

Rounded round_vector(const std::vector<float>& values, Fp8Format format) {
  const auto count = static_cast<int64_t>(values.size());
  const Tensor x = test::make_tensor(TensorType::contiguous(DType::float32, {count}));
  std::ranges::copy(values, reinterpret_cast<float*>(x.data()));
  return round_matrix(x, format, 1, 1, count, {0, count, 1});
}

TEST(Fp8, EveryCodeIsRoundedToItself) {
  for (const Fp8Format format : {Fp8Format::e4m3, Fp8Format::e5m2}) {
    std::vector<float> all;
    std::vector<int> codes;
    for (int code = 0; code < 256; ++code) {
      const double value = test::fp8_value(static_cast<uint8_t>(code), kind_of(format));
      if (std::isfinite(value)) all.push_back(static_cast<float>(value)), codes.push_back(code);
    }
    ASSERT_EQ(all.size(), format == Fp8Format::e4m3 ? 254u : 248u);
    const Rounded r = round_vector(all, format);
    EXPECT_EQ(r.scale, 1.0F) << "the largest of them is the largest finite number";
    for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(r.codes[i], codes[i]) << all[i];
  }
}

TEST(Fp8, BetweenTwoCodesTheNearerIsTakenAndOfTwoTheEvenOne) {
  for (const Fp8Format format : {Fp8Format::e4m3, Fp8Format::e5m2}) {
    const int last = format == Fp8Format::e4m3 ? 0x7e : 0x7b;
    std::vector<float> between{cuda::fp8_largest(format)};  // so that the scale is 1
    std::vector<int> wanted{last};
    for (int code = 0; code < last; ++code) {
      const auto below = static_cast<float>(test::fp8_value(static_cast<uint8_t>(code), kind_of(format)));
      const auto above = static_cast<float>(test::fp8_value(static_cast<uint8_t>(code + 1), kind_of(format)));
      const float middle = (below + above) / 2;
      for (const int sign : {1, -1}) {
        const auto add = [&](float value, int nearest) {
          between.push_back(static_cast<float>(sign) * value);
          wanted.push_back(nearest | (sign < 0 ? 0x80 : 0));
        };
        add(middle, code % 2 == 0 ? code : code + 1);
        add(std::nextafter(middle, 0.0F), code);
        add(std::nextafter(middle, FLT_MAX), code + 1);
      }
    }
    const Rounded r = round_vector(between, format);
    for (size_t i = 0; i < between.size(); ++i) ASSERT_EQ(r.codes[i], wanted[i]) << between[i];
  }
}

TEST(Fp8, OneScaleForAWholeTensorWhateverItsLayout) {
  constexpr int64_t kBatches = 2, kRows = 5, kDepth = 37;
  for (const DType dtype : {DType::float32, DType::bfloat16, DType::float16}) {
    const Tensor x = test::make_tensor(TensorType::contiguous(dtype, {kBatches, kRows, kDepth}));
    fill(x, {Fill::Kind::normal, 0.1, 30}, 7, 1);
    const std::vector<double> values = test::values(x), wanted = test::fp8_rounded(values, Fp8Kind::e4m3);
    // rows of the first dense along the depth, of the second along the rows
    const Tensor turned = test::copy_as(x, {dtype, {kBatches, kRows, kDepth}, {kRows * kDepth, 1, kRows}});
    const Rounded plain = round_matrix(x, Fp8Format::e4m3, kBatches, kRows, kDepth, {kRows * kDepth, kDepth, 1});
    const Rounded across = round_matrix(turned, Fp8Format::e4m3, kBatches, kRows, kDepth, {kRows * kDepth, 1, kRows});
    EXPECT_EQ(plain.codes, across.codes);
    EXPECT_EQ(plain.scale, across.scale);
    ASSERT_EQ(plain.padded, 48);
    for (int64_t row = 0; row < kBatches * kRows; ++row) {
      for (int64_t l = 0; l < plain.padded; ++l) {
        const double got = test::fp8_value(plain.codes.at(static_cast<size_t>(row * plain.padded + l)), Fp8Kind::e4m3) *
                           static_cast<double>(plain.scale);
        ASSERT_EQ(got, l < kDepth ? wanted.at(static_cast<size_t>(row * kDepth + l)) : 0) << row << ", " << l;
      }
    }
  }
}

TEST(Fp8, ZerosNaNAndInfinityAreWhatTheyAre) {
  const Rounded zeros = round_vector({0, 0, -0.0F}, Fp8Format::e4m3);
  EXPECT_GT(zeros.scale, 0);
  EXPECT_EQ(zeros.codes[0] | zeros.codes[1], 0);
  const Rounded tiny = round_vector({1e-44F, 0}, Fp8Format::e4m3);
  EXPECT_TRUE(std::isfinite(test::fp8_value(tiny.codes[0], Fp8Kind::e4m3))) << "too small to be divided by";
  const Rounded mixed = round_vector({NAN, 448, -7}, Fp8Format::e4m3);
  EXPECT_EQ(mixed.scale, 1.0F) << "NaN is not the largest";
  EXPECT_TRUE(std::isnan(test::fp8_value(mixed.codes[0], Fp8Kind::e4m3)));
  EXPECT_EQ(test::fp8_value(mixed.codes[2], Fp8Kind::e4m3), -7);
  const Rounded infinite = round_vector({INFINITY, 1}, Fp8Format::e4m3);
  EXPECT_TRUE(std::isinf(infinite.scale) && std::isnan(test::fp8_value(infinite.codes[0], Fp8Kind::e4m3)))
      << "never a finite number";
}

// ---- products

struct ProductCase {
  const char* label;
  const char* op;
  Shape a, b;
  bool bias = false;
  Strides a_strides = {}, b_strides = {};  ///< empty: row-major
};

class Fp8Product : public testing::Test {
 protected:
  void SetUp() override {
    setenv("TENSORTIDE_CUBLASLT", TENSORTIDE_BINARY_DIR "/fake_cublaslt/libcublasLt.so.13", 1);
    std::string why;
    context_.cublas_lt = cuda::CublasLt::open(why);
    ASSERT_NE(context_.cublas_lt, nullptr) << why;
    context_.info.device = {"cuda", 0};
    context_.info.model = "the host";
    context_.capability = 90;
    context_.launcher.on_host = true;
    context_.fp8 = Fp8::e4m3;
  }
  void TearDown() override {
    unsetenv("TENSORTIDE_CUBLASLT");
    unsetenv("FAKE_CUBLASLT");
  }

  static std::vector<Tensor> operands(const ProductCase& c, DType dtype) {
    const auto make = [&](const Shape& shape, const Strides& strides, uint64_t stream) {
      const TensorType type =
          strides.empty() ? TensorType::contiguous(dtype, shape) : TensorType{dtype, shape, strides};
      const Tensor tensor = test::make_tensor(type);
      fill(tensor, {Fill::Kind::normal, 0, 2}, 3, stream);
      return tensor;
    };
    std::vector<Tensor> all{make(c.a, c.a_strides, 1), make(c.b, c.b_strides, 2)};
    if (c.bias) all.push_back(make({c.b[0]}, {}, 3));
    return all;
  }

  /// The kernel's name; the result in `result`.
  std::string run(const ProductCase& c, const std::vector<Tensor>& inputs, Tensor& result) {
    const Op* op = find_op(c.op);
    std::vector<TensorType> types;
    for (const Tensor& input : inputs) types.push_back(input.type());
    const auto outputs = op->infer(types, {});
    EXPECT_TRUE(outputs.ok());
    result = test::make_tensor((*outputs)[0]);
    Node node;
    node.op = op;
    const Call call{node.attributes, types, *outputs};
    for (const cuda::Kernel& kernel : cuda::kernels()) {
      if (kernel.op != op->name || !kernel.takes(node, call)) continue;
      const auto workspace = std::make_unique_for_overwrite<std::byte[]>(
          static_cast<size_t>(kernel.workspace_bytes(context_, node, call)));
      auto prepared = kernel.prepare(
          context_,
          {node, {&node.attributes, inputs, {result}}, workspace.get(), std::vector<bool>(inputs.size(), false)});
      EXPECT_TRUE(prepared.ok()) << prepared.error().message;
      for (int i = 0; i < 2; ++i) (*prepared)->run();  // a second time: nothing is left of the first
      EXPECT_FALSE(context_.first_error().has_value()) << context_.first_error()->message;
      return (*prepared)->kernel_name();
    }
    return "no kernel";
  }

  cuda::Context context_;
};

/// The reference on operands that were rounded by definition; summed in double.
std::vector<double> product_of_rounded(const ProductCase& c, const std::vector<Tensor>& inputs, Fp8Kind first) {
  std::vector<Tensor> rounded;
  for (size_t i = 0; i < inputs.size(); ++i) {
    rounded.push_back(test::make_tensor(TensorType::contiguous(DType::float64, inputs[i].shape())));
    std::vector<double> values = test::values(inputs[i]);
    if (i < 2) values = test::fp8_rounded(values, i == 0 ? first : Fp8Kind::e4m3);
    std::ranges::copy(values, reinterpret_cast<double*>(rounded[i].data()));
  }
  return test::values(test::run_reference(*find_op(c.op), rounded)[0]);
}

const std::vector<ProductCase> kProducts{
    {"square", "matmul", {32, 32}, {32, 32}},
    {"few rows, depth filled up", "matmul", {3, 21}, {21, 16}},
    {"transposed operands", "matmul", {8, 40}, {40, 48}, false, {1, 8}, {1, 40}},
    {"strides that cuBLASLt cannot be told", "matmul", {4, 16}, {16, 16}, false, {64, 2}, {}},
    {"batch", "matmul", {3, 5, 16}, {3, 16, 32}},
    {"one b for a batch", "matmul", {3, 5, 16}, {16, 32}},
    {"linear", "linear", {6, 24}, {16, 24}},
    {"linear with bias", "linear", {6, 24}, {32, 24}, true},
};

TEST_F(Fp8Product, IsThatOfTheRoundedOperands) {
  for (const Fp8 mode : {Fp8::e4m3, Fp8::e5m2}) {
    context_.fp8 = mode;
    for (const ProductCase& c : kProducts) {
      for (const DType dtype : {DType::float32, DType::bfloat16, DType::float16}) {
        SCOPED_TRACE(fmt::format("{}, {}, {}", c.label, name(dtype), name(mode)));
        const std::vector<Tensor> inputs = operands(c, dtype);
        Tensor result;
        const std::string kernel = run(c, inputs, result);
        EXPECT_NE(kernel.find(mode == Fp8::e4m3 ? ", fp8 e4m3 x e4m3, a scale per tensor"
                                                : ", fp8 e5m2 x e4m3, a scale per tensor"),
                  std::string::npos)
            << kernel;
        const std::vector<double> wanted =
                                      product_of_rounded(c, inputs, mode == Fp8::e4m3 ? Fp8Kind::e4m3 : Fp8Kind::e5m2),
                                  got = test::values(result);
        double largest = 1;
        for (const double value : wanted) largest = std::max(largest, std::abs(value));
        const double ulp = dtype == DType::float32    ? 1e-6
                           : dtype == DType::bfloat16 ? 1.0 / 256
                                                      : 1.0 / 2048;  // what the result's dtype holds
        for (size_t i = 0; i < wanted.size(); ++i) ASSERT_NEAR(got[i], wanted[i], ulp * largest) << i;
      }
    }
  }
}

/// FP8 is a coarser result, and the test above would see it if operands were not rounded.
TEST_F(Fp8Product, DiffersFromTheExactOneByWhatThreeBitsOfMantissaAllow) {
  const ProductCase& c = kProducts[0];
  const std::vector<Tensor> inputs = operands(c, DType::float32);
  Tensor result;
  run(c, inputs, result);
  const std::vector<double> got = test::values(result),
                            exact = test::values(test::run_reference(*find_op(c.op), inputs)[0]);
  double error = 0, norm = 0;
  for (size_t i = 0; i < exact.size(); ++i)
    error += (got[i] - exact[i]) * (got[i] - exact[i]), norm += exact[i] * exact[i];
  EXPECT_GT(std::sqrt(error / norm), 0.005);
  EXPECT_LT(std::sqrt(error / norm), 1.0 / 16 * std::sqrt(2.0))
      << "half a unit of three bits in each of two operands at most";
}

TEST_F(Fp8Product, WhatItCannotDoIsDoneAsAlwaysAndSaidInWords) {
  struct Refusal {
    ProductCase product;
    DType dtype;
    const char* words;
  };
  const std::vector<Refusal> refusals{
      {{"ten columns", "matmul", {16, 16}, {16, 10}},
       DType::float32,
       "; not fp8: its 10 columns are no multiple of 16"},
      {{"doubles", "matmul", {16, 16}, {16, 16}}, DType::float64, "; not fp8: f64 is not rounded to 8 bits"},
      {{"two batch axes", "matmul", {2, 3, 16, 16}, {2, 1, 16, 16}},
       DType::float32,
       "; not fp8: cuBLASLt refuses the layout of the matrices"},
  };
  const auto expect_plain = [&](const ProductCase& c, DType dtype, const std::string& words) {
    SCOPED_TRACE(c.label);
    const std::vector<Tensor> inputs = operands(c, dtype);
    Tensor result;
    const std::string kernel = run(c, inputs, result);
    EXPECT_TRUE(kernel.ends_with(words)) << kernel;
    const std::vector<double> got = test::values(result),
                              exact = test::values(test::run_reference(*find_op(c.op), inputs)[0]);
    for (size_t i = 0; i < exact.size(); ++i) ASSERT_NEAR(got[i], exact[i], 1e-4) << i;
  };
  for (const Refusal& r : refusals) expect_plain(r.product, r.dtype, r.words);
  setenv("FAKE_CUBLASLT", "no_fp8", 1);
  expect_plain(kProducts[0], DType::float32, "; not fp8: cuBLASLt has no algorithm for it");
  context_.cublas_lt = nullptr;
  expect_plain(kProducts[0], DType::float32, "; cuBLASLt is not here; not fp8: cuBLASLt is not here");
}

TEST_F(Fp8Product, IsRefusedWhereTheDeviceHasNoTensorCoresForIt) {
  EXPECT_TRUE(cuda::check_fp8(context_, "").ok());
  context_.capability = 86;
  context_.info.model = "NVIDIA A10";
  EXPECT_EQ(cuda::check_fp8(context_, "").error().message,
            "[--fp8] e4m3: NVIDIA A10 is sm_86. Tensor cores for 8-bit floats need sm_89 (Ada) or "
            "sm_90 (Hopper). "
            "Leave --fp8 out, or use --tf32 on or --dtype bf16");
  context_.capability = 90;
  context_.cublas_lt = nullptr;
  EXPECT_NE(
      cuda::check_fp8(context_, "no such file").error().message.find("cuBLASLt's, which is not here (no such file)"),
      std::string::npos);
  context_.fp8 = Fp8::off;
  EXPECT_TRUE(cuda::check_fp8(context_, "no such file").ok());
}

}  // namespace
