// SPDX-License-Identifier: Apache-2.0
// Every workload goes through a file and computes the same, bit for bit; each mistake is named where it stands.
#include "engine/netfile/graph_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>

#include "engine/cpu/backend.h"
#include "engine/graph/builder.h"
#include "engine/ops/ops.h"
#include "engine/runtime/plan.h"

namespace engine {
namespace {

std::shared_ptr<const Graph> small_graph(const Workload& workload) {
  Result<Graph> built = build_graph(workload, *resolve(workload, workload.small));
  EXPECT_TRUE(built.ok()) << workload.name;
  return built.ok() ? std::make_shared<const Graph>(*std::move(built)) : nullptr;
}

/// Outputs after one step; empty: this graph is not for one device.
std::vector<std::vector<double>> outputs_of(const std::shared_ptr<const Graph>& graph, Backend& backend) {
  const auto plan = Plan::make(graph, backend);
  if (!plan) return {};
  (*plan)->run_step(0, nullptr);
  std::vector<std::vector<double>> all;
  for (const ValueId id : graph->outputs()) {
    const Tensor& tensor = (*plan)->tensor(id);
    all.emplace_back();
    for (int64_t i = 0; i < tensor.type().elements(); ++i) all.back().push_back(tensor.get_flat(i));
  }
  return all;
}

TEST(GraphFile, EveryWorkloadComesBackAndComputesTheSame) {
  const auto backend = *cpu::make_backend(1);
  int computed = 0;
  for (const Workload& workload : workloads()) {
    const auto graph = small_graph(workload);
    ASSERT_NE(graph, nullptr);
    const Result<std::string> text = graph_to_json(*graph, workload.title);
    ASSERT_TRUE(text.ok()) << workload.name << ": " << text.error().message;
    const Result<Workload> read = parse_graph_file(*text, "net.json");
    ASSERT_TRUE(read.ok()) << workload.name << ": " << read.error().message;
    const auto again = std::make_shared<const Graph>(*build_graph(*read, {}));
    ASSERT_EQ(again->nodes().size(), graph->nodes().size()) << workload.name;
    for (size_t i = 0; i < graph->nodes().size(); ++i) {
      ASSERT_EQ(again->nodes()[i].op, graph->nodes()[i].op) << workload.name << " " << i;
      ASSERT_EQ(again->nodes()[i].attributes, graph->nodes()[i].attributes) << workload.name << " " << i;
      ASSERT_EQ(again->nodes()[i].layer, graph->nodes()[i].layer) << workload.name << " " << i;
    }
    EXPECT_EQ(again->parameter_count(), graph->parameter_count()) << workload.name;
    EXPECT_EQ(again->flops(), graph->flops()) << workload.name;
    const auto before = outputs_of(graph, *backend), after = outputs_of(again, *backend);
    ASSERT_EQ(before.size(), after.size()) << workload.name;
    for (size_t i = 0; i < before.size(); ++i) {
      ASSERT_EQ(before[i].size(), after[i].size()) << workload.name;
      EXPECT_EQ(std::memcmp(before[i].data(), after[i].data(), 8 * before[i].size()), 0) << workload.name;
    }
    computed += before.empty() ? 0 : 1;
    EXPECT_EQ(*graph_to_json(*again, workload.title),
              *graph_to_json(*std::make_shared<const Graph>(*build_graph(*parse_graph_file(*text, "b"), {})),
                             workload.title));
  }
  EXPECT_GT(computed, 25);
}

/// What was given for an input comes back; what a pass of the importer folded into others is no part of the file.
TEST(GraphFile, GivenInputsComeBackAndForgottenConstantsDoNot) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", TensorType::contiguous(DType::float32, {3}), Fill{Fill::Kind::uniform, 0, 1},
                                  *Tensor::from_values({3}, std::vector<double>{7, -8, 0.5}, DType::float32));
  const ValueId folded = builder.constant("folded", *Tensor::from_values({1}, std::vector<double>{1}, DType::float32));
  builder.mark_output(ops::scale(builder, x, 2.0));
  builder.forget(folded);
  const auto graph = std::make_shared<const Graph>(*builder.finish());
  const Result<std::string> text = graph_to_json(*graph, "given");
  ASSERT_TRUE(text.ok()) << text.error().message;
  EXPECT_EQ(text->find("folded"), std::string::npos);
  const auto again = std::make_shared<const Graph>(*build_graph(*parse_graph_file(*text, "net.json"), {}));
  const auto backend = *cpu::make_backend(1);
  EXPECT_EQ(outputs_of(again, *backend), (std::vector<std::vector<double>>{{14, -16, 1}}));

  std::string shorter = *text;
  shorter.replace(shorter.find("-8.0"), 4, "\"x\"");
  EXPECT_NE(parse_graph_file(shorter, "net.json").error().message.find("data"), std::string::npos);
}

std::string refusal(const std::string& text) {
  const Result<Workload> read = parse_graph_file(text, "net.json");
  return read.ok() ? "" : read.error().message;
}

TEST(GraphFile, EachMistakeIsNamedWhereItStands) {
  const std::string text = *graph_to_json(*small_graph(**find_workload("gemm")), "gemm");
  EXPECT_EQ(refusal(text), "");
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) changed.replace(at, from.size(), to);
    return refusal(changed);
  };
  EXPECT_NE(with("\"matmul\"", "\"matmull\"").find("[net.json] nodes[0].op: \"matmull\" is no op"), std::string::npos);
  EXPECT_NE(with("\"f32\"", "\"f33\"").find("values[0].dtype: \"f33\" is no data type"), std::string::npos);
  EXPECT_NE(with("\"tensortide_graph\": 1", "\"tensortide_graph\": 2").find("version"), std::string::npos);
  EXPECT_NE(with("\"role\": \"input\"", "\"role\": \"guest\"").find("is no role"), std::string::npos);
  EXPECT_NE(with("\"uniform\"", "\"even\"").find("values[0].fill"), std::string::npos);
  EXPECT_NE(refusal("{").find("is no JSON"), std::string::npos);
  EXPECT_NE(refusal("[]").find("another program or version"), std::string::npos);
}

/// Damaged files end in words.
TEST(GraphFile, DamagedFilesEndInWords) {
  const std::string text = *graph_to_json(*small_graph(**find_workload("mlp")), "mlp");
  std::mt19937 random(3);
  int refused = 0;
  for (int i = 0; i < 400; ++i) {
    std::string damaged = text;
    for (int k = 0; k < 3; ++k) damaged[random() % damaged.size()] = static_cast<char>('0' + random() % 75);
    refused += parse_graph_file(damaged, "net.json").ok() ? 0 : 1;
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace engine
