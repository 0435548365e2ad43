// SPDX-License-Identifier: Apache-2.0
// Field by field comparison of captures.
#include "tests/support/capture_difference.h"

#include <cmath>
#include <type_traits>

namespace tests {
namespace {

using profiler::Capture;

template <class T>
bool same(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, double>) {
    return a == b || (std::isnan(a) && std::isnan(b));
  } else {
    return a == b;
  }
}

/// Collects the first difference.
struct Comparison {
  std::string found;

  template <class T>
  void operator()(const std::string& what, const T& a, const T& b) {
    if (found.empty() && !same(a, b)) found = what;
  }
  template <class Items, class F>
  void each(const std::string& what, const Items& a, const Items& b, F&& compare) {
    (*this)(what + " count", a.size(), b.size());
    for (size_t i = 0; i < a.size() && found.empty(); ++i) {
      compare(a[i], b[i]);
      if (!found.empty()) found = what + " " + std::to_string(i) + ": " + found;
    }
  }
};

void compare_run(Comparison& c, const profiler::RunInfo& a, const profiler::RunInfo& b) {
  c("source", a.source, b.source), c("workload", a.workload, b.workload), c("title", a.title, b.title),
      c("arguments", a.arguments, b.arguments);
  c("device", a.device, b.device), c("threads", a.threads, b.threads), c("seed", a.seed, b.seed);
  c("command", a.command, b.command), c("created_at", a.created_at, b.created_at);
  c("product_version", a.product_version, b.product_version);
  c("parameter_count", a.parameter_count, b.parameter_count);
  c("matrix_weight_count", a.matrix_weight_count, b.matrix_weight_count);
  c("arena_bytes", a.arena_bytes, b.arena_bytes), c("persistent_bytes", a.persistent_bytes, b.persistent_bytes);
  c("workspace_bytes", a.workspace_bytes, b.workspace_bytes);
  c("arena_bytes_without_reuse", a.arena_bytes_without_reuse, b.arena_bytes_without_reuse);
  c("complete", a.complete, b.complete), c("incomplete_reason", a.incomplete_reason, b.incomplete_reason);
}

void compare_honesty(Comparison& c, const profiler::Honesty& a, const profiler::Honesty& b) {
  c("cost_ratio", a.cost_ratio, b.cost_ratio), c("cost_noise_ratio", a.cost_noise_ratio, b.cost_noise_ratio);
  c("cost_bound_ratio", a.cost_bound_ratio, b.cost_bound_ratio), c("notes", a.notes, b.notes);
  c("dropped_records", a.dropped_records, b.dropped_records);
  c("gpu_losses", a.gpu_losses, b.gpu_losses);
  c("clock_drift_ratio", a.clock_drift_ratio, b.clock_drift_ratio);
  c("foreign_load_ratio", a.foreign_load_ratio, b.foreign_load_ratio);
  c("queued_ratio", a.queued_ratio, b.queued_ratio);
}

void compare_plan(Comparison& c, const Capture& a, const Capture& b) {
  c.each("op", a.ops(), b.ops(), [&c, &a, &b](const profiler::OpRecord& x, const profiler::OpRecord& y) {
    c("id", x.id, y.id), c("name", x.name, y.name), c("type", x.type, y.type), c("layer", x.layer, y.layer);
    c("kernel", x.kernel, y.kernel), c("kernel's facts", a.facts(x.id) == b.facts(y.id), true),
        c("phase", x.phase, y.phase), c("view", x.view, y.view);
    c("flops", x.flops, y.flops), c("first_operand", x.first_operand, y.first_operand);
    c("operand_count", x.operand_count, y.operand_count), c("threads", x.threads, y.threads);
  });
  c.each("operand", a.operands(), b.operands(),
         [&c](const profiler::OperandRecord& x, const profiler::OperandRecord& y) {
           c("op", x.op, y.op), c("tensor", x.tensor, y.tensor), c("role", x.role, y.role),
               c("output", x.output, y.output);
           c("read_bytes", x.read_bytes, y.read_bytes), c("written_bytes", x.written_bytes, y.written_bytes);
         });
  c.each("tensor", a.tensors(), b.tensors(), [&c](const profiler::TensorRecord& x, const profiler::TensorRecord& y) {
    c("id", x.id, y.id), c("name", x.name, y.name), c("dtype", x.dtype, y.dtype), c("shape", x.shape, y.shape);
    c("strides", x.strides, y.strides), c("role", x.role, y.role), c("persistent", x.persistent, y.persistent);
    c("alias_of", x.alias_of, y.alias_of), c("size_bytes", x.size_bytes, y.size_bytes);
    c("offset_bytes", x.offset_bytes, y.offset_bytes), c("first_op", x.first_op, y.first_op);
    c("last_op", x.last_op, y.last_op);
  });
}

void compare_times(Comparison& c, const Capture& a, const Capture& b) {
  c.each("track", a.tracks(), b.tracks(), [&c](const profiler::Track& x, const profiler::Track& y) {
    c("kind", x.kind, y.kind), c("name", x.name, y.name), c("group", x.group, y.group);
  });
  c.each("step", a.steps(), b.steps(), [&c](const profiler::StepRecord& x, const profiler::StepRecord& y) {
    c("index", x.index, y.index), c("start_ns", x.start_ns, y.start_ns), c("duration_ns", x.duration_ns, y.duration_ns);
    c("traced", x.traced, y.traced), c("warmup", x.warmup, y.warmup);
  });
  const profiler::ActivityColumns &x = a.activities(), &y = b.activities();
  c("activity start_ns", x.start_ns, y.start_ns), c("activity duration_ns", x.duration_ns, y.duration_ns);
  c("activity correlation", x.correlation, y.correlation), c("activity name", x.name, y.name);
  c("activity op", x.op, y.op), c("activity step", x.step, y.step), c("activity track", x.track, y.track);
  c("activity kind", x.kind, y.kind), c("activity flags", x.flags, y.flags);
  c("begin_ns", a.begin_ns(), b.begin_ns()), c("end_ns", a.end_ns(), b.end_ns());
}

void compare_gpu(Comparison& c, const profiler::GpuRecords& a, const profiler::GpuRecords& b) {
  c("kernels", a.kernels, b.kernels), c("copies", a.copies, b.copies), c("memsets", a.memsets, b.memsets);
  c("api calls", a.api_calls, b.api_calls), c("synchronizations", a.synchronizations, b.synchronizations);
  c("overheads", a.overheads, b.overheads), c("gpu devices", a.devices, b.devices);
  c("gpu contexts", a.contexts, b.contexts), c("gpu streams", a.streams, b.streams);
}

}  // namespace

std::string difference(const Capture& a, const Capture& b) {
  Comparison c;
  compare_run(c, a.run(), b.run());
  compare_honesty(c, a.honesty(), b.honesty());
  c("machine", machine_to_json(a.machine()), machine_to_json(b.machine()));
  c("names", a.names(), b.names());
  compare_plan(c, a, b);
  compare_times(c, a, b);
  compare_gpu(c, a.gpu(), b.gpu());
  c("fused members", a.fusion().members, b.fusion().members), c("fusion pairs", a.fusion().pairs, b.fusion().pairs);
  c("counters", a.counters(), b.counters()), c("collectives", a.collectives(), b.collectives());
  c.each("results", a.results(), b.results(), [&c](const profiler::ResultRecord& x, const profiler::ResultRecord& y) {
    c("tensor", x.tensor, y.tensor), c("step", x.step, y.step), c("dtype", x.dtype, y.dtype);
    c("checksum", x.checksum, y.checksum), c("elements", x.elements, y.elements), c("kept", x.kept, y.kept);
    c("not_finite", x.not_finite, y.not_finite), c("least", x.least, y.least), c("most", x.most, y.most);
    c("mean", x.mean, y.mean), c("norm", x.norm, y.norm);
  });
  c("traffic", a.traffic(), b.traffic());
  for (const profiler::OpRecord& op : a.ops()) c("attributes", a.attributes(op.id), b.attributes(op.id));
  return c.found;
}

}  // namespace tests
