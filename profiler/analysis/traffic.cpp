// SPDX-License-Identifier: Apache-2.0
// Traffic of a scope: sums of the model by link, role and tensor.
#include "profiler/analysis/traffic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "profiler/analysis/base/groups.h"
#include "profiler/analysis/base/scope.h"
#include "profiler/base/origin.h"
#include "profiler/base/say.h"
#include "profiler/capture/capture.h"
#include "profiler/memory/byte_ranges.h"
#include "profiler/memory/traffic_model.h"

namespace profiler {
namespace {

double total(const RoleBytes& a, const RoleBytes& b) {
  return std::accumulate(a.begin(), a.end(), 0.0) + std::accumulate(b.begin(), b.end(), 0.0);
}

/// Distinct bytes the ops touch: the blocks of all their operands once.
double distinct_bytes(const Capture& capture, const ByteRanges& ranges, const std::vector<OpId>& ops) {
  std::vector<bool> seen(ranges.block_count(), false);
  double bytes = 0;
  for (const OpId id : ops) {
    if (capture.ops()[id].view) continue;
    for (const OperandRecord& o : capture.operands(capture.ops()[id])) {
      if (o.read_bytes == 0 && o.written_bytes == 0) continue;
      const BlockRange range = ranges.blocks(o.tensor);
      for (uint32_t b = range.first; b < range.last; ++b) {
        if (seen[b]) continue;
        seen[b] = true;
        bytes += ranges.block_bytes(b);
      }
    }
  }
  return bytes;
}

}  // namespace

double LinkTraffic::modelled_total() const {
  return modelled_known ? total(modelled_read, modelled_written) : std::numeric_limits<double>::quiet_NaN();
}
double LinkTraffic::compulsory_total() const { return total(compulsory_read, compulsory_written); }

Traffic traffic(const Capture& capture, const TrafficModel& model, const Scope& scope) {
  Traffic result;
  const ByteRanges ranges(capture);
  const std::vector<OpId> ops = ops_of(capture, scope);
  const size_t links = model.links.size();
  std::vector<std::unordered_map<TensorId, TensorTraffic>> by_tensor(links);
  for (size_t l = 0; l < links; ++l) {
    LinkTraffic link;
    link.outer = model.links[l];
    link.inner = model.inner[l];
    link.modelled_known = model.known;
    result.links.push_back(link);
  }
  for (const OpId id : ops) {
    const OpRecord& op = capture.ops()[id];
    for (uint32_t i = op.first_operand; i < op.first_operand + op.operand_count; ++i) {
      const OperandRecord& o = capture.operands()[i];
      const auto role = static_cast<size_t>(o.role);
      const TensorId root = ranges.root(o.tensor);
      for (size_t l = 0; l < links; ++l) {
        const TrafficModel::OperandLevel& moved = model.operand_levels[i][l];
        LinkTraffic& link = result.links[l];
        link.compulsory_read[role] += static_cast<double>(o.read_bytes);
        link.compulsory_written[role] += static_cast<double>(o.written_bytes);
        link.modelled_read[role] += moved.read;
        link.modelled_written[role] += moved.written;
        TensorTraffic& t = by_tensor[l][root];
        t.tensor = root;
        t.modelled_read += moved.read;
        t.modelled_written += moved.written;
        t.compulsory_read += static_cast<double>(o.read_bytes);
        t.compulsory_written += static_cast<double>(o.written_bytes);
        t.reads += o.read_bytes > 0 ? 1 : 0;
        t.writes += o.written_bytes > 0 ? 1 : 0;
      }
    }
  }
  // of a trace of another tool whose shapes are not all understood, the sums would be of some ops only
  const bool partial =
      !capture.run().source.empty() && (ops.empty() || std::ranges::any_of(ops, [&](OpId id) {
                                          return std::isnan(compulsory_read(capture, capture.ops()[id])) &&
                                                 !capture.activities_of(id).empty();
                                        }));
  if (partial) {
    for (LinkTraffic& link : result.links) {
      link.compulsory_read.fill(std::numeric_limits<double>::quiet_NaN());
      link.compulsory_written.fill(std::numeric_limits<double>::quiet_NaN());
    }
  }
  for (size_t l = 0; l < links; ++l) {
    std::vector<TensorTraffic> ranked;
    for (const auto& [tensor, t] : by_tensor[l]) {
      if (t.reads + t.writes > 0) ranked.push_back(t);
    }
    const auto size = [&](const TensorTraffic& t) {
      return model.known ? t.modelled_read + t.modelled_written : t.compulsory_read + t.compulsory_written;
    };
    std::sort(ranked.begin(), ranked.end(), [&](const TensorTraffic& a, const TensorTraffic& b) {
      return size(a) != size(b) ? size(a) > size(b) : a.tensor < b.tensor;
    });
    result.tensors.push_back(std::move(ranked));
  }
  result.working_set_bytes = partial ? std::numeric_limits<double>::quiet_NaN() : distinct_bytes(capture, ranges, ops);
  result.method = model.method;
  const TrafficSource* measured = capture.traffic_of(Origin::measured);
  result.measured_reason =
      measured != nullptr ? measured->method
                          : say("Not measured: the capture holds no hardware counters (`tensortide doctor` says why).");
  return result;
}

}  // namespace profiler
