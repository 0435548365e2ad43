// SPDX-License-Identifier: Apache-2.0
// conv2d, conv3d and both their gradients on oneDNN: activations in their own layout (channels last), weights
// in the layout oneDNN likes best and reordered inside the op: at every run in training, once when
// they are constant.
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/check.h"
#include "engine/cpu/dnnl_support.h"
#include "engine/cpu/kernels.h"

namespace engine::cpu {
namespace {

using Descriptor = dnnl::memory::desc;
using Dims = dnnl::memory::dims;
constexpr auto kAny = dnnl::memory::format_tag::any;
constexpr auto kDirect = dnnl::algorithm::convolution_direct;

/// One convolution in oneDNN's words; the same for the forward op and its gradients.
struct Problem {
  Descriptor x, y;
  Descriptor weight_any;   ///< layout left to oneDNN
  Descriptor weight_ours;  ///< [O, C/g, KH, KW] as it lies in memory, groups split off
  std::optional<Descriptor> bias;
  Dims stride, dilation, padding_begin, padding_end;
};

/// Weights [O, C/g, KH, KW] as oneDNN sees them: with groups [g, O/g, C/g, KH, KW]. Nothing when
/// oneDNN does not compute in their type or they are not positive-strided.
std::optional<Descriptor> weight_desc(const TensorType& type, int64_t groups) {
  if (groups == 1) return strided_desc(type);
  TensorType grouped = type;
  grouped.shape.insert(grouped.shape.begin(), groups);
  grouped.shape[1] = type.shape[0] / groups;
  grouped.strides.insert(grouped.strides.begin(), type.strides[0] * grouped.shape[1]);
  return strided_desc(grouped);
}

std::optional<Problem> make_problem(const Attributes& attributes, const TensorType& x,
                                    const TensorType& weight, const TensorType& y,
                                    const TensorType* bias) {
  const size_t axes = x.shape.size() - 2;
  const Dims ones(axes, 1), stride = attributes.get_ints("stride", ones),
                            padding = attributes.get_ints("padding", Dims(2 * axes, 0));
  Dims skipped = attributes.get_ints("dilation", ones);
  for (int64_t& extent : skipped) --extent;  // oneDNN counts the elements skipped
  const auto after = padding.begin() + static_cast<int64_t>(axes);
  const int64_t groups = attributes.get_int("groups", 1);
  const auto x_desc = image_desc(x), y_desc = image_desc(y),
             weight_ours = weight_desc(weight, groups);
  if (!x_desc || !y_desc || !weight_ours) return std::nullopt;
  const auto data_type = x_desc->data_type();  // one for all operands
  Problem p{.x = *x_desc,
            .y = *y_desc,
            .weight_any = Descriptor(weight_ours->dims(), data_type, kAny),
            .weight_ours = *weight_ours,
            .bias = std::nullopt,
            .stride = stride,
            .dilation = skipped,
            .padding_begin = Dims(padding.begin(), after),
            .padding_end = Dims(after, padding.end())};
  if (bias != nullptr) {
    if (bias->dtype != x.dtype || !is_contiguous(bias->shape, bias->strides))
      return std::nullopt;
    p.bias = Descriptor(dnnl_dims(bias->shape), data_type, dnnl::memory::format_tag::a);
  }
  return p;
}

dnnl::convolution_forward::primitive_desc forward_desc(Context& context, const Problem& p,
                                                       dnnl::prop_kind kind) {
  using Forward = dnnl::convolution_forward;
  const auto desc = p.bias ? Forward::desc(kind, kDirect, p.x, p.weight_any, *p.bias, p.y, p.stride,
                                           p.dilation, p.padding_begin, p.padding_end)
                           : Forward::desc(kind, kDirect, p.x, p.weight_any, p.y, p.stride,
                                           p.dilation, p.padding_begin, p.padding_end);
  return {desc, user_scratchpad(), context.dnnl_engine};
}

dnnl::convolution_backward_data::primitive_desc grad_input_desc(Context& context,
                                                                const Problem& p) {
  const auto hint = forward_desc(context, p, dnnl::prop_kind::forward_training);
  const dnnl::convolution_backward_data::desc desc(kDirect, p.x, p.weight_any, p.y, p.stride,
                                                   p.dilation, p.padding_begin, p.padding_end);
  return {desc, user_scratchpad(), context.dnnl_engine, hint};
}

dnnl::convolution_backward_weights::primitive_desc grad_weight_desc(Context& context,
                                                                    const Problem& p) {
  const auto hint = forward_desc(context, p, dnnl::prop_kind::forward_training);
  const dnnl::convolution_backward_weights::desc desc(kDirect, p.x, p.weight_any, p.y, p.stride,
                                                      p.dilation, p.padding_begin, p.padding_end);
  return {desc, user_scratchpad(), context.dnnl_engine, hint};
}

/// Workspace = packed weights (when oneDNN's layout differs from ours), then scratchpad.
size_t packed_bytes(const Descriptor& packed, const Descriptor& ours) {
  return packed == ours ? 0 : whole_lines(packed.get_size());
}

template <class PrimitiveDescriptor>
int64_t needed_workspace(const PrimitiveDescriptor& descriptor, const Descriptor& packed,
                         const Descriptor& ours) {
  return static_cast<int64_t>(packed_bytes(packed, ours) + descriptor.scratchpad_desc().get_size());
}

/// A convolution with an optional reorder of the weights before (forward, grad_input) or after
/// (grad_weight) it.
class ConvolutionOp final : public PreparedOp {
 public:
  std::optional<BoundPrimitive> before, after;
  BoundPrimitive main;
  std::string name;
  bool before_once = false;
  std::shared_ptr<Storage> packed_once;  ///< constant weights in oneDNN's layout

  void run() override {
    if (before) {
      before->run();
      if (before_once) before.reset();
    }
    main.run();
    if (after) after->run();
  }
  std::string kernel_name() const override { return name; }
};

/// oneDNN's plain loops are slower than its f32 kernels between two conversions.
bool is_plain_loop(const char* implementation, DType dtype) {
  return dtype == DType::bfloat16 && std::string_view(implementation).starts_with("ref");
}

}  // namespace

// conv2d: inputs x, weight and perhaps bias; output y.
int64_t conv2d_workspace(Context& context, const Node& node, const Call& call) {
  const auto p = make_problem(node.attributes, call.inputs[0], call.inputs[1], call.outputs[0],
                              call.inputs.size() > 2 ? &call.inputs[2] : nullptr);
  if (!p) return 0;
  const auto pd = forward_desc(context, *p, dnnl::prop_kind::forward_training);
  return needed_workspace(pd, pd.weights_desc(), p->weight_ours);
}

std::unique_ptr<PreparedOp> prepare_conv2d(Context& context, const PrepareRequest& request) {
  const auto& in = request.arguments.inputs;
  const Tensor &x = in[0], &weight = in[1], &y = request.arguments.outputs[0];
  const auto p = make_problem(request.node.attributes, x.type(), weight.type(), y.type(),
                              in.size() > 2 ? &in[2].type() : nullptr);
  if (!p) return nullptr;
  const auto pd = forward_desc(context, *p, dnnl::prop_kind::forward_training);
  if (is_plain_loop(pd.impl_info_str(), y.dtype())) return nullptr;
  const Descriptor packed = pd.weights_desc();
  const size_t in_workspace = packed_bytes(packed, p->weight_ours);
  auto op = std::make_unique<ConvolutionOp>();
  op->name = shown_dnnl_kernel(pd.impl_info_str(), y.dtype());
  void* weights = in_workspace > 0 ? request.workspace : weight.data();
  if (in_workspace > 0 && request.inputs_constant.size() > 1 && request.inputs_constant[1]) {
    auto own = Storage::allocate_host(static_cast<int64_t>(packed.get_size()));
    if (!own) throw std::bad_alloc();
    op->packed_once = *own;
    op->before_once = true;
    weights = op->packed_once->data();
  }
  op->before = bind_reorder(context, p->weight_ours, weight.data(), packed, weights);
  std::vector<std::pair<int, dnnl::memory>> arguments = {
      {DNNL_ARG_SRC, {p->x, context.dnnl_engine, x.data()}},
      {DNNL_ARG_WEIGHTS, {packed, context.dnnl_engine, weights}},
      {DNNL_ARG_DST, {p->y, context.dnnl_engine, y.data()}},
      {DNNL_ARG_SCRATCHPAD,
       {pd.scratchpad_desc(), context.dnnl_engine, request.workspace + in_workspace}}};
  if (p->bias) arguments.push_back({DNNL_ARG_BIAS, {*p->bias, context.dnnl_engine, in[2].data()}});
  op->main = BoundPrimitive(context, dnnl::convolution_forward(pd), std::move(arguments));
  return op;
}

// conv2d_grad_input: inputs dy, weight; output dx.
int64_t conv2d_grad_input_workspace(Context& context, const Node& node, const Call& call) {
  const auto p =
      make_problem(node.attributes, call.outputs[0], call.inputs[1], call.inputs[0], nullptr);
  if (!p) return 0;
  const auto pd = grad_input_desc(context, *p);
  return needed_workspace(pd, pd.weights_desc(), p->weight_ours);
}

std::unique_ptr<PreparedOp> prepare_conv2d_grad_input(Context& context,
                                                      const PrepareRequest& request) {
  const Tensor &dy = request.arguments.inputs[0], &weight = request.arguments.inputs[1],
               &dx = request.arguments.outputs[0];
  const auto p =
      make_problem(request.node.attributes, dx.type(), weight.type(), dy.type(), nullptr);
  if (!p) return nullptr;
  const auto pd = grad_input_desc(context, *p);
  if (is_plain_loop(pd.impl_info_str(), dx.dtype())) return nullptr;
  const Descriptor packed = pd.weights_desc();
  const size_t in_workspace = packed_bytes(packed, p->weight_ours);
  auto op = std::make_unique<ConvolutionOp>();
  op->name = shown_dnnl_kernel(pd.impl_info_str(), dx.dtype());
  void* weights = in_workspace > 0 ? request.workspace : weight.data();
  op->before = bind_reorder(context, p->weight_ours, weight.data(), packed, weights);
  op->main = BoundPrimitive(
      context, dnnl::convolution_backward_data(pd),
      {{DNNL_ARG_DIFF_DST, {p->y, context.dnnl_engine, dy.data()}},
       {DNNL_ARG_WEIGHTS, {packed, context.dnnl_engine, weights}},
       {DNNL_ARG_DIFF_SRC, {p->x, context.dnnl_engine, dx.data()}},
       {DNNL_ARG_SCRATCHPAD,
        {pd.scratchpad_desc(), context.dnnl_engine, request.workspace + in_workspace}}});
  return op;
}

// conv2d_grad_weight: inputs dy, x; output dweight.
int64_t conv2d_grad_weight_workspace(Context& context, const Node& node, const Call& call) {
  const auto p =
      make_problem(node.attributes, call.inputs[1], call.outputs[0], call.inputs[0], nullptr);
  if (!p) return 0;
  const auto pd = grad_weight_desc(context, *p);
  return needed_workspace(pd, pd.diff_weights_desc(), p->weight_ours);
}

std::unique_ptr<PreparedOp> prepare_conv2d_grad_weight(Context& context,
                                                       const PrepareRequest& request) {
  const Tensor &dy = request.arguments.inputs[0], &x = request.arguments.inputs[1],
               &dweight = request.arguments.outputs[0];
  const auto p =
      make_problem(request.node.attributes, x.type(), dweight.type(), dy.type(), nullptr);
  if (!p) return nullptr;
  const auto pd = grad_weight_desc(context, *p);
  if (is_plain_loop(pd.impl_info_str(), dweight.dtype())) return nullptr;
  const Descriptor packed = pd.diff_weights_desc();
  const size_t in_workspace = packed_bytes(packed, p->weight_ours);
  auto op = std::make_unique<ConvolutionOp>();
  op->name = shown_dnnl_kernel(pd.impl_info_str(), dweight.dtype());
  void* weights = in_workspace > 0 ? request.workspace : dweight.data();
  op->after = bind_reorder(context, packed, weights, p->weight_ours, dweight.data());
  op->main = BoundPrimitive(
      context, dnnl::convolution_backward_weights(pd),
      {{DNNL_ARG_SRC, {p->x, context.dnnl_engine, x.data()}},
       {DNNL_ARG_DIFF_DST, {p->y, context.dnnl_engine, dy.data()}},
       {DNNL_ARG_DIFF_WEIGHTS, {packed, context.dnnl_engine, weights}},
       {DNNL_ARG_SCRATCHPAD,
        {pd.scratchpad_desc(), context.dnnl_engine, request.workspace + in_workspace}}});
  return op;
}

}  // namespace engine::cpu
