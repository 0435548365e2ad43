// SPDX-License-Identifier: Apache-2.0
// Quantised ops: operands become 16-bit integers without their zero points (weights packed once where they are constant), rows
// and image patches meet weight rows in exact 32-bit sums, results are quantised again in place of being stored as i32.

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "engine/cpu/whole_lines.h"
#include "engine/cpu/elementwise_simd.h"
#include "engine/cpu/kernels.h"
#include "engine/cpu/parallel.h"
#include "engine/cpu/quantize-inl.h"
#include "engine/cpu/quantized_simd.h"
#include "engine/tensor/element.h"
#include "engine/tensor/quantization.h"

namespace engine::cpu {
namespace {

int16_t byte_at(const std::byte* address, bool is_signed) {
  const auto value = static_cast<uint8_t>(*address);
  return is_signed ? static_cast<int16_t>(static_cast<int8_t>(value)) : static_cast<int16_t>(value);
}

double element(const Tensor& tensor, int64_t i) {
  const int64_t at = tensor.type().elements() == 1 ? 0 : i * tensor.strides()[0];
  return load_element(tensor.dtype(), tensor.data() + at * size_bytes(tensor.dtype()));
}

/// A product as rows of patches against rows of weights: y[row, g * channels + o] = patch(row, g) . weight(g, o).
struct Problem {
  bool convolution = false, quantized = false;
  size_t a = 0, b = 1, a_zero = 2, b_zero = 3;                      ///< operands
  size_t a_scale = 1, b_scale = 4, y_scale = 6, y_zero = 7, bias = 8;  ///< operands of quantised results
  int64_t rows = 0, groups = 1, channels = 0, length = 0;
  // Convolutions: sizes of one image and the window.
  int64_t in_channels = 0, height = 0, width = 0, out_height = 0, out_width = 0, kernel_height = 1, kernel_width = 1;
  std::vector<int64_t> stride, padding, dilation;

  /// Each channel of x is convolved by itself: all of a pixel's go through a tap together.
  bool depthwise() const { return convolution && groups > 1 && in_channels == 1; }
  int64_t packed_bytes() const { return static_cast<int64_t>(whole_lines(static_cast<size_t>(groups * channels * length) * 2)); }
  /// Per thread: one patch and its sums.
  int64_t scratch_bytes() const {
    return static_cast<int64_t>(whole_lines(static_cast<size_t>(length) * 2) + whole_lines(static_cast<size_t>(depthwise() ? groups * channels : channels) * 4));
  }
};

/// Nothing (rows == 0) for operands these loops do not take.
Problem make_problem(const Node& node, std::span<const TensorType> in, const TensorType& y) {
  Problem p;
  p.convolution = node.op->name.find("conv") != std::string_view::npos;
  p.quantized = node.op->name.starts_with("qlinear");
  if (p.quantized) {
    p.a_zero = 2;
    p.b = 3;
    p.b_zero = 5;
  }
  const TensorType &a = in[p.a], &b = in[p.b];
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
        threads_(threads),
        scratch_(request.workspace + p_.packed_bytes()),
        packed_(reinterpret_cast<int16_t*>(request.workspace)) {
    const auto& constant = request.inputs_constant;
    packs_once_ = constant.size() > p_.b_zero && constant[p_.b] && constant[p_.b_zero];
    if (!packs_once_) return;
    auto own = Storage::allocate_host(p_.packed_bytes());
    if (!own) throw std::bad_alloc();
    own_ = *own;
    packed_ = reinterpret_cast<int16_t*>(own_->data());
  }

  void run() override {
    if (!packs_once_ || !is_packed_) pack();
    is_packed_ = true;
    read_parameters();
    const int64_t work = p_.rows * p_.groups * p_.channels * p_.length / 8;
    parallel_parts(threads_, p_.rows, 1, work, [&](int64_t begin, int64_t end) {
      std::byte* own = scratch_ + team_member() * p_.scratch_bytes();
      auto* patch = reinterpret_cast<int16_t*>(own);
      auto* sums = reinterpret_cast<int32_t*>(own + whole_lines(static_cast<size_t>(p_.length) * 2));
      for (int64_t row = begin; row < end; ++row) {
        if (p_.depthwise()) {
          add_taps(row, sums);
          write(row * p_.groups * p_.channels, 0, p_.groups * p_.channels, sums);
          continue;
        }
        for (int64_t g = 0; g < p_.groups; ++g) {
          if (p_.convolution) fill_patch(row, g, patch);
          else fill_row(row, patch);
          products_(patch, packed_ + g * p_.channels * p_.length, p_.length, p_.channels, sums);
          write((row * p_.groups + g) * p_.channels, g * p_.channels, p_.channels, sums);
        }
      }
    });
  }
  std::string kernel_name() const override { return std::string("own i8 product, i32 sums (") + vector_unit() + ")"; }

 private:
  /// Weights in the order of a patch: channels side by side for convolutions; depthwise ones as [tap][output].
  void pack() {
    const Tensor &b = arguments_.inputs[p_.b], &zero = arguments_.inputs[p_.b_zero];
    const Strides& s = b.strides();
    const bool is_signed = b.dtype() == DType::int8;
    parallel_for(threads_, p_.groups * p_.channels, p_.groups * p_.channels * p_.length, [&](int64_t o) {
      const auto z = static_cast<int16_t>(element(zero, o));
      int16_t* to = packed_ + o * p_.length;
      if (!p_.convolution) {
        for (int64_t k = 0; k < p_.length; ++k) to[k] = static_cast<int16_t>(byte_at(b.data() + k * s[0] + o * s[1], is_signed) - z);
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
    const Tensor& a = arguments_.inputs[p_.a];
    const bool two = a.type().rank() == 2, is_signed = a.dtype() == DType::int8;
    const std::byte* from = a.data() + row * (two ? a.strides()[0] : p_.length);
    const int64_t step = two ? a.strides()[1] : 1;
    for (int64_t k = 0; k < p_.length; ++k) patch[k] = static_cast<int16_t>(byte_at(from + k * step, is_signed) - a_zero_);
  }

  /// For each tap of a row's window: tap(its first element of `group`, or null beside the image).
  template <class Tap>
  void for_taps(int64_t row, int64_t group, const Tap& tap) const {
    const Tensor& x = arguments_.inputs[p_.a];
    const Strides& s = x.strides();
    const int64_t j = row % p_.out_width, i = row / p_.out_width % p_.out_height, n = row / (p_.out_width * p_.out_height);
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
    const Tensor& x = arguments_.inputs[p_.a];
    const bool is_signed = x.dtype() == DType::int8;
    const int64_t apart = x.strides()[1];
    for_taps(row, group, [&](const std::byte* from) {
      if (from == nullptr) {
        std::fill_n(patch, p_.in_channels, int16_t{0});
      } else {
        for (int64_t c = 0; c < p_.in_channels; ++c) patch[c] = static_cast<int16_t>(byte_at(from + c * apart, is_signed) - a_zero_);
      }
      patch += p_.in_channels;
    });
  }

  /// sums[output] of a depthwise convolution.
  void add_taps(int64_t row, int32_t* sums) const {
    const Tensor& x = arguments_.inputs[p_.a];
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

  /// Scales and zero points may come from other ops, so they are read at each run.
  void read_parameters() {
    const auto& in = arguments_.inputs;
    a_zero_ = static_cast<int16_t>(element(in[p_.a_zero], 0));
    if (!p_.quantized) return;
    const int64_t channels = p_.groups * p_.channels;
    factors_.resize(static_cast<size_t>(channels));
    bias_.assign(static_cast<size_t>(channels), 0.0);
    const double a_scale = element(in[p_.a_scale], 0), y_scale = element(in[p_.y_scale], 0);
    for (int64_t o = 0; o < channels; ++o) {
      factors_[static_cast<size_t>(o)] = a_scale * element(in[p_.b_scale], o) / y_scale;
      if (in.size() > p_.bias) bias_[static_cast<size_t>(o)] = element(in[p_.bias], o);
    }
    y_zero_ = static_cast<int32_t>(element(in[p_.y_zero], 0));
  }

  /// `count` sums to y from element `to` on, of which the first is of output channel `channel`.
  void write(int64_t to, int64_t channel, int64_t count, const int32_t* sums) const {
    const Tensor& y = arguments_.outputs[0];
    if (!p_.quantized) {
      std::copy_n(sums, count, y.data_as<int32_t>() + to);
      return;
    }
    const double low = y.dtype() == DType::int8 ? -128 : 0, zero = y_zero_;
    const double *const factors = factors_.data() + channel, *const bias = bias_.data() + channel;
    auto* const out = y.data_as<uint8_t>() + to;
    for (int64_t o = 0; o < count; ++o) out[o] = quantized_byte((sums[o] + bias[o]) * factors[o], zero, low);
  }

  KernelArguments arguments_;
  Problem p_;
  int threads_;
  std::byte* scratch_;
  int16_t* packed_;
  std::shared_ptr<Storage> own_;
  bool packs_once_ = false, is_packed_ = false;
  InnerProducts products_ = inner_products();
  int16_t a_zero_ = 0;
  int32_t y_zero_ = 0;
  std::vector<double> factors_, bias_;
};

int64_t product_workspace(Context& context, const Node& node, const Call& call) {
  const Problem p = make_problem(node, call.inputs, call.outputs[0]);
  return p.rows == 0 ? 0 : p.packed_bytes() + context.threads * p.scratch_bytes();
}

std::unique_ptr<PreparedOp> prepare_product(Context& context, const PrepareRequest& request) {
  std::vector<TensorType> types;
  for (const Tensor& tensor : request.arguments.inputs) types.push_back(tensor.type());
  Problem p = make_problem(request.node, types, request.arguments.outputs[0].type());
  if (p.rows == 0) return nullptr;
  return std::make_unique<IntegerProduct>(request, std::move(p), context.threads);
}

// ---- to integers and back -------------------------------------------------------------------------------------------------------

/// quantize_linear, dequantize_linear and dynamic_quantize_linear of tensors in one dense layout, with one scale for all.
class Linear final : public PreparedOp {
 public:
  Linear(const PrepareRequest& request, int threads)
      : arguments_(request.arguments), name_(request.node.op->name), threads_(threads) {}

  void run() override {
    const Tensor &x = arguments_.inputs[0], &y = arguments_.outputs[0];
    if (name_ == "dequantize_linear") {
      if (x.dtype() == DType::int32) return dequantize(x.data_as<const int32_t>());
      return x.dtype() == DType::int8 ? dequantize(x.data_as<const int8_t>()) : dequantize(x.data_as<const uint8_t>());
    }
    if (name_ == "quantize_linear") {
      const Quantization quantization{element(arguments_.inputs[1], 0), element(arguments_.inputs[2], 0), y.dtype() == DType::int8 ? -128.0 : 0.0};
      return quantization.run(x.data_as<float>(), y.type().elements(), y.data_as<uint8_t>(), threads_);
    }
    DynamicQuantizationParts<> parts{{}, x.data_as<float>(), x.type().elements(), y.data_as<uint8_t>(), arguments_.outputs[1].data_as<float>(), arguments_.outputs[2].data_as<uint8_t>(),
                                     threads_};
    loops::dynamic_quantize(parts);
  }
  std::string kernel_name() const override { return "own " + std::string(name_); }

 private:
  template <class T>
  void dequantize(const T* x) const {
    const double scale = element(arguments_.inputs[1], 0), zero = element(arguments_.inputs[2], 0);
    const int64_t count = arguments_.outputs[0].type().elements();
    auto* const y = arguments_.outputs[0].data_as<float>();
    parallel_parts(threads_, count, 64, count, [=](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) y[i] = static_cast<float>((x[i] - zero) * scale);
    });
  }

  KernelArguments arguments_;
  std::string_view name_;
  int threads_;
};

std::unique_ptr<PreparedOp> prepare_linear(Context& context, const PrepareRequest& request) {
  const auto& in = request.arguments.inputs;
  const Tensor &x = in[0], &y = request.arguments.outputs[0];
  const bool dense = is_dense(x.shape(), x.strides()) && x.strides() == y.strides();
  const bool one_scale = in.size() < 3 || (in[1].type().elements() == 1 && in[2].type().elements() == 1);
  const bool real = request.node.op->name == "dequantize_linear" || x.dtype() == DType::float32;
  if (!dense || !one_scale || !real) return nullptr;
  return std::make_unique<Linear>(request, context.threads);
}

constexpr Kernel kKernels[] = {{"quantize_linear", prepare_linear},
                               {"dequantize_linear", prepare_linear},
                               {"dynamic_quantize_linear", prepare_linear},
                               {"matmul_integer", prepare_product, product_workspace},
                               {"qlinear_matmul", prepare_product, product_workspace},
                               {"conv_integer", prepare_product, product_workspace},
                               {"qlinear_conv", prepare_product, product_workspace}};

}  // namespace

std::span<const Kernel> quantized_kernels() { return kKernels; }

}  // namespace engine::cpu
