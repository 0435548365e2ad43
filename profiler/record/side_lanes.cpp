// SPDX-License-Identifier: Apache-2.0
// SideLanes: copies and stages as activities on tracks of their own.
#include "profiler/record/side_lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "engine/graph/to_device.h"
#include "engine/runtime/observer.h"
#include "engine/tensor/device.h"
#include "profiler/base/lane_names.h"
#include "profiler/record/copy_ties.h"

namespace profiler {
namespace {

static_assert(kReadLane == engine::kReadLane);

using engine::Node;
using engine::Transfer;
using engine::ValueId;

CopyKind kind_of(const Transfer& transfer) {
  const bool from_gpu = is_gpu(transfer.from), to_gpu = is_gpu(transfer.to);
  if (from_gpu) return to_gpu ? CopyKind::peer_to_peer : CopyKind::device_to_host;
  return to_gpu ? CopyKind::host_to_device : CopyKind::host_to_host;
}

MemoryKind memory_of(const engine::Device& device, bool pinned) {
  if (is_gpu(device)) return MemoryKind::device;
  return pinned ? MemoryKind::pinned : MemoryKind::pageable;
}

/// Ops whose own work is copying: nobody could have spared it.
bool copies_by_trade(const Node& node) { return node.op->name == "round_trip"; }

/// The host has no number.
int32_t number_of(const engine::Device& device) {
  return traits_of(device).is_processor ? kUnknownFigure : device.index;
}

}  // namespace

SideLanes::SideLanes(CaptureBuilder& builder, const engine::Graph& graph, const engine::EagerSession* session,
                     TrackId host, bool gpu_traced)
    : builder_(builder), graph_(graph), host_(host), gpu_traced_(gpu_traced), unchanging_(unchanging_values(graph)) {
  const std::vector<std::string> further =
      session == nullptr ? std::vector<std::string>() : engine::named_devices(graph);
  if (further.empty()) return;
  const std::string home = to_string(session->backend().info().device);
  for (const std::string& name : further) {
    if (name != home) builder_.track(TrackKind::host_thread, name, "Devices");
    if (engine::traits_of(name).simulated) simulated_.push_back(name);
  }
  for (const Node& node : graph.nodes()) {
    const std::string& name = session->device_name(node.id);
    of_op_.push_back(name == home ? host : builder_.track(TrackKind::host_thread, name, "Devices"));
  }
}

std::vector<std::string> SideLanes::notes() const {
  if (simulated_.empty()) return {};
  return {
      fmt::format("{} {} simulated: host memory under another name. Each works beside the others, on half of this "
                  "processor's cores. Copies to and from them are timed copies within host memory; there is no link.",
                  fmt::join(simulated_, ", "), simulated_.size() == 1 ? "is" : "are")};
}

void SideLanes::append(const EngineCollector& collected, const engine::TickClock& clock, GpuBatch& batch) {
  for (const RawTransfer& raw : collected.transfers()) {
    const bool of_gpu = is_gpu(raw.transfer.from) || is_gpu(raw.transfer.to);
    if (!gpu_traced_ || !of_gpu) append(raw, clock, batch);
  }
  for (const RawStage& raw : collected.stages()) append(raw, clock, batch);
}

Activity SideLanes::span_on(TrackId track, int64_t begin_ns, int64_t end_ns) {
  int64_t& last = ends_[track];
  const int64_t begin = std::max(begin_ns, last);
  last = std::max(end_ns, begin);
  Activity span;
  span.start_ns = begin;
  span.duration_ns = last - begin;
  span.track = track;
  return span;
}

TensorId SideLanes::tensor_of(const RawTransfer& raw) const {
  const Node& node = graph_.node(raw.op);
  if (node.op == &engine::kToDevice || copies_by_trade(node)) return node.inputs[0];
  TensorId found = kNoTensor;  // a 0-d operand: known where the op has one
  for (const ValueId id : node.inputs) {
    if (!graph_.value(id).type.shape.empty()) continue;
    if (found != kNoTensor && found != id) return kNoTensor;
    found = id;
  }
  return found;
}

std::string SideLanes::reason_of(const RawTransfer& raw) const {
  const std::string way = fmt::format("{} to {}", to_string(raw.transfer.from), to_string(raw.transfer.to));
  switch (raw.transfer.reason) {
    case Transfer::Reason::asked: return way + ", asked for";
    case Transfer::Reason::gradient: return way + ", gradient";
    default: return fmt::format("{}, hidden: 0-d operand of {}", way, graph_.node(raw.op).op->name);
  }
}

void SideLanes::append(const RawTransfer& raw, const engine::TickClock& clock, GpuBatch& batch) {
  const Transfer& transfer = raw.transfer;
  const TrackId track =
      builder_.track(TrackKind::copy_engine,
                     fmt::format("copies {} to {}", to_string(transfer.from), to_string(transfer.to)), "Devices");
  Activity copy = span_on(track, clock.to_ns(transfer.begin_ticks), clock.to_ns(transfer.end_ticks));
  copy.name = builder_.intern(fmt::format("copy {} B", transfer.size_bytes));
  copy.op = raw.op;
  copy.step = raw.step;
  copy.kind = ActivityKind::copy;
  CopyRecord record;
  record.activity = static_cast<uint32_t>(batch.activities.size());
  record.kind = kind_of(transfer);
  record.source = memory_of(transfer.from, transfer.pinned);
  record.destination = memory_of(transfer.to, transfer.pinned);
  record.synchrony = Synchrony::synchronous;
  record.bytes = transfer.size_bytes;
  record.source_device = number_of(transfer.from);
  record.destination_device = number_of(transfer.to);
  record.tensor = tensor_of(raw);
  record.reason = builder_.intern(reason_of(raw));
  const bool judged = record.tensor != kNoTensor && !copies_by_trade(graph_.node(raw.op));
  record.content_version = judged && unchanging_[record.tensor] ? 1 : 0;
  batch.activities.push_back(copy);
  batch.records.copies.push_back(record);
}

void SideLanes::append(const RawStage& raw, const engine::TickClock& clock, GpuBatch& batch) {
  const TrackId track = builder_.track(TrackKind::host_thread, raw.stage.lane, std::string(kLoaderGroup));
  Activity span = span_on(track, clock.to_ns(raw.stage.begin_ticks), clock.to_ns(raw.stage.end_ticks));
  span.name = builder_.intern(raw.stage.lane);
  span.op = raw.op;
  span.kind = ActivityKind::range;
  batch.activities.push_back(span);
  if (raw.stage.lane != kReadLane) return;
  ++reads_;
  read_bytes_ += raw.stage.size_bytes;
}

double SideLanes::read_bytes_per_batch() const {
  return reads_ > 0 ? static_cast<double>(read_bytes_) / static_cast<double>(reads_)
                    : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace profiler
