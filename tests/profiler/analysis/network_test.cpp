// SPDX-License-Identifier: Apache-2.0
// The network of a capture: nodes and edges of a net written by hand, views, figures of layers, traces without edges.
#include "profiler/analysis/network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "profiler/analysis/step_shares.h"
#include "profiler/analysis/tables/tables.h"
#include "tests/support/network_lab.h"
#include "tests/support/sample_capture.h"

namespace profiler {
namespace {

using tests::NetworkLab;

std::vector<std::pair<OpId, OpId>> pairs(const Network& net) {
  std::vector<std::pair<OpId, OpId>> all;
  for (const NetworkEdge& edge : net.edges) all.emplace_back(edge.from, edge.to);
  return all;
}

TEST(Network, NodesAndEdgesAreThoseOfTheNetByHand) {
  NetworkLab lab;
  const TensorId x = lab.tensor("x", Role::input, true), w = lab.tensor("w", Role::weight, true), a = lab.tensor("a"),
                 b = lab.tensor("b"), c = lab.tensor("c");
  const OpId first = lab.op("net.fc", "linear", {x, w}, {a}), second = lab.op("net", "relu", {a}, {b}),
             third = lab.op("net", "add", {a, b}, {c}), fourth = lab.op("", "mul", {c, c}, {lab.tensor("d")});
  const Network net = network(*lab.analyzed());
  EXPECT_EQ(net.ops.size(), 4u);
  EXPECT_EQ(pairs(net),
            (std::vector<std::pair<OpId, OpId>>{{first, second}, {first, third}, {second, third}, {third, fourth}}))
      << "inputs and weights were there before; what is read twice is one edge";
  EXPECT_EQ(net.edges.back().bytes, 2 * NetworkLab::kBytes);
  ASSERT_EQ(net.layers.size(), 2u);
  EXPECT_EQ(net.layers[0].path, "net");
  EXPECT_EQ(net.layers[1].path, "net.fc");
  EXPECT_EQ(net.layers[1].name, "fc");
  EXPECT_EQ(net.layers[1].parent, 0u);
  EXPECT_EQ(net.layers[0].passes[0].ops, 3u) << "layers inside count too";
  EXPECT_EQ(net.layers[0].weight_bytes, NetworkLab::kBytes);
  EXPECT_EQ(net.layer_of[fourth], kNoNetworkLayer);
}

TEST(Network, AViewIsANodeWhoseEdgeMovesNothing) {
  NetworkLab lab;
  const TensorId a = lab.tensor("a"), flat = lab.view_of(a, "flat"), b = lab.tensor("b");
  const OpId make = lab.op("", "fill", {}, {a}), reshape = lab.op("", "reshape", {a}, {flat}, Phase::forward, true),
             use = lab.op("", "relu", {flat}, {b});
  const Network net = network(*lab.analyzed());
  EXPECT_EQ(pairs(net), (std::vector<std::pair<OpId, OpId>>{{make, reshape}, {reshape, use}}));
  EXPECT_EQ(net.edges[0].bytes, 0);
  EXPECT_EQ(net.edges[1].bytes, NetworkLab::kBytes);
}

TEST(Network, WhoReadsAnAliasReadsWhatWasWrittenToItsStorage) {
  NetworkLab lab;
  const TensorId a = lab.tensor("a"), alias = lab.view_of(a, "alias");
  const OpId make = lab.op("", "fill", {}, {a}), use = lab.op("", "relu", {alias}, {lab.tensor("b")});
  EXPECT_EQ(pairs(network(*lab.analyzed())), (std::vector<std::pair<OpId, OpId>>{{make, use}}));
}

TEST(Network, FiguresOfLayersAddUpToTheStep) {
  const auto analyzed = analyze(tests::sample_capture());
  const Network net = network(*analyzed);
  double time = 0, of_layers = 0;
  size_t ops = 0;
  for (OpId op = 0; op < net.ops.size(); ++op)
    if (const double t = time_of(*analyzed, op); !std::isnan(t)) time += t;
  for (const NetworkLayer& layer : net.layers) {
    if (layer.parent != kNoNetworkLayer) continue;
    for (const NetworkFigures& pass : layer.passes) {
      ops += pass.ops;
      if (!std::isnan(pass.time_ns)) of_layers += pass.time_ns;
    }
  }
  for (OpId op = 0; op < net.ops.size(); ++op) {
    if (net.layer_of[op] != kNoNetworkLayer) continue;
    ++ops;
    if (!std::isnan(net.ops[op].time_ns)) of_layers += net.ops[op].time_ns;
  }
  EXPECT_EQ(ops, net.ops.size());
  EXPECT_NEAR(of_layers, time, 1e-6 * time);
  EXPECT_EQ(std::accumulate(net.ops_in.begin(), net.ops_in.end(), size_t{0}), net.ops.size());
}

TEST(Network, PathsOfAnyDepthEndAtTheLimit) {
  NetworkLab lab;
  std::string path = "a";
  for (int i = 0; i < 1000; ++i) path += ".a";
  lab.op(path, "relu", {lab.tensor("x")}, {lab.tensor("y")});
  const Network net = network(*lab.analyzed());
  EXPECT_EQ(net.layers.size(), kMostLayerDepth);
  EXPECT_EQ(net.layers.back().path, path);
}

TEST(Network, TheTableHasARowPerEdge) {
  NetworkLab lab;
  lab.training_step(2);
  const auto analyzed = lab.analyzed();
  const Network net = network(*analyzed);
  const auto table = table_by_name(*analyzed, "network", OpsBy::op);
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->rows.size(), net.edges.size());
  EXPECT_EQ(std::get<std::string>(table->rows[0][0]), "block0.attention.query/linear");
  EXPECT_EQ(std::get<std::string>(table->rows[0][1]), "block0.attention/attention");
  ASSERT_EQ(network_sentences(*analyzed).size(), 1u);
  EXPECT_TRUE(network_sentences(*analyzed)[0].starts_with("44 ops in 17 layers; ")) << network_sentences(*analyzed)[0];
}

TEST(Network, AnImportedTraceWithoutEdgesSaysSo) {
  NetworkLab lab;
  lab.op("a", "relu", {}, {});
  lab.op("b", "relu", {}, {});
  lab.builder().run().source = "PyTorch (Kineto) trace";
  const auto analyzed = lab.analyzed();
  EXPECT_EQ(no_network_words(*analyzed->capture), "The trace does not hold which op reads what another op wrote.");
  const auto entry = find_table("network");
  ASSERT_TRUE(entry.ok());
  EXPECT_EQ(why_empty(**entry, *analyzed), "No rows: " + no_network_words(*analyzed->capture));
  EXPECT_EQ(no_network_words(*tests::sample_capture()), "");
}

}  // namespace
}  // namespace profiler
