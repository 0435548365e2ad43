// SPDX-License-Identifier: GPL-3.0-or-later
// Finds links when a span is chosen: one pass over a column costs less than an index would hold.
#include "views/timeline/timeline_links.h"

#include <algorithm>

#include "profiler/capture/correlated.h"

namespace views {

namespace {

using profiler::ActivityKind;
using profiler::Capture;
using profiler::kNoOp;
using profiler::OpId;
using profiler::TensorId;

TensorId owner(const Capture& capture, TensorId tensor) {
  const TensorId alias = capture.tensors()[tensor].alias_of;
  return alias == profiler::kNoTensor ? tensor : alias;
}

/// The row of an op in one step, nothing when it was not traced there.
std::optional<uint32_t> row_in_step(const Capture& capture, OpId op, uint32_t step) {
  for (const uint32_t row : capture.activities_of(op))
    if (capture.activities().step[row] == step && capture.activities().kind[row] == ActivityKind::op) return row;
  return {};
}

/// The last op before `reader` that writes the bytes of `tensor` (views write nothing).
OpId writer_before(const Capture& capture, TensorId tensor, OpId reader) {
  OpId found = kNoOp;
  for (const auto& o : capture.operands()) {
    if (o.op >= reader) break;
    if (o.output && !capture.ops()[o.op].view && owner(capture, o.tensor) == tensor) found = o.op;
  }
  return found;
}

void add_data_links(const TimelineModel& model, const TimelineHit& hit, uint32_t row,
                    std::vector<TimelineLink>& links) {
  const Capture& capture = *model.capture;
  const OpId op = capture.activities().op[row];
  if (op >= capture.ops().size()) return;
  const uint32_t step = capture.activities().step[row];
  std::vector<OpId> before, after;
  const auto note = [&](std::vector<OpId>& list, OpId other) {
    if (other != kNoOp && other != op && std::find(list.begin(), list.end(), other) == list.end())
      list.push_back(other);
  };
  for (const auto& own : capture.operands(capture.ops()[op])) {
    const TensorId tensor = owner(capture, own.tensor);
    if (own.read_bytes > 0) note(before, writer_before(capture, tensor, op));
    if (!own.output) continue;
    for (const auto& o : capture.operands()) {
      if (o.op <= op || capture.ops()[o.op].view || owner(capture, o.tensor) != tensor) continue;
      if (o.read_bytes > 0) note(after, o.op);
      if (o.output) break;  // overwritten: later readers see other bytes
    }
  }
  const auto link = [&](OpId other, bool incoming) {
    const auto there = row_in_step(capture, other, step);
    const auto end = there ? span_of_row(model, *there) : std::nullopt;
    if (!end || links.size() >= kMostLinks) return;
    links.push_back({TimelineLink::Kind::data, incoming ? *end : hit, incoming ? hit : *end});
  };
  for (const OpId other : before) link(other, true);
  for (const OpId other : after) link(other, false);
}

/// From the calls of an op to the kernels they launched in its step.
void add_launch_links(const TimelineModel& model, uint32_t row, std::vector<TimelineLink>& links) {
  const auto& a = model.capture->activities();
  for (const profiler::KernelRecord& kernel : model.capture->gpu().kernels) {
    const uint32_t launched = kernel.activity;
    if (a.op[launched] != a.op[row] || a.step[launched] != a.step[row] || a.correlation[launched] == 0) continue;
    for (const uint32_t call : profiler::rows_with(*model.capture, a.correlation[launched], kMostLinks)) {
      if (a.kind[call] != ActivityKind::api || links.size() >= kMostLinks) continue;
      const auto from = span_of_row(model, call), to = span_of_row(model, launched);
      if (from && to) links.push_back({TimelineLink::Kind::launch, *from, *to});
    }
  }
}

}  // namespace

std::optional<TimelineHit> span_of_row(const TimelineModel& model, uint32_t row) {
  const auto& a = model.capture->activities();
  const int64_t begin = a.start_ns[row];
  const profiler::TrackId track = a.track[row];
  for (size_t l = 0; l < model.lanes.size(); ++l) {
    const Lane& lane = model.lanes[l].lane;
    if (model.lanes[l].track != track || lane.empty()) continue;
    for (size_t i = lane.first_beginning_at(begin); i < lane.size() && lane.begin_ns(i) == begin; ++i)
      if (lane.row(i) == row) return TimelineHit{static_cast<int>(l), i};
  }
  return {};
}

std::vector<TimelineLink> links_of(const TimelineModel& model, const TimelineHit& hit) {
  std::vector<TimelineLink> links;
  const uint32_t row = model.lanes[static_cast<size_t>(hit.lane)].lane.row(hit.span);
  if (row == kNoRow) return links;
  const auto& a = model.capture->activities();
  if (const uint64_t correlation = a.correlation[row]; correlation != 0) {
    const bool is_call = a.kind[row] == ActivityKind::api;
    for (const uint32_t other : profiler::rows_with(*model.capture, correlation, kMostLinks)) {
      if (other == row || (a.kind[other] == ActivityKind::api) == is_call) continue;
      const auto end = span_of_row(model, other);
      if (end) links.push_back({TimelineLink::Kind::launch, is_call ? hit : *end, is_call ? *end : hit});
    }
  }
  if (a.kind[row] == ActivityKind::op) {
    add_launch_links(model, row, links);
    add_data_links(model, hit, row, links);
  }
  return links;
}

}  // namespace views
