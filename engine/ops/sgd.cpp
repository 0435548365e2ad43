// SPDX-License-Identifier: Apache-2.0
// Stochastic gradient descent, in place.
#include "engine/ops/check.h"
#include "engine/ops/cost.h"
#include "engine/ops/dense.h"
#include "engine/ops/op_list.h"
#include "engine/ops/ops.h"

namespace engine::ops {
namespace {

bool check_operands(OperandCheck& check, std::span<const TensorType> inputs) {
  if (!check.operand_count() || !check.same_dtype() || !check.floating(0)) return false;
  for (size_t i = 1; i < inputs.size(); ++i) {
    if (!check.shape(i, inputs[0].shape, "the shape of weight")) return false;
  }
  return true;
}

InferResult infer_sgd(std::span<const TensorType> inputs, const Attributes&) {
  OperandCheck check("sgd", inputs, {"weight", "gradient"});
  if (!check_operands(check, inputs)) return check.error();
  return std::vector{inputs[0]};
}

InferResult infer_sgd_momentum(std::span<const TensorType> inputs, const Attributes&) {
  OperandCheck check("sgd_momentum", inputs, {"weight", "gradient", "buffer"});
  if (!check_operands(check, inputs)) return check.error();
  return std::vector{inputs[0], inputs[2]};
}

void reference_sgd(KernelArguments& arguments) {
  const double rate = arguments.attributes->get_double("rate", 0),
               decay = arguments.attributes->get_double("weight_decay", 0);
  std::vector<double> weight = load(arguments.inputs[0]);
  const std::vector<double> gradient = load(arguments.inputs[1]);
  for (size_t i = 0; i < weight.size(); ++i) weight[i] -= rate * (gradient[i] + decay * weight[i]);
  store(arguments.outputs[0], weight);
}

void reference_sgd_momentum(KernelArguments& arguments) {
  const double rate = arguments.attributes->get_double("rate", 0),
               decay = arguments.attributes->get_double("weight_decay", 0);
  const double momentum = arguments.attributes->get_double("momentum", 0);
  const bool nesterov = arguments.attributes->get_int("nesterov", 0) != 0;
  std::vector<double> weight = load(arguments.inputs[0]), buffer = load(arguments.inputs[2]);
  const std::vector<double> gradient = load(arguments.inputs[1]);
  for (size_t i = 0; i < weight.size(); ++i) {
    const double decayed = gradient[i] + decay * weight[i];
    buffer[i] = momentum * buffer[i] + decayed;
    weight[i] -= rate * (nesterov ? decayed + momentum * buffer[i] : buffer[i]);
  }
  store(arguments.outputs[0], weight);
  store(arguments.outputs[1], buffer);
}

double decay_flops(const Call& call) { return call.attributes.get_double("weight_decay", 0) == 0 ? 0 : 2; }

}  // namespace

const Op kSgd{
    .name = "sgd",
    .formula = "weight = weight - rate * (gradient + weight_decay * weight)",
    .infer = infer_sgd,
    .cost = [](const Call& call) { return elementwise_cost(call, 2 + decay_flops(call)); },
    .reference = reference_sgd,
    .in_place = {0},
    .attributes = {AttributeSpec::real("rate", 0), AttributeSpec::real("weight_decay", 0)},
};

const Op kSgdMomentum{
    .name = "sgd_momentum",
    .formula =
        "buffer = momentum * buffer + gradient + weight_decay * weight; weight = weight - rate * buffer; "
        "nesterov: weight - rate * (gradient + weight_decay * weight + momentum * buffer)",
    .infer = infer_sgd_momentum,
    .cost =
        [](const Call& call) {
          return elementwise_cost(
              call, 4 + decay_flops(call) + 2 * static_cast<double>(call.attributes.get_int("nesterov", 0)));
        },
    .reference = reference_sgd_momentum,
    .in_place = {0, 2},
    .attributes = {AttributeSpec::real("rate", 0), AttributeSpec::real("momentum", 0),
                   AttributeSpec::real("weight_decay", 0), AttributeSpec::whole("nesterov", 0)},
};

void sgd_update(GraphBuilder& builder, ValueId weight, ValueId gradient, ValueId momentum_buffer, double rate,
                double momentum, double weight_decay, bool nesterov) {
  if (momentum_buffer == kNoValue) {
    builder.append(kSgd, {weight, gradient}, {{"rate", rate}, {"weight_decay", weight_decay}});
    return;
  }
  Attributes attributes{{"rate", rate}, {"momentum", momentum}, {"weight_decay", weight_decay}};
  if (nesterov) attributes.set("nesterov", int64_t{1});
  builder.append(kSgdMomentum, {weight, gradient, momentum_buffer}, std::move(attributes));
}

}  // namespace engine::ops
