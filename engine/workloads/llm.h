// SPDX-License-Identifier: Apache-2.0
// A step of a language model: prefill of a text, or decode of one token behind it.
#pragma once

#include <string>
#include <string_view>

#include "engine/workloads/language_model.h"
#include "engine/workloads/transformer_weights.h"
#include "engine/workloads/workload.h"

namespace engine {

struct LanguageRun {
  bool decode = true;  ///< one token behind context - 1 others; else all tokens of the context
  int64_t batch = 1, context = 512;
  DType dtype = DType::float32;                  ///< of activations and cache
  WeightFormat format = WeightFormat::as_dtype;  ///< of matrices of weights
  int64_t layers = 0;                            ///< the first ones alone; 0: all

  int64_t count() const { return decode ? 1 : context; }  ///< tokens of a step, per sequence
};

/// Appends the step. Input: "tokens" [batch, count]. Output: the logits [batch, vocabulary] of the last position; of an
/// encoder the last hidden values and the pooler's. Parameters are named as files of weights name them.
void append_language_step(GraphBuilder&, const LanguageModel&, const LanguageRun&);

/// A config.json as a workload; refused as read_language_model() does.
Result<Workload> language_workload(std::string_view text, const std::string& name);
/// The model of resolved arguments of the workload llm.
Result<LanguageModel> language_model_of(const Arguments&);

}  // namespace engine
