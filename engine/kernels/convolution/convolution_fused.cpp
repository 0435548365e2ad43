// SPDX-License-Identifier: Apache-2.0
// A convolution with the batch norm of an inference folded into weights and bias (batch_norm_fold.h), by Winograd's
// minimal filtering where that is chosen, else as one call of oneDNN. What follows is left to our loop: oneDNN's own
// relu and clip make a number of NaN. Large images are convolved one by one, so that our loop finds each image's result
// in the cache.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "engine/kernels/convolution/batch_norm_fold.h"
#include "engine/kernels/convolution/convolution.h"
#include "engine/kernels/convolution/convolution_images.h"
#include "engine/kernels/convolution/images_rule.h"
#include "engine/kernels/core/copy.h"
#include "engine/kernels/core/kernels.h"

namespace engine::cpu {
namespace {

using Descriptor = dnnl::memory::desc;

class FoldedConvolution final : public PreparedOp {
 public:
  FoldedConvolution(BatchNormFold batch_norm, KernelFacts kernel)
      : fold(std::move(batch_norm)), known(std::move(kernel)) {}

  BatchNormFold fold;
  std::shared_ptr<Storage> weights;  ///< as oneDNN likes them, times the factor
  BoundPrimitive scale, main;
  std::optional<ConvolutionImages> images;        ///< instead of main
  std::unique_ptr<PreparedOp> copy_in, copy_out;  ///< of images that do not lie as main takes them
  KernelFacts known;

  void run() override {
    if (fold.update()) scale.run();
    if (images) return images->run();
    if (copy_in) copy_in->run();
    main.run();
    if (copy_out) copy_out->run();
  }
  KernelFacts facts() const override { return known; }
  double spared = 0;
  double spared_flops() const override { return spared; }
};

/// The convolution of a program whose second member is its batch norm, with a bias that is ours, and how oneDNN
/// computes it: one for what is prepared and for its workspace.
struct Plan {
  ConvolutionProblem problem;  ///< of images with their channels side by side; of one image where it goes by images
  ConvolutionImages::Layouts
      layouts;  ///< one image and its result as they lie; empty where oneDNN has no word for that
  dnnl::convolution_forward::primitive_desc descriptor;
  bool by_images = false;

  KernelFacts facts() const {
    const std::string kernel = shown_dnnl_kernel(descriptor.impl_info_str(), DType::float32),
                      how = fmt::format("{}{}", by_images ? " image by image," : "", kFolded);
    const bool copied = layouts.x != problem.x || layouts.y != problem.y;
    const std::string copies = copied ? fmt::format("{} via workspace: ", engine::name(kChannelsLast.layout)) : "";
    return {.name = copies + kernel + how,
            .library = KernelLibrary::onednn,
            .copies = copied ? kChannelsLast : OperandCopies(),
            .per_image = by_images};
  }
  /// For a batch whose result is `y`.
  double spared_flops(const Shape& y) const {
    return problem.spared_flops / static_cast<double>(problem.y.dims()[0]) * static_cast<double>(y[0]);
  }
};

/// Nothing for other programs, and in 16 bits, where the weights would be rounded once more.
std::optional<Plan> plan_of(Context& context, const FusedProgram& program, std::span<const TensorType> inputs,
                            const TensorType& y) {
  if (context.dnnl == nullptr || !normalizes_convolution(program)) return std::nullopt;
  const std::vector<TensorType> types = operand_types(program.members[0], inputs, {});
  if (types[0].dtype != DType::float32) return std::nullopt;
  const TensorType bias = TensorType::contiguous(DType::float32, {types[1].shape[0]});
  TensorType one_x = types[0], one_y = y;
  one_x.shape[0] = one_y.shape[0] = 1;
  const bool has_words = image_desc(one_x) && image_desc(one_y);
  const bool by_images =
      has_words && goes_by_images(program, inputs, y) && shares_are_even(y.shape[0], context.threads);
  if (!by_images) {
    one_x = types[0];
    one_y = y;
  }
  auto problem = make_convolution_problem(program.members[0].attributes, copied(one_x, kChannelsLast), types[1],
                                          copied(one_y, kChannelsLast), &bias, KernelPositions::meeting);
  const auto x_desc = image_desc(one_x), y_desc = image_desc(one_y);
  if (!problem || repeats_too_much(types[0])) return std::nullopt;
  const auto make = [&] { return forward_desc(context, *problem, dnnl::prop_kind::forward_inference); };
  auto descriptor = by_images ? ConvolutionImages::for_one_thread(context, make) : make();
  if (is_plain_loop(descriptor.impl_info_str())) return std::nullopt;
  return Plan{*std::move(problem),
              {x_desc.value_or(Descriptor()), y_desc.value_or(Descriptor())},
              std::move(descriptor),
              by_images};
}

/// In the workspace; 0 where they lie as wanted.
size_t bytes_of_copy(const Descriptor& wanted, const Descriptor& as_it_lies) {
  return wanted == as_it_lies ? 0 : whole_lines(wanted.get_size());
}

/// Where a plan that does not go by images finds x and y: the tensors, or copies in the workspace.
class CopiedImages {
 public:
  CopiedImages(Context& context, const Plan& plan, const Tensor& x_tensor, const Tensor& y_tensor, std::byte* workspace)
      : x(x_tensor.data()), y(y_tensor.data()), behind(workspace) {
    if (const size_t bytes = bytes_of_copy(plan.problem.x, plan.layouts.x); bytes > 0) {
      in = prepare_copy(context, x_tensor, placed(x_tensor));
      x = std::exchange(behind, behind + bytes);
    }
    if (const size_t bytes = bytes_of_copy(plan.problem.y, plan.layouts.y); bytes > 0) {
      out = prepare_copy(context, placed(y_tensor), y_tensor);
      y = std::exchange(behind, behind + bytes);
    }
  }

  std::byte *x, *y;
  std::unique_ptr<PreparedOp> in, out;
  std::byte* behind;  ///< what is left of the workspace

 private:
  Tensor placed(const Tensor& like) const {
    const TensorType type = copied(like.type(), kChannelsLast);
    return {std::make_shared<Storage>(Device{}, behind, type.span_bytes(), nullptr),
            type};  // the workspace is the plan's
  }
};

}  // namespace

FoldedConvolutionCall prepare_folded_convolution(Context& context, const FusedProgram& program,
                                                 const PrepareRequest& request, Finish finish) {
  if (auto filtered = prepare_folded_winograd(context, program, request, finish); filtered.op) return filtered;
  const auto& in = request.arguments.inputs;
  std::vector<TensorType> types;
  for (const Tensor& tensor : in) types.push_back(tensor.type());
  const Tensor& y = request.arguments.outputs[0];
  const auto plan = plan_of(context, program, types, y.type());
  if (!plan) return {};
  std::optional<FoldableConvolution> folds = foldable_convolution(program, request);
  if (!folds) return {};
  const int64_t channels = folds->weight.shape()[0];
  const ConvolutionProblem& p = plan->problem;
  const auto& pd = plan->descriptor;
  const Descriptor packed = pd.weights_desc();
  auto own = Storage::allocate_host(static_cast<int64_t>(packed.get_size()));
  if (!own) throw std::bad_alloc();
  auto op = std::make_unique<FoldedConvolution>(std::move(folds->fold), plan->facts());
  op->spared = plan->spared_flops(y.shape());
  op->weights = *own;
  // One factor per output channel: with groups those are two axes.
  const bool grouped = p.weight_ours.dims().size() > folds->x.shape().size();
  dnnl::primitive_attr scaled;
  scaled.set_output_scales(grouped ? 3 : 1, {DNNL_RUNTIME_F32_VAL});
  const dnnl::reorder::primitive_desc move(context.dnnl->engine, p.weight_ours, context.dnnl->engine, packed, scaled);
  const Descriptor vector({channels}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::a);
  const auto memory = [&](const Descriptor& desc, void* data) {
    return dnnl::memory(desc, context.dnnl->engine, data);
  };
  op->scale = BoundPrimitive(context, dnnl::reorder(move),
                             {{DNNL_ARG_FROM, memory(p.weight_ours, folds->weight.data() + p.weight_offset_bytes)},
                              {DNNL_ARG_TO, memory(packed, op->weights->data())},
                              {DNNL_ARG_ATTR_OUTPUT_SCALES, memory(vector, op->fold.factor())}});
  if (plan->by_images) {
    const auto apart = [](const Tensor& batch) { return batch.strides()[0] * size_bytes(batch.dtype()); };
    const ConvolutionImages::Places places{.x = folds->x.data(),
                                           .weights = op->weights->data(),
                                           .bias = reinterpret_cast<std::byte*>(op->fold.bias()),
                                           .y = y.data(),
                                           .scratchpads = request.workspace,
                                           .x_apart = apart(folds->x),
                                           .y_apart = apart(y),
                                           .layouts = plan->layouts};
    op->images.emplace(context, pd, places, y.shape()[0], std::move(finish));
    return {std::move(op), true};
  }
  CopiedImages images(context, *plan, folds->x, y, request.workspace);
  op->main = BoundPrimitive(context, dnnl::convolution_forward(pd),
                            {{DNNL_ARG_SRC, memory(p.x, images.x)},
                             {DNNL_ARG_WEIGHTS, memory(packed, op->weights->data())},
                             {DNNL_ARG_BIAS, memory(*p.bias, op->fold.bias())},
                             {DNNL_ARG_DST, memory(p.y, images.y)},
                             {DNNL_ARG_SCRATCHPAD, memory(pd.scratchpad_desc(), images.behind)}});
  op->copy_in = std::move(images.in);
  op->copy_out = std::move(images.out);
  return {std::move(op), false};
}

int64_t folded_convolution_workspace(Context& context, const FusedProgram& program, const Call& call) {
  const auto plan = plan_of(context, program, call.inputs, call.outputs[0]);
  if (!plan) return 0;
  if (plan->by_images) return ConvolutionImages::scratchpad_bytes(context, plan->descriptor, plan->layouts);
  const size_t copies =
      bytes_of_copy(plan->problem.x, plan->layouts.x) + bytes_of_copy(plan->problem.y, plan->layouts.y);
  return static_cast<int64_t>(copies + plan->descriptor.scratchpad_desc().get_size());
}

}  // namespace engine::cpu
