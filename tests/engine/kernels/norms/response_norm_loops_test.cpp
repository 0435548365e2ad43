// SPDX-License-Identifier: Apache-2.0
// Local response normalisation does what is said of it: its own code, compiled over a memory that notes each access.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/kernels/norms/response_norm-inl.h"
#include "tests/engine/kernels/core/described.h"

namespace engine {
namespace {

using access::Fidelity;

void check(const test::NotedKernels& own, const TensorType& type, int64_t size, bool gradient) {
  SCOPED_TRACE(testing::Message() << "vectors of " << own.vector_bytes << ", " << to_string(type) << ", size " << size
                                  << (gradient ? ", gradient" : ""));
  loops::ResponseShape shape = loops::ResponseShape::of(type.shape, type.strides);
  shape.set_size(size);
  shape.gradient = gradient;
  const std::vector<float> x = test::numbers(type.elements(), 7), dy = test::numbers(type.elements(), 11);
  std::vector<float> y(x.size()), scratch(static_cast<size_t>(shape.scratch_elements()));
  const cpu::ResponseSettings settings{.alpha = 0.1F / static_cast<float>(size), .beta = 0.75F, .bias = 2};
  const cpu::ResponseParts<test::NotedScalars> parts{{},        own.response_norm, settings,      x.data(),
                                                     dy.data(), y.data(),          scratch.data()};
  test::noted().clear();
  for (int64_t piece = 0; piece < shape.pieces(); ++piece) loops::response_piece(shape, piece, parts);
  const Attributes attributes{{"size", size}};
  if (gradient)
    test::expect_described(own, "local_response_norm_grad", {test::operand(dy, type), test::operand(x, type)},
                           {test::operand(y, type)}, scratch.data(), attributes);
  else
    test::expect_described(own, "local_response_norm", {test::operand(x, type)}, {test::operand(y, type)},
                           scratch.data(), attributes);
  if (gradient) return;  // its results are held against the reference's where kernels are

  const int64_t pixels = type.shape[2] * type.shape[3], channels = type.shape[1];
  for (int64_t i = 0; i < type.elements(); ++i) {
    const int64_t n = i / (channels * pixels), c = i / pixels % channels, p = i % pixels;
    const auto at = [&](int64_t channel) {
      return static_cast<size_t>(shape.channels_last ? (n * pixels + p) * channels + channel
                                                     : (n * channels + channel) * pixels + p);
    };
    double squares = 0;
    for (int64_t k = std::max<int64_t>(0, c - (size - 1) / 2); k <= std::min(channels - 1, c + size / 2); ++k)
      squares += std::pow(static_cast<double>(x[at(k)]), 2);
    ASSERT_NEAR(y[at(c)],
                static_cast<double>(x[at(c)]) * std::pow(2 + static_cast<double>(settings.alpha) * squares, -0.75),
                1e-5)
        << i;
  }
}

TEST(ResponseNormLoops, WindowsAccessWhatIsSaidInTheirOrder) {
  for (const test::NotedKernels& own : test::noted_kernels()) {
    for (const Shape& shape : {Shape{2, 37, 5, 3}, {1, 5, 17, 19}, {1, 2, 1, 9}}) {
      for (const TensorType& type :
           {TensorType::channels_last(DType::float32, shape), TensorType::contiguous(DType::float32, shape)}) {
        for (const int64_t size : {1, 4, 5, 11}) {
          for (const bool gradient : {false, true}) check(own, type, size, gradient);
        }
      }
    }
  }
}

TEST(ResponseNormLoops, WhatOwnKernelsDoNotTakeIsNotSaidToBeTheirs) {
  const auto image = [](DType dtype) { return TensorType::channels_last(dtype, {2, 8, 4, 4}); };
  const Attributes size{{"size", int64_t{5}}};
  EXPECT_EQ(test::fidelity("local_response_norm", {image(DType::bfloat16)}, {image(DType::bfloat16)}, size),
            Fidelity::loops)
      << "by copies in f32";
  EXPECT_EQ(test::fidelity("local_response_norm", {image(DType::float64)}, {image(DType::float64)}, size),
            Fidelity::modelled);
  const TensorType rows = TensorType::contiguous(DType::float32, {2, 8, 4, 4});
  EXPECT_EQ(test::fidelity("local_response_norm_grad", {rows, image(DType::float32)}, {rows}, size), Fidelity::modelled)
      << "in two layouts";
}

}  // namespace
}  // namespace engine
