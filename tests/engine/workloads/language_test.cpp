// SPDX-License-Identifier: Apache-2.0
// Language models: counts against published figures, bytes of a token against a count by hand, decode against prefill.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>

#include "engine/cpu/backend.h"
#include "engine/runtime/plan.h"
#include "engine/workloads/llm.h"

namespace engine {
namespace {

LanguageModel preset(std::string_view name) {
  for (const LanguagePreset& p : language_presets()) {
    if (p.name != name) continue;
    Result<LanguageModel> model = read_language_model(p.text, std::string(name));
    CHECK(model.ok());
    return *model;
  }
  CHECK(false);
  return {};
}

/// Parameters as published with the models (their cards and index files), and numbers that the cache keeps per token.
struct Published {
  const char* name;
  int64_t parameters, cached;
};
constexpr Published kPublished[] = {
    {"bert-base", 109482240, 0},
    {"deepseek-v2-lite", 15706484224, 27 * 576},
    {"deepseek-v3", 671026419200, 61 * 576},
    {"gemma-2-2b", 2614341888, 26 * 2 * 4 * 256},
    {"gemma-2b", 2506172416, 18 * 2 * 256},
    {"gemma-3-1b", 999885952, 26 * 2 * 256},
    {"gemma-7b", 8537680896, 28 * 2 * 16 * 256},
    {"gpt2", 124439808, 12 * 2 * 768},
    {"gpt2-xl", 1557611200, 48 * 2 * 1600},
    {"llama-2-13b", 13015864320, 40 * 2 * 5120},
    {"llama-2-70b", 68976648192, 80 * 2 * 1024},
    {"llama-2-7b", 6738415616, 32 * 2 * 4096},
    {"llama-3.1-70b", 70553706496, 80 * 2 * 1024},
    {"llama-3.1-8b", 8030261248, 32 * 2 * 1024},
    {"llama-3.2-1b", 1235814400, 16 * 2 * 512},
    {"llama-3.2-3b", 3212749824, 28 * 2 * 1024},
    {"mistral-7b", 7241732096, 32 * 2 * 1024},
    {"mixtral-8x7b", 46702792704, 32 * 2 * 1024},
    {"qwen2-0.5b", 494032768, 24 * 2 * 128},
    {"qwen2-1.5b", 1543714304, 28 * 2 * 256},
    {"qwen2.5-7b", 7615616512, 28 * 2 * 512},
    {"qwen3-0.6b", 596049920, 28 * 2 * 1024},
    {"qwen3-30b-a3b", 30532122624, 48 * 2 * 512},
    {"qwen3-8b", 8190735360, 36 * 2 * 1024},
    {"smollm2-135m", 134515008, 30 * 2 * 192},
    {"tinyllama-1.1b", 1100048384, 22 * 2 * 256},
};

TEST(LanguageModel, ParametersAndCachesOfPublicModelsAreExact) {
  for (const Published& p : kPublished) {
    EXPECT_EQ(parameter_count(preset(p.name)), p.parameters) << p.name;
    EXPECT_EQ(cache_elements(preset(p.name), 1), p.cached) << p.name;
  }
  EXPECT_EQ(language_presets().size(), std::size(kPublished) + 1);  // and the tiny one
}

TEST(LanguageModel, WindowsBoundTheCache) {
  const LanguageModel mistral = preset("mistral-7b"), gemma = preset("gemma-3-1b");
  EXPECT_EQ(cache_elements(mistral, 20000), cache_elements(mistral, 4096));
  // Every sixth layer of Gemma 3 sees all: 22 of 26 keep 512 tokens.
  EXPECT_EQ(cache_elements(gemma, 10000), (22 * 512 + 4 * 10000) * 512);
}

Graph graph_of(const LanguageModel& model, const LanguageRun& run) {
  GraphBuilder builder;
  append_language_step(builder, model, run);
  Result<Graph> graph = builder.finish();
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  CHECK(graph.ok());
  return *std::move(graph);
}

/// One tiny model of each family.
const std::map<std::string, std::string>& tiny_configs() {
  static const std::string sizes =
      R"("hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 96, "vocab_size": 160, )"
      R"("max_position_embeddings": 64, )";
  static const std::map<std::string, std::string> all{
      {"llama", R"({"model_type": "llama", )" + sizes + R"("num_key_value_heads": 2, "rope_theta": 10000.0, )" +
                    R"("rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, )" +
                    R"("high_freq_factor": 4.0, "original_max_position_embeddings": 16}})"},
      {"mistral", R"({"model_type": "mistral", )" + sizes + R"("num_key_value_heads": 2, "sliding_window": 5})"},
      {"qwen2", R"({"model_type": "qwen2", )" + sizes + R"("num_key_value_heads": 2, "tie_word_embeddings": true})"},
      {"qwen3", R"({"model_type": "qwen3", )" + sizes + R"("num_key_value_heads": 2, "head_dim": 32})"},
      {"gemma", R"({"model_type": "gemma", )" + sizes + R"("num_key_value_heads": 1, "head_dim": 32})"},
      {"gemma2", R"({"model_type": "gemma2", )" + sizes +
                     R"("num_key_value_heads": 2, "head_dim": 32, "sliding_window": 5, "query_pre_attn_scalar": 32, )" +
                     R"("attn_logit_softcapping": 5.0, "final_logit_softcapping": 3.0})"},
      {"gemma3_text",
       R"({"model_type": "gemma3_text", )" + sizes +
           R"("num_key_value_heads": 2, "head_dim": 32, "sliding_window": 4, "query_pre_attn_scalar": )" +
           R"(32, "sliding_window_pattern": 2})"},
      {"gpt2",
       R"({"model_type": "gpt2", "n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 64, "vocab_size": 160})"},
      {"deepseek_v2",
       R"({"model_type": "deepseek_v2", )" + sizes +
           R"("kv_lora_rank": 32, "q_lora_rank": null, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, )" +
           R"("v_head_dim": 24})"},
      {"mixtral", R"({"model_type": "mixtral", )" + sizes +
                      R"("num_key_value_heads": 2, "num_local_experts": 4, "num_experts_per_tok": 2})"},
      {"qwen2_moe", R"({"model_type": "qwen2_moe", )" + sizes +
                        R"("num_key_value_heads": 2, "num_experts": 6, "num_experts_per_tok": 3, )" +
                        R"("moe_intermediate_size": 32, "shared_expert_intermediate_size": 64})"},
      {"qwen3_moe",
       R"({"model_type": "qwen3_moe", )" + sizes +
           R"("num_key_value_heads": 2, "num_experts": 8, "num_experts_per_tok": 2, "norm_topk_prob": true, )" +
           R"("moe_intermediate_size": 64})"},
      {"deepseek_v3",
       R"({"model_type": "deepseek_v3", )" + sizes +
           R"("kv_lora_rank": 32, "q_lora_rank": 32, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 24, )" +
           R"("n_routed_experts": 8, "n_shared_experts": 2, "num_experts_per_tok": 3, "moe_intermediate_size": 32, )" +
           R"("first_k_dense_replace": 1, "n_group": 4, "topk_group": 2, "norm_topk_prob": true, )" +
           R"("routed_scaling_factor": 2.5})"},
  };
  return all;
}

LanguageModel tiny(const std::string& family) {
  Result<LanguageModel> model = read_language_model(tiny_configs().at(family), family + ".json");
  EXPECT_TRUE(model.ok()) << model.error().message;
  CHECK(model.ok());
  return *model;
}

/// What is counted is what is built.
TEST(LanguageModel, GraphsHaveTheParametersAndBytesThatAreCounted) {
  for (const auto& [family, config] : tiny_configs()) {
    const LanguageModel model = tiny(family);
    for (const WeightFormat format :
         {WeightFormat::as_dtype, WeightFormat::bf16, WeightFormat::f16, WeightFormat::q8_0, WeightFormat::q4_0}) {
      const Graph graph = graph_of(model, {.context = 8, .format = format});
      double bytes = 0, states = 0;
      for (const Value& value : graph.values()) {
        if (value.kind == ValueKind::parameter) bytes += static_cast<double>(value.type.span_bytes());
        if (value.kind == ValueKind::state) states += static_cast<double>(value.type.span_bytes());
      }
      SCOPED_TRACE(fmt::format("{} {}", family, name(format)));
      EXPECT_EQ(bytes, weight_bytes(model, format, DType::float32));
      EXPECT_EQ(states, 4.0 * static_cast<double>(cache_elements(model, 8)));
      if (format == WeightFormat::as_dtype) {
        EXPECT_EQ(graph.parameter_count(), parameter_count(model));
      }
    }
    const Graph half = graph_of(model, {.context = 8, .dtype = DType::bfloat16});
    double bytes = 0;
    for (const Value& value : half.values()) {
      if (value.kind == ValueKind::parameter) bytes += static_cast<double>(value.type.span_bytes());
    }
    EXPECT_EQ(bytes, weight_bytes(model, WeightFormat::as_dtype, DType::bfloat16)) << family;
  }
}

/// By hand: every weight once but the table of tokens, of which a row is read (and all of it where it makes the
/// logits); the cache read whole, one token of it written.
TEST(LanguageModel, BytesOfADecodedTokenAreThoseOfACountByHand) {
  constexpr int64_t kContext = 40;
  const LanguageModel m = tiny("qwen2");
  const Graph graph = graph_of(m, {.context = kContext});
  int64_t weights = 0, cache_read = 0, cache_written = 0;
  std::map<ValueId, ValueId> root;
  for (const Node& node : graph.nodes()) {
    if (node.op->view != nullptr || !node.op->in_place.empty()) root[node.outputs[0]] = node.inputs[0];
    const Cost cost = graph.cost(node);
    const auto of = [&](ValueId id) {
      while (root.contains(id)) id = root[id];
      return graph.value(id);
    };
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (of(node.inputs[i]).kind == ValueKind::parameter) weights += cost.read_bytes[i];
      if (of(node.inputs[i]).kind == ValueKind::state) cache_read += cost.read_bytes[i];
    }
    for (size_t j = 0; j < node.outputs.size(); ++j) {
      if (of(node.outputs[j]).kind == ValueKind::state) cache_written += cost.written_bytes[j];
    }
  }
  const int64_t layer = 64 * (64 + 2 * 32) + (64 + 2 * 32) + 64 * 64 + 3 * 64 * 96 + 2 * 64;
  EXPECT_EQ(weights, 4 * (2 * layer + 64 + 160 * 64 + 64));
  EXPECT_EQ(cache_read, 4 * 2 * 2 * 32 * kContext);
  EXPECT_EQ(cache_written, 4 * 2 * 2 * 32);
}

struct Planned {
  Planned(const LanguageModel& model, const LanguageRun& run)
      : graph(std::make_shared<const Graph>(graph_of(model, run))), backend(*cpu::make_backend(1)) {
    Result<std::unique_ptr<Plan>> made = Plan::make(graph, *backend);
    EXPECT_TRUE(made.ok()) << made.error().message;
    CHECK(made.ok());
    plan = *std::move(made);
  }
  const Tensor& value(std::string_view name) const { return plan->tensor(*graph->find(name)); }
  const Tensor& logits() const { return plan->tensor(graph->outputs()[0]); }

  std::shared_ptr<const Graph> graph;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Plan> plan;
};

double largest(const Tensor& t) {
  double most = 0;
  for (int64_t i = 0; i < t.type().elements(); ++i) most = std::max(most, std::abs(t.get_flat(i)));
  return most;
}

/// The caches that prefill left make the last token's logits again, in every format and past the window of those that
/// have one.
TEST(LanguageModel, DecodeContinuesWhatPrefillRead) {
  for (const auto& [family, config] : tiny_configs()) {
    const LanguageModel model = tiny(family);
    for (const WeightFormat format :
         {WeightFormat::as_dtype, WeightFormat::bf16, WeightFormat::q8_0, WeightFormat::q4_0}) {
      SCOPED_TRACE(fmt::format("{} {}", family, name(format)));
      LanguageRun run{.decode = false, .batch = 2, .context = 13, .format = format};
      Planned prefill(model, run);
      prefill.plan->run_step(0, nullptr);
      run.decode = true;
      Planned decode(model, run);
      for (const Value& value : decode.graph->values()) {
        if (value.kind != ValueKind::state) continue;
        const Tensor &from = prefill.value(value.name), &to = decode.value(value.name);
        ASSERT_EQ(from.type(), to.type());
        std::memcpy(to.data(), from.data(), static_cast<size_t>(to.type().span_bytes()));
      }
      for (int64_t b = 0; b < run.batch; ++b)
        decode.value("tokens").set_flat(b, prefill.value("tokens").get_flat((b + 1) * run.context - 1));
      decode.plan->run_step(0, nullptr);
      const Tensor &wanted = prefill.logits(), &got = decode.logits();
      ASSERT_EQ(wanted.shape(), (Shape{2, 160}));
      ASSERT_EQ(got.shape(), wanted.shape());
      EXPECT_GT(largest(wanted), 1e-3);
      for (int64_t i = 0; i < wanted.type().elements(); ++i)
        ASSERT_NEAR(got.get_flat(i), wanted.get_flat(i), 2e-5 * largest(wanted)) << i;
    }
  }
}

std::string refusal(const std::string& text) {
  const Result<LanguageModel> model = read_language_model(text, "c.json");
  return model ? "" : model.error().message;
}

TEST(LanguageModel, WrongConfigsAreRefusedByFieldValueAndLimit) {
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string text = tiny_configs().at("llama");
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  const std::map<std::string, std::string> cases{
      {"[", "[c.json] is no JSON"},
      {"[]", "[c.json] is no object"},
      {"{}", "[c.json] model_type: is missing"},
      {R"({"model_type": "lama"})", "\"lama\" is not known; did you mean \"llama\"?"},
      {R"({"model_type": "llama"})", "hidden_size: is missing: a whole number from 1 to 262144"},
      {changed("\"vocab_size\": 160", "\"vocab_size\": 0"), "vocab_size: 0 is out of range: 1 to 16777216"},
      {changed("\"hidden_size\": 64", "\"hidden_size\": -64"), "hidden_size: -64 is out of range"},
      {changed("\"hidden_size\": 64", "\"hidden_size\": 6e4"), "hidden_size: 60000.0 is no whole number"},
      {changed("\"hidden_size\": 64", "\"hidden_size\": 99999999999999999999"), "hidden_size"},
      {changed("\"num_attention_heads\": 4", "\"num_attention_heads\": 5"), "5 heads do not divide the width 64"},
      {changed("\"num_key_value_heads\": 2", "\"num_key_value_heads\": 3"),
       "num_key_value_heads: 3 heads of keys do not divide 4 heads of queries"},
      {changed("\"num_hidden_layers\": 2", "\"num_hidden_layers\": 99999"), "num_hidden_layers: 99999 is out of range"},
      {changed("\"llama3\"", "\"longrope\""), "rope_scaling.rope_type: \"longrope\" is none of"},
      {changed("\"factor\": 8.0", "\"factor\": true"), "rope_scaling.factor: true is no number"},
      {changed("\"factor\": 8.0", "\"fact\": 8.0"), "rope_scaling.factor: is missing"},
      {changed("\"high_freq_factor\"", "\"high\""), "rope_scaling.high_freq_factor: is missing"},
      {changed("\"original_max_position_embeddings\"", "\"original\""),
       "rope_scaling.original_max_position_embeddings: is missing"},
      {changed("\"high_freq_factor\": 4.0", "\"high_freq_factor\": 0.5"), "must be above low_freq_factor"},
      {changed("\"rope_theta\": 10000.0", "\"rope_theta\": 0"), "rope_theta: 0 is no number from 1"},
  };
  for (const auto& [text, words] : cases) EXPECT_NE(refusal(text).find(words), std::string::npos) << refusal(text);
  const auto experts = [&](const char* family, const std::string& from, const std::string& to) {
    std::string text = tiny_configs().at(family);
    text.replace(text.find(from), from.size(), to);
    return refusal(text);
  };
  const std::tuple<const char*, const char*, const char*, const char*> of_experts[] = {
      {"mixtral", "\"num_local_experts\": 4", "\"num_local_experts\": 0", "num_local_experts: 0 is out of range"},
      {"mixtral", "\"num_experts_per_tok\": 2", "\"num_experts_per_tok\": 5", "5 of 4 experts is out of range"},
      {"qwen3_moe", "\"num_experts\": 8", "\"decoder_sparse_step\": 2, \"num_experts\": 8", "decoder_sparse_step: 2"},
      {"qwen3_moe", "\"num_experts\": 8", "\"mlp_only_layers\": [1], \"num_experts\": 8", "mlp_only_layers: a list"},
      {"qwen2_moe", "\"shared_expert_intermediate_size\": 64", "\"x\": 64",
       "shared_expert_intermediate_size: is missing"},
      {"deepseek_v3", "\"n_group\": 4", "\"n_group\": 3", "n_group: 3 groups do not divide 8 experts"},
      {"deepseek_v3", "\"n_group\": 4", "\"n_group\": 8", "8 groups of 8 experts have no two in each"},
      {"deepseek_v3", "\"topk_group\": 2", "\"topk_group\": 5", "topk_group: 5 of 4 groups is out of range"},
      {"deepseek_v3", "\"topk_group\": 2", "\"topk_group\": 1", "num_experts_per_tok: 3 of 2 experts"},
      {"deepseek_v3", "\"n_group\": 4", "\"topk_method\": \"greedy\", \"n_group\": 4", "\"greedy\" is not known"},
  };
  for (const auto& [family, from, to, words] : of_experts)
    EXPECT_NE(experts(family, from, to).find(words), std::string::npos) << experts(family, from, to);
  std::string deep(1000, '[');
  EXPECT_NE(refusal(deep).find("is no JSON"), std::string::npos);
}

/// Which layers of models with experts have a window, as transformers has it.
TEST(LanguageModel, WindowsOfModelsWithExperts) {
  const auto windowed = [](const char* family, const std::string& more) {
    std::string text = tiny_configs().at(family);
    text.insert(1, R"("use_sliding_window": true, "sliding_window": 5, )" + more);
    const Result<LanguageModel> model = read_language_model(text, "c.json");
    EXPECT_TRUE(model.ok()) << model.error().message;
    return std::vector<bool>{model->is_windowed(0), model->is_windowed(1)};
  };
  EXPECT_EQ(windowed("qwen3_moe", ""), (std::vector<bool>{true, true}));
  EXPECT_EQ(windowed("qwen2_moe", ""), (std::vector<bool>{true, false}));
  EXPECT_EQ(windowed("qwen2_moe", "\"max_window_layers\": 0, "), (std::vector<bool>{false, false}));
}

TEST(LanguageModel, TitlesNameNoFolders) {
  const auto title = [](const std::string& name) {
    std::string text = tiny_configs().at("llama");
    text.insert(1, R"("_name_or_path": ")" + name + "\", ");
    return read_language_model(text, "folder/own.json")->title;
  };
  EXPECT_EQ(title("meta-llama/Llama-3.2-1B"), "meta-llama/Llama-3.2-1B");
  EXPECT_EQ(title("/home/somebody/models/llama"), "llama");
  EXPECT_EQ(title("~/llama"), "llama");
  EXPECT_EQ(title(R"(C:\\models\\llama)"), "own");
  EXPECT_EQ(title(""), "own");
}

TEST(LanguageModel, WrongRunsAreRefused) {
  const auto refused = [](const LanguageModel& model, const LanguageRun& run) {
    GraphBuilder builder;
    append_language_step(builder, model, run);
    const Result<Graph> graph = builder.finish();
    return graph ? std::string() : graph.error().message;
  };
  EXPECT_NE(refused(preset("bert-base"), {}).find("encoder"), std::string::npos);
  EXPECT_NE(refused(tiny("gpt2"), {.context = 65}).find("table of 64 positions"), std::string::npos);
  EXPECT_NE(refused(tiny("llama"), {.dtype = DType::bfloat16, .format = WeightFormat::q8_0}).find("use dtype = f32"),
            std::string::npos);
  EXPECT_NE(refused(tiny("llama"), {.layers = 3}).find("layers = 3: "), std::string::npos)
      << "it has two: what was asked for is not cut in silence";
  LanguageModel odd = tiny("llama");
  odd.mlp = 100;
  EXPECT_NE(refused(odd, {.format = WeightFormat::q4_0}).find("rows of 100, and blocks of 32"), std::string::npos);
}

}  // namespace
}  // namespace engine
