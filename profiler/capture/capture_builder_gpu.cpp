// SPDX-License-Identifier: Apache-2.0
// CaptureBuilder: GPU activities with their records, and the checks of what those say.
#include <fmt/format.h>

#include <algorithm>

#include "profiler/capture/capture_builder.h"

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

template <class Record>
void CaptureBuilder::add_with(const Activity& activity, std::vector<Record>& list, Record record) {
  record.activity = static_cast<uint32_t>(activities_.size());
  list.push_back(record);
  activities_.push_back(activity);
  activities_.back().kind = Record::kKind;
}

void CaptureBuilder::add_kernel(const Activity& activity, KernelRecord record) {
  if (record.short_name == 0 && activity.name < capture_.names_.size()) record.short_name = short_name(activity.name);
  add_with(activity, capture_.gpu_.kernels, record);
}

NameId CaptureBuilder::short_name(NameId demangled) {
  const auto [entry, added] = short_names_.try_emplace(demangled, NameId{0});
  if (added) entry->second = intern(short_kernel_name(std::string(capture_.names_[demangled])));
  return entry->second;
}

void CaptureBuilder::add_copy(const Activity& activity, CopyRecord record) {
  add_with(activity, capture_.gpu_.copies, record);
}

void CaptureBuilder::add_memset(const Activity& activity, MemsetRecord record) {
  add_with(activity, capture_.gpu_.memsets, record);
}

void CaptureBuilder::add_api_call(const Activity& activity, ApiCallRecord record) {
  add_with(activity, capture_.gpu_.api_calls, record);
}

void CaptureBuilder::add_synchronization(const Activity& activity, SynchronizationRecord record) {
  add_with(activity, capture_.gpu_.synchronizations, record);
}

void CaptureBuilder::add_overhead(const Activity& activity, OverheadRecord record) {
  add_with(activity, capture_.gpu_.overheads, record);
}

void CaptureBuilder::add_activities(std::span<const Activity> activities, const GpuRecords& records) {
  const auto first = static_cast<uint32_t>(activities_.size());
  activities_.insert(activities_.end(), activities.begin(), activities.end());
  const auto take = [first](auto& to, const auto& from) {
    for (auto record : from) {
      record.activity += first;
      to.push_back(record);
    }
  };
  GpuRecords& gpu = capture_.gpu_;
  take(gpu.kernels, records.kernels);
  take(gpu.copies, records.copies);
  take(gpu.memsets, records.memsets);
  take(gpu.api_calls, records.api_calls);
  take(gpu.synchronizations, records.synchronizations);
  take(gpu.overheads, records.overheads);
}

Result<void> CaptureBuilder::check_gpu_records() const {
  const Capture& c = capture_;
  Result<void> checked;
  std::vector<bool> seen(activities_.size());
  GpuRecords::visit_lists(c.gpu_, [&](const auto& list) {
    for (size_t i = 0; i < list.size() && checked; ++i) {
      const uint32_t row = list[i].activity;
      std::string wrong;
      if (row >= activities_.size()) {
        wrong = fmt::format("a record belongs to activity {}, there are {}", row, activities_.size());
      } else if (seen[row] || activities_[row].kind != list[i].kKind) {
        wrong = fmt::format("activity {} is of kind {} and has a record of kind {}{}", row, name(activities_[row].kind),
                            name(list[i].kKind), seen[row] ? " beside another" : "");
      } else if (const std::string reason = objection(list[i], c); !reason.empty()) {
        wrong =
            fmt::format("{} {} ({}): {}", name(activities_[row].kind), row, c.names_[activities_[row].name], reason);
      }
      if (row < seen.size()) seen[row] = true;
      if (!wrong.empty()) checked = refused_error("[capture] " + wrong);
    }
  });
  return checked;
}

}  // namespace profiler
