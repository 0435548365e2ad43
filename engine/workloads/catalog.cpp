// SPDX-License-Identifier: Apache-2.0
// The list of all workloads.
#include "engine/workloads/catalog.h"
#include "engine/base/nearest_name.h"

#include <fmt/format.h>

#include <array>

namespace engine {

std::span<const Workload> workloads() {
  static const std::array all{
      stream_workload(),
      launch_workload(),
      latency_ladder_workload(),
      parallel_width_workload(),
      fusion_workload(),
      gemm_workload(),
      ladder_workload(),
      mlp_workload(),
      alexnet_workload(),
      vgg_workload(),
      inception_workload(),
      resnet50_workload(),
      resnet56_workload(),
      squeezenet_workload(),
      densenet_workload(),
      mobilenet_workload(),
      lstm_workload(),
      attention_workload(),
      transformer_workload(),
      gpt_workload(),
      embedding_bag_workload(),
      im2col_workload(),
      tree_workload(),
      half_training_workload(),
      jacobian_workload(),
      linalg_workload(),
      quantized_mlp_workload(),
      devices_workload(),
      data_pipeline_workload(),
      transfer_workload(),
      divergence_workload(),
      pixels_workload(),
      loops_workload(),
      precision_workload(),
      dependent_steps_workload(),
      tensors_workload(),
      llm_workload(),
  };
  return all;
}

Result<Graph> build_graph(const Workload& workload, const Arguments& arguments) {
  GraphBuilder builder;
  workload.build(builder, arguments);
  return builder.finish();
}

Result<const Workload*> find_workload(std::string_view name) {
  std::vector<std::string> names;
  for (const Workload& workload : workloads()) {
    if (workload.name == name) return &workload;
    names.push_back(workload.name);
  }
  return usage_error(fmt::format("there is no workload \"{}\"{} There are: {}", name, did_you_mean(name, names),
                                 fmt::join(names, ", ")));
}

}  // namespace engine
