// SPDX-License-Identifier: Apache-2.0
// What the conversions of transformers share.
#pragma once

#include "engine/onnx/node_context.h"

namespace engine::onnx {

/// Which keys a query sees: query i stands at place i + offset among the keys.
struct Sight {
  bool causal = false;
  int64_t left = -1, right = -1;  ///< keys that it sees before and behind its own; -1: all
  int64_t offset = 0;
  bool windowed() const { return left >= 0 || right >= 0; }
  bool sees(int64_t query, int64_t key) const {
    const int64_t apart = key - query - offset;
    return (!causal || apart <= 0) && (left < 0 || -apart <= left) && (right < 0 || apart <= right);
  }
};

/// A boolean constant [queries, keys].
ValueId mask_of(NodeContext&, int64_t queries, int64_t keys, const Sight& sight);
/// Two masks as one, each boolean or added; kNoValue: none.
ValueId joined_masks(NodeContext&, ValueId a, ValueId b, DType dtype);
/// softmax(cap tanh(scale q k^T / cap) + mask) v, of which there is no op.
ValueId capped_attention(NodeContext&, ValueId q, ValueId k, ValueId v, ValueId mask, double scale, double cap);
/// The pairs of x [batch, heads, sequence, size] turned by angles. Their cosines and sines broadcast to
/// [batch, heads, sequence, rotated / 2]. Elements behind the rotated part stay.
ValueId rotated_front(GraphBuilder&, ValueId x, ValueId cosine, ValueId sine, bool interleaved);

}  // namespace engine::onnx
