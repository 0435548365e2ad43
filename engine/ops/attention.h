// SPDX-License-Identifier: Apache-2.0
// Scaled dot-product attention as one op, and as the chain of ops it stands for.
#pragma once

#include <span>

#include "engine/graph/builder.h"

namespace engine::ops {

/// attention(q, k, v, [mask]) -> y, log_sum {causal, scale}
/// q [B, H, S, D], k [B, G, T, D], v [B, G, T, E]: each of the G heads of k and v serves H / G heads of q. scores =
/// scale * q k^T (scale absent: 1 / sqrt(D)) + mask; y = softmax(scores) v [B, H, S, E], laid out as q is; log_sum [B,
/// H, S] = log sum exp(scores), f32 (f64 for f64). mask broadcasts to [B, H, S, T]: bool (true: take part) or of q's
/// dtype (added). causal 1: query i sees the keys up to i + T - S, so that the last query sees all (a cache of past
/// keys in front). A query that sees no key gives y = 0, log_sum = 0.
extern const Op kAttention;
/// attention_grad(dy, q, k, v, y, log_sum, [mask]) -> dq, dk, dv, [dmask] {causal, scale, mask_gradient: 1 adds dmask}
extern const Op kAttentionGrad;

std::span<const Op* const> attention_ops();

struct AttentionOptions {
  bool causal = false;
  double scale = 0;    ///< 0: 1 / sqrt(D)
  int64_t window = 0;  ///< with causal, as many queries as keys: how many keys a query sees, its own the last; 0: all
  double cap = 0;      ///< attention_unfused alone: scores become cap * tanh(scores / cap); 0: they stay
};
/// mask may be kNoValue. Scores never reach memory as a whole.
ValueId attention(GraphBuilder&, ValueId q, ValueId k, ValueId v, ValueId mask, const AttentionOptions& = {});
/// The same with a matmul, a scale, a softmax and a matmul: what fusing saves. A query that sees no key takes the mean
/// of v here.
ValueId attention_unfused(GraphBuilder&, ValueId q, ValueId k, ValueId v, ValueId mask, const AttentionOptions& = {});
/// x [B, S, heads * D] -> [B, heads, S, D], a view; merge_heads is its inverse (a view of what attention puts out).
ValueId split_heads(GraphBuilder&, ValueId x, int64_t heads);
ValueId merge_heads(GraphBuilder&, ValueId x);

}  // namespace engine::ops
