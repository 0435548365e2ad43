// SPDX-License-Identifier: Apache-2.0
// conv2d and conv3d on oneDNN: activations in their own layout (channels last), weights in the layout oneDNN likes best
// and moved there inside the op: at every run in training, once when they are constant.
#include "engine/kernels/convolution/convolution.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/kernels/core/kernels.h"

namespace engine::cpu {
namespace {

using Descriptor = dnnl::memory::desc;
using Dims = dnnl::memory::dims;
constexpr auto kAny = dnnl::memory::format_tag::any;
constexpr auto kDirect = dnnl::algorithm::convolution_direct;

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

/// f32 weights whose kernel positions lie side by side.
std::optional<PlainWeights> plain_weights(const TensorType& weight) {
  if (weight.dtype != DType::float32) return std::nullopt;
  int64_t kernel = 1;
  for (size_t axis = weight.shape.size(); axis-- > 2;) {
    if (weight.shape[axis] != 1 && weight.strides[axis] != kernel) return std::nullopt;
    kernel *= weight.shape[axis];
  }
  return PlainWeights{.o_stride = weight.strides[0], .i_stride = weight.strides[1]};
}

/// The windows of one axis; leave_out() takes away positions of the kernel that only ever meet padding.
struct AxisWindows {
  int64_t x, y, kernel, stride, dilation, before, after;
  int64_t first = 0;  ///< the first position of the whole kernel that is left

  /// Position k meets the elements i * stride - before + k * dilation of x. Padding goes with the positions, and is
  /// never negative; one position stays.
  void leave_out() {
    while (kernel > 1 && before >= dilation && (y - 1) * stride < before) --kernel, before -= dilation, ++first;
    while (kernel > 1 && after >= dilation && (kernel - 1) * dilation - before >= x) --kernel, after -= dilation;
  }
};

/// What is left of a convolution's weights, whose attributes are changed to fit; elements that lie before them.
int64_t leave_out_positions(const TensorType& x, const TensorType& y, Dims& stride, Dims& dilation, Dims& padding,
                            TensorType& weight) {
  const size_t axes = stride.size();
  int64_t before = 0;
  for (size_t axis = 0; axis < axes; ++axis) {
    AxisWindows windows{.x = x.shape[axis + 2],
                        .y = y.shape[axis + 2],
                        .kernel = weight.shape[axis + 2],
                        .stride = stride[axis],
                        .dilation = dilation[axis],
                        .before = padding[axis],
                        .after = padding[axis + axes]};
    windows.leave_out();
    before += windows.first * weight.strides[axis + 2];
    weight.shape[axis + 2] = windows.kernel;
    padding[axis] = windows.before;
    padding[axis + axes] = windows.after;
    if (windows.kernel == 1) dilation[axis] = 1;
  }
  return before;
}

}  // namespace

std::optional<ConvolutionProblem> make_convolution_problem(const Attributes& attributes, const TensorType& x,
                                                           const TensorType& whole_weight, const TensorType& y,
                                                           const TensorType* bias, KernelPositions positions) {
  TensorType weight = whole_weight;
  const size_t axes = x.shape.size() - 2;
  const Dims ones(axes, 1);
  Dims stride = attributes.get_ints("stride", ones), padding = attributes.get_ints("padding", Dims(2 * axes, 0)),
       skipped = attributes.get_ints("dilation", ones);
  int64_t left_out = 0;
  if (positions == KernelPositions::meeting) left_out = leave_out_positions(x, y, stride, skipped, padding, weight);
  for (int64_t& extent : skipped) --extent;  // oneDNN counts the elements skipped
  const auto after = padding.begin() + static_cast<int64_t>(axes);
  const int64_t groups = attributes.get_int("groups", 1);
  const auto x_desc = image_desc(x), y_desc = image_desc(y), weight_ours = weight_desc(weight, groups);
  if (!x_desc || !y_desc || !weight_ours) return std::nullopt;
  const auto data_type = x_desc->data_type();  // one for all operands
  ConvolutionProblem p{.x = *x_desc,
                       .y = *y_desc,
                       .weight_any = Descriptor(weight_ours->dims(), data_type, kAny),
                       .weight_ours = *weight_ours,
                       .bias = std::nullopt,
                       .stride = stride,
                       .dilation = skipped,
                       .padding_begin = Dims(padding.begin(), after),
                       .padding_end = Dims(after, padding.end()),
                       .plain = groups == 1 ? plain_weights(weight) : std::nullopt,
                       .weight_offset_bytes = left_out * size_bytes(weight.dtype)};
  const double per_result = static_cast<double>(whole_weight.elements() - weight.elements()) /
                            static_cast<double>(std::max<int64_t>(1, weight.shape[0]));
  p.spared_flops = 2 * per_result * static_cast<double>(y.elements());
  if (bias != nullptr) {
    if (bias->dtype != x.dtype || !is_contiguous(bias->shape, bias->strides)) return std::nullopt;
    p.bias = Descriptor(dnnl_dims(bias->shape), data_type, dnnl::memory::format_tag::a);
  }
  return p;
}

dnnl::convolution_forward::primitive_desc forward_desc(Context& context, const ConvolutionProblem& p,
                                                       dnnl::prop_kind kind, const dnnl::primitive_attr& attributes) {
  using Forward = dnnl::convolution_forward;
  const auto desc = p.bias ? Forward::desc(kind, kDirect, p.x, p.weight_any, *p.bias, p.y, p.stride, p.dilation,
                                           p.padding_begin, p.padding_end)
                           : Forward::desc(kind, kDirect, p.x, p.weight_any, p.y, p.stride, p.dilation, p.padding_begin,
                                           p.padding_end);
  return {desc, attributes, context.dnnl->engine};
}

bool is_dense_channels_last(const TensorType& t) {
  const Shape& s = t.shape;
  int64_t dense = s[1];
  if (s[1] != 1 && t.strides[1] != 1) return false;
  for (size_t axis = s.size(); axis-- > 2;) {
    if (s[axis] != 1 && t.strides[axis] != dense) return false;
    dense *= s[axis];
  }
  return s[0] == 1 || t.strides[0] == dense;
}

size_t packed_bytes(const Descriptor& packed, const Descriptor& ours) {
  return packed == ours ? 0 : whole_lines(packed.get_size());
}

void* ConvolutionOp::place_weights(Context& context, const ConvolutionProblem& p, void* ours, const Descriptor& packed,
                                   void* in_workspace, bool constant) {
  if (packed == p.weight_ours) return ours;
  void* weights = in_workspace;
  if (constant) {
    auto own = Storage::allocate_host(static_cast<int64_t>(packed.get_size()));
    if (!own) throw std::bad_alloc();
    packed_once = *own;
    before_once = true;
    weights = packed_once->data();
  }
  before = WeightMove::to_packed(context, p, ours, packed, weights);
  return weights;
}

std::optional<WeightMove> WeightMove::to_packed(Context& context, const ConvolutionProblem& p, void* ours,
                                                const Descriptor& packed, void* to) {
  if (packed == p.weight_ours) return std::nullopt;
  auto layout = p.plain ? WeightLayout::of(packed, *p.plain) : std::nullopt;
  if (layout) return WeightMove(std::move(*layout), /*packs=*/true, ours, to, context.threads);
  return WeightMove(*bind_reorder(context, p.weight_ours, ours, packed, to));
}

std::optional<WeightMove> WeightMove::to_ours(Context& context, const ConvolutionProblem& p, const Descriptor& packed,
                                              void* from, void* ours) {
  if (packed == p.weight_ours) return std::nullopt;
  auto layout = p.plain ? WeightLayout::of(packed, *p.plain) : std::nullopt;
  if (layout) return WeightMove(std::move(*layout), /*packs=*/false, from, ours, context.threads);
  return WeightMove(*bind_reorder(context, packed, from, p.weight_ours, ours));
}

void WeightMove::run() const {
  if (!layout_) {
    reorder_.run();
  } else if (packs_) {
    layout_->pack(from_, to_, threads_);
  } else {
    layout_->unpack(from_, to_, threads_);
  }
}

namespace {

dnnl::convolution_forward::primitive_desc dense_forward(Context& context, const ConvolutionProblem& p) {
  return forward_desc(context, p, dnnl::prop_kind::forward_training);
}

int64_t dense_workspace(Context& context, const Node& node, const Call& call) {
  const auto p = make_convolution_problem(node.attributes, call.inputs[0], call.inputs[1], call.outputs[0],
                                          call.inputs.size() > 2 ? &call.inputs[2] : nullptr, KernelPositions::meeting);
  if (!p) return kNoKernel;
  const auto pd = dense_forward(context, *p);
  if (is_plain_loop(pd.impl_info_str())) return kNoKernel;
  return static_cast<int64_t>(packed_bytes(pd.weights_desc(), p->weight_ours) + pd.scratchpad_desc().get_size());
}

std::unique_ptr<PreparedOp> prepare_dense(Context& context, const PrepareRequest& request) {
  const auto& in = request.arguments.inputs;
  const Tensor &x = in[0], &weight = in[1], &y = request.arguments.outputs[0];
  const auto p = make_convolution_problem(request.node.attributes, x.type(), weight.type(), y.type(),
                                          in.size() > 2 ? &in[2].type() : nullptr, KernelPositions::meeting);
  if (!p) return nullptr;
  const auto pd = dense_forward(context, *p);
  if (is_plain_loop(pd.impl_info_str())) return nullptr;
  const Descriptor packed = pd.weights_desc();
  auto op = std::make_unique<ConvolutionOp>();
  op->name = shown_dnnl_kernel(pd.impl_info_str(), y.dtype());
  const bool constant = request.inputs_constant.size() > 1 && request.inputs_constant[1];
  op->spared = p->spared_flops;
  void* const weights =
      op->place_weights(context, *p, weight.data() + p->weight_offset_bytes, packed, request.workspace, constant);
  std::vector<std::pair<int, dnnl::memory>> arguments = {
      {DNNL_ARG_SRC, {p->x, context.dnnl->engine, x.data()}},
      {DNNL_ARG_WEIGHTS, {packed, context.dnnl->engine, weights}},
      {DNNL_ARG_DST, {p->y, context.dnnl->engine, y.data()}},
      {DNNL_ARG_SCRATCHPAD,
       {pd.scratchpad_desc(), context.dnnl->engine, request.workspace + packed_bytes(packed, p->weight_ours)}}};
  if (p->bias) arguments.push_back({DNNL_ARG_BIAS, {*p->bias, context.dnnl->engine, in[2].data()}});
  op->main = BoundPrimitive(context, dnnl::convolution_forward(pd), std::move(arguments));
  return op;
}

}  // namespace

// conv2d: inputs x, weight and perhaps bias; output y.
int64_t conv2d_workspace(Context& context, const Node& node, const Call& call) {
  return workspace_on_copies(context, node, call, kChannelsLast, dense_workspace);
}

std::unique_ptr<PreparedOp> prepare_conv2d(Context& context, const PrepareRequest& request) {
  return prepare_on_copies(context, request, kChannelsLast, prepare_dense);
}

bool onednn_convolves(Context& context, const Node& node, const Call& call) {
  if (context.dnnl == nullptr) return false;
  const auto workspace = node.op->name.ends_with("_grad_input")    ? conv2d_grad_input_workspace
                         : node.op->name.ends_with("_grad_weight") ? conv2d_grad_weight_workspace
                                                                   : conv2d_workspace;
  try {
    return workspace(context, node, call) != kNoKernel;
  } catch (const dnnl::error&) {  // it has none
    return false;
  }
}

}  // namespace engine::cpu
