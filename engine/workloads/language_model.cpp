// SPDX-License-Identifier: Apache-2.0
// What follows from a model's sizes: parameters, cache, FLOPs.
#include "engine/workloads/language_model.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine {
namespace {

int64_t norm_elements(const LanguageModel& m, int64_t width) { return m.layer_norm ? 2 * width : width; }

/// Of the products of one layer's attention.
int64_t attention_matrices(const LanguageModel& m) {
  const LatentAttention& l = m.latent;
  if (l.rank == 0) return m.width * m.head_size * (m.heads + 2 * m.kv_heads) + m.heads * m.head_size * m.width;
  const int64_t queries = l.query_rank > 0 ? m.width * l.query_rank + l.query_rank * m.heads * m.head_size
                                           : m.width * m.heads * m.head_size;
  return queries + m.width * (l.rank + m.rotation.size) + l.rank * m.heads * (l.key_size + l.value_size) +
         m.heads * l.value_size * m.width;
}

/// Biases and norms of one layer's attention.
int64_t attention_vectors(const LanguageModel& m) {
  int64_t count = 0;
  if (m.qkv_bias && m.latent.rank == 0) count += m.head_size * (m.heads + 2 * m.kv_heads);
  if (m.output_bias) count += m.width;
  if (m.head_norms) count += 2 * m.head_size;
  if (m.latent.rank > 0) count += m.latent.rank + m.latent.query_rank;
  if (m.latent.rank > 0 && m.output_bias) count += m.latent.query_rank + m.latent.rank + m.rotation.size;
  return count;
}

int64_t mlp_matrices(const LanguageModel& m, int64_t hidden) { return (m.gated ? 3 : 2) * m.width * hidden; }

/// What chooses among experts, and the gate of the MLP that all tokens share.
int64_t router_matrices(const LanguageModel& m) {
  return m.width * (m.experts.count + (m.experts.shared_gate ? 1 : 0));
}

/// Of one layer; `met`: of the experts, those of one token alone.
int64_t layer_matrices(const LanguageModel& m, int64_t layer, bool met) {
  const int64_t attention = attention_matrices(m);
  if (!m.has_experts(layer)) return attention + mlp_matrices(m, m.mlp);
  const Experts& e = m.experts;
  return attention + router_matrices(m) + (met ? e.per_token : e.count) * mlp_matrices(m, e.mlp) +
         mlp_matrices(m, e.shared_mlp);
}

int64_t layer_vectors(const LanguageModel& m, int64_t layer) {
  int64_t count = attention_vectors(m) + (m.norms_after ? 4 : 2) * norm_elements(m, m.width);
  const int64_t hidden = m.has_experts(layer) ? m.experts.shared_mlp : m.mlp;
  if (m.has_experts(layer) && m.experts.corrected) count += m.experts.count;
  if (m.mlp_bias && hidden > 0) count += (m.gated ? 2 : 1) * hidden + m.width;
  return count;
}

}  // namespace

int64_t LanguageModel::seen(int64_t layer, int64_t tokens) const {
  return is_windowed(layer) ? std::min(window, tokens) : tokens;
}

Result<LanguageModel> LanguageModel::first_layers(int64_t count) const {
  if (count > layers)
    return usage_error(fmt::format("[llm] layers = {}: {} has {}; 0 takes all", count, title, layers));
  LanguageModel part = *this;
  if (count > 0) part.layers = count;
  if (!part.windowed.empty()) part.windowed.resize(static_cast<size_t>(part.layers));
  return part;
}

int64_t parameter_count(const LanguageModel& m) {
  int64_t count = m.width * (m.vocabulary + m.learned_positions + m.token_types);
  for (int64_t i = 0; i < m.layers; ++i) count += layer_matrices(m, i, false) + layer_vectors(m, i);
  count += norm_elements(m, m.width);  // the last, or BERT's behind its tables
  if (!m.tied) count += m.width * m.vocabulary;
  if (m.pooler) count += m.width * m.width + m.width;
  return count;
}

ParameterKinds parameter_kinds(const LanguageModel& m) {
  ParameterKinds kinds;
  kinds.tables = m.width * m.vocabulary;
  const int64_t latent = m.latent.rank * m.heads * (m.latent.key_size + m.latent.value_size);
  for (int64_t i = 0; i < m.layers; ++i) {
    kinds.matrices += layer_matrices(m, i, false) - latent - (m.has_experts(i) ? router_matrices(m) : 0);
    kinds.norms += (m.norms_after ? 4 : 2) * norm_elements(m, m.width) + m.latent.rank + m.latent.query_rank +
                   (m.head_norms ? 2 * m.head_size : 0) +
                   (m.has_experts(i) && m.experts.corrected ? m.experts.count : 0);
  }
  kinds.norms += norm_elements(m, m.width);
  if (!m.tied) kinds.matrices += m.width * m.vocabulary;
  if (m.pooler) kinds.matrices += m.width * m.width;
  kinds.rest = parameter_count(m) - kinds.matrices - kinds.tables - kinds.norms;
  return kinds;
}

int64_t parameters_per_token(const LanguageModel& m) {
  int64_t count = m.causal ? m.width * m.vocabulary : 0;
  for (int64_t i = 0; i < m.layers; ++i) count += layer_matrices(m, i, true);
  return count;
}

double cache_elements(const LanguageModel& m, int64_t tokens) {
  if (!m.causal) return 0;
  const int64_t each = m.latent.rank > 0 ? m.latent.rank + m.rotation.size : 2 * m.kv_heads * m.head_size;
  double count = 0;
  for (int64_t i = 0; i < m.layers; ++i) count += static_cast<double>(each) * static_cast<double>(m.seen(i, tokens));
  return count;
}

double flops_per_token(const LanguageModel& m, int64_t context) {
  double flops = 2 * static_cast<double>(parameters_per_token(m));
  const int64_t value = m.latent.rank > 0 ? m.latent.value_size : m.head_size;
  for (int64_t i = 0; i < m.layers; ++i)
    flops += 2 * static_cast<double>(m.heads * (m.head_size + value)) * static_cast<double>(m.seen(i, context));
  return flops;
}

}  // namespace engine
