// SPDX-License-Identifier: Apache-2.0
// The gradients of conv2d and conv3d by our own products: by the input dy times the weights of each tap, added where
// the tap reads (col2im); by the weights dy times the columns of the image. Threads get channels of their own, or
// images, and never add to one number.
#include "engine/kernels/convolution/convolution_own.h"

#include "engine/kernels/convolution/convolution_own_loops.h"
#include "engine/kernels/convolution/convolution_parts.h"
#include "engine/kernels/core/parallel.h"

namespace engine::cpu {
namespace {

using loops::InArray;

/// What both gradients need; Parts: a visitor of their loops.
template <class T>
class Gradient : public PreparedOp {
 protected:
  Gradient(const ConvolutionGeometry& g, int threads) : threads_(threads), work_(streaming_work(g.multiply_adds())) {}

  /// body(unit, arrays of this thread) for all units; scratch of `each` elements per thread.
  template <class Body>
  void over(int64_t units, T* scratch, int64_t each, const Body& body) const {
    parallel_parts(threads_, units, 1, work_, [&](int64_t begin, int64_t end) {
      ConvolutionArrays<T> arrays = arrays_;
      arrays.writes(InArray::scratch, scratch + team_member() * each);
      for (int64_t unit = begin; unit < end; ++unit) body(unit, arrays);
    });
  }

  int threads_;
  int64_t work_;
  ConvolutionArrays<T> arrays_;
  GemmLoops<T> loops_ = gemm_loops_of<T>();
};

// ---- by the input
// -----------------------------------------------------------------------------------------------------------

template <class T>
loops::ByInputCut input_cut(const ConvolutionGeometry& g, int threads) {
  return {g, sizeof(T), threads, gemm_loops_of<T>().workspace_elements};
}

template <class T>
class GradInput final : public Gradient<T> {
 public:
  GradInput(const PrepareRequest& request, const ConvolutionGeometry& geometry, int threads)
      : Gradient<T>(geometry, threads),
        weight_(request.arguments.inputs[1]),
        shape_{
            .g = geometry, .dy = layout_of(request.arguments.inputs[0]), .dx = layout_of(request.arguments.outputs[0])},
        cut_(input_cut<T>(geometry, threads)),
        shared_(reinterpret_cast<T*>(request.workspace)) {
    this->arrays_.reads(InArray::y, request.arguments.inputs[0].template data_as<const T>());
    this->arrays_.writes(InArray::x, request.arguments.outputs[0].template data_as<T>());
    this->arrays_.reads(InArray::packed, shared_);
  }

  void run() override {
    pack_weights(shape_.g, weight_, /*outputs_last=*/false, shared_, this->threads_);
    this->over(cut_.units(shape_.g), shared_ + cut_.weights, cut_.each,
               [&](int64_t unit, const ConvolutionArrays<T>& arrays) {
                 const ConvolutionParts<T> parts(arrays, this->loops_);
                 loops::convolution_by_input(shape_, cut_, unit, parts);
               });
  }
  KernelFacts facts() const override { return own_convolution_facts(shape_.writes_image()); }

 private:
  Tensor weight_;
  loops::ByInputShape shape_;
  loops::ByInputCut cut_;
  T* shared_;
};

// ---- by the weights
// ---------------------------------------------------------------------------------------------------------

template <class T>
loops::ByWeightCut weight_cut(const ConvolutionGeometry& g, bool across, int threads) {
  return {g, across, sizeof(T), threads, gemm_loops_of<T>().workspace_elements};
}

template <class T>
class ByWeightParts final : public ConvolutionParts<T> {
 public:
  ByWeightParts(const ConvolutionArrays<T>& arrays, const GemmLoops<T>& loops, const loops::ByWeightShape& shape,
                const loops::ByWeightCut& cut)
      : ConvolutionParts<T>(arrays, loops), shape_(shape), cut_(cut) {}

  /// Tap by tap, without the zeros that columns hold outside of the image: infinity times these would be NaN where
  /// nothing is added.
  bool adds_inside(const loops::PlacedMatrix& of_dy, const ColumnTile& tile) const {
    const ConvolutionGeometry& g = shape_.g;
    const GemmMatrix<T> dy = this->matrix(of_dy);
    if (all_finite(dy, tile.count, g.outputs)) return false;
    T *const scratch = this->scratch(), *const dy_inside = scratch + cut_.inside, *const sums = scratch + cut_.sums;
    if (tile.first == 0) std::fill_n(sums, g.outputs * tile.channels * g.taps(), T{0});
    std::vector<int64_t> pixels;
    for (int64_t tap = 0; tap < g.taps(); ++tap) {
      const int64_t count = fill_rows_inside(g, shape_.x, this->arrays_.from(InArray::x), tile, tap, scratch, pixels);
      if (count == 0) continue;
      for (int64_t i = 0; i < count; ++i) {
        for (int64_t o = 0; o < g.outputs; ++o)
          dy_inside[i * g.outputs + o] = dy.data[pixels[static_cast<size_t>(i)] * dy.row + o * dy.column];
      }
      this->loops_.multiply({.a = {dy_inside, 1, g.outputs},
                             .b = {scratch, tile.channels, 1},
                             .bias = nullptr,
                             .c = sums + tap * tile.channels,
                             .c_row = tile.channels * g.taps(),
                             .m = g.outputs,
                             .n = tile.channels,
                             .k = count,
                             .accumulate = true},
                            scratch + cut_.gemm);
    }
    return true;
  }

 private:
  const loops::ByWeightShape& shape_;
  const loops::ByWeightCut& cut_;
};

template <class T>
class GradWeight final : public Gradient<T> {
 public:
  GradWeight(const PrepareRequest& request, const ConvolutionGeometry& geometry, int threads)
      : Gradient<T>(geometry, threads),
        dweight_(request.arguments.outputs[0]),
        shape_{.g = geometry,
               .dy = layout_of(request.arguments.inputs[0]),
               .x = layout_of(request.arguments.inputs[1]),
               .weight = dweight_.strides()},
        cut_(weight_cut<T>(geometry, shape_.across(), threads)),
        scratch_(reinterpret_cast<T*>(request.workspace)) {
    this->arrays_.reads(InArray::y, request.arguments.inputs[0].template data_as<const T>());
    this->arrays_.reads(InArray::x, request.arguments.inputs[1].template data_as<const T>());
    this->arrays_.writes(InArray::weight, dweight_.data_as<T>());
  }

  void run() override {
    this->over(cut_.units(shape_.g), scratch_, cut_.each, [&](int64_t unit, const ConvolutionArrays<T>& arrays) {
      const ByWeightParts<T> parts(arrays, this->loops_, shape_, cut_);
      loops::convolution_by_weight(shape_, cut_, unit, parts);
    });
  }
  KernelFacts facts() const override { return own_convolution_facts(shape_.reads_image()); }

 private:
  Tensor dweight_;
  loops::ByWeightShape shape_;
  loops::ByWeightCut cut_;
  T* scratch_;
};

template <template <class> class Op>
std::unique_ptr<PreparedOp> make(Context& context, const PrepareRequest& request, const ConvolutionGeometry& g) {
  if (request.arguments.outputs[0].dtype() == DType::float32)
    return std::make_unique<Op<float>>(request, g, context.threads);
  return std::make_unique<Op<double>>(request, g, context.threads);
}

template <class T>
int64_t input_bytes(const ConvolutionGeometry& g, int threads) {
  const loops::ByInputCut cut = input_cut<T>(g, threads);
  return (cut.weights + threads * cut.each) * static_cast<int64_t>(sizeof(T));
}

template <class T>
int64_t weight_bytes(const ConvolutionGeometry& g, int threads) {
  return threads * std::max(weight_cut<T>(g, false, threads).each, weight_cut<T>(g, true, threads).each) *
         static_cast<int64_t>(sizeof(T));
}

}  // namespace

// Inputs dy, weight; output dx.
std::unique_ptr<PreparedOp> prepare_own_convolution_grad_input(Context& context, const PrepareRequest& request) {
  const auto &in = request.arguments.inputs, &out = request.arguments.outputs;
  if (!own_convolution_takes(context, request)) return nullptr;
  const auto g = convolution_geometry(request.node.attributes, out[0].type(), in[1].type(), in[0].type());
  if (auto op = prepare_depthwise(context, request, g, ConvolutionPass::by_input)) return op;
  return make<GradInput>(context, request, g);
}

int64_t own_convolution_grad_input_workspace(Context& context, const Node& node, const Call& call) {
  const DType dtype = call.outputs[0].dtype;
  if (!own_convolution_is_asked(context, node, call)) return 0;
  const auto g = convolution_geometry(node.attributes, call.outputs[0], call.inputs[1], call.inputs[0]);
  const int64_t products =
      dtype == DType::float32 ? input_bytes<float>(g, context.threads) : input_bytes<double>(g, context.threads);
  return std::max(products, depthwise_workspace(context, node, call, g));
}

// Inputs dy, x; output dweight.
std::unique_ptr<PreparedOp> prepare_own_convolution_grad_weight(Context& context, const PrepareRequest& request) {
  const auto &in = request.arguments.inputs, &out = request.arguments.outputs;
  if (!own_convolution_takes(context, request)) return nullptr;
  const auto g = convolution_geometry(request.node.attributes, in[1].type(), out[0].type(), in[0].type());
  if (auto op = prepare_depthwise(context, request, g, ConvolutionPass::by_weight)) return op;
  return make<GradWeight>(context, request, g);
}

int64_t own_convolution_grad_weight_workspace(Context& context, const Node& node, const Call& call) {
  const DType dtype = call.outputs[0].dtype;
  if (!own_convolution_is_asked(context, node, call)) return 0;
  const auto g = convolution_geometry(node.attributes, call.inputs[1], call.outputs[0], call.inputs[0]);
  const int64_t products =
      dtype == DType::float32 ? weight_bytes<float>(g, context.threads) : weight_bytes<double>(g, context.threads);
  return std::max(products, depthwise_workspace(context, node, call, g));
}

}  // namespace engine::cpu
