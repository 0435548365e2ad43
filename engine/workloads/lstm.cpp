// SPDX-License-Identifier: Apache-2.0
// lstm: a language model of LSTM layers, inference or a training step; that of Shi et al. as a preset.
#include <fmt/format.h>

#include <cmath>

#include "engine/ops/indexing.h"
#include "engine/ops/ops.h"
#include "engine/ops/recurrent.h"
#include "engine/workloads/catalog.h"
#include "engine/workloads/layers.h"
#include "engine/workloads/parameters.h"
#include "engine/workloads/sequence_layers.h"

namespace engine {
namespace {

/// x [T, B, I] -> [T, B, hidden]; started as torch.nn.LSTM starts, uniform in +-1/sqrt(hidden).
ValueId recurrent_layer(LayerBuilder& net, ValueId x, int64_t hidden, bool unrolled) {
  GraphBuilder& builder = net.graph();
  if (builder.failed()) return kNoValue;
  const int64_t in = builder.type(x).shape[2];
  const auto [w, r, bias] = lstm_parameters(net, in, hidden);
  ops::RecurrentOptions options;
  options.training = net.training();
  const auto run = unrolled ? ops::lstm_unrolled : ops::lstm;
  return run(builder, x, w, r, bias, kNoValue, kNoValue, options).y;
}

void build_lstm(GraphBuilder& builder, const Arguments& arguments) {
  LayerBuilder net(builder, arguments);
  const int64_t batch = integer_argument(arguments, "batch"), steps = integer_argument(arguments, "sequence");
  const int64_t vocabulary = integer_argument(arguments, "vocabulary"), hidden = integer_argument(arguments, "hidden");
  const bool unrolled = text_argument(arguments, "steps") == "unrolled";
  const ValueId tokens = builder.input("tokens", TensorType::contiguous(DType::int64, {steps, batch}),
                                       Fill{Fill::Kind::integers, 0, static_cast<double>(vocabulary)});
  ValueId x = kNoValue;
  {
    const LayerScope layer(builder, "embedding");
    const ValueId table = net.weight("weight", {vocabulary, integer_argument(arguments, "embedding")},
                                     Fill{Fill::Kind::uniform, -0.1, 0.1});
    x = ops::embedding(builder, table, tokens);
  }
  for (int64_t i = 1; i <= integer_argument(arguments, "layers"); ++i) {
    const LayerScope layer(builder, fmt::format("lstm{}", i));
    x = recurrent_layer(net, x, hidden, unrolled);
  }
  {
    const LayerScope layer(builder, "flatten");
    x = ops::reshape(builder, x, {-1, hidden});
  }
  finish_classifier(builder, net.linear(x, "fc", vocabulary), arguments);
}

}  // namespace

Workload lstm_workload() {
  Workload workload;
  workload.name = "lstm";
  workload.title = "LSTM language model";
  workload.description =
      "Predicts the next word from all words before. Each step waits for the last one, so its "
      "small GEMMs cannot be "
      "joined. With the work of a fully connected network it takes longer, above all on parallel "
      "devices.";
  workload.parameters = {batch_parameter(32),
                         integer_parameter("sequence", "Sequence", "Words per sequence: steps that follow one another.",
                                           32, "words", 1, 65536),
                         integer_parameter("vocabulary", "Vocabulary", "Words of the vocabulary.", 10000, "words"),
                         integer_parameter("embedding", "Embedding", "Numbers that encode a word.", 256, "values"),
                         integer_parameter("hidden", "Hidden units", "Values a layer hands from step to step.", 256,
                                           "values", 1, kLargestCount / 4),
                         integer_parameter("layers", "Layers", "LSTM layers above one another.", 2, "layers", 1, 64),
                         choice_parameter("steps", "Steps",
                                          "fused: one op per layer for the whole sequence; unrolled: about a dozen "
                                          "ops per step and "
                                          "layer, like a loop in code.",
                                          {"fused", "unrolled"}),
                         mode_parameter({"training", "inference"}),
                         dtype_parameter()};
  for (Parameter& parameter : optimizer_parameters("0.1", "0")) workload.parameters.push_back(std::move(parameter));
  workload.parameters.push_back(clipping_parameter("5"));
  workload.presets = {{"shi2016",
                       "LSTM of Shi et al. 2016: Penn Treebank, 128 sequences of 32 words",
                       {{"batch", "128"},
                        {"mode", "training"},
                        {"learning_rate", "0.1"},
                        {"momentum", "0"},
                        {"max_gradient_norm", "5"}}}};
  workload.small = {{"batch", "3"}, {"sequence", "4"}, {"vocabulary", "11"}, {"embedding", "6"}, {"hidden", "8"}};
  workload.build = build_lstm;
  return workload;
}

}  // namespace engine
