// SPDX-License-Identifier: Apache-2.0
// The workloads on the CPU: they compute what they say, and training learns.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/cpu/backend.h"
#include "engine/runtime/plan.h"
#include "engine/workloads/workload.h"

namespace engine {
namespace {

/// A workload made ready on one thread of the CPU.
struct Prepared {
  Prepared(std::string_view name, const Arguments& given) {
    const Workload* workload = *find_workload(name);
    Result<Graph> built = build_graph(*workload, *resolve(*workload, given));
    CHECK(built.ok());
    graph = std::make_shared<const Graph>(std::move(*built));
    Result<std::unique_ptr<Backend>> made = cpu::make_backend(1);
    CHECK(made.ok());
    backend = std::move(*made);
    Result<std::unique_ptr<Plan>> planned = Plan::make(graph, *backend);
    EXPECT_TRUE(planned.ok()) << (planned ? "" : planned.error().message);
    CHECK(planned.ok());
    plan = std::move(*planned);
  }
  const Tensor& value(std::string_view name) const { return plan->tensor(*graph->find(name)); }
  const Tensor& output() const { return plan->tensor(graph->outputs()[0]); }

  std::shared_ptr<const Graph> graph;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Plan> plan;
};

TEST(WorkloadRun, StreamKernelsComputeTheirFormulas) {
  for (const char* dtype : {"f32", "f64"}) {
    for (const std::string kernel : {"copy", "scale", "add", "triad"}) {
      const Prepared run("stream", {{"kernel", kernel}, {"n", "1003"}, {"dtype", dtype}});
      run.plan->run_step(0, nullptr);
      const bool two = kernel == "add" || kernel == "triad";
      for (const int64_t i : {0, 1, 500, 1002}) {
        const double a = run.value("a").get_flat(i), b = two ? run.value("b").get_flat(i) : 0;
        const double wanted = kernel == "copy" ? a : kernel == "scale" ? 3 * a : kernel == "add" ? a + b : a + 3 * b;
        EXPECT_NEAR(run.output().get_flat(i), wanted, 1e-6) << kernel << " " << dtype << " " << i;
      }
    }
  }
}

/// Every pixel by whole numbers, and ends that are held.
TEST(WorkloadRun, PixelsAreMadeBrighterExactly) {
  const Prepared run("pixels", {{"image_size", "50"}, {"n", "6"}, {"gain", "1.75"}, {"offset", "-9"}});
  run.plan->run_step(0, nullptr);
  int held = 0;
  for (int64_t i = 0; i < 50 * 50 * 3; ++i) {
    const int before = static_cast<int>(run.value("image").get_flat(i));
    const int wanted = std::clamp(before * 112 / 64 - 9, 0, 255);
    ASSERT_EQ(run.output().get_flat(i), wanted) << i;
    held += wanted == 255 ? 1 : 0;
  }
  EXPECT_GT(held, 0);
  EXPECT_LT(held, 50 * 50 * 3);
}

TEST(WorkloadRun, GemmIsTheSameWithEitherLayoutOfB) {
  for (const std::string transposed : {"no", "yes"}) {
    const Prepared run("gemm", {{"m", "5"}, {"n", "4"}, {"k", "3"}, {"transposed_b", transposed}});
    run.plan->run_step(0, nullptr);
    for (int64_t i = 0; i < 5; ++i) {
      for (int64_t j = 0; j < 4; ++j) {
        double sum = 0;
        for (int64_t k = 0; k < 3; ++k) {
          const double b =
              transposed == "yes" ? run.value("b").get_flat(j * 3 + k) : run.value("b").get_flat(k * 4 + j);
          sum += run.value("a").get_flat(i * 3 + k) * b;
        }
        EXPECT_NEAR(run.output().get_flat(i * 4 + j), sum, 1e-5);
      }
    }
  }
}

/// Compares all outputs of two ways to compute the same thing, from the same leaves.
void expect_same(std::string_view name, Arguments arguments, const std::string& parameter, const std::string& one,
                 const std::string& other) {
  arguments[parameter] = one;
  const Prepared first(name, arguments);
  arguments[parameter] = other;
  const Prepared second(name, arguments);
  for (const Value& leaf : first.graph->values()) {
    const bool shared = leaf.kind != ValueKind::intermediate && second.graph->find(leaf.name).has_value();
    if (shared) copy_elements(first.plan->tensor(leaf.id), second.value(leaf.name));
  }
  for (uint32_t step = 0; step < 2; ++step) {
    first.plan->run_step(step, nullptr);
    second.plan->run_step(step, nullptr);
  }
  ASSERT_EQ(first.graph->outputs().size(), second.graph->outputs().size());
  for (size_t i = 0; i < first.graph->outputs().size(); ++i) {
    const Tensor a = first.plan->tensor(first.graph->outputs()[i]), b = second.plan->tensor(second.graph->outputs()[i]);
    ASSERT_EQ(a.shape(), b.shape());
    for (int64_t j = 0; j < a.type().elements(); ++j) ASSERT_NEAR(a.get_flat(j), b.get_flat(j), 1e-9) << i << " " << j;
  }
}

/// Deep networks whose activations no norm keeps in bounds: with weights too large for what comes in, the first loss is
/// hundreds of times that of a guess, and the second step has no number.
TEST(WorkloadRun, NetworksWithoutNormsStartNearAGuessAndTrainOn) {
  struct Case {
    const char *name, *image_size;
  };
  for (const Case& c : {Case{"inception", "64"}, Case{"squeezenet", "64"}, Case{"vgg", "32"}, Case{"alexnet", "64"}}) {
    const Prepared run(c.name, {{"batch", "2"}, {"image_size", c.image_size}, {"classes", "20"}, {"mode", "training"}});
    for (uint32_t step = 0; step < 12; ++step) {
      run.plan->run_step(step, nullptr);
      const double loss = run.output().get_flat(0);
      ASSERT_TRUE(std::isfinite(loss)) << c.name << ", step " << step;
      EXPECT_LT(loss, (step == 0 ? 1.5 : 10) * std::log(20)) << c.name << ", step " << step;
    }
  }
}

TEST(WorkloadRun, TheSameSeedGivesTheSameWeightsHoweverTheGraphIsBuilt) {
  const auto weights = [](const Arguments& more) {
    Arguments arguments = (*find_workload("transformer"))->small;
    arguments["mode"] = "training";
    for (const auto& [key, value] : more) arguments[key] = value;
    const Prepared run("transformer", arguments);
    std::map<std::string, std::vector<float>> values;
    for (const Value& value : run.graph->values()) {
      if (value.kind != ValueKind::parameter || value.type.dtype != DType::float32) continue;
      std::vector<float>& of = values[value.name];
      for (int64_t i = 0; i < value.type.elements(); ++i)
        of.push_back(static_cast<float>(run.plan->tensor(value.id).get_flat(i)));
    }
    return values;
  };
  const auto fused = weights({{"attention", "fused"}}), unfused = weights({{"attention", "unfused"}}),
             shorter = weights({{"mode", "inference"}});
  EXPECT_GT(fused.size(), 10u);
  EXPECT_EQ(fused, unfused);
  EXPECT_EQ(fused, shorter);
  std::set<std::vector<float>> different;
  for (const auto& [name, values] : fused) {
    if (values.size() < 2 || values.front() == values.back()) continue;  // all zeros, all ones
    EXPECT_TRUE(different.insert(values).second) << name << " starts as another does";
  }
}

TEST(WorkloadRun, LaidOutWindowsGiveTheConvolution) {
  for (const char* kernel : {"1", "2", "3", "5"}) {
    for (const char* stride : {"1", "2"}) {
      expect_same("im2col",
                  {{"batch", "2"},
                   {"channels", "3"},
                   {"filters", "4"},
                   {"image_size", "7"},
                   {"kernel", kernel},
                   {"stride", stride},
                   {"dtype", "f64"}},
                  "method", "im2col", "direct");
    }
  }
  const Arguments larger{{"batch", "2"}, {"channels", "8"}, {"image_size", "14"}};
  Arguments direct = larger;
  direct["method"] = "direct";
  const int64_t image_bytes = 2 * 8 * 14 * 14 * 4;
  EXPECT_GT(Prepared("im2col", larger).plan->memory().arena_bytes,
            Prepared("im2col", direct).plan->memory().arena_bytes + 9 * image_bytes);
}

TEST(WorkloadRun, FusedAttentionGivesWhatItsPartsGive) {
  for (const char* causal : {"no", "yes"}) {
    expect_same("attention",
                {{"batch", "2"},
                 {"heads", "3"},
                 {"sequence", "7"},
                 {"head_size", "4"},
                 {"gradients", "yes"},
                 {"causal", causal},
                 {"dtype", "f64"}},
                "attention", "fused", "unfused");
  }
  for (const char* name : {"transformer", "gpt"}) {
    for (const char* mode : {"inference", "training"}) {
      Arguments arguments = (*find_workload(name))->small;
      arguments["mode"] = mode;
      arguments["dtype"] = "f64";
      expect_same(name, arguments, "attention", "fused", "unfused");
    }
  }
}

TEST(WorkloadRun, LstmStepsUnrolledGiveWhatTheOpGives) {
  for (const char* mode : {"inference", "training"}) {
    Arguments arguments = (*find_workload("lstm"))->small;
    arguments["mode"] = mode;
    arguments["dtype"] = "f64";
    expect_same("lstm", arguments, "steps", "fused", "unrolled");
  }
}

TEST(WorkloadRun, DecodingWritesItsPositionAndKeepsTheOthers) {
  Arguments arguments = (*find_workload("gpt"))->small;
  arguments["phase"] = "decode";
  const Prepared run("gpt", arguments);
  const Tensor& cache = run.value("block0.attention.key_cache");
  const Shape shape = cache.shape();  // batch, heads, positions, features
  std::vector<double> before;
  for (int64_t i = 0; i < cache.type().elements(); ++i) before.push_back(cache.get_flat(i));
  run.plan->run_step(0, nullptr);
  for (int64_t i = 0; i < cache.type().elements(); ++i) {
    const bool last = i / shape[3] % shape[2] == shape[2] - 1;
    EXPECT_EQ(cache.get_flat(i) != before[static_cast<size_t>(i)], last) << i;
  }
}

// The same random images and labels come every step, so that they can be learned by heart.
void expect_learning(std::string_view name, const Arguments& given, int classes, int steps) {
  const Prepared run(name, given);
  run.plan->run_step(0, nullptr);
  const double first = run.output().get_flat(0);
  EXPECT_NEAR(first, std::log(classes), 2.0) << name;
  for (int step = 1; step < steps; ++step) run.plan->run_step(static_cast<uint32_t>(step), nullptr);
  EXPECT_LT(run.output().get_flat(0), first / 2) << name;
}

class SmallWorkload : public testing::TestWithParam<std::string> {};

TEST_P(SmallWorkload, ComputesFiniteValuesInEveryMode) {
  const Workload* workload = *find_workload(GetParam());
  const auto mode = std::ranges::find(workload->parameters, "mode", &Parameter::name);
  const bool modes = mode != workload->parameters.end();
  for (const std::string& chosen : modes ? mode->choices : std::vector<std::string>{""}) {
    Arguments arguments = workload->small;
    if (modes) arguments["mode"] = chosen;
    const Prepared run(GetParam(), arguments);
    for (uint32_t step = 0; step < 2; ++step) run.plan->run_step(step, nullptr);
    for (const ValueId id : run.graph->outputs()) {
      const Tensor output = run.plan->tensor(id);
      for (int64_t i = 0; i < output.type().elements(); ++i) {
        ASSERT_TRUE(std::isfinite(output.get_flat(i))) << chosen << " " << run.graph->value(id).name << " " << i;
      }
    }
  }
}

std::vector<std::string> workload_names() {
  std::vector<std::string> names;
  for (const Workload& workload : workloads()) names.push_back(workload.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Catalog, SmallWorkload, testing::ValuesIn(workload_names()),
                         [](const auto& tested) { return tested.param; });

TEST(WorkloadRun, MlpLearns) {
  const Arguments small{
      {"input", "20"}, {"hidden", "32,32"}, {"output", "5"}, {"batch", "16"}, {"learning_rate", "0.1"}};
  for (const char* dtype : {"f32", "f64", "bf16", "f16"}) {
    Arguments arguments = small;
    arguments["dtype"] = dtype;
    expect_learning("mlp", arguments, 5, 200);
  }
}

// With a rate of 0.01 what the loss is after a few steps hangs on the order of sums: batch norm over 4 images of one
// pixel.
TEST(WorkloadRun, ResNet50Learns) {
  expect_learning("resnet50", {{"image_size", "32"}, {"classes", "4"}, {"batch", "4"}, {"learning_rate", "0.003"}}, 4,
                  8);
}

TEST(WorkloadRun, ResNet50LearnsInBfloat16) {
  expect_learning(
      "resnet50",
      {{"image_size", "32"}, {"classes", "4"}, {"batch", "4"}, {"learning_rate", "0.003"}, {"dtype", "bf16"}}, 4, 8);
}

TEST(WorkloadRun, ResNet50LearnsInHalf) {
  expect_learning(
      "resnet50",
      {{"image_size", "32"}, {"classes", "4"}, {"batch", "4"}, {"learning_rate", "0.003"}, {"dtype", "f16"}}, 4, 8);
}

/// The i8 network against the same weights in double: what differs is that activations are u8.
TEST(WorkloadRun, TheQuantisedMlpStaysNearItsRealSelf) {
  const Prepared run("quantized_mlp", {{"input", "60"}, {"hidden", "40"}, {"output", "7"}, {"batch", "5"}});
  run.plan->run_step(0, nullptr);
  std::vector<double> x(5 * 60);
  for (size_t i = 0; i < x.size(); ++i) x[i] = run.value("input").get_flat(static_cast<int64_t>(i));
  int64_t in = 60;
  for (const std::string layer : {"fc1", "fc2", "fc3"}) {
    const Tensor &weight = run.value(layer + ".weight"), &scale = run.value(layer + ".weight_scale"),
                 &bias = run.value(layer + ".bias");
    ASSERT_EQ(weight.dtype(), DType::int8);
    const int64_t out = weight.shape()[0];
    std::vector<double> y;
    for (int64_t b = 0; b < 5; ++b) {
      for (int64_t o = 0; o < out; ++o) {
        double sum = bias.get_flat(o);
        for (int64_t k = 0; k < in; ++k)
          sum += x[static_cast<size_t>(b * in + k)] * weight.get_flat(o * in + k) * scale.get_flat(o);
        y.push_back(layer == "fc3" ? sum : std::max(sum, 0.0));
      }
    }
    x = y;
    in = out;
  }
  double worst = 0, largest = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    worst = std::max(worst, std::abs(run.output().get_flat(static_cast<int64_t>(i)) - x[i]));
    largest = std::max(largest, std::abs(x[i]));
  }
  EXPECT_LT(worst, 0.02 * largest);
  EXPECT_GT(worst, 0);
  for (const Node& node : run.graph->nodes()) EXPECT_NE(run.plan->kernel_name(node.id), "reference") << node.op->name;
}

/// Loss before and after 100 steps.
std::pair<double, double> losses(Arguments arguments) {
  const Prepared run("half_training", arguments);
  run.plan->run_step(0, nullptr);
  const double first = run.output().get_flat(0);
  for (uint32_t step = 1; step <= 100; ++step) run.plan->run_step(step, nullptr);
  return {first, run.output().get_flat(0)};
}

TEST(WorkloadRun, HalfLearnsNothingFromTinyGradientsUnlessTheLossIsScaled) {
  const auto [first, last] = losses({{"dtype", "f16"}, {"scaling", "none"}});
  EXPECT_EQ(last, first);  // every gradient was zero
  for (const Arguments& arguments :
       {Arguments{{"dtype", "f16"}, {"scaling", "dynamic"}}, Arguments{{"dtype", "f16"}, {"scaling", "static"}},
        Arguments{{"dtype", "bf16"}, {"scaling", "none"}}, Arguments{{"dtype", "f32"}, {"scaling", "none"}}}) {
    const auto [begin, end] = losses(arguments);
    EXPECT_LT(end, begin / 3) << arguments.at("dtype") << " " << arguments.at("scaling");
  }
}

TEST(WorkloadRun, WeightsRoundedToBytesLearnByTheGradientThatPassesStraightThrough) {
  const Arguments arguments{{"dtype", "f32"}, {"scaling", "none"}, {"weights", "i8"}};
  const auto [begin, end] = losses(arguments);
  EXPECT_LT(end, begin / 3);
  EXPECT_NE(losses({{"dtype", "f32"}, {"scaling", "none"}}).second, end) << "the weights that compute have 8 bits";
  const Prepared run("half_training", arguments);
  const Graph& graph = *run.graph;
  size_t rounded = 0;
  for (const Node& node : graph.nodes()) {
    if (node.op->name != "quantize_linear") continue;
    ++rounded;
    EXPECT_EQ(graph.value(node.outputs[0]).type.dtype, DType::int8);
    EXPECT_EQ(graph.value(node.inputs[0]).kind, ValueKind::parameter) << "the f32 copy";
  }
  EXPECT_EQ(rounded, 3u);
  // All three parameters and their biases learn.
  size_t updates = 0;
  for (const Node& node : graph.nodes()) updates += node.phase == Phase::update ? 1 : 0;
  EXPECT_EQ(updates, 6u);
}

TEST(WorkloadRun, AdamNeedsTheScaledLossToo) {
  for (const char* optimizer : {"adam", "adamw"}) {
    const auto [first, last] =
        losses({{"dtype", "f16"}, {"scaling", "none"}, {"optimizer", optimizer}, {"learning_rate", "0.005"}});
    EXPECT_EQ(last, first) << optimizer;
    const auto [begin, end] =
        losses({{"dtype", "f16"}, {"scaling", "dynamic"}, {"optimizer", optimizer}, {"learning_rate", "0.005"}});
    EXPECT_LT(end, begin / 3) << optimizer;
  }
}

TEST(WorkloadRun, AnOverflowingStepIsSkippedAndTheScaleShrinks) {
  const Prepared run("half_training", {{"dtype", "f16"}, {"initial_scale", "1e15"}, {"growth_interval", "20"}});
  const double before = run.value("fc1.weight").get_flat(5);
  run.plan->run_step(0, nullptr);
  EXPECT_EQ(run.value("fc1.weight").get_flat(5), before);
  EXPECT_EQ(run.value("loss_scale.skipped").get_flat(0), 1);
  EXPECT_EQ(run.value("loss_scale.scale").get_flat(0), static_cast<double>(5e14f));
  const double first = run.output().get_flat(0);
  double lowest = 1e15;
  for (uint32_t step = 1; step <= 100; ++step) {
    run.plan->run_step(step, nullptr);
    lowest = std::min(lowest, run.value("loss_scale.scale").get_flat(0));
  }
  EXPECT_LT(run.output().get_flat(0), first / 3);
  EXPECT_NE(run.value("fc1.weight").get_flat(5), before);
  EXPECT_LT(lowest, 1e13);
  EXPECT_GT(run.value("loss_scale.scale").get_flat(0), 2 * lowest);  // grown again
}

/// 16 bits and 32 compute the same network: logits differ by roundings of the type. Nothing is left to the references.
TEST(WorkloadRun, SixteenBitsAgreeWithThirtyTwoAndRunNoReference) {
  const auto logits = [](const char* name, const char* dtype, Arguments arguments) {
    arguments.insert({{"mode", "inference"}, {"dtype", dtype}});
    const Prepared run(name, arguments);
    run.plan->run_step(0, nullptr);
    for (const Node& node : run.graph->nodes()) {
      EXPECT_NE(run.plan->kernel_name(node.id), "reference") << node.op->name << " " << node.layer << " " << dtype;
    }
    std::vector<double> values;
    for (int64_t i = 0; i < run.output().type().elements(); ++i) values.push_back(run.output().get_flat(i));
    return values;
  };
  struct Net {
    const char* name;
    Arguments arguments;
    double bf16, f16;  // allowed error relative to the largest logit
  };
  for (const Net& net : {Net{"mlp", {{"batch", "32"}}, 0.03, 0.004},
                         Net{"resnet50", {{"batch", "1"}, {"image_size", "64"}}, 0.1, 0.02}}) {
    const std::vector<double> wanted = logits(net.name, "f32", net.arguments);
    double largest = 0;
    for (const double value : wanted) largest = std::max(largest, std::abs(value));
    for (const char* dtype : {"bf16", "f16"}) {
      const std::vector<double> got = logits(net.name, dtype, net.arguments);
      ASSERT_EQ(got.size(), wanted.size());
      double worst = 0;
      for (size_t i = 0; i < got.size(); ++i) worst = std::max(worst, std::abs(got[i] - wanted[i]));
      EXPECT_LT(worst, (dtype[0] == 'b' ? net.bf16 : net.f16) * largest) << net.name << " " << dtype;
      EXPECT_GT(worst, 0) << net.name << " " << dtype;
    }
  }
}

TEST(WorkloadRun, SixteenBitTrainingRunsNoReference) {
  for (const char* name : {"mlp", "resnet50"}) {
    for (const char* dtype : {"bf16", "f16"}) {
      Arguments arguments{{"batch", "2"}, {"dtype", dtype}};
      if (std::string_view(name) == "resnet50") arguments["image_size"] = "32";
      const Prepared run(name, arguments);
      for (const Node& node : run.graph->nodes()) {
        EXPECT_NE(run.plan->kernel_name(node.id), "reference") << node.op->name << " " << node.layer << " " << dtype;
      }
    }
  }
}

TEST(WorkloadRun, SequencesAndTreesLearn) {
  const auto learn = [](const char* name, Arguments more, int classes, int steps) {
    Arguments arguments = (*find_workload(name))->small;
    arguments["mode"] = "training";
    for (const auto& [key, value] : more) arguments[key] = value;
    expect_learning(name, arguments, classes, steps);
  };
  learn("lstm", {{"optimizer", "adam"}, {"learning_rate", "0.03"}}, 11, 60);
  learn("transformer", {{"optimizer", "adam"}, {"learning_rate", "0.01"}}, 11, 60);
  learn("gpt", {{"optimizer", "adam"}, {"learning_rate", "0.01"}}, 11, 60);
  learn("tree", {{"learning_rate", "0.1"}}, 5, 60);
  learn("embedding_bag", {{"learning_rate", "0.1"}}, 2, 60);
}

TEST(WorkloadRun, InferenceGivesFiniteLogits) {
  for (const char* name : {"mlp", "resnet50"}) {
    Arguments arguments{{"mode", "inference"}, {"batch", "2"}};
    if (std::string_view(name) == "resnet50") arguments["image_size"] = "64";
    const Prepared run(name, arguments);
    run.plan->run_step(0, nullptr);
    bool differ = false;
    for (int64_t i = 0; i < run.output().type().elements(); ++i) {
      ASSERT_TRUE(std::isfinite(run.output().get_flat(i))) << name << " " << i;
      differ = differ || run.output().get_flat(i) != run.output().get_flat(0);
    }
    EXPECT_TRUE(differ) << name;
  }
}

TEST(WorkloadRun, AbsurdBatchesAreRefusedByThePlanWithTheirBytes) {
  for (const char* name : {"mlp", "resnet50"}) {
    const Workload* workload = *find_workload(name);
    Result<Graph> graph = build_graph(*workload, *resolve(*workload, {{"batch", "1099511627776"}}));
    ASSERT_TRUE(graph.ok());
    Result<std::unique_ptr<Backend>> backend = cpu::make_backend(1);
    const Result<std::unique_ptr<Plan>> plan = Plan::make(std::make_shared<const Graph>(std::move(*graph)), **backend);
    ASSERT_FALSE(plan.ok()) << name;
    EXPECT_EQ(plan.error().kind, ErrorKind::refused);
    EXPECT_NE(plan.error().message.find("iB"), std::string::npos) << plan.error().message;
  }
}

/// Bytes of all parameters and states after two steps.
std::map<std::string, std::string> learned(const Prepared& run) {
  for (uint32_t step = 0; step < 2; ++step) run.plan->run_step(step, nullptr);
  std::map<std::string, std::string> values;
  for (const Value& value : run.graph->values()) {
    if (value.kind != ValueKind::parameter && value.kind != ValueKind::state) continue;
    const char* bytes = run.plan->tensor(value.id).data_as<const char>();
    values[value.name].assign(bytes, static_cast<size_t>(value.type.elements() * size_bytes(value.type.dtype)));
  }
  return values;
}

/// Forward FLOPs of what the backward phase repeats: by op, the forward ops have no part in it otherwise.
double repeated_flops(const Graph& whole, const Graph& thrifty) {
  double flops = 0;
  for (const Node& node : thrifty.nodes()) {
    if (node.phase == Phase::backward && !node.outputs.empty() &&
        thrifty.value(node.outputs[0]).name.find(".again") != std::string::npos)
      flops += thrifty.cost(node).flops;
  }
  EXPECT_LE(flops, whole.flops(Phase::forward));
  return flops;
}

void expect_thrift(std::string_view name, Arguments arguments, const std::vector<const char*>& intervals) {
  const Prepared whole(name, arguments);
  const auto wanted = learned(whole);
  for (const char* interval : intervals) {
    SCOPED_TRACE(interval);
    arguments["checkpointing"] = interval;
    const Prepared thrifty(name, arguments);
    EXPECT_TRUE(learned(thrifty) == wanted);  // too much to print
    EXPECT_LT(thrifty.plan->memory().arena_bytes, whole.plan->memory().arena_bytes);
    const double repeated = repeated_flops(*whole.graph, *thrifty.graph);
    EXPECT_GT(repeated, 0.3 * whole.graph->flops(Phase::forward));
    EXPECT_NEAR(thrifty.graph->flops() - whole.graph->flops(), repeated, 1e-9 * whole.graph->flops());
  }
}

TEST(WorkloadRun, CheckpointingAnMlpChangesNoBit) {
  expect_thrift("mlp",
                {{"input", "32"},
                 {"hidden", "32,32,32,32,32,32,32,32,32,32,32,32,32,32,32,32"},
                 {"batch", "512"},
                 {"optimizer", "adam"}},
                {"sqrt", "2", "8"});
}

TEST(WorkloadRun, CheckpointingResNet50ChangesNoBit) {
  expect_thrift("resnet50", {{"image_size", "64"}, {"classes", "4"}, {"batch", "2"}}, {"sqrt", "1"});
}

}  // namespace
}  // namespace engine
