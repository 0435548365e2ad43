// SPDX-License-Identifier: Apache-2.0
// Commands of the log as events of a tracer.
#include "profiler/opencl/tracer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "engine/base/clock.h"
#include "engine/opencl/command_log.h"
#include "profiler/gpu/clock_map.h"

namespace profiler::opencl {
namespace {

using engine::Result;
using engine::opencl::Command;
using engine::opencl::CommandKind;
using engine::opencl::CommandLog;

CopyKind copy_kind(CommandKind kind) {
  switch (kind) {
    case CommandKind::to_device: return CopyKind::host_to_device;
    case CommandKind::to_host: return CopyKind::device_to_host;
    default: return CopyKind::device_to_device;
  }
}

int32_t narrow(int64_t extent) { return static_cast<int32_t>(std::min<int64_t>(extent, INT32_MAX)); }

/// Times of its events are CLOCK_MONOTONIC: devices' clocks are mapped here, each by its own readings.
class OpenclTracer final : public GpuTracer {
 public:
  OpenclTracer() { CommandLog::the().start(); }
  ~OpenclTracer() override { CommandLog::the().stop(); }

  void push(ExternalKind kind, uint64_t id) override { set(kind, id); }
  void pop(ExternalKind kind) override { set(kind, Command::kNone); }

  std::vector<GpuEvents> take() override {
    std::vector<GpuEvents> all;
    all.push_back(events_of(CommandLog::the().take()));
    return all;
  }

  std::vector<GpuEvents> stop() override {
    std::vector<GpuEvents> rest = take();
    CommandLog::the().stop();
    return rest;
  }

 private:
  static void set(ExternalKind kind, uint64_t id) {
    if (kind == ExternalKind::op) CommandLog::the().set_op(id);
    else CommandLog::the().set_step(id);
  }

  GpuEvents events_of(CommandLog::Taken taken) {
    GpuEvents events;
    events.calls_of = "OpenCL";
    const int64_t now = engine::now_ns();
    events.clock.push_back({now, now, 0});
    events.dropped = taken.dropped;
    for (const auto& device : taken.devices) add_device(device, events);
    for (const auto& clock : taken.clocks)
      clocks_[clock.device].add({clock.device_ns, clock.steady_ns, clock.width_ns});
    for (const Command& command : taken.commands) add_command(command, events);
    return events;
  }

  static void add_device(const engine::opencl::LoggedDevice& from, GpuEvents& events) {
    GpuDevice device{.device = from.device, .name = from.name};
    device.multiprocessors = from.compute_units;
    device.memory_bytes = from.memory_bytes;
    events.devices.push_back(std::move(device));
    events.contexts.push_back({.context = from.device, .device = from.device});
    events.streams.push_back({.stream = from.device, .context = from.device});
  }

  void add_command(const Command& command, GpuEvents& events) {
    const uint32_t correlation = ++correlation_;
    const GpuPlace place{.device = command.device, .context = command.device, .stream = command.device};
    if (command.op != Command::kNone) events.externals.push_back({correlation, ExternalKind::op, command.op});
    if (command.step != Command::kNone) events.externals.push_back({correlation, ExternalKind::step, command.step});
    const EventTime call{command.call_start_ns, command.call_end_ns};
    if (command.kind == CommandKind::wait) {
      SynchronizationEvent wait{.time = call, .correlation = correlation};
      wait.record.place = place;
      wait.record.kind = SyncKind::stream;
      events.synchronizations.push_back(wait);
    }
    ApiCallEvent api{.time = call, .correlation = correlation, .thread = command.thread};
    api.name = events.intern(command.call);
    api.record.return_value = static_cast<uint32_t>(command.result);
    events.api_calls.push_back(api);
    if (command.result != 0 || command.kind == CommandKind::wait) return;
    const EventTime time = on_our_clock(command);
    if (command.kind == CommandKind::kernel) {
      GpuKernelEvent kernel{.time = time, .correlation = correlation, .name = events.intern(command.name)};
      kernel.record.place = place;
      for (size_t i = 0; i < 3; ++i) {
        kernel.record.grid[i] = narrow(command.groups[i]);
        kernel.record.block[i] = narrow(command.items[i]);
      }
      events.kernels.push_back(kernel);
      return;
    }
    GpuCopyEvent copy{.time = time, .correlation = correlation};
    copy.record.place = place;
    copy.record.kind = copy_kind(command.kind);
    copy.record.bytes = command.size_bytes;
    const bool from_host = command.kind == CommandKind::to_device, to_host = command.kind == CommandKind::to_host;
    copy.record.source = from_host ? MemoryKind::pageable : MemoryKind::device;
    copy.record.destination = to_host ? MemoryKind::pageable : MemoryKind::device;
    copy.record.synchrony = from_host || to_host ? Synchrony::synchronous : Synchrony::asynchronous;
    events.copies.push_back(copy);
  }

  /// Unknown where the driver gave no time, or the device's clock was never read.
  EventTime on_our_clock(const Command& command) {
    const ClockMap& clock = clocks_[command.device];
    if (clock.empty() || command.start_ns <= 0) return {};
    return {clock.to_steady(command.start_ns), clock.to_steady(command.end_ns)};
  }

  std::map<int, ClockMap> clocks_;
  uint32_t correlation_ = 0;
};

}  // namespace

const GpuModule& gpu_module() {
  static const GpuModule module{
      .examine =
          [](bool) {
            return std::vector<ChainLink>{{.name = "OpenCL's profiling events",
                                           .works = true,
                                           .found = "times of kernels and copies, in every run on an OpenCL device",
                                           .remedy = ""},
                                          {.name = "counters",
                                           .works = false,
                                           .found = "OpenCL counts nothing",
                                           .remedy = "use --device cpu or --device cuda",
                                           .for_counters_only = true}};
          },
      .start_trace = []() -> Result<std::unique_ptr<GpuTracer>> {
        return std::unique_ptr<GpuTracer>(std::make_unique<OpenclTracer>());
      },
      .start_counters = [](int, CounterSet, size_t) -> Result<std::unique_ptr<GpuCounters>> {
        return engine::refused_error("[counters] OpenCL counts nothing: use --device cpu or --device cuda");
      },
      .start_samples = [](int) -> Result<std::unique_ptr<GpuSampler>> {
        return engine::refused_error("[counters] OpenCL has no samples over time: use --device cuda");
      },
      .in_every_run = true};
  return module;
}

}  // namespace profiler::opencl
