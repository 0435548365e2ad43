// SPDX-License-Identifier: Apache-2.0
// The memory plan as a capture without times, whose step is described like any capture's.
#include "app/base/described_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/check.h"
#include "profiler/memory/op_access.h"
#include "profiler/record/plan_records.h"

namespace app {
namespace {

using engine::Result;
using profiler::OpRecord;
using profiler::TensorRecord;

/// Hears nothing.
struct Silence : engine::AccessSink {
  void group(int64_t, std::span<const engine::AccessStream>) override {}
};

}  // namespace

Result<DescribedRun> DescribedRun::make(const RunRequest& request, uint64_t address_limit) {
  Result<RequestedGraph> requested = requested_graph(request);
  if (!requested) return requested.error();
  const Result<engine::MemoryPlan> memory = engine::plan_memory(*requested->graph);
  if (!memory) return memory.error();
  profiler::CaptureBuilder builder;
  builder.run().device = "cpu";
  const Result<std::unique_ptr<engine::Backend>> backend = make_device("cpu", request.device_options());
  if (!backend) return backend.error();
  profiler::add_planned(builder, *requested->graph, *memory, backend->get(), request.is("graph", "eager"));
  const auto capture = builder.finish();
  if (!capture) return capture.error();
  Result<profiler::CapturedStep> step = profiler::CapturedStep::make(*capture, address_limit);
  if (!step) return engine::refused_error(fmt::format("{}: {}", request.workload, step.error().message));
  DescribedRun run(*std::move(step));
  run.title_ = requested->title;
  for (const OpRecord& op : (*capture)->ops()) {
    if (const std::string& why = run.step_.objection(op.id); !why.empty())
      return engine::refused_error(fmt::format("{}, op {}: {}", request.workload, (*capture)->name(op.name), why));
  }
  uint64_t arena = UINT64_MAX, arena_end = 0;
  const auto leftovers = run.step_.tensor_count();
  for (const TensorRecord& t : (*capture)->tensors()) {
    const bool owns = t.alias_of == profiler::kNoTensor;
    run.tensors_.push_back({std::string((*capture)->name(t.name)), t.role, owns ? t.size_bytes : 0});
    if (!owns || t.size_bytes == 0) continue;
    const uint64_t begin = run.step_.address(t.id), end = begin + static_cast<uint64_t>(t.size_bytes);
    // Arena addresses serve several values in turn: what is written back of them is charged to one name.
    if (t.persistent) run.ranges_.push_back({begin, end, t.id});
    else arena = std::min(arena, begin), arena_end = std::max(arena_end, end);
  }
  run.tensors_.push_back({"(packed panels)", engine::Role::workspace, 0});
  run.ranges_.push_back({run.step_.panels_address(), address_limit, run.step_.panels()});
  run.tensors_.push_back({"(values of the arena, written back later)", engine::Role::activation, memory->arena_bytes});
  if (arena < arena_end) run.ranges_.push_back({arena, arena_end, leftovers});
  CHECK(run.tensors_.size() == leftovers + 1);
  return run;
}

std::string DescribedRun::op_name(size_t op) const {
  const OpRecord& record = step_.capture().ops()[op];
  return record.view ? std::string() : std::string(step_.capture().name(record.name));
}

void DescribedRun::step(engine::AccessSink& sink) const {
  for (size_t i = 0; i < op_count(); ++i) op(i, sink);
}

DescribedRun::HowKnown DescribedRun::how_known() const {
  HowKnown known;
  Silence nobody;
  for (size_t i = 0; i < op_count(); ++i) {
    if (step_.capture().ops()[i].view) continue;
    const engine::access::Fidelity fidelity = op(i, nobody);
    ++known.ops[static_cast<size_t>(fidelity)];
    if (fidelity == engine::access::Fidelity::assumed) known.assumed.push_back(op_name(i));
    // The ladder's rungs are loops of ours by name.
    known.products += fidelity == engine::access::Fidelity::loops && profiler::is_matrix_product(op_type(i)) &&
                      op_type(i) != "ladder_product";
  }
  return known;
}

}  // namespace app
