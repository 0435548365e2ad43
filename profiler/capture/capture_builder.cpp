// SPDX-License-Identifier: Apache-2.0
// CaptureBuilder: interning, checks of references and figures, the order of activities, the index
// by op.
#include "profiler/capture/capture_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_set>

#include "engine/base/check.h"

namespace profiler {

using engine::Error;
using engine::refused_error;
using engine::Result;

namespace {

template <class... T>
Error impossible(fmt::format_string<T...> format, T&&... values) {
  return refused_error("[capture] " + fmt::format(format, std::forward<T>(values)...));
}

/// Parents before children where they start and end together: a step holds layers, a layer holds
/// ops.
int depth(ActivityKind kind) {
  if (kind == ActivityKind::step) return 0;
  return kind == ActivityKind::layer || kind == ActivityKind::range ? 1 : 2;
}

bool before(const Activity& a, const Activity& b) {
  if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
  if (a.duration_ns != b.duration_ns) return a.duration_ns > b.duration_ns;
  if (depth(a.kind) != depth(b.kind)) return depth(a.kind) < depth(b.kind);
  return a.kind <
         b.kind;  // a file keeps the kinds in tables of their own: their order must not depend on who came first
}

/// True when [start, start + duration] is a span of time that fits int64.
bool span_is_possible(int64_t start_ns, int64_t duration_ns) {
  int64_t end = 0;
  return duration_ns >= 0 && !__builtin_add_overflow(start_ns, duration_ns, &end);
}

/// Follows activities that were moved (row i is now what stood at order[i]; empty: none moved) and sorts the records by
/// row.
void move_gpu_records(GpuRecords& gpu, const std::vector<uint32_t>& order) {
  std::vector<uint32_t> now_at(order.size());
  for (size_t i = 0; i < order.size(); ++i) now_at[order[i]] = static_cast<uint32_t>(i);
  GpuRecords::visit_lists(gpu, [&now_at](auto& list) {
    const auto earlier = [](const auto& a, const auto& b) { return a.activity < b.activity; };
    for (auto& record : list) {
      if (!now_at.empty()) record.activity = now_at[record.activity];
    }
    if (!std::is_sorted(list.begin(), list.end(), earlier)) std::sort(list.begin(), list.end(), earlier);
  });
}

}  // namespace

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

Result<void> CaptureBuilder::check_ops() const {
  const Capture& c = capture_;
  std::unordered_set<NameId> seen;
  for (const OpRecord& op : c.ops_) {
    for (const NameId id : {op.name, op.type, op.layer, op.kernel}) {
      if (id >= c.names_.size()) {
        return impossible("op {}: name {} does not exist, there are {}", op.id, id, c.names_.size());
      }
    }
    if (!seen.insert(op.name).second) {
      return impossible("op {}: its name \"{}\" is taken by an earlier op", op.id, c.names_[op.name]);
    }
    if (op.phase > Phase::update) {
      return impossible("op {}: phase {} is unknown", op.id, static_cast<int>(op.phase));
    }
    if (op.threads < 0)
      return impossible("op {} ({}): {} threads are impossible", op.id, c.names_[op.name], op.threads);
    if (op.flops < 0 || std::isinf(op.flops)) {
      return impossible("op {} ({}): {} FLOPs are impossible", op.id, c.names_[op.name], op.flops);
    }
  }
  for (const OperandRecord& operand : c.operands_) {
    if (operand.tensor >= c.tensors_.size()) {
      return impossible("operand of op {}: tensor {} does not exist, there are {}", operand.op, operand.tensor,
                        c.tensors_.size());
    }
    if (operand.read_bytes < 0 || operand.written_bytes < 0) {
      return impossible("operand of op {}: reads {} and writes {} bytes", operand.op, operand.read_bytes,
                        operand.written_bytes);
    }
    if (static_cast<int>(operand.role) >= engine::kRoleCount) {
      return impossible("operand of op {}: role {} is unknown", operand.op, static_cast<int>(operand.role));
    }
  }
  return {};
}

Result<void> CaptureBuilder::check_tensors() const {
  const Capture& c = capture_;
  for (const TensorRecord& tensor : c.tensors_) {
    if (tensor.name >= c.names_.size()) {
      return impossible("tensor {}: name {} does not exist, there are {}", tensor.id, tensor.name, c.names_.size());
    }
    const std::string& called = c.names_[tensor.name];
    if (tensor.dtype > engine::DType::boolean || static_cast<int>(tensor.role) >= engine::kRoleCount) {
      return impossible("tensor {} ({}): data type {} or role {} is unknown", tensor.id, called,
                        static_cast<int>(tensor.dtype), static_cast<int>(tensor.role));
    }
    if (tensor.shape.size() != tensor.strides.size()) {
      return impossible("tensor {} ({}): {} extents but {} strides", tensor.id, called, tensor.shape.size(),
                        tensor.strides.size());
    }
    if (std::any_of(tensor.shape.begin(), tensor.shape.end(), [](int64_t e) { return e < 0; })) {
      return impossible("tensor {} ({}): a negative extent", tensor.id, called);
    }
    if (tensor.size_bytes < 0 || tensor.offset_bytes < 0) {
      return impossible("tensor {} ({}): {} bytes at offset {}", tensor.id, called, tensor.size_bytes,
                        tensor.offset_bytes);
    }
    if (tensor.alias_of != kNoTensor &&
        (tensor.alias_of >= c.tensors_.size() || c.tensors_[tensor.alias_of].alias_of != kNoTensor)) {
      return impossible("tensor {} ({}): shares the bytes of tensor {}, which owns none", tensor.id, called,
                        tensor.alias_of);
    }
    for (const OpId op : {tensor.first_op, tensor.last_op}) {
      if (op != kNoOp && op >= c.ops_.size()) {
        return impossible("tensor {} ({}): lives until op {}, there are {}", tensor.id, called, op, c.ops_.size());
      }
    }
  }
  return {};
}

Result<void> CaptureBuilder::check_steps() const {
  std::unordered_set<uint32_t> seen;
  for (const StepRecord& step : capture_.steps_) {
    if (!seen.insert(step.index).second || step.index == kNoStep) {
      return impossible("step {}: listed twice", step.index);
    }
    if (!span_is_possible(step.start_ns, step.duration_ns)) {
      return impossible("step {}: starts at {} ns and lasts {} ns", step.index, step.start_ns, step.duration_ns);
    }
  }
  return {};
}

Result<void> CaptureBuilder::check_ranks() const {
  std::unordered_set<uint32_t> steps;
  for (const StepRecord& step : capture_.steps_) steps.insert(step.index);
  std::unordered_set<TrackId> taken;
  for (size_t i = 0; i < capture_.ranks_.size(); ++i) {
    const RankRecord& rank = capture_.ranks_[i];
    if (rank.name >= capture_.names_.size()) return impossible("rank {}: its name does not exist", i);
    for (const TrackId track : rank.tracks) {
      if (track >= capture_.tracks_.size() || !taken.insert(track).second)
        return impossible("rank {}: track {} does not exist or is listed twice", i, track);
    }
    std::unordered_set<uint32_t> seen;
    for (const StepRecord& step : rank.steps) {
      if (!steps.contains(step.index) || !seen.insert(step.index).second)
        return impossible("rank {}: step {} does not exist or is listed twice", i, step.index);
      if (!span_is_possible(step.start_ns, step.duration_ns)) {
        return impossible("rank {}: step {} starts at {} ns and lasts {} ns", i, step.index, step.start_ns,
                          step.duration_ns);
      }
    }
  }
  return {};
}

namespace {

/// Checks single activities against what a capture holds.
class ActivityCheck {
 public:
  explicit ActivityCheck(const Capture& c) : c_(c) {
    for (const StepRecord& step : c.steps()) steps_.insert(step.index);
  }
  /// Whether row `i` may be in the capture; cheap where it may.
  bool possible(const Activity& a) {
    if (a.step != last_step_ && a.step != kNoStep && !steps_.contains(a.step)) return false;
    last_step_ = a.step;  // consecutive activities mostly share a step: look up once
    return a.name < c_.names().size() && static_cast<int>(a.kind) < kActivityKindCount &&
           span_is_possible(a.start_ns, a.duration_ns) && (a.op == kNoOp || a.op < c_.ops().size()) &&
           a.track < c_.tracks().size();
  }
  /// Why it may not.
  Error objection(size_t i, const Activity& a) const {
    if (a.name >= c_.names().size()) {
      return impossible("activity {}: name {} does not exist, there are {}", i, a.name, c_.names().size());
    }
    const std::string& called = c_.names()[a.name];
    if (static_cast<int>(a.kind) >= kActivityKindCount) {
      return impossible("activity {} ({}): kind {} is unknown", i, called, static_cast<int>(a.kind));
    }
    if (!span_is_possible(a.start_ns, a.duration_ns)) {
      return impossible("activity {} ({}): starts at {} ns and lasts {} ns", i, called, a.start_ns, a.duration_ns);
    }
    if (a.op != kNoOp && a.op >= c_.ops().size()) {
      return impossible("activity {} ({}): op {} does not exist, there are {}", i, called, a.op, c_.ops().size());
    }
    if (a.track >= c_.tracks().size()) {
      return impossible("activity {} ({}): track {} does not exist, there are {}", i, called, a.track,
                        c_.tracks().size());
    }
    return impossible("activity {} ({}): step {} does not exist", i, called, a.step);
  }

 private:
  const Capture& c_;
  std::unordered_set<uint32_t> steps_;
  uint32_t last_step_ = kNoStep;
};

/// Calls f(i, activity) for all rows, a chunk of every column at a time.
template <class F>
void each_row(const ActivityColumns& columns, F&& f) {
  std::vector<int64_t> start, duration;
  std::vector<uint64_t> correlation;
  std::vector<NameId> name;
  std::vector<OpId> op;
  std::vector<uint32_t> step;
  std::vector<TrackId> track;
  std::vector<ActivityKind> kind;
  std::vector<uint8_t> flags;
  for (size_t chunk = 0, first = 0; chunk < columns.start_ns.chunk_count(); ++chunk) {
    columns.start_ns.decode(chunk, start), columns.duration_ns.decode(chunk, duration);
    columns.correlation.decode(chunk, correlation), columns.name.decode(chunk, name);
    columns.op.decode(chunk, op), columns.step.decode(chunk, step), columns.track.decode(chunk, track);
    columns.kind.decode(chunk, kind), columns.flags.decode(chunk, flags);
    for (size_t i = 0; i < start.size(); ++i) {
      if (!f(first + i, Activity{.start_ns = start[i],
                                 .duration_ns = duration[i],
                                 .correlation = correlation[i],
                                 .name = name[i],
                                 .op = op[i],
                                 .step = step[i],
                                 .track = track[i],
                                 .kind = kind[i],
                                 .flags = flags[i]})) {
        return;
      }
    }
    first += start.size();
  }
}

}  // namespace

Result<void> CaptureBuilder::check_activities() const {
  ActivityCheck check(capture_);
  for (size_t i = 0; i < activities_.size(); ++i) {
    if (!check.possible(activities_[i])) return check.objection(i, activities_[i]);
  }
  return {};
}

Result<void> CaptureBuilder::check_adopted() const {
  ActivityCheck check(capture_);
  Result<void> checked;
  each_row(adopted_, [&](size_t i, const Activity& a) {
    if (!check.possible(a)) checked = check.objection(i, a);
    return checked.ok();
  });
  return checked;
}

void CaptureBuilder::adopt_activities(ActivityColumns columns) {
  CHECK(activities_.empty() && adopted_.size() == 0);
  adopted_ = std::move(columns);
  ActivityColumns::visit(adopted_, [this](const auto& column) { CHECK(column.size() == adopted_.size()); });
}

bool CaptureBuilder::adopted_in_order() const {
  bool in_order = true;
  Activity last;
  last.start_ns = std::numeric_limits<int64_t>::min();
  each_row(adopted_, [&](size_t, const Activity& a) {
    in_order = in_order && !before(a, last);
    last = a;
    return in_order;
  });
  return in_order;
}

void CaptureBuilder::sort_activities() {
  std::sort(capture_.steps_.begin(), capture_.steps_.end(),
            [](const StepRecord& a, const StepRecord& b) { return a.index < b.index; });
  for (RankRecord& rank : capture_.ranks_) {
    std::ranges::sort(rank.steps, {}, &StepRecord::index);
    std::ranges::sort(rank.tracks);
  }
  if (activities_.empty() && adopted_in_order()) {
    capture_.activities_ = std::move(adopted_);
    return;
  }
  activities_.reserve(activities_.size() + adopted_.size());
  each_row(adopted_, [this](size_t, const Activity& a) {
    activities_.push_back(a);
    return true;
  });
  adopted_ = {};
  if (!std::is_sorted(activities_.begin(), activities_.end(), before)) {
    std::vector<uint32_t> order(activities_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [this](uint32_t a, uint32_t b) { return before(activities_[a], activities_[b]); });
    std::vector<Activity> sorted;
    sorted.reserve(order.size());
    for (const uint32_t i : order) sorted.push_back(activities_[i]);
    activities_ = std::move(sorted);
    move_gpu_records(capture_.gpu_, order);
  } else {
    move_gpu_records(capture_.gpu_, {});
  }
  for (const Activity& a : activities_) capture_.activities_.push_back(a);
  ActivityColumns::visit(capture_.activities_, [](auto& column) { column.seal(); });
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

Result<std::shared_ptr<const Capture>> CaptureBuilder::finish() {
  const size_t count = activities_.size() + adopted_.size();
  if (count >= std::numeric_limits<uint32_t>::max()) {
    return impossible("{} activities: a capture holds fewer than 2^32", count);
  }
  for (const auto check :
       {&CaptureBuilder::check_ops, &CaptureBuilder::check_tensors, &CaptureBuilder::check_steps,
        &CaptureBuilder::check_ranks, &CaptureBuilder::check_activities, &CaptureBuilder::check_adopted,
        &CaptureBuilder::check_gpu_records, &CaptureBuilder::check_observations, &CaptureBuilder::check_traffic,
        &CaptureBuilder::check_fusion}) {
    if (const Result<void> checked = (this->*check)(); !checked) return checked.error();
  }
  sort_observations();
  sort_traffic();
  sort_activities();
  index_activities();
  activities_.clear();
  return std::shared_ptr<const Capture>(std::make_shared<Capture>(std::move(capture_)));
}

}  // namespace profiler
