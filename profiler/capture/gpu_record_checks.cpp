// SPDX-License-Identifier: Apache-2.0
// Checks of GPU records: each belongs to one activity of its kind, and its figures are possible.
#include <algorithm>

#include "profiler/capture/capture_checks.h"

namespace profiler {

using engine::refused_error;
using engine::Result;

namespace {

/// Why a figure of a record is impossible; empty: all are possible.
std::string objection(const KernelRecord& k, const Capture& c) {
  if (k.short_name >= c.names().size()) return fmt::format("name {} does not exist", k.short_name);
  for (const auto* extents : {&k.grid, &k.block, &k.cluster}) {
    if (std::any_of(extents->begin(), extents->end(), [](int32_t e) { return e < -1; })) {
      return "a negative extent of grid, block or cluster";
    }
  }
  if (k.registers_per_thread < -1 || k.static_shared_bytes < -1 || k.dynamic_shared_bytes < -1 || k.local_bytes < -1) {
    return "a negative number of registers or bytes";
  }
  return {};
}

std::string objection(const CopyRecord& copy, const Capture& c) {
  if (copy.bytes < -1) return fmt::format("{} bytes were copied", copy.bytes);
  if (copy.tensor != kNoTensor && copy.tensor >= c.tensors().size()) {
    return fmt::format("tensor {} does not exist, there are {}", copy.tensor, c.tensors().size());
  }
  if (copy.reason >= c.names().size()) return fmt::format("name {} does not exist", copy.reason);
  if (static_cast<int>(copy.kind) >= kCopyKindCount || static_cast<int>(copy.source) >= kMemoryKindCount ||
      static_cast<int>(copy.destination) >= kMemoryKindCount || static_cast<int>(copy.synchrony) >= kSynchronyCount) {
    return "its kind, memory or synchrony is unknown";
  }
  return {};
}

std::string objection(const MemsetRecord& memset, const Capture&) {
  if (memset.bytes < -1) return fmt::format("{} bytes were set", memset.bytes);
  return static_cast<int>(memset.memory) < kMemoryKindCount ? "" : "its kind of memory is unknown";
}

std::string objection(const SynchronizationRecord& sync, const Capture&) {
  return static_cast<int>(sync.kind) < kSyncKindCount ? "" : "its kind is unknown";
}

std::string objection(const ApiCallRecord&, const Capture&) { return {}; }
std::string objection(const OverheadRecord&, const Capture&) { return {}; }

}  // namespace

Result<void> check_gpu_records(const Capture& c, std::span<const Activity> activities) {
  Result<void> checked;
  std::vector<bool> seen(activities.size());
  GpuRecords::visit_lists(c.gpu(), [&](const auto& list) {
    for (size_t i = 0; i < list.size() && checked; ++i) {
      const uint32_t row = list[i].activity;
      std::string wrong;
      if (row >= activities.size()) {
        wrong = fmt::format("a record belongs to activity {}, there are {}", row, activities.size());
      } else if (seen[row] || activities[row].kind != list[i].kKind) {
        wrong = fmt::format("activity {} is of kind {} and has a record of kind {}{}", row, name(activities[row].kind),
                            name(list[i].kKind), seen[row] ? " beside another" : "");
      } else if (const std::string reason = objection(list[i], c); !reason.empty()) {
        wrong = fmt::format("{} {} ({}): {}", name(activities[row].kind), row, c.names()[activities[row].name], reason);
      }
      if (row < seen.size()) seen[row] = true;
      if (!wrong.empty()) checked = refused_error("[capture] " + wrong);
    }
  });
  return checked;
}

}  // namespace profiler
