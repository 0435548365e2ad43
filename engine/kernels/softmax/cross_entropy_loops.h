// SPDX-License-Identifier: Apache-2.0
// Cross entropy of a softmax, and its gradient, line by line. Computed by cross_entropy-inl.h, described by
// softmax_access.cpp.
#pragma once

#include "engine/kernels/core/visitor_loops.h"

namespace engine::loops {

/// (logits, labels) -> loss, probabilities. visitor.label(line): and the logit that it names. visitor.softmax(line): as
/// softmax_line(). visitor.keep(line): its loss.
template <class Visitor>
[[gnu::always_inline]] inline void cross_entropy_line(int64_t line, Visitor& visitor) {
  visitor.label(line);
  visitor.softmax(line);
  visitor.keep(line);
}

/// (dloss, probabilities, labels) -> dlogits. visitor.label(line). visitor.scale(line): probabilities to dlogits.
/// visitor.subtract(line): one, where the label is.
template <class Visitor>
[[gnu::always_inline]] inline void cross_entropy_gradient_line(int64_t line, Visitor& visitor) {
  visitor.label(line);
  visitor.scale(line);
  visitor.subtract(line);
}

}  // namespace engine::loops
