// SPDX-License-Identifier: Apache-2.0
// What a GPU tracer hands out: plain events with the tracer's own clock and ids, not yet tied to ops. No CUDA header
// needed.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profiler/capture/gpu_records.h"

namespace profiler {

/// An index into GpuEvents::names.
using EventName = uint32_t;

/// When, in nanoseconds of the tracer's clock (CUPTI: CLOCK_REALTIME). start = end = 0: the device had no room to keep
/// the time.
struct EventTime {
  int64_t start_ns = 0, end_ns = 0;
  bool known() const { return start_ns > 0 && end_ns >= start_ns; }
};

// `correlation` joins a call with what it launched; 32 bits that wrap around in long runs.

struct GpuKernelEvent {
  EventTime time{};
  uint32_t correlation = 0;
  EventName name = 0;  ///< as the linker has it (mangled)
  KernelRecord record{};
};
struct GpuCopyEvent {
  EventTime time{};
  uint32_t correlation = 0, runtime_correlation = 0;  ///< the call is known by either
  CopyRecord record{};
};
struct GpuMemsetEvent {
  EventTime time{};
  uint32_t correlation = 0;
  MemsetRecord record{};
};
struct ApiCallEvent {
  EventTime time{};
  uint32_t correlation = 0, thread = 0;
  EventName name = 0;
  ApiCallRecord record{};
};
struct SynchronizationEvent {
  EventTime time{};
  uint32_t correlation = 0;
  SynchronizationRecord record{};
};
struct OverheadEvent {
  EventTime time{};
  EventName name = 0;
  OverheadRecord record{};
};
/// Calls with that correlation were made inside of an op or a step.
enum class ExternalKind : uint8_t { op, step };
struct ExternalEvent {
  uint32_t correlation = 0;
  ExternalKind kind = ExternalKind::op;
  uint64_t id = 0;
};
/// A node of a CUDA graph came to be, while `op` ran (kNoOp: none) or as a copy of node `original` (0: none).
struct GraphNodeEvent {
  uint64_t node = 0, original = 0;
  OpId op = kNoOp;
};
/// One instant on both clocks: the tracer's and CLOCK_MONOTONIC; `width_ns` bounds the error.
struct ClockPair {
  int64_t tracer_ns = 0, steady_ns = 0, width_ns = 0;
};

/// What came since the last read-out, in no particular order.
struct GpuEvents {
  std::vector<GpuKernelEvent> kernels;
  std::vector<GpuCopyEvent> copies;
  std::vector<GpuMemsetEvent> memsets;
  std::vector<ApiCallEvent> api_calls;
  std::vector<SynchronizationEvent> synchronizations;
  std::vector<OverheadEvent> overheads;
  std::vector<ExternalEvent> externals;
  std::vector<GraphNodeEvent> graph_nodes;
  std::vector<GpuDevice> devices;
  std::vector<GpuContext> contexts;
  std::vector<GpuStream> streams;
  std::vector<ClockPair> clock;
  std::vector<std::string> names{""};
  int64_t dropped = 0;             ///< records the tracer had to throw away
  int64_t unreadable = 0;          ///< records of a kind or size we do not know
  std::vector<std::string> notes;  ///< sentences: what could not be switched on
  std::string calls_of = "CUDA";   ///< whose calls api_calls are, for the name of their track
  std::string failure;             ///< the tracer gave up, in its words; empty: it did not

  EventName intern(std::string_view text) {
    const auto [entry, added] = ids_.try_emplace(std::string(text), static_cast<EventName>(names.size()));
    if (added) names.emplace_back(text);
    return entry->second;
  }
  /// Records in the lists that tell of work (not of names, clocks and objects).
  size_t size() const {
    return kernels.size() + copies.size() + memsets.size() + api_calls.size() + synchronizations.size() +
           overheads.size() + externals.size();
  }

 private:
  std::unordered_map<std::string, EventName> ids_{{"", 0}};
};

}  // namespace profiler
