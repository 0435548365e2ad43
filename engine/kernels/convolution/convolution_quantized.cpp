// SPDX-License-Identifier: Apache-2.0
// conv_integer and qlinear_conv by oneDNN's convolutions of 8-bit integers where the processor has products of bytes
// with sums of 32 bits (VNNI, AMX); on others oneDNN adds pairs in 16 bits, which do not hold them: those are left to
// our own loops. oneDNN adds exactly but stores i32 by way of f32, which rounds sums beyond 2^24: conv_integer, whose
// result they are, is its only where no sum gets there. qlinear_conv rounds them to 8 bits anyway, of which those 24
// bits are more than enough.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "engine/kernels/convolution/convolution.h"
#include "engine/kernels/core/on_copies.h"
#include "engine/kernels/core/parallel.h"
#include "engine/kernels/quantized/quantized_result.h"

namespace engine::cpu {
namespace {

using Descriptor = dnnl::memory::desc;
using Dims = dnnl::memory::dims;
using Data = dnnl::memory::data_type;

struct IntegerProblem {
  dnnl::convolution_forward::primitive_desc primitive;
  /// Of u8 weights, which oneDNN reads less 128: a convolution by ones, one output per group, for what their zero
  /// points take away.
  std::optional<dnnl::convolution_forward::primitive_desc> ones = {};
  int64_t groups = 1, weights = 0;
  Descriptor weight_ours;
  bool quantized = false;
  int64_t outputs = 0, pixels = 0;  ///< pixels: of y, of all images

  size_t sums_bytes() const { return quantized ? whole_lines(primitive.dst_desc().get_size()) : 0; }
  size_t weight_bytes() const { return packed_bytes(primitive.weights_desc(), weight_ours); }
  size_t signed_bytes() const { return ones ? whole_lines(static_cast<size_t>(weights)) : 0; }
  size_t ones_bytes() const { return ones ? whole_lines(ones->dst_desc().get_size()) : 0; }
  size_t scratch_bytes() const {
    const size_t own = primitive.scratchpad_desc().get_size();
    return ones ? std::max(own, ones->scratchpad_desc().get_size()) : own;
  }
};

bool lies_channels_last(const TensorType& type) { return lie_alike(type, copied(type, kChannelsLast)); }

/// Nothing where oneDNN has no kernel with exact sums.
std::optional<IntegerProblem> problem_of(Context& context, const Node& node, std::span<const TensorType> in,
                                         const TensorType& y) {
  const bool quantized = node.op->name.starts_with("qlinear");
  const QuantizedPlaces places = QuantizedPlaces::of(quantized);
  const TensorType &x = in[places.a], &w = in[places.b];
  const auto x_data = dnnl_byte_type(x.dtype);
  constexpr int64_t kLargestProduct = 255 * 128;
  constexpr int64_t kExactInF32 = int64_t{1} << 24;
  const int64_t length = w.elements() / w.shape[0],
                largest_sum = quantized ? std::numeric_limits<int32_t>::max() / 2 : kExactInF32;
  const bool shifts = w.dtype == DType::uint8;
  if (!x_data || (w.dtype != DType::int8 && !shifts) || length > largest_sum / kLargestProduct) return std::nullopt;
  if (!lies_channels_last(x) || !lies_channels_last(y)) return std::nullopt;
  const Attributes& attributes = node.attributes;
  const Dims stride = attributes.get_ints("stride", {1, 1}), padding = attributes.get_ints("padding", {0, 0, 0, 0});
  Dims skipped = attributes.get_ints("dilation", {1, 1});
  for (int64_t& extent : skipped) --extent;  // oneDNN counts the elements skipped
  const Strides lies = shifts ? contiguous_strides(w.shape) : w.strides;
  Dims dims = dnnl_dims(w.shape), strides{lies.begin(), lies.end()};
  if (std::ranges::any_of(strides, [](int64_t s) { return s <= 0; })) return std::nullopt;
  const int64_t groups = attributes.get_int("groups", 1);
  if (groups > 1) {
    dims[0] /= groups;
    dims.insert(dims.begin(), groups);
    strides.insert(strides.begin(), strides[0] * dims[1]);
  }
  constexpr auto kLast = dnnl::memory::format_tag::nhwc;
  dnnl::primitive_attr zero_point = user_scratchpad();
  zero_point.set_zero_points(DNNL_ARG_SRC, 0, {DNNL_RUNTIME_S32_VAL});
  const auto described = [&](const Dims& weights, const Dims& to) {
    return dnnl::convolution_forward::desc(dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
                                           {dnnl_dims(x.shape), *x_data, kLast},
                                           {weights, Data::s8, dnnl::memory::format_tag::any}, {to, Data::s32, kLast},
                                           stride, skipped, {padding[0], padding[1]}, {padding[2], padding[3]});
  };
  const dnnl::convolution_forward::desc desc = described(dims, dnnl_dims(y.shape));
  const auto made = [&] { return dnnl::convolution_forward::primitive_desc(desc, zero_point, context.dnnl->engine); };
  const double products = static_cast<double>(y.elements()) * static_cast<double>(length);
  IntegerProblem p{.primitive = for_few_products(made(), made, products),
                   .weight_ours = Descriptor(dims, Data::s8, strides),
                   .quantized = quantized,
                   .outputs = w.shape[0],
                   .pixels = y.elements() / w.shape[0]};
  if (!computes_bytes(p.primitive)) return std::nullopt;
  p.groups = groups, p.weights = w.elements();
  if (shifts) {
    Dims one = dims, to = dnnl_dims(y.shape);
    one[groups > 1 ? 1 : 0] = 1;
    to[1] = groups;
    p.ones = {described(one, to), zero_point, context.dnnl->engine};
  }
  return p;
}

class IntegerConvolution final : public PreparedOp {
 public:
  IntegerConvolution(Context& context, const PrepareRequest& request, const IntegerProblem& p,
                     std::unique_ptr<PreparedOp> plain)
      : plain_(std::move(plain)),
        places_(QuantizedPlaces::of(p.quantized)),
        arguments_(request.arguments),
        result_(request, p.quantized, p.outputs),
        outputs_(p.outputs),
        pixels_(p.pixels),
        quantized_(p.quantized),
        threads_(context.threads),
        name_(std::string("oneDNN ") + p.primitive.impl_info_str() + ", i32 sums") {
    const auto& in = arguments_.inputs;
    zeros_constant_ = request.inputs_constant.size() > places_.b_zero && request.inputs_constant[places_.b_zero];
    const Descriptor packed = p.primitive.weights_desc();
    std::byte* weights = request.workspace + p.sums_bytes();
    std::byte* const rest = weights + p.weight_bytes();
    signed_ = p.ones ? rest : nullptr;
    std::byte* const ours = p.ones ? signed_ : in[places_.b].data();
    if (packed == p.weight_ours) {
      weights = ours;
    } else {
      packs_once_ = request.inputs_constant.size() > places_.b && request.inputs_constant[places_.b];
      if (packs_once_) {
        auto own = Storage::allocate_host(static_cast<int64_t>(packed.get_size()));
        if (!own) throw std::bad_alloc();
        packed_ = *own;
        weights = packed_->data();
      }
      pack_ = bind_reorder(context, p.weight_ours, ours, packed, weights);
    }
    std::byte* const to = p.quantized ? request.workspace : arguments_.outputs[0].data();
    sums_ = reinterpret_cast<int32_t*>(to);
    const auto memory = [&](const Descriptor& desc, void* data) {
      return dnnl::memory(desc, context.dnnl->engine, data);
    };
    main_ = BoundPrimitive(
        context, dnnl::convolution_forward(p.primitive),
        {{DNNL_ARG_SRC, memory(p.primitive.src_desc(), in[places_.a].data())},
         {DNNL_ARG_WEIGHTS, memory(packed, weights)},
         {DNNL_ARG_DST, memory(p.primitive.dst_desc(), to)},
         {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC,
          memory(Descriptor({1}, Data::s32, dnnl::memory::format_tag::x), &x_zero_)},
         {DNNL_ARG_SCRATCHPAD, memory(p.primitive.scratchpad_desc(), rest + p.signed_bytes() + p.ones_bytes())}});
    if (p.ones) bind_ones(context, p, rest + p.signed_bytes());
  }

  void run() override {
    const auto& in = arguments_.inputs;
    if (signed_ == nullptr) {
      if (!knows_zeros_) zeros_ = has_zeros();
      knows_zeros_ = zeros_constant_;
      if (!zeros_) return plain_->run();
    }
    x_zero_ = static_cast<int32_t>(quantized_parameter(in[places_.a_zero], 0));
    if (signed_ != nullptr && (pack_ || !packs_once_)) copy_signed();
    if (pack_) {
      pack_->run();
      if (packs_once_) pack_.reset();
    }
    main_.run();
    if (ones_) ones_->run();
    if (!quantized_ && !ones_) return;
    result_.read();
    if (ones_) {
      zeros_of_weights_.resize(static_cast<size_t>(outputs_));
      for (int64_t o = 0; o < outputs_; ++o)
        zeros_of_weights_[static_cast<size_t>(o)] =
            static_cast<int32_t>(quantized_parameter(in[places_.b_zero], o)) - kShift;
    }
    parallel_parts(threads_, pixels_, 1, pixels_ * outputs_, [this](int64_t begin, int64_t end) {
      for (int64_t pixel = begin; pixel < end; ++pixel) {
        if (ones_) take_zeros(pixel);
        if (quantized_) result_.write(pixel * outputs_, 0, outputs_, sums_ + pixel * outputs_);
      }
    });
  }
  KernelFacts facts() const override {
    return {.name = name_, .library = KernelLibrary::onednn, .format = ProductFormat::int8};
  }

 private:
  /// What u8 weights are read less, so that they are signed bytes.
  static constexpr int kShift = 128;

  void bind_ones(Context& context, const IntegerProblem& p, std::byte* to) {
    const Descriptor packed = p.ones->weights_desc();
    const int64_t count = p.weights / p.outputs * p.groups;
    auto own = Storage::allocate_host(static_cast<int64_t>(packed.get_size())), plain = Storage::allocate_host(count);
    if (!own || !plain) throw std::bad_alloc();
    std::fill_n((*plain)->data(), count, std::byte{1});
    Dims strides(packed.dims().size());
    int64_t step = 1;
    for (size_t axis = strides.size(); axis-- > 0; step *= packed.dims()[axis]) strides[axis] = step;
    const Descriptor ours(packed.dims(), Data::s8, strides);
    if (const auto reorder = bind_reorder(context, ours, (*plain)->data(), packed, (*own)->data())) reorder->run();
    else std::copy_n((*plain)->data(), count, (*own)->data());
    ones_weights_ = *own;
    ones_sums_ = reinterpret_cast<const int32_t*>(to);
    groups_ = p.groups;
    const auto memory = [&](const Descriptor& desc, void* data) {
      return dnnl::memory(desc, context.dnnl->engine, data);
    };
    ones_ = BoundPrimitive(context, dnnl::convolution_forward(*p.ones),
                           {{DNNL_ARG_SRC, memory(p.ones->src_desc(), arguments_.inputs[places_.a].data())},
                            {DNNL_ARG_WEIGHTS, memory(packed, ones_weights_->data())},
                            {DNNL_ARG_DST, memory(p.ones->dst_desc(), to)},
                            {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC,
                             memory(Descriptor({1}, Data::s32, dnnl::memory::format_tag::x), &x_zero_)},
                            {DNNL_ARG_SCRATCHPAD, memory(p.ones->scratchpad_desc(), to + p.ones_bytes())}});
  }

  void copy_signed() {
    const Tensor& w = arguments_.inputs[places_.b];
    const Shape& shape = w.shape();
    const Strides& strides = w.strides();
    const int64_t inner = shape[1] * shape[2] * shape[3];
    parallel_for(threads_, shape[0], shape[0] * inner, [&](int64_t o) {
      auto* to = reinterpret_cast<int8_t*>(signed_) + o * inner;
      for (int64_t c = 0; c < shape[1]; ++c) {
        for (int64_t u = 0; u < shape[2]; ++u) {
          for (int64_t v = 0; v < shape[3]; ++v)
            *to++ = static_cast<int8_t>(
                w.data_as<const uint8_t>()[o * strides[0] + c * strides[1] + u * strides[2] + v * strides[3]] - kShift);
        }
      }
    });
  }

  /// sum (x - zx)(w - zw): the sums are of w less 128, and zw less 128 times the sum of the window's x - zx is left.
  void take_zeros(int64_t pixel) const {
    int32_t* const sums = sums_ + pixel * outputs_;
    const int64_t each = outputs_ / groups_;
    const int32_t* const zeros = zeros_of_weights_.data();
    if (each == 1) {
      const int32_t* const of_window = ones_sums_ + pixel * groups_;
      for (int64_t o = 0; o < outputs_; ++o) sums[o] -= zeros[o] * of_window[o];
      return;
    }
    for (int64_t g = 0; g < groups_; ++g) {
      const int32_t of_window = ones_sums_[pixel * groups_ + g];
      for (int64_t o = g * each; o < (g + 1) * each; ++o) sums[o] -= zeros[o] * of_window;
    }
  }

  /// Whether all zero points of the weights are 0.
  bool has_zeros() const {
    for (int64_t o = 0; o < outputs_; ++o) {
      if (quantized_parameter(arguments_.inputs[places_.b_zero], o) != 0) return false;
    }
    return true;
  }

  std::unique_ptr<PreparedOp> plain_;  ///< for weights whose zero points are not 0
  QuantizedPlaces places_;
  KernelArguments arguments_;
  QuantizedResult result_;
  int64_t outputs_, pixels_;
  bool quantized_, packs_once_ = false;
  bool zeros_constant_ = false, knows_zeros_ = false, zeros_ = false;  ///< see has_zeros()
  int threads_;
  std::string name_;
  int32_t x_zero_ = 0;
  int32_t* sums_ = nullptr;
  std::byte* signed_ = nullptr;  ///< u8 weights less 128; null: they are signed
  const int32_t* ones_sums_ = nullptr;
  int64_t groups_ = 1;
  std::vector<int32_t> zeros_of_weights_;
  std::shared_ptr<Storage> ones_weights_;
  std::optional<BoundPrimitive> ones_;
  std::shared_ptr<Storage> packed_;
  std::optional<BoundPrimitive> pack_;
  BoundPrimitive main_;
};

std::unique_ptr<PreparedOp> prepare_dense(Context& context, const PrepareRequest& request) {
  std::vector<TensorType> types;
  for (const Tensor& tensor : request.arguments.inputs) types.push_back(tensor.type());
  const auto p = problem_of(context, request.node, types, request.arguments.outputs[0].type());
  if (!p) return nullptr;
  PrepareRequest each_time =
      request;  // packed once, weights would take memory of their own, whether or not it ever runs
  each_time.inputs_constant.clear();
  auto plain = prepare_integer_product(context, each_time);
  return plain ? std::make_unique<IntegerConvolution>(context, request, *p, std::move(plain)) : nullptr;
}

/// Our own product, which stands by, has the same bytes.
int64_t dense_workspace(Context& context, const Node& node, const Call& call) {
  const auto p = problem_of(context, node, call.inputs, call.outputs[0]);
  if (!p) return kNoKernel;
  const auto own = static_cast<size_t>(integer_product_workspace(context, node, call));
  return static_cast<int64_t>(
      std::max(own, p->sums_bytes() + p->weight_bytes() + p->signed_bytes() + p->ones_bytes() + p->scratch_bytes()));
}

}  // namespace

std::unique_ptr<PreparedOp> prepare_dnnl_integer_convolution(Context& context, const PrepareRequest& request) {
  return prepare_on_copies(context, request, kChannelsLast, prepare_dense);
}

int64_t dnnl_integer_convolution_workspace(Context& context, const Node& node, const Call& call) {
  return workspace_on_copies(context, node, call, kChannelsLast, dense_workspace);
}

}  // namespace engine::cpu
