// SPDX-License-Identifier: Apache-2.0
// The networks against published counts: parameters, FLOPs, layer names. Sources: Shi et al., arXiv
// 1608.07249, as defined by the scripts of dlbench, tag v7; torchvision's resnet50 (25,557,032
// parameters).
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "engine/workloads/workload.h"

namespace engine {
namespace {

Graph build(std::string_view name, const Arguments& given) {
  const Workload* workload = *find_workload(name);
  Result<Graph> graph = build_graph(*workload, *resolve(*workload, given));
  CHECK(graph.ok());
  return std::move(*graph);
}

Graph preset(std::string_view workload_name, std::string_view preset_name, const Arguments& changed = {}) {
  const Workload* workload = *find_workload(workload_name);
  const auto found = std::ranges::find(workload->presets, preset_name, &Preset::name);
  CHECK(found != workload->presets.end());
  Arguments arguments = changed;
  arguments.insert(found->arguments.begin(), found->arguments.end());
  return build(workload_name, arguments);
}

double giga(double flops) { return flops / 1e9; }

TEST(Networks, FcnSHasThePublishedCounts) {
  const Graph training = preset("mlp", "fcn-s");
  EXPECT_EQ(training.matrix_weight_count(), 26752 * 2048 * 2 + 2048 * 2048 * 2);
  EXPECT_EQ(training.parameter_count(), 26752 * 2048 * 2 + 2048 * 2048 * 2 + 3 * 2048 + 26752);
  EXPECT_NEAR(training.flops(Phase::forward, true) / 64 / 1e6, 235.9, 0.05);
  EXPECT_NEAR(giga(training.flops({}, true)), 38.3, 0.05);
}

TEST(Networks, FcnRHasThePublishedCounts) {
  const Graph training = preset("mlp", "fcn-r");
  EXPECT_EQ(training.matrix_weight_count(), 784 * 2048 + 2048 * 4096 + 4096 * 1024 + 1024 * 10);
  EXPECT_NEAR(training.flops(Phase::forward, true) / 1024 / 1e6, 28.4, 0.05);
  EXPECT_NEAR(giga(training.flops({}, true)), 83.9, 0.05);
}

TEST(Networks, ResNet50HasThePublishedCounts) {
  const Graph torchvision = build("resnet50", {{"batch", "16"}});
  EXPECT_EQ(torchvision.parameter_count(), 25'557'032);
  EXPECT_NEAR(static_cast<double>(torchvision.matrix_weight_count()) / 1e6, 25.5, 0.05);
  EXPECT_NEAR(torchvision.flops(Phase::forward, true) / 16 / 1e6, 8178, 0.5);
  EXPECT_NEAR(giga(torchvision.flops({}, true)), 389, 0.5);

  const Graph paper = preset("resnet50", "shi2016");
  EXPECT_EQ(paper.parameter_count(), 25'557'032);
  EXPECT_NEAR(paper.flops(Phase::forward, true) / 16 / 1e6, 7716, 0.5);
  EXPECT_NEAR(giga(paper.flops({}, true)), 367, 0.5);
}

TEST(Networks, AlexNetSHasThePublishedCounts) {
  const Graph training = preset("alexnet", "alexnet-s");
  EXPECT_NEAR(static_cast<double>(training.matrix_weight_count()) / 1e6, 62.4, 0.05);
  EXPECT_NEAR(training.flops(Phase::forward, true) / 16 / 1e6, 2271, 0.5);
  EXPECT_NEAR(giga(training.flops({}, true)), 105.5, 0.5);
}

TEST(Networks, AlexNetRHasThePublishedCounts) {
  const Graph training = preset("alexnet", "alexnet-r");
  EXPECT_EQ(training.matrix_weight_count(), 3 * 32 * 25 + 32 * 32 * 25 + 32 * 64 * 25 + 3 * 3 * 64 * 10);
  EXPECT_NEAR(training.flops(Phase::forward, true) / 1024 / 1e6, 21.5, 0.05);
  EXPECT_NEAR(giga(training.flops({}, true)), 60.9, 0.05);
}

TEST(Networks, ResNet56HasThePublishedCounts) {
  const Graph training = preset("resnet56", "shi2016");
  EXPECT_EQ(training.matrix_weight_count(), 848'944);
  EXPECT_NEAR(training.flops(Phase::forward, true) / 128 / 1e6, 251.0, 0.05);
  EXPECT_NEAR(giga(training.flops({}, true)), 96.3, 0.05);
}

TEST(Networks, LstmHasThePublishedCounts) {
  for (const char* steps : {"fused", "unrolled"}) {
    const Graph training = preset("lstm", "shi2016", {{"steps", steps}});
    EXPECT_EQ(training.matrix_weight_count(), 2 * 4 * 256 * 512 + 256 * 10'000) << steps;
    EXPECT_NEAR(static_cast<double>(training.parameter_count()) / 1e6, 6.18, 0.005) << steps;
    EXPECT_NEAR(training.flops(Phase::forward, true) / (128 * 32) / 1e6, 7.22, 0.02) << steps;
    EXPECT_NEAR(giga(training.flops({}, true)), 88.7, 1.0) << steps;
  }
}

TEST(Networks, Gpt2HasThePublishedParametersAndReadsItsCache) {
  const Graph decode = preset("gpt", "gpt2-decode"), prefill = preset("gpt", "gpt2-prefill");
  EXPECT_EQ(decode.parameter_count(), 124'439'808);
  EXPECT_EQ(prefill.parameter_count(), 124'439'808);
  // One token: each of the 123.7 M weights of matrices is used once; attention adds 4 * 768 * 1024 per layer.
  const double weights = 12.0 * 12 * 768 * 768 + 50257.0 * 768;
  EXPECT_NEAR(decode.flops({}, true), 2 * weights + 12.0 * 4 * 768 * 1024, 0.01 * weights);
  int64_t cache_bytes = 0, written = 0;
  for (const Value& value : decode.values()) {
    if (value.name.ends_with("_cache")) cache_bytes += value.type.distinct_bytes();
  }
  for (const Node& node : decode.nodes()) {
    if (node.op->name == "write_slice") written += decode.cost(node).written_bytes[0];
  }
  EXPECT_EQ(cache_bytes, int64_t{12} * 2 * 1024 * 768 * 4);
  EXPECT_EQ(written, int64_t{12} * 2 * 768 * 4);  // one position alone
}

TEST(Networks, FewerHeadsOfKeysShareASmallerCache) {
  const auto cache_bytes = [](const char* kv_heads) {
    const Graph graph = build("gpt", {{"kv_heads", kv_heads}});
    int64_t bytes = 0;
    for (const Value& value : graph.values()) {
      if (value.name.ends_with("_cache")) bytes += value.type.distinct_bytes();
    }
    return bytes;
  };
  EXPECT_EQ(cache_bytes("3") * 4, cache_bytes("0"));
}

TEST(Networks, HeadsThatDoNotDivideAreRefusedInWords) {
  const Workload* gpt = *find_workload("gpt");
  const Result<Graph> heads = build_graph(*gpt, *resolve(*gpt, {{"heads", "7"}}));
  ASSERT_FALSE(heads.ok());
  EXPECT_EQ(heads.error().message, "heads = 7 must divide width = 768");
  const Result<Graph> shared = build_graph(*gpt, *resolve(*gpt, {{"kv_heads", "5"}}));
  ASSERT_FALSE(shared.ok());
  EXPECT_EQ(shared.error().message, "kv_heads = 5 must divide heads = 12");
}

TEST(Networks, ATreeHasOneNodeLessThanLeavesWhateverItsShape) {
  std::set<std::vector<std::string>> shapes;
  for (const char* tree : {"1", "2", "3"}) {
    const Graph graph = build("tree", {{"leaves", "20"}, {"tree", tree}, {"mode", "inference"}});
    std::vector<std::string> layers;
    for (const Node& node : graph.nodes()) {
      if (node.op->name == "tanh") layers.push_back(node.layer);
    }
    EXPECT_EQ(layers.size(), 19u) << tree;
    shapes.insert(layers);
  }
  EXPECT_EQ(shapes.size(), 3u);
}

// Parameters as published, or as torchvision counts them; GoogLeNet's are those of Caffe's bvlc_googlenet without the
// auxiliary classifiers, MobileNet v1's those of Keras that are trained.
TEST(Networks, ConvolutionalNetworksHaveThePublishedParameters) {
  EXPECT_EQ(build("vgg", {{"mode", "inference"}}).parameter_count(), 138'357'544);
  EXPECT_EQ(build("vgg", {{"mode", "inference"}, {"depth", "19"}}).parameter_count(), 143'667'240);
  EXPECT_EQ(build("inception", {}).parameter_count(), 6'998'552);
  EXPECT_EQ(build("squeezenet", {}).parameter_count(), 1'248'424);
  EXPECT_EQ(build("densenet", {}).parameter_count(), 7'978'856);
  EXPECT_EQ(build("mobilenet", {{"version", "v1"}}).parameter_count(), 4'231'976);
  EXPECT_EQ(build("mobilenet", {}).parameter_count(), 3'504'872);
}

TEST(Networks, ConvolutionalNetworksDoThePublishedArithmetic) {
  const auto forward = [](std::string_view name, Arguments arguments) {
    arguments["batch"] = "1";
    arguments["mode"] = "inference";
    return giga(build(name, arguments).flops(Phase::forward, true));
  };
  EXPECT_NEAR(forward("vgg", {}), 30.94, 0.01);                          // 15.47 G multiply-adds
  EXPECT_NEAR(forward("vgg", {{"depth", "19"}}), 39.26, 0.01);           // 19.63
  EXPECT_NEAR(forward("densenet", {}), 5.67, 0.01);                      // 2.83
  EXPECT_NEAR(forward("mobilenet", {{"version", "v1"}}), 1.138, 0.005);  // 0.569, the paper's table 4
  EXPECT_NEAR(forward("mobilenet", {}), 0.602, 0.005);                   // 0.300, the paper's table 4
}

// Training = 3 x forward less the input gradient of the first layer, which nobody wants.
TEST(Networks, TrainingComputesNoGradientOfTheInput) {
  for (const char* name : {"fcn-s", "fcn-r"}) {
    const Graph training = preset("mlp", name);
    const Graph inference = preset("mlp", name, {{"mode", "inference"}});
    const double forward = inference.flops(Phase::forward, true);
    const Node& first = inference.nodes().front();
    EXPECT_DOUBLE_EQ(training.flops({}, true),
                     3 * forward - 2.0 * static_cast<double>(inference.value(first.inputs[1]).type.elements()) *
                                       static_cast<double>(inference.value(first.inputs[0]).type.shape[0]))
        << name;
  }
}

TEST(Networks, InferenceHasNoBackwardAndNoOptimiser) {
  for (const char* name : {"mlp", "resnet50"}) {
    const Graph graph = build(name, {{"mode", "inference"}});
    for (const Node& node : graph.nodes()) EXPECT_EQ(node.phase, Phase::forward) << node.layer;
    for (const Value& value : graph.values()) {
      EXPECT_TRUE(value.role != Role::gradient && value.role != Role::optimizer_state) << value.name;
    }
  }
}

TEST(Networks, MomentumHasOneBufferPerParameter) {
  const auto count_state = [](const Graph& graph) {
    return std::ranges::count(graph.values(), Role::optimizer_state, [](const Value& value) {
      return value.kind == ValueKind::state ? value.role : Role::activation;
    });
  };
  EXPECT_EQ(count_state(build("mlp", {{"momentum", "0.9"}})), 6);
  EXPECT_EQ(count_state(build("mlp", {{"momentum", "0"}})), 0);
}

TEST(Networks, ResNet50LayersAreNamedAsInTorchvision) {
  const Graph graph = build("resnet50", {});
  for (const char* name :
       {"conv1.weight", "bn1.weight", "bn1.running_mean", "layer1.0.conv2.weight", "layer1.0.downsample.0.weight",
        "layer2.3.bn3.bias", "layer4.2.conv3.weight", "fc.weight", "fc.bias"}) {
    EXPECT_TRUE(graph.find(name).has_value()) << name;
  }
  std::set<std::string> layers;
  for (const Node& node : graph.nodes()) layers.insert(node.layer);
  for (const char* layer :
       {"conv1", "bn1", "maxpool", "layer3.5.conv1", "layer4.0.downsample.1", "avgpool", "fc", "loss"}) {
    EXPECT_TRUE(layers.contains(layer)) << layer;
  }
}

TEST(Networks, ResNet50ImagesLieChannelsLast) {
  const Graph graph = build("resnet50", {{"mode", "inference"}});
  for (const Node& node : graph.nodes()) {
    if (node.op->name != "conv2d") continue;
    const TensorType& output = graph.value(node.outputs[0]).type;
    EXPECT_TRUE(is_channels_last(output.shape, output.strides)) << node.layer;
  }
}

TEST(Networks, ResNet50TakesSmallImages) {
  const Graph graph = build("resnet50", {{"image_size", "1"}, {"classes", "7"}, {"mode", "inference"}});
  EXPECT_EQ(graph.value(graph.outputs()[0]).type.shape, (Shape{4, 7}));
}

TEST(Networks, GemmCountsTwoFlopsPerMultiplyAdd) {
  for (const char* transposed : {"no", "yes"}) {
    const Graph graph = build("gemm", {{"m", "3"}, {"n", "5"}, {"k", "7"}, {"transposed_b", transposed}});
    EXPECT_DOUBLE_EQ(graph.flops(), 2.0 * 3 * 5 * 7);
    EXPECT_EQ(graph.value(graph.outputs()[0]).type.shape, (Shape{3, 5}));
  }
}

TEST(Networks, StreamMovesTheBytesMcCalpinCounts) {
  const std::map<std::string, std::pair<int64_t, double>> arrays_and_flops{
      {"copy", {2, 0}}, {"scale", {2, 1}}, {"add", {3, 1}}, {"triad", {3, 2}}};
  for (const auto& [kernel, expected] : arrays_and_flops) {
    const Graph graph = build("stream", {{"kernel", kernel}, {"n", "1000"}, {"dtype", "f64"}});
    ASSERT_EQ(graph.nodes().size(), 1u) << kernel;
    const Cost cost = graph.cost(graph.nodes()[0]);
    int64_t bytes = 0;
    for (const int64_t read : cost.read_bytes) bytes += read;
    for (const int64_t written : cost.written_bytes) bytes += written;
    EXPECT_EQ(bytes, expected.first * 8 * 1000) << kernel;
    EXPECT_DOUBLE_EQ(cost.flops, expected.second * 1000) << kernel;
  }
}

}  // namespace
}  // namespace engine
