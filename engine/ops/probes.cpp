// SPDX-License-Identifier: Apache-2.0
// The chain of multiply-adds and the pointer chase: shapes, costs, references.
#include "engine/ops/probes.h"

#include <algorithm>
#include <cmath>

#include "engine/ops/check.h"
#include "engine/ops/cost.h"
#include "engine/ops/dense.h"
#include "engine/ops/elementwise_support.h"
#include "engine/ops/ops.h"
#include "engine/ops/tangents.h"

namespace engine::ops {
namespace {

int64_t rounds_of(const Attributes& attributes) { return attributes.get_int("rounds", 1); }

InferResult infer_chain(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("multiply_add_chain", inputs, {"x"});
  const int64_t chains = attributes.get_int("chains", 1);
  if (!check.that(rounds_of(attributes) >= 0, "rounds must not be negative, got {}", rounds_of(attributes)) ||
      !check.that(chains >= 1 && chains <= 8, "chains must be 1 to 8, got {}", chains)) {
    return check.error();
  }
  return infer_elementwise("multiply_add_chain", inputs, {"x"}, Accepts::floats);
}

void reference_chain(KernelArguments& arguments) {
  const Attributes& a = *arguments.attributes;
  const double factor = a.get_double("factor", 1), shift = a.get_double("shift", 0);
  const int64_t rounds = rounds_of(a);
  map_doubles(arguments, [=](double x) {
    for (int64_t i = 0; i < rounds; ++i) x = factor * x + shift;
    return x;
  });
}

/// dx = dy * factor^rounds.
void gradient_chain(GradientContext& context) {
  const double slope =
      std::pow(context.attributes().get_double("factor", 1), static_cast<double>(rounds_of(context.attributes())));
  give(context, 0, [&](ValueId dy) { return scale(context.builder(), dy, slope, 0); });
}

InferResult infer_chase(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("pointer_chase", inputs, {"next"});
  if (!check.operand_count() || !check.rank(0, 1)) return check.error();
  const DType dtype = inputs[0].dtype;
  if (!check.that(dtype == DType::int32 || dtype == DType::int64, "next must be i32 or i64, got {}", name(dtype)) ||
      !check.that(inputs[0].elements() > 0, "next has no elements: there is no position 0") ||
      !check.that(attributes.get_int("accesses", 0) >= 0, "accesses must not be negative, got {}",
                  attributes.get_int("accesses", 0))) {
    return check.error();
  }
  return std::vector{TensorType::contiguous(dtype, {})};
}

void reference_chase(KernelArguments& arguments) {
  const std::vector<int64_t> next = load_whole(arguments.inputs[0]);
  const auto count = static_cast<int64_t>(next.size());
  int64_t position = 0;
  for (int64_t i = arguments.attributes->get_int("accesses", 0); i > 0 && position >= 0; --i) {
    position = next[static_cast<size_t>(position)];
    if (position < 0 || position >= count) position = -1;
  }
  store_whole(arguments.outputs[0], std::vector{position});
}

Cost chase_cost(const Call& call) {
  Cost cost = full_cost(call, 0);
  const int64_t touched = std::min(call.attributes.get_int("accesses", 0), call.inputs[0].elements());
  cost.read_bytes[0] = std::min(cost.read_bytes[0], touched * size_bytes(call.inputs[0].dtype));
  return cost;
}

InferResult infer_divergent(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("divergent_chain", inputs, {"x", "path"});
  const int64_t paths = attributes.get_int("paths", 1);
  if (!check.operand_count() ||
      !check.that(is_floating(inputs[0].dtype), "x must be of a floating dtype, got {}", name(inputs[0].dtype)) ||
      !check.that(inputs[1].dtype == DType::int32, "path must be i32, got {}", name(inputs[1].dtype)) ||
      !check.that(inputs[0].shape == inputs[1].shape, "x is {}, path is {}: they must have one shape",
                  to_string(inputs[0]), to_string(inputs[1])) ||
      !check.that(rounds_of(attributes) >= 0, "rounds must not be negative, got {}", rounds_of(attributes)) ||
      !check.that(paths >= 1 && paths <= 64, "paths must be 1 to 64, got {}", paths)) {
    return check.error();
  }
  return std::vector{elementwise_type(inputs[0].dtype, inputs.first(1), inputs[0].shape)};
}

void reference_divergent(KernelArguments& arguments) {
  const Attributes& a = *arguments.attributes;
  const int64_t rounds = rounds_of(a);
  const auto paths = static_cast<double>(a.get_int("paths", 1));
  map_doubles(arguments, [=](double x, double path) {
    if (!(path >= 0 && path < paths)) return x;
    for (int64_t i = 0; i < rounds; ++i) x = 0.75 * x + (path + 1) / 64;
    return x;
  });
}

InferResult infer_round_trip(std::span<const TensorType> inputs, const Attributes& attributes) {
  OperandCheck check("round_trip", inputs, {"x"});
  const std::string memory = attributes.get_string("memory", "pinned");
  if (!check.operand_count() ||
      !check.that(is_contiguous(inputs[0].shape, inputs[0].strides), "x must be row-major, got {}",
                  to_string(inputs[0])) ||
      !check.that(memory == "pinned" || memory == "pageable", "memory must be pinned or pageable, got \"{}\"",
                  memory)) {
    return check.error();
  }
  return std::vector{TensorType::contiguous(inputs[0].dtype, inputs[0].shape)};
}

}  // namespace

const Op kDivergentChain{
    .name = "divergent_chain",
    .formula = "y = 3/4 y + (path + 1) / 64, rounds times, from x",
    .infer = infer_divergent,
    .cost =
        [](const Call& call) { return elementwise_cost(call, 2 * static_cast<double>(rounds_of(call.attributes))); },
    .reference = reference_divergent,
    .attributes = {AttributeSpec::whole("rounds", 1), AttributeSpec::whole("paths", 1),
                   AttributeSpec::whole("masked", 0)},
};

const Op kRoundTrip{
    .name = "round_trip",
    .formula = "y = x, by way of the host's memory",
    .infer = infer_round_trip,
    .cost = [](const Call& call) { return full_cost(call, 0); },
    .reference = [](KernelArguments& arguments) { copy_elements(arguments.inputs[0], arguments.outputs[0]); },
    .attributes = {AttributeSpec::word("memory", "pinned"), AttributeSpec::whole("overlap", 0)},
};

const Op kMultiplyAddChain{
    .name = "multiply_add_chain",
    .formula = "y = factor * y + shift, rounds times, from x",
    .infer = infer_chain,
    .cost =
        [](const Call& call) { return elementwise_cost(call, 2 * static_cast<double>(rounds_of(call.attributes))); },
    .reference = reference_chain,
    .gradient = gradient_chain,
    .tangent = tangent_symmetric,
    .attributes = {AttributeSpec::whole("rounds", 1), AttributeSpec::whole("chains", 1),
                   AttributeSpec::real("factor", 1), AttributeSpec::real("shift", 0)},
};

const Op kPointerChase{
    .name = "pointer_chase",
    .formula = "p = next[p], accesses times, from 0",
    .infer = infer_chase,
    .cost = chase_cost,
    .reference = reference_chase,
    .attributes = {AttributeSpec::whole("accesses", 0)},
};

std::span<const Op* const> probe_ops() {
  static constexpr const Op* kOps[] = {&kMultiplyAddChain, &kPointerChase, &kDivergentChain, &kRoundTrip};
  return kOps;
}

ValueId multiply_add_chain(GraphBuilder& builder, ValueId x, int64_t rounds, int64_t chains, double factor,
                           double shift) {
  return builder.append1(kMultiplyAddChain, {x},
                         {{"rounds", rounds}, {"chains", chains}, {"factor", factor}, {"shift", shift}});
}

ValueId pointer_chase(GraphBuilder& builder, ValueId next, int64_t accesses) {
  return builder.append1(kPointerChase, {next}, {{"accesses", accesses}});
}

ValueId divergent_chain(GraphBuilder& builder, ValueId x, ValueId path, int64_t rounds, int64_t paths, bool masked) {
  return builder.append1(kDivergentChain, {x, path},
                         {{"rounds", rounds}, {"paths", paths}, {"masked", int64_t{masked}}});
}

ValueId round_trip(GraphBuilder& builder, ValueId x, std::string_view memory, bool overlap) {
  return builder.append1(kRoundTrip, {x}, {{"memory", std::string(memory)}, {"overlap", int64_t{overlap}}});
}

}  // namespace engine::ops
