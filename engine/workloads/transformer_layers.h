// SPDX-License-Identifier: Apache-2.0
// Blocks of attention and MLP that the encoder and the decoder share.
#pragma once

#include <string_view>

#include "engine/workloads/layers.h"

namespace engine {

struct TransformerShape {
  int64_t width = 0;                ///< values per token
  int64_t heads = 0, kv_heads = 0;  ///< heads of the queries; of keys and values
  int64_t mlp = 0;                  ///< width of the hidden layer of each MLP
  int64_t layers = 0;
  bool causal = false;  ///< a token sees those before it alone
  bool fused = true;    ///< attention is the fused op `attention`
};

/// The keys and values of all positions so far, states of each block: what a decoder writes and reads.
struct KeyValueCache {
  int64_t length = 0;  ///< positions; 0: no cache
  int64_t start = 0;   ///< where the tokens of this step go
};

/// "width", "heads", "mlp", "layers", "vocabulary", "attention", mode and dtype.
std::vector<Parameter> transformer_parameters(int64_t width, int64_t heads, int64_t mlp, int64_t layers,
                                              int64_t vocabulary);
TransformerShape transformer_arguments(const Arguments&);
/// Whether widths and heads divide; otherwise the builder gets an error that names them.
bool check_shape(GraphBuilder&, const TransformerShape&);

class Transformer {
 public:
  Transformer(LayerBuilder& net, const TransformerShape& shape) : net_(net), shape_(shape) {}
  /// Rows of a table for tokens [B, S], plus rows `start`, start + 1, ... of a table of `positions` learned positions.
  /// The token table also makes the logits.
  ValueId embed(ValueId tokens, int64_t vocabulary, int64_t positions, int64_t start);
  /// All blocks and the last normalisation: x [B, S, width] -> [B, S, width].
  ValueId blocks(ValueId x, const KeyValueCache& cache = {});
  /// Logits [B * S, vocabulary].
  ValueId logits(ValueId x);
  /// What each block put out.
  const std::vector<ValueId>& outputs() const { return outputs_; }

 private:
  ValueId norm(ValueId x, std::string_view name);
  ValueId attention(ValueId x, const KeyValueCache& cache);
  ValueId cached(ValueId now, std::string_view name, const KeyValueCache& cache);
  ValueId mlp(ValueId x);

  LayerBuilder& net_;
  TransformerShape shape_;
  ValueId token_table_ = kNoValue;
  std::vector<ValueId> outputs_;
};

}  // namespace engine
