// SPDX-License-Identifier: Apache-2.0
// LanguageModel: what a Hugging Face config.json says of a transformer, its parameters and its cache of keys and
// values.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace engine {

enum class TokenActivation : uint8_t { silu, gelu, gelu_tanh, relu };

/// How positions turn queries and keys: a pair of values per angle, position / theta^(2 i / size).
struct Rotation {
  double theta = 10000;
  int64_t size = 0;                              ///< values of a head that are turned; 0: none
  bool interleaved = false;                      ///< pairs are neighbours; else halves
  std::string scaling;                           ///< "", "linear", "llama3", "yarn"
  double factor = 1;                             ///< of all three
  double original_context = 8192;                ///< of llama3 and yarn
  double low_frequency = 1, high_frequency = 4;  ///< of llama3
  double fast = 32, slow = 1, amplitude = 1;     ///< of yarn; amplitude: of cosines and sines
  bool truncated = true;                         ///< of yarn: the pairs between which it stretches are whole numbers
};

/// Attention by a small latent vector per token that keys and values are made of (DeepSeek).
struct LatentAttention {
  int64_t query_rank = 0;  ///< 0: queries are made directly
  int64_t rank = 0;        ///< of keys and values; 0: the model has none of it
  int64_t key_size = 0;    ///< per head, without the part that is rotated
  int64_t value_size = 0;  ///< per head
};

/// Experts: of each layer from `first_layer` on, some of many MLPs work for a token.
struct Experts {
  int64_t count = 0, per_token = 0;  ///< 0: there are none
  int64_t mlp = 0;                   ///< hidden values of each
  int64_t shared_mlp = 0;            ///< hidden values of a further MLP that works for every token
  int64_t first_layer = 0;
  bool shared_gate = false;  ///< a linear layer and sigmoid scale that MLP for each token (Qwen2-MoE)
  bool normalized = true;    ///< the weights of a token's experts add up to 1
  bool corrected = false;    ///< scores are sigmoids and the router has a bias that takes part in the choice alone
  /// Experts are chosen within the best `groups_taken` of `groups` groups; 1: there are no groups.
  int64_t groups = 1, groups_taken = 1;
  double scale = 1;           ///< of the weights of a token's experts
  bool exact_router = false;  ///< scores are computed in f32, whatever the type of activations
};

struct LanguageModel {
  std::string title;   ///< "meta-llama/Llama-3.2-1B", or the file's name
  std::string family;  ///< model_type: "llama"
  int64_t vocabulary = 0, width = 0, layers = 0, heads = 0, kv_heads = 0, head_size = 0, mlp = 0;
  int64_t context = 0;            ///< tokens it was made for; 0: the file does not say
  int64_t learned_positions = 0;  ///< rows of a table of positions; 0: none
  int64_t token_types = 0;        ///< BERT's table of segments
  double epsilon = 1e-5;
  bool layer_norm = false;     ///< with mean and bias; else by the root of the mean square
  bool norm_adds_one = false;  ///< the scale is 1 + weight (Gemma)
  bool norms_after = false;    ///< also behind attention and MLP (Gemma 2 and 3)
  bool norm_behind = false;    ///< x = norm(x + f(x)) (BERT); else x + f(norm(x))
  bool head_norms = false;     ///< of queries and keys, per head (Qwen3, Gemma 3)
  bool qkv_bias = false, output_bias = false, mlp_bias = false;
  bool gated = true;    ///< down(act(gate(x)) * up(x)); else fc2(act(fc1(x)))
  bool tied = false;    ///< the logits are made by the table of tokens
  bool causal = true;   ///< a decoder; else an encoder without logits
  bool pooler = false;  ///< BERT: a linear layer and tanh over the first token
  TokenActivation activation = TokenActivation::silu;
  double embedding_scale = 1, attention_scale = 0;  ///< attention_scale 0: 1 / sqrt(head_size)
  double attention_cap = 0, logit_cap = 0;          ///< cap * tanh(x / cap); 0: none
  Rotation rotation, local_rotation;                ///< local: of layers with a window
  int64_t window = 0;                               ///< tokens that a windowed layer sees; 0: all
  std::vector<bool> windowed;                       ///< per layer; empty: none
  LatentAttention latent;
  Experts experts;

  /// Tokens that layer i can see of `tokens`.
  int64_t seen(int64_t layer, int64_t tokens) const;
  bool has_experts(int64_t layer) const { return experts.count > 0 && layer >= experts.first_layer; }
  bool is_windowed(int64_t layer) const {
    return window > 0 && !windowed.empty() && windowed[static_cast<size_t>(layer)];
  }
  /// The first `count` layers alone; 0: all. Refused (usage): more than it has.
  Result<LanguageModel> first_layers(int64_t count) const;
};

/// A configuration as JSON text; `name` stands for the file in messages. Unknown fields are passed over, as libraries
/// do. Refused (usage): an unknown family, a missing field, heads that do not divide, sizes beyond their limits. The
/// message names file, field, value and limit.
Result<LanguageModel> read_language_model(std::string_view text, const std::string& name);
/// Whether the text of a .json file names a model_type: it may still be wrong.
bool looks_like_language_model(std::string_view text);

/// Families that read_language_model() knows, as model_type spells them.
std::span<const std::string_view> language_model_families();

/// Elements of all weights; tied tables count once.
int64_t parameter_count(const LanguageModel&);
/// The same by what they are stored as.
struct ParameterKinds {
  int64_t matrices = 0;  ///< of products
  int64_t tables = 0;    ///< of tokens, where rows are looked up
  int64_t norms = 0;     ///< scales and biases of normalisations and of the choice of experts: f32 at least
  int64_t rest = 0;      ///< biases, positions, routers of experts, what latent keys and values are made of
};
ParameterKinds parameter_kinds(const LanguageModel&);
/// Of these, what the GEMMs of one token read. Experts that do not work for it are left out, and so are tables of which
/// a row is taken.
int64_t parameters_per_token(const LanguageModel&);
/// Elements that the caches of all layers hold for `tokens` tokens of one sequence.
double cache_elements(const LanguageModel&, int64_t tokens);
/// Of one token behind `context - 1` others: twice the parameters it meets, and 4 per key and feature of the attention.
double flops_per_token(const LanguageModel&, int64_t context);

/// A configuration that ships with the program: resources/llm.
struct LanguagePreset {
  std::string_view name;  ///< "llama-3.2-1b"
  std::string_view text;  ///< its config.json
};
std::span<const LanguagePreset> language_presets();

}  // namespace engine
