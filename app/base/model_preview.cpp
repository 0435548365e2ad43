// SPDX-License-Identifier: Apache-2.0
// The plan of a request, told apart from a run by having no steps; its command repeats the request.
#include "app/base/model_preview.h"

#include <utility>

#include "app/base/input_files.h"
#include "engine/base/memory.h"
#include "engine/base/shell_words.h"
#include "profiler/record/plan_records.h"
#include "profiler/record/probe.h"

namespace app {

using engine::Result;

Result<ModelPreview> preview_model(const RunRequest& request) {
  Result<RequestedGraph> prepared = requested_graph(request);
  if (!prepared) return prepared.error();
  const engine::Graph& graph = *prepared->graph;
  Result<engine::MemoryPlan> memory = engine::plan_memory(graph);
  if (!memory) return memory.error();
  std::unique_ptr<engine::Backend> backend;  // only processors have anything to say
  if (engine::traits_of(request.device).is_processor) {
    Result<std::unique_ptr<engine::Backend>> made = make_device(request.device, request.device_options());
    if (!made) return made.error();
    backend = *std::move(made);
  }
  profiler::CaptureBuilder builder;
  profiler::RunInfo& run = builder.run();
  // What is written to a file names its model as a capture of a run does.
  const bool kept = !request.output.empty() && is_input_file(request.workload);
  run.workload = kept ? named_file(request.workload) : request.workload;
  run.title = prepared->title;
  run.arguments = std::move(prepared->arguments);
  run.device = request.device;
  run.threads = request.threads;
  run.seed = request.seed;
  run.product_version = TENSORTIDE_VERSION;
  run.command = request.command.empty() ? "tensortide run " + engine::shell_line(words_of(request)) : request.command;
  if (auto roofs = profiler::cached_probe()) builder.machine() = *std::move(roofs);
  profiler::add_planned(builder, graph, *memory, backend.get(), request.is("graph", "eager"));
  auto capture = builder.finish();
  if (!capture) return capture.error();

  ModelPreview preview;
  preview.title = prepared->title;
  preview.capture = *std::move(capture);
  for (const profiler::TensorRecord& tensor : preview.capture->tensors()) {
    if (tensor.role != profiler::Role::weight || tensor.alias_of != profiler::kNoTensor || !tensor.persistent) continue;
    int64_t elements = 1;
    for (const int64_t extent : tensor.shape) elements *= extent;
    preview.parameters += elements;
    preview.weight_bytes += tensor.size_bytes;
  }
  for (const profiler::OpRecord& op : preview.capture->ops()) preview.flops += op.flops;
  for (const profiler::OperandRecord& operand : preview.capture->operands())
    preview.compulsory_bytes += static_cast<double>(operand.read_bytes + operand.written_bytes);
  preview.memory_bytes = memory->total_bytes;
  if (engine::traits_of(request.device).is_processor) {
    engine::DeviceInfo host;
    host.device = {"cpu", 0};
    host.memory_available_bytes = engine::host_memory().available_bytes;
    if (Result<void> fits = engine::check_memory(*memory, host); !fits) preview.does_not_fit = fits.error().message;
  }
  return preview;
}

}  // namespace app
