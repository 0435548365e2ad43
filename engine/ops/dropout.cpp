// SPDX-License-Identifier: Apache-2.0
// Dropout (N. Srivastava et al., JMLR 2014) with masks that are computed, never stored.
#include "engine/ops/dropout.h"

#include "engine/ops/check.h"
#include "engine/ops/cost.h"
#include "engine/ops/dense.h"
#include "engine/ops/gradients.h"
#include "engine/ops/ops.h"
#include "engine/ops/optimizers.h"
#include "engine/ops/tangents.h"
#include "engine/tensor/dropout_mask.h"

namespace engine::ops {
namespace {

InferResult infer(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("dropout", inputs, {"x", "draw"});
  const double ratio = attributes.get_double("ratio", 0.5);
  if (!check.operand_count() || !check.floating(0) || !check.rank(1, 0) ||
      !check.that(inputs[1].dtype == DType::int64, "draw must be i64, got {}", name(inputs[1].dtype)) ||
      !check.that(ratio >= 0 && ratio <= 1, "ratio is {}: must be from 0 to 1", ratio) ||
      !check.addressable("the result", inputs[0].dtype, inputs[0].shape)) {
    return check.error();
  }
  return std::vector{
      TensorType{inputs[0].dtype, inputs[0].shape, dense_strides_like(inputs[0].shape, inputs[0].strides)}};
}

void reference(KernelArguments& arguments) {
  std::vector<double> x = load(arguments.inputs[0]);
  const DropoutMask mask(arguments.attributes->get_double("ratio", 0.5), arguments.attributes->get_int("seed", 0),
                         *arguments.inputs[1].data_as<int64_t>());
  for (size_t i = 0; i < x.size(); ++i) x[i] = mask.keeps(i) ? x[i] * mask.factor() : 0;
  store(arguments.outputs[0], x);
}

}  // namespace

const Op kDropout{
    .name = "dropout",
    .formula = "y = x / (1 - ratio) where hash(seed, draw, position) >= ratio, else 0",
    .infer = infer,
    .cost = [](const Call& call) { return elementwise_cost(call, 1); },
    .reference = reference,
    .gradient =
        [](GradientContext& context) {
          if (!context.needed(0)) return;
          context.set_input_gradient(0,
                                     context.builder().append1(kDropout, {context.output_gradient(0), context.input(1)},
                                                               context.attributes()));
        },
    .tangent = tangent_linear,
    .attributes = {AttributeSpec::real("ratio", 0.5), AttributeSpec::whole("seed", 0)},
};

std::span<const Op* const> dropout_ops() {
  static constexpr const Op* kOps[] = {&kDropout};
  return kOps;
}

ValueId next_draw(GraphBuilder& builder, ValueId state) { return copy(builder, count_step(builder, state)); }

ValueId dropout(GraphBuilder& builder, ValueId x, ValueId draw, double ratio, int64_t seed) {
  return builder.append1(kDropout, {x, draw}, {{"ratio", ratio}, {"seed", seed}});
}

}  // namespace engine::ops
