// SPDX-License-Identifier: Apache-2.0
// Quantised ops: operands become 16-bit integers without their zero points (weights packed once where they are
// constant), rows and image patches meet weight rows in exact 32-bit sums, results are quantised again in place of
// being stored as i32.

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/parallel.h"
#include "engine/kernels/core/vector_unit.h"
#include "engine/kernels/core/whole_lines.h"
#include "engine/kernels/quantized/quantize-inl.h"
#include "engine/kernels/quantized/quantized_result.h"
#include "engine/tensor/element.h"
#include "engine/tensor/quantization.h"

namespace engine::cpu {
namespace {

int16_t byte_at(const std::byte* address, bool is_signed) {
  const auto value = static_cast<uint8_t>(*address);
  return is_signed ? static_cast<int16_t>(static_cast<int8_t>(value)) : static_cast<int16_t>(value);
}

/// A product as rows of patches against rows of weights: y[row, g * channels + o] = patch(row, g) . weight(g, o).
struct Problem {
  bool convolution = false, quantized = false;
  QuantizedPlaces places;
  int64_t rows = 0, groups = 1, channels = 0, length = 0;
  // Convolutions: sizes of one image and the window.
  int64_t in_channels = 0, height = 0, width = 0, out_height = 0, out_width = 0, kernel_height = 1, kernel_width = 1;
  std::vector<int64_t> stride, padding, dilation;

  /// Each channel of x is convolved by itself: all of a pixel's go through a tap together.
  bool depthwise() const { return convolution && groups > 1 && in_channels == 1; }
  int64_t packed_bytes() const {
    return static_cast<int64_t>(whole_lines(static_cast<size_t>(groups * channels * length) * 2));
  }
  /// Per thread: one patch and its sums.
  int64_t scratch_bytes() const {
    return static_cast<int64_t>(whole_lines(static_cast<size_t>(length) * 2) +
                                whole_lines(static_cast<size_t>(depthwise() ? groups * channels : channels) * 4));
  }
};

/// Nothing (rows == 0) for operands these loops do not take.
Problem make_problem(const Node& node, std::span<const TensorType> in, const TensorType& y) {
  Problem p;
  p.convolution = node.op->name.find("conv") != std::string_view::npos;
  p.quantized = node.op->name.starts_with("qlinear");
  p.places = QuantizedPlaces::of(p.quantized);
  const TensorType &a = in[p.places.a], &b = in[p.places.b];
  if (!p.convolution) {
    const bool flat = a.rank() == 2 || is_contiguous(a.shape, a.strides);
    if (b.rank() != 2 || !flat || !is_contiguous(y.shape, y.strides)) return {};
    p.length = b.shape[0];
    p.channels = b.shape[1];
    p.rows = a.elements() / p.length;
    return p;
  }
  if (!is_channels_last(y.shape, y.strides)) return {};
  const Attributes& attributes = node.attributes;
  p.stride = attributes.get_ints("stride", {1, 1});
  p.padding = attributes.get_ints("padding", {0, 0, 0, 0});
  p.dilation = attributes.get_ints("dilation", {1, 1});
  p.groups = attributes.get_int("groups", 1);
  p.in_channels = b.shape[1];
  p.channels = b.shape[0] / p.groups;
  p.height = a.shape[2];
  p.width = a.shape[3];
  p.out_height = y.shape[2];
  p.out_width = y.shape[3];
  p.kernel_height = b.shape[2];
  p.kernel_width = b.shape[3];
  p.length = p.in_channels * p.kernel_height * p.kernel_width;
  p.rows = y.shape[0] * y.shape[2] * y.shape[3];
  return p;
}

class IntegerProduct final : public PreparedOp {
 public:
  IntegerProduct(const PrepareRequest& request, Problem problem, int threads)
      : arguments_(request.arguments),
        p_(std::move(problem)),
        result_(request, p_.quantized, p_.groups * p_.channels),
        threads_(threads),
        scratch_(request.workspace + p_.packed_bytes()),
        packed_(reinterpret_cast<int16_t*>(request.workspace)) {
    const auto& constant = request.inputs_constant;
    packs_once_ = constant.size() > p_.places.b_zero && constant[p_.places.b] && constant[p_.places.b_zero];
    if (!packs_once_) return;
    auto own = Storage::allocate_host(p_.packed_bytes());
    if (!own) throw std::bad_alloc();
    own_ = *own;
    packed_ = reinterpret_cast<int16_t*>(own_->data());
  }

  void run() override {
    if (!packs_once_ || !is_packed_) pack();
    is_packed_ = true;
    a_zero_ = static_cast<int16_t>(quantized_parameter(arguments_.inputs[p_.places.a_zero], 0));
    result_.read();
    const int64_t work = p_.rows * p_.groups * p_.channels * p_.length / 8;
    parallel_parts(threads_, p_.rows, 1, work, [&](int64_t begin, int64_t end) {
      std::byte* own = scratch_ + team_member() * p_.scratch_bytes();
      auto* patch = reinterpret_cast<int16_t*>(own);
      auto* sums = reinterpret_cast<int32_t*>(own + whole_lines(static_cast<size_t>(p_.length) * 2));
      for (int64_t row = begin; row < end; ++row) {
        if (p_.depthwise()) {
          add_taps(row, sums);
          result_.write(row * p_.groups * p_.channels, 0, p_.groups * p_.channels, sums);
          continue;
        }
        for (int64_t g = 0; g < p_.groups; ++g) {
          if (p_.convolution) fill_patch(row, g, patch);
          else fill_row(row, patch);
          products_(patch, packed_ + g * p_.channels * p_.length, p_.length, p_.channels, sums);
          result_.write((row * p_.groups + g) * p_.channels, g * p_.channels, p_.channels, sums);
        }
      }
    });
  }
  KernelFacts facts() const override {
    return {.name = std::string("own i8 product, i32 sums (") + vector_unit() + ")", .format = ProductFormat::int8};
  }

 private:
  /// Weights in the order of a patch: channels side by side for convolutions; depthwise ones as [tap][output].
  void pack() {
    const Tensor &b = arguments_.inputs[p_.places.b], &zero = arguments_.inputs[p_.places.b_zero];
    const Strides& s = b.strides();
    const bool is_signed = b.dtype() == DType::int8;
    parallel_for(threads_, p_.groups * p_.channels, p_.groups * p_.channels * p_.length, [&](int64_t o) {
      const auto z = static_cast<int16_t>(quantized_parameter(zero, o));
      int16_t* to = packed_ + o * p_.length;
      if (!p_.convolution) {
        for (int64_t k = 0; k < p_.length; ++k)
          to[k] = static_cast<int16_t>(byte_at(b.data() + k * s[0] + o * s[1], is_signed) - z);
        return;
      }
      for (int64_t u = 0; u < p_.kernel_height; ++u) {
        for (int64_t v = 0; v < p_.kernel_width; ++v) {
          const std::byte* from = b.data() + o * s[0] + u * s[2] + v * s[3];
          for (int64_t c = 0; c < p_.in_channels; ++c) {
            const auto weight = static_cast<int16_t>(byte_at(from + c * s[1], is_signed) - z);
            if (p_.depthwise()) packed_[(u * p_.kernel_width + v) * p_.groups * p_.channels + o] = weight;
            else *to++ = weight;
          }
        }
      }
    });
  }

  void fill_row(int64_t row, int16_t* patch) const {
    const Tensor& a = arguments_.inputs[p_.places.a];
    const bool two = a.type().rank() == 2, is_signed = a.dtype() == DType::int8;
    const std::byte* from = a.data() + row * (two ? a.strides()[0] : p_.length);
    const int64_t step = two ? a.strides()[1] : 1;
    for (int64_t k = 0; k < p_.length; ++k)
      patch[k] = static_cast<int16_t>(byte_at(from + k * step, is_signed) - a_zero_);
  }

  /// For each tap of a row's window: tap(its first element of `group`, or null beside the image).
  template <class Tap>
  void for_taps(int64_t row, int64_t group, const Tap& tap) const {
    const Tensor& x = arguments_.inputs[p_.places.a];
    const Strides& s = x.strides();
    const int64_t j = row % p_.out_width, i = row / p_.out_width % p_.out_height,
                  n = row / (p_.out_width * p_.out_height);
    for (int64_t u = 0; u < p_.kernel_height; ++u) {
      const int64_t h = i * p_.stride[0] + u * p_.dilation[0] - p_.padding[0];
      for (int64_t v = 0; v < p_.kernel_width; ++v) {
        const int64_t w = j * p_.stride[1] + v * p_.dilation[1] - p_.padding[1];
        const bool inside = h >= 0 && h < p_.height && w >= 0 && w < p_.width;
        tap(inside ? x.data() + n * s[0] + group * p_.in_channels * s[1] + h * s[2] + w * s[3] : nullptr);
      }
    }
  }

  void fill_patch(int64_t row, int64_t group, int16_t* patch) const {
    const Tensor& x = arguments_.inputs[p_.places.a];
    const bool is_signed = x.dtype() == DType::int8;
    const int64_t apart = x.strides()[1];
    for_taps(row, group, [&](const std::byte* from) {
      if (from == nullptr) {
        std::fill_n(patch, p_.in_channels, int16_t{0});
      } else {
        for (int64_t c = 0; c < p_.in_channels; ++c)
          patch[c] = static_cast<int16_t>(byte_at(from + c * apart, is_signed) - a_zero_);
      }
      patch += p_.in_channels;
    });
  }

  /// sums[output] of a depthwise convolution.
  void add_taps(int64_t row, int32_t* sums) const {
    const Tensor& x = arguments_.inputs[p_.places.a];
    const int64_t outputs = p_.groups * p_.channels, apart = x.strides()[1];
    std::fill_n(sums, outputs, 0);
    const int16_t* weights = packed_;
    const auto add = [&](auto* from) {
      if (p_.channels == 1 && apart == 1) {
        for (int64_t g = 0; g < outputs; ++g) sums[g] += (from[g] - a_zero_) * weights[g];
        return;
      }
      for (int64_t o = 0; o < outputs; ++o) sums[o] += (from[o / p_.channels * apart] - a_zero_) * weights[o];
    };
    for_taps(row, 0, [&](const std::byte* from) {
      if (from != nullptr && x.dtype() == DType::int8) add(reinterpret_cast<const int8_t*>(from));
      else if (from != nullptr) add(reinterpret_cast<const uint8_t*>(from));
      weights += outputs;
    });
  }

  KernelArguments arguments_;
  Problem p_;
  QuantizedResult result_;
  int threads_;
  std::byte* scratch_;
  int16_t* packed_;
  std::shared_ptr<Storage> own_;
  bool packs_once_ = false, is_packed_ = false;
  InnerProducts products_ = inner_products();
  int16_t a_zero_ = 0;
};

}  // namespace

int64_t integer_product_workspace(Context& context, const Node& node, const Call& call) {
  const Problem p = make_problem(node, call.inputs, call.outputs[0]);
  return p.rows == 0 ? 0 : p.packed_bytes() + context.threads * p.scratch_bytes();
}

std::unique_ptr<PreparedOp> prepare_integer_product(Context& context, const PrepareRequest& request) {
  std::vector<TensorType> types;
  for (const Tensor& tensor : request.arguments.inputs) types.push_back(tensor.type());
  Problem p = make_problem(request.node, types, request.arguments.outputs[0].type());
  if (p.rows == 0) return nullptr;
  return std::make_unique<IntegerProduct>(request, std::move(p), context.threads);
}

namespace {

// ---- to integers and back
// -------------------------------------------------------------------------------------------------------

/// Stretches of x that have one scale: [outer, channel, inner] in memory. One for all: one channel.
struct ScaledStretches {
  int64_t outer = 1, channels = 1, inner = 1;

  /// Nothing where scales go along an axis whose neighbours do not lie so, or are too many or too few.
  static std::optional<ScaledStretches> of(const TensorType& x, const Tensor& scale, const Tensor& zero, int64_t axis) {
    const int64_t scales = std::max(scale.type().elements(), zero.type().elements());
    if (scales == 1) return ScaledStretches{1, 1, x.elements()};
    if (axis < 0) axis += x.rank();
    if (axis < 0 || axis >= x.rank() || x.shape[static_cast<size_t>(axis)] != scales) return std::nullopt;
    const int64_t inner =
        std::max<int64_t>(1, x.strides[static_cast<size_t>(axis)]);  // of a dense tensor: what lies behind the axis
    return ScaledStretches{x.elements() / scales / inner, scales, inner};
  }
};

/// quantize_linear, dequantize_linear and dynamic_quantize_linear of tensors in one dense layout, with one scale for
/// all or one for each index of an axis.
class Linear final : public PreparedOp {
 public:
  Linear(const PrepareRequest& request, const ScaledStretches& stretches, int threads)
      : arguments_(request.arguments), name_(request.node.op->name), stretches_(stretches), threads_(threads) {}

  void run() override {
    const Tensor &x = arguments_.inputs[0], &y = arguments_.outputs[0];
    if (name_ == "dequantize_linear") {
      if (x.dtype() == DType::int32) return dequantize(x.data_as<const int32_t>(), loops_.from_i32);
      if (x.dtype() == DType::int8) return dequantize(x.data_as<const int8_t>(), loops_.from_i8);
      return dequantize(x.data_as<const uint8_t>(), loops_.from_u8);
    }
    if (name_ == "quantize_linear") {
      const double low = y.dtype() == DType::int8 ? -128 : 0;
      const float* const from = x.data_as<const float>();
      auto* const to = y.data_as<uint8_t>();
      return each_stretch([&](int64_t begin, int64_t end, double scale, double zero) {
        loops_.to_bytes(from + begin, end - begin, scale, zero, low, to + begin);
      });
    }
    quantize_dynamically(x.data_as<const float>(), x.type().elements());
  }
  KernelFacts facts() const override { return {.name = "own " + std::string(name_)}; }

 private:
  /// As DynamicQuantizationParts do it, by vectors.
  void quantize_dynamically(const float* x, int64_t count) const {
    float low = 0, high = 0;
    loops_.ends(x, count, &low, &high);
    const DynamicRange found = dynamic_range(static_cast<double>(low), static_cast<double>(high));
    auto* const y = arguments_.outputs[0].data_as<uint8_t>();
    *arguments_.outputs[1].data_as<float>() = found.scale;
    *arguments_.outputs[2].data_as<uint8_t>() = static_cast<uint8_t>(found.zero_point);
    parallel_parts(threads_, count, 64, count, [&](int64_t begin, int64_t end) {
      loops_.to_bytes(x + begin, end - begin, static_cast<double>(found.scale), found.zero_point, 0, y + begin);
    });
  }

  template <class T>
  void dequantize(const T* x, void (*part)(const T*, int64_t, double, double, float*)) const {
    auto* const y = arguments_.outputs[0].data_as<float>();
    each_stretch([=](int64_t begin, int64_t end, double scale, double zero) {
      part(x + begin, end - begin, scale, zero, y + begin);
    });
  }
  /// body(begin, end, scale, zero) for all elements, split over the threads.
  template <class Body>
  void each_stretch(const Body& body) const {
    const int64_t count = arguments_.outputs[0].type().elements();
    const auto parameter = [&](size_t operand, int64_t c) {
      return quantized_parameter(arguments_.inputs[operand], c);
    };
    if (stretches_.channels == 1) {
      const double scale = parameter(1, 0), zero = parameter(2, 0);
      return parallel_parts(threads_, count, 64, count,
                            [&](int64_t begin, int64_t end) { body(begin, end, scale, zero); });
    }
    std::vector<double> scales, zeros;
    for (int64_t c = 0; c < stretches_.channels; ++c)
      scales.push_back(parameter(1, c)), zeros.push_back(parameter(2, c));
    parallel_parts(threads_, stretches_.outer * stretches_.channels, 1, count, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        const auto c = static_cast<size_t>(i % stretches_.channels);
        body(i * stretches_.inner, (i + 1) * stretches_.inner, scales[c], zeros[c]);
      }
    });
  }

  KernelArguments arguments_;
  std::string_view name_;
  ScaledStretches stretches_;
  int threads_;
  QuantizeLoops loops_ = quantize_loops();
};

std::unique_ptr<PreparedOp> prepare_linear(Context& context, const PrepareRequest& request) {
  const auto& in = request.arguments.inputs;
  const Tensor &x = in[0], &y = request.arguments.outputs[0];
  const bool dense = is_dense(x.shape(), x.strides()) && x.strides() == y.strides();
  const auto stretches = in.size() < 3
                             ? ScaledStretches{}
                             : ScaledStretches::of(x.type(), in[1], in[2], request.node.attributes.get_int("axis", 1));
  const bool real = request.node.op->name == "dequantize_linear" || x.dtype() == DType::float32;
  if (!dense || !stretches || !real) return nullptr;
  return std::make_unique<Linear>(request, *stretches, context.threads);
}

constexpr Kernel kKernels[] = {{"quantize_linear", prepare_linear},
                               {"dequantize_linear", prepare_linear},
                               {"dynamic_quantize_linear", prepare_linear},
                               {"matmul_integer", prepare_integer_product, integer_product_workspace},
                               {"qlinear_matmul", prepare_integer_product, integer_product_workspace},
                               {"conv_integer", prepare_integer_product, integer_product_workspace},
                               {"qlinear_conv", prepare_integer_product, integer_product_workspace}};

}  // namespace

std::span<const Kernel> quantized_kernels() { return kKernels; }

}  // namespace engine::cpu
