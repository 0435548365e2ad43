// SPDX-License-Identifier: Apache-2.0
// The gradients of conv2d and conv3d. Of 1x1 kernels they are matrix products of what lies in memory, so that no weight
// is moved; the gradient by the input of a kernel with stride 1 is a convolution with flipped kernels, whose forward
// code in oneDNN is faster than its backward code; of 3x3 kernels over few pixels they are products too
// (convolution_product.h); all else is oneDNN's.
#include <fmt/format.h>
#include <oneapi/dnnl/dnnl.h>

#include <algorithm>
#include <utility>

#include "engine/base/check.h"
#include "engine/kernels/convolution/convolution.h"
#include "engine/kernels/convolution/convolution_product.h"
#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/parallel.h"
#include "engine/kernels/core/vector_unit.h"
#include "engine/kernels/gemm/gemm_simd.h"

namespace engine::cpu {
namespace {

using Descriptor = dnnl::memory::desc;
using Dims = dnnl::memory::dims;
constexpr auto kAny = dnnl::memory::format_tag::any;
constexpr auto kDirect = dnnl::algorithm::convolution_direct;

dnnl::convolution_backward_data::primitive_desc grad_input_desc(Context& context, const ConvolutionProblem& p) {
  const auto hint = forward_desc(context, p, dnnl::prop_kind::forward_training);
  const dnnl::convolution_backward_data::desc desc(kDirect, p.x, p.weight_any, p.y, p.stride, p.dilation,
                                                   p.padding_begin, p.padding_end);
  return {desc, user_scratchpad(), context.dnnl->engine, hint};
}

dnnl::convolution_backward_weights::primitive_desc grad_weight_desc(Context& context, const ConvolutionProblem& p) {
  const auto hint = forward_desc(context, p, dnnl::prop_kind::forward_training);
  const dnnl::convolution_backward_weights::desc desc(kDirect, p.x, p.weight_any, p.y, p.stride, p.dilation,
                                                      p.padding_begin, p.padding_end);
  return {desc, user_scratchpad(), context.dnnl->engine, hint};
}

template <class PrimitiveDescriptor>
int64_t needed_workspace(const PrimitiveDescriptor& descriptor, const Descriptor& packed, const Descriptor& ours) {
  return static_cast<int64_t>(packed_bytes(packed, ours) + descriptor.scratchpad_desc().get_size());
}

// ---- 1x1 kernels
// ------------------------------------------------------------------------------------------------------------

/// A 1x1 convolution without padding: y = x W^T, one row per pixel of y. With a stride some pixels of x are in no row:
/// those that are can be gathered into a matrix of their own.
struct Pointwise {
  int64_t rows = 0, inputs = 0, outputs = 0;
  int64_t weight_row = 0;       ///< elements from one output's weights to the next
  Shape x_extents, y_extents;   ///< batch, then pixels per axis
  std::vector<int64_t> stride;  ///< per axis of pixels
  bool strided = false;

  int64_t pixels() const {  ///< of x, of all images
    int64_t count = 1;
    for (const int64_t extent : x_extents) count *= extent;
    return count;
  }
  int64_t gathered_bytes() const {
    return strided ? static_cast<int64_t>(whole_lines(static_cast<size_t>(rows * inputs) * sizeof(float))) : 0;
  }
};

std::optional<Pointwise> pointwise(const ConvolutionProblem& p, const TensorType& x, const TensorType& weight,
                                   const TensorType& y) {
  if (!p.plain || !is_dense_channels_last(x) || !is_dense_channels_last(y)) return std::nullopt;
  if (weight.shape[1] != 1 && weight.strides[1] != 1) return std::nullopt;
  Pointwise w;
  w.inputs = weight.shape[1];
  w.outputs = weight.shape[0];
  w.weight_row = w.outputs == 1 ? w.inputs : weight.strides[0];
  w.x_extents = {x.shape[0]};
  w.y_extents = {y.shape[0]};
  w.rows = y.shape[0];
  for (size_t axis = 2; axis < x.shape.size(); ++axis) {
    if (weight.shape[axis] != 1 || p.padding_begin[axis - 2] != 0 || p.padding_end[axis - 2] != 0) return std::nullopt;
    w.x_extents.push_back(x.shape[axis]);
    w.y_extents.push_back(y.shape[axis]);
    w.stride.push_back(p.stride[axis - 2]);
    w.strided = w.strided || y.shape[axis] != x.shape[axis];
    w.rows *= y.shape[axis];
  }
  return w.weight_row >= w.inputs ? std::optional(w) : std::nullopt;
}

/// From a tile of rows up to so many dy W is computed by own loops, which pack W as they read it. Measured on Zen 5 as
/// part of the time of oneDNN 2.6.3's convolution, whose weights lie in its blocks: 49 rows (2,048 x 512) 0.97, 196
/// rows (1,024 x 256, two threads) 0.93; by its sgemm 1.05 and 1.10.
constexpr int64_t kMostOwnRows = 256;

/// The gradient of a 1x1 convolution by its input (dx = dy W) or by its weights (dW = dy^T x).
class PointwiseGradOp final : public PreparedOp {
 public:
  PointwiseGradOp(Pointwise shape, bool by_weight, const float* dy, const float* other, float* to, std::byte* workspace,
                  int threads)
      : s_(std::move(shape)),
        by_weight_(by_weight),
        dy_(dy),
        other_(other),
        to_(to),
        gathered_(reinterpret_cast<float*>(workspace)),
        packed_(reinterpret_cast<float*>(workspace + s_.gathered_bytes())),
        threads_(threads),
        is_own_(is_own(s_, by_weight, threads)) {}

  static bool is_own(const Pointwise& s, bool by_weight, int threads) {
    const GemmLoops<float> loops = gemm_loops_f32();
    return !by_weight && s.rows >= loops.tile_rows && s.rows <= kMostOwnRows &&
           s.inputs >= loops.tile_columns * threads;
  }
  static int64_t workspace_bytes(const Pointwise& s, bool by_weight, int threads) {
    return s.gathered_bytes() +
           (is_own(s, by_weight, threads) ? threads * packed_elements(s) * static_cast<int64_t>(sizeof(float)) : 0);
  }

  void run() override {
    const CallingThreads as_made(threads_);
    if (by_weight_) {
      if (s_.strided) {
        parallel_for(threads_, s_.rows, s_.rows * s_.inputs, [&](int64_t row) {
          std::copy_n(other_ + pixel_of(row) * s_.inputs, s_.inputs, gathered_ + row * s_.inputs);
        });
      }
      product('T', s_.outputs, s_.inputs, s_.rows, dy_, s_.outputs, s_.strided ? gathered_ : other_, s_.inputs, to_,
              s_.weight_row);
    } else if (is_own_) {
      own_product();
    } else {
      product('N', s_.rows, s_.inputs, s_.outputs, dy_, s_.outputs, other_, s_.weight_row, s_.strided ? gathered_ : to_,
              s_.inputs);
      if (s_.strided)
        parallel_parts(threads_, s_.rows, 1, s_.pixels() * s_.inputs,
                       [&](int64_t first, int64_t last) { spread(first, last, 0, s_.inputs); });
    }
  }
  KernelFacts facts() const override {
    if (!is_own_) return {.name = "oneDNN sgemm", .library = KernelLibrary::onednn};
    return {.name = fmt::format("own gemm ({})", vector_unit()), .own_gemm = true};
  }

 private:
  static int64_t packed_elements(const Pointwise& s) {
    return (gemm_loops_f32().workspace_elements(s.rows, s.inputs, s.outputs) + 15) / 16 * 16;
  }
  /// dy W, its columns split over the threads.
  void own_product() const {
    const int64_t each = packed_elements(s_);
    float* const c = s_.strided ? gathered_ : to_;
    parallel_parts(threads_, s_.inputs, loops_.tile_columns, s_.rows * s_.inputs * s_.outputs,
                   [&](int64_t begin, int64_t end) {
                     loops_.multiply({.a = {dy_, s_.outputs, 1},
                                      .b = {other_ + begin, s_.weight_row, 1},
                                      .bias = nullptr,
                                      .c = c + begin,
                                      .c_row = s_.inputs,
                                      .m = s_.rows,
                                      .n = end - begin,
                                      .k = s_.outputs},
                                     packed_ + each * team_member());
                     if (s_.strided) spread(0, s_.rows, begin, end);
                   });
  }

  static void product(char trans_a, int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* b,
                      int64_t ldb, float* c, int64_t ldc) {
    CHECK(dnnl_sgemm(trans_a, 'N', m, n, k, 1, a, lda, b, ldb, 0, c, ldc) == dnnl_success);
  }

  /// The pixel of x that a row reads; ascending.
  int64_t pixel_of(int64_t row) const {
    int64_t rest = row, pixel = 0, next = 1;
    for (size_t axis = s_.stride.size(); axis > 0; --axis) {
      pixel += rest % s_.y_extents[axis] * s_.stride[axis - 1] * next;
      rest /= s_.y_extents[axis];
      next *= s_.x_extents[axis];
    }
    return pixel + rest * next;
  }

  /// Channels [begin, end) of dx: gathered rows [first, last), and zeros in the pixels before and behind them that no
  /// row reads.
  void spread(int64_t first, int64_t last, int64_t begin, int64_t end) const {
    int64_t pixel = first == 0 ? 0 : pixel_of(first);
    const auto zeros_up_to = [&](int64_t next) {
      for (; pixel < next; ++pixel) std::fill_n(to_ + pixel * s_.inputs + begin, end - begin, 0.0f);
    };
    for (int64_t row = first; row < last; ++row) {
      zeros_up_to(pixel_of(row));
      std::copy_n(gathered_ + row * s_.inputs + begin, end - begin, to_ + pixel++ * s_.inputs + begin);
    }
    zeros_up_to(last == s_.rows ? s_.pixels() : pixel_of(last));
  }

  Pointwise s_;
  bool by_weight_;
  const float *dy_, *other_;  ///< other: weights, or x
  float *to_, *gathered_, *packed_;
  GemmLoops<float> loops_ = gemm_loops_f32();
  int threads_;
  bool is_own_;
};

std::unique_ptr<PreparedOp> make_pointwise(Context& context, const PrepareRequest& request, Pointwise shape,
                                           bool by_weight) {
  const auto& in = request.arguments.inputs;
  return std::make_unique<PointwiseGradOp>(std::move(shape), by_weight, in[0].data_as<const float>(),
                                           in[1].data_as<const float>(), request.arguments.outputs[0].data_as<float>(),
                                           request.workspace, context.threads);
}

// ---- stride 1
// ---------------------------------------------------------------------------------------------------------------

/// The gradient by the input as a forward convolution of dy: weights [C, O, ...] with their kernels flipped.
struct AsForward {
  dnnl::convolution_forward::primitive_desc primitive;
  WeightLayout layout;
};

std::optional<AsForward> as_forward(Context& context, const ConvolutionProblem& p) {
  if (!p.plain || std::ranges::any_of(p.stride, [](int64_t s) { return s != 1; })) return std::nullopt;
  ConvolutionProblem turned = p;
  Dims extents = p.weight_ours.dims();
  for (size_t axis = 0; axis < p.stride.size(); ++axis) {
    const int64_t reach = (extents[axis + 2] - 1) * (p.dilation[axis] + 1);
    turned.padding_begin[axis] = reach - p.padding_begin[axis];
    turned.padding_end[axis] = reach - p.padding_end[axis];
    if (turned.padding_begin[axis] < 0 || turned.padding_end[axis] < 0) return std::nullopt;
  }
  std::swap(extents[0], extents[1]);
  std::swap(turned.x, turned.y);
  turned.weight_any = Descriptor(extents, p.x.data_type(), kAny);
  turned.bias.reset();
  auto pd = forward_desc(context, turned, dnnl::prop_kind::forward_training);
  if (is_plain_loop(pd.impl_info_str())) return std::nullopt;
  auto layout = WeightLayout::of(pd.weights_desc(),
                                 {.o_stride = p.plain->i_stride, .i_stride = p.plain->o_stride, .flipped = true});
  if (!layout) return std::nullopt;
  return AsForward{std::move(pd), std::move(*layout)};
}

int64_t as_forward_workspace(const AsForward& way) {
  return static_cast<int64_t>(whole_lines(way.primitive.weights_desc().get_size()) +
                              way.primitive.scratchpad_desc().get_size());
}

std::unique_ptr<PreparedOp> make_as_forward(Context& context, const PrepareRequest& request,
                                            const ConvolutionProblem& p, AsForward way) {
  const Tensor &weight = request.arguments.inputs[1], &dx = request.arguments.outputs[0];
  const Descriptor packed = way.primitive.weights_desc();
  auto op = std::make_unique<ConvolutionOp>();
  op->name = shown_dnnl_kernel(way.primitive.impl_info_str(), dx.dtype()) + ", forward with flipped kernels";
  std::byte* weights = request.workspace;
  if (request.inputs_constant.size() > 1 && request.inputs_constant[1]) {
    auto own = Storage::allocate_host(static_cast<int64_t>(packed.get_size()));
    if (!own) throw std::bad_alloc();
    op->packed_once = *own;
    op->before_once = true;
    weights = op->packed_once->data();
  }
  op->before = WeightMove(std::move(way.layout), /*packs=*/true, weight.data(), weights, context.threads);
  op->main = BoundPrimitive(
      context, dnnl::convolution_forward(way.primitive),
      {{DNNL_ARG_SRC, {p.y, context.dnnl->engine, request.arguments.inputs[0].data()}},
       {DNNL_ARG_WEIGHTS, {packed, context.dnnl->engine, weights}},
       {DNNL_ARG_DST, {p.x, context.dnnl->engine, dx.data()}},
       {DNNL_ARG_SCRATCHPAD,
        {way.primitive.scratchpad_desc(), context.dnnl->engine, request.workspace + whole_lines(packed.get_size())}}});
  return op;
}

// ---- images whose channels lie side by side
// -----------------------------------------------------------------------------------

// Inputs dy, weight; output dx.
int64_t dense_input_workspace(Context& context, const Node& node, const Call& call) {
  const auto p = make_convolution_problem(node.attributes, call.outputs[0], call.inputs[1], call.inputs[0], nullptr);
  if (!p) return kNoKernel;
  if (const auto shape = pointwise(*p, call.outputs[0], call.inputs[1], call.inputs[0]))
    return PointwiseGradOp::workspace_bytes(*shape, false, context.threads);
  if (const auto plan = plan_convolution_product(context, ConvolutionGradient::by_input, node.attributes,
                                                 call.outputs[0], call.inputs[1], call.inputs[0]))
    return plan->workspace_bytes(context.threads);
  if (const auto way = as_forward(context, *p)) return as_forward_workspace(*way);
  const auto pd = grad_input_desc(context, *p);
  if (is_plain_loop(pd.impl_info_str())) return kNoKernel;
  return needed_workspace(pd, pd.weights_desc(), p->weight_ours);
}

std::unique_ptr<PreparedOp> prepare_dense_input(Context& context, const PrepareRequest& request) {
  const Tensor &dy = request.arguments.inputs[0], &weight = request.arguments.inputs[1],
               &dx = request.arguments.outputs[0];
  const auto p = make_convolution_problem(request.node.attributes, dx.type(), weight.type(), dy.type(), nullptr);
  if (!p) return nullptr;
  if (auto shape = pointwise(*p, dx.type(), weight.type(), dy.type()))
    return make_pointwise(context, request, std::move(*shape), false);
  if (auto plan = plan_convolution_product(context, ConvolutionGradient::by_input, request.node.attributes, dx.type(),
                                           weight.type(), dy.type()))
    return make_convolution_product(context, request, ConvolutionGradient::by_input, *plan, *p);
  if (auto way = as_forward(context, *p)) return make_as_forward(context, request, *p, std::move(*way));
  const auto pd = grad_input_desc(context, *p);
  if (is_plain_loop(pd.impl_info_str())) return nullptr;
  const Descriptor packed = pd.weights_desc();
  auto op = std::make_unique<ConvolutionOp>();
  op->name = shown_dnnl_kernel(pd.impl_info_str(), dx.dtype());
  const bool constant = request.inputs_constant.size() > 1 && request.inputs_constant[1];
  void* const weights = op->place_weights(context, *p, weight.data(), packed, request.workspace, constant);
  op->main = BoundPrimitive(
      context, dnnl::convolution_backward_data(pd),
      {{DNNL_ARG_DIFF_DST, {p->y, context.dnnl->engine, dy.data()}},
       {DNNL_ARG_WEIGHTS, {packed, context.dnnl->engine, weights}},
       {DNNL_ARG_DIFF_SRC, {p->x, context.dnnl->engine, dx.data()}},
       {DNNL_ARG_SCRATCHPAD,
        {pd.scratchpad_desc(), context.dnnl->engine, request.workspace + packed_bytes(packed, p->weight_ours)}}});
  return op;
}

// Inputs dy, x; output dweight.
int64_t dense_weight_workspace(Context& context, const Node& node, const Call& call) {
  const auto p = make_convolution_problem(node.attributes, call.inputs[1], call.outputs[0], call.inputs[0], nullptr);
  if (!p) return kNoKernel;
  if (const auto shape = pointwise(*p, call.inputs[1], call.outputs[0], call.inputs[0]))
    return PointwiseGradOp::workspace_bytes(*shape, true, context.threads);
  if (const auto plan = plan_convolution_product(context, ConvolutionGradient::by_weight, node.attributes,
                                                 call.inputs[1], call.outputs[0], call.inputs[0]))
    return plan->workspace_bytes(context.threads);
  const auto pd = grad_weight_desc(context, *p);
  if (is_plain_loop(pd.impl_info_str())) return kNoKernel;
  return needed_workspace(pd, pd.diff_weights_desc(), p->weight_ours);
}

std::unique_ptr<PreparedOp> prepare_dense_weight(Context& context, const PrepareRequest& request) {
  const Tensor &dy = request.arguments.inputs[0], &x = request.arguments.inputs[1],
               &dweight = request.arguments.outputs[0];
  const auto p = make_convolution_problem(request.node.attributes, x.type(), dweight.type(), dy.type(), nullptr);
  if (!p) return nullptr;
  if (auto shape = pointwise(*p, x.type(), dweight.type(), dy.type()))
    return make_pointwise(context, request, std::move(*shape), true);
  if (auto plan = plan_convolution_product(context, ConvolutionGradient::by_weight, request.node.attributes, x.type(),
                                           dweight.type(), dy.type()))
    return make_convolution_product(context, request, ConvolutionGradient::by_weight, *plan, *p);
  const auto pd = grad_weight_desc(context, *p);
  if (is_plain_loop(pd.impl_info_str())) return nullptr;
  const Descriptor packed = pd.diff_weights_desc();
  const size_t in_workspace = packed_bytes(packed, p->weight_ours);
  auto op = std::make_unique<ConvolutionOp>();
  op->name = shown_dnnl_kernel(pd.impl_info_str(), dweight.dtype());
  void* weights = in_workspace > 0 ? request.workspace : dweight.data();
  op->after = WeightMove::to_ours(context, *p, packed, weights, dweight.data());
  op->main = BoundPrimitive(
      context, dnnl::convolution_backward_weights(pd),
      {{DNNL_ARG_SRC, {p->x, context.dnnl->engine, x.data()}},
       {DNNL_ARG_DIFF_DST, {p->y, context.dnnl->engine, dy.data()}},
       {DNNL_ARG_DIFF_WEIGHTS, {packed, context.dnnl->engine, weights}},
       {DNNL_ARG_SCRATCHPAD, {pd.scratchpad_desc(), context.dnnl->engine, request.workspace + in_workspace}}});
  return op;
}

}  // namespace

int64_t conv2d_grad_input_workspace(Context& context, const Node& node, const Call& call) {
  return workspace_on_copies(context, node, call, kChannelsLast, dense_input_workspace);
}

std::unique_ptr<PreparedOp> prepare_conv2d_grad_input(Context& context, const PrepareRequest& request) {
  return prepare_on_copies(context, request, kChannelsLast, prepare_dense_input);
}

int64_t conv2d_grad_weight_workspace(Context& context, const Node& node, const Call& call) {
  return workspace_on_copies(context, node, call, kChannelsLast, dense_weight_workspace);
}

std::unique_ptr<PreparedOp> prepare_conv2d_grad_weight(Context& context, const PrepareRequest& request) {
  return prepare_on_copies(context, request, kChannelsLast, prepare_dense_weight);
}

}  // namespace engine::cpu
