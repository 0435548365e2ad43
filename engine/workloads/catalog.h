// SPDX-License-Identifier: Apache-2.0
// One maker per workload; catalog.cpp lists what they make.
#pragma once

#include "engine/workloads/workload.h"

namespace engine {

Workload stream_workload();
Workload launch_workload();
Workload latency_ladder_workload();
Workload parallel_width_workload();
Workload fusion_workload();
Workload gemm_workload();
Workload mlp_workload();
Workload resnet50_workload();
Workload alexnet_workload();
Workload resnet56_workload();
Workload vgg_workload();
Workload inception_workload();
Workload squeezenet_workload();
Workload densenet_workload();
Workload mobilenet_workload();
Workload lstm_workload();
Workload attention_workload();
Workload transformer_workload();
Workload gpt_workload();
Workload embedding_bag_workload();
Workload im2col_workload();
Workload pixels_workload();
Workload tree_workload();
Workload half_training_workload();
Workload jacobian_workload();
Workload ladder_workload();
Workload linalg_workload();
Workload quantized_mlp_workload();
Workload devices_workload();
Workload data_pipeline_workload();
Workload transfer_workload();
Workload divergence_workload();
Workload llm_workload();
Workload loops_workload();
Workload dependent_steps_workload();
Workload precision_workload();
Workload tensors_workload();

}  // namespace engine
