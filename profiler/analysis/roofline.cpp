// SPDX-License-Identifier: Apache-2.0
// Roofline: measured roofs at the thread count of the ops that use most threads, one point per op and level.
// Source: Williams, Waterman, Patterson, "Roofline", CACM 52(4), 2009.
#include "profiler/analysis/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "profiler/analysis/base/groups.h"
#include "profiler/analysis/base/op_times.h"
#include "profiler/analysis/verdict/gpu_verdict.h"
#include "profiler/analysis/verdict/limits.h"
#include "profiler/base/origin.h"
#include "profiler/base/say.h"
#include "profiler/base/statistics.h"
#include "profiler/base/table.h"
#include "profiler/base/unknown.h"
#include "profiler/capture/capture.h"
#include "profiler/capture/op_devices.h"
#include "profiler/memory/traffic_model.h"

namespace profiler {
namespace {

/// Relative spread of the measured bandwidths of one level at one thread count.
std::pair<double, double> relative_spread(const Machine& machine, const std::string& level, int threads) {
  double low = 1, high = 1;
  for (const BandwidthRoof& roof : machine.bandwidth) {
    if (roof.level != level || roof.threads != threads || !roof.bytes_per_s.known() || roof.bytes_per_s.median <= 0)
      continue;
    low = std::min(low, roof.bytes_per_s.low / roof.bytes_per_s.median);
    high = std::max(high, roof.bytes_per_s.high / roof.bytes_per_s.median);
  }
  return {low, high};
}

void add_memory_roofs(const Capture& capture, const TrafficModel& model, int threads, std::vector<Roof>& roofs) {
  for (size_t l = 0; l < model.links.size(); ++l) {
    double read = 0, written = 0;
    if (model.known) {
      for (const auto& op : model.op_levels) {
        read += op[l].read_total();
        written += op[l].written_total();
      }
    }
    if (!(read + written > 0)) read = 1, written = 0;  // nothing moves there: the roof of pure reading
    const auto at = [&](RoofEdge edge) {
      return traffic_bandwidth(capture.machine(), model.links[l], l + 1 == model.links.size(), read, written, threads,
                               false, edge);
    };
    const auto value = at(RoofEdge::likely);
    if (!value) continue;
    const auto [low, high] = relative_spread(capture.machine(), model.links[l], threads);
    Roof roof;
    roof.level = model.links[l];
    roof.name = fmt::format("{} {}", roof.level, format_quantity(*value, Quantity::bytes_per_s));
    roof.value = *value;
    roof.low = *at(RoofEdge::low) * low;
    roof.high = *at(RoofEdge::high) * high;
    roof.threads = threads;
    roofs.push_back(roof);
  }
}

/// One roof per dtype the step computes in, most FLOPs first.
void add_compute_roofs(const Capture& capture, int threads, std::vector<Roof>& roofs) {
  std::map<engine::DType, double> flops;
  for (const OpRecord& op : capture.ops()) {
    if (op.flops > 0) flops[dtype_of(capture, op)] += op.flops;
  }
  std::vector<std::pair<double, engine::DType>> ranked;
  for (const auto& [dtype, sum] : flops) ranked.emplace_back(sum, dtype);
  std::sort(ranked.rbegin(), ranked.rend());
  for (const auto& [sum, dtype] : ranked) {
    const auto peak = capture.machine().compute_roof(dtype, threads);
    if (!peak) continue;
    Roof roof;
    roof.name =
        say("{} peak {}", engine::name(peak->dtype), format_quantity(peak->flop_per_s.median, Quantity::flop_per_s));
    roof.value = peak->flop_per_s.median;
    roof.low = peak->flop_per_s.low;
    roof.high = peak->flop_per_s.high;
    roof.threads = threads;
    roof.dtype = peak->dtype;
    const bool listed = std::any_of(roofs.begin(), roofs.end(), [&](const Roof& r) { return r.name == roof.name; });
    if (!listed) roofs.push_back(roof);
  }
}

/// The time that the data sheet's roofs allow an op of an imported trace; NaN: unknown. Operands that fit into L2 may
/// come from there: memory is no roof of theirs.
struct SpecifiedLimit {
  bool known = false;
  bool by_l2 = false;  ///< the operands fit into L2, whose bandwidth would decide, and which is not published
  double peak_flop_per_s = kUnknown, roof_ns = kUnknown;
};

SpecifiedLimit specified_limit(const Capture& capture, const OpRecord& op, const std::optional<GpuOpWork>& work,
                               double bytes) {
  SpecifiedLimit limit;
  const GpuDevice* device = work ? gpu_device(capture, work->device) : nullptr;
  if (device == nullptr) return limit;
  const GpuRoofs roofs = gpu_roofs(*device, dtype_of(capture, op), capture.facts(op.id).format);
  limit.peak_flop_per_s = roofs.flop_per_s;
  limit.known = !std::isnan(roofs.bytes_per_s);
  const double all_ns = bytes / roofs.bytes_per_s * 1e9, memory_ns = bytes > roofs.l2_bytes ? all_ns : 0;
  const double compute_ns = work->flops_ratio * op.flops / roofs.flop_per_s * 1e9;
  limit.roof_ns = std::max(compute_ns, memory_ns);
  limit.by_l2 = memory_ns == 0 && all_ns > compute_ns;
  if (std::isnan(roofs.flop_per_s)) limit.roof_ns = kUnknown;
  return limit;
}

/// Data-sheet roofs of the GPUs that an imported trace names: memory, and arithmetic in the formats of its ops.
void add_specified_roofs(const Capture& capture, const std::vector<std::optional<GpuOpWork>>& work,
                         std::vector<Roof>& roofs) {
  const auto add = [&](std::string name, std::string level, double value, engine::DType dtype) {
    if (std::isnan(value) || std::ranges::find(roofs, name, &Roof::name) != roofs.end()) return;
    roofs.push_back({.name = std::move(name),
                     .level = std::move(level),
                     .value = value,
                     .low = value,
                     .high = value,
                     .origin = Origin::specified,
                     .threads = 0,
                     .dtype = dtype});
  };
  const std::string memory(name(GpuLevel::memory));
  for (const OpRecord& op : capture.ops()) {
    const GpuDevice* device = work[op.id] ? gpu_device(capture, work[op.id]->device) : nullptr;
    if (device == nullptr) continue;
    const engine::DType dtype = dtype_of(capture, op);
    const engine::ProductFormat format = capture.facts(op.id).format;
    const GpuRoofs found = gpu_roofs(*device, dtype, format);
    add(fmt::format("{} {}", memory, format_quantity(found.bytes_per_s, Quantity::bytes_per_s)), memory,
        found.bytes_per_s, engine::DType::float32);
    if (op.flops > 0) {
      const std::string_view kind = format == engine::ProductFormat::tf32 ? "tf32" : engine::name(dtype);
      add(say("{} peak {}", kind, format_quantity(found.flop_per_s, Quantity::flop_per_s)), "", found.flop_per_s,
          dtype);
    }
  }
}

/// Points of one op, over its bytes as they are known best: measured before simulated before modelled; with modelled
/// bytes unknown a single point over its compulsory bytes.
void add_points(const Capture& capture, const TrafficModel& model, const OpRecord& op, double time_ns,
                const std::optional<GpuOpWork>& work, std::vector<RooflinePoint>& points) {
  RooflinePoint point;
  point.op = op.id;
  point.time_ns = time_ns;
  point.flop_per_s = capture.rate(op.flops, time_ns);
  point.attainable = kUnknown;
  point.winnable_ns = kUnknown;
  if (!model.known) {
    const double bytes = compulsory_read(capture, op) + compulsory_written(capture, op);
    point.level = "compulsory";
    point.origin = Origin::exact;
    point.intensity = bytes > 0 ? op.flops / bytes : kUnknown;
    if (const SpecifiedLimit limit = specified_limit(capture, op, work, bytes); limit.known) {
      point.level = name(GpuLevel::memory);
      if (limit.roof_ns > 0 && !limit.by_l2) {
        point.attainable = op.flops / limit.roof_ns * 1e9;
        point.winnable_ns = std::max(0.0, time_ns - limit.roof_ns);
      }
    }
    points.push_back(point);
    return;
  }
  const OpLimits limits = op_limits(capture, model, op);
  for (size_t l = 0; l < model.links.size(); ++l) {
    const TrafficModel::OpLevel& moved = model.op_levels[op.id][l];
    point.level = model.links[l];
    const auto limit =
        std::find_if(limits.levels.begin(), limits.levels.end(), [&](const LevelLimit& x) { return x.link == l; });
    const bool limited = limit != limits.levels.end();
    const bool idle = std::ranges::find(limits.idle_links, l) != limits.idle_links.end();
    const double bytes = limited ? limit->bytes : idle ? 0 : moved.total();
    point.origin = limited ? limit->origin : Origin::modelled;
    point.intensity = bytes > 0 ? op.flops / bytes : kUnknown;
    if (limits.known) {
      const double roof_ns = std::max(limits.compute_ns, limited ? limit->time_ns : 0.0);
      point.attainable = roof_ns > 0 ? op.flops / roof_ns * 1e9 : kUnknown;
      point.winnable_ns = std::max(0.0, time_ns - roof_ns);
    }
    points.push_back(point);
  }
}

/// Whose roofs are drawn: those of the ops with FLOPs that use most threads; the run's where none does.
int most_threads(const Capture& capture, const TrafficModel& model) {
  int most = 0;
  for (const OpRecord& op : capture.ops()) {
    if (!op.view && op.flops > 0) most = std::max(most, op_limits(capture, model, op).threads);
  }
  return most > 0 ? most : std::max(1, capture.run().threads);
}

}  // namespace

Roofline roofline(const Capture& capture, const TrafficModel& model) {
  Roofline result;
  const int threads = most_threads(capture, model);
  if (capture.device().is_processor) {
    add_memory_roofs(capture, model, threads, result.roofs);
    add_compute_roofs(capture, threads, result.roofs);
  }
  const bool imported = !capture.run().source.empty() && !capture.gpu().kernels.empty();
  const std::vector<std::optional<GpuOpWork>> work =
      imported ? gpu_work(capture) : std::vector<std::optional<GpuOpWork>>(capture.ops().size());
  if (imported) add_specified_roofs(capture, work, result.roofs);
  const std::vector<OpTime> times = op_times(capture);
  for (const OpRecord& op : capture.ops()) {
    if (op.view) continue;
    if (!(op.flops > 0)) {
      ++result.ops_without_flops;
      continue;
    }
    const Spread& ns = times[op.id].ns;
    if (ns.samples > 0 && ns.median > 0) add_points(capture, model, op, ns.median, work[op.id], result.points);
  }
  return result;
}

}  // namespace profiler
