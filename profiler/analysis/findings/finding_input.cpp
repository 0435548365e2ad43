// SPDX-License-Identifier: Apache-2.0
// The arithmetic of gains.
#include "profiler/analysis/findings/finding_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "profiler/analysis/step_shares.h"
#include "profiler/base/say.h"
#include "profiler/capture/batch.h"
#include "profiler/capture/timed_steps.h"
#include "profiler/memory/op_access.h"

namespace profiler {

FindingInput::FindingInput(const Analyzed& analyzed)
    : a(analyzed), capture(*analyzed.capture), rules(analyzed.rules), gpu(gpu_work(*analyzed.capture)) {
  step_ns = median(timed_steps_ns(capture));
  for (const OpRecord& op : capture.ops()) {
    limits.push_back(op_limits(capture, a.model, op));
    time_of_op.push_back(gpu[op.id] ? gpu[op.id]->kernel_ns.median : profiler::time_of(a, op.id));
  }
}

bool FindingInput::could_share(OpId id) const {
  // Of our loops, elements and multiply-adds from which on they are split (engine/kernels/core/parallel.h). Of
  // libraries it is about the same.
  constexpr double kLeastElements = 16 * 1024, kLeastMultiplyAdds = 200'000;
  const OpRecord& op = capture.ops()[id];
  const engine::KernelFacts& kernel = capture.facts(id);
  const std::string_view type = capture.name(op.type);
  if (op.view || a.verdicts[id].bound == Bound::waiting) return false;
  if (kernel.single_thread || kernel.indivisible || kernel.code == engine::CodeKind::reference) return false;
  const auto operands = capture.operands(op);
  if (operands.empty()) return false;
  const std::vector<int64_t>& first = capture.tensors()[operands.front().tensor].shape;
  // Whole matrices and whole sequences are what their threads share.
  if (kernel.library == engine::KernelLibrary::lapack)
    return std::accumulate(first.begin(), first.end() - std::min<ptrdiff_t>(2, std::ssize(first)), int64_t{1},
                           std::multiplies<>()) > 1;
  const bool recurrent = type.starts_with("lstm") || type.starts_with("gru") || type.starts_with("rnn");
  if (recurrent && first.size() == 3 && first[1] < 2) return false;
  if (is_matrix_product(type)) return op.flops / 2 >= kLeastMultiplyAdds;
  double most = 0;
  for (const OperandRecord& o : operands) {
    const TensorRecord& t = capture.tensors()[o.tensor];
    most = std::max(most, static_cast<double>(std::max(o.read_bytes, o.written_bytes)) /
                              static_cast<double>(engine::size_bytes(t.dtype)));
  }
  return most >= kLeastElements;
}

std::vector<OpId> FindingInput::ops_bound(Bound bound) const {
  std::vector<OpId> ops;
  for (const OpRecord& op : capture.ops()) {
    if (!op.view && a.verdicts[op.id].bound == bound && time(op.id) > 0) ops.push_back(op.id);
  }
  std::ranges::stable_sort(ops, std::greater{}, [&](OpId op) { return time(op); });
  return ops;
}

const LevelLimit* FindingInput::binding(OpId op) const {
  const auto at = std::ranges::find(limits[op].levels, a.verdicts[op].level, &LevelLimit::level);
  return at == limits[op].levels.end() ? nullptr : &*at;
}

double FindingInput::steps_of_ranks(const CountedSteps& counted) const {
  return static_cast<double>(std::max<size_t>(1, counted.count())) *
         static_cast<double>(std::max<size_t>(1, capture.ranks().size()));
}

double FindingInput::second_ns(OpId op) const {
  const double speedup = a.verdicts[op].next_speedup;
  return speedup > 0 ? judged(op) / speedup : 0;
}

double FindingInput::gain_ns(OpId op, double part) const {
  return std::max(0.0, judged(op) - std::max(judged(op) * part, std::min(judged(op), second_ns(op))));
}

std::string FindingInput::argument(const std::string& name) const {
  const auto found = capture.run().arguments.find(name);
  return found == capture.run().arguments.end() ? std::string() : found->second;
}

std::string FindingInput::types(const std::vector<OpId>& ops) const {
  std::map<std::string_view, double> time_by_type;
  for (const OpId op : ops) time_by_type[capture.name(capture.ops()[op].type)] += time(op);
  std::vector<std::pair<double, std::string_view>> ranked;
  for (const auto& [type, ns] : time_by_type) ranked.emplace_back(ns, type);
  std::ranges::sort(ranked, std::greater{});
  constexpr size_t kMost = 3;
  std::string text;
  const size_t shown = std::min(ranked.size(), kMost);
  for (size_t i = 0; i < shown; ++i) {
    if (i > 0) text += i + 1 == shown && ranked.size() <= kMost ? say(" and ") : std::string(", ");
    text += ranked[i].second;
  }
  return text + (ranked.size() > kMost ? say(" and other ops") : say(" ops"));
}

Origin FindingInput::bytes_origin(const std::vector<OpId>& ops) const {
  std::optional<Origin> all;
  for (const OpId op : ops) {
    const LevelLimit* level = binding(op);
    if (level == nullptr) continue;
    if (all && *all != level->origin) return Origin::modelled;
    all = level->origin;
  }
  return all.value_or(Origin::modelled);
}

double FindingInput::modelled_bytes(OpId op, const LevelLimit& level) const {
  return a.model.op_levels[op][level.link].total();
}

double FindingInput::sum_time(const std::vector<OpId>& ops) const {
  double sum = 0;
  for (const OpId op : ops) sum += time(op);
  return sum;
}

std::optional<RunChange> FindingInput::batch_times(double factor) const {
  const double batch = batch_of(capture);
  if (std::isnan(batch) || batch != std::floor(batch)) return {};
  const double wanted = std::max(1.0, std::floor(batch * factor));
  if (wanted == batch) return {};
  return RunChange::of_run("batch", fmt::format("{:.0f}", batch), fmt::format("{:.0f}", wanted), wanted / batch);
}

bool FindingInput::model_file() const {
  return capture.run().source.empty() && capture.run().workload.ends_with(".onnx");
}

std::optional<RunChange> FindingInput::narrower() const {
  const std::string now = argument("dtype"), then = now == "f64" ? "f32" : now == "f32" ? "bf16" : "";
  if (then.empty()) return {};
  if (model_file()) return {};
  const std::string& choices = capture.run().dtype_choices;
  if (!choices.empty() && fmt::format(" {} ", choices).find(fmt::format(" {} ", then)) == std::string::npos) return {};
  return RunChange::of_run("dtype", now, then);
}

}  // namespace profiler
