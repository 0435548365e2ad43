// SPDX-License-Identifier: Apache-2.0
// Layers over sequences [batch, steps, values]: embedding, LSTM, attention and layer norm, in the current layer.
#pragma once

#include "engine/workloads/layers.h"

namespace engine {

/// tokens i64 [B, T] -> [B, T, width]: rows of a table of `vocabulary` rows.
ValueId embedding_layer(LayerBuilder&, ValueId tokens, int64_t vocabulary, int64_t width);
/// x [B, T, I] -> [B, T, hidden], or [B, hidden] after the last step. Weights start as those of torch.nn.LSTM.
ValueId lstm_layer(LayerBuilder&, ValueId x, int64_t hidden, bool all_steps);
/// Parameters of one LSTM in the current layer: weights [1, 4H, I] and [1, 4H, H] and bias [1, 4H]. They start uniform
/// in +-1/sqrt(H), as those of torch.nn.LSTM.
struct LstmParameters {
  ValueId weight_ih, weight_hh, bias;
};
LstmParameters lstm_parameters(LayerBuilder&, int64_t in, int64_t hidden);
/// Multi-head self-attention with its four linear layers; x [B, T, W] keeps its shape. `causal`: a step sees itself
/// and those before. Fails where `heads` does not divide W.
ValueId attention_layer(LayerBuilder&, ValueId x, int64_t heads, bool causal);
/// Normalises each vector of values, with a scale and a bias per value.
ValueId layer_norm_layer(LayerBuilder&, ValueId x);

}  // namespace engine
