// SPDX-License-Identifier: Apache-2.0
// Makers of the parameters that several workloads share, and what their build functions share.
#include "engine/workloads/parameters.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "engine/ops/casting.h"
#include "engine/ops/checkpoint.h"
#include "engine/ops/ops.h"

namespace engine {
namespace {

Parameter make_parameter(std::string name, std::string label, std::string help, ParameterKind kind,
                         std::string default_value) {
  Parameter parameter;
  parameter.name = std::move(name);
  parameter.label = std::move(label);
  parameter.help = std::move(help);
  parameter.kind = kind;
  parameter.default_value = std::move(default_value);
  return parameter;
}

}  // namespace

Parameter integer_parameter(std::string name, std::string label, std::string help, int64_t default_value,
                            std::string unit, double minimum, double maximum) {
  Parameter parameter = make_parameter(std::move(name), std::move(label), std::move(help), ParameterKind::integer,
                                       fmt::format("{}", default_value));
  parameter.unit = std::move(unit);
  parameter.minimum = minimum;
  parameter.maximum = maximum;
  return parameter;
}

Parameter real_parameter(std::string name, std::string label, std::string help, std::string default_value,
                         double minimum, double maximum) {
  Parameter parameter =
      make_parameter(std::move(name), std::move(label), std::move(help), ParameterKind::real, std::move(default_value));
  parameter.minimum = minimum;
  parameter.maximum = maximum;
  return parameter;
}

Parameter choice_parameter(std::string name, std::string label, std::string help, std::vector<std::string> choices) {
  CHECK(!choices.empty());
  Parameter parameter =
      make_parameter(std::move(name), std::move(label), std::move(help), ParameterKind::choice, choices.front());
  parameter.choices = std::move(choices);
  return parameter;
}

Parameter text_parameter(std::string name, std::string label, std::string help, std::string default_value,
                         std::string expected, bool (*accepts)(std::string_view)) {
  Parameter parameter =
      make_parameter(std::move(name), std::move(label), std::move(help), ParameterKind::text, std::move(default_value));
  parameter.expected = std::move(expected);
  parameter.accepts = accepts;
  return parameter;
}

Parameter batch_parameter(int64_t default_value) {
  return integer_parameter("batch", "Batch size",
                           "Samples computed together in one step. Weights are read once per step, so a larger batch "
                           "spreads their bytes over more samples.",
                           default_value, "samples");
}

Parameter dtype_parameter(std::vector<std::string> choices) {
  return choice_parameter("dtype", "Data type",
                          "Number format of the values: f64 takes 8 bytes, f32 takes 4, bf16 and f16 "
                          "take 2. Training in 16 bits keeps the weights in f32 and casts them at "
                          "every step; sums are formed in f32.",
                          std::move(choices));
}

Parameter mode_parameter(std::vector<std::string> choices) {
  return choice_parameter("mode", "Mode",
                          "inference computes the outputs; training adds the loss, all gradients and an SGD update of "
                          "the weights.",
                          std::move(choices));
}

namespace {

/// "sqrt" is 0; nothing for what is no interval.
std::optional<int64_t> parse_interval(std::string_view text) {
  if (text == "sqrt") return 0;
  int64_t interval = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, interval);
  if (error != std::errc() || stop != end || interval < 1) return std::nullopt;
  return interval;
}

bool accepts_checkpointing(std::string_view text) { return text == "none" || parse_interval(text).has_value(); }

}  // namespace

Parameter checkpointing_parameter(std::string_view layers) {
  return text_parameter("checkpointing", "Checkpointing",
                        fmt::format("Keep the outputs of every k-th of {} for the backward pass and compute the rest "
                                    "again: less memory, more work. none keeps all; sqrt balances the two. Used in "
                                    "training only.",
                                    layers),
                        "none", "none, sqrt, or the number of layers from one that is kept to the next, such as 4",
                        accepts_checkpointing);
}

std::vector<Parameter> sgd_parameters(std::string learning_rate, std::string momentum) {
  return {real_parameter("learning_rate", "Learning rate", "Step size of the optimiser. Used in training only.",
                         std::move(learning_rate), 0, 1000),
          real_parameter("momentum", "Momentum",
                         "Share of the last update that SGD carries on. Above 0 each weight has a "
                         "momentum buffer of "
                         "its own size (optimiser state). Used in training only.",
                         std::move(momentum), 0, 1)};
}

Parameter clipping_parameter(std::string default_value) {
  return real_parameter(
      "max_gradient_norm", "Largest gradient",
      "All gradients together are scaled to at most this norm before they update the weights; 0: they stay as they "
      "are. Used in training only.",
      std::move(default_value), 0, 1e30);
}

std::vector<Parameter> optimizer_parameters(std::string learning_rate, std::string momentum) {
  std::vector<Parameter> parameters{
      choice_parameter("optimizer", "Optimiser",
                       "What learns from the gradients. Adam and AdamW hold two more values per "
                       "weight, SGD one or none. Used in training only.",
                       {"sgd", "adam", "adamw"})};
  for (Parameter& parameter : sgd_parameters(std::move(learning_rate), std::move(momentum)))
    parameters.push_back(std::move(parameter));
  return parameters;
}

bool is_training(const Arguments& arguments) { return text_argument(arguments, "mode") == "training"; }

ValueId weight_parameter(GraphBuilder& builder, std::string name, Shape shape, Fill fill, DType dtype, bool training) {
  const bool master = training && size_bytes(dtype) == 2;
  const DType kept = master ? DType::float32 : dtype;
  const ValueId parameter = builder.parameter(std::move(name), TensorType::contiguous(kept, std::move(shape)), fill);
  return master ? ops::cast(builder, parameter, dtype) : parameter;
}

DType statistics_dtype(DType dtype) { return size_bytes(dtype) == 2 ? DType::float32 : dtype; }

SgdOptions sgd_arguments(const Arguments& arguments) {
  SgdOptions options;
  options.learning_rate = real_argument(arguments, "learning_rate");
  options.momentum = real_argument(arguments, "momentum");
  return options;
}

OptimizerOptions optimizer_arguments(const Arguments& arguments) {
  OptimizerOptions options;
  const auto optimizer = parse_optimizer(text_argument(arguments, "optimizer"));
  CHECK(optimizer.has_value());
  options.optimizer = *optimizer;
  options.learning_rate = real_argument(arguments, "learning_rate");
  options.momentum = real_argument(arguments, "momentum");
  if (arguments.contains("max_gradient_norm"))
    options.max_gradient_norm = real_argument(arguments, "max_gradient_norm");
  return options;
}

void finish_classifier(GraphBuilder& builder, ValueId logits, const Arguments& arguments,
                       std::span<const ValueId> layer_outputs) {
  if (builder.failed()) return;
  if (!is_training(arguments)) {
    builder.mark_output(logits);
    return;
  }
  const Shape shape = builder.type(logits).shape;
  CHECK(shape.size() == 2);
  Fill any_class{Fill::Kind::integers, 0, static_cast<double>(shape[1])};
  ValueId loss = kNoValue;
  {
    const LayerScope layer(builder, "loss");
    const ValueId labels = builder.input("labels", TensorType::contiguous(DType::int64, {shape[0]}), any_class);
    loss = ops::softmax_cross_entropy(builder, logits, labels);
  }
  OptimizerOptions options = optimizer_arguments(arguments);
  if (arguments.contains("checkpointing")) {
    const std::string& interval = text_argument(arguments, "checkpointing");
    if (interval != "none") options.checkpoints = every_nth(layer_outputs, *parse_interval(interval));
  }
  append_optimizer_step(builder, loss, options);
  builder.mark_output(loss);
}

}  // namespace engine
