// SPDX-License-Identifier: Apache-2.0
// Traffic of every op across every link, all ways of knowing it side by side, and what tensors have part in it.
#include <algorithm>
#include <cmath>

#include "profiler/analysis/analyze.h"
#include "profiler/analysis/base/verdict_rules.h"
#include "profiler/analysis/tables/tables.h"
#include "profiler/base/origin.h"
#include "profiler/base/say.h"
#include "profiler/base/table.h"
#include "profiler/capture/capture.h"
#include "profiler/memory/traffic.h"
#include "profiler/memory/traffic_bounds.h"

namespace profiler {
namespace {

Cell cell(double value) { return std::isfinite(value) ? Cell(value) : Cell(); }

struct Side {
  const TrafficRecord* record = nullptr;
  double bytes() const { return record != nullptr ? record->total_bytes() : kUnknownBytes; }
};

/// Simulated misses of an op's loads in steps that no prefetcher follows; unknown where the simulation kept no steps of
/// any op.
double far_misses(const Analyzed& analyzed, const Side& simulated, OpId op, std::string_view outer) {
  const TrafficSource* source = analyzed.sources.simulated();
  if (simulated.record == nullptr || !std::isfinite(simulated.record->misses) || source == nullptr ||
      !source->strided_known)
    return kUnknownBytes;
  const auto link = std::ranges::find(source->links, outer, &TrafficLink::outer);
  return source->misses_beyond(op, static_cast<uint32_t>(link - source->links.begin()),
                               analyzed.rules[Rule::prefetch_stride_bytes]);
}

/// What to do where nothing of an origin is known.
std::string why_none(const TrafficSource* source, const std::string& remedy) {
  return source == nullptr ? remedy : source->method;
}

std::string condition_text(const std::optional<LayerCondition>& condition, double capacity) {
  if (!condition || !(capacity > 0)) return {};
  const std::string rows = format_quantity(condition->rows_bytes, Quantity::capacity_bytes),
                    cache = format_quantity(capacity, Quantity::capacity_bytes);
  if (condition->met(capacity)) return say("met: {} of rows fit in half of {}", rows, cache);
  if (condition->uses <= 1)
    return say("not needed: {} of rows exceed half of {}, but no two windows share a row: the image is read once", rows,
               cache);
  return say("broken: {} of rows exceed half of {}, the image is read {}", rows, cache,
             condition->uses == 2 ? say("twice") : say("{:.3g} times", condition->uses));
}

void add_op(Table& table, const Analyzed& analyzed, const OpRecord& op) {
  const Capture& capture = *analyzed.capture;
  const TrafficSource *simulated = analyzed.sources.simulated(), *measured = analyzed.sources.measured();
  const auto has_links = [](const TrafficSource* source) { return source != nullptr && !source->links.empty(); };
  const TrafficSource& shown = has_links(simulated)  ? *simulated
                               : has_links(measured) ? *measured
                                                     : analyzed.sources.modelled();
  const std::optional<LayerCondition> condition = layer_condition(capture, op);
  for (uint32_t l = 0; l < shown.links.size(); ++l) {
    const TrafficLink& link = shown.links[l];
    const auto side = [&](Origin origin) { return Side{analyzed.sources.of(origin, op.id, link.outer).record}; };
    const Side m = side(Origin::modelled), s = side(Origin::simulated), c = side(Origin::measured);
    const TrafficBounds bounds = traffic_bounds(capture, op, link.capacity_bytes);
    const KnownTraffic best = analyzed.sources.best(op.id, link.outer);
    const double bytes = best.known() ? best.record->total_bytes() : kUnknownBytes;
    const TrafficRecord none, &counted = s.record != nullptr ? *s.record : none;
    std::string note = simulated != nullptr && op.id < simulated->op_notes.size() ? simulated->op_notes[op.id] : "";
    if (measured != nullptr && op.id < measured->op_notes.size() && !measured->op_notes[op.id].empty())
      note += say("; measured: ") + measured->op_notes[op.id];
    table.rows.push_back({std::string(capture.name(op.name)),
                          link.outer + "->" + link.inner,
                          cell(bounds.compulsory()),
                          cell(bounds.lower_bound),
                          cell(m.bytes()),
                          cell(s.bytes()),
                          cell(c.bytes()),
                          cell(bounds.compulsory() > 0 ? bytes / bounds.compulsory() : kUnknownBytes),
                          cell(bytes / bounds.lower_bound),
                          best.known() ? std::string(name(best.source->origin)) : std::string("unknown"),
                          cell(best.known() ? best.record->error_band : kUnknownBytes),
                          cell(counted.read_bytes),
                          cell(counted.written_bytes),
                          cell(counted.write_allocate_bytes),
                          cell(counted.hits),
                          cell(counted.misses),
                          cell(counted.misses / (counted.hits + counted.misses)),
                          cell(far_misses(analyzed, s, op.id, link.outer)),
                          condition_text(condition, link.capacity_bytes),
                          note});
    table.row_ops.push_back(op.id);
  }
}

}  // namespace

Table cache_table(const Analyzed& analyzed) {
  const std::string simulated =
      why_none(analyzed.sources.simulated(), say("Not simulated: record with simulated caches"));
  const std::string measured =
      why_none(analyzed.sources.measured(),
               say("Not measured: the capture holds no hardware counters (`tensortide doctor` says why)"));
  const std::string far =
      say("Misses of loads in steps of more than {} (limit prefetch_stride_bytes): no "
          "prefetcher fetches them ahead",
          format_quantity(analyzed.rules[Rule::prefetch_stride_bytes], Quantity::bytes));
  const std::string bound = say(
      "Least bytes of any loop order into the inner level, from empty: 2mnk/sqrt(S) (arXiv 1702.02017), with windows "
      "2mnk/sqrt(RS) (1911.05662)");
  Table table{
      .name = "cache",
      .columns =
          {{"op", "Op", Quantity::text, Origin::exact, "Name of the op"},
           {"link", "Link", Quantity::text, Origin::exact, "Farther and nearer level"},
           {"compulsory_bytes", "Compulsory", Quantity::bytes, Origin::exact, "Every distinct operand byte once"},
           {"lower_bound_bytes", marked("I/O bound"), Quantity::bytes, Origin::modelled, bound},
           {"modelled_bytes", "Modelled", Quantity::bytes, Origin::modelled, analyzed.model.method},
           {"simulated_bytes", "Simulated", Quantity::bytes, Origin::simulated, simulated},
           {"measured_bytes", "Measured", Quantity::bytes, Origin::measured, measured},
           {"amplification_ratio", "Amplif.", Quantity::ratio, Origin::modelled,
            "Best known bytes / compulsory; below 1: a cache still held some"},
           {"over_bound_ratio", "Over bound", Quantity::ratio, Origin::modelled, "Best known bytes / I/O lower bound"},
           {"best", "Best known", Quantity::text, Origin::exact, "Measured before simulated before modelled"},
           {"error_band_ratio", "Band", Quantity::percent_of, Origin::modelled, "Error band of the best known bytes"},
           {"simulated_read_bytes", marked("Sim. read"), Quantity::bytes, Origin::simulated, simulated},
           {"simulated_written_bytes", marked("Sim. written"), Quantity::bytes, Origin::simulated, simulated},
           {"write_allocate_bytes", "Write-alloc.", Quantity::bytes, Origin::simulated,
            "Part of what is read: lines fetched because of a store"},
           {"hits_count", "Hits", Quantity::count, Origin::simulated,
            "Accesses to lines of the inner level that found the line"},
           {"misses_count", "Misses", Quantity::count, Origin::simulated,
            "Accesses to lines of the inner level that did not"},
           {"miss_ratio", "Miss ratio", Quantity::percent_of, Origin::simulated,
            "Misses / accesses at the inner level"},
           {"far_misses_count", marked("Far steps"), Quantity::count, Origin::simulated, far},
           {"layer_condition", "Layer condition", Quantity::text, Origin::modelled,
            "Windows: whether the rows of one window stay in half of the inner level"},
           {"note", "Known how", Quantity::text, Origin::exact, "How the op's accesses are known, or why not"}},
      .rows = {},
      .row_ops = {}};
  for (const OpRecord& op : analyzed.capture->ops()) {
    if (!op.view) add_op(table, analyzed, op);
  }
  return table;
}

Table cache_tensors_table(const Analyzed& analyzed) {
  const Capture& capture = *analyzed.capture;
  const TrafficSource* source = analyzed.sources.simulated();
  const std::string simulated = why_none(source, say("Not simulated: record with simulated caches"));
  Table table{.name = "cache_tensors",
              .columns = {{"op", "Op", Quantity::text, Origin::exact, "Name of the op"},
                          {"link", "Link", Quantity::text, Origin::exact, "Farther and nearer level"},
                          {"tensor", "Tensor", Quantity::text, Origin::exact,
                           "Whose bytes; panels packed by a kernel have no name and are not listed"},
                          {"role", "Role", Quantity::text, Origin::exact, "Its role"},
                          {"simulated_read_bytes", "Read", Quantity::bytes, Origin::simulated, simulated},
                          {"simulated_written_bytes", "Written", Quantity::bytes, Origin::simulated, simulated},
                          {"hits_count", "Hits", Quantity::count, Origin::simulated, "At the inner level"},
                          {"misses_count", "Misses", Quantity::count, Origin::simulated, "At the inner level"}},
              .rows = {},
              .row_ops = {}};
  if (source == nullptr) return table;
  for (const TrafficRecord& r : source->records) {
    if (r.tensor == kNoTensor) continue;
    const TensorRecord& tensor = capture.tensors()[r.tensor];
    const TrafficLink& link = source->links[r.link];
    table.rows.push_back({std::string(capture.name(capture.ops()[r.op].name)), link.outer + "->" + link.inner,
                          std::string(capture.name(tensor.name)), std::string(engine::name(tensor.role)),
                          cell(r.read_bytes), cell(r.written_bytes), cell(r.hits), cell(r.misses)});
    table.row_ops.push_back(r.op);
  }
  return table;
}

}  // namespace profiler
