// SPDX-License-Identifier: Apache-2.0
// Weights of files: tiny models with the logits that the transformers library computes, and files that do not fit.
#include "app/base/given_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>

#include "engine/base/read_file.h"
#include "engine/cpu/backend.h"
#include "engine/graph/builder.h"
#include "engine/runtime/plan.h"
#include "engine/workloads/llm.h"
#include "engine/workloads/transformer_weights.h"
#include "tests/support/temporary_folder.h"

namespace app {
namespace {

using engine::Result;
using engine::WeightFormat;
using nlohmann::json;

const std::filesystem::path kModels = std::filesystem::path(TENSORTIDE_TEST_DATA) / "language_models";

json expected_of(const std::string& family) {
  std::ifstream file(kModels / family / "expected.json");
  return json::parse(file);
}

engine::Graph graph_of(const std::string& family, WeightFormat format, int64_t context = 9) {
  const Result<std::string> text = engine::read_file(kModels / family / "config.json", 1 << 16);
  CHECK(text.ok());
  const Result<engine::LanguageModel> model = engine::read_language_model(*text, family);
  EXPECT_TRUE(model.ok()) << model.error().message;
  engine::GraphBuilder builder;
  engine::append_language_step(builder, *model, {.decode = false, .batch = 2, .context = context, .format = format});
  Result<engine::Graph> graph = builder.finish();
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  return *std::move(graph);
}

/// The largest distance of our logits to theirs, relative to their largest.
double distance(const std::string& family, WeightFormat format) {
  const json expected = expected_of(family);
  const Result<WeightedGraph> weighted = with_weights(graph_of(family, format), kModels / family / "model.safetensors");
  EXPECT_TRUE(weighted.ok()) << weighted.error().message;
  const auto backend = *engine::cpu::make_backend(1);
  const auto plan = *engine::Plan::make(weighted->graph, *backend);
  const engine::Tensor& tokens = plan->tensor(*weighted->graph->find("tokens"));
  for (int64_t i = 0; i < tokens.type().elements(); ++i)
    tokens.set_flat(i, expected["tokens"][static_cast<size_t>(i / 9)][static_cast<size_t>(i % 9)].get<double>());
  plan->run_step(0, nullptr);
  const engine::Tensor& logits = plan->tensor(weighted->graph->outputs()[0]);
  double most = 0, largest = 0;
  for (int64_t i = 0; i < logits.type().elements(); ++i) {
    const double wanted = expected["logits"][static_cast<size_t>(i / 24)][static_cast<size_t>(i % 24)].get<double>();
    most = std::max(most, std::abs(logits.get_flat(i) - wanted));
    largest = std::max(largest, std::abs(wanted));
  }
  EXPECT_GT(largest, 0.1);
  return most / largest;
}

TEST(GivenWeights, LogitsAreThoseOfTransformers) {
  for (const char* family : {"llama", "qwen2", "gpt2", "mixtral"}) {
    EXPECT_LT(distance(family, WeightFormat::as_dtype), 2e-6) << family;
    EXPECT_LT(distance(family, WeightFormat::bf16), 2e-6) << family;  // the files' own format
  }
}

TEST(GivenWeights, WhatDoesNotFitIsRefusedByName) {
  const auto refusal = [](const engine::Graph& graph, const std::filesystem::path& file) {
    const Result<WeightedGraph> weighted = with_weights(graph, file);
    return weighted ? std::string() : weighted.error().message;
  };
  const engine::Graph llama = graph_of("llama", WeightFormat::as_dtype);
  EXPECT_NE(
      refusal(llama, kModels / "gpt2/model.safetensors").find("has no tensor \"model.embed_tokens.weight\" 24x16"),
      std::string::npos)
      << refusal(llama, kModels / "gpt2/model.safetensors");
  EXPECT_NE(refusal(llama, "/absent.safetensors").find("[--weights] /absent.safetensors"), std::string::npos);

  // One byte of a shape changed: the header is whole, its tensors are not what is needed.
  std::ifstream in(kModels / "llama/model.safetensors", std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const size_t at = bytes.find("[24,16]");
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, 7, "[16,24]");
  const tests::TemporaryFolder folder;
  std::ofstream(folder / "w.safetensors", std::ios::binary) << bytes;
  EXPECT_NE(refusal(llama, folder / "w.safetensors").find("as 16x24, 24x16 is needed"), std::string::npos)
      << refusal(llama, folder / "w.safetensors");
}

std::string with_length(const std::string& header, const std::string& data) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(header.size() >> (8 * i) & 0xff));
  return bytes + header + data;
}

std::string refusal_of(const std::function<void(engine::GraphBuilder&)>& build, const std::string& header,
                       const std::string& data) {
  engine::GraphBuilder builder;
  build(builder);
  const engine::Graph graph = *builder.finish();
  const tests::TemporaryFolder folder;
  std::ofstream(folder / "w.safetensors", std::ios::binary) << with_length(header, data);
  const Result<WeightedGraph> weighted = with_weights(graph, folder / "w.safetensors");
  return weighted ? std::string() : weighted.error().message;
}

TEST(GivenWeights, IntegersThatAreNoBlocksAreRefused) {
  const std::string message = refusal_of(
      [](engine::GraphBuilder& b) {
        b.parameter("w", engine::TensorType::contiguous(engine::DType::int8, {4}), engine::Fill{});
      },
      R"({"w":{"dtype":"I8","shape":[4],"data_offsets":[0,4]}})", "abcd");
  EXPECT_NE(message.find("cannot fill \"w\": its i8 values have no scales"), std::string::npos) << message;
}

/// Only what a family puts before the names of its base model may be missing, and a tensor fills one parameter.
TEST(GivenWeights, OneTensorFillsOneParameter) {
  const auto build = [](const char* first, const char* second) {
    return [=](engine::GraphBuilder& b) {
      for (const char* name : {first, second})
        b.parameter(name, engine::TensorType::contiguous(engine::DType::float32, {1}), engine::Fill{});
    };
  };
  const std::string header = R"({"weight":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  EXPECT_NE(refusal_of(build("fc1.weight", "fc2.weight"), header, "abcd").find("has no tensor \"fc1.weight\""),
            std::string::npos);
  EXPECT_NE(refusal_of(build("model.weight", "bert.weight"), header, "abcd").find("two parameters want it"),
            std::string::npos);
}

/// Experts are one behind the other; each comes from a tensor of its own.
TEST(GivenWeights, ExpertsAreStacked) {
  const auto build = [](bool blocks) {
    return [=](engine::GraphBuilder& b) {
      using engine::DType, engine::TensorType;
      b.parameter("e.*.w", TensorType::contiguous(blocks ? DType::int8 : DType::float32, {2, 1, 32}), engine::Fill{});
      if (blocks)
        b.parameter("e.*.w" + std::string(engine::kScales), TensorType::contiguous(DType::float16, {2, 1, 1}),
                    engine::Fill{});
    };
  };
  const auto tensor = [](const char* name, const char* shape, int at) {
    return fmt::format(R"("{}":{{"dtype":"F32","shape":{},"data_offsets":[{},{}]}})", name, shape, at, at + 128);
  };
  std::vector<float> values;
  for (int i = 0; i < 64; ++i) values.push_back(static_cast<float>(i < 32 ? i : 1000 - i));
  const std::string data(reinterpret_cast<const char*>(values.data()), 256);
  const std::string both = "{" + tensor("e.1.w", "[1,32]", 128) + "," + tensor("e.0.w", "[1,32]", 0) + "}";
  for (const bool blocks : {false, true}) {
    engine::GraphBuilder builder;
    build(blocks)(builder);
    const engine::Graph graph = *builder.finish();
    const tests::TemporaryFolder folder;
    std::ofstream(folder / "w.safetensors", std::ios::binary) << with_length(both, data);
    const Result<WeightedGraph> weighted = with_weights(graph, folder / "w.safetensors");
    ASSERT_TRUE(weighted.ok()) << weighted.error().message;
    const auto given = [&](const char* name) { return weighted->graph->value(*weighted->graph->find(name)).data; };
    for (int64_t i = 0; i < 64; ++i) {
      double value = given("e.*.w").get_flat(i);
      if (blocks) value *= given("e.*.w:scales").get_flat(i / 32);
      EXPECT_NEAR(value, values[static_cast<size_t>(i)], blocks ? 5 : 0) << i;
    }
  }
  EXPECT_NE(
      refusal_of(build(false), "{" + tensor("e.0.w", "[1,32]", 0) + "," + tensor("e.2.w", "[1,32]", 128) + "}", data)
          .find("has no tensor \"e.1.w\" 1x32"),
      std::string::npos);
  EXPECT_NE(
      refusal_of(build(false), "{" + tensor("e.0.w", "[1,32]", 0) + "," + tensor("e.1.w", "[32,1]", 128) + "}", data)
          .find("has \"e.1.w\" as 32x1, 1x32 is needed"),
      std::string::npos);
}

/// Whatever the layout of a parameter, its elements are the file's.
TEST(GivenWeights, LayoutsOfParametersDoNotMatter) {
  engine::GraphBuilder builder;
  builder.parameter("w", engine::TensorType{engine::DType::float32, {2, 3}, {1, 2}}, engine::Fill{});
  const engine::Graph graph = *builder.finish();
  const tests::TemporaryFolder folder;
  const float values[] = {0, 1, 2, 3, 4, 5};
  std::ofstream(folder / "w.safetensors", std::ios::binary)
      << with_length(R"({"w":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}})",
                     std::string(reinterpret_cast<const char*>(values), sizeof values));
  const Result<WeightedGraph> weighted = with_weights(graph, folder / "w.safetensors");
  ASSERT_TRUE(weighted.ok()) << weighted.error().message;
  const engine::Tensor given = weighted->graph->value(*weighted->graph->find("w")).data;
  for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(given.get_flat(i), static_cast<double>(i));
}

TEST(GivenWeights, BlocksHoldNoInfinity) {
  const auto build = [](engine::GraphBuilder& b) {
    b.parameter("w", engine::TensorType::contiguous(engine::DType::int8, {1, 32}), engine::Fill{});
    b.parameter("w" + std::string(engine::kScales), engine::TensorType::contiguous(engine::DType::float16, {1, 1}),
                engine::Fill{});
  };
  const std::string header = R"({"w":{"dtype":"F32","shape":[1,32],"data_offsets":[0,128]}})";
  for (const float bad : {HUGE_VALF, -HUGE_VALF, NAN, 1e8F}) {
    std::vector<float> values(32, 1);
    values[7] = bad;
    const std::string message =
        refusal_of(build, header, std::string(reinterpret_cast<const char*>(values.data()), 128));
    EXPECT_NE(message.find("has \"w\" with values that blocks cannot hold"), std::string::npos) << bad << message;
  }
  const std::vector<float> values(32, 1);
  EXPECT_EQ(refusal_of(build, header, std::string(reinterpret_cast<const char*>(values.data()), 128)), "");
}

}  // namespace
}  // namespace app
