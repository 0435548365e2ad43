// SPDX-License-Identifier: Apache-2.0
// Reads a config.json of Hugging Face's transformers: every field is checked where it stands, what no family of ours
// needs is passed over.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <optional>

#include "engine/base/display_text.h"
#include "engine/base/json_text.h"
#include "engine/base/nearest_name.h"
#include "engine/workloads/language_model.h"

namespace engine {
namespace {

using nlohmann::json;

constexpr int64_t kMostLayers = 1024, kMostHeads = 4096, kLargestHead = 4096, kMostExperts = 4096;
constexpr int64_t kLargestWidth = 1 << 18, kLargestMlp = 1 << 20, kLargestVocabulary = 1 << 24;
constexpr int64_t kLongestContext = int64_t{1} << 31;

constexpr std::array<std::string_view, 14> kFamilies{"llama", "mistral",   "mixtral",     "qwen2",      "qwen2_moe",
                                                     "qwen3", "qwen3_moe", "gemma",       "gemma2",     "gemma3_text",
                                                     "gpt2",  "bert",      "deepseek_v2", "deepseek_v3"};

std::string shown(const json& value) {
  if (value.is_structured()) return value.is_object() ? "an object" : "a list";
  return display_line(value.dump(-1, ' ', false, json::error_handler_t::replace), 40);
}

/// Asks an object for its fields; keeps the first refusal.
class Fields {
 public:
  Fields(const json& object, std::string where, std::optional<Error>& error)
      : object_(object), where_(std::move(where)), error_(error) {}

  bool has(const char* field) const { return object_.contains(field) && !object_[field].is_null(); }

  void fail(const std::string& field, const std::string& what) {
    if (!error_) error_ = usage_error(fmt::format("{}{}: {}", where_, field, what));
  }

  /// A whole number from `least` to `most`; nothing: `fallback`, or, where that is below `least`, a refusal.
  int64_t whole(const char* field, int64_t least, int64_t most, int64_t fallback = -1) {
    if (!has(field)) {
      if (fallback < least && fallback != 0)
        fail(field, fmt::format("is missing: a whole number from {} to {}", least, most));
      return std::max(fallback, int64_t{0});
    }
    const json& value = object_[field];
    const bool fits = value.is_number_integer() && !(value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX);
    const int64_t number = fits ? value.get<int64_t>() : 0;
    if (fits && number >= least && number <= most) return number;
    fail(field,
         fmt::format("{} is {}: {} to {}", shown(value), fits ? "out of range" : "no whole number", least, most));
    return least;
  }
  /// The first of these fields that is there.
  int64_t whole(std::initializer_list<const char*> fields, int64_t least, int64_t most) {
    for (const char* field : fields) {
      if (has(field)) return whole(field, least, most);
    }
    return whole(*fields.begin(), least, most);
  }
  double real(const char* field, double least, double most, double fallback) {
    if (!has(field)) return fallback;
    const json& value = object_[field];
    const double number = value.is_number() ? value.get<double>() : NAN;
    if (number >= least && number <= most) return number;
    fail(field, fmt::format("{} is no number from {} to {}", shown(value), least, most));
    return fallback;
  }
  double needed_real(const char* field, double least, double most) {
    if (!has(field)) fail(field, "is missing");
    return real(field, least, most, least);
  }
  bool flag(const char* field, bool fallback) {
    if (!has(field)) return fallback;
    if (!object_[field].is_boolean()) fail(field, fmt::format("{} is neither true nor false", shown(object_[field])));
    return object_[field].is_boolean() && object_[field].get<bool>();
  }
  std::string text(const char* field, const std::string& fallback) {
    if (!has(field)) return fallback;
    if (!object_[field].is_string()) fail(field, fmt::format("{} is no text", shown(object_[field])));
    return object_[field].is_string() ? display_line(object_[field].get<std::string>(), 200) : fallback;
  }
  /// The object under this name; nothing where there is none.
  std::optional<Fields> inside(const char* field) {
    if (!has(field)) return std::nullopt;
    if (!object_[field].is_object()) {
      fail(field, fmt::format("{} is no object {{...}}", shown(object_[field])));
      return std::nullopt;
    }
    return Fields(object_[field], fmt::format("{}{}.", where_, field), error_);
  }
  const json& value(const char* field) const { return object_[field]; }

 private:
  const json& object_;
  std::string where_;
  std::optional<Error>& error_;
};

class ConfigReader {
 public:
  ConfigReader(const json& root, const std::string& name)
      : name_(name), fields_(root, fmt::format("[{}] ", display_line(name)), error_) {}

  Result<LanguageModel> read() {
    m_.family = fields_.text("model_type", "");
    if (std::ranges::find(kFamilies, m_.family) == kFamilies.end()) refuse_family();
    if (error_) return *error_;
    m_.title = fields_.text("_name_or_path", "");
    // Libraries also write the folder that they loaded from: captures name none.
    if (m_.title.find_first_of("/.~") == 0 || m_.title.find_first_of("\\:") != std::string::npos)
      m_.title = std::filesystem::path(m_.title).filename().native();
    if (m_.title.find_first_of("\\:") != std::string::npos) m_.title.clear();
    if (m_.title.empty()) m_.title = display_line(std::filesystem::path(name_).stem().native());
    if (m_.family == "gpt2") read_gpt2();
    else if (m_.family == "bert") read_bert();
    else read_llama_like();
    if (!error_) check_heads();
    if (error_) return *error_;
    return std::move(m_);
  }

 private:
  bool is(std::initializer_list<std::string_view> families) const {
    return std::ranges::find(families, m_.family) != families.end();
  }

  void refuse_family() {
    std::vector<std::string> names(kFamilies.begin(), kFamilies.end());
    const std::string known = fmt::format("{}", fmt::join(names, ", "));
    if (m_.family.empty()) return fields_.fail("model_type", "is missing: one of " + known);
    fields_.fail("model_type",
                 fmt::format("\"{}\" is not known{} There are: {}", m_.family, did_you_mean(m_.family, names), known));
  }

  void read_activation(const char* field, const std::string& fallback) {
    const std::string name = fields_.text(field, fallback);
    if (name == "silu" || name == "swish") m_.activation = TokenActivation::silu;
    else if (name == "relu") m_.activation = TokenActivation::relu;
    else if (name == "gelu" && !m_.family.starts_with("gemma")) m_.activation = TokenActivation::gelu;
    else if (name == "gelu" || name == "gelu_new" || name == "gelu_pytorch_tanh" || name == "gelu_fast")
      m_.activation = TokenActivation::gelu_tanh;
    else fields_.fail(field, fmt::format("\"{}\" is none of silu, gelu, gelu_new, gelu_pytorch_tanh, relu", name));
  }

  void read_gpt2() {
    m_.width = fields_.whole({"n_embd", "hidden_size"}, 1, kLargestWidth);
    m_.layers = fields_.whole({"n_layer", "num_hidden_layers"}, 1, kMostLayers);
    m_.heads = m_.kv_heads = fields_.whole({"n_head", "num_attention_heads"}, 1, kMostHeads);
    m_.vocabulary = fields_.whole("vocab_size", 1, kLargestVocabulary);
    m_.learned_positions = m_.context = fields_.whole({"n_positions", "n_ctx"}, 1, kLongestContext);
    m_.mlp = fields_.whole("n_inner", 1, kLargestMlp, 4 * m_.width);
    m_.epsilon = fields_.real("layer_norm_epsilon", 0, 1, 1e-5);
    read_activation("activation_function", "gelu_new");
    m_.layer_norm = m_.qkv_bias = m_.output_bias = m_.mlp_bias = true;
    m_.gated = false;
    m_.tied = fields_.flag("tie_word_embeddings", true);
    head_size_by_width();
  }

  void read_bert() {
    read_sizes();
    m_.kv_heads = m_.heads;
    m_.learned_positions = m_.context;
    if (m_.context == 0) fields_.fail("max_position_embeddings", "is missing: BERT has a table of positions");
    m_.token_types = fields_.whole("type_vocab_size", 1, 1 << 16, 2);
    m_.epsilon = fields_.real("layer_norm_eps", 0, 1, 1e-12);
    read_activation("hidden_act", "gelu");
    m_.layer_norm = m_.norm_behind = m_.qkv_bias = m_.output_bias = m_.mlp_bias = m_.pooler = m_.tied = true;
    m_.gated = m_.causal = false;
    head_size_by_width();
  }

  void read_sizes() {
    m_.width = fields_.whole("hidden_size", 1, kLargestWidth);
    m_.layers = fields_.whole("num_hidden_layers", 1, kMostLayers);
    m_.heads = fields_.whole("num_attention_heads", 1, kMostHeads);
    m_.kv_heads = fields_.whole("num_key_value_heads", 1, kMostHeads, m_.heads);
    m_.vocabulary = fields_.whole("vocab_size", 1, kLargestVocabulary);
    // A model whose layers all have experts needs none.
    m_.mlp = is({"qwen2_moe", "qwen3_moe"}) ? fields_.whole("intermediate_size", 1, kLargestMlp, 1)
                                            : fields_.whole("intermediate_size", 1, kLargestMlp);
    m_.context = fields_.whole("max_position_embeddings", 1, kLongestContext, 0);
  }

  void head_size_by_width() {
    if (error_ || m_.head_size > 0) return;
    if (m_.width % m_.heads != 0)
      return fields_.fail(m_.family == "gpt2" ? "n_head" : "num_attention_heads",
                          fmt::format("{} heads do not divide the width {}", m_.heads, m_.width));
    m_.head_size = m_.width / m_.heads;
  }

  void read_llama_like() {
    read_sizes();
    m_.head_size = fields_.has("head_dim") ? fields_.whole("head_dim", 1, kLargestHead) : 0;
    if (is({"deepseek_v2", "deepseek_v3"})) read_latent();
    head_size_by_width();
    m_.epsilon = fields_.real("rms_norm_eps", 0, 1, m_.family == "mixtral" ? 1e-5 : 1e-6);
    if (m_.family == "mixtral") m_.rotation.theta = 1e6;
    const bool gemma = m_.family.starts_with("gemma");
    m_.tied = fields_.flag("tie_word_embeddings", gemma);
    read_activation(fields_.has("hidden_activation") ? "hidden_activation" : "hidden_act",
                    gemma ? "gelu_pytorch_tanh" : "silu");
    const bool qwen2 = is({"qwen2", "qwen2_moe"});
    const bool biased = !is({"mistral", "mixtral"});  // those have none, whatever a file says
    m_.qkv_bias = biased && fields_.flag(m_.family == "qwen2_moe" ? "qkv_bias" : "attention_bias", qwen2);
    m_.output_bias = biased && !qwen2 && fields_.flag("attention_bias", false);
    // The others have no such biases, whatever a file says.
    m_.mlp_bias =
        is({"llama", "mistral", "gemma", "gemma2", "gemma3_text", "deepseek_v2"}) && fields_.flag("mlp_bias", false);
    m_.head_norms = is({"qwen3", "qwen3_moe", "gemma3_text"});
    m_.norm_adds_one = gemma;
    m_.norms_after = is({"gemma2", "gemma3_text"});
    if (gemma) m_.embedding_scale = std::sqrt(static_cast<double>(m_.width));
    if (m_.norms_after)
      m_.attention_scale = 1 / std::sqrt(fields_.real("query_pre_attn_scalar", 1, kLargestWidth, 256));
    if (m_.family == "gemma2") {
      m_.attention_cap = fields_.real("attn_logit_softcapping", 0, 1e6, 0);
      m_.logit_cap = fields_.real("final_logit_softcapping", 0, 1e6, 0);
    }
    if (!error_) read_rotations();
    if (!error_) read_windows();
    if (!error_) read_experts();
  }

  void read_latent() {
    m_.latent.rank = fields_.whole("kv_lora_rank", 1, kLargestWidth);
    m_.latent.query_rank = fields_.whole("q_lora_rank", 1, kLargestWidth, 0);
    m_.latent.key_size = fields_.whole("qk_nope_head_dim", 1, kLargestHead);
    m_.latent.value_size = fields_.whole("v_head_dim", 1, kLargestHead);
    m_.rotation.size = fields_.whole("qk_rope_head_dim", 2, kLargestHead);
    m_.head_size = m_.latent.key_size + m_.rotation.size;
    m_.kv_heads = m_.heads;
    m_.rotation.interleaved = m_.family == "deepseek_v2" || fields_.flag("rope_interleave", true);
  }

  void read_rotation(Fields& from, const char* theta_field, Rotation& r) {
    r.theta = from.real(theta_field, 1, 1e12, r.theta);
  }

  /// "rope_scaling", or the newer "rope_parameters".
  void read_scaling(Fields& from, Rotation& r) {
    const std::string type = from.text(from.has("rope_type") ? "rope_type" : "type", "default");
    if (from.has("rope_theta")) read_rotation(from, "rope_theta", r);
    if (type == "default") return;
    if (type != "linear" && type != "llama3" && type != "yarn")
      return from.fail("rope_type", fmt::format("\"{}\" is none of default, linear, llama3, yarn", type));
    r.scaling = type;
    r.factor = from.needed_real("factor", 1, 1e6);
    if (type == "llama3") {
      r.original_context = from.needed_real("original_max_position_embeddings", 1, 1e9);
      r.low_frequency = from.needed_real("low_freq_factor", 1e-6, 1e6);
      r.high_frequency = from.needed_real("high_freq_factor", 1e-6, 1e6);
    } else if (type == "yarn") {
      // As transformers has it: without the field, what the model is made for.
      if (m_.context == 0 && !from.has("original_max_position_embeddings"))
        return from.fail("original_max_position_embeddings", "is missing, and so is max_position_embeddings");
      r.original_context =
          from.real("original_max_position_embeddings", 1, 1e9, static_cast<double>(std::max<int64_t>(1, m_.context)));
    }
    if (type == "llama3" && r.high_frequency <= r.low_frequency)
      from.fail("high_freq_factor",
                fmt::format("{} must be above low_freq_factor = {}", r.high_frequency, r.low_frequency));
    if (type != "yarn") return;
    r.fast = from.real("beta_fast", 1e-6, 1e6, 32);
    r.slow = from.real("beta_slow", 1e-6, 1e6, 1);
    r.truncated = from.flag("truncate", true);
    const double log = 0.1 * std::log(r.factor);
    const double own = from.real("mscale", 0, 1e3, 0), all = from.real("mscale_all_dim", 0, 1e3, 0);
    r.amplitude =
        from.real("attention_factor", 1e-6, 1e6, own > 0 && all > 0 ? (own * log + 1) / (all * log + 1) : log + 1);
    if (m_.latent.rank > 0 && all > 0)
      m_.attention_scale = (all * log + 1) * (all * log + 1) / std::sqrt(static_cast<double>(m_.head_size));
  }

  void read_rotations() {
    Rotation& r = m_.rotation;
    if (r.size == 0) {
      const bool whole = is({"mixtral", "qwen2_moe", "qwen3_moe"});  // they pass it over
      const double part = whole ? 1 : fields_.real("partial_rotary_factor", 1e-6, 1, 1);
      r.size = static_cast<int64_t>(part * static_cast<double>(m_.head_size));
    }
    if (r.size % 2 != 0)
      return fields_.fail("head_dim", fmt::format("{} values of a head are rotated in pairs: it must be even", r.size));
    read_rotation(fields_, "rope_theta", r);
    m_.local_rotation = r;
    if (m_.family == "gemma3_text") read_rotation(fields_, "rope_local_base_freq", m_.local_rotation);
    if (auto of_all = fields_.inside("rope_parameters")) {
      auto full = of_all->inside("full_attention"), local = of_all->inside("sliding_attention");
      if (full) read_scaling(*full, r);
      if (local) read_scaling(*local, m_.local_rotation);
      if (!full && !local) {
        read_scaling(*of_all, r);
        m_.local_rotation = r;
      }
    } else if (auto scaling = fields_.inside("rope_scaling")) {
      read_scaling(*scaling, r);
      if (m_.family != "gemma3_text") m_.local_rotation = r;
    }
  }

  void read_windows() {
    if (is({"llama", "gemma", "deepseek_v2", "deepseek_v3"})) return;
    if (m_.family.starts_with("qwen") && !fields_.flag("use_sliding_window", false)) return;
    m_.window = fields_.whole("sliding_window", 1, kLongestContext, 0);
    if (m_.window == 0) return;
    const auto count = static_cast<size_t>(m_.layers);
    m_.windowed.assign(count, true);
    if (fields_.has("layer_types")) {
      const json& types = fields_.value("layer_types");
      if (!types.is_array() || types.size() != count)
        return fields_.fail("layer_types", fmt::format("must be a list of {} words, one per layer", count));
      for (size_t i = 0; i < count; ++i) {
        const bool local = types[i] == "sliding_attention";
        if (!local && types[i] != "full_attention")
          return fields_.fail(fmt::format("layer_types[{}]", i),
                              fmt::format("{} is neither sliding_attention nor full_attention", shown(types[i])));
        m_.windowed[i] = local;
      }
    } else if (m_.family == "gemma2") {
      for (size_t i = 0; i < count; ++i) m_.windowed[i] = i % 2 == 0;
    } else if (m_.family == "gemma3_text") {
      const auto pattern = static_cast<size_t>(fields_.whole("sliding_window_pattern", 1, kMostLayers, 6));
      for (size_t i = 0; i < count; ++i) m_.windowed[i] = (i + 1) % pattern != 0;
    } else if (m_.family == "qwen2_moe") {  // as transformers has it: every other layer, up to a last one
      const auto end = static_cast<size_t>(fields_.whole("max_window_layers", 0, kMostLayers, m_.layers));
      for (size_t i = 0; i < count; ++i) m_.windowed[i] = i % 2 == 0 && i < end;
    } else if (is({"qwen2", "qwen3"})) {
      const auto first = static_cast<size_t>(fields_.whole("max_window_layers", 0, kMostLayers, m_.layers));
      for (size_t i = 0; i < count; ++i) m_.windowed[i] = i >= first;
    }
  }

  void read_experts() {
    Experts& e = m_.experts;
    if (m_.family == "mixtral") {
      e.count = fields_.whole("num_local_experts", 1, kMostExperts);
      e.mlp = m_.mlp;
    } else if (is({"qwen2_moe", "qwen3_moe"})) {
      read_qwen_experts();
    } else if (is({"deepseek_v2", "deepseek_v3"}) && fields_.has("n_routed_experts")) {
      e.count = fields_.whole("n_routed_experts", 1, kMostExperts);
      e.mlp = fields_.whole("moe_intermediate_size", 1, kLargestMlp);
      read_deepseek_experts();
    } else {
      return;
    }
    e.per_token = fields_.whole("num_experts_per_tok", 1, kMostExperts);
    if (error_) return;
    if (const int64_t most = e.count / e.groups * e.groups_taken; e.per_token > most)
      fields_.fail("num_experts_per_tok", fmt::format("{} of {} experts is out of range{}", e.per_token, most,
                                                      most < e.count ? ": those of the groups that are taken" : ""));
  }

  /// What a file leaves out is as in the configurations of transformers.
  void read_deepseek_experts() {
    Experts& e = m_.experts;
    const bool third = m_.family == "deepseek_v3";
    e.shared_mlp = e.mlp * fields_.whole("n_shared_experts", 0, kMostExperts, third ? 1 : 2);
    if (const int64_t every = fields_.whole("moe_layer_freq", 1, kMostLayers, 1); every != 1)
      return fields_.fail("moe_layer_freq", fmt::format("{}: experts in some layers only are not run; 1 is", every));
    const std::string scoring = third ? "sigmoid" : "softmax", scored = fields_.text("scoring_func", scoring);
    if (scored != scoring)
      return fields_.fail("scoring_func",
                          fmt::format("\"{}\" is not known for {}: {}", display_line(scored, 40), m_.family, scoring));
    e.first_layer = fields_.whole("first_k_dense_replace", 0, kMostLayers, third ? 3 : 0);
    e.normalized = third && fields_.flag("norm_topk_prob", true);  // the second one's router does not
    e.corrected = third;
    e.exact_router = true;
    e.scale = fields_.real("routed_scaling_factor", 0, 1e6, third ? 2.5 : 1);
    const std::string usual = third ? "noaux_tc" : "greedy", method = fields_.text("topk_method", usual);
    if (method != usual && (third || method != "group_limited_greedy"))
      return fields_.fail("topk_method", fmt::format("\"{}\" is not known for {}: {}", display_line(method, 40),
                                                     m_.family, third ? usual : usual + ", group_limited_greedy"));
    if (third || method != usual) read_groups(third ? 8 : 1, third ? 4 : 1);
  }

  void read_qwen_experts() {
    Experts& e = m_.experts;
    // Newer files have Mixtral's name for it.
    e.count = fields_.whole(fields_.has("num_local_experts") ? "num_local_experts" : "num_experts", 1, kMostExperts);
    e.mlp = fields_.whole("moe_intermediate_size", 1, kLargestMlp);
    e.normalized = fields_.flag("norm_topk_prob", false);
    if (m_.family == "qwen2_moe") {
      e.shared_mlp = fields_.whole("shared_expert_intermediate_size", 1, kLargestMlp);
      e.shared_gate = true;
    }
    if (const int64_t step = fields_.whole("decoder_sparse_step", 1, kMostLayers, 1); step != 1)
      return fields_.fail("decoder_sparse_step",
                          fmt::format("{}: experts in some layers only are not run; 1 is", step));
    if (fields_.has("mlp_only_layers") && fields_.value("mlp_only_layers") != json::array())
      fields_.fail("mlp_only_layers", fmt::format("{}: layers without experts among others are not run; [] is",
                                                  shown(fields_.value("mlp_only_layers"))));
  }

  void read_groups(int64_t groups, int64_t taken) {
    Experts& e = m_.experts;
    e.groups = fields_.whole("n_group", 1, kMostExperts, groups);
    e.groups_taken = fields_.whole("topk_group", 1, kMostExperts, taken);
    if (error_) return;
    if (e.count % e.groups != 0)
      return fields_.fail("n_group", fmt::format("{} groups do not divide {} experts", e.groups, e.count));
    if (e.groups_taken > e.groups)
      return fields_.fail("topk_group", fmt::format("{} of {} groups is out of range", e.groups_taken, e.groups));
    if (e.corrected && e.groups > 1 && e.count / e.groups < 2)
      fields_.fail("n_group", fmt::format("{} groups of {} experts have no two in each", e.groups, e.count));
  }

  void check_heads() {
    if (m_.heads % m_.kv_heads != 0)
      fields_.fail("num_key_value_heads",
                   fmt::format("{} heads of keys do not divide {} heads of queries", m_.kv_heads, m_.heads));
  }

  std::string name_;
  std::optional<Error> error_;
  Fields fields_;
  LanguageModel m_;
};

}  // namespace

std::span<const std::string_view> language_model_families() { return kFamilies; }

bool looks_like_language_model(std::string_view text) { return text.find("\"model_type\"") != std::string_view::npos; }

Result<LanguageModel> read_language_model(std::string_view text, const std::string& name) {
  const json root = parse_json(text);
  if (root.is_discarded())
    return usage_error(fmt::format("[{}] is no JSON: check brackets, quotes and commas", display_line(name)));
  if (!root.is_object()) return usage_error(fmt::format("[{}] is no object {{...}}", display_line(name)));
  return ConfigReader(root, name).read();
}

}  // namespace engine
