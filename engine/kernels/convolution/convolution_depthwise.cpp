// SPDX-License-Identifier: Apache-2.0
// Convolutions with a group per channel and channels side by side, and their gradients, by our own loops: a product of
// columns would have one row. Forward and by the input each pixel of the result gathers the taps that meet it; by the
// weights each thread has channels of its own, whose sums go into double after each row of pixels.
#include <fmt/format.h>

#include <algorithm>

#include "engine/kernels/convolution/convolution_own.h"
#include "engine/kernels/convolution/convolution_parts.h"
#include "engine/kernels/convolution/depthwise_loops.h"
#include "engine/kernels/convolution/depthwise_parts.h"
#include "engine/kernels/core/on_copies.h"
#include "engine/kernels/core/parallel.h"
#include "engine/kernels/core/vector_unit.h"

namespace engine::cpu {
namespace {

template <class T>
DepthwiseLoops<T> depthwise_loops() {
  if constexpr (sizeof(T) == sizeof(float)) {
    return depthwise_loops_f32();
  } else {
    return depthwise_loops_f64();
  }
}

KernelFacts depthwise_facts() {
  return {.name = fmt::format("own depthwise loops ({})", vector_unit()), .own_convolution = true};
}

/// Forward (from x to y) and the gradient by the input (from dy to dx).
template <class T>
class DepthwiseOp final : public PreparedOp {
 public:
  DepthwiseOp(const PrepareRequest& request, const ConvolutionGeometry& geometry, bool forward, int threads)
      : shape_{.g = geometry,
               .from = layout_of(request.arguments.inputs[0]),
               .to = layout_of(request.arguments.outputs[0]),
               .forward = forward},
        weight_(request.arguments.inputs[1]),
        from_(request.arguments.inputs[0].data_as<const T>()),
        to_(request.arguments.outputs[0].data_as<T>()),
        bias_(forward && request.arguments.inputs.size() > 2 ? request.arguments.inputs[2].data_as<const T>()
                                                             : nullptr),
        packed_(reinterpret_cast<T*>(request.workspace)),
        threads_(threads) {}

  void run() override {
    PackingParts<T> packing(weight_.data_as<const T>(), packed_);
    loops::pack_depthwise(shape_.g, weight_.strides(), packing);
    const int64_t pixels = shape_.pixels();
    parallel_parts(threads_, pixels, 1, pixels * shape_.g.groups * shape_.g.taps(), [&](int64_t begin, int64_t end) {
      DepthwiseParts<T> parts(loops_, shape_.g, from_, packed_, bias_, to_);
      loops::depthwise_pixels(shape_, {begin, end}, parts);
    });
  }
  KernelFacts facts() const override { return depthwise_facts(); }

 private:
  loops::DepthwiseShape shape_;
  Tensor weight_;
  const T* from_;
  T* to_;
  const T* bias_;
  T* packed_;
  DepthwiseLoops<T> loops_ = depthwise_loops<T>();
  int threads_;
};

template <class T>
class DepthwiseWeightOp final : public PreparedOp {
 public:
  DepthwiseWeightOp(const PrepareRequest& request, const ConvolutionGeometry& geometry, int threads)
      : g_(geometry),
        dy_(request.arguments.inputs[0]),
        x_(request.arguments.inputs[1]),
        dweight_(request.arguments.outputs[0]),
        near_(static_cast<size_t>(g_.taps() * g_.groups)),
        far_(near_.size()),
        threads_(threads) {}

  void run() override {
    const auto channels = loops::DepthwiseChannels::of(g_, threads_);
    parallel_for(threads_, channels.parts, g_.batch * g_.pixels() * g_.groups * g_.taps(), [&](int64_t part) {
      DepthwiseWeightParts<T> parts(loops_, g_, x_.data_as<const T>(), dy_.data_as<const T>(), near_.data(),
                                    far_.data(), dweight_.data_as<T>());
      loops::depthwise_by_weight(g_, layout_of(x_), layout_of(dy_), dweight_.strides(), channels.part(part), parts);
    });
  }
  KernelFacts facts() const override { return depthwise_facts(); }

 private:
  ConvolutionGeometry g_;
  Tensor dy_, x_, dweight_;
  std::vector<T> near_;
  std::vector<double> far_;
  DepthwiseLoops<T> loops_ = depthwise_loops<T>();
  int threads_;
};

bool has_group_per_channel(const ConvolutionGeometry& g) { return g.groups > 1 && g.inputs == 1 && g.outputs == 1; }

/// The problem of an op whose operands lie as wanted.
ConvolutionGeometry geometry_of(const PrepareRequest& request, ConvolutionPass pass) {
  const auto& in = request.arguments.inputs;
  const TensorType &first = in[0].type(), &second = in[1].type(), &out = request.arguments.outputs[0].type();
  const Attributes& attributes = request.node.attributes;
  if (pass == ConvolutionPass::forward) return convolution_geometry(attributes, first, second, out);
  if (pass == ConvolutionPass::by_input) return convolution_geometry(attributes, out, second, first);
  return convolution_geometry(attributes, second, out, first);
}

template <ConvolutionPass kPass>
std::unique_ptr<PreparedOp> prepare_side_by_side(Context& context, const PrepareRequest& request) {
  const Tensor &in = request.arguments.inputs[0], &out = request.arguments.outputs[0];
  constexpr bool kByWeight = kPass == ConvolutionPass::by_weight;
  const ConvolutionGeometry g = geometry_of(request, kPass);
  if (!loops::is_depthwise(g, layout_of(in), layout_of(kByWeight ? request.arguments.inputs[1] : out))) return nullptr;
  const bool f32 = out.dtype() == DType::float32, forward = kPass == ConvolutionPass::forward;
  if (kByWeight) {
    if (f32) return std::make_unique<DepthwiseWeightOp<float>>(request, g, context.threads);
    return std::make_unique<DepthwiseWeightOp<double>>(request, g, context.threads);
  }
  if (f32) return std::make_unique<DepthwiseOp<float>>(request, g, forward, context.threads);
  return std::make_unique<DepthwiseOp<double>>(request, g, forward, context.threads);
}

template <ConvolutionPass kPass>
std::unique_ptr<PreparedOp> prepare_any(Context& context, const PrepareRequest& request) {
  if (auto op = prepare_side_by_side<kPass>(context, request)) return op;
  return prepare_on_copies(context, request, kChannelsLast, prepare_side_by_side<kPass>);
}

}  // namespace

std::unique_ptr<PreparedOp> prepare_depthwise(Context& context, const PrepareRequest& request,
                                              const ConvolutionGeometry& g, ConvolutionPass pass) {
  if (!has_group_per_channel(g)) return nullptr;
  switch (pass) {
    case ConvolutionPass::forward: return prepare_any<ConvolutionPass::forward>(context, request);
    case ConvolutionPass::by_input: return prepare_any<ConvolutionPass::by_input>(context, request);
    case ConvolutionPass::by_weight: break;
  }
  return prepare_any<ConvolutionPass::by_weight>(context, request);
}

int64_t depthwise_workspace(Context& context, const Node& node, const Call& call, const ConvolutionGeometry& g) {
  if (!has_group_per_channel(g)) return 0;
  const int64_t weights = in_lines(g.taps() * g.groups) * size_bytes(call.outputs[0].dtype);
  return weights + std::max<int64_t>(0, workspace_on_copies(context, node, call, kChannelsLast, nullptr));
}

}  // namespace engine::cpu
