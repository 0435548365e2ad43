// SPDX-License-Identifier: Apache-2.0
// llm: transformers by their config.json, as they read a text (prefill) and continue it token by token (decode).
#include "engine/workloads/llm.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>

#include "engine/ops/attention.h"
#include "engine/ops/cache.h"
#include "engine/ops/casting.h"
#include "engine/ops/compare.h"
#include "engine/ops/indexing.h"
#include "engine/ops/math.h"
#include "engine/ops/norms.h"
#include "engine/ops/ops.h"
#include "engine/workloads/catalog.h"
#include "engine/workloads/parameters.h"
#include "engine/workloads/transformer_weights.h"

namespace engine {
namespace {

/// Per layer: by which angles positions turn queries and keys.
struct Turn {
  ValueId cosine = kNoValue, sine = kNoValue;  ///< [tokens of this step, size / 2]
};

/// Radians per position of pair `i`.
double frequency(const Rotation& r, int64_t i) {
  const double plain = std::pow(r.theta, -2.0 * static_cast<double>(i) / static_cast<double>(r.size));
  if (r.scaling == "linear") return plain / r.factor;
  const double turns = r.original_context * plain / (2 * M_PI);  // within the context it was trained with
  if (r.scaling == "llama3") {
    const double share = std::clamp((turns - r.low_frequency) / (r.high_frequency - r.low_frequency), 0.0, 1.0);
    return plain * share + plain / r.factor * (1 - share);
  }
  if (r.scaling != "yarn") return plain;
  // Pairs that turn at least `fast` times stay, those below `slow` times are stretched, between them linearly.
  const auto pair_of = [&](double count) {
    return static_cast<double>(r.size) * std::log(r.original_context / (count * 2 * M_PI)) / (2 * std::log(r.theta));
  };
  const double first = pair_of(r.fast), last = pair_of(r.slow);
  const double low = std::max(r.truncated ? std::floor(first) : first, 0.0),
               high = std::min(r.truncated ? std::ceil(last) : last, static_cast<double>(r.size - 1));
  const double stretched = std::clamp((static_cast<double>(i) - low) / std::max(high - low, 0.001), 0.0, 1.0);
  return plain * (1 - stretched) + plain / r.factor * stretched;
}

class LanguageStep {
 public:
  LanguageStep(GraphBuilder& builder, const LanguageModel& model, const LanguageRun& run)
      : b_(builder), m_(model), run_(run), weights_(builder, run.dtype, run.format) {}

  void append() {
    const ValueId tokens = b_.input("tokens", TensorType::contiguous(DType::int64, {run_.batch, run_.count()}),
                                    Fill{Fill::Kind::integers, 0, static_cast<double>(m_.vocabulary)});
    turn_ = make_turn(m_.rotation, "rope");
    if (m_.window > 0 && m_.rotation.size > 0) local_turn_ = make_turn(m_.local_rotation, "rope_local");
    ValueId x = embed(tokens);
    for (int64_t i = 0; i < m_.layers && !b_.failed(); ++i) x = block(x, i);
    if (b_.failed()) return;
    if (!m_.causal) return finish_encoder(x);
    x = norm(last_position(x), root() + final_norm());
    const std::string head = m_.tied ? token_table() : "lm_head.weight";
    x = ops::reshape(b_, x, {run_.batch, m_.width});
    const LayerScope layer(b_, "lm_head");
    ValueId logits =
        weights_.product(x, {.name = head, .outputs = m_.vocabulary, .inputs = m_.width, .table = m_.tied});
    if (m_.logit_cap > 0)
      logits = ops::scale(b_, ops::tanh(b_, ops::scale(b_, logits, 1 / m_.logit_cap)), m_.logit_cap);
    if (!b_.failed()) b_.mark_output(logits);
  }

 private:
  bool gpt2() const { return m_.family == "gpt2"; }
  bool bert() const { return m_.family == "bert"; }
  bool decodes() const { return run_.decode; }
  int64_t start() const { return run_.context - run_.count(); }

  // ---- names, as the files of weights have them
  std::string root() const { return gpt2() ? "transformer." : bert() ? "bert." : "model."; }
  std::string final_norm() const { return gpt2() ? "ln_f" : "norm"; }
  std::string token_table() const {
    return root() + (gpt2() ? "wte.weight" : bert() ? "embeddings.word_embeddings.weight" : "embed_tokens.weight");
  }

  ValueId last_position(ValueId x) {
    return run_.count() == 1 ? x : ops::slice(b_, x, 1, run_.count() - 1, run_.count());
  }

  Turn make_turn(const Rotation& r, const std::string& name) {
    if (r.size == 0 || b_.failed()) return {};
    const int64_t half = r.size / 2;
    std::vector<double> frequencies;
    for (int64_t i = 0; i < half; ++i) frequencies.push_back(frequency(r, i));
    const auto table = [&](const char* what, double (*function)(double)) {
      const Result<Tensor> tensor = Tensor::empty(TensorType::contiguous(run_.dtype, {run_.count(), half}));
      if (!tensor) return b_.fail(tensor.error());
      for (int64_t p = 0; p < run_.count(); ++p) {
        for (int64_t i = 0; i < half; ++i)
          tensor->set_flat(p * half + i, function(static_cast<double>(start() + p) * frequencies[i]) * r.amplitude);
      }
      return b_.constant(name + what, *tensor, Role::input);
    };
    return {table(".cos", std::cos), table(".sin", std::sin)};
  }

  /// The first values of each head [B, heads, S, size], turned.
  ValueId turned(ValueId x, const Turn& turn, int64_t size, bool interleaved) {
    if (turn.cosine == kNoValue || b_.failed()) return x;
    const int64_t all = b_.type(x).shape[3];
    const auto part = [&](int64_t which) {
      return interleaved ? ops::slice(b_, x, 3, which, size, 2)
                         : ops::slice(b_, x, 3, which * size / 2, (which + 1) * size / 2);
    };
    const ValueId a = part(0), b = part(1);
    const ValueId real = ops::subtract(b_, ops::multiply(b_, a, turn.cosine), ops::multiply(b_, b, turn.sine));
    const ValueId other = ops::add(b_, ops::multiply(b_, b, turn.cosine), ops::multiply(b_, a, turn.sine));
    std::vector<ValueId> parts{real, other};  // queries and keys in one order: which one is all the same
    if (size < all) parts.push_back(ops::slice(b_, x, 3, size, all));
    return ops::concat(b_, std::move(parts), 3);
  }

  ValueId norm(ValueId x, const std::string& name) {
    if (b_.failed()) return kNoValue;
    const LayerScope layer(b_, name);
    const Shape shape{b_.type(x).shape.back()};
    const TensorType type = TensorType::contiguous(statistics_dtype(run_.dtype), shape);
    if (!m_.layer_norm) {
      const Fill fill{m_.norm_adds_one ? Fill::Kind::zeros : Fill::Kind::ones};
      ValueId scale = b_.parameter(name + ".weight", type, fill);
      if (m_.norm_adds_one) scale = ops::scale(b_, scale, 1, 1);
      return ops::rms_norm(b_, x, scale, -1, m_.epsilon);
    }
    const ValueId scale = b_.parameter(name + ".weight", type, Fill{Fill::Kind::ones});
    const ValueId bias = b_.parameter(name + ".bias", type, Fill{Fill::Kind::zeros});
    return ops::layer_norm(b_, x, scale, bias, -1, m_.epsilon);
  }

  ValueId linear(ValueId x, const std::string& name, int64_t outputs, bool bias) {
    if (b_.failed()) return kNoValue;
    const LayerScope layer(b_, name);
    return weights_.product(x, {.name = name + ".weight",
                                .outputs = outputs,
                                .inputs = b_.type(x).shape.back(),
                                .bias = bias ? name + ".bias" : "",
                                .transposed = gpt2()});
  }

  ValueId embed(ValueId tokens) {
    const LayerScope layer(b_, root() + "embeddings");
    ValueId x =
        weights_.rows(tokens, {.name = token_table(), .outputs = m_.vocabulary, .inputs = m_.width, .table = true});
    if (m_.embedding_scale != 1) x = ops::scale(b_, x, m_.embedding_scale);
    if (m_.learned_positions > 0) {
      const std::string name = root() + (gpt2() ? "wpe.weight" : "embeddings.position_embeddings.weight");
      const ValueId table = plain_table(name, m_.learned_positions);
      x = ops::add(b_, x, ops::slice(b_, table, 0, start(), run_.context));
    }
    if (m_.token_types > 0) {
      const ValueId table = plain_table(root() + "embeddings.token_type_embeddings.weight", m_.token_types);
      x = ops::add(b_, x, ops::slice(b_, table, 0, 0, 1));
    }
    return bert() ? norm(x, root() + "embeddings.LayerNorm") : x;
  }
  ValueId plain_table(const std::string& name, int64_t rows) {
    return b_.parameter(name, TensorType::contiguous(run_.dtype, {rows, m_.width}), Fill{Fill::Kind::normal, 0, 0.02});
  }

  ValueId block(ValueId x, int64_t i) {
    if (bert()) return bert_block(x, fmt::format("{}encoder.layer.{}.", root(), i));
    const std::string at = fmt::format("{}{}.{}.", root(), gpt2() ? "h" : "layers", i);
    const std::string before = at + (gpt2() ? "ln_1" : "input_layernorm"),
                      between = at + (gpt2()           ? "ln_2"
                                      : m_.norms_after ? "pre_feedforward_layernorm"
                                                       : "post_attention_layernorm");
    ValueId y = norm(x, before);
    y = m_.latent.rank > 0 ? latent_attention(y, at + "self_attn.") : attention(y, at, i);
    if (m_.norms_after) y = norm(y, at + "post_attention_layernorm");
    x = ops::add(b_, x, y);
    y = norm(x, between);
    y = m_.has_experts(i) ? experts(y, at) : mlp(y, at + "mlp.", m_.mlp);
    if (m_.norms_after) y = norm(y, at + "post_feedforward_layernorm");
    return ops::add(b_, x, y);
  }

  ValueId bert_block(ValueId x, const std::string& at) {
    const std::string self = at + "attention.self.";
    const auto heads = [&](const char* name) {
      return ops::split_heads(b_, linear(x, self + name, m_.width, true), m_.heads);
    };
    const ValueId q = heads("query"), k = heads("key"), v = heads("value");
    const LayerScope layer(b_, at + "attention");
    ValueId y = ops::merge_heads(b_, ops::attention(b_, q, k, v, kNoValue));
    y = linear(y, at + "attention.output.dense", m_.width, true);
    x = norm(ops::add(b_, x, y), at + "attention.output.LayerNorm");
    y = activated(linear(x, at + "intermediate.dense", m_.mlp, true));
    return norm(ops::add(b_, x, linear(y, at + "output.dense", m_.width, true)), at + "output.LayerNorm");
  }

  void finish_encoder(ValueId x) {
    b_.mark_output(x);
    const ValueId first = ops::reshape(b_, ops::slice(b_, x, 1, 0, 1), {run_.batch, m_.width});
    const ValueId pooled = ops::tanh(b_, linear(first, root() + "pooler.dense", m_.width, true));
    if (!b_.failed()) b_.mark_output(pooled);
  }

  /// What attention reads: the cache with this step's part, or this step's alone where a window has passed over it.
  ValueId cached(ValueId now, const std::string& name, int64_t positions) {
    if (b_.failed()) return kNoValue;
    const TensorType type = b_.type(now);
    const Shape shape{type.shape[0], type.shape[1], positions, type.shape[3]};
    const ValueId state =
        b_.state(name, TensorType::contiguous(type.dtype, shape), Fill{Fill::Kind::normal, 0, 1}, Role::activation);
    if (decodes()) return ops::write_slice(b_, state, now, 2, (run_.context - 1) % positions);
    if (positions == run_.context) return ops::write_slice(b_, state, now, 2, 0);
    // Position p lies at p modulo the window: the older part of the last ones goes to the end.
    const int64_t first = run_.context - positions, at = first % positions, middle = first + positions - at;
    ValueId kept = ops::write_slice(b_, state, ops::slice(b_, now, 2, first, middle), 2, at);
    if (at > 0) kept = ops::write_slice(b_, kept, ops::slice(b_, now, 2, middle, run_.context), 2, 0);
    return now;
  }

  struct Heads {
    ValueId q = kNoValue, k = kNoValue, v = kNoValue;  ///< [B, heads, S, size]
  };

  Heads heads_of(ValueId x, const std::string& at) {
    if (gpt2()) {
      const ValueId all = linear(x, at + "attn.c_attn", 3 * m_.width, true);
      const std::vector<ValueId> parts = ops::split(b_, all, {m_.width, m_.width, m_.width}, 2);
      if (b_.failed()) return {};
      return {ops::split_heads(b_, parts[0], m_.heads), ops::split_heads(b_, parts[1], m_.heads),
              ops::split_heads(b_, parts[2], m_.heads)};
    }
    const std::string self = at + "self_attn.";
    const auto heads = [&](const char* name, int64_t count, const char* norm_name) {
      ValueId y = linear(x, self + name, count * m_.head_size, m_.qkv_bias);
      if (b_.failed()) return kNoValue;
      y = ops::reshape(b_, y, {run_.batch, run_.count(), count, m_.head_size});
      if (m_.head_norms && norm_name != nullptr) y = norm(y, self + norm_name);
      return ops::transpose(b_, y, 1, 2);
    };
    return {heads("q_proj", m_.heads, "q_norm"), heads("k_proj", m_.kv_heads, "k_norm"),
            heads("v_proj", m_.kv_heads, nullptr)};
  }

  ValueId attention(ValueId x, const std::string& at, int64_t i) {
    Heads h = heads_of(x, at);
    const bool local = m_.is_windowed(i);
    const Turn& turn = local ? local_turn_ : turn_;
    const Rotation& r = local ? m_.local_rotation : m_.rotation;
    const std::string name = at + (gpt2() ? "attn" : "self_attn");
    ValueId y = kNoValue;
    {
      const LayerScope layer(b_, name);
      h.q = turned(h.q, turn, r.size, r.interleaved);
      h.k = turned(h.k, turn, r.size, r.interleaved);
      const int64_t positions = m_.seen(i, run_.context);
      h.k = cached(h.k, name + ".key_cache", positions);
      h.v = cached(h.v, name + ".value_cache", positions);
      y = attend(h, positions);
      y = ops::merge_heads(b_, y);
    }
    return linear(y, at + (gpt2() ? "attn.c_proj" : "self_attn.o_proj"), m_.width, m_.output_bias);
  }

  ValueId attend(const Heads& h, int64_t positions) {
    const bool band = !decodes() && positions < run_.context;
    const ops::AttentionOptions options{
        .causal = !decodes(), .scale = m_.attention_scale, .window = band ? positions : 0, .cap = m_.attention_cap};
    // Capped scores have no fused kernel: they lie in memory.
    const auto by = m_.attention_cap > 0 ? ops::attention_unfused : ops::attention;
    return by(b_, h.q, h.k, h.v, kNoValue, options);
  }

  /// Decode keeps the latent vectors alone and takes the products that make keys and values of them to the side of the
  /// queries; prefill makes keys and values.
  ValueId latent_attention(ValueId x, const std::string& at) {
    const LatentAttention& l = m_.latent;
    const Rotation& r = m_.rotation;
    ValueId q = x;
    if (l.query_rank > 0) q = norm(linear(q, at + "q_a_proj", l.query_rank, m_.output_bias), at + "q_a_layernorm");
    q = linear(q, at + (l.query_rank > 0 ? "q_b_proj" : "q_proj"), m_.heads * m_.head_size, false);
    q = ops::split_heads(b_, q, m_.heads);
    const ValueId both = linear(x, at + "kv_a_proj_with_mqa", l.rank + r.size, m_.output_bias);
    const ValueId latent = norm(ops::slice(b_, both, 2, 0, l.rank), at + "kv_a_layernorm");
    const LayerScope layer(b_, at.substr(0, at.size() - 1));
    ValueId turned_key = ops::unsqueeze(b_, ops::slice(b_, both, 2, l.rank, l.rank + r.size), 1);
    turned_key = turned(turned_key, turn_, r.size, r.interleaved);
    const ValueId turned_query = turned(ops::slice(b_, q, 3, l.key_size, m_.head_size), turn_, r.size, r.interleaved);
    q = ops::slice(b_, q, 3, 0, l.key_size);
    const double scale = m_.attention_scale > 0 ? m_.attention_scale : 1 / std::sqrt(static_cast<double>(m_.head_size));
    ValueId cache = ops::concat(b_, {ops::unsqueeze(b_, latent, 1), turned_key}, 3);
    cache = cached(cache, at + "latent_cache", run_.context);
    const std::string up = at + "kv_b_proj.weight";
    ValueId y = kNoValue;
    if (decodes()) {
      const ValueId w = weights_.plain(up, m_.heads * (l.key_size + l.value_size), l.rank);
      const ValueId by_head = ops::reshape(b_, w, {m_.heads, l.key_size + l.value_size, l.rank});
      const auto by_heads = [&](ValueId v, int64_t size) {  // [B, heads, 1, size] -> [heads, B, size]
        return ops::reshape(b_, ops::permute(b_, v, {1, 0, 2, 3}), {m_.heads, run_.batch, size});
      };
      const auto back = [&](ValueId v, int64_t size) {
        return ops::permute(b_, ops::reshape(b_, v, {m_.heads, run_.batch, 1, size}), {1, 0, 2, 3});
      };
      q = ops::matmul(b_, by_heads(q, l.key_size), ops::slice(b_, by_head, 1, 0, l.key_size));
      q = ops::concat(b_, {back(q, l.rank), turned_query}, 3);
      y = ops::attention(b_, q, cache, ops::slice(b_, cache, 3, 0, l.rank), kNoValue, {.scale = scale});
      const ValueId values = ops::slice(b_, by_head, 1, l.key_size, l.key_size + l.value_size);
      y = back(ops::matmul(b_, by_heads(y, l.rank), ops::transpose(b_, values, 1, 2)), l.value_size);
    } else {
      ValueId made = weights_.plain_product(latent, up, m_.heads * (l.key_size + l.value_size), l.rank);
      made = ops::split_heads(b_, made, m_.heads);
      const ValueId shared = ops::expand(b_, turned_key, {run_.batch, m_.heads, run_.count(), r.size});
      const ValueId k = ops::concat(b_, {ops::slice(b_, made, 3, 0, l.key_size), shared}, 3);
      const ValueId v = ops::slice(b_, made, 3, l.key_size, l.key_size + l.value_size);
      y = ops::attention(b_, ops::concat(b_, {q, turned_query}, 3), k, v, kNoValue, {.causal = true, .scale = scale});
    }
    return linear(ops::merge_heads(b_, y), at + "o_proj", m_.width, m_.output_bias);
  }

  ValueId activated(ValueId x) {
    switch (m_.activation) {
      case TokenActivation::silu: return ops::silu(b_, x);
      case TokenActivation::gelu: return ops::gelu(b_, x);
      case TokenActivation::gelu_tanh: return ops::gelu(b_, x, "tanh");
      case TokenActivation::relu: return ops::relu(b_, x);
    }
    return x;
  }

  ValueId mlp(ValueId x, const std::string& at, int64_t hidden) {
    if (gpt2()) return linear(activated(linear(x, at + "c_fc", hidden, true)), at + "c_proj", m_.width, true);
    const ValueId gate = activated(linear(x, at + "gate_proj", hidden, m_.mlp_bias));
    const ValueId up = linear(x, at + "up_proj", hidden, m_.mlp_bias);
    return linear(ops::multiply(b_, gate, up), at + "down_proj", m_.width, m_.mlp_bias);
  }

  /// Of each token [T, experts], by which they are chosen and weighed.
  ValueId scores_of(ValueId tokens, const std::string& router) {
    const LayerScope layer(b_, router);
    ValueId scores = kNoValue;
    if (m_.experts.exact_router && run_.dtype != DType::float32 && !b_.failed()) {
      const ValueId w = weights_.plain(router + ".weight", m_.experts.count, m_.width);
      scores = ops::linear(b_, ops::cast(b_, tokens, DType::float32), ops::cast(b_, w, DType::float32), kNoValue);
    } else {
      scores = weights_.plain_product(tokens, router + ".weight", m_.experts.count, m_.width);
      if (run_.dtype != DType::float32) scores = ops::cast(b_, scores, DType::float32);
    }
    return m_.experts.corrected ? ops::sigmoid(b_, scores) : ops::softmax(b_, scores, 1);
  }

  /// Scores of the experts outside the best groups become minus infinity. A group is as good as its best expert, or,
  /// where the router has a bias, as its best two.
  ValueId within_groups(ValueId scores) {
    const Experts& e = m_.experts;
    if (e.groups_taken == e.groups || b_.failed()) return scores;
    const int64_t tokens = b_.type(scores).shape[0], each = e.count / e.groups;
    const ValueId by_group = ops::reshape(b_, scores, {tokens, e.groups, each});
    const ValueId best = ops::sum(b_, ops::top_k(b_, by_group, e.corrected ? 2 : 1).values, {2});
    const ValueId taken =
        ops::one_hot(b_, ops::top_k(b_, best, e.groups_taken).indices, e.groups);  // [T, taken, groups]
    if (b_.failed()) return kNoValue;
    if (outside_ == kNoValue) {
      const Result<Tensor> none = Tensor::empty(TensorType::contiguous(DType::float32, {}));
      if (!none) return b_.fail(none.error());
      none->set_flat(0, -std::numeric_limits<double>::infinity());
      outside_ = b_.constant("score_outside", *none, Role::input);
    }
    const ValueId inside = ops::cast(b_, ops::unsqueeze(b_, ops::sum(b_, taken, {1}), 2), DType::boolean);
    return ops::reshape(b_, ops::where(b_, inside, by_group, outside_), {tokens, e.count});
  }

  /// The router chooses some experts for each token; what they compute is added with their weights.
  ValueId experts(ValueId x, const std::string& at) {
    if (b_.failed()) return kNoValue;
    const Experts& e = m_.experts;
    const bool mixtral = m_.family == "mixtral";
    const std::string moe = at + (mixtral ? "block_sparse_moe." : "mlp.");
    const ValueId tokens = ops::reshape(b_, x, {-1, m_.width});
    const ValueId scores = scores_of(tokens, moe + "gate");
    ValueId weights = kNoValue, chosen = kNoValue, y = kNoValue;
    {
      const LayerScope layer(b_, moe + "gate");
      ValueId choice = scores;
      if (e.corrected)
        choice = ops::add(b_, scores,
                          b_.parameter(moe + "gate.e_score_correction_bias",
                                       TensorType::contiguous(DType::float32, {e.count}), Fill{Fill::Kind::zeros}));
      const ops::TopK best = ops::top_k(b_, within_groups(choice), e.per_token);
      chosen = best.indices;
      weights = e.corrected ? ops::gather_elements(b_, scores, chosen, 1) : best.values;
      if (e.normalized) weights = ops::divide(b_, weights, ops::sum(b_, weights, {1}, /*keep_axes=*/true));
      if (e.scale != 1) weights = ops::scale(b_, weights, e.scale);
      weights = ops::unsqueeze(b_, ops::cast(b_, weights, run_.dtype), 2);
    }
    {
      const LayerScope layer(b_, moe + "experts");
      const auto product = [&](ValueId of, const char* name, int64_t outputs, int64_t inputs) {
        return weights_.expert_product(of, chosen,
                                       {.name = fmt::format("{}experts.{}.{}.weight", moe, kEach, name),
                                        .outputs = outputs,
                                        .inputs = inputs,
                                        .experts = e.count});
      };
      const ValueId gate = activated(product(tokens, mixtral ? "w1" : "gate_proj", e.mlp, m_.width));
      const ValueId up = product(tokens, mixtral ? "w3" : "up_proj", e.mlp, m_.width);
      y = product(ops::multiply(b_, gate, up), mixtral ? "w2" : "down_proj", m_.width, e.mlp);
      y = ops::sum(b_, ops::multiply(b_, y, weights), {1});
    }
    if (e.shared_mlp > 0) y = ops::add(b_, y, shared_expert(tokens, moe));
    return b_.failed() ? kNoValue : ops::reshape(b_, y, {run_.batch, run_.count(), m_.width});
  }

  ValueId shared_expert(ValueId tokens, const std::string& moe) {
    const Experts& e = m_.experts;
    if (!e.shared_gate) return mlp(tokens, moe + "shared_experts.", e.shared_mlp);
    const ValueId y = mlp(tokens, moe + "shared_expert.", e.shared_mlp);
    const std::string gate = moe + "shared_expert_gate";
    const LayerScope layer(b_, gate);
    return ops::multiply(b_, y, ops::sigmoid(b_, weights_.plain_product(tokens, gate + ".weight", 1, m_.width)));
  }

  GraphBuilder& b_;
  const LanguageModel& m_;
  const LanguageRun& run_;
  TransformerWeights weights_;
  Turn turn_, local_turn_;
  ValueId outside_ = kNoValue;  ///< score of experts whose group is not taken
};

Result<void> check_run(const LanguageModel& m, const LanguageRun& run) {
  if (!m.causal && run.decode)
    return usage_error(
        fmt::format("[llm] phase = decode: {} is an encoder, which has no cache to continue from; use "
                    "phase = prefill",
                    m.title));
  if (m.learned_positions > 0 && run.context > m.learned_positions)
    return usage_error(fmt::format("[llm] context = {}: {} has a table of {} positions, and no more tokens fit",
                                   run.context, m.title, m.learned_positions));
  if (run.format != WeightFormat::as_dtype && run.dtype != DType::float32)
    return usage_error(fmt::format("[llm] weights = {}: activations are f32 then, dtype is {}; use dtype = f32",
                                   name(run.format), name(run.dtype)));
  return {};
}

LanguageRun run_of(const Arguments& arguments) {
  LanguageRun run;
  run.decode = text_argument(arguments, "phase") == "decode";
  run.batch = integer_argument(arguments, "batch");
  run.context = integer_argument(arguments, "context");
  run.dtype = dtype_argument(arguments);
  run.format = *parse_weight_format(text_argument(arguments, "weights"));
  run.layers = integer_argument(arguments, "layers");
  return run;
}

std::vector<Parameter> run_parameters(int64_t context) {
  return {
      batch_parameter(1),
      choice_parameter("phase", "Phase",
                       "decode: one token behind a full context; prefill: all tokens of the context at once, which "
                       "fills the cache.",
                       {"decode", "prefill"}),
      integer_parameter("context", "Context", "Tokens in view: those of the text, and the positions of the cache.",
                        context, "tokens", 1, 1 << 21),
      dtype_parameter({"f32", "bf16", "f16"}),
      choice_parameter("weights", "Weights",
                       "How the matrices of weights lie in memory. dtype: as everything else. bf16, f16: widened as "
                       "they are read. q8_0, q4_0: blocks of 32 with 8 or 4 bits each and a scale, as llama.cpp has "
                       "them.",
                       {"dtype", "bf16", "f16", "q8_0", "q4_0"}),
      integer_parameter("layers", "Layers", "The first layers alone; 0: all of the model.", 0, "layers", 0, 1024)};
}

constexpr int64_t kUsualContext = 512;

void build_model(GraphBuilder& builder, const LanguageModel& model, const Arguments& arguments) {
  append_language_step(builder, model, run_of(arguments));
}

Result<LanguageModel> preset_model(std::string_view name) {
  for (const LanguagePreset& preset : language_presets()) {
    if (preset.name == name) return read_language_model(preset.text, std::string(name) + ".json");
  }
  return usage_error(fmt::format("[llm] there is no model \"{}\"", name));
}

/// The names of what ships and is run with every setting, the smallest first of all: it is the default.
std::vector<std::string> preset_names() {
  std::vector<std::string> names{"tiny"};
  for (const LanguagePreset& preset : language_presets()) {
    const Result<LanguageModel> model = preset_model(preset.name);
    CHECK(model.ok());
    if (preset.name != names[0] && model->causal) names.emplace_back(preset.name);
  }
  return names;
}

}  // namespace

void append_language_step(GraphBuilder& builder, const LanguageModel& model, const LanguageRun& run) {
  if (Result<void> fits = check_run(model, run); !fits) {
    builder.fail(fits.error());
    return;
  }
  const Result<LanguageModel> part = model.first_layers(run.layers);
  if (!part) {
    builder.fail(part.error());
    return;
  }
  LanguageStep(builder, *part, run).append();
}

Result<Workload> language_workload(std::string_view text, const std::string& name) {
  Result<LanguageModel> read = read_language_model(text, name);
  if (!read) return read.error();
  const auto model = std::make_shared<const LanguageModel>(*std::move(read));
  Workload workload;
  workload.name = name;
  workload.title = model->title;
  workload.description = fmt::format("{} ({}): {} layers, width {}, {} heads of queries and {} of keys.", model->title,
                                     model->family, model->layers, model->width, model->heads, model->kv_heads);
  workload.parameters = run_parameters(model->context > 0 ? std::min(kUsualContext, model->context) : kUsualContext);
  if (!model->causal) {
    for (Parameter& parameter : workload.parameters) {
      if (parameter.name == "phase") parameter.default_value = "prefill";
    }
  }
  workload.small = {{"context", "8"}, {"layers", "1"}};
  workload.build = [model](GraphBuilder& builder, const Arguments& arguments) {
    build_model(builder, *model, arguments);
  };
  return workload;
}

Result<LanguageModel> language_model_of(const Arguments& arguments) {
  return preset_model(text_argument(arguments, "model"));
}

Workload llm_workload() {
  Workload workload;
  workload.name = "llm";
  workload.title = "Language model";
  workload.description =
      "A well-known language model by its sizes, with random weights. Prefill reads a text and is bound by arithmetic. "
      "Decode continues it by one token and is bound by memory: it reads every weight and the whole cache.";
  workload.on_command_line =
      "Any other model: its config.json in place of the name, or --config FILE. `tensortide inspect` counts parameters "
      "and bytes.";
  workload.parameters = {choice_parameter("model", "Model", "Whose sizes.", preset_names())};
  for (Parameter& parameter : run_parameters(kUsualContext)) workload.parameters.push_back(std::move(parameter));
  for (const std::string& name : preset_names()) {
    const Result<LanguageModel> model = preset_model(name);
    CHECK(model.ok());
    workload.presets.push_back({name, model->title, {{"model", name}}});
  }
  workload.small = {{"model", "tiny"}, {"batch", "2"}, {"context", "8"}};
  workload.build = [](GraphBuilder& builder, const Arguments& arguments) {
    const Result<LanguageModel> model = language_model_of(arguments);
    if (model) build_model(builder, *model, arguments);
    else builder.fail(model.error());
  };
  return workload;
}

}  // namespace engine
