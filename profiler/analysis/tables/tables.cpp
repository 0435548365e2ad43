// SPDX-License-Identifier: Apache-2.0
// The analyses as tables.
#include "profiler/analysis/tables/tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "profiler/analysis/allocated.h"
#include "profiler/analysis/analyze.h"
#include "profiler/analysis/base/groups.h"
#include "profiler/analysis/base/scope.h"
#include "profiler/analysis/base/time_origin.h"
#include "profiler/analysis/base/verdict_rules.h"
#include "profiler/analysis/footprint.h"
#include "profiler/analysis/gpu/overlap.h"
#include "profiler/analysis/outer_links.h"
#include "profiler/analysis/roof_words.h"
#include "profiler/analysis/roofline.h"
#include "profiler/analysis/step_shares.h"
#include "profiler/analysis/tables/ops_table.h"
#include "profiler/analysis/tables/summary.h"
#include "profiler/analysis/tokens.h"
#include "profiler/analysis/traffic.h"
#include "profiler/analysis/verdict/verdict.h"
#include "profiler/analysis/verdict/verdict_text.h"
#include "profiler/base/origin.h"
#include "profiler/base/say.h"
#include "profiler/base/table.h"
#include "profiler/capture/capture.h"
#include "profiler/capture/op_devices.h"
#include "profiler/capture/phases.h"

namespace profiler {
namespace {

Cell cell(double value) { return std::isfinite(value) ? Cell(value) : Cell(); }

std::string op_name(const Capture& capture, OpId op) { return std::string(capture.name(capture.ops()[op].name)); }

Role role_at(size_t index) { return static_cast<Role>(index); }

/// One row of the summary: `shown` is what a person reads, `value` is in base units.
void add_fact(Table& table, const char* key, double value, Quantity quantity, const char* unit, Origin origin) {
  table.rows.push_back(
      {std::string(key), cell(value), std::string(unit), std::string(name(origin)), format_quantity(value, quantity)});
}

void add_sentence(Table& table, const char* key, const std::string& text) {
  table.rows.push_back({std::string(key), text.empty() ? Cell() : Cell(text), std::string(),
                        std::string(name(Origin::modelled)), std::string()});
}

/// Bytes of a scope by link and role as one source knows them, of the ops that it knows.
class KnownRoles {
 public:
  struct Sum {
    double read = kUnknownBytes, written = kUnknownBytes, compulsory = kUnknownBytes;
  };
  std::string method;

  /// `source`: null where there is none, for which `remedy` then stands.
  KnownRoles(const Capture& capture, const TrafficSource* source, const Scope& scope, std::string remedy)
      : method(std::move(remedy)) {
    if (source == nullptr) return;
    method = source->method;
    links.resize(source->links.size());
    for (const TrafficLink& link : source->links) outer.push_back(link.outer);
    whole_step.assign(links.size(), true), parted.assign(links.size(), false);
    for (const OpId op : ops_of(capture, scope)) {
      for (uint32_t l = 0; l < links.size(); ++l) {
        const TrafficRecord* whole = source->of(op, l);
        if (whole == nullptr || !whole->known()) {
          whole_step[l] = whole_step[l] && capture.ops()[op].view;
          continue;
        }
        for (const OperandRecord& o : capture.operands(capture.ops()[op]))
          sum(l, o.role).compulsory += static_cast<double>(o.read_bytes + o.written_bytes);
        double read = whole->read_bytes, written = whole->written_bytes;
        for (const TrafficRecord& r : source->of(op)) {
          if (r.link != l || r.tensor == kNoTensor) continue;
          Sum& role = sum(l, capture.tensors()[r.tensor].role);
          role.read += r.read_bytes, role.written += r.written_bytes;
          read -= r.read_bytes, written -= r.written_bytes;
          parted[l] = true;
        }
        Sum& panels = sum(l, Role::workspace);  // what no tensor has: panels packed by the kernel
        panels.read += read, panels.written += written;
      }
    }
  }
  Sum at(const std::string& link, size_t role) const {
    const size_t l = index(link);
    return l == outer.size() ? Sum() : links[l][role];
  }
  /// Whether all ops are known at the link, and whose bytes crossed it.
  bool complete(const std::string& link) const {
    const size_t l = index(link);
    return l < outer.size() && whole_step[l] && parted[l];
  }

 private:
  size_t index(const std::string& link) const {
    return static_cast<size_t>(std::find(outer.begin(), outer.end(), link) - outer.begin());
  }
  Sum& sum(size_t link, Role role) {
    Sum& s = links[link][static_cast<size_t>(role)];
    if (std::isnan(s.read)) s = {0, 0, 0};
    return s;
  }
  std::vector<std::string> outer;
  std::vector<std::array<Sum, engine::kRoleCount>> links;
  std::vector<bool> whole_step, parted;
};

/// What the GPUs did of the steps, and where their work lies; nothing where none did anything.
void add_gpu_facts(Table& table, const Analyzed& analyzed) {
  const Overlap o = overlap(*analyzed.capture, analyzed.rules);
  double span = 0, kernels = 0, communication = 0, copies = 0;
  for (const GpuRegion& r : o.regions)
    span += r.span_ns, kernels += r.kernel_ns, communication += r.exposed_communication_ns, copies += r.exposed_ns();
  if (!(span > 0)) return;
  const auto add = [&](const char* key, double value) {
    add_fact(table, key, value, Quantity::percent_of, "ratio", analyzed.capture->time_origin());
  };
  add("gpu_computing_ratio", kernels / span);
  add("gpu_communication_alone_ratio", communication / span);
  add("gpu_copies_alone_ratio", copies / span);
  add("gpu_behind_host_ratio", o.places.behind_host_ns / o.places.busy_ns);
  add("gpu_outside_steps_ratio", o.places.stepless_ns / o.places.busy_ns);
}

/// Instead of an origin, where there are no bytes to have one.
constexpr const char* kNoBytes = "none";

}  // namespace

Table roofs_table(const Analyzed& analyzed) {
  Table table;
  table.name = "roofs";
  table.columns = {
      {"roof", "Roof", Quantity::text, Origin::measured, "Name with its value"},
      {"level", "Level", Quantity::text, Origin::measured, "Memory level; empty for arithmetic"},
      {"dtype", "Dtype", Quantity::text, Origin::measured, "Arithmetic roofs: data type"},
      {"threads_count", "Threads", Quantity::count, Origin::measured, "Worker threads measured with"},
      {"bandwidth_bytes_per_s", "Bandwidth", Quantity::bytes_per_s, Origin::measured,
       "At this step's mix of reads and writes, line fills of stores counted"},
      {"bandwidth_low_bytes_per_s", "Lowest", Quantity::bytes_per_s, Origin::measured, "Lowest repeat of a bandwidth"},
      {"bandwidth_high_bytes_per_s", "Highest", Quantity::bytes_per_s, Origin::measured,
       "Highest repeat of a bandwidth"},
      {"peak_flop_per_s", "Peak", Quantity::flop_per_s, Origin::measured,
       "The fastest arithmetic that was measured; the last column is its method"},
      {"peak_low_flop_per_s", "Lowest", Quantity::flop_per_s, Origin::measured, "Lowest repeat of a peak"},
      {"peak_high_flop_per_s", "Highest", Quantity::flop_per_s, Origin::measured, "Highest repeat of a peak"},
      {"method", "Measured how", Quantity::text, Origin::exact,
       "Arithmetic roofs: what was timed, arithmetic in "
       "registers or a GEMM, or the data sheet"},
      {"origin", "Origin", Quantity::text, Origin::exact, "Measured on this machine, or specified by a data sheet"}};
  for (const Roof& r : roofline(*analyzed.capture, analyzed.model).roofs) {
    const bool compute = r.level.empty();
    const auto only_if = [](bool is, double value) { return is ? Cell(value) : Cell(); };
    const auto peak = compute ? analyzed.capture->machine().compute_roof(r.dtype, r.threads) : std::nullopt;
    table.rows.push_back({r.name, r.level, compute ? std::string(engine::name(r.dtype)) : std::string(),
                          only_if(r.threads > 0, r.threads), only_if(!compute, r.value), only_if(!compute, r.low),
                          only_if(!compute, r.high), only_if(compute, r.value), only_if(compute, r.low),
                          only_if(compute, r.high),
                          peak                            ? peak->method
                          : r.origin == Origin::specified ? say("data sheet")
                                                          : std::string(),
                          std::string(name(r.origin))});
  }
  if (const AboveRoof above = above_roof_ops(analyzed); above.ops > 0) {  // the roof that its sentence names
    const std::string value = format_quantity(above.roof_bytes_per_s, Quantity::bytes_per_s);
    table.rows.push_back({fmt::format("{} {}, {}", above.level, value, roof_of_words(above)), above.level,
                          std::string(), static_cast<double>(above.threads), above.roof_bytes_per_s, Cell(), Cell(),
                          Cell(), Cell(), Cell(), say("the roof of {}", op_name(*analyzed.capture, above.worst)),
                          std::string(name(Origin::measured))});
  }
  return table;
}

Table verdicts_table(const Analyzed& analyzed) {
  const Capture& capture = *analyzed.capture;
  Table table;
  table.name = "verdicts";
  table.columns = {
      {"op", "Op", Quantity::text, Origin::exact, "Name of the op"},
      {"time_ns", "Time", Quantity::duration_ns, Origin::measured,
       capture.run().source.empty() ? say("Median over the traced steps") : say("Mean over all traced steps")},
      {"bound", "Bound", Quantity::text, Origin::modelled, "What limits it"},
      {"level", "Level", Quantity::text, Origin::modelled, "At which memory level"},
      {"confidence", "Confidence", Quantity::text, Origin::modelled,
       "firm: the same under all perturbations; else likely. Empty: there is no class"},
      {"runner_up", "Else", Quantity::text, Origin::modelled, "Class if the inputs are off by their error bands"},
      {"utilisation_ratio", "Of roof", Quantity::percent_of, Origin::modelled,
       "Time at the binding roof / time; of noisy times their lower quartile"},
      {"next_speedup_ratio", "If removed", Quantity::ratio, Origin::modelled,
       "Largest speed-up without this limit. Empty: unknown, or none because the next limit is as "
       "near"},
      {"cause", "Cause", Quantity::text, Origin::modelled, "Why the limit binds"},
      {"why", "Why", Quantity::text, Origin::modelled, "The reasoning with its numbers"}};
  for (const OpRecord& op : capture.ops()) {
    const Verdict& v = analyzed.verdicts[op.id];
    const bool judged = v.bound != Bound::unknown && v.bound != Bound::inconsistent;
    table.rows.push_back({op_name(capture, op.id), cell(time_of(analyzed, op.id)), std::string(name(v.bound)), v.level,
                          judged ? std::string(v.firm ? say("firm") : say("likely")) : std::string(), v.runner_up,
                          cell(v.utilisation), v.next_speedup > 1 ? cell(v.next_speedup) : Cell(), cause_text(v),
                          fmt::format("{}", fmt::join(verdict_text(v), " "))});
    table.row_ops.push_back(op.id);
  }
  return with_time_origin(std::move(table), capture);
}

Table rules_table(const VerdictRules& rules) {
  Table table;
  table.name = "rules";
  table.columns = {
      {"key", "Threshold", Quantity::text, Origin::exact, "Its name in verdict_rules.json of the configuration folder"},
      {"value", "Value", Quantity::text, Origin::exact, "What applies"},
      {"usual", "Usual", Quantity::text, Origin::exact, "Value unless the user's file sets another"},
      {"low", "Lowest", Quantity::text, Origin::exact, "Least it can be set to"},
      {"high", "Highest", Quantity::text, Origin::exact, "Most it can be set to"},
      {"meaning", "Meaning", Quantity::text, Origin::exact, "What it decides"},
      {"source", "Source", Quantity::text, Origin::exact, "Its source"}};
  for (const VerdictRule& r : rules.rows())
    table.rows.push_back({r.key, r.value, r.usual, r.low, r.high, r.meaning, r.source});
  return table;
}

Table summary_table(const Analyzed& analyzed) {
  const Summary s = summary(analyzed);
  const Origin timed = analyzed.capture->time_origin();
  Table table;
  table.name = "summary";
  table.columns = {{"key", "Fact", Quantity::text, Origin::exact, "Name of the fact; ends in its unit"},
                   {"value", "Value", Quantity::text, Origin::exact, "In base units"},
                   {"unit", "Unit", Quantity::text, Origin::exact, "Base unit of the value"},
                   {"origin", "Origin", Quantity::text, Origin::exact, "How the value was obtained"},
                   {"shown", "Shown", Quantity::text, Origin::exact, "The value for people"}};
  add_fact(table, "step_ns", s.step_ns.median, Quantity::duration_ns, "ns", timed);
  add_fact(table, "step_low_ns", s.step_ns.low, Quantity::duration_ns, "ns", timed);
  add_fact(table, "step_high_ns", s.step_ns.high, Quantity::duration_ns, "ns", timed);
  add_fact(table, "steps_count", s.step_ns.samples, Quantity::count, "count", Origin::exact);
  add_fact(table, "samples_per_s", s.samples_per_s, Quantity::count, "1/s", timed);
  if (!std::isnan(s.samples_per_s))
    table.rows.back().back() = format_quantity(s.samples_per_s, Quantity::count) + " samples/s";
  if (const TokenFigures tokens = token_figures(analyzed); tokens.known()) {
    add_fact(table, "tokens_per_s", tokens.tokens_per_s(), Quantity::count, "1/s", timed);
    add_fact(table, "token_bytes", tokens.bytes() / tokens.tokens, Quantity::bytes, "B", Origin::exact);
    if (!tokens.decodes())
      add_fact(table, "first_token_ns", tokens.first_token_ns(), Quantity::duration_ns, "ns", timed);
  }
  add_fact(table, "flops", s.flops, Quantity::flops, "FLOP", Origin::exact);
  const bool imported = !analyzed.capture->run().source.empty();
  if (imported)
    add_fact(table, "flops_known_ratio", s.flops_known_ratio, Quantity::percent_of, "ratio", Origin::measured);
  add_fact(table, "flop_per_s", s.flop_per_s, Quantity::flop_per_s, "FLOP/s", timed);
  add_fact(table, "roof_ratio", s.roof_ratio, Quantity::percent_of, "ratio", timed);
  add_fact(table, "compulsory_bytes", s.compulsory_bytes, Quantity::bytes, "B", Origin::exact);
  if (imported)
    add_fact(table, "bytes_known_ratio", s.bytes_known_ratio, Quantity::percent_of, "ratio", Origin::measured);
  add_fact(table, "dram_bytes", s.dram_bytes, Quantity::bytes, "B", s.dram_origin);
  add_fact(table, "amplification_ratio", s.amplification, Quantity::ratio, "ratio", s.dram_origin);
  if (const double mean = mean_step_apart_ns(*analyzed.capture); !std::isnan(mean))
    add_fact(table, "mean_step_ns", mean, Quantity::duration_ns, "ns", timed);
  add_fact(table, "untimed_ratio", s.untimed_ratio, Quantity::percent_of, "ratio", timed);
  if (const StepParts parts = step_parts(analyzed); parts.known() && parts.has_rest())
    add_fact(table, "beyond_medians_ratio", parts.rest_ns / parts.step_ns, Quantity::percent_of, "ratio", timed);
  add_gpu_facts(table, analyzed);
  for (const Limiter& l : s.limiters) {
    const std::string key = fmt::format("limit_{}{}{}_ratio", name(l.bound), l.level.empty() ? "" : "_", l.level);
    table.rows.push_back({key, cell(l.share), std::string("ratio"), std::string(name(Origin::modelled)),
                          fmt::format("{} ({})", format_quantity(l.share, Quantity::percent_of), l.what)});
  }
  if (!s.time_doubt.empty()) add_sentence(table, "time_doubt", s.time_doubt);
  add_sentence(table, "sentence", s.sentence);
  add_sentence(table, "advice", s.advice);
  return table;
}

Table traffic_table(const Analyzed& analyzed, const Scope& scope) {
  const Traffic t = traffic(*analyzed.capture, analyzed.model, scope);
  const KnownRoles simulated(*analyzed.capture, analyzed.sources.simulated(), scope,
                             say("Not simulated: record with simulated caches"));
  const KnownRoles measured(*analyzed.capture, analyzed.sources.measured(), scope,
                            say("Not measured: the capture holds no hardware counters (`tensortide doctor` says why)"));
  Table table;
  table.name = "traffic";
  table.columns = {
      {"link", "Link", Quantity::text, Origin::exact, "Farther and nearer level"},
      {"role", "Role", Quantity::text, Origin::exact, "Whose bytes"},
      {"compulsory_read_bytes", "Comp. read", Quantity::bytes, Origin::exact, "Every operand byte once per op"},
      {"compulsory_written_bytes", "Comp. written", Quantity::bytes, Origin::exact, "Every operand byte once per op"},
      {"modelled_read_bytes", "Read", Quantity::bytes, Origin::modelled, t.method},
      {"modelled_written_bytes", "Written", Quantity::bytes, Origin::modelled, t.method},
      {"amplification_ratio", "Amplif.", Quantity::ratio, Origin::modelled, "Best known bytes / compulsory"},
      {"amplification_origin", "Amplif. of", Quantity::text, Origin::exact,
       "Origin of the bytes of the amplification: measured before simulated before modelled, the "
       "same for all ops of "
       "the step"},
      {"simulated_read_bytes", marked("Sim. read"), Quantity::bytes, Origin::simulated, simulated.method},
      {"simulated_written_bytes", marked("Sim. written"), Quantity::bytes, Origin::simulated, simulated.method},
      {"simulated_share_ratio", "Simulated", Quantity::percent_of, Origin::exact,
       "Part of the compulsory bytes that belongs to ops that were simulated"},
      {"measured_read_bytes", marked("Meas. read"), Quantity::bytes, Origin::measured, measured.method},
      {"measured_written_bytes", marked("Meas. written"), Quantity::bytes, Origin::measured, measured.method}};
  for (const OuterLink& outer :
       outer_links(*analyzed.capture, scope, t.links.empty() ? say("device memory") : t.links.front().outer)) {
    const LinkTraffic& link = outer.bytes;
    for (size_t r = 0; r < engine::kRoleCount; ++r) {
      if (!(link.measured_read[r] + link.measured_written[r] > 0)) continue;
      table.rows.push_back({link.outer + "->" + link.inner, std::string(engine::name(role_at(r))), Cell(), Cell(),
                            Cell(), Cell(), Cell(), std::string(kNoBytes), Cell(), Cell(), Cell(),
                            link.measured_read[r], link.measured_written[r]});
    }
  }
  for (const LinkTraffic& link : t.links) {
    for (size_t r = 0; r < engine::kRoleCount; ++r) {
      const double compulsory = link.compulsory_read[r] + link.compulsory_written[r];
      const double modelled = link.modelled_read[r] + link.modelled_written[r];
      if (!(compulsory > 0) && !(modelled > 0) &&
          !(simulated.at(link.outer, r).read + simulated.at(link.outer, r).written > 0) &&
          !(measured.at(link.outer, r).read + measured.at(link.outer, r).written > 0))
        continue;
      const auto modelled_cell = [&](double x) { return link.modelled_known ? cell(x) : Cell(); };
      const KnownRoles* best = measured.complete(link.outer)    ? &measured
                               : simulated.complete(link.outer) ? &simulated
                                                                : nullptr;
      const double bytes = best != nullptr       ? best->at(link.outer, r).read + best->at(link.outer, r).written
                           : link.modelled_known ? modelled
                                                 : kUnknownBytes;
      const Origin origin = best == &measured    ? Origin::measured
                            : best == &simulated ? Origin::simulated
                                                 : Origin::modelled;
      table.rows.push_back({link.outer + "->" + link.inner, std::string(engine::name(role_at(r))),
                            link.compulsory_read[r], link.compulsory_written[r], modelled_cell(link.modelled_read[r]),
                            modelled_cell(link.modelled_written[r]), compulsory > 0 ? cell(bytes / compulsory) : Cell(),
                            std::isfinite(bytes / compulsory) ? std::string(name(origin)) : std::string(kNoBytes),
                            cell(simulated.at(link.outer, r).read), cell(simulated.at(link.outer, r).written),
                            cell(simulated.at(link.outer, r).compulsory / compulsory),
                            cell(measured.at(link.outer, r).read), cell(measured.at(link.outer, r).written)});
    }
  }
  return table;
}

Table roofline_table(const Analyzed& analyzed) {
  const Capture& capture = *analyzed.capture;
  Table table;
  table.name = "roofline";
  table.columns = {
      {"op", "Op", Quantity::text, Origin::exact, "Name of the op"},
      {"level", "Level", Quantity::text, Origin::exact, "Whose bytes the intensity uses"},
      {"intensity_flop_per_byte", "Intensity", Quantity::intensity, Origin::modelled,
       "FLOPs / bytes at the level; empty: no bytes there"},
      {"flop_per_s", "FLOP/s", Quantity::flop_per_s, Origin::measured, "FLOPs / time"},
      {"attainable_flop_per_s", "Attainable", Quantity::flop_per_s, Origin::modelled,
       "min(peak, intensity x bandwidth of the op's mix), over the bytes of the intensity"},
      {"time_ns", "Time", Quantity::duration_ns, Origin::measured, "Median over the traced steps"},
      {"winnable_ns", "Winnable", Quantity::duration_ns, Origin::modelled, "Time above the roof over those bytes"},
      {"bytes_origin", "Bytes are", Quantity::text, Origin::exact,
       "Origin of the bytes of this row, and so of "
       "intensity, attainable and potential savings. None: "
       "no bytes at this level, only arithmetic is its "
       "roof"}};
  for (const RooflinePoint& p : roofline(capture, analyzed.model).points) {
    table.rows.push_back({op_name(capture, p.op), p.level, cell(p.intensity), cell(p.flop_per_s), cell(p.attainable),
                          cell(p.time_ns), cell(p.winnable_ns),
                          std::isnan(p.intensity) ? std::string(kNoBytes) : std::string(name(p.origin))});
    table.row_ops.push_back(p.op);
  }
  return with_time_origin(std::move(table), capture);
}

Table tensors_table(const Analyzed& analyzed) {
  const Capture& capture = *analyzed.capture;
  const OpDevices devices(capture);
  Table table;
  table.name = "tensors";
  table.columns = {{"tensor", "Tensor", Quantity::text, Origin::exact, "Name of the tensor"},
                   {"device", "Device", Quantity::text, Origin::exact, "In whose memory it lies"},
                   {"dtype", "Type", Quantity::text, Origin::exact, "Data type of its elements"},
                   {"shape", "Shape", Quantity::text, Origin::exact, "Extents of its axes, outermost first"},
                   {"role", "Role", Quantity::text, Origin::exact, "Whose bytes"},
                   {"stored_bytes", "Size", Quantity::bytes, Origin::exact, "Bytes it occupies; 0: a view of another"},
                   {"lives", "Lives", Quantity::text, Origin::exact, "From the op that writes it to its last reader"}};
  const bool own = capture.run().source.empty();
  for (const TensorRecord& t : capture.tensors()) {
    const bool view = t.alias_of != kNoTensor;
    const bool placed = own && t.first_op != kNoOp && t.last_op != kNoOp;  // a file may name no op
    const std::string lives = t.persistent ? say("across steps")
                              : placed     ? say("{} to {}", op_name(capture, t.first_op), op_name(capture, t.last_op))
                                           : std::string();
    table.rows.push_back({std::string(capture.name(t.name)), devices.of_tensor(t.id),
                          std::string(engine::name(t.dtype)), fmt::format("{}", fmt::join(t.shape, "x")),
                          std::string(engine::name(t.role)), view ? 0.0 : static_cast<double>(t.size_bytes),
                          lives.empty() ? Cell() : Cell(lives)});
  }
  return table;
}

Table memory_table(const Analyzed& analyzed) {
  const Capture& capture = *analyzed.capture;
  const Footprint f = footprint(capture);
  if (f.points.empty() && !allocated_series(capture).empty()) return allocated_table(capture);
  Table table;
  table.name = "memory";
  table.columns = {{"op", "Op", Quantity::text, Origin::exact, "Bytes alive while this op runs"},
                   {"phase", "Phase", Quantity::text, Origin::exact, "Part of the step"},
                   {"live_bytes", "Live", Quantity::bytes, Origin::exact, "Sum of the roles"}};
  for (size_t r = 0; r < engine::kRoleCount; ++r) {
    const std::string role(engine::name(role_at(r)));
    table.columns.push_back({role + "_bytes", role, Quantity::bytes, Origin::exact, say("Live bytes of this role")});
  }
  for (const std::string& device : f.devices) {
    table.columns.push_back({device + "_bytes", device, Quantity::bytes, Origin::exact,
                             say("Live bytes in the memory of this device; the roles are over all devices")});
  }
  for (const FootprintPoint& p : f.points) {
    std::vector<Cell> row{op_name(capture, p.op), std::string(phase_name(capture, capture.ops()[p.op].phase)),
                          std::accumulate(p.live_bytes.begin(), p.live_bytes.end(), 0.0)};
    for (const double bytes : p.live_bytes) row.emplace_back(bytes);
    for (const double bytes : p.by_device) row.emplace_back(bytes);
    table.rows.push_back(std::move(row));
    table.row_ops.push_back(p.op);
  }
  return table;
}

}  // namespace profiler
