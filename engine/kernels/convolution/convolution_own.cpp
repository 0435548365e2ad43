// SPDX-License-Identifier: Apache-2.0
// conv2d and conv3d by our own products, where oneDNN is left out or has no kernel (f64): a tile of pixels of y is the
// product of the columns of the image (im2col) and the weights. Images of any layout; 1x1 kernels read the image
// itself.
#include "engine/kernels/convolution/convolution_own.h"

#include <fmt/format.h>

#include "engine/kernels/convolution/convolution_own_loops.h"
#include "engine/kernels/convolution/convolution_parts.h"
#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/parallel.h"
#include "engine/kernels/core/vector_unit.h"

namespace engine::cpu {
namespace {

using loops::InArray;

template <class T>
loops::ForwardCut cut_of(const ConvolutionGeometry& g, bool across, int threads) {
  return {g, across, sizeof(T), threads, gemm_loops_of<T>().workspace_elements};
}

template <class T>
class OwnConvolution final : public PreparedOp {
 public:
  OwnConvolution(const PrepareRequest& request, const ConvolutionGeometry& geometry, int threads)
      : weight_(request.arguments.inputs[1]),
        shape_{.g = geometry,
               .x = layout_of(request.arguments.inputs[0]),
               .y = layout_of(request.arguments.outputs[0]),
               .weight_output = weight_.strides()[0],
               .weight_input = weight_.strides()[1],
               .has_bias = request.arguments.inputs.size() > 2},
        cut_(cut_of<T>(geometry, shape_.across(), threads)),
        packs_once_(request.inputs_constant.size() > 1 && request.inputs_constant[1]),
        shared_(reinterpret_cast<T*>(request.workspace)),
        scratch_(shared_ + cut_.weights),
        threads_(threads) {
    if (shape_.packs() && packs_once_) {
      auto own = Storage::allocate_host(cut_.weights * static_cast<int64_t>(sizeof(T)));
      if (!own) throw std::bad_alloc();
      own_ = *own;
      shared_ = reinterpret_cast<T*>(own_->data());
    }
    arrays_.reads(InArray::x, request.arguments.inputs[0].data_as<const T>());
    arrays_.reads(InArray::weight, weight_.data_as<const T>());
    if (shape_.has_bias) arrays_.reads(InArray::bias, request.arguments.inputs[2].data_as<const T>());
    arrays_.writes(InArray::y, request.arguments.outputs[0].data_as<T>());
    arrays_.reads(InArray::packed, shared_);
  }

  void run() override {
    if (!packs_once_ || !is_packed_) take_weights();
    is_packed_ = true;
    parallel_parts(threads_, loops::forward_units(shape_, cut_), 1, streaming_work(shape_.g.multiply_adds()),
                   [&](int64_t begin, int64_t end) {
                     ConvolutionArrays<T> arrays = arrays_;
                     arrays.writes(InArray::scratch, scratch_ + team_member() * cut_.each);
                     const ConvolutionParts<T> parts(arrays, loops_);
                     for (int64_t unit = begin; unit < end; ++unit) {
                       const loops::ForwardUnit u = loops::forward_unit(shape_, cut_, unit);
                       if (skips_padding_) add_inside(u, parts);
                       else loops::convolution_forward(shape_, cut_, u, parts);
                     }
                   });
  }
  bool reads_once(size_t input) const override { return input == 1 && own_ != nullptr; }
  KernelFacts facts() const override { return own_convolution_facts(shape_.reads_image()); }

 private:
  void take_weights() {
    const ConvolutionGeometry& g = shape_.g;
    bool finite = true;
    if (shape_.packs()) finite = pack_weights(g, weight_, /*outputs_last=*/true, shared_, threads_);
    else if (g.meets_padding())
      finite = all_finite<ScalarMemory, T>({weight_.data_as<const T>(), shape_.weight_output, shape_.weight_input},
                                           g.groups * g.outputs, g.inputs);
    skips_padding_ = !finite && g.meets_padding();
  }

  /// A unit tap by tap, without the zeros that columns hold outside of the image: infinity times these would be NaN
  /// where nothing is added.
  void add_inside(const loops::ForwardUnit& u, const ConvolutionParts<T>& parts) const {
    const ConvolutionGeometry& g = shape_.g;
    const loops::ImageLayout& of_y = shape_.y;
    const ColumnTile tile{
        .first = u.image * g.pixels() + u.first, .count = u.count, .channel = u.group * g.inputs, .channels = g.inputs};
    T *const y = arrays_.to(InArray::y) + u.image * of_y.batch + u.group * g.outputs * of_y.channel,
             *const scratch = parts.scratch(), *const sums = scratch + cut_.staged;
    const T* const bias = arrays_.from(InArray::bias);
    for (int64_t i = 0; i < u.count; ++i) {
      for (int64_t o = 0; o < g.outputs; ++o)
        y[of_y.offset(u.first + i, g.out) + o * of_y.channel] = bias != nullptr ? bias[u.group * g.outputs + o] : T{0};
    }
    std::vector<int64_t> pixels;
    for (int64_t tap = 0; tap < g.taps(); ++tap) {
      const int64_t inside = fill_rows_inside(g, shape_.x, arrays_.from(InArray::x), tile, tap, scratch, pixels);
      if (inside == 0) continue;
      const GemmMatrix<T> weights = parts.matrix(shape_.weights(u.group)).from(tap * g.inputs, 0);
      loops_.multiply({.a = {scratch, g.inputs, 1},
                       .b = weights,
                       .bias = nullptr,
                       .c = sums,
                       .c_row = g.outputs,
                       .m = inside,
                       .n = g.outputs,
                       .k = g.inputs},
                      scratch + cut_.gemm);
      for (int64_t i = 0; i < inside; ++i) {
        T* const to = y + of_y.offset(u.first + pixels[static_cast<size_t>(i)], g.out);
        for (int64_t o = 0; o < g.outputs; ++o) to[o * of_y.channel] += sums[i * g.outputs + o];
      }
    }
  }

  Tensor weight_;
  loops::ForwardShape shape_;
  loops::ForwardCut cut_;
  bool packs_once_, is_packed_ = false;
  bool skips_padding_ = false;  ///< for weights that are not finite
  T *shared_, *scratch_;
  std::shared_ptr<Storage> own_;  ///< packed weights that do not change
  ConvolutionArrays<T> arrays_;
  GemmLoops<T> loops_ = gemm_loops_of<T>();
  int threads_;
};

template <class T>
int64_t workspace_bytes(const ConvolutionGeometry& g, int threads) {
  const loops::ForwardCut by_image = cut_of<T>(g, false, threads), across = cut_of<T>(g, true, threads);
  return (across.weights + threads * std::max(by_image.each, across.each)) * static_cast<int64_t>(sizeof(T));
}

std::unique_ptr<PreparedOp> prepare_forward(Context& context, const PrepareRequest& request) {
  const auto &in = request.arguments.inputs, &out = request.arguments.outputs;
  const DType dtype = out[0].dtype();
  if (!own_convolution_takes(context, request) || (in.size() > 2 && !is_contiguous(in[2].shape(), in[2].strides())))
    return nullptr;
  const auto g = convolution_geometry(request.node.attributes, in[0].type(), in[1].type(), out[0].type());
  if (auto op = prepare_depthwise(context, request, g, ConvolutionPass::forward)) return op;
  if (dtype == DType::float32) return std::make_unique<OwnConvolution<float>>(request, g, context.threads);
  return std::make_unique<OwnConvolution<double>>(request, g, context.threads);
}

int64_t forward_workspace(Context& context, const Node& node, const Call& call) {
  const DType dtype = call.outputs[0].dtype;
  if (!own_convolution_is_asked(context, node, call)) return 0;
  const auto g = convolution_geometry(node.attributes, call.inputs[0], call.inputs[1], call.outputs[0]);
  const int64_t products = dtype == DType::float32 ? workspace_bytes<float>(g, context.threads)
                                                   : workspace_bytes<double>(g, context.threads);
  return std::max(products, depthwise_workspace(context, node, call, g));
}

}  // namespace

bool own_convolution_computes(DType dtype) {
  return dtype == DType::float32 || (dtype == DType::float64 && gemm_loops_f64().multiply != nullptr);
}

bool own_convolution_is_asked(Context& context, const Node& node, const Call& call) {
  const DType dtype = call.outputs[0].dtype;
  return own_convolution_computes(dtype) && (dtype != DType::float32 || !onednn_convolves(context, node, call));
}

KernelFacts own_convolution_facts(bool reads_image) {
  return {
      .name = fmt::format("own gemm over {} ({})", reads_image ? "the image" : "columns of the image", vector_unit()),
      .own_gemm = true,
      .own_convolution = true};
}

bool own_convolution_takes(Context& context, const PrepareRequest& request) {
  std::vector<TensorType> inputs, outputs;
  for (const Tensor& tensor : request.arguments.inputs) inputs.push_back(tensor.type());
  for (const Tensor& tensor : request.arguments.outputs) outputs.push_back(tensor.type());
  if (!std::ranges::all_of(inputs, [&](const TensorType& t) { return t.dtype == outputs[0].dtype; })) return false;
  return own_convolution_is_asked(context, request.node, {request.node.attributes, inputs, outputs});
}

std::span<const Kernel> own_convolution_kernels() {
  static constexpr Kernel kKernels[] = {
      {"conv2d", prepare_forward, forward_workspace},
      {"conv2d_grad_input", prepare_own_convolution_grad_input, own_convolution_grad_input_workspace},
      {"conv2d_grad_weight", prepare_own_convolution_grad_weight, own_convolution_grad_weight_workspace},
      {"conv3d", prepare_forward, forward_workspace},
      {"conv3d_grad_input", prepare_own_convolution_grad_input, own_convolution_grad_input_workspace},
      {"conv3d_grad_weight", prepare_own_convolution_grad_weight, own_convolution_grad_weight_workspace},
  };
  return kKernels;
}

}  // namespace engine::cpu
