// SPDX-License-Identifier: Apache-2.0
// Cross entropy of a softmax, and its gradient, row by row. Computed by cross_entropy-inl.h, described by
// softmax_access.cpp.
#pragma once

#include "engine/kernels/core/visitor_loops.h"

namespace engine::loops {

/// (logits, labels) -> loss, probabilities. visitor.label(row): and the logit that it names. visitor.softmax(row): as
/// softmax_row(). visitor.keep(row): its loss.
template <class Visitor>
[[gnu::always_inline]] inline void cross_entropy_row(int64_t line, Visitor& visitor) {
  visitor.label(line);
  visitor.softmax(line);
  visitor.keep(line);
}

/// (dloss, probabilities, labels) -> dlogits. visitor.label(row). visitor.scale(row): probabilities to dlogits.
/// visitor.subtract(row): one, where the label is.
template <class Visitor>
[[gnu::always_inline]] inline void cross_entropy_gradient_row(int64_t line, Visitor& visitor) {
  visitor.label(line);
  visitor.scale(line);
  visitor.subtract(line);
}

}  // namespace engine::loops
