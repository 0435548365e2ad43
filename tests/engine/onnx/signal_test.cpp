// SPDX-License-Identifier: Apache-2.0
// Fourier transforms against their sums; random numbers; pools, products along an axis and grids that no official case
// has.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "tests/engine/onnx/model_maker.h"

namespace engine::onnx {
namespace {

using Complex = std::complex<double>;

/// The dummy input, arange(n) / n, as a signal of one row.
std::vector<Complex> signal(int64_t samples, int64_t parts) {
  std::vector<Complex> x;
  const auto n = static_cast<double>(samples * parts);
  for (int64_t i = 0; i < samples; ++i) {
    const auto first = static_cast<double>(i * parts);
    x.emplace_back(first / n, parts == 2 ? (first + 1) / n : 0);
  }
  return x;
}

std::vector<Complex> sums(const std::vector<Complex>& x, bool inverse) {
  const auto n = static_cast<int64_t>(x.size());
  std::vector<Complex> y;
  for (int64_t k = 0; k < n; ++k) {
    Complex sum = 0;
    for (int64_t i = 0; i < n; ++i)
      sum += x[static_cast<size_t>(i)] * std::polar(1.0, (inverse ? 2 : -2) * std::numbers::pi *
                                                             static_cast<double>(i * k % n) / static_cast<double>(n));
    y.push_back(inverse ? sum / static_cast<double>(n) : sum);
  }
  return y;
}

ModelMaker dft(int64_t samples, int64_t parts, bool inverse, bool half) {
  ModelMaker maker(20);
  maker.input("x", {1, samples, parts}).node("DFT", {"x"}, "y");
  return maker.attribute("inverse", int64_t{inverse}).attribute("onesided", int64_t{half}).output("y");
}

void expect_near(const std::vector<double>& got, const std::vector<Complex>& wanted, size_t bins) {
  ASSERT_EQ(got.size(), 2 * bins);
  double largest = 0;
  for (const Complex& value : wanted) largest = std::max(largest, std::abs(value));
  for (size_t k = 0; k < bins; ++k)
    ASSERT_LT(std::abs(Complex(got[2 * k], got[2 * k + 1]) - wanted[k]), 2e-6 * largest) << k;
}

TEST(Dft, EqualsItsSumsHoweverItIsComposed) {
  // 5 and 96: one product; 1031: a prime, one product; 1536 and 2000: composed; 2310 = 2 * 3 * 5 * 7 * 11.
  for (const int64_t samples : {5, 96, 1031, 1536, 2000, 2310}) {
    SCOPED_TRACE(samples);
    for (const bool inverse : {false, true})
      expect_near(run(dft(samples, 2, inverse, false)), sums(signal(samples, 2), inverse),
                  static_cast<size_t>(samples));
    expect_near(run(dft(samples, 1, false, false)), sums(signal(samples, 1), false), static_cast<size_t>(samples));
    expect_near(run(dft(samples, 1, false, true)), sums(signal(samples, 1), false),
                static_cast<size_t>(samples / 2 + 1));
  }
}

/// The bins of a real signal give it back, by one product and composed.
TEST(Dft, OfHalfTheBinsGivesTheSignalBack) {
  for (const int64_t samples : {16, 4096}) {
    ModelMaker maker(20);
    maker.input("x", {1, samples, 1}).node("DFT", {"x"}, "bins").attribute("onesided", int64_t{1});
    maker.node("DFT", {"bins"}, "y").attribute("onesided", int64_t{1}).attribute("inverse", int64_t{1}).output("y");
    const std::vector<double> got = run(maker);
    ASSERT_EQ(got.size(), static_cast<size_t>(samples));
    for (int64_t i = 0; i < samples; ++i)
      ASSERT_NEAR(got[static_cast<size_t>(i)], static_cast<double>(i) / static_cast<double>(samples), 2e-5) << i;
  }
}

TEST(Dft, RefusesWhatItCannot) {
  EXPECT_NE(dft(1 << 25, 1, false, true).refusal().find("33554432 samples"), std::string::npos);
  EXPECT_NE(dft(16411, 2, false, false).refusal().find("prime"), std::string::npos);
  EXPECT_NE(dft(16, 2, false, true).refusal().find("onesided"), std::string::npos);
  EXPECT_NE(dft(16, 3, false, false).refusal().find("1 (real) or 2 (complex)"), std::string::npos);
}

TEST(Dft, LengthsThatNoMemoryHoldsAreRefusedAtOnce) {
  for (const int64_t length : {int64_t{1} << 31, int64_t{1} << 32, int64_t{1} << 62, int64_t{0}, int64_t{-4}}) {
    ModelMaker maker(20);
    maker.input("x", {1, 4, 1}).integers("n", {}, {length}).node("DFT", {"x", "n"}, "y").output("y");
    EXPECT_NE(maker.refusal().find("samples is not supported"), std::string::npos) << maker.refusal();
  }
}

/// onnxruntime's results: within half an element of the border a place is not moved.
TEST(GridSample, CubicAtTheBorderIsOnnxruntimes) {
  ModelMaker maker(20);
  maker.input("x", {1}).floats("i", {1, 1, 1, 4}, {1, 5, 2, 7});
  maker.floats("g", {1, 1, 3, 2}, {-0.95F, 0, -0.9F, 0, 0.9F, 0}).node("GridSample", {"i", "g"}, "y");
  maker.attribute("mode", std::string("cubic")).attribute("padding_mode", std::string("border")).output("y");
  const std::vector<double> got = run(maker);
  ASSERT_EQ(got.size(), 3u);
  EXPECT_NEAR(got[0], 0.568, 2e-3);
  EXPECT_NEAR(got[1], 0.559, 2e-3);
  EXPECT_NEAR(got[2], 7.551, 2e-3);
}

TEST(Resize, IntegerImagesAreAntialiasedAsNumbers) {
  ModelMaker maker(19);
  maker.input("x", {1, 1, 1, 4}).floats("most", {}, {255}).node("Mul", {"x", "most"}, "m").node("Cast", {"m"}, "u");
  maker.attribute("to", int64_t{2}).floats("s", {4}, {1, 1, 1, 0.5F}).node("Resize", {"u", "", "s"}, "r");
  maker.attribute("mode", std::string("linear")).attribute("antialias", int64_t{1}).node("Cast", {"r"}, "y");
  maker.attribute("to", int64_t{1}).output("y");
  const std::vector<double> got = run(maker);  // of 0, 63, 127, 191
  ASSERT_EQ(got.size(), 2u);
  EXPECT_NEAR(got[0], (0 * 4 + 63 * 3 + 127) / 8.0, 1);
  EXPECT_NEAR(got[1], (63 + 127 * 3 + 191 * 4) / 8.0, 1);
}

TEST(RandomNumbers, AreDrawnOnceAndSaidToBe) {
  ModelMaker maker(15);
  maker.input("x", {100, 100}).node("RandomNormalLike", {"x"}, "n").attribute("mean", 3.0F).attribute("scale", 2.0F);
  const ModelMaker sum = maker.node("Mul", {"n", "one"}, "y").floats("one", {}, {1}).output("y");
  const std::vector<double> got = run(sum);
  ASSERT_EQ(got.size(), 10000u);
  double mean = 0, square = 0;
  for (const double v : got) mean += v / 1e4, square += v * v / 1e4;
  EXPECT_NEAR(mean, 3, 0.1);
  EXPECT_NEAR(std::sqrt(square - mean * mean), 2, 0.1);
  EXPECT_EQ(got, run(sum));
  const Result<Model> model = sum.load();
  ASSERT_TRUE(model.ok());
  ASSERT_FALSE(model->notes.empty());
  EXPECT_NE(model->notes[0].find("drawn once"), std::string::npos);
}

TEST(RandomNumbers, BernoulliAndMultinomialFollowTheProbabilities) {
  ModelMaker coin(15);
  coin.input("x", {4000}).node("Bernoulli", {"x"}, "y").output("y");  // probabilities 0 to 1
  double ones = 0;
  for (const double v : run(coin)) ones += v;
  EXPECT_NEAR(ones / 4000, 0.5, 0.05);
  ModelMaker dice(15);
  dice.input("x", {1, 2}).floats("p", {1, 2}, {std::log(0.2F), std::log(0.8F)});
  dice.node("Multinomial", {"p"}, "d").attribute("sample_size", int64_t{4000}).node("Cast", {"d"}, "f");
  dice.attribute("to", int64_t{1}).node("Mul", {"f", "one"}, "y").floats("one", {}, {1}).output("y");
  double second = 0;
  for (const double v : run(dice)) second += v;
  EXPECT_NEAR(second / 4000, 0.8, 0.05);
}

TEST(Pools, GlobalLpPoolIsARoot) {
  const std::vector<double> got = run(
      ModelMaker(13).input("x", {1, 2, 2, 2}).node("GlobalLpPool", {"x"}, "y").attribute("p", int64_t{2}).output("y"));
  ASSERT_EQ(got.size(), 2u);
  EXPECT_NEAR(got[0], std::sqrt(0 + 1 + 4 + 9) / 8, 1e-6);
  EXPECT_NEAR(got[1], std::sqrt(16 + 25 + 36 + 49) / 8, 1e-6);
}

TEST(Header, NewerOpsetsAreReadWithANote) {
  const Result<Model> model = ModelMaker(99).input("x", {1, 2}).node("Relu", {"x"}, "y").output("y").load();
  ASSERT_TRUE(model.ok());
  ASSERT_FALSE(model->notes.empty());
  EXPECT_NE(model->notes[0].find("99, is newer than"), std::string::npos) << model->notes[0];
}

}  // namespace
}  // namespace engine::onnx
