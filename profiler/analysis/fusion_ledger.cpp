// SPDX-License-Identifier: Apache-2.0
// Gains of fusion, predicted from measured bandwidths and obtained from two captures.
#include "profiler/analysis/fusion_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "engine/base/display_text.h"
#include "profiler/analysis/base/time_origin.h"
#include "profiler/base/say.h"
#include "profiler/base/unknown.h"
#include "profiler/base/words.h"

namespace profiler {
namespace {

using engine::FusionOutcome;

bool saves(FusionOutcome outcome) { return outcome == FusionOutcome::fused || outcome == FusionOutcome::possible; }

/// Bytes of a tensor, of those too that live inside a fused op.
double tensor_bytes(const Capture& capture, TensorId id) {
  const TensorRecord& tensor = capture.tensors()[id];
  double bytes = static_cast<double>(engine::size_bytes(tensor.dtype));
  for (const int64_t extent : tensor.shape) bytes *= static_cast<double>(extent);
  return bytes;
}

/// The nearest level that holds `bytes` whole; empty where no sizes are known.
std::string home_level(const Machine& machine, double bytes) {
  for (const MemoryLevel& level : machine.levels) {
    if (level.effective_size_bytes <= 0) return {};
    if (bytes <= static_cast<double>(level.effective_size_bytes) || &level == &machine.levels.back()) return level.name;
  }
  return {};
}

FusionLedgerRow ledger_row(const Capture& capture, const FusionPairRecord& pair, bool first) {
  const Machine& machine = capture.machine();
  FusionLedgerRow row;
  row.pair = pair;
  row.level = home_level(machine, tensor_bytes(capture, pair.tensor));
  if (!saves(pair.outcome)) return row;
  const int64_t written = first ? pair.written_bytes : 0;
  row.spared_bytes = written + pair.read_bytes;
  row.dispatches = first ? 1 : 0;
  const auto bandwidth = machine.bandwidth_for(row.level, static_cast<double>(pair.read_bytes),
                                               static_cast<double>(written), capture.run().threads);
  if (!bandwidth || !(*bandwidth > 0)) return row;
  row.predicted_ns = static_cast<double>(row.spared_bytes) / *bandwidth * 1e9;
  if (capture.run().threads > 1) row.predicted_ns += row.dispatches * machine.fork_join_ns;
  return row;
}

/// Times of ops by name; absent: not timed.
std::unordered_map<std::string_view, double> times_by_name(const Analyzed& analyzed) {
  std::unordered_map<std::string_view, double> times;
  for (const OpRecord& op : analyzed.capture->ops()) {
    const Spread& ns = analyzed.times[op.id].ns;
    if (ns.samples > 0) times.emplace(analyzed.capture->name(op.name), ns.median);
  }
  return times;
}

std::vector<FusedOpRow> fused_rows(const Analyzed& fused, const Analyzed* unfused,
                                   const std::vector<FusionLedgerRow>& pairs) {
  const Capture& capture = *fused.capture;
  std::unordered_map<std::string_view, double> alone;
  if (unfused != nullptr) alone = times_by_name(*unfused);
  std::map<OpId, FusedOpRow> groups;
  for (const FusedMemberRecord& member : capture.fusion().members) {
    FusedOpRow& row = groups[member.op];
    const std::string_view name = capture.name(member.name);
    if (row.op == kNoOp) {
      row.op = member.op;
      row.name = capture.name(capture.ops()[member.op].name);
      if (fused.times[member.op].ns.samples > 0) row.time_ns = fused.times[member.op].ns.median;
      row.unfused_ns = row.predicted_ns = 0;
    }
    row.members += fmt::format("{}{}", row.members.empty() ? "" : ", ", name);
    const auto found = alone.find(name);
    row.unfused_ns += found == alone.end() ? kUnknown : found->second;
  }
  for (const FusionLedgerRow& pair : pairs) {
    if (pair.pair.outcome != FusionOutcome::fused) continue;
    FusedOpRow& row = groups.at(pair.pair.consumer_op);
    row.spared_bytes += pair.spared_bytes;
    row.predicted_ns += pair.predicted_ns;
  }
  std::vector<FusedOpRow> rows;
  for (auto& [op, row] : groups) rows.push_back(std::move(row));
  std::ranges::stable_sort(rows, std::ranges::greater{}, &FusedOpRow::spared_bytes);
  return rows;
}

std::vector<FusionLedgerRow> ledger_rows(const Capture& capture) {
  std::vector<FusionLedgerRow> rows;
  std::set<TensorId> seen;
  for (const FusionPairRecord& pair : capture.fusion().pairs) {
    rows.push_back(ledger_row(capture, pair, saves(pair.outcome) && seen.insert(pair.tensor).second));
  }
  std::ranges::stable_sort(rows, std::ranges::greater{},
                           [](const FusionLedgerRow& r) { return r.pair.written_bytes + r.pair.read_bytes; });
  return rows;
}

std::vector<std::string> findings(const Capture& capture, const FusionLedger& ledger) {
  if (capture.fusion().pairs.empty()) {
    return {capture.run().source.empty()
                ? say("No op of this step reads what another one writes: there is nothing to fuse.")
                : say("Fusion is unknown: this trace does not record which op reads the result of "
                      "another.")};
  }
  std::array<int64_t, engine::kFusionOutcomeCount> count{};
  std::array<double, engine::kFusionOutcomeCount> bytes{};
  for (const FusionLedgerRow& row : ledger.rows) {
    const auto k = static_cast<size_t>(row.pair.outcome);
    ++count[k];
    bytes[k] += static_cast<double>(row.pair.written_bytes + row.pair.read_bytes);
  }
  std::vector<std::string> sentences;
  const auto fused = static_cast<size_t>(FusionOutcome::fused), possible = static_cast<size_t>(FusionOutcome::possible);
  if (count[fused] > 0) {
    sentences.push_back(
        say("{} of {} fused: {} per step are neither written nor read again (exact), and {} not started.", count[fused],
            ledger.rows.size() == 1 ? say("1 pair is") : say("{} pairs are", ledger.rows.size()),
            format_quantity(static_cast<double>(ledger.spared_bytes), Quantity::bytes),
            ledger.dispatches == 1 ? say("1 op is") : say("{} ops are", ledger.dispatches)));
  }
  if (count[possible] > 0) {
    sentences.push_back(say(
        "{} of {} pairs could be fused: {} per step would be neither written nor read again (exact).", count[possible],
        ledger.rows.size(), format_quantity(static_cast<double>(ledger.possible_bytes), Quantity::bytes)));
  }
  for (size_t k = 0; k < count.size(); ++k) {
    if (k == fused || k == possible || count[k] == 0) continue;
    sentences.push_back(say("Not fused, {} with {}: {}.", counted(static_cast<uint64_t>(count[k]), "pair"),
                            format_quantity(bytes[k], Quantity::bytes),
                            say_marked(explanation(static_cast<FusionOutcome>(k)))));
  }
  return sentences;
}

}  // namespace

FusionLedger fusion_ledger(const Analyzed& analyzed, const Analyzed* other) {
  const Capture& capture = *analyzed.capture;
  FusionLedger ledger;
  ledger.rows = ledger_rows(capture);
  for (const FusionLedgerRow& row : ledger.rows) {
    if (row.pair.outcome == FusionOutcome::fused)
      ledger.spared_bytes += row.spared_bytes, ledger.dispatches += row.dispatches;
    if (row.pair.outcome == FusionOutcome::possible) ledger.possible_bytes += row.spared_bytes;
  }
  if (!capture.fusion().members.empty()) {
    ledger.groups = fused_rows(analyzed, other, ledger.rows);
  } else if (other != nullptr) {
    ledger.groups = fused_rows(*other, &analyzed, ledger_rows(*other->capture));
  }
  ledger.findings = findings(capture, ledger);
  return ledger;
}

engine::Result<void> check_fusion_partner(const Capture& a, const Capture& b) {
  const bool hashed = a.run().arguments.contains("content") && b.run().arguments.contains("content");
  const bool filtered = a.run().arguments.contains("winograd") && b.run().arguments.contains("winograd");
  const auto without_fuse = [hashed, filtered](const Capture& c) {
    auto arguments = c.run().arguments;
    if (!hashed) arguments.erase("content");  // older captures do not know it
    arguments.erase("fuse");
    if (!filtered) arguments.erase("winograd");  // nor this, of unfused runs
    return arguments;
  };
  if (a.run().workload != b.run().workload || without_fuse(a) != without_fuse(b)) {
    return engine::usage_error(
        fmt::format("[--against] {} and {} are not one step: workload or arguments differ in more than --fuse",
                    engine::display_line(a.run().workload), engine::display_line(b.run().workload)));
  }
  if (a.fusion().members.empty() == b.fusion().members.empty()) {
    return engine::usage_error(
        fmt::format("[--against] both captures have {}fused ops; one of --fuse on and one of --fuse off are compared",
                    a.fusion().members.empty() ? "no " : std::string()));
  }
  return {};
}

Table fusion_table(const Analyzed& analyzed) {
  const Capture& capture = *analyzed.capture;
  Table table;
  table.name = "fusion";
  table.columns = {{"producer", "Written by", Quantity::text, Origin::exact,
                    "The op, by its name without fusion, that makes the value"},
                   {"consumer", "Read by", Quantity::text, Origin::exact, "The op that reads it"},
                   {"tensor", "Value", Quantity::text, Origin::exact, "Name of the tensor"},
                   {"written_bytes", "Written", Quantity::bytes, Origin::exact,
                    "Bytes the producer writes when the two are not fused"},
                   {"read_bytes", "Read again", Quantity::bytes, Origin::exact,
                    "Bytes the consumer reads when the two are not fused"},
                   {"outcome", "Outcome", Quantity::text, Origin::exact, "fused, possible, or the obstacle"},
                   {"why", "Why", Quantity::text, Origin::exact, "The same in words"},
                   {"level", "Level", Quantity::text, Origin::modelled,
                    "Nearest memory level that holds the value whole: where it would be read again from"},
                   {"spared_bytes", "Spared", Quantity::bytes, Origin::exact,
                    "Bytes neither written nor read again; a value with several readers is written once"},
                   {"dispatches_count", "Starts", Quantity::count, Origin::exact, "Ops fewer to start"},
                   {"predicted_ns", "Gain", Quantity::duration_ns, Origin::modelled,
                    "Spared bytes over the measured bandwidth of that level, and one parallel region per "
                    "start"}};
  // What can still be fused comes first: it is what the reader can do something about.
  std::vector<FusionLedgerRow> rows = fusion_ledger(analyzed).rows;
  std::ranges::stable_partition(rows,
                                [](const FusionLedgerRow& row) { return row.pair.outcome == FusionOutcome::possible; });
  for (const FusionLedgerRow& row : rows) {
    const bool spares = saves(row.pair.outcome);
    table.rows.push_back({std::string(capture.name(row.pair.producer)), std::string(capture.name(row.pair.consumer)),
                          std::string(capture.name(capture.tensors()[row.pair.tensor].name)),
                          static_cast<double>(row.pair.written_bytes), static_cast<double>(row.pair.read_bytes),
                          std::string(name(row.pair.outcome)), std::string(explanation(row.pair.outcome)),
                          row.level.empty() ? Cell() : Cell(row.level), static_cast<double>(row.spared_bytes),
                          static_cast<double>(row.dispatches),
                          spares && std::isfinite(row.predicted_ns) ? Cell(row.predicted_ns) : Cell()});
    table.row_ops.push_back(row.pair.consumer_op);
  }
  return table;
}

Table fused_ops_table(const Analyzed& analyzed, const Analyzed* other) {
  const auto known = [](double ns) { return std::isfinite(ns) ? Cell(ns) : Cell(); };
  Table table;
  table.name = "fused_ops";
  table.columns = {
      {"op", "Fused op", Quantity::text, Origin::exact, "Name of the fused op"},
      {"members", "Members", Quantity::text, Origin::exact, "Ops it is made of, by their names without fusion"},
      {"spared_bytes", "Spared", Quantity::bytes, Origin::exact, "Bytes neither written nor read again, per step"},
      {"time_ns", "Time", Quantity::duration_ns, Origin::measured, "Median of the fused op"},
      {"unfused_ns", "Not fused", Quantity::duration_ns, Origin::measured,
       "Sum of the members' medians in the capture without fusion"},
      {"predicted_ns", "Gain predicted", Quantity::duration_ns, Origin::modelled,
       "Sum over its pairs of the table fusion"},
      {"obtained_ns", "Gain obtained", Quantity::duration_ns, Origin::measured, "Not fused less fused"}};
  const bool own = !analyzed.capture->fusion().members.empty();
  for (const FusedOpRow& row : fusion_ledger(analyzed, other).groups) {
    table.rows.push_back({row.name, row.members, static_cast<double>(row.spared_bytes), known(row.time_ns),
                          known(row.unfused_ns), known(row.predicted_ns), known(row.obtained_ns())});
    if (own) table.row_ops.push_back(row.op);
  }
  return with_time_origin(std::move(table), *analyzed.capture);
}

}  // namespace profiler
