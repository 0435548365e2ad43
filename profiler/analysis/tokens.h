// SPDX-License-Identifier: Apache-2.0
// A step of a language model by its tokens: how many a second, how many bytes each takes.
#pragma once

#include <string>
#include <vector>

#include "profiler/analysis/analyze.h"
#include "profiler/base/table.h"

namespace profiler {

/// Of runs whose arguments have a phase and a context. Bytes are compulsory ones of a step: each operand byte of an op
/// once.
struct TokenFigures {
  std::string phase;                                     ///< "decode", "prefill"; empty: the run has no tokens
  double tokens = 0;                                     ///< of a step, over the whole batch
  double step_ns = 0;                                    ///< median; NaN: none was timed
  double weight_bytes = 0;                               ///< read
  double cache_read_bytes = 0, cache_written_bytes = 0;  ///< of keys and values
  double other_bytes = 0;                                ///< activations, tables of positions, tokens

  bool known() const { return !phase.empty(); }
  bool decodes() const { return phase == "decode"; }
  double bytes() const { return weight_bytes + cache_read_bytes + cache_written_bytes + other_bytes; }
  double tokens_per_s() const { return tokens / step_ns * 1e9; }
  /// Until the first token comes out: a whole prefill; NaN: the step is none.
  double first_token_ns() const;
};
TokenFigures token_figures(const Analyzed&);

/// Figures with their shares of the bytes; no rows where there are no tokens.
Table tokens_table(const Analyzed&);
/// What limits the phase.
std::vector<std::string> token_sentences(const Analyzed&);
/// "812 tokens/s, 1.24 GB per token" ("time to first token 0.8 s" for prefill); empty: there are none.
std::string token_words(const TokenFigures&);

}  // namespace profiler
