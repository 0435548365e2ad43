// SPDX-License-Identifier: Apache-2.0
// What a convolution by Winograd's minimal filtering takes, in multiply-adds' worth.
#include "engine/kernels/convolution/winograd_rule.h"

#include <algorithm>
#include <cmath>

namespace engine::winograd_rule {
namespace {

// In multiply-adds' time, as loops::kReadTime.
/// Making an element of U, which waits for memory where all of it is larger than a second cache level.
constexpr double kMakeU = 20, kMakeLargeU = 60, kMakeHugeU = 130;
constexpr double kLargeU = 1 << 20, kHugeU = 4 << 20;  // bytes
/// Of a shape that can have been measured.
constexpr int64_t kLargestExtent = 1 << 16;
/// Reading a weight for direct sums.
constexpr double kReadWeight = 10;

bool are_images(const TensorType& t) {
  return t.rank() == 4 && t.dtype == DType::float32 && (t.strides[1] == 1 || t.shape[1] == 1) && t.strides[2] >= 0 &&
         t.strides[3] >= 0 && t.strides[0] >= 0;
}

}  // namespace

std::optional<loops::WinogradShape> shape_of(bool by_input, const Attributes& attributes, const TensorType& x,
                                             const TensorType& weight, const TensorType& y) {
  if (!are_images(x) || !are_images(y) || weight.rank() != 4 || weight.dtype != DType::float32) return std::nullopt;
  const std::vector<int64_t> ones{1, 1}, padding = attributes.get_ints("padding", {0, 0, 0, 0});
  if (weight.shape[2] != 3 || weight.shape[3] != 3 || attributes.get_ints("stride", ones) != ones ||
      attributes.get_ints("dilation", ones) != ones || attributes.get_int("groups", 1) != 1 || padding.size() != 4)
    return std::nullopt;
  const TensorType &from = by_input ? y : x, &to = by_input ? x : y;
  const loops::WinogradShape s{.images = from.shape[0],
                               .inputs = from.shape[1],
                               .outputs = to.shape[1],
                               .x_height = from.shape[2],
                               .x_width = from.shape[3],
                               .height = to.shape[2],
                               .width = to.shape[3],
                               .above = by_input ? 2 - padding[0] : padding[0],
                               .left = by_input ? 2 - padding[1] : padding[1]};
  const double work = 9.0 * static_cast<double>(y.elements()) * static_cast<double>(x.shape[1]);
  if (s.above < 0 || s.left < 0 || work < kFewestMultiplyAdds) return std::nullopt;
  return s;
}

double expected_ratio(const loops::WinogradShape& s, int64_t lanes, int threads, bool constant) {
  const loops::WinogradCut cut(s, lanes, threads);
  const double kernels = static_cast<double>(s.inputs) * static_cast<double>(cut.outputs),
               u = static_cast<double>(loops::kWinogradPoints) * kernels, bytes = u * sizeof(float),
               team = std::max(1, threads);
  double time = cut.time(s);
  if (!constant) time += u * (bytes > kHugeU ? kMakeHugeU : bytes > kLargeU ? kMakeLargeU : kMakeU) / team;
  const double results = static_cast<double>(s.images) * static_cast<double>(s.height * s.width);
  return time / (9 * kernels * (results * loops::kMultiplyAddTime + kReadWeight) / team);
}

double correction(std::span<const WinogradTiming> timings, int64_t lanes) {
  double sum = 0, count = 0;
  for (const WinogradTiming& t : timings) {
    // A file that was edited may say anything.
    if (!(t.direct_ns > 0 && t.winograd_ns > 0) || t.channels < 1 || t.extent < 1 ||
        std::max(t.channels, t.extent) > kLargestExtent)
      continue;
    const loops::WinogradShape s{.images = 1,
                                 .inputs = t.channels,
                                 .outputs = t.channels,
                                 .x_height = t.extent,
                                 .x_width = t.extent,
                                 .height = t.extent,
                                 .width = t.extent,
                                 .above = 1,
                                 .left = 1};
    sum += std::log(t.winograd_ns / t.direct_ns / expected_ratio(s, lanes, 1, true));
    ++count;
  }
  return count == 0 ? 1 : std::exp(sum / count);
}

double spared_flops(int64_t tile, int64_t images, int64_t height, int64_t width, int64_t in, int64_t out) {
  const int64_t tiles = ((height + tile - 1) / tile) * ((width + tile - 1) / tile), products = (tile + 2) * (tile + 2);
  return 2.0 * static_cast<double>(images) * static_cast<double>(in) * static_cast<double>(out) *
         static_cast<double>(9 * height * width - tiles * products);
}

}  // namespace engine::winograd_rule
