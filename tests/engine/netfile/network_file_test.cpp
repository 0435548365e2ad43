// SPDX-License-Identifier: Apache-2.0
// Networks from JSON: the example is what it says, every mistake is named where it stands, damaged files end in words.
#include "engine/netfile/network_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>

#include "engine/cpu/backend.h"
#include "engine/runtime/plan.h"
#include "tests/support/temporary_folder.h"

namespace engine {
namespace {

const std::string kExample = TENSORTIDE_SOURCE_DIR "/resources/workloads/small_cnn.json";

std::string example_text() {
  std::ifstream file(kExample);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string refusal(std::string_view text) {
  const Result<Workload> workload = parse_network(text, "net.json");
  return workload.ok() ? "" : workload.error().message;
}

std::string with_layer(const std::string& layer) {
  return R"({"input": [3, 8, 8], "layers": [{"type": "relu"}, )" + layer + "]}";
}

TEST(NetworkFile, TheExampleIsBuiltAndLearns) {
  const Result<Workload> workload = load_network_file(kExample);
  ASSERT_TRUE(workload.ok()) << workload.error().message;
  EXPECT_EQ(workload->title, "small residual network");
  const Result<Graph> graph = build_graph(*workload, *resolve(*workload, {{"batch", "4"}}));
  ASSERT_TRUE(graph.ok());
  EXPECT_EQ(graph->matrix_weight_count(), 16 * 3 * 9 + 32 * 16 * 9 + 32 * 32 * 9 + 32 * 16 + 10 * 32 * 8 * 8);
  auto backend = *cpu::make_backend(1);
  auto plan = Plan::make(std::make_shared<const Graph>(*graph), *backend);
  ASSERT_TRUE(plan.ok());
  const auto loss = [&] { return (*plan)->tensor(graph->outputs()[0]).get_flat(0); };
  (*plan)->run_step(0, nullptr);
  const double first = loss();
  for (uint32_t step = 1; step < 10; ++step) (*plan)->run_step(step, nullptr);
  EXPECT_TRUE(std::isfinite(first));
  EXPECT_LT(loss(), first);
}

/// Weights by hand: the table; gates x (inputs + hidden) of the LSTM; four square matrices of the attention; the head.
TEST(NetworkFile, SequencesHaveTheirLayers) {
  const Result<Workload> net = parse_network(R"({"input": {"tokens": 5, "vocabulary": 11}, "batch": 3, "layers": [
      {"type": "embedding", "units": 8}, {"type": "lstm", "units": 12, "all_steps": true}, {"type": "layer_norm"},
      {"type": "residual", "layers": [{"type": "attention", "heads": 3, "causal": true}]},
      {"type": "lstm", "units": 6}, {"type": "linear", "units": 4, "bias": false}]})",
                                             "seq.json");
  ASSERT_TRUE(net.ok()) << net.error().message;
  const Result<Graph> graph = build_graph(*net, *resolve(*net, {}));
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const int64_t lstm1 = 4 * 12 * (8 + 12), lstm2 = 4 * 6 * (12 + 6), attention = 4 * 12 * 12;
  EXPECT_EQ(graph->parameter_count(), 11 * 8 + lstm1 + 4 * 12 + 2 * 12 + attention + 4 * 12 + lstm2 + 4 * 6 + 6 * 4);
  auto backend = *cpu::make_backend(1);
  auto plan = Plan::make(std::make_shared<const Graph>(*graph), *backend);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  const auto loss = [&] { return (*plan)->tensor(graph->outputs()[0]).get_flat(0); };
  (*plan)->run_step(0, nullptr);
  const double first = loss();
  for (uint32_t step = 1; step < 20; ++step) (*plan)->run_step(step, nullptr);
  EXPECT_LT(loss(), first) << "it learns";
  EXPECT_NEAR(first, std::log(4.0), 0.2) << "four classes, unknown at first";

  EXPECT_NE(refusal(R"({"input": [5, 8], "layers": [{"type": "embedding", "units": 8}]})").find("needs tokens"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"input": [5, 8], "layers": [{"type": "attention", "heads": 3}]})")
                .find("3 heads must divide the 8 values"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"input": [8], "layers": [{"type": "lstm", "units": 3}]})").find("[batch, steps, values]"),
            std::string::npos);
}

TEST(NetworkFile, EachMistakeIsNamedWhereItStands) {
  const std::pair<std::string, std::string> cases[] = {
      {"{", "[net.json] is no JSON from line 1, column 2"},
      {"{\n \"input\": [3],\n \"layers\": [1,, 2]}", "[net.json] is no JSON from line 3, column 15"},
      {"", "[net.json] is no JSON from line 1, column 1"},
      {R"({"input": [1e999]})", "[net.json] holds a number that is out of range"},
      {"[]", "[net.json] [] is no object"},
      {R"({"input": [3, 8, 8]})", "[net.json] layers: is missing"},
      {R"({"input": [3, 8, 8, 8], "layers": []})", "[net.json] input: [3,8,8,8] is neither"},
      {R"({"input": [3], "layers": [], "optimiser": 1})", "did you mean \"optimizer\"?"},
      {R"({"input": [3], "layers": [{"type": "linear", "units": 2}], "optimizer": {"learning_rate": -1}})",
       "[net.json] optimizer.learning_rate: -1 is no number from 0 to 1000"},
      {with_layer(R"({"type": "conv", "filters": 2})"), R"([net.json] layers[1].type: "conv" is none of)"},
      {with_layer(R"({"type": "conv2d", "filters": 2})"), "[net.json] layers[1].kernel: is missing"},
      {with_layer(R"({"type": "conv2d", "filters": 2.5, "kernel": 1})"),
       "[net.json] layers[1].filters: 2.5 is no whole number"},
      {with_layer(R"({"type": "conv2d", "filters": 0, "kernel": 1})"),
       "[net.json] layers[1].filters: 0 is less than 1"},
      {with_layer(R"({"type": "conv2d", "filters": 18446744073709551615, "kernel": 1})"),
       "is no whole number up to 2^62"},
      {with_layer(R"({"type": "conv2d", "filters": 2, "kernel": 1, "paddings": 1})"), "did you mean \"padding\"?"},
      {with_layer(R"({"type": "residual", "layers": [{"type": "conv2d", "filters": 2, "kernel": "3"}]})"),
       R"([net.json] layers[1].layers[0].kernel: "3" is no whole number)"},
      {with_layer(R"({"type": "concat", "branches": 1})"), "[net.json] layers[1].branches: 1 is no array"},
      {with_layer(R"({"type": "linear", "units": 2})"), "but puts out f32 32x3x8x2"},
      {with_layer(R"({"type": "max_pool", "kernel": 9})"), "[net.json] 1.max_pool: [max_pool2d]"},
      {with_layer(R"({"type": "conv2d", "filters": 4611686018427387904, "kernel": 4611686018427387904})"),
       "[net.json] "}};
  for (const auto& [text, wanted] : cases) {
    EXPECT_NE(refusal(text).find(wanted), std::string::npos) << text << "\n" << refusal(text);
  }
}

/// Every field of every kind of layer, given as a text, is refused where it stands.
TEST(NetworkFile, EachFieldIsNamedWhenItIsOfTheWrongKind) {
  const std::pair<std::string, std::vector<std::string>> layers[] = {
      {R"("type": "conv2d", "filters": 2, "kernel": 1)", {"filters", "kernel", "stride", "padding", "groups", "bias"}},
      {R"("type": "linear", "units": 2)", {"units", "bias"}},
      {R"("type": "max_pool", "kernel": 2)", {"kernel", "stride", "padding"}},
      {R"("type": "average_pool", "kernel": 2)", {"kernel", "stride", "padding"}},
      {R"("type": "dropout")", {"probability"}},
      {R"("type": "block", "layers": [])", {"layers"}},
      {R"("type": "residual", "layers": [])", {"layers", "shortcut"}},
      {R"("type": "concat", "branches": [[]])", {"branches"}}};
  for (const auto& [layer, fields] : layers) {
    for (const std::string& field : fields) {
      nlohmann::json damaged = nlohmann::json::parse("{" + layer + "}");
      damaged[field] = "much";
      const std::string message = refusal(with_layer(damaged.dump()));
      EXPECT_TRUE(message.starts_with("[net.json] layers[1]." + field + ": \"much\" is n"))
          << layer << " " << field << "\n"
          << message;
    }
    const std::string message = refusal(with_layer("{" + layer + ", \"name\": 3}"));
    EXPECT_TRUE(message.starts_with("[net.json] layers[1].name: 3 is no text")) << message;
  }
  for (const char* field : {"name", "description", "loss", "batch", "input", "layers", "optimizer"}) {
    nlohmann::json damaged = nlohmann::json::parse(R"({"input": [3], "layers": [{"type": "linear", "units": 2}]})");
    damaged[field] = {{"a", 1}};
    const std::string message = refusal(damaged.dump());
    EXPECT_TRUE(message.starts_with(std::string("[net.json] ") + field + ": ")) << message;
  }
  for (const char* field : {"type", "learning_rate", "momentum"}) {
    const std::string message =
        refusal(std::string(R"({"input": [3], "layers": [{"type": "linear", "units": 2}], "optimizer": {")") + field +
                "\": [1]}}");
    EXPECT_TRUE(message.starts_with(std::string("[net.json] optimizer.") + field + ": [1] is no")) << message;
  }
  EXPECT_NE(refusal(with_layer(R"({"type": "dropout", "probability": 1})"))
                .find("layers[1].probability: 1 is no number from 0 to below 1"),
            std::string::npos);
}

TEST(NetworkFile, WhatWouldBeTakenSilentlyIsRefused) {
  const std::string linear = R"("input": [3], "layers": [{"type": "linear", "units": 2}])";
  EXPECT_NE(refusal("{" + linear + R"(, "batch": 2, "batch": 4})").find("the field \"batch\" is there twice"),
            std::string::npos);
  EXPECT_NE(
      refusal(with_layer(R"({"type": "linear", "units": 2, "units": 3})")).find("the field \"units\" is there twice"),
      std::string::npos);
  EXPECT_EQ(refusal("{" + linear + R"(, "batch": 2, "optimizer": {"type": "sgd", "momentum": 0.5}})"), "");
  EXPECT_EQ(refusal("{" + linear + R"(, "optimizer": {"type": "adam", "learning_rate": 0.1}})"), "");
  EXPECT_NE(refusal("{" + linear + R"(, "optimizer": {"type": "adam", "momentum": 0.5}})")
                .find("optimizer.momentum: belongs to sgd; adam has none"),
            std::string::npos);
  for (const char* const text : {R"(\u001b[31mred)", R"(a\nb)", R"(\u007f)"}) {
    const std::string message = refusal("{" + linear + R"(, "name": ")" + text + "\"}");
    EXPECT_EQ(message, "[net.json] name: has control characters, which a terminal would obey");
  }
}

TEST(NetworkFile, DropoutDropsInTrainingAlone) {
  const Result<Workload> workload = parse_network(
      R"({"input": [6], "layers": [{"type": "tanh"}, {"type": "dropout", "probability": 0.25}, {"type": "linear", "units": 4},
          {"type": "gelu"}, {"type": "dropout"}, {"type": "linear", "units": 2}]})",
      "net.json");
  ASSERT_TRUE(workload.ok()) << workload.error().message;
  const auto seeds = [&](const char* mode) {
    std::vector<std::pair<double, int64_t>> found;
    const Graph graph = *build_graph(*workload, *resolve(*workload, {{"mode", mode}}));
    for (const Node& node : graph.nodes()) {
      if (node.op->name == "dropout" && node.phase == Phase::forward)
        found.emplace_back(node.attributes.get_double("ratio", 0), node.attributes.get_int("seed", 0));
    }
    return found;
  };
  EXPECT_EQ(seeds("training"), (std::vector<std::pair<double, int64_t>>{{0.25, 0}, {0.5, 1}}));
  EXPECT_TRUE(seeds("inference").empty());
}

TEST(NetworkFile, LayersNestNoDeeperThanTheReaderGoes) {
  std::string nested = R"({"type": "relu"})";
  for (int i = 0; i < 20; ++i) nested = R"({"type": "block", "layers": [)" + nested + "]}";
  EXPECT_NE(refusal(with_layer(nested)).find("at most 16 deep"), std::string::npos);
}

TEST(NetworkFile, ArraysInArraysEndInWords) {
  const std::string deep = std::string(200000, '[') + std::string(200000, ']');
  EXPECT_EQ(refusal(R"({"input": [[1]]})"), "[net.json] input[0]: [1] is no whole number up to 2^62");
  EXPECT_EQ(refusal("{\"input\": " + deep + "}"),
            "[net.json] 200001 brackets are open at once; a network has at most 200");
}

TEST(NetworkFile, AFileThatIsNotThereIsRefusedByName) {
  const Result<Workload> missing = load_network_file("/nowhere/net.json");
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().message.find("/nowhere/net.json: cannot be read"), std::string::npos);
}

TEST(NetworkFile, DamagedFilesEndInWordsOrBuild) {
  const std::string whole = example_text();
  ASSERT_FALSE(whole.empty());
  std::mt19937 random(1);
  const std::string_view bytes = "0129-{}[]\",:. ae\xff";
  int refused = 0;
  for (int i = 0; i < 1500; ++i) {
    std::string text = whole;
    for (int change = 0; change < 1 + i % 3; ++change) text[random() % text.size()] = bytes[random() % bytes.size()];
    if (i % 10 == 0) text.resize(random() % text.size());
    const std::string message = refusal(text);
    if (!message.empty()) ++refused;
    EXPECT_TRUE(message.empty() || message.starts_with("[net.json] ")) << message;
  }
  EXPECT_GT(refused, 500);
}

TEST(NetworkFile, ATraceWithTheSameWordsIsNoNetwork) {
  tests::TemporaryFolder folder;
  const auto looks = [&](const std::string& text) {
    const auto file = folder / "x.json";
    std::ofstream(file) << text;
    return looks_like_network_file(file.string());
  };
  EXPECT_TRUE(looks(R"({"input": [3, 8, 8], "layers": []})"));
  EXPECT_FALSE(looks(R"({"traceEvents": [{"ph": "X", "name": "input", "args": {"layers": 3, "input": 1}}]})"));
  EXPECT_FALSE(looks("{}"));
}

}  // namespace
}  // namespace engine
