// SPDX-License-Identifier: Apache-2.0
// data_pipeline: samples that come from a file: read, decode, copy, compute.
#include "engine/ops/data_loading.h"
#include "engine/ops/ops.h"
#include "engine/workloads/catalog.h"
#include "engine/workloads/layers.h"
#include "engine/workloads/parameters.h"

namespace engine {
namespace {

constexpr int64_t kChannels = 3, kClasses = 10;

void build_data_pipeline(GraphBuilder& builder, const Arguments& arguments) {
  LayerBuilder net(builder, DType::float32, is_training(arguments));
  const int64_t size = integer_argument(arguments, "size");
  builder.set_layer("data");
  ValueId x = ops::load_batch(builder, {integer_argument(arguments, "batch"), kChannels, size, size},
                              {.batches = integer_argument(arguments, "batches"),
                               .overlap = text_argument(arguments, "overlap") == "on",
                               .delay_us = integer_argument(arguments, "read_delay_us"),
                               .memory = text_argument(arguments, "source") == "memory"});
  builder.set_layer("");
  x = ops::flatten(builder, x);
  {
    const LayerScope layer(builder, "fc1");
    x = ops::relu(builder, net.linear(x, "", integer_argument(arguments, "hidden")));
  }
  {
    const LayerScope layer(builder, "fc2");
    x = net.linear(x, "", kClasses);
  }
  finish_classifier(builder, x, arguments);
}

}  // namespace

Workload data_pipeline_workload() {
  Workload workload;
  workload.name = "data_pipeline";
  workload.title = "Data-loading pipeline";
  workload.description =
      "Each step's images come from a file: read, decoded (zlib), copied into the batch, computed "
      "on by a small "
      "classifier. Two threads read and decode ahead, so the slowest lane sets the pace. "
      "The data set is made for the run, in a temporary file that leaves nothing behind.";
  workload.on_command_line = "overlap=off does all in turn. `analyze --table pipeline` shows which lane limits.";
  workload.parameters = {
      batch_parameter(64),
      mode_parameter({"training", "inference"}),
      choice_parameter(
          "overlap", "Overlap",
          "on: reading and decoding run ahead on threads of their own, double-buffered; off: in turn with the step.",
          {"on", "off"}),
      choice_parameter(
          "source", "Source",
          "file: each batch is read and decoded; memory: one batch stays in memory, so that no step waits. "
          "The difference is what waiting costs.",
          {"file", "memory"}),
      integer_parameter(
          "read_delay_us", "Slower reader",
          "Time that each read takes longer than this machine's file system needs, as a slow disk or network does; the "
          "thread sleeps it.",
          0, "us", 0, 10'000'000),
      integer_parameter("size", "Image size", "Rows and columns of an image of 3 channels.", 64, "pixels", 1, 1024),
      integer_parameter("hidden", "Hidden width", "Outputs of the hidden layer: what the compute lane has to do.", 256,
                        "values", 1, 65536),
      integer_parameter("batches", "Batches",
                        "Different batches in the data set; after the last comes the first again.", 8, "batches", 1,
                        4096)};
  for (Parameter& parameter : optimizer_parameters("0.01", "0")) workload.parameters.push_back(std::move(parameter));
  workload.small = {{"batch", "2"}, {"size", "4"}, {"hidden", "8"}, {"batches", "2"}};
  workload.build = build_data_pipeline;
  return workload;
}

}  // namespace engine
