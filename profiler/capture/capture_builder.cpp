// SPDX-License-Identifier: Apache-2.0
// CaptureBuilder: interning, ids, GPU activities with their records, and the steps that freeze a capture.
#include "profiler/capture/capture_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/base/check.h"
#include "profiler/capture/capture_checks.h"

namespace profiler {

using engine::Result;

CaptureBuilder::CaptureBuilder() { intern(""); }

NameId CaptureBuilder::intern(std::string_view text) {
  const auto [entry, added] = ids_.try_emplace(std::string(text), static_cast<NameId>(capture_.names_.size()));
  if (added) capture_.names_.emplace_back(text);
  return entry->second;
}

TrackId CaptureBuilder::add_track(Track track) {
  CHECK(capture_.tracks_.size() <= std::numeric_limits<TrackId>::max());
  intern(track.name);  // files name threads by id
  capture_.tracks_.push_back(std::move(track));
  return static_cast<TrackId>(capture_.tracks_.size() - 1);
}

TensorId CaptureBuilder::add_tensor(TensorRecord tensor) {
  tensor.id = static_cast<TensorId>(capture_.tensors_.size());
  capture_.tensors_.push_back(std::move(tensor));
  return capture_.tensors_.back().id;
}

OpId CaptureBuilder::add_op(OpRecord op, std::vector<OperandRecord> operands) {
  op.id = static_cast<OpId>(capture_.ops_.size());
  op.first_operand = static_cast<uint32_t>(capture_.operands_.size());
  op.operand_count = static_cast<uint32_t>(operands.size());
  for (OperandRecord& operand : operands) {
    operand.op = op.id;
    capture_.operands_.push_back(operand);
  }
  capture_.ops_.push_back(op);
  return op.id;
}

void CaptureBuilder::set_facts(OpId id, engine::KernelFacts facts) {
  CHECK(id < capture_.ops_.size());
  OpRecord& op = capture_.ops_[id];
  if (!facts.name.empty()) op.kernel = intern(facts.name);
  if (facts.code == engine::CodeKind::unknown) facts.library = engine::KernelLibrary::unknown;
  facts.name.clear();  // it is the op's, and there may be many facts of one long name
  if (capture_.facts_of_.size() <= id) capture_.facts_of_.resize(size_t{id} + 1, 0);
  const auto [known, added] =
      known_facts_.try_emplace(std::move(facts), static_cast<uint32_t>(capture_.facts_.size() + 1));
  if (added) capture_.facts_.push_back(known->first);
  capture_.facts_of_[id] = known->second;
}

void CaptureBuilder::add_step(StepRecord step) { capture_.steps_.push_back(step); }

TrackId CaptureBuilder::track(TrackKind kind, std::string_view name, std::string_view group) {
  const auto [entry, added] =
      tracks_.try_emplace(fmt::format("{}\n{}\n{}", static_cast<int>(kind), group, name), TrackId{0});
  if (added) {
    entry->second = add_track({.kind = kind, .name = std::string(name), .group = std::string(group)});
  }
  return entry->second;
}

void CaptureBuilder::set_attributes(OpId op, engine::Attributes attributes) {
  CHECK(op < capture_.ops_.size());
  if (attributes.items().empty()) return;
  if (capture_.attributes_.size() <= op) capture_.attributes_.resize(size_t{op} + 1);
  capture_.attributes_[op] = std::move(attributes);
}

void CaptureBuilder::set_threads(OpId op, int threads) {
  CHECK(op < capture_.ops_.size());
  capture_.ops_[op].threads = threads;
}

template <class Record>
void CaptureBuilder::add_with(const Activity& activity, std::vector<Record>& list, Record record) {
  record.activity = activities_.next_row();
  list.push_back(record);
  Activity of_its_kind = activity;
  of_its_kind.kind = Record::kKind;
  activities_.add(of_its_kind);
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
  const uint32_t first = activities_.next_row();
  activities_.add(activities);
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

void CaptureBuilder::sort_observations() {
  for (CounterSeries& series : capture_.counters_) {
    if (std::is_sorted(series.time_ns.begin(), series.time_ns.end())) continue;
    std::vector<size_t> order(series.time_ns.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&series](size_t a, size_t b) { return series.time_ns[a] < series.time_ns[b]; });
    CounterSeries sorted = series;
    for (size_t i = 0; i < order.size(); ++i) {
      sorted.time_ns[i] = series.time_ns[order[i]];
      sorted.value[i] = series.value[order[i]];
    }
    series = std::move(sorted);
  }
  std::sort(capture_.collectives_.begin(), capture_.collectives_.end(),
            [](const CollectiveRecord& a, const CollectiveRecord& b) { return a.correlation < b.correlation; });
}

void CaptureBuilder::index_activities() {
  Capture& c = capture_;
  const ActivityColumns& all = c.activities_;
  std::vector<OpId> op;
  c.by_op_begin_.assign(c.ops_.size() + 1, 0);
  for (size_t chunk = 0; chunk < all.op.chunk_count(); ++chunk) {
    all.op.decode(chunk, op);
    for (const OpId id : op) {
      if (id != kNoOp) ++c.by_op_begin_[id + 1];
    }
  }
  std::partial_sum(c.by_op_begin_.begin(), c.by_op_begin_.end(), c.by_op_begin_.begin());
  c.by_op_.resize(c.by_op_begin_.back());
  std::vector<uint32_t> next(c.by_op_begin_.begin(), c.by_op_begin_.end() - 1);
  uint32_t row = 0;
  for (size_t chunk = 0; chunk < all.op.chunk_count(); ++chunk) {
    all.op.decode(chunk, op);
    for (const OpId id : op) {
      if (id != kNoOp) c.by_op_[next[id]++] = row;
      ++row;
    }
  }
  if (all.size() == 0 && c.steps_.empty()) return;
  c.begin_ns_ = std::numeric_limits<int64_t>::max();
  c.end_ns_ = std::numeric_limits<int64_t>::min();
  for (const StepRecord& step : c.steps_) {
    c.begin_ns_ = std::min(c.begin_ns_, step.start_ns);
    c.end_ns_ = std::max(c.end_ns_, step.start_ns + step.duration_ns);
  }
  for (const RankRecord& rank : c.ranks_) {
    for (const StepRecord& step : rank.steps) {
      c.begin_ns_ = std::min(c.begin_ns_, step.start_ns);
      c.end_ns_ = std::max(c.end_ns_, step.start_ns + step.duration_ns);
    }
  }
  std::vector<int64_t> start, duration;
  for (size_t chunk = 0; chunk < all.start_ns.chunk_count(); ++chunk) {
    all.start_ns.decode(chunk, start);
    all.duration_ns.decode(chunk, duration);
    c.begin_ns_ = std::min(c.begin_ns_, start.front());
    for (size_t i = 0; i < start.size(); ++i) c.end_ns_ = std::max(c.end_ns_, start[i] + duration[i]);
  }
}

void CaptureBuilder::sort_steps() {
  std::ranges::sort(capture_.steps_, {}, &StepRecord::index);
  for (RankRecord& rank : capture_.ranks_) {
    std::ranges::sort(rank.steps, {}, &StepRecord::index);
    std::ranges::sort(rank.tracks);
  }
}

Result<void> CaptureBuilder::check() const {
  for (const auto part : {check_ops, check_tensors, check_steps, check_ranks}) {
    if (Result<void> checked = part(capture_); !checked) return checked;
  }
  if (Result<void> checked = activities_.check(capture_); !checked) return checked;
  if (Result<void> checked = check_gpu_records(capture_, activities_.rows()); !checked) return checked;
  for (const auto part : {check_observations, check_traffic, check_fusion}) {
    if (Result<void> checked = part(capture_); !checked) return checked;
  }
  return {};
}

Result<std::shared_ptr<const Capture>> CaptureBuilder::finish() {
  if (activities_.size() >= std::numeric_limits<uint32_t>::max()) {
    return impossible("{} activities: a capture holds fewer than 2^32", activities_.size());
  }
  if (const Result<void> checked = check(); !checked) return checked.error();
  sort_observations();
  for (TrafficSource& source : capture_.traffic_) put_in_order(source, capture_.ops_.size());
  sort_steps();
  capture_.activities_ = activities_.take_sorted(capture_.gpu_);
  index_activities();
  return std::shared_ptr<const Capture>(std::make_shared<Capture>(std::move(capture_)));
}

Result<std::shared_ptr<const Capture>> CaptureBuilder::with_traffic(const Capture& capture, TrafficSource source) {
  put_in_order(source, capture.ops().size());
  if (Result<void> checked = check_traffic_source(source, capture); !checked) return checked.error();
  auto more = std::make_shared<Capture>(capture);
  std::erase_if(more->traffic_, [&](const TrafficSource& old) { return old.origin == source.origin; });
  more->traffic_.push_back(std::move(source));
  return std::shared_ptr<const Capture>(std::move(more));
}

}  // namespace profiler
