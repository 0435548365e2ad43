// SPDX-License-Identifier: Apache-2.0
// What a language model's sizes say before anything is allocated: parameters, bytes, what fits this machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/base/workbench.h"

namespace app {

struct LanguageFormat {
  std::string weights;          ///< "f32", "bf16", "q8_0", as --set dtype and --set weights name them
  double weight_bytes = 0;      ///< exact
  double cache_bytes = 0;       ///< of keys and values, for the request's context and batch
  bool fits = false;            ///< both in the memory that is available; activations come on top
  int64_t longest_context = 0;  ///< whose cache still fits, for the request's batch; 0: not even the weights do
};

struct LanguageFacts {
  std::string title, family;
  int64_t parameters = 0, parameters_per_token = 0, layers = 0, context = 0, batch = 1;
  int64_t made_for = 0;  ///< tokens; 0: the file does not say
  int64_t cache_elements_per_token = 0;
  double flops_per_token = 0;  ///< behind context - 1 others
  double memory_bytes = 0;     ///< available; 0: unknown
  std::vector<LanguageFormat> formats;
};

/// Of a config.json or of the workload llm; nothing: the request is for something else. Refused: what the config's
/// reader and the workload's parameters refuse.
engine::Result<std::optional<LanguageFacts>> language_facts(const RunRequest&);

}  // namespace app
