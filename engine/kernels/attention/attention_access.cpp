// SPDX-License-Identifier: Apache-2.0
// Attention: what the parts of attention_loops.h access. Which keys a mask leaves out is not known: that every query
// sees one is assumed.
#include "engine/kernels/attention/attention_loops.h"

#include <algorithm>

#include "engine/kernels/core/describe_access.h"
#include "engine/kernels/core/passes_access.h"
#include "engine/kernels/core/rows_loops.h"

namespace engine::access {
namespace {

using loops::AttentionBlock;
using loops::Range;
constexpr AccessKind kLoad = AccessKind::load;

/// As the kernels take them: rows [B, H, rows, columns] whose elements are neighbours.
bool has_rows(const Operand& o) {
  const Shape& shape = o.type.shape;
  return o.type.rank() == 4 && o.type.elements() > 0 && (shape[3] == 1 || o.type.strides[3] == 1) &&
         (shape[2] == 1 || o.type.strides[2] >= shape[3]);
}

Operand transposed(Operand m) {
  std::swap(m.type.shape[0], m.type.shape[1]);
  std::swap(m.type.strides[0], m.type.strides[1]);
  return m;
}

/// (q, k, v at inputs `first`, perhaps a mask at `mask`), as far as the kernels take them.
struct Problem {
  const Operand &q, &k, &v;
  const Operand* mask = nullptr;
  loops::AttentionShape shape;
  bool scaled = true;  ///< the scale is not 1
};
bool is_problem(const OpCall& call, size_t first) {
  if (call.inputs.size() < first + 3 || call.outputs.size() < 2) return false;
  const Operand &q = call.inputs[first], &k = call.inputs[first + 1], &v = call.inputs[first + 2];
  if (q.type.dtype != DType::float32 && q.type.dtype != DType::float64) return false;
  return has_rows(q) && has_rows(k) && has_rows(v) && k.type.shape[1] > 0 && q.type.shape[1] % k.type.shape[1] == 0;
}
Problem problem_of(const OpCall& call, size_t first, size_t mask) {
  const double scale =
      loops::attention_scale(call.node.attributes.get_double("scale", 0), call.inputs[first].type.shape[3]);
  const bool scaled = call.inputs[first].type.dtype == DType::float32 ? static_cast<float>(scale) != 1 : scale != 1;
  const Operand &q = call.inputs[first], &k = call.inputs[first + 1], &v = call.inputs[first + 2];
  return {q,
          k,
          v,
          call.inputs.size() > mask ? &call.inputs[mask] : nullptr,
          {.batch = q.type.shape[0],
           .heads = q.type.shape[1],
           .kv_heads = k.type.shape[1],
           .queries = q.type.shape[2],
           .keys = k.type.shape[2],
           .features = q.type.shape[3],
           .value_features = v.type.shape[3],
           .causal = call.node.attributes.get_int("causal", 0) != 0,
           .masked = call.inputs.size() > mask},
          scaled};
}

/// What both ops have in common, by the first thread. In the workspace: scores, and behind what all threads keep
/// (`kept` elements) the panels of products.
class Scores {
 public:
  Scores(const OpCall& call, const Problem& problem, int64_t kept, AccessSink& sink)
      : call_(call), problem_(problem), bytes_(size_bytes(problem.q.type.dtype)), products_(at(kept)), sink_(sink) {}

  bool stopped() const { return sink_.stopped(); }
  bool mask(const AttentionBlock& block, int64_t query, int64_t seen) {
    const TensorType& type = problem_.mask->type;
    const int64_t of_mask = size_bytes(type.dtype), index[] = {block.batch, block.head, query, block.keys.begin};
    int64_t offset = 0, step = 0;  // axes that the mask repeats do not move it
    for (size_t axis = 4 - type.shape.size(); axis < 4; ++axis) {
      const size_t own = axis - (4 - type.shape.size());
      step = type.shape[own] == 1 ? 0 : type.strides[own];
      offset += index[axis] * step;
    }
    const AccessStream row = stream(row_of(block, query), kLoad);
    sink_.group(seen, {row,
                       {problem_.mask->address + static_cast<uint64_t>(offset * of_mask), step * of_mask,
                        problem_.mask->tensor, static_cast<uint16_t>(of_mask), kLoad},
                       stream(row_of(block, query), kStore)});
    return true;
  }
  void clear(const AttentionBlock& block, int64_t query, Range keys) {
    Line row = row_of(block, query);
    row.address += static_cast<uint64_t>(keys.begin * row.bytes);
    if (keys.size() > 0) sink_.group(keys.size(), {stream(row, kStore)});
  }
  void soften(const AttentionBlock& block, int64_t query, int64_t seen) {
    Passes passes(seen, call_.vector_bytes, sink_);
    SoftmaxRow line{passes, row_of(block, query), row_of(block, query)};
    loops::softmax_row(line);
  }

 protected:
  uint64_t at(int64_t element) const { return call_.workspace_address + static_cast<uint64_t>(element * bytes_); }
  /// Rows of a head; one alone lies as if others followed.
  Operand rows(const Operand& o, int64_t batch, int64_t head, Range range) const {
    const Strides& s = o.type.strides;
    const int64_t row = o.type.shape[2] == 1 ? o.type.shape[3] : s[2];
    return {{o.type.dtype, {range.size(), o.type.shape[3]}, {row, 1}},
            o.address + static_cast<uint64_t>((batch * s[0] + head * s[1] + range.begin * row) * bytes_),
            o.tensor};
  }
  Operand queries_of(const Operand& o, const AttentionBlock& block) const {
    return rows(o, block.batch, block.head, block.queries);
  }
  Operand keys_of(const Operand& o, const AttentionBlock& block) const {
    return rows(o, block.batch, block.kv_head, block.keys);
  }
  /// Scores, or what lies `behind` elements behind them alike.
  Operand scores_of(const AttentionBlock& block, int64_t behind = 0) const {
    return {{problem_.q.type.dtype, {block.queries.size(), block.keys.size()}, {block.keys.size(), 1}},
            at(behind),
            call_.workspace_tensor};
  }
  Line row_of(const AttentionBlock& block, int64_t query, int64_t behind = 0) const {
    return {at(behind + (query - block.queries.begin) * block.keys.size()), bytes_, call_.workspace_tensor, bytes_};
  }
  Line line_of(const Operand& o, const AttentionBlock& block, int64_t query) const {
    return {rows(o, block.batch, block.head, {query, query + 1}).address, bytes_, o.tensor, bytes_};
  }
  static AccessStream stream(const Line& line, AccessKind kind) {
    return {line.address, line.stride, line.tensor, static_cast<uint16_t>(line.bytes), kind};
  }
  void scaled(const Line& line, int64_t count) {
    Passes passes(count, call_.vector_bytes, sink_);
    passes.vectors({{line}, {line, kStore}});
  }
  void product(const Operand& a, const Operand& b, const Operand& c, bool add, bool scaled_first = false) {
    describe_product(call_, a, b, c, {products_, add, scaled_first}, sink_);
  }

  const OpCall& call_;
  const Problem& problem_;
  const int64_t bytes_;
  const uint64_t products_;
  AccessSink& sink_;
};

class Forward : public Scores {
 public:
  Forward(const OpCall& call, const Problem& problem, const loops::AttentionScratch& places, AccessSink& sink)
      : Scores(call, problem, call.threads * places.all, sink), places_(places) {}

  void pack(int64_t batch, int64_t kv_head, Range keys, int64_t to) {
    const int64_t panel = problem_.shape.panel * bytes_;
    for (int64_t key = keys.begin; key < keys.end; ++key) {
      const Operand row = rows(problem_.k, batch, kv_head, {key, key + 1});
      sink_.group(problem_.shape.features, {{row.address, bytes_, row.tensor, static_cast<uint16_t>(bytes_), kLoad},
                                            {at(places_.packed_keys + to + key - keys.begin), panel,
                                             call_.workspace_tensor, static_cast<uint16_t>(bytes_), kStore}});
    }
  }
  void begin(const AttentionBlock&) {}
  void scores(const AttentionBlock& block) {
    product(queries_of(problem_.q, block), transposed(keys_of(problem_.k, block)), scores_of(block), false,
            problem_.scaled);
  }
  void panel_scores(const AttentionBlock& block, Range keys, int64_t from) {
    const DType dtype = problem_.q.type.dtype;
    const Operand panel{{dtype, {problem_.shape.features, keys.size()}, {problem_.shape.panel, 1}},
                        at(places_.packed_keys + from),
                        call_.workspace_tensor};
    const Operand to{
        {dtype, {block.queries.size(), keys.size()}, {block.keys.size(), 1}}, at(keys.begin), call_.workspace_tensor};
    describe_tiles(call_, queries_of(problem_.q, block), panel, to, {.scratch = at(places_.panels)}, sink_);
  }
  void merge(const AttentionBlock& block, int64_t query) {
    scaled(row_of(block, query), block.keys.size());
    scaled(line_of(call_.outputs[0], block, query), problem_.shape.value_features);
  }
  void weigh(const AttentionBlock& block) {
    const Operand weights = scores_of(block), v = keys_of(problem_.v, block), y = queries_of(call_.outputs[0], block);
    if (problem_.shape.panel == 0) product(weights, v, y, block.keys.begin > 0);
    else
      describe_tiles(call_, weights, v, y, {.scratch = at(places_.panels), .accumulate = block.keys.begin > 0}, sink_);
  }
  void keep(const AttentionBlock& block) {
    const Operand& sums = call_.outputs[1];
    const int64_t bytes = size_bytes(sums.type.dtype),
                  first =
                      (block.batch * problem_.shape.heads + block.head) * problem_.shape.queries + block.queries.begin;
    sink_.group(block.queries.size(), {{sums.address + static_cast<uint64_t>(first * bytes), bytes, sums.tensor,
                                        static_cast<uint16_t>(bytes), kStore}});
  }

 private:
  const loops::AttentionScratch& places_;
};

class Gradient : public Scores {
 public:
  Gradient(const OpCall& call, const Problem& problem, AccessSink& sink)
      : Scores(call, problem, call.threads * loops::kAttentionGradientScratch, sink) {}

  void clear_gradients(int64_t batch, int64_t kv_head) {
    for (int64_t key = 0; key < problem_.shape.keys && !stopped(); ++key) {
      for (size_t output : {1, 2}) {
        const Operand row = rows(call_.outputs[output], batch, kv_head, {key, key + 1});
        sink_.group(row.type.shape[1], {{row.address, bytes_, row.tensor, static_cast<uint16_t>(bytes_), kStore}});
      }
    }
  }
  void begin(const AttentionBlock& block) {
    for (int64_t query = block.queries.begin; query < block.queries.end; ++query)
      sink_.group(problem_.shape.value_features,
                  {stream(line_of(dy(), block, query), kLoad), stream(line_of(call_.inputs[4], block, query), kLoad)});
  }
  void scores(const AttentionBlock& block) {
    product(queries_of(problem_.q, block), transposed(keys_of(problem_.k, block)), scores_of(block), false,
            problem_.scaled);
  }
  void slopes(const AttentionBlock& block) {
    product(queries_of(dy(), block), transposed(keys_of(problem_.v, block)), slopes_of(block), false);
  }
  void gradient(const AttentionBlock& block, int64_t query, bool any) {
    const Operand& sums = call_.inputs[5];
    const Strides& s = sums.type.strides;
    const int64_t bytes = size_bytes(sums.type.dtype);
    if (any)
      sink_.group(
          1, {{sums.address + static_cast<uint64_t>((block.batch * s[0] + block.head * s[1] + query * s[2]) * bytes), 0,
               sums.tensor, static_cast<uint16_t>(bytes), kLoad}});
    const Line weights = row_of(block, query), ds = row_of(block, query, kBehind);
    scaled(weights, block.keys.size());
    sink_.group(block.keys.size(), {stream(weights, kLoad), stream(ds, kLoad), stream(ds, kStore)});
  }
  void to_values(const AttentionBlock& block) {
    product(transposed(scores_of(block)), queries_of(dy(), block), keys_of(call_.outputs[2], block), true);
  }
  void to_queries(const AttentionBlock& block) {
    product(slopes_of(block), keys_of(problem_.k, block), queries_of(call_.outputs[0], block), block.keys.begin > 0);
  }
  void to_keys(const AttentionBlock& block) {
    product(transposed(slopes_of(block)), queries_of(problem_.q, block), keys_of(call_.outputs[1], block), true);
  }

 private:
  static constexpr int64_t kBehind = loops::kQueryBlock * loops::kKeyBlock;
  const Operand& dy() const { return call_.inputs[0]; }
  Operand slopes_of(const AttentionBlock& block) const { return scores_of(block, kBehind); }
};

/// Whether what the kernel keeps and the largest of its products lie within the workspace.
bool fits(const OpCall& call, int64_t bytes, int64_t kept, std::span<const loops::ProductShape> shapes) {
  const int64_t products = loops::product_scratch(
      shapes, true, true, [&](int64_t m, int64_t n, int64_t k) { return panel_elements(call, bytes, m, n, k); });
  return kept + products <= static_cast<int64_t>(call.workspace_bytes) / bytes;
}

}  // namespace

/// (q, k, v[, mask]) -> y, log_sum.
bool describe_attention(const OpCall& call, AccessSink& sink) {
  if (!is_problem(call, 0) || !has_rows(call.outputs[0])) return false;
  Problem p = problem_of(call, 0, 3);
  const int64_t bytes = size_bytes(p.q.type.dtype);
  const bool packs = p.shape.queries >= loops::kFewestQueriesToPack;
  if (packs) p.shape.panel = panel_columns(call, bytes);
  const loops::AttentionScratch places = loops::attention_scratch(
      p.shape, [&](int64_t m, int64_t n, int64_t k) { return panel_elements(call, bytes, m, n, k); });
  const auto products = loops::attention_products(p.shape);
  // One thread's places are described; behind those of all lie the products that do not know of threads.
  if (!fits(call, bytes, (packs ? 1 : call.threads) * places.all,
            std::span(products).first(packs ? 0 : products.size())))
    return false;
  Forward parts(call, p, places, sink);
  loops::attention(p.shape, {0, p.shape.batch * p.shape.heads * p.shape.query_blocks()}, parts);
  return true;
}

/// (dy, q, k, v, y, log_sum[, mask]) -> dq, dk, dv. A mask's gradient is the reference's.
bool describe_attention_grad(const OpCall& call, AccessSink& sink) {
  if (call.inputs.size() < 6 || call.outputs.size() != 3 || !is_problem(call, 1)) return false;
  for (const Operand* o : {&call.inputs[0], &call.inputs[4], &call.outputs[0], &call.outputs[1], &call.outputs[2]}) {
    if (!has_rows(*o)) return false;
  }
  const Problem p = problem_of(call, 1, 6);
  if (!fits(call, size_bytes(p.q.type.dtype), call.threads * loops::kAttentionGradientScratch,
            loops::attention_gradient_products(p.shape)))
    return false;
  Gradient parts(call, p, sink);
  loops::attention_gradient(p.shape, {0, p.shape.batch * p.shape.kv_heads}, parts);
  return true;
}

bool is_own_attention(const OpCall& call) {
  return call.own_products || (call.node.op->name == "attention" && call.inputs[0].type.rank() == 4 &&
                               call.inputs[0].type.shape[2] >= loops::kFewestQueriesToPack);
}

}  // namespace engine::access
