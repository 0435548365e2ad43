// SPDX-License-Identifier: Apache-2.0
// Windows and filter banks of signal processing: constants, made when the model is read.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/onnx/convert_words.h"
#include "engine/onnx/operators.h"
#include "engine/onnx/tensor_proto.h"

namespace engine::onnx {
namespace {

constexpr int64_t kLongestWindow = 1 << 20;
constexpr double kPi = std::numbers::pi;

void set_values(NodeContext& node, Shape shape, const std::vector<double>& values) {
  const Result<DType> dtype = to_dtype(static_cast<int32_t>(node.integer("output_datatype", 1, 0, 1 << 16)));
  if (!dtype) return node.fail("attribute output_datatype: " + dtype.error().message);
  if (node.failed()) return;
  Result<Tensor> tensor = Tensor::from_values(std::move(shape), values, *dtype);
  if (!tensor) return node.fail(tensor.error().message);
  node.set_constant(std::move(*tensor));
}

/// a - b cos(2 pi n / N) + c cos(4 pi n / N), N being the size, or one less for a symmetric window.
void convert_window(NodeContext& node, double a, double b, double c) {
  const int64_t size = node.constant_integer(0, "size");
  const bool periodic = node.flag("periodic", true);
  if (!node.failed() && (size < 1 || size > kLongestWindow))
    node.fail(fmt::format("input 0 (size): {} is not between 1 and {}", size, kLongestWindow));
  if (node.failed()) return;
  const auto period = static_cast<double>(std::max<int64_t>(periodic ? size : size - 1, 1));
  std::vector<double> values(static_cast<size_t>(size));
  for (size_t n = 0; n < values.size(); ++n) {
    const double angle = 2 * kPi * static_cast<double>(n) / period;
    values[n] = a - b * std::cos(angle) + c * std::cos(2 * angle);
  }
  set_values(node, {size}, values);
}

}  // namespace

void convert_hann_window(NodeContext& node) { convert_window(node, 0.5, 0.5, 0); }
void convert_hamming_window(NodeContext& node) { convert_window(node, 25.0 / 46, 21.0 / 46, 0); }
void convert_blackman_window(NodeContext& node) { convert_window(node, 0.42, 0.5, 0.08); }

/// Triangles over the bins of a spectrum, evenly spaced in mel = 2595 log10(1 + f / 700).
void convert_mel_weight_matrix(NodeContext& node) {
  const int64_t bands = node.constant_integer(0, "num_mel_bins"), length = node.constant_integer(1, "dft_length");
  const int64_t rate = node.constant_integer(2, "sample_rate");
  const double lower = node.constant_real(3, "lower_edge_hertz"), upper = node.constant_real(4, "upper_edge_hertz");
  if (node.failed()) return;
  if (bands < 1 || bands > 4096 || length < 1 || length > 1 << 16 || rate < 1 || !(lower >= 0) || !(upper > lower) ||
      !(upper < 1e9))
    return node.fail("the numbers of bands, samples and hertz describe no filter bank");
  const int64_t bins = length / 2 + 1;
  const auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  const double step = (mel(upper) - mel(lower)) / static_cast<double>(bands + 2);
  std::vector<int64_t> edges;
  for (int64_t i = 0; i < bands + 2; ++i) {
    const double hertz = 700 * (std::pow(10, (mel(lower) + static_cast<double>(i) * step) / 2595) - 1);
    const double bin = std::floor(static_cast<double>(length + 1) * hertz / static_cast<double>(rate));
    if (!(bin < static_cast<double>(bins))) return node.fail("input 4 (upper_edge_hertz): is beyond the spectrum");
    edges.push_back(std::max<int64_t>(static_cast<int64_t>(bin), 0));
  }
  std::vector<double> values(static_cast<size_t>(bins * bands), 0.0);
  const auto at = [&](int64_t bin, size_t band) -> double& { return values[static_cast<size_t>(bin * bands) + band]; };
  for (size_t band = 0; band < static_cast<size_t>(bands); ++band) {
    const int64_t begin = edges[band], centre = edges[band + 1], end = edges[band + 2];
    for (int64_t bin = begin; bin <= centre; ++bin)
      at(bin, band) = centre == begin ? 1 : static_cast<double>(bin - begin) / static_cast<double>(centre - begin);
    for (int64_t bin = centre; bin < end; ++bin)
      at(bin, band) = static_cast<double>(end - bin) / static_cast<double>(end - centre);
  }
  set_values(node, {bins, bands}, values);
}

}  // namespace engine::onnx
