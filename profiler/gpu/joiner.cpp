// SPDX-License-Identifier: Apache-2.0
// Joins events by correlation id, over read-outs, with bounded memory.
#include "profiler/gpu/joiner.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "engine/base/check.h"

namespace profiler {
namespace {

/// "GPU 0"; of the emulated one "GPU 0 (emulated)".
std::string device_group(const GpuPlace& place, const RunInfo& run) {
  const char* const how = run.traits().emulated ? " (emulated)" : "";
  return place.device < 0 ? fmt::format("GPU{}", how) : fmt::format("GPU {}{}", place.device, how);
}

/// The engine a copy occupies: H200 has one for each direction, and the compute units for copies within the device.
std::string_view engine_of(const CopyRecord& copy) {
  switch (copy.kind) {
    case CopyKind::host_to_device:
    case CopyKind::host_to_array: return "copies to device";
    case CopyKind::device_to_host:
    case CopyKind::array_to_host: return "copies to host";
    case CopyKind::peer_to_peer: return "copies between devices";
    default: return "copies within device";
  }
}

uint64_t graph_node(const GpuKernelEvent& e) { return e.record.graph_node; }
uint64_t graph_node(const GpuCopyEvent& e) { return e.record.graph_node; }
uint64_t graph_node(const GpuMemsetEvent& e) { return e.record.graph_node; }

void rename(GpuKernelEvent& e, const std::vector<NameId>& names) { e.name = names[e.name]; }
void rename(GpuCopyEvent&, const std::vector<NameId>&) {}
void rename(GpuMemsetEvent&, const std::vector<NameId>&) {}

template <class Record>
void append(GpuBatch& batch, std::vector<Record>& list, const Activity& activity, Record record) {
  record.activity = static_cast<uint32_t>(batch.activities.size());
  list.push_back(record);
  batch.activities.push_back(activity);
  batch.activities.back().kind = Record::kKind;
}

}  // namespace

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && text != nullptr ? std::string(text.get()) : name;
}

void append(GpuBatch& batch, GpuBatch more) {
  const auto first = static_cast<uint32_t>(batch.activities.size());
  batch.activities.insert(batch.activities.end(), more.activities.begin(), more.activities.end());
  const auto take = [first](auto& to, const auto& from) {
    for (auto record : from) {
      record.activity += first;
      to.push_back(record);
    }
  };
  take(batch.records.kernels, more.records.kernels);
  take(batch.records.copies, more.records.copies);
  take(batch.records.memsets, more.records.memsets);
  take(batch.records.api_calls, more.records.api_calls);
  take(batch.records.synchronizations, more.records.synchronizations);
  take(batch.records.overheads, more.records.overheads);
}

GpuJoiner::GpuJoiner(CaptureBuilder& builder, JoinPatience patience) : builder_(builder), patience_(patience) {}

/// The wide id nearest to the newest: ids come nearly in order, and 2^31 calls never lie between two read-outs.
uint64_t GpuJoiner::widen(uint32_t correlation) {
  if (correlation == 0) return 0;
  if (newest_ == 0) newest_ = (uint64_t{1} << 32) | correlation;  // room below for those that were overtaken
  const auto ahead = static_cast<int32_t>(correlation - static_cast<uint32_t>(newest_));
  const uint64_t wide = newest_ + static_cast<uint64_t>(static_cast<int64_t>(ahead));
  newest_ = std::max(newest_, wide);
  return wide;
}

GpuJoiner::Call& GpuJoiner::call(uint64_t correlation) {
  const auto [entry, added] = calls_.try_emplace(correlation);
  if (added) call_order_.push_back(correlation);
  entry->second.cycle = cycle_;
  return entry->second;
}

void GpuJoiner::note_objects(GpuEvents& events) {
  for (const ClockPair& pair : events.clock) clock_.add(pair);
  for (GpuDevice& device : events.devices) {
    const auto& known = builder_.so_far().gpu().devices;
    const bool there =
        std::any_of(known.begin(), known.end(), [&](const GpuDevice& d) { return d.device == device.device; });
    if (!there) builder_.add_gpu_device(std::move(device));
  }
  for (const GpuContext& context : events.contexts) builder_.add_gpu_context(context);
  for (const GpuStream& stream : events.streams) builder_.add_gpu_stream(stream);
  for (const GraphNodeEvent& node : events.graph_nodes) {
    OpId op = node.op;
    if (node.original != 0) {
      const auto original = graph_nodes_.find(node.original);
      if (original != graph_nodes_.end()) op = original->second;
    }
    if (op != kNoOp) graph_nodes_[node.node] = op;
  }
  losses_.dropped += events.dropped;
  losses_.unreadable += events.unreadable;
  losses_.clock_steps = clock_.steps();
}

void GpuJoiner::note_calls(const GpuEvents& events) {
  for (const ExternalEvent& external : events.externals) {
    Call& of = call(widen(external.correlation));
    if (external.kind == ExternalKind::op) {
      of.op = external.id < builder_.so_far().ops().size() ? static_cast<OpId>(external.id) : kNoOp;
    } else {
      of.step = static_cast<uint32_t>(external.id);
    }
  }
}

Activity GpuJoiner::activity(const EventTime& time, uint64_t correlation) const {
  Activity a;
  a.start_ns = clock_.to_steady(time.start_ns);
  a.duration_ns = std::max<int64_t>(0, clock_.to_steady(time.end_ns) - a.start_ns);
  a.correlation = correlation;
  return a;
}

template <class Event>
void GpuJoiner::collect(std::vector<Event>& events, const std::vector<NameId>& names,
                        std::vector<Waiting<Event>>& waiting) {
  for (Event& event : events) {
    if (!event.time.known()) {
      ++losses_.untimed;
      continue;
    }
    rename(event, names);
    uint64_t correlation = widen(event.correlation);
    if constexpr (std::is_same_v<Event, GpuCopyEvent>) {
      const uint64_t runtime = widen(event.runtime_correlation);
      if (runtime != 0 && !calls_.contains(correlation)) correlation = runtime;
    }
    waiting.push_back({std::move(event), correlation, cycle_});
  }
}

template <class Event>
void GpuJoiner::release(std::vector<Waiting<Event>>& waiting, bool last, GpuBatch& batch) {
  std::vector<Waiting<Event>> still;
  for (Waiting<Event>& w : waiting) {
    if constexpr (std::is_same_v<Event, GpuCopyEvent>) {  // the other id may have been heard of meanwhile
      const uint64_t runtime = widen(w.event.runtime_correlation);
      if (runtime != 0 && !calls_.contains(w.correlation)) w.correlation = runtime;
    }
    const auto found = calls_.find(w.correlation);
    OpId op = found == calls_.end() ? kNoOp : found->second.op;
    if (const uint64_t node = graph_node(w.event); node != 0) {
      const auto of_node = graph_nodes_.find(node);
      op = of_node == graph_nodes_.end() ? kNoOp : of_node->second;
    }
    const bool known = op != kNoOp && found != calls_.end() && found->second.step != kNoStep;
    if (!known && !last && cycle_ - w.cycle < patience_.wait_cycles) {
      still.push_back(std::move(w));
      continue;
    }
    Activity a = activity(w.event.time, w.correlation);
    a.op = op;
    if (found != calls_.end()) {
      a.step = found->second.step;
      found->second.launched = true;
      found->second.cycle = cycle_;
    }
    if (op == kNoOp && a.step != kNoStep) ++losses_.unattributed;
    emit(w.event, a, batch);
  }
  waiting = std::move(still);
}

void GpuJoiner::emit(const GpuKernelEvent& event, Activity a, GpuBatch& batch) {
  a.name = event.name;
  a.track = builder_.track(TrackKind::stream, fmt::format("stream {}", event.record.place.stream),
                           device_group(event.record.place, builder_.run()));
  KernelRecord record = event.record;
  record.short_name = builder_.short_name(a.name);
  append(batch, batch.records.kernels, a, record);
}

void GpuJoiner::emit(const GpuCopyEvent& event, Activity a, GpuBatch& batch) {
  a.name = builder_.intern(fmt::format("copy, {}", profiler::name(event.record.kind)));
  a.track =
      builder_.track(TrackKind::copy_engine, engine_of(event.record), device_group(event.record.place, builder_.run()));
  append(batch, batch.records.copies, a, event.record);
}

void GpuJoiner::emit(const GpuMemsetEvent& event, Activity a, GpuBatch& batch) {
  a.name = builder_.intern("memset");
  a.track = builder_.track(TrackKind::stream, fmt::format("stream {}", event.record.place.stream),
                           device_group(event.record.place, builder_.run()));
  append(batch, batch.records.memsets, a, event.record);
}

/// API calls, waits and overheads: what they belong to comes with them or not at all.
void GpuJoiner::emit_calls(const GpuEvents& events, const std::vector<NameId>& names, GpuBatch& batch) {
  const auto known = [this](uint64_t correlation, Activity& a) {
    const auto found = calls_.find(correlation);
    if (found == calls_.end()) return;
    a.op = found->second.op;
    a.step = found->second.step;
  };
  for (const ApiCallEvent& event : events.api_calls) {
    if (!event.time.known()) {
      ++losses_.untimed;
      continue;
    }
    const uint64_t correlation = widen(event.correlation);
    Activity a = activity(event.time, correlation);
    a.name = names[event.name];
    known(correlation, a);
    a.track = builder_.track(TrackKind::host_thread,
                             fmt::format("{} calls of thread {}", events.calls_of, event.thread), "Host");
    append(batch, batch.records.api_calls, a, event.record);
  }
  for (const SynchronizationEvent& event : events.synchronizations) {
    if (!event.time.known()) continue;  // a wait that was over at once
    const uint64_t correlation = widen(event.correlation);
    Activity a = activity(event.time, correlation);
    a.name = builder_.intern(fmt::format("wait, {}", profiler::name(event.record.kind)));
    known(correlation, a);
    a.track = builder_.track(TrackKind::host_thread, "waits for the GPU", "Host");
    append(batch, batch.records.synchronizations, a, event.record);
  }
  for (const OverheadEvent& event : events.overheads) {
    if (!event.time.known()) continue;
    Activity a = activity(event.time, 0);
    a.name = names[event.name];
    a.track = builder_.track(TrackKind::overhead, "CUPTI", "Profiler");
    append(batch, batch.records.overheads, a, event.record);
  }
}

/// Forgets calls whose launches were all seen, oldest first, and the oldest of too many.
void GpuJoiner::forget_calls() {
  while (!call_order_.empty()) {
    const auto oldest = calls_.find(call_order_.front());
    const bool done = oldest->second.launched && cycle_ - oldest->second.cycle > patience_.keep_cycles;
    if (!done && calls_.size() <= patience_.most_calls) return;
    calls_.erase(oldest);
    call_order_.pop_front();
  }
}

GpuBatch GpuJoiner::join(GpuEvents events, bool last) {
  ++cycle_;
  note_objects(events);
  GpuBatch batch;
  if (clock_.empty()) {
    CHECK(events.size() == 0);  // a tracer sends its first pair before anything else
    return batch;
  }
  std::vector<NameId> names;
  for (const std::string& name : events.names) names.push_back(builder_.intern(demangled(name)));
  note_calls(events);
  emit_calls(events, names, batch);
  collect(events.kernels, names, waiting_kernels_);
  collect(events.copies, names, waiting_copies_);
  collect(events.memsets, names, waiting_memsets_);
  release(waiting_kernels_, last, batch);
  release(waiting_copies_, last, batch);
  release(waiting_memsets_, last, batch);
  forget_calls();
  return batch;
}

}  // namespace profiler
