// SPDX-License-Identifier: Apache-2.0
// TraceBuilder: names, tracks, spans and counters as they come; the links between them are made in trace_links.cpp.
#include "profiler/import/trace_builder.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_set>

#include "profiler/capture/communication.h"
#include "profiler/store/sqlite.h"

namespace profiler {

using engine::Result;

namespace {

constexpr size_t kMostLanes = 60000, kLongestName = 4096;
constexpr uint64_t kStreamKey = uint64_t{1} << 63, kDescribedKey = uint64_t{0x4f57} << 48;
/// Ranks describe the same ops on tensors of their own: what all compute and move adds up, as their calls' times do.
void add_work(DescribedOp& to, const DescribedOp& of) {
  to.flops += of.flops;
  to.operands.insert(to.operands.end(), of.operands.begin(), of.operands.end());
}

/// Places beyond this are nobody's.
constexpr int64_t kFarByte = int64_t{1} << 59;

/// Where the memory of those who were described so far ends: each rank has its own.
int64_t end_of_memory(const std::vector<TensorRecord>& tensors) {
  int64_t end = 0;
  for (const TensorRecord& tensor : tensors) end = std::max(end, tensor.offset_bytes + tensor.size_bytes);
  return end;
}

}  // namespace

void TraceBuilder::begin_rank(const std::string& label) {
  label_ = label;
  rank_ = ranks_++;
  base_ns_ = 0;
  lane_of_key_.clear();
  earlier_lanes_ += lanes_.size();
  lanes_.clear();
  first_process_.clear();
  described_tracks_.clear();
  ours_ = false;
  counter_units_.clear();
  calls_.clear();
  external_ids_.clear();
  said_ops_.clear();
  layer_spans_.clear();
  launched_kernels_.clear();
  replayed_.clear();
  backward_flows_.clear();
  steps_of_devices_ = false;
  host_collectives_.clear();
  asked_.clear();
  only_group_ = {};
  steps_.clear();
  rank_begin_ = activities_.size();
  record_begin_ = {records_.kernels.size(),   records_.copies.size(),           records_.memsets.size(),
                   records_.api_calls.size(), records_.synchronizations.size(), records_.overheads.size()};
  series_begin_ = series_.size();
  series_of_name_.clear();
}

std::string TraceBuilder::group(std::string_view name) const {
  return label_.empty() ? std::string(name) : fmt::format("{} · {}", label_, name);
}

NameId TraceBuilder::intern(std::string_view text) {
  std::string cut;
  if (text.size() > kLongestName) {
    findings_.add(Finding::cut_name);
    size_t length = kLongestName;
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80) --length;
    cut = std::string(text.substr(0, length)) + "…";
    text = cut;
  }
  const uint64_t hash = XXH3_64bits(text.data(), text.size());
  const auto [entry, added] = names_.try_emplace(hash, NameId{0});
  if (!added && name(entry->second) == text) return entry->second;
  if (const auto known = rewritten_.find(std::string(text)); known != rewritten_.end()) return known->second;
  const NameId id = capture_.intern(
      keeper_.name(sqlite::shown(std::string(text))));  // no control characters: names stand in tables and menus
  if (added && name(id) == text) {
    entry->second = id;
  } else {
    if (added) names_.erase(entry);
    rewritten_.emplace(text, id);
  }
  return id;
}

TraceBuilder::Lane TraceBuilder::lane(uint64_t key) {
  // Of all ranks together, because a capture numbers its tracks in 16 bits; each rank has one at least.
  if (!lanes_.empty() && earlier_lanes_ + lanes_.size() >= kMostLanes) {
    const auto known = lane_of_key_.find(key);
    if (known != lane_of_key_.end()) return known->second;
    findings_.add(Finding::merged_track);
    return static_cast<Lane>(lanes_.size() - 1);
  }
  const auto [entry, added] = lane_of_key_.try_emplace(key, static_cast<Lane>(lanes_.size()));
  if (added) lanes_.push_back({.key = key});
  return entry->second;
}

void TraceBuilder::name_lane(Lane lane, TrackKind kind, std::string_view name, std::string_view group_name) {
  LaneInfo& info = lanes_[lane];
  if (info.named) return;
  info.named = true;
  const auto [kept_name, kept_group] =
      keeper_.lane(kind, sqlite::shown(std::string(name)), sqlite::shown(std::string(group_name)));
  info.track = capture_.track(kind, kept_name, group(kept_group));
}

TraceBuilder::Lane TraceBuilder::stream_lane(int64_t device, int64_t stream, uint32_t process) {
  uint64_t key =
      kStreamKey | (static_cast<uint64_t>(device) & 0x3fffffff) << 32 | (static_cast<uint64_t>(stream) & 0xffffffff);
  const bool other = first_process_.try_emplace(device, process).first->second != process;
  if (other) {
    const uint64_t parts[] = {key, process};
    key = XXH3_64bits(parts, sizeof parts);
  }
  const Lane made = lane(key);
  if (!lanes_[made].named) {
    const std::string whose = other ? fmt::format(" (process {})", process) : std::string();
    name_lane(made, TrackKind::stream,
              (stream < 0 ? std::string("stream unknown") : fmt::format("stream {}", stream)) + whose,
              device < 0 ? std::string("GPU unknown") : fmt::format("GPU {}", device));
  }
  return made;
}

std::optional<TraceBuilder::Lane> TraceBuilder::described_lane(int64_t index) {
  if (index < 0 || index >= static_cast<int64_t>(described_tracks_.size())) return {};
  const Lane made = lane(kDescribedKey | static_cast<uint64_t>(index));
  const Track& track = described_tracks_[static_cast<size_t>(index)];
  name_lane(made, track.kind, track.name, track.group);
  return made;
}

void TraceBuilder::describe_counter(std::string_view counter, std::string_view of, std::string_view unit) {
  counter_units_.try_emplace(counter_key(counter, of), intern(unit));
}

void TraceBuilder::add_plain(Activity& a, ActivityKind kind) {
  a.kind = kind;
  a.op = kNoOp;
  a.step = kNoStep;
  if (a.duration_ns < 0) {
    findings_.add(Finding::negative_duration);
    a.duration_ns = 0;
  }
  if (!is_time(a.start_ns) || a.duration_ns > kLatestTime - kEarliestTime) {  // readers leave these out
    findings_.add(Finding::bad_figure, fmt::format("a span from {} ns that takes {} ns", a.start_ns, a.duration_ns));
    a.start_ns = std::clamp(a.start_ns, kEarliestTime, kLatestTime);
    a.duration_ns = std::min(a.duration_ns, kLongestSpan);
  }
  activities_.push_back(a);
}

void TraceBuilder::close_span(size_t span, int64_t end_ns) {
  Activity& a = activities_[span];
  a.duration_ns = std::max<int64_t>(0, end_ns - a.start_ns);
}

void TraceBuilder::close_step_mark(size_t mark, int64_t end_ns) {
  steps_[mark].duration_ns = std::max<int64_t>(0, end_ns - steps_[mark].start_ns);
}

void TraceBuilder::set_base(int64_t ns) {
  const bool fits = ns >= 0 && ns <= kLatestBase;
  if (!fits) findings_.add(Finding::broken_base, fmt::format("it is {} ns; possible are 0 to {}", ns, kLatestBase));
  base_ns_ = fits ? ns : 0;
}

bool TraceBuilder::has_device_work() const {
  return records_.kernels.size() > record_begin_[0] || records_.copies.size() > record_begin_[1] ||
         records_.memsets.size() > record_begin_[2];
}

void TraceBuilder::add_op(Activity a, const TraceCall& call) {
  calls_.push_back({.activity = static_cast<uint32_t>(activities_.size()), .call = call});
  add_plain(a, ActivityKind::op);
}

uint64_t TraceBuilder::correlation(int64_t id, uint32_t process) const {
  if (id <= 0) return 0;
  constexpr int64_t kPlain = int64_t{1} << 40;  // what profilers count to; others may write anything
  if (id < kPlain && process < 4096 && rank_ < 2048) {
    return static_cast<uint64_t>(id) + (static_cast<uint64_t>(rank_) << 52) + (static_cast<uint64_t>(process) << 40);
  }
  if (ours_ && rank_ == 0 && process == 0)
    return static_cast<uint64_t>(id);  // of ranks that were told apart when they were imported
  const uint64_t parts[] = {static_cast<uint64_t>(id), rank_, process};
  return XXH3_64bits(parts, sizeof parts) >> 2 | uint64_t{1}
                                                     << 62;  // one that fits a signed number, as files have them
}

void TraceBuilder::add_step(const StepRecord& step) {
  if (step.duration_ns < 0 || !is_time(step.start_ns) || step.duration_ns > kLatestTime - kEarliestTime) return;
  steps_.push_back(step);
}

void TraceBuilder::describe_ops(std::vector<TensorRecord> tensors, std::vector<std::pair<NameId, DescribedOp>> ops) {
  const auto base = static_cast<TensorId>(described_tensors_.size());
  std::unordered_set<NameId> said;  // in this file
  for (auto& [op, described] : ops) {
    if (!said.insert(op).second) continue;
    for (OperandRecord& operand : described.operands) operand.tensor += base;
    const auto [entry, first] = described_ops_.try_emplace(op, described);
    if (!first) add_work(entry->second, described);
  }
  const int64_t memory = end_of_memory(described_tensors_);
  for (TensorRecord& tensor : tensors) {
    tensor.name = intern(group(name(tensor.name)));
    if (tensor.alias_of != kNoTensor) tensor.alias_of += base;
    if (tensor.first_op == kNoOp && memory < kFarByte) tensor.offset_bytes += memory;
  }
  std::move(tensors.begin(), tensors.end(), std::back_inserter(described_tensors_));
  described_ids_.resize(described_tensors_.size(), kNoTensor);
}

void TraceBuilder::add_counter_value(std::string_view counter, std::string_view of, std::string_view unit,
                                     int64_t time_ns, double value) {
  if (!is_time(time_ns)) {
    findings_.add(Finding::bad_figure, fmt::format("a value of {} at {} ns", counter, time_ns));
    return;
  }
  const auto [entry, added] = series_of_name_.try_emplace(counter_key(counter, of), series_.size());
  if (added) {
    const auto described = counter_units_.find(entry->first);
    const NameId unit_id = described == counter_units_.end() ? intern(unit) : described->second;
    series_.push_back({.name = intern(counter),
                       .group = intern(group(keeper_.counter_group(of))),
                       .unit = unit_id,
                       .time_ns = {},
                       .value = {}});
  }
  series_[entry->second].time_ns.push_back(time_ns);
  series_[entry->second].value.push_back(value);
}

void TraceBuilder::add_collective(const CollectiveRecord& collective) {
  if (collective.correlation == 0 || !collective_seen_.try_emplace(collective.correlation, true).second) return;
  capture_.add_collective(collective);
}

uint64_t TraceBuilder::add_host_collective(CollectiveRecord collective) {
  constexpr int64_t kOfHosts = int64_t{1} << 39;  // beyond what profilers count to
  collective.correlation = correlation(kOfHosts + static_cast<int64_t>(host_collectives_.size()));
  host_collectives_.push_back(collective);
  return collective.correlation;
}

void TraceBuilder::add_host_collectives() {
  for (CollectiveRecord& r : host_collectives_) {
    if (r.group_size < 0) r.group = only_group_.group, r.ranks = only_group_.ranks, r.group_size = only_group_.size;
    add_collective(r);
  }
}

/// Older traces say it at the op that asks for a collective, not at the kernel.
void TraceBuilder::add_asked_collective(const Activity& kernel, uint32_t call) {
  if (asked_.empty() || kernel.correlation == 0 || collective_seen_.contains(kernel.correlation)) return;
  while (call != kNone && !asked_.contains(call)) call = calls_[call].around;
  if (call == kNone || !is_communication_name(name(kernel.name))) return;
  CollectiveRecord collective = asked_.at(call);
  collective.correlation = kernel.correlation;
  add_collective(collective);
}

NameId TraceBuilder::short_name(NameId kernel) {
  const auto [entry, added] = short_names_.try_emplace(kernel, NameId{0});
  if (added) entry->second = intern(short_kernel_name(std::string(name(kernel))));
  return entry->second;
}

int64_t TraceBuilder::first_ns() const {
  const auto first = std::min_element(activities_.begin(), activities_.end(),
                                      [](const Activity& a, const Activity& b) { return a.start_ns < b.start_ns; });
  return first == activities_.end() ? 0 : first->start_ns;
}

/// ROCm's traces number the agents of a machine, processors among them, and list its GPUs from 0 on. Where all that are
/// listed are alike, the GPU of another number is one of them.
void TraceBuilder::add_unlisted_devices() {
  const std::vector<GpuDevice> listed = devices();
  if (listed.empty()) return;
  const auto alike = [&](const GpuDevice& d) {
    const GpuDevice& first = listed.front();
    return d.name == first.name && d.compute_major == first.compute_major && d.compute_minor == first.compute_minor &&
           d.multiprocessors == first.multiprocessors && d.memory_bytes == first.memory_bytes;
  };
  if (!listed.front().name.starts_with("AMD") || !std::ranges::all_of(listed, alike)) return;
  std::set<int32_t> unlisted;
  const auto add = [&](const auto& records) {
    for (const auto& record : records) {
      const int32_t device = record.place.device;
      if (device >= 0 && std::ranges::find(listed, device, &GpuDevice::device) == listed.end()) unlisted.insert(device);
    }
  };
  add(records_.kernels), add(records_.copies), add(records_.memsets);
  constexpr size_t kMost = 4096;  // GPUs of one trace
  if (unlisted.empty() || unlisted.size() > kMost) return;
  std::string numbers;
  for (const int32_t device : unlisted) {
    GpuDevice same = listed.front();
    same.device = device;
    add_device(same);
    if (numbers.size() < 60) numbers += fmt::format("{}{}", numbers.empty() ? "" : ", ", device);
  }
  honesty().notes.push_back(
      fmt::format("Import: work ran on GPU {}, which the trace does not list. All GPUs that it lists are alike ({}): "
                  "it counts as one "
                  "of them.",
                  numbers, listed.front().name));
}

Result<std::shared_ptr<const Capture>> TraceBuilder::finish() {
  finish_ops();
  for (const StepRecord& step : all_steps_) capture_.add_step(step);
  if (all_ranks_.size() > 1) {
    for (RankRecord& rank : all_ranks_) capture_.add_rank(std::move(rank));
  }
  for (CounterSeries& series : series_) capture_.add_counter(std::move(series));
  note_layers();
  note_replays();
  const auto kept = [this](std::string_view where) { return keeper_.place(where); };
  for (std::string& sentence : findings_.sentences(kept)) honesty().notes.push_back("Import: " + std::move(sentence));
  honesty().dropped_records = findings_.left_out();
  capture_.reserve_activities(activities_.size());
  for (KernelRecord& k : records_.kernels) k.short_name = short_name(activities_[k.activity].name);
  capture_.add_activities(activities_, records_);
  activities_ = {};
  records_ = {};
  return capture_.finish();
}

}  // namespace profiler
