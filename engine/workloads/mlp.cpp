// SPDX-License-Identifier: Apache-2.0
// mlp: a fully connected network, inference or a training step; FCN-S and FCN-R of Shi et al. as
// presets.
#include <fmt/format.h>

#include <charconv>

#include "engine/ops/ops.h"
#include "engine/workloads/catalog.h"
#include "engine/workloads/layers.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace {

constexpr size_t kMostHiddenLayers = 256;

/// "2048,4096" -> widths; nothing when an entry is no positive integer. Empty text: no hidden
/// layer.
std::optional<std::vector<int64_t>> parse_widths(std::string_view text) {
  std::vector<int64_t> widths;
  while (!text.empty()) {
    int64_t width = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, width);
    if (error != std::errc() || width < 1 || widths.size() == kMostHiddenLayers) return std::nullopt;
    widths.push_back(width);
    if (stop == end) return widths;
    if (*stop != ',' || stop + 1 == end) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(stop + 1 - text.data()));
  }
  return widths;
}

bool accepts_widths(std::string_view text) { return parse_widths(text).has_value(); }

void build_mlp(GraphBuilder& builder, const Arguments& arguments) {
  LayerBuilder net(builder, arguments);
  const int64_t batch = integer_argument(arguments, "batch");
  const bool sigmoid = text_argument(arguments, "activation") == "sigmoid";
  std::vector<int64_t> widths{integer_argument(arguments, "input")};
  const auto hidden = parse_widths(text_argument(arguments, "hidden"));
  CHECK(hidden.has_value());
  widths.insert(widths.end(), hidden->begin(), hidden->end());
  widths.push_back(integer_argument(arguments, "output"));
  const TensorType input_type = TensorType::contiguous(net.dtype(), {batch, widths[0]});
  ValueId x = builder.input("input", input_type, Fill{Fill::Kind::uniform, 0, 1});
  std::vector<ValueId> hidden_outputs;
  for (size_t i = 1; i < widths.size(); ++i) {
    const LayerScope layer(builder, fmt::format("fc{}", i));
    x = net.linear(x, "", widths[i]);
    const bool last = i + 1 == widths.size();
    if (!last) x = sigmoid ? ops::sigmoid(builder, x) : ops::relu(builder, x);
    if (!last) hidden_outputs.push_back(x);
  }
  finish_classifier(builder, x, arguments, hidden_outputs);
}

/// Layers, batches and optimisers as the scripts of Shi et al., "Benchmarking State-of-the-Art Deep
/// Learning Software Tools", arXiv 1608.07249, define them (github.com/hclhkbu/dlbench, tag v7).
std::vector<Preset> presets() {
  return {{"fcn-s",
           "FCN-S of Shi et al. 2016: synthetic data, 118 M weights",
           {{"input", "26752"},
            {"hidden", "2048,2048,2048"},
            {"output", "26752"},
            {"activation", "sigmoid"},
            {"batch", "64"},
            {"mode", "training"},
            {"learning_rate", "0.01"},
            {"momentum", "0"}}},
          {"fcn-r",
           "FCN-R of Shi et al. 2016: MNIST, 14.2 M weights",
           {{"input", "784"},
            {"hidden", "2048,4096,1024"},
            {"output", "10"},
            {"activation", "sigmoid"},
            {"batch", "1024"},
            {"mode", "training"},
            {"learning_rate", "0.05"},
            {"momentum", "0.9"}}},
          {"one-layer",
           "One layer of 4096 x 4096 weights, which few samples share",
           {{"input", "4096"}, {"hidden", ""}, {"output", "4096"}, {"batch", "1"}, {"mode", "inference"}}}};
}

}  // namespace

Workload mlp_workload() {
  Workload workload;
  workload.name = "mlp";
  workload.title = "Multi-layer perceptron";
  workload.description =
      "Fully connected layers with sigmoid or ReLU between them. At batch 1 each weight is read "
      "for one multiply-add, so "
      "memory binds; a larger batch uses each weight more often.";
  workload.parameters = {
      integer_parameter("input", "Inputs", "Values per sample; 784 is a 28 x 28 image.", 784, "values"),
      text_parameter(
          "hidden", "Hidden layers", "Widths of the hidden layers, separated by commas; empty: none.", "1024,1024",
          fmt::format("up to {} positive widths separated by commas, such as 2048,2048,2048", kMostHiddenLayers),
          accepts_widths),
      integer_parameter("output", "Outputs", "Classes of the last layer.", 10, "classes"),
      choice_parameter("activation", "Activation", "Function after each hidden layer.", {"relu", "sigmoid"}),
      batch_parameter(64),
      mode_parameter({"training", "inference"}),
      dtype_parameter()};
  for (Parameter& parameter : optimizer_parameters("0.01", "0.9")) workload.parameters.push_back(std::move(parameter));
  workload.parameters.push_back(checkpointing_parameter("the hidden layers"));
  workload.presets = presets();
  workload.small = {{"input", "12"}, {"hidden", "8,6"}, {"output", "5"}, {"batch", "3"}};
  workload.build = build_mlp;
  return workload;
}

}  // namespace engine
