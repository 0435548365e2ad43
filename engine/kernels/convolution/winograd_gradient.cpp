// SPDX-License-Identifier: Apache-2.0
// Which gradients of convolutions by their weights go by Winograd's minimal filtering, and on which threads.
#include <utility>

#include "engine/kernels/convolution/winograd.h"
#include "engine/kernels/convolution/winograd_expectation.h"
#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/parallel.h"

namespace engine::cpu {
namespace {

using loops::Range;

class WinogradGradient final : public PreparedOp {
 public:
  WinogradGradient(const loops::WinogradShape& shape, const KernelArguments& arguments, std::byte* workspace,
                   int threads)
      : call_{.shape = shape,
              .cut = loops::WinogradGradientCut(shape, loops_.lanes),
              .x_layout = winograd_images(arguments.inputs[1]),
              .y_layout = winograd_images(arguments.inputs[0]),
              .x = arguments.inputs[1].data_as<const float>(),
              .dy = arguments.inputs[0].data_as<const float>(),
              .u = reinterpret_cast<float*>(workspace),
              .dw = Tensor(arguments.outputs[0]).data_as<float>(),
              .output = arguments.outputs[0].strides()[0],
              .input = arguments.outputs[0].strides()[1],
              .row = arguments.outputs[0].strides()[2],
              .column = arguments.outputs[0].strides()[3]},
        threads_(threads) {
    if (workspace != nullptr) scratch_ = reinterpret_cast<float*>(workspace + winograd_bytes(call_.cut.weights(shape)));
  }

  void run() override {
    const loops::WinogradShape& s = call_.shape;
    const loops::WinogradGradientCut& cut = call_.cut;
    const WinogradGradientLoops& steps = loops_.gradient;
    const double kernels =
        static_cast<double>(loops::kWinogradPoints) * static_cast<double>(s.inputs) * static_cast<double>(cut.outputs);
    const auto share = [&](int64_t count, int64_t work, const auto& part) {
      parallel_parts(threads_, count, 1, work, [&](int64_t begin, int64_t end) { part(Range{begin, end}); });
    };
    for (int64_t index = 0; index < cut.units; ++index) {
      const Range unit = cut.unit(s, index);
      const int64_t work = streaming_work(kernels * static_cast<double>(unit.size()));
      share(unit.size(), work, [&](Range part) {
        const Range tiles{unit.begin + part.begin, unit.begin + part.end};
        steps.transform(call_, unit, tiles, scratch_);
        steps.spread(call_, unit, tiles, scratch_);
      });
      share(loops::kWinogradPoints * cut.panels(), work, [&](Range sums) { steps.sums(call_, unit, sums, scratch_); });
    }
    share(s.inputs, static_cast<int64_t>(kernels), [&](Range inputs) { steps.gradients(call_, inputs); });
  }
  KernelFacts facts() const override { return Winograd::facts_of_kind(); }
  double spared_flops() const override { return winograd_rule::spared_flops(call_.shape, false); }

 private:
  WinogradLoops loops_ = winograd_loops();
  WinogradGradientCall call_;
  float* scratch_ = nullptr;
  int threads_;
};

int64_t images_workspace(Context& context, const Node& node, const Call& call) {
  const auto s = choose_winograd_gradient(context, node.attributes, call.inputs[1], call.outputs[0], call.inputs[0]);
  if (!s) return kNoKernel;
  const loops::WinogradGradientCut cut(*s, winograd_loops().lanes);
  return winograd_bytes(cut.weights(*s)) + winograd_bytes(cut.scratch(*s));
}

std::unique_ptr<PreparedOp> prepare_images(Context& context, const PrepareRequest& request) {
  const auto &in = request.arguments.inputs, &out = request.arguments.outputs;
  const auto s = choose_winograd_gradient(context, request.node.attributes, in[1].type(), out[0].type(), in[0].type());
  if (!s) return nullptr;
  return std::make_unique<WinogradGradient>(*s, request.arguments, request.workspace, context.threads);
}

}  // namespace

std::optional<loops::WinogradShape> choose_winograd_gradient(const Context& context, const Attributes& attributes,
                                                             const TensorType& x, const TensorType& weight,
                                                             const TensorType& y) {
  const BackendOptions& options = context.options;
  if (options.winograd == WinogradUse::never) return std::nullopt;
  const auto s = winograd_rule::shape_of(false, attributes, x, weight, y);
  if (!s || options.winograd == WinogradUse::always) return s;
  return winograd_pays(winograd_gradient_ratio(*s, winograd_loops().lanes, context.threads), options.winograd_timings,
                       winograd_loops().lanes)
             ? s
             : std::nullopt;
}

std::unique_ptr<PreparedOp> prepare_winograd_gradient(Context& context, const PrepareRequest& request) {
  return prepare_images_or_copies(context, request, prepare_images);
}

int64_t winograd_gradient_workspace(Context& context, const Node& node, const Call& call) {
  return workspace_of_images_or_copies(context, node, call, images_workspace);
}

}  // namespace engine::cpu
