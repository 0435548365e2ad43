// SPDX-License-Identifier: Apache-2.0
// The ops table: one row per op or group with time, work, bytes per level, rates and verdict.
#include "profiler/analysis/tables/ops_table.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "profiler/analysis/analyze.h"
#include "profiler/analysis/base/groups.h"
#include "profiler/analysis/base/op_samples.h"
#include "profiler/analysis/base/time_origin.h"
#include "profiler/analysis/gpu/kernel_rows.h"
#include "profiler/analysis/known_bytes.h"
#include "profiler/analysis/step_shares.h"
#include "profiler/analysis/tables/ops_bounds.h"
#include "profiler/analysis/verdict/verdict.h"
#include "profiler/analysis/verdict/verdict_text.h"
#include "profiler/base/origin.h"
#include "profiler/base/say.h"
#include "profiler/base/table.h"
#include "profiler/base/unknown.h"
#include "profiler/capture/capture.h"
#include "profiler/capture/op_devices.h"
#include "profiler/capture/phases.h"

namespace profiler {
namespace {

Cell cell(double value) { return std::isfinite(value) ? Cell(value) : Cell(); }

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string calls_help(const Analyzed& analyzed, OpsBy by) {
  const Capture& capture = *analyzed.capture;
  const bool ours = capture.run().source.empty();
  if (by == OpsBy::kernel && !capture.gpu().kernels.empty()) {
    return ours ? say("Launches per step: median over the traced steps it ran in")
                : say("Launches per step: all of the traced steps, by their number");
  }
  if (ours) return say("Ops per step in this row, views left out");
  return say(
      "Calls per step: all of the traced steps, by their number; groups: sum of their ops'. Ops called by ops of "
      "the same row count too. Of an op that only a graph's replay ran, its kernels count");
}

std::vector<Column> columns(const Analyzed& analyzed, OpsBy by, bool several_devices) {
  static constexpr const char* kTitles[] = {"Op", "Layer", "Type", "Kernel", "Phase", "Device"};
  static constexpr const char* kKeys[] = {"op", "layer", "type", "kernel", "phase", "device"};
  static constexpr const char* kHelp[] = {marked("Name of the op"),
                                          marked("Path of the layer; its row includes the layers inside"),
                                          marked("Kind of op: all ops of it in one row"),
                                          marked("Who computed it"),
                                          marked("Part of the step: forward, backward or update"),
                                          marked("Where the ops ran")};
  const auto i = static_cast<size_t>(by);
  std::vector<Column> out{{kKeys[i], kTitles[i], Quantity::text, Origin::exact, kHelp[i]}};
  if (by == OpsBy::op) {
    out.push_back({"type", "Type", Quantity::text, Origin::exact, "Kind of op"});
    out.push_back({"layer", "Layer", Quantity::text, Origin::exact, "Path of the layer that wrote the op"});
    out.push_back({"phase", "Phase", Quantity::text, Origin::exact, "Part of the step: forward, backward or update"});
    out.push_back({"kernel", "Kernel", Quantity::text, Origin::exact, "Who computed it"});
  } else {
    if (by == OpsBy::layer) {
      out.push_back({"depth_count", "Depth", Quantity::count, Origin::exact,
                     "Parts of the path; rows of depth 1 add up to the step"});
    }
    out.push_back({"calls_count", "Calls", Quantity::count, Origin::exact, calls_help(analyzed, by)});
  }
  if (several_devices && by != OpsBy::device)
    out.push_back({"device", "Device", Quantity::text, Origin::exact, "Where it ran; several: the row adds them up"});
  out.push_back({"time_ns", "Time", Quantity::duration_ns, Origin::measured,
                 analyzed.capture->run().source.empty()
                     ? say("Median over the traced steps; groups: sum of their ops' medians")
                     : say("Mean over all traced steps, so that the rows add up to the time of a step")});
  out.push_back({"share_ratio", "Share", Quantity::percent_of, Origin::measured,
                 "Share of the median step. All ops, the time outside them and the step-to-step "
                 "variation add up to "
                 "1"});
  out.push_back({"flops", "FLOPs", Quantity::flops, Origin::exact, "Counted from shapes; a multiply-add is 2"});
  out.push_back({"flop_per_s", "FLOP/s", Quantity::flop_per_s, Origin::measured, "FLOPs / time"});
  out.push_back({"compulsory_bytes", "Compulsory", Quantity::bytes, Origin::exact, "Every operand byte once per op"});
  for (const std::string& level : analyzed.model.links) {
    out.push_back({lower(level) + "_bytes", level, Quantity::bytes, Origin::modelled,
                   say("Bytes to and from ") + level +
                       say(", line fills and write-backs included; \"Bytes are\" is their origin. ") +
                       analyzed.model.method});
  }
  const std::string outer = analyzed.model.links.front();
  out.push_back(
      {"amplification_ratio", "Amplif.", Quantity::ratio, Origin::modelled, outer + say(" bytes / compulsory bytes")});
  out.push_back(
      {"intensity_flop_per_byte", "Intensity", Quantity::intensity, Origin::modelled, "FLOPs / " + outer + " bytes"});
  out.push_back({"roof_ratio", "Of roof", Quantity::percent_of, Origin::modelled,
                 "Time at the nearest roof / time; groups: weighted by time. Empty where an op is "
                 "above its roof, "
                 "which is no bound then"});
  out.push_back({"bytes_origin", "Bytes are", Quantity::text, Origin::exact,
                 "Origin of this row's bytes and of what follows from them: measured before "
                 "simulated before modelled. "
                 "Groups: the best that covers all ops"});
  out.push_back({"verdict", "Verdict", Quantity::text, Origin::modelled,
                 "What limits it, by measured time and roofs and the best known bytes"});
  if (by == OpsBy::op) {
    out.push_back({"next_speedup_ratio", "If removed", Quantity::ratio, Origin::modelled,
                   "Largest speed-up without this limit. Empty: unknown, or none because the next "
                   "limit is as near"});
  }
  return out;
}

/// A row of the table: what ops, or which of their kernels.
struct RowGroup {
  std::string key;
  int depth = 1;
  double calls = 0, time = 0;  ///< time NaN: unknown
  std::vector<KernelPart> parts;
  bool communication = false;  ///< a kernel that carries data between GPUs
};

/// Each kernel on its own where a GPU's were recorded: an op may run several.
std::vector<RowGroup> row_groups(const Analyzed& analyzed, OpsBy by) {
  const Capture& capture = *analyzed.capture;
  std::vector<RowGroup> rows;
  if (by == OpsBy::kernel && !capture.gpu().kernels.empty()) {
    for (KernelRow& k : kernel_rows(capture))
      rows.push_back({std::move(k.name), 1, k.calls, k.time_ns, std::move(k.parts), k.communication});
    return rows;
  }
  const std::vector<double> calls = op_calls(capture);
  for (OpGroup& group : group_ops(capture, by)) {
    RowGroup row{std::move(group.key), group.depth, 0, 0, {}, false};
    bool timed = false;
    for (const OpId op : group.ops) {
      const double t = time_of(analyzed, op);
      row.calls += calls[op];
      if (!std::isnan(t)) row.time += t, timed = true;
      row.parts.push_back({op, t, true});
    }
    if (!timed) row.time = kUnknown;
    rows.push_back(std::move(row));
  }
  return rows;
}

struct GroupVerdict {
  std::string words;
  std::optional<Bound> bound;  ///< nothing: no op of the group was timed
};

/// What limits most of a group's time: "memory-bound at DRAM (64 % of the time)".
GroupVerdict group_verdict(const Analyzed& analyzed, const RowGroup& row) {
  if (row.communication) return {"communication", Bound::communication};
  struct Part {
    double time_ns = 0;
    const Verdict* verdict = nullptr;
  };
  std::map<std::tuple<Bound, std::string, std::string, bool, bool>, Part> by_class;
  for (const KernelPart& part : row.parts) {
    if (!(part.time_ns > 0)) continue;
    const Verdict& v = analyzed.verdicts[part.op];
    Part& sum = by_class[std::tuple(v.bound, v.level, v.beside, v.mostly, v.counted)];
    sum.time_ns += part.time_ns, sum.verdict = &v;
  }
  const auto most = std::ranges::max_element(by_class, {}, [](const auto& entry) { return entry.second.time_ns; });
  if (most == by_class.end()) return {};
  const Verdict& v = *most->second.verdict;
  const std::string words = class_text(v) + (v.counted ? " (measured)" : "");
  if (by_class.size() == 1) return {words, v.bound};
  return {say("{} ({:.0f} % of the time)", words, 100 * most->second.time_ns / row.time), v.bound};
}

struct Sums {
  double flops = 0, compulsory = 0, roof_time = 0, roof_weight = 0;
  std::vector<double> level_bytes;
  Origin bytes_origin = Origin::modelled;
};

Sums sum_of(const Analyzed& analyzed, const RowGroup& row) {
  const Capture& capture = *analyzed.capture;
  Sums s;
  s.level_bytes.assign(analyzed.model.links.size(), 0);
  std::vector<OpId> ops;
  for (const KernelPart& part : row.parts) ops.push_back(part.op);
  s.bytes_origin = best_origin(analyzed, ops);
  for (const auto& [id, t, whole] : row.parts) {
    const OpRecord& op = capture.ops()[id];
    // which of its kernels did what of an op's work is not known
    s.flops += whole ? op.flops : kUnknown;
    s.compulsory += whole ? compulsory_read(capture, op) + compulsory_written(capture, op) : kUnknown;
    for (size_t l = 0; l < s.level_bytes.size(); ++l)
      s.level_bytes[l] += whole ? known_bytes(analyzed, s.bytes_origin, id, analyzed.model.links[l]) : kUnknown;
    const double used = analyzed.verdicts[id].utilisation;
    if (std::isfinite(used) && !std::isnan(t))
      s.roof_time += used * judged_ns(analyzed.verdicts[id], t), s.roof_weight += t;
  }
  if (row.parts.empty()) {  // of no op
    s.flops = s.compulsory = kUnknown;
    s.level_bytes.assign(s.level_bytes.size(), kUnknown);
  }
  return s;
}

}  // namespace

Table ops_table(const Analyzed& analyzed, OpsBy by) {
  const Capture& capture = *analyzed.capture;
  Table table;
  table.name = "ops";
  const OpDevices devices(capture);
  table.columns = columns(analyzed, by, devices.several());
  const double share = share_per_ns(analyzed);
  for (const RowGroup& group : row_groups(analyzed, by)) {
    const Sums s = sum_of(analyzed, group);
    std::vector<Cell> row{group.key};
    if (by == OpsBy::op) {
      const OpRecord& op = capture.ops()[group.parts.front().op];
      for (const NameId id : {op.type, op.layer}) row.emplace_back(std::string(capture.name(id)));
      row.emplace_back(std::string(phase_name(capture, op.phase)));
      row.emplace_back(std::string(capture.name(op.kernel)));
    } else {
      if (by == OpsBy::layer) row.emplace_back(static_cast<double>(group.depth));
      row.emplace_back(group.calls);
    }
    if (devices.several() && by != OpsBy::device) {
      std::vector<OpId> ops;
      for (const KernelPart& part : group.parts) ops.push_back(part.op);
      row.emplace_back(devices.of_ops(ops));
    }
    row.push_back(cell(group.time));
    row.push_back(cell(group.time * share));
    row.emplace_back(s.flops);
    row.push_back(s.flops > 0 ? cell(capture.rate(s.flops, group.time)) : Cell());
    row.emplace_back(s.compulsory);
    for (const double bytes : s.level_bytes) row.push_back(cell(bytes));
    row.push_back(s.compulsory > 0 ? cell(s.level_bytes.front() / s.compulsory) : Cell());
    row.push_back(s.flops > 0 ? cell(s.flops / s.level_bytes.front()) : Cell());
    row.push_back(cell(s.roof_weight > 0 ? s.roof_time / s.roof_weight : kUnknown));
    row.push_back(std::isnan(s.level_bytes.front()) ? Cell() : Cell(std::string(name(s.bytes_origin))));
    if (by == OpsBy::op) {
      const OpId op = group.parts.front().op;
      row.emplace_back(headline(analyzed.verdicts[op]));
      const double speedup = analyzed.verdicts[op].next_speedup;
      row.push_back(speedup > 1 ? cell(speedup) : Cell());
      table.row_ops.push_back(op);
    } else {
      row.emplace_back(group_verdict(analyzed, group).words);
    }
    table.rows.push_back(std::move(row));
  }
  return with_time_origin(std::move(table), capture);
}

std::vector<std::optional<Bound>> ops_bounds(const Analyzed& analyzed, OpsBy by) {
  std::vector<std::optional<Bound>> bounds;
  for (const RowGroup& group : row_groups(analyzed, by)) {
    bounds.push_back(by == OpsBy::op ? std::optional(analyzed.verdicts[group.parts.front().op].bound)
                                     : group_verdict(analyzed, group).bound);
  }
  return bounds;
}

}  // namespace profiler
