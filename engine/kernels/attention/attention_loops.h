// SPDX-License-Identifier: Apache-2.0
// Attention and its gradient: blocks of queries against blocks of keys, so that scores stay in the L2 cache; blocks of
// keys are merged by their log sums (M. Milakov, N. Gimelshein, "Online normalizer calculation for softmax", 2018).
// Computed by attention-inl.h, whose threads share the units, described by attention_access.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/kernels/core/visitor_loops.h"
#include "engine/kernels/gemm/inner_product_loops.h"

namespace engine::loops {

/// 336 KiB of f32 scores; whole tiles of our products (6 rows).
inline constexpr int64_t kQueryBlock = 84, kKeyBlock = 1024;
/// Own products on packed keys pay where several queries share them.
inline constexpr int64_t kFewestQueriesToPack = 14;

/// Heads of keys, and of values, serve as many heads of queries each (share()).
struct AttentionShape {
  int64_t batch = 0, heads = 0, kv_heads = 0, queries = 0, keys = 0, features = 0, value_features = 0;
  bool causal = false, masked = false;
  int64_t panel = 0;  ///< keys are packed in panels of so many; 0: they are read where they lie

  constexpr int64_t share() const { return heads / kv_heads; }
  constexpr int64_t query_blocks() const { return (queries + kQueryBlock - 1) / kQueryBlock; }
  /// Keys that query i may see, were there no mask.
  constexpr int64_t visible(int64_t i) const {
    return causal ? std::clamp<int64_t>(i + 1 + keys - queries, 0, keys) : keys;
  }
  /// The same of a block of queries: one at least, so that its results are written.
  constexpr int64_t visible(Range block) const { return std::max<int64_t>(visible(block.end - 1), 1); }
  constexpr int64_t panels() const { return (keys + panel - 1) / panel; }
};

/// Of the scores; `attribute`: the op's, 0 where it says nothing.
inline double attention_scale(double attribute, int64_t features) {
  return attribute != 0 ? attribute : 1 / std::sqrt(static_cast<double>(features));
}

/// Some queries of a head against some keys; their scores lie row after row, `keys` apart.
struct AttentionBlock {
  int64_t batch = 0, head = 0, kv_head = 0;
  Range queries, keys;
};

/// Scratch of each thread, in elements, whole lines: scores, packed keys, and the panels of own products.
struct AttentionScratch {
  int64_t packed_keys = 0, panels = 0, all = 0;
};
/// room(m, n, k): elements of an own product's panels.
template <class Room>
AttentionScratch attention_scratch(const AttentionShape& p, const Room& room) {
  constexpr int64_t kScores = kQueryBlock * kKeyBlock;
  if (p.panel == 0) return {kScores, kScores, kScores};
  const int64_t panels = kScores + p.panels() * p.panel * p.features;
  return {kScores, panels,
          in_lines(panels + std::max(room(kQueryBlock, p.panel, p.features),
                                     room(kQueryBlock, p.value_features, std::min(p.keys, kKeyBlock))))};
}
/// Of the gradient: weights, then their gradients.
inline constexpr int64_t kAttentionGradientScratch = 2 * kQueryBlock * kKeyBlock;

/// The products of a block, at most: scores, then y, where keys are not packed.
constexpr std::array<ProductShape, 2> attention_products(const AttentionShape& p) {
  const int64_t width = std::min(p.keys, kKeyBlock);
  return {{{kQueryBlock, width, p.features, true}, {kQueryBlock, p.value_features, width}}};
}
/// Scores; dy times v; dv, dq, dk.
constexpr std::array<ProductShape, 5> attention_gradient_products(const AttentionShape& p) {
  const int64_t width = std::min(p.keys, kKeyBlock);
  return {{{kQueryBlock, width, p.features, true},
           {kQueryBlock, width, p.value_features},
           {width, p.value_features, kQueryBlock},
           {kQueryBlock, p.features, width},
           {width, p.features, kQueryBlock}}};
}

/// A row of scores becomes weights; answers whether the query sees any of the keys. visitor.mask(block, query, seen):
/// of the first `seen` keys, answers whether any is left. visitor.clear(block, query, keys): what it does not see; keys
/// are counted from the block's first. visitor.soften(block, query, seen): softmax over those.
template <class Visitor>
bool attention_row(const AttentionShape& p, const AttentionBlock& block, int64_t query, Visitor& visitor) {
  const int64_t seen = std::clamp<int64_t>(p.visible(query) - block.keys.begin, 0, block.keys.size());
  const bool any = seen > 0 && (!p.masked || visitor.mask(block, query, seen));
  visitor.clear(block, query, Range{any ? seen : 0, block.keys.size()});
  if (any) visitor.soften(block, query, seen);
  return any;
}

/// `units`: of batch * heads * query_blocks(). visitor.pack(batch, kv_head, keys, to): a panel of keys times the scale,
/// `to` elements behind the first. visitor.begin(block): of queries. visitor.scores(block): with keys as they lie;
/// visitor.panel_scores(block, keys, from): with a packed panel; keys are counted from the block's first.
/// visitor.merge(block, query): the row and what y holds, each by its share of the exponentials. visitor.weigh(block):
/// y (+)= weights v. visitor.keep(block): log sums.
template <class Visitor>
void attention(const AttentionShape& p, Range units, Visitor& visitor) {
  int64_t packed = -1;  // head of keys that lies packed
  for (int64_t unit = units.begin; unit < units.end && !visitor.stopped(); ++unit) {
    const int64_t head = unit / p.query_blocks(), from = unit % p.query_blocks() * kQueryBlock;
    AttentionBlock block{head / p.heads,
                         head % p.heads,
                         head % p.heads / p.share(),
                         {from, std::min(p.queries, from + kQueryBlock)},
                         {}};
    if (p.panel > 0 && packed != head / p.share()) {
      packed = head / p.share();
      for (int64_t key = 0; key < p.keys && !visitor.stopped(); key += p.panel)
        visitor.pack(block.batch, block.kv_head, Range{key, std::min(p.keys, key + p.panel)}, key * p.features);
    }
    visitor.begin(block);
    const int64_t keys = p.visible(block.queries);
    for (int64_t first = 0; first < keys && !visitor.stopped(); first += kKeyBlock) {
      block.keys = {first, std::min(keys, first + kKeyBlock)};
      if (p.panel == 0) visitor.scores(block);
      for (int64_t key = 0; p.panel > 0 && key < block.keys.size(); key += p.panel)
        visitor.panel_scores(block, Range{key, std::min(block.keys.size(), key + p.panel)}, (first + key) * p.features);
      for (int64_t query = block.queries.begin; query < block.queries.end; ++query) {
        if (attention_row(p, block, query, visitor) && first > 0) visitor.merge(block, query);
      }
      visitor.weigh(block);
    }
    visitor.keep(block);
  }
}

/// `units`: of batch * kv_heads; all queries that share keys add to the same dk and dv. visitor.clear_gradients(batch,
/// kv_head): dk and dv. visitor.begin(block): dy y of its queries. visitor.scores(block), visitor.slopes(block): dy v'.
/// visitor.gradient(block, query, any): the row's weights by the saved sums, and from both the gradients of its scores.
/// visitor.to_values(block): dv += weights' dy. visitor.to_queries(block): dq (+)= gradients k. visitor.to_keys(block):
/// dk += gradients' q.
template <class Visitor>
void attention_gradient(const AttentionShape& p, Range units, Visitor& visitor) {
  for (int64_t unit = units.begin; unit < units.end && !visitor.stopped(); ++unit) {
    AttentionBlock block{
        .batch = unit / p.kv_heads, .head = 0, .kv_head = unit % p.kv_heads, .queries = {}, .keys = {}};
    visitor.clear_gradients(block.batch, block.kv_head);
    for (block.head = block.kv_head * p.share(); block.head < (block.kv_head + 1) * p.share(); ++block.head) {
      for (int64_t from = 0; from < p.queries && !visitor.stopped(); from += kQueryBlock) {
        block.queries = {from, std::min(p.queries, from + kQueryBlock)};
        visitor.begin(block);
        const int64_t keys = p.visible(block.queries);
        for (int64_t first = 0; first < keys && !visitor.stopped(); first += kKeyBlock) {
          block.keys = {first, std::min(keys, first + kKeyBlock)};
          visitor.scores(block);
          visitor.slopes(block);
          for (int64_t query = from; query < block.queries.end; ++query)
            visitor.gradient(block, query, attention_row(p, block, query, visitor));
          visitor.to_values(block);
          visitor.to_queries(block);
          visitor.to_keys(block);
        }
      }
    }
  }
}

}  // namespace engine::loops
