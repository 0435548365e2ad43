// SPDX-License-Identifier: Apache-2.0
// Signal processing: Fourier transforms as matrix products; windows and filter banks as constants.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

#include "engine/onnx/convert_words.h"
#include "engine/onnx/operators.h"
#include "engine/onnx/tensor_proto.h"
#include "engine/ops/convolution_nd.h"
#include "engine/ops/indexing.h"
#include "engine/ops/math.h"
#include "engine/ops/ops.h"

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

namespace {

/// A discrete Fourier transform along the axis before the last: y[k] = sum over n of e^(-+ 2 pi i n k / length) x[n].
struct Fourier {
  int64_t length = 1;
  bool inverse = false;  ///< + in the exponent, and divided by the length
  bool half = false;     ///< bins 0 to length / 2 of what is real: as results, or, inverse, as operands
};

int64_t half_bins(int64_t length) { return length / 2 + 1; }

/// Beyond this many numbers a matrix of sines is no longer made; the transform is composed of shorter ones.
constexpr int64_t kLargestMatrix = int64_t{1} << 21;
/// A longer one of prime length would need a matrix of this many numbers squared.
constexpr int64_t kLongestTransform = int64_t{1} << 24, kLongestPrime = 1 << 12;

/// cos and sin of 2 pi n k / length, exact in n k.
std::array<double, 2> turn(int64_t n, int64_t k, int64_t length) {
  const double angle = 2 * kPi * static_cast<double>(n * k % length) / static_cast<double>(length);
  return {std::cos(angle), std::sin(angle)};
}

/// The transform as a matrix [samples * parts of x, bins * parts of y]; `window` multiplies samples.
Result<Tensor> fourier_matrix(const Fourier& f, int64_t samples, int64_t parts, const std::vector<double>& window,
                              DType dtype) {
  const bool to_real = f.inverse && f.half;
  const int64_t bins = f.half && !f.inverse ? half_bins(f.length) : f.length, made = to_real ? 1 : 2;
  std::vector<double> w(static_cast<size_t>(samples * parts * bins * made));
  double* at = w.data();
  for (int64_t n = 0; n < samples; ++n) {
    double weight = window.empty() ? 1 : window[static_cast<size_t>(n)];
    if (f.inverse) weight /= static_cast<double>(f.length);
    // Of a real signal the bins that are not there are the conjugates of those that are.
    if (to_real && n != 0 && 2 * n != f.length) weight *= 2;
    for (int64_t part = 0; part < parts; ++part) {
      for (int64_t k = 0; k < bins; ++k) {
        const auto [cosine, sine] = turn(n, k, f.length);
        const double imaginary = f.inverse ? sine : -sine;
        *at++ = weight * (part == 0 ? cosine : -imaginary);
        if (!to_real) *at++ = weight * (part == 0 ? imaginary : cosine);
      }
    }
  }
  return Tensor::from_values({samples * parts, bins * made}, w, dtype);
}

int64_t matrix_elements(const Fourier& f, int64_t samples, int64_t parts) {
  return samples * parts * (f.half && !f.inverse ? half_bins(f.length) : f.length) * (f.inverse && f.half ? 1 : 2);
}

/// The divisor of `length` that is nearest to its root, but 1; the length itself where it is prime.
int64_t middle_divisor(int64_t length) {
  for (auto d = static_cast<int64_t>(std::sqrt(static_cast<double>(length))); d > 1; --d) {
    if (length % d == 0) return d;
  }
  return length;
}

/// One matrix product: x [.., samples, parts] -> [.., bins, parts].
ValueId by_matrix(NodeContext& node, ValueId x, const Fourier& f, const std::vector<double>& window) {
  GraphBuilder& builder = node.builder();
  Shape shape = builder.type(x).shape;
  const DType dtype = builder.type(x).dtype;
  const int64_t samples = shape[shape.size() - 2], parts = shape.back();
  const ValueId matrix = constant_of(node, fourier_matrix(f, samples, parts, window, dtype));
  if (node.failed()) return kNoValue;
  const int64_t columns = builder.type(matrix).shape[1];
  shape.pop_back();
  shape.back() = samples * parts;
  const ValueId rows = ops::reshape(builder, parts == 1 ? x : ops::contiguous(builder, x), shape);
  const ValueId product = ops::matmul(builder, rows, matrix);
  shape.back() = f.inverse && f.half ? columns : columns / 2;
  shape.push_back(f.inverse && f.half ? 1 : 2);
  return node.failed() ? kNoValue : ops::reshape(builder, product, shape);
}

/// Real and imaginary part, each with a last axis of 1.
std::array<ValueId, 2> parts_of(GraphBuilder& builder, ValueId x) {
  return {ops::slice(builder, x, -1, 0, 1), ops::slice(builder, x, -1, 1, 2)};
}

/// x times e^(-+ 2 pi i n k / length) for n and k along the two axes before the last, which holds the parts.
ValueId twiddle(NodeContext& node, ValueId x, const Fourier& f, int64_t rows, int64_t columns) {
  GraphBuilder& builder = node.builder();
  std::vector<double> cosines, sines;
  for (int64_t n = 0; n < rows; ++n) {
    for (int64_t k = 0; k < columns; ++k) {
      const auto [cosine, sine] = turn(n, k, f.length);
      cosines.push_back(cosine);
      sines.push_back(f.inverse ? sine : -sine);
    }
  }
  const DType dtype = builder.type(x).dtype;
  const ValueId c = constant_of(node, Tensor::from_values({rows, columns, 1}, cosines, dtype)),
                s = constant_of(node, Tensor::from_values({rows, columns, 1}, sines, dtype));
  if (node.failed()) return kNoValue;
  const auto [real, imaginary] = parts_of(builder, x);
  return ops::concat(builder,
                     {ops::subtract(builder, ops::multiply(builder, real, c), ops::multiply(builder, imaginary, s)),
                      ops::add(builder, ops::multiply(builder, real, s), ops::multiply(builder, imaginary, c))},
                     -1);
}

std::vector<int64_t> swapped(int64_t rank, int64_t a, int64_t b) {
  std::vector<int64_t> axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes[static_cast<size_t>(a)], axes[static_cast<size_t>(b)]);
  return axes;
}

/// Cooley and Tukey's split: n = columns * n1 + n2 and k = k1 + rows * k2, so that transforms of `rows` and of
/// `columns` samples make one of rows * columns. x [.., length, 2]; not divided by the length.
ValueId composed(NodeContext& node, ValueId x, Fourier f) {
  const int64_t rows = middle_divisor(f.length), columns = f.length / rows;
  if (matrix_elements({f.length, f.inverse}, f.length, 2) <= kLargestMatrix || columns == 1) {
    if (f.length > kLongestPrime)
      node.fail(fmt::format("a transform of {} samples, a prime number, is not supported; up to {} are", f.length,
                            kLongestPrime));
    return node.failed()
               ? kNoValue
               : by_matrix(node, x, f,
                           std::vector(static_cast<size_t>(f.length), f.inverse ? static_cast<double>(f.length) : 1.0));
  }
  GraphBuilder& builder = node.builder();
  const Shape whole = builder.type(x).shape;
  Shape split(whole.begin(), whole.end() - 2);
  split.insert(split.end(), {rows, columns, 2});
  const auto rank = static_cast<int64_t>(split.size());
  const std::vector<int64_t> turned = swapped(rank, rank - 3, rank - 2);
  const auto swap = [&](ValueId v) { return ops::contiguous(builder, ops::permute(builder, v, turned)); };
  ValueId y = swap(ops::reshape(builder, ops::contiguous(builder, x), split));  // [.., n2, n1, 2]
  y = composed(node, y, {rows, f.inverse});
  if (node.failed()) return kNoValue;
  y = composed(node, swap(twiddle(node, y, f, columns, rows)), {columns, f.inverse});  // [.., k1, k2, 2]
  return node.failed() ? kNoValue : ops::reshape(builder, swap(y), whole);
}

/// x with zeros behind it, or cut, to `extent` along the axis before the last.
ValueId fitted(GraphBuilder& builder, ValueId x, int64_t extent) {
  const Shape shape = builder.type(x).shape;
  const int64_t axis = static_cast<int64_t>(shape.size()) - 2, has = shape[shape.size() - 2];
  if (has >= extent) return has == extent ? x : ops::slice(builder, x, axis, 0, extent);
  std::vector<int64_t> before(shape.size(), 0), after = before;
  after[static_cast<size_t>(axis)] = extent - has;
  return ops::pad(builder, x, before, after);
}

/// x [.., samples, parts] of `f.length` samples, or of half its bins.
ValueId transformed(NodeContext& node, ValueId x, const Fourier& f, const std::vector<double>& window = {}) {
  GraphBuilder& builder = node.builder();
  const Shape shape = builder.type(x).shape;
  const int64_t samples = shape[shape.size() - 2], parts = shape.back();
  if (matrix_elements(f, samples, parts) <= kLargestMatrix) return by_matrix(node, x, f, window);
  if (!window.empty()) {
    const ValueId weights = constant_of(node, Tensor::from_values({samples, 1}, window, builder.type(x).dtype));
    if (!node.failed()) x = ops::multiply(builder, x, weights);
  }
  if (node.failed()) return kNoValue;
  if (parts == 1) x = ops::concat(builder, {x, ops::scale(builder, x, 0)}, -1);
  if (f.inverse && f.half) {  // the bins that are not there: conjugates, from the last back
    const ValueId rest = ops::slice(builder, x, -2, 1, f.length - samples + 1);
    const auto [real, imaginary] =
        parts_of(builder, ops::reverse(builder, rest, {static_cast<int64_t>(shape.size()) - 2}));
    x = ops::concat(builder, {x, ops::concat(builder, {real, ops::negate(builder, imaginary)}, -1)}, -2);
  }
  ValueId y = composed(node, x, {f.length, f.inverse});
  if (node.failed()) return kNoValue;
  if (f.inverse) y = ops::scale(builder, y, 1 / static_cast<double>(f.length));
  if (f.half) y = f.inverse ? ops::slice(builder, y, -1, 0, 1) : ops::slice(builder, y, -2, 0, half_bins(f.length));
  return y;
}

bool check_length(NodeContext& node, int64_t length) {
  if (!node.failed() && (length < 1 || length > kLongestTransform))
    node.fail(fmt::format("a transform of {} samples is not supported; 1 to {} are", length, kLongestTransform));
  return !node.failed();
}

bool check_signal(NodeContext& node, const TensorType& type, int64_t least_rank) {
  if (!node.failed() &&
      (type.rank() < least_rank || !is_floating(type.dtype) || type.shape.back() < 1 || type.shape.back() > 2))
    node.fail(fmt::format("input 0 is {}; it must hold real numbers whose last axis is 1 (real) or 2 (complex)",
                          to_string(type)));
  return !node.failed();
}

}  // namespace

void convert_dft(NodeContext& node) {
  const TensorType type = node.input_type(0);
  Fourier f{.inverse = node.flag("inverse", false), .half = node.flag("onesided", false)};
  if (!check_signal(node, type, 2)) return;
  const int64_t rank = type.rank();
  const int64_t named = node.opset() < 20   ? node.integer("axis", 1, -kLargestRank, kLargestRank - 1)
                        : node.has_input(2) ? node.constant_integer(2, "axis")
                                            : -2;
  if (node.failed()) return;
  const int64_t axis = front_axis(node, named, rank, "axis");
  if (!node.failed() && axis == rank - 1) node.fail(fmt::format("axis: {} holds the parts of complex numbers", named));
  if (node.failed()) return;
  const int64_t extent = type.shape[static_cast<size_t>(axis)];
  const bool to_real = f.inverse && f.half;
  if (f.half && (type.shape.back() == 2) != to_real)
    return node.fail(fmt::format("attribute onesided: {} need {} numbers, input 0 is {}",
                                 to_real ? "inverse transforms" : "transforms", to_real ? "complex" : "real",
                                 to_string(type)));
  f.length = node.has_input(1) ? node.constant_integer(1, "dft_length") : to_real ? 2 * (extent - 1) : extent;
  const ValueId x = node.input(0);
  if (!check_length(node, f.length)) return;
  GraphBuilder& builder = node.builder();
  const std::vector<int64_t> turned = swapped(rank, axis, rank - 2);
  const ValueId signal = fitted(builder, ops::permute(builder, x, turned), to_real ? half_bins(f.length) : f.length);
  const ValueId y = node.failed() ? kNoValue : transformed(node, signal, f);
  if (!node.failed()) node.set_output(ops::permute(builder, y, turned));
}

/// Frames are the columns of im2col; their transform is one matrix product.
void convert_stft(NodeContext& node) {
  const TensorType type = node.input_type(0);
  if (!node.failed() && type.rank() == 2) {  // real, without the axis of parts
    node.fail(fmt::format("input 0 is {}; it must be [batch, samples, 1 or 2]", to_string(type)));
  }
  if (!check_signal(node, type, 3)) return;
  const int64_t step = node.constant_integer(1, "frame_step"), samples = type.shape[1], parts = type.shape[2];
  int64_t length = samples;
  if (node.has_input(2)) length = node.input_type(2).elements();
  if (node.has_input(3)) length = node.constant_integer(3, "frame_length");
  const bool half = node.flag("onesided", true) && parts == 1;
  const ValueId x = node.input(0);
  if (!node.failed() && (type.rank() != 3 || step < 1 || length < 1 || length > samples))
    node.fail(
        fmt::format("frames of {} samples, {} apart, do not fit into input 0, {}", length, step, to_string(type)));
  if (!node.failed() && node.has_input(2) && node.input_type(2).shape != Shape{length})
    node.fail(fmt::format("input 2 (window) is {}; frames have {} samples", to_string(node.input_type(2)), length));
  if (!check_length(node, length)) return;
  GraphBuilder& builder = node.builder();
  const ValueId image = ops::reshape(builder, ops::contiguous(builder, ops::permute(builder, x, {0, 2, 1})),
                                     {type.shape[0], parts, 1, samples});
  const ValueId columns = ops::im2col(builder, image, {.kernel = {1, length}, .stride = {1, step}});
  if (node.failed()) return;
  const int64_t frames = builder.type(columns).shape[2];
  ValueId signal =
      ops::permute(builder, ops::reshape(builder, columns, {type.shape[0], parts, length, frames}), {0, 3, 2, 1});
  std::vector<double> window;
  if (const auto known = node.has_input(2) ? node.constant_tensor(2) : std::nullopt) {
    for (int64_t n = 0; n < length; ++n) window.push_back(known->get_flat(n));
  } else if (node.has_input(2)) {
    signal = ops::multiply(builder, signal, ops::reshape(builder, node.input(2), {length, 1}));
  }
  const ValueId y = node.failed() ? kNoValue : transformed(node, signal, {.length = length, .half = half}, window);
  if (!node.failed()) node.set_output(y);
}

}  // namespace engine::onnx
