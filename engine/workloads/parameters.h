// SPDX-License-Identifier: Apache-2.0
// Makers of the parameters that several workloads share, and what their build functions share.
#pragma once

#include "engine/ops/autograd.h"
#include "engine/ops/training_step.h"
#include "engine/workloads/workload.h"

namespace engine {

/// Largest extent and count that is not refused by range: 2^62. What does not fit a machine is
/// refused by the plan, with the bytes it would need.
inline constexpr double kLargestCount = 4611686018427387904.0;

Parameter integer_parameter(std::string name, std::string label, std::string help, int64_t default_value,
                            std::string unit, double minimum = 1, double maximum = kLargestCount);
Parameter real_parameter(std::string name, std::string label, std::string help, std::string default_value,
                         double minimum, double maximum);
/// The first choice is the default.
Parameter choice_parameter(std::string name, std::string label, std::string help, std::vector<std::string> choices);
Parameter text_parameter(std::string name, std::string label, std::string help, std::string default_value,
                         std::string expected, bool (*accepts)(std::string_view));

/// "batch": samples per step.
Parameter batch_parameter(int64_t default_value);
/// "dtype": the first of `choices` by default.
Parameter dtype_parameter(std::vector<std::string> choices = {"f32", "f64", "bf16", "f16"});
/// "mode": the first of `choices` by default.
Parameter mode_parameter(std::vector<std::string> choices);
/// "learning_rate" and "momentum".
std::vector<Parameter> sgd_parameters(std::string learning_rate, std::string momentum);
/// "optimizer" and those of SGD.
std::vector<Parameter> optimizer_parameters(std::string learning_rate, std::string momentum);
/// "max_gradient_norm": 0 clips nothing.
Parameter clipping_parameter(std::string default_value);
/// "checkpointing": none, sqrt or a number; what `layers` calls the layers in the help.
Parameter checkpointing_parameter(std::string_view layers);

// ---- for build functions: arguments are resolved
// -----------------------------------------------------------------------

bool is_training(const Arguments&);
/// A weight in the type the layers compute in. Training in bf16 or f16 keeps the parameter in f32 and casts it at every
/// step, as PyTorch's autocast does. Gradients come back through the cast. Updates too small for 16 bits still add up:
/// bf16 numbers near 1 are 1/128 apart. Otherwise the parameter itself has `dtype`.
ValueId weight_parameter(GraphBuilder&, std::string name, Shape shape, Fill fill, DType dtype, bool training);
/// The type of statistics, scales and biases of normalisations over values of `dtype`: f32 for
/// 16-bit types.
DType statistics_dtype(DType dtype);
SgdOptions sgd_arguments(const Arguments&);
/// Clips when there is a "max_gradient_norm" above 0.
OptimizerOptions optimizer_arguments(const Arguments&);
/// Ends a classifier. Inference marks the logits. Training appends labels, the softmax cross-entropy loss, the
/// gradients and one optimiser step, and marks the loss. `layer_outputs`: what "checkpointing" chooses from, in order.
void finish_classifier(GraphBuilder& builder, ValueId logits, const Arguments& arguments,
                       std::span<const ValueId> layer_outputs = {});

}  // namespace engine
