// SPDX-License-Identifier: Apache-2.0
// Lanes from the kernels' facts, factors against the control of the same step.
#include "profiler/analysis/divergence.h"

#include <algorithm>
#include <cmath>

#include "profiler/analysis/step_shares.h"
#include "profiler/base/say.h"
#include "profiler/base/unknown.h"

namespace profiler {
namespace {

constexpr std::string_view kControlLayer = "control";

bool does_the_same(const Capture& capture, const OpRecord& a, const OpRecord& b) {
  if (a.type != b.type || capture.attributes(a.id) != capture.attributes(b.id)) return false;
  return std::ranges::equal(capture.operands(a), capture.operands(b), [&](const auto& x, const auto& y) {
    const TensorRecord &s = capture.tensors()[x.tensor], &t = capture.tensors()[y.tensor];
    return x.output == y.output && s.dtype == t.dtype && s.shape == t.shape;
  });
}

}  // namespace

std::vector<Divergence> divergence(const Analyzed& analyzed) {
  const Capture& capture = *analyzed.capture;
  std::vector<Divergence> found;
  for (const OpRecord& op : capture.ops()) {
    if (capture.name(op.type) != "divergent_chain") continue;
    const engine::LaneWork work = capture.has_facts(op.id) ? capture.facts(op.id).lane_work : engine::LaneWork{};
    Divergence d;
    d.op = op.id;
    d.lanes = work.lanes > 0 ? work.lanes : kUnknown;
    d.done = work.kept > 0 ? static_cast<double>(work.done) : kUnknown;
    d.kept = work.kept > 0 ? static_cast<double>(work.kept) : kUnknown;
    d.work_ratio = d.done / d.kept;
    d.predicted_ratio = d.measured_ratio = kUnknown;
    d.control = capture.name(op.layer) == kControlLayer;
    found.push_back(d);
  }
  const auto control = std::ranges::find(found, true, &Divergence::control);
  if (control == found.end()) return found;
  for (Divergence& d : found) {
    if (d.control || !does_the_same(capture, capture.ops()[d.op], capture.ops()[control->op])) continue;
    d.predicted_ratio = d.work_ratio / control->work_ratio;
    if (capture.rates_known()) d.measured_ratio = time_of(analyzed, d.op) / time_of(analyzed, control->op);
  }
  return found;
}

Table divergence_table(const Analyzed& analyzed) {
  const Capture& capture = *analyzed.capture;
  const Origin timed = capture.time_origin();
  Table table;
  table.name = "divergence";
  table.columns = {
      {"op", "Op", Quantity::text, Origin::exact, "Name of the op"},
      {"lanes_count", "Lanes", Quantity::count, Origin::exact, "Elements that take each step together"},
      {"done_count", "Work done", Quantity::count, Origin::exact,
       "Elements' worth of work of all lanes: for each path among them, all work"},
      {"kept_count", "Work kept", Quantity::count, Origin::exact, "Of it, what is part of the result"},
      {"work_ratio", "Done / kept", Quantity::ratio, Origin::exact, "Work of all lanes / work that is kept"},
      {"time_ns", "Time", Quantity::duration_ns, timed, "Median time of the op"},
      {"predicted_ratio", "Predicted", Quantity::ratio, Origin::modelled,
       "Done / kept, against that of the control: the time follows the work of all lanes"},
      {"measured_ratio", "Measured", Quantity::ratio, timed, "Median time / that of the control"}};
  const auto cell = [](double value) { return std::isfinite(value) ? Cell(value) : Cell(); };
  for (const Divergence& d : divergence(analyzed)) {
    table.rows.push_back({std::string(capture.name(capture.ops()[d.op].name)), cell(d.lanes), cell(d.done),
                          cell(d.kept), cell(d.work_ratio), cell(time_of(analyzed, d.op)), cell(d.predicted_ratio),
                          cell(d.measured_ratio)});
    table.row_ops.push_back(d.op);
  }
  return table;
}

std::vector<std::string> divergence_sentences(const Analyzed& analyzed) {
  std::vector<std::string> sentences;
  for (const Divergence& d : divergence(analyzed)) {
    const std::string_view name = analyzed.capture->name(analyzed.capture->ops()[d.op].name);
    if (std::isnan(d.lanes)) {
      sentences.push_back(say("{}: the lanes of its kernel are unknown, so no factor is predicted.", name));
      continue;
    }
    if (std::isnan(d.work_ratio)) {
      sentences.push_back(say("{}: its paths may change in each step, so no factor is predicted.", name));
      continue;
    }
    if (d.control) continue;
    std::string text = d.lanes == 1 ? say("{}: each element takes its path alone.", name)
                                    : say("{}: {:.0f} lanes in lockstep do {:.3g} times the work that is kept.", name,
                                          d.lanes, d.work_ratio);
    if (!std::isnan(d.predicted_ratio) && !std::isnan(d.measured_ratio))
      text +=
          say(" Predicted {:.3g} times the time of the control, measured {:.3g}.", d.predicted_ratio, d.measured_ratio);
    sentences.push_back(std::move(text));
  }
  return sentences;
}

}  // namespace profiler
