// SPDX-License-Identifier: Apache-2.0
// TraceBuilder: which op holds which call, which call launched what on the GPU, what belongs to which step and op.
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "profiler/base/nesting.h"
#include "profiler/capture/facts_from_name.h"
#include "profiler/import/shape_rules.h"
#include "profiler/import/trace_builder.h"

namespace profiler {
namespace {

constexpr double kMostTracedBytes = 2e18;  // of all ops together: half of what a capture takes

bool on_host(ActivityKind kind) {
  return kind == ActivityKind::range || kind == ActivityKind::layer || kind == ActivityKind::op ||
         kind == ActivityKind::api;
}

}  // namespace

CopyKind copy_kind_of(std::string_view name) {
  constexpr std::pair<std::string_view, CopyKind> kinds[] = {{"HtoD", CopyKind::host_to_device},
                                                             {"H2D", CopyKind::host_to_device},
                                                             {"DtoH", CopyKind::device_to_host},
                                                             {"D2H", CopyKind::device_to_host},
                                                             {"DtoD", CopyKind::device_to_device},
                                                             {"D2D", CopyKind::device_to_device},
                                                             {"HtoH", CopyKind::host_to_host},
                                                             {"H2H", CopyKind::host_to_host},
                                                             {"PtoP", CopyKind::peer_to_peer},
                                                             {"P2P", CopyKind::peer_to_peer},
                                                             {"HtoA", CopyKind::host_to_array},
                                                             {"AtoH", CopyKind::array_to_host},
                                                             {"HostToDevice", CopyKind::host_to_device},
                                                             {"DeviceToHost", CopyKind::device_to_host},
                                                             {"DeviceToDevice", CopyKind::device_to_device},
                                                             {"AtoA", CopyKind::array_to_array},
                                                             {"AtoD", CopyKind::array_to_device},
                                                             {"DtoA", CopyKind::device_to_array}};
  for (const auto& [mark, kind] : kinds) {
    if (name.find(mark) != name.npos) return kind;
  }
  return CopyKind::unknown;
}

namespace {

/// PyTorch names the phases of a step in its ranges and ops; else it is that of what is around.
Phase phase_of(std::string_view name, Phase around) {
  if (name.starts_with("Optimizer.step") || name.starts_with("Optimizer.zero_grad")) return Phase::update;
  if (name.starts_with("autograd::engine::") || name.find("Backward") != name.npos) return Phase::backward;
  return around;
}

}  // namespace

void TraceBuilder::settle_lanes() {
  for (size_t i = 0; i < lanes_.size(); ++i) {
    if (!lanes_[i].named) name_lane(static_cast<Lane>(i), TrackKind::host_thread, fmt::format("thread {}", i), "Host");
  }
  const int64_t base = base_ns_;
  for (size_t i = rank_begin_; i < activities_.size(); ++i) {
    activities_[i].track = lanes_[activities_[i].track].track;
    activities_[i].start_ns += base;
  }
  for (StepRecord& step : steps_) step.start_ns += base;
  for (size_t i = series_begin_; i < series_.size(); ++i) {
    for (int64_t& time : series_[i].time_ns) time += base;
  }
}

/// For each activity of the current file the innermost op around it on its thread; phases pass from outer to inner.
TraceBuilder::HostNesting TraceBuilder::nest_hosts() {
  HostNesting nesting;
  const size_t count = activities_.size() - rank_begin_;
  nesting.innermost_call.assign(count, kNone);
  nesting.call_of.assign(count, kNone);
  nesting.around.assign(count, kNone);
  std::vector<uint32_t>& call_of = nesting.call_of;
  for (size_t i = 0; i < calls_.size(); ++i) call_of[calls_[i].activity - rank_begin_] = static_cast<uint32_t>(i);
  std::vector<uint32_t>& order = nesting.order;
  for (size_t i = 0; i < count; ++i) {
    if (on_host(activities_[rank_begin_ + i].kind)) order.push_back(static_cast<uint32_t>(i));
  }
  const auto rank_of = [](ActivityKind kind) {
    return kind == ActivityKind::range || kind == ActivityKind::layer ? 0 : kind == ActivityKind::op ? 1 : 2;
  };
  std::sort(order.begin(), order.end(), [&](uint32_t x, uint32_t y) {
    const Activity &a = activities_[rank_begin_ + x], &b = activities_[rank_begin_ + y];
    if (a.track != b.track) return a.track < b.track;
    if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
    if (a.duration_ns != b.duration_ns) return a.duration_ns > b.duration_ns;
    return rank_of(a.kind) != rank_of(b.kind) ? rank_of(a.kind) < rank_of(b.kind) : x < y;
  });
  struct Open {
    int64_t end_ns;
    uint32_t row, call;
    Phase phase;
  };
  std::vector<Open> open;
  TrackId track = 0;
  for (const uint32_t i : order) {
    const Activity& a = activities_[rank_begin_ + i];
    if (a.track != track) open.clear();
    track = a.track;
    const int64_t end = a.start_ns + a.duration_ns;
    while (!open.empty() && (open.back().end_ns <= a.start_ns && open.back().end_ns < std::max(end, a.start_ns + 1)))
      open.pop_back();
    const Open* outer = innermost_holding(open, &Open::end_ns, a.start_ns, end);
    const uint32_t around = outer == nullptr ? kNone : outer->call;
    const Phase phase = phase_of(name(a.name), outer == nullptr ? Phase::forward : outer->phase);
    nesting.innermost_call[i] = around;
    nesting.around[i] = outer == nullptr ? kNone : outer->row;
    if (call_of[i] != kNone) {
      Call& call = calls_[call_of[i]];
      if (!call.call.phase_given && call.call.phase == Phase::forward) call.call.phase = phase;
      call.around = around;
      open.push_back({end, i, call_of[i], call.call.phase});
    } else if (a.kind == ActivityKind::range || a.kind == ActivityKind::layer) {
      open.push_back({end, i, around, phase});
    }
  }
  return nesting;
}

ShapedCall TraceBuilder::shaped(const Call& call) const {
  ShapedCall shaped{.name = name(call.call.rule != 0 ? call.call.rule : called(call)),
                    .dimensions = name(call.call.dimensions),
                    .types = name(call.call.types),
                    .constants = name(call.call.constants),
                    .around_name = name(call.around_name),
                    .around_dimensions = name(call.around_dimensions),
                    .outputs = name(call.call.outputs),
                    .output_types = name(call.call.output_types),
                    .list_dtype = {}};
  if (call.around != kNone) {
    shaped.around_name = name(called(calls_[call.around]));
    shaped.around_dimensions = name(calls_[call.around].call.dimensions);
  }
  return shaped;
}

/// Of calls with lists of tensors: the dtype that other calls beside them have for a tensor of that shape. What reads
/// the result comes first, then what came before.
std::vector<std::optional<engine::DType>> TraceBuilder::list_dtypes() const {
  constexpr size_t kReach = 64, kMostLists = 100'000;
  std::vector<std::optional<engine::DType>> found(calls_.size());
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < calls_.size(); ++i) order.push_back(i);
  const auto key = [&](uint32_t i) {
    const Activity& a = activities_[calls_[i].activity];
    return std::pair(a.track, a.start_ns);
  };
  std::ranges::stable_sort(order, [&](uint32_t x, uint32_t y) { return key(x) < key(y); });
  size_t lists = 0;
  for (size_t at = 0; at < order.size() && lists < kMostLists; ++at) {
    const auto shape = shape_of_list(shaped(calls_[order[at]]));
    if (!shape) continue;
    ++lists;
    const auto look = [&](size_t other) {
      if (!found[order[at]] &&
          activities_[calls_[order[other]].activity].track == activities_[calls_[order[at]].activity].track)
        found[order[at]] = dtype_of_shape(shaped(calls_[order[other]]), *shape);
    };
    for (size_t i = 1; i <= kReach && at + i < order.size(); ++i) look(at + i);
    for (size_t i = 1; i <= kReach && i <= at; ++i) look(at - i);
  }
  return found;
}

/// What the shapes of each call tell, by index into `facts`: calls that are alike have the same.
std::vector<uint32_t> TraceBuilder::facts_of_calls(std::vector<ShapeFacts>& facts) const {
  struct Key {
    NameId name, rule, dimensions, types, constants, outputs, around, around_dimensions, list_dtype;
    bool operator==(const Key&) const = default;
  };
  const auto hash = [](const Key& key) { return static_cast<size_t>(XXH3_64bits(&key, sizeof key)); };
  std::unordered_map<Key, uint32_t, decltype(hash)> known(64, hash);
  std::vector<uint32_t> facts_of;
  facts_of.reserve(calls_.size());
  const std::vector<std::optional<engine::DType>> dtypes = list_dtypes();
  for (size_t i = 0; i < calls_.size(); ++i) {
    const Call& call = calls_[i];
    Key key{called(call),     call.call.rule,         call.call.dimensions,
            call.call.types,  call.call.constants,    call.call.outputs,
            call.around_name, call.around_dimensions, dtypes[i] ? 1 + static_cast<NameId>(*dtypes[i]) : 0};
    if (call.around != kNone) {
      key.around = called(calls_[call.around]);
      key.around_dimensions = calls_[call.around].call.dimensions;
    }
    const auto [entry, fresh] = known.try_emplace(key, static_cast<uint32_t>(facts.size()));
    if (fresh) {
      ShapedCall told = shaped(call);
      told.list_dtype = dtypes[i];
      facts.push_back(facts_of_call(told));
    }
    facts_of.push_back(entry->second);
  }
  return facts_of;
}

/// Of each call whether its FLOPs are counted at calls inside. Where these do less than half of what its own shapes
/// tell, they only help it (a sum of biases): both count then.
void TraceBuilder::mark_flops_inside(const std::vector<ShapeCost>& costs) {
  constexpr double kSameWork = 0.5;
  std::vector<uint32_t> children(calls_.size(), 0), ready;
  std::vector<double> inside(calls_.size(), 0);
  for (const Call& call : calls_) {
    if (call.around != kNone) ++children[call.around];
  }
  for (uint32_t i = 0; i < calls_.size(); ++i) {
    if (children[i] == 0) ready.push_back(i);
  }
  while (!ready.empty()) {  // those inside before those around
    const uint32_t i = ready.back();
    ready.pop_back();
    const double own = costs[i].known ? costs[i].flops : 0;
    calls_[i].counted_inside = inside[i] > 0 && inside[i] >= kSameWork * own;
    const uint32_t around = calls_[i].around;
    if (around == kNone) continue;
    inside[around] += inside[i] + (calls_[i].counted_inside ? 0 : own);
    if (--children[around] == 0) ready.push_back(around);
  }
}

void TraceBuilder::mark_bytes_inside(const std::vector<ShapeFacts>& facts, const std::vector<uint32_t>& facts_of) {
  for (size_t i = 0; i < calls_.size(); ++i) {
    const Call& call = calls_[i];
    // what the call around does is done in here, unless this is a mere allocation or view
    if (call.around != kNone && !touches_nothing(name(called(call)))) calls_[call.around].leaf = false;
    if (facts[facts_of[i]].operands.empty()) continue;
    for (uint32_t at = call.around; at != kNone && !calls_[at].moved_inside; at = calls_[at].around)
      calls_[at].moved_inside = true;
  }
}

/// FLOPs are counted at the innermost call that says them: linear holds addmm, which holds expand. A call that no rule
/// knows is unknown, unless all that it calls is known and some of that computes. Bytes likewise.
void TraceBuilder::name_ops() {
  std::vector<ShapeFacts> facts;
  const std::vector<uint32_t> facts_of = facts_of_calls(facts);
  std::vector<ShapeCost> costs;
  for (size_t i = 0; i < calls_.size(); ++i) {
    constexpr double kMostFlops = 1e24;  // beyond it they are nobody's, and sums have to stay finite
    const double given = calls_[i].call.flops;
    costs.push_back(given >= 0 && given <= kMostFlops ? ShapeCost{true, given} : facts[facts_of[i]].cost);
  }
  mark_flops_inside(costs);
  mark_bytes_inside(facts, facts_of);
  for (size_t i = 0; i < calls_.size(); ++i) {
    if (costs[i].known || calls_[i].counted_inside) continue;
    for (uint32_t at = calls_[i].around; at != kNone && !costs[at].known && !calls_[at].unknown_inside;
         at = calls_[at].around)
      calls_[at].unknown_inside = true;
  }
  for (size_t i = 0; i < calls_.size(); ++i) {
    Call& call = calls_[i];
    const ShapeCost& cost = costs[i];
    const ShapeFacts& moved = facts[facts_of[i]];
    call.op = op_for(call);
    activities_[call.activity].op = call.op;
    OpSums& sums = op_sums_[call.op];
    call.cost_known = cost.known;
    // else its time counts for no step either, or it only recorded what replays run
    const bool counts = step_counts(activities_[call.activity].step) && !call.recorded;
    // a call that computes itself moves its own operands, whatever copies it makes of them inside
    const bool computes = cost.known && cost.flops > 0 && !call.counted_inside;
    if (call.moved_inside && !computes) {
      if (!cost.known && !call.counted_inside) sums.bytes_known = false;
    } else {
      if (!moved.bytes_known && (call.leaf || !call.counted_inside)) sums.bytes_known = false;
      if (counts && moved.bytes_known && sums.counted++ == 0) sums.operands = moved.operands;
    }
    if (call.counted_inside) {
      if (!cost.known && call.unknown_inside) sums.flops_known = false;  // what is counted inside is not all of it
    } else if (!cost.known) {
      sums.flops_known = false;  // calls inside that no rule knows either, or that only move elements, do not make it 0
    } else if (counts) {
      sums.flops += cost.flops;
    }
  }
}

/// The call that launched each piece of a device's work, by activity. Where several calls have one correlation id (of
/// processes whose traces were put together), as many pieces as calls belong to them in the order of time, else each to
/// the last call before it.
std::unordered_map<uint32_t, uint32_t> TraceBuilder::launches_of_work() const {
  struct Entry {
    uint64_t correlation;
    int64_t start_ns;
    int64_t shorter_ns;  ///< of calls that start at once the one around comes first
    uint32_t activity;
    auto operator<=>(const Entry&) const = default;
  };
  std::vector<Entry> calls, work;
  for (size_t i = rank_begin_; i < activities_.size(); ++i) {
    const Activity& a = activities_[i];
    if (a.correlation == 0) continue;
    if (a.kind == ActivityKind::api)
      calls.push_back({a.correlation, a.start_ns, -a.duration_ns, static_cast<uint32_t>(i)});
    if (is_device_work(a.kind)) work.push_back({a.correlation, a.start_ns, 0, static_cast<uint32_t>(i)});
  }
  std::ranges::sort(calls);
  std::ranges::sort(work);
  std::unordered_map<uint32_t, uint32_t> launched;
  size_t next = 0;
  for (size_t begin = 0; begin < calls.size();) {
    std::vector<uint32_t> launches;  // a driver's call inside a runtime's is the same launch
    size_t end = begin;
    for (; end < calls.size() && calls[end].correlation == calls[begin].correlation; ++end) {
      const Activity& call = activities_[calls[end].activity];
      const auto around = [&](uint32_t other) {
        const Activity& o = activities_[other];
        return o.track == call.track && call.start_ns + call.duration_ns <= o.start_ns + o.duration_ns;
      };
      if (launches.empty() || !around(launches.back())) launches.push_back(calls[end].activity);
    }
    for (size_t again = 1; again < launches.size(); ++again)
      findings_.add(Finding::duplicate_correlation, fmt::format("{}", calls[begin].correlation));
    while (next < work.size() && work[next].correlation < calls[begin].correlation) ++next;
    const size_t first = next;
    while (next < work.size() && work[next].correlation == calls[begin].correlation) ++next;
    size_t last = 0;
    for (size_t i = first; i < next; ++i) {
      while (last + 1 < launches.size() && activities_[launches[last + 1]].start_ns <= work[i].start_ns) ++last;
      launched.emplace(work[i].activity, launches[next - first == launches.size() ? i - first : last]);
    }
    begin = end;
  }
  return launched;
}

void TraceBuilder::link_launches(const std::vector<uint32_t>& innermost_call,
                                 const std::unordered_map<uint32_t, uint32_t>& launches) {
  for (size_t i = rank_begin_; i < activities_.size(); ++i) {
    const uint32_t call = innermost_call[i - rank_begin_];
    if (activities_[i].kind == ActivityKind::api && call != kNone) activities_[i].op = calls_[call].op;
  }
  std::unordered_map<int64_t, uint32_t> call_of_external;
  for (size_t i = 0; i < calls_.size(); ++i) {
    if (calls_[i].call.external_id > 0)
      call_of_external.try_emplace(calls_[i].call.external_id, static_cast<uint32_t>(i));
  }
  const NameId kernel_type = intern("kernel"), copy_type = intern("copy"), memset_type = intern("memset");
  for (size_t i = rank_begin_; i < activities_.size(); ++i) {
    Activity& a = activities_[i];
    if (!is_device_work(a.kind)) continue;
    uint32_t call = kNone;
    if (const auto launch = launches.find(static_cast<uint32_t>(i)); launch != launches.end()) {
      const Activity& api = activities_[launch->second];
      call = innermost_call[launch->second - rank_begin_];
      if (!steps_of_devices_) a.step = api.step;
      if (a.start_ns < api.start_ns) findings_.add(Finding::early_start, name(a.name).substr(0, 60));
    } else {
      findings_.add(Finding::orphan_launch, name(a.name).substr(0, 60));
    }
    if (const auto replayed = replayed_.find(static_cast<uint32_t>(i)); replayed != replayed_.end())
      call = replayed->second;
    if (call == kNone) {
      const auto external = external_ids_.find(static_cast<uint32_t>(i));
      const auto known =
          external == external_ids_.end() ? call_of_external.end() : call_of_external.find(external->second);
      if (known != call_of_external.end()) call = known->second;
    }
    const bool kernel = a.kind == ActivityKind::kernel;
    if (kernel) add_asked_collective(a, call);
    const auto said = said_ops_.find(static_cast<uint32_t>(i));
    if (ours() && said != said_ops_.end()) call = kNone;  // its launch lies in an op that only replays
    // a call that launches work computes something itself, whatever else it called
    if (call != kNone && !calls_[call].counted_inside && !calls_[call].cost_known)
      op_sums_[calls_[call].op].flops_known = op_sums_[calls_[call].op].bytes_known = false;
    a.op = call != kNone ? calls_[call].op
           : said != said_ops_.end()
               ? op_for_said(said->second)
               : op_for_device_work(kernel ? short_name(a.name) : a.name, kernel                         ? kernel_type
                                                                          : a.kind == ActivityKind::copy ? copy_type
                                                                                                         : memset_type);
    op_sums_[a.op].kernel_ns[kernel ? short_name(a.name) : a.name] += a.duration_ns;
  }
}

uint32_t TraceBuilder::step_at(int64_t time_ns) const {
  const auto after = std::upper_bound(steps_.begin(), steps_.end(), time_ns,
                                      [](int64_t t, const StepRecord& s) { return t < s.start_ns; });
  if (after == steps_.begin()) return kNoStep;
  const StepRecord& step = *(after - 1);
  return time_ns - step.start_ns < step.duration_ns ? step.index : kNoStep;
}

/// A step is marked on several threads: the first mark counts. Marks of one number that lie apart are different steps:
/// of a profiler that was started again, of runs whose traces were put together.
std::vector<StepRecord> TraceBuilder::steps_marked_once() {
  std::stable_sort(steps_.begin(), steps_.end(),
                   [](const StepRecord& a, const StepRecord& b) { return a.start_ns < b.start_ns; });
  std::unordered_map<uint32_t, int64_t> end_of;  // by number: of the marks so far
  std::vector<size_t> again;
  std::vector<StepRecord> once;
  uint32_t free = 0;
  for (const StepRecord& step : steps_) {
    free = std::max(free, step.index < kNoStep - 1 ? step.index + 1 : 0);
    const int64_t end = step.start_ns + step.duration_ns;
    const auto [entry, first] = end_of.try_emplace(step.index, end);
    if (!first && step.start_ns < entry->second) continue;
    entry->second = end;
    if (!first) again.push_back(once.size());
    once.push_back(step);
  }
  for (const size_t i : again) {
    findings_.add(Finding::repeated_step, fmt::format("{}", once[i].index));
    while (free == kNoStep || end_of.contains(free)) ++free;  // from behind the last number on, then from 0
    once[i].index = free++;
  }
  return once;
}

/// Host work belongs to the step it starts in; GPU work follows its launch (see link_launches).
void TraceBuilder::assign_steps() {
  if (steps_.empty() && activities_.size() > rank_begin_) {
    int64_t first = std::numeric_limits<int64_t>::max(), last = std::numeric_limits<int64_t>::min();
    for (size_t i = rank_begin_; i < activities_.size(); ++i) {
      first = std::min(first, activities_[i].start_ns);
      last = std::max(last, activities_[i].start_ns + activities_[i].duration_ns);
    }
    steps_.push_back({.index = 0, .start_ns = first, .duration_ns = std::max<int64_t>(1, last - first)});
    if (ranks_ == 1) honesty().notes.push_back("Import: the trace marks no steps: the whole of it counts as one.");
  }
  steps_ = steps_marked_once();
  counted_steps_.clear();
  for (const StepRecord& step : steps_) {
    if (step.traced && !step.warmup) counted_steps_.insert(step.index);
  }
  for (size_t i = rank_begin_; i < activities_.size(); ++i) activities_[i].step = step_at(activities_[i].start_ns);
  for (const StepRecord& step : steps_) {  // ranks run the same steps, each at its own time: see add_rank()
    if (numbers_of_all_steps_.insert(step.index).second) all_steps_.push_back(step);
  }
}

OpId TraceBuilder::op_for(const Call& call) {
  const bool ours = ours_ && call.call.type != 0;
  const NameId shown_as = ours && call.call.op != 0 ? call.call.op : called(call);
  // names of our own ops are unique, as in op_for_said()
  const std::string key = ours ? fmt::format("op {}", shown_as)
                               : fmt::format("{} {} {} {} {}", shown_as, call.call.dimensions, call.call.types,
                                             call.call.layer, static_cast<int>(call.call.phase));
  if (const auto known = ops_.find(key); known != ops_.end()) return known->second;
  std::string shown(name(shown_as));
  const std::string shapes = ours ? std::string() : shapes_in_words(name(call.call.dimensions), name(call.call.types));
  if (!shapes.empty()) shown += " " + shapes;
  if (!ours && call.call.phase != Phase::forward) shown += fmt::format(" ({})", engine::name(call.call.phase));
  return ops_[key] = add_named_op(shown, {.type = call.call.type != 0 ? call.call.type : shown_as,
                                          .layer = call.call.layer,
                                          .kernel = call.call.kernel,
                                          .phase = call.call.phase});
}

/// Names of ops are unique: those that would be shown alike are numbered.
OpId TraceBuilder::add_named_op(std::string shown, OpRecord record) {
  if (shown.empty()) shown = "(no name)";
  const auto id = static_cast<OpId>(op_records_.size());
  int& alike = ops_of_name_[shown];
  const std::string first = shown;
  if (alike++ > 0) shown = fmt::format("{} #{}", first, alike);
  while (!ops_.try_emplace("name " + shown, id).second) shown = fmt::format("{} #{}", first, ++alike);
  record.name = intern(shown);
  op_records_.push_back(record);
  op_sums_.emplace_back();
  return id;
}

/// GPU work that no op of the trace launched: one op for each kernel name.
OpId TraceBuilder::op_for_device_work(NameId called, NameId type) {
  const std::string key = fmt::format("device {} {}", called, type);
  if (const auto known = ops_.find(key); known != ops_.end()) return known->second;
  const OpId id = ops_[key] = add_named_op(std::string(name(called)), {.type = type});
  op_sums_[id].flops_known = op_sums_[id].bytes_known = false;
  return id;
}

/// XLA numbers its ops: "loop_add_fusion.3" is a loop_add_fusion.
NameId TraceBuilder::type_of_said(const SaidOp& said) {
  if (said.type != 0) return said.type;
  std::string type(name(said.op));
  const size_t dot = type.rfind('.');
  if (dot != type.npos && dot > 0 && type.find_first_not_of("0123456789", dot + 1) == type.npos) type.resize(dot);
  return intern(type);
}

OpId TraceBuilder::op_for_said(const SaidOp& said) {
  // names of our own ops are unique, as in op_for()
  const std::string key = ours_ && said.type != 0
                              ? fmt::format("op {}", said.op)
                              : fmt::format("said {} {} {}", said.op, said.layer, static_cast<int>(said.phase));
  if (const auto known = ops_.find(key); known != ops_.end()) return known->second;
  const OpId id = ops_[key] =
      add_named_op(std::string(name(said.op)), {.type = type_of_said(said), .layer = said.layer, .phase = said.phase});
  op_sums_[id].flops_known = op_sums_[id].bytes_known = false;
  return id;
}

/// Each rank keeps its own steps: they run at different times, and where their clocks differ, at quite different ones.
void TraceBuilder::add_rank() {
  RankRecord rank{.name = intern(label_), .steps = steps_, .tracks = {}};
  std::unordered_set<TrackId> tracks;
  for (const LaneInfo& lane : lanes_) {
    if (tracks.insert(lane.track).second) rank.tracks.push_back(lane.track);
  }
  all_ranks_.push_back(std::move(rank));
}

void TraceBuilder::end_rank() {
  settle_lanes();
  assign_steps();
  add_rank();
  const HostNesting nesting = nest_hosts();
  find_layers(nesting);
  find_captured_graphs(nesting);
  const std::unordered_map<uint32_t, uint32_t> launches = launches_of_work();
  add_replayed_calls(launches);
  name_ops();
  add_host_collectives();
  link_launches(nesting.innermost_call, launches);
}

/// Which tensors of different ops are the same is not in a trace: each operand gets one of its own.
std::vector<OperandRecord> TraceBuilder::add_operands(const OpRecord& op, const OpSums& sums, double steps) {
  std::vector<OperandRecord> operands;
  if (!sums.bytes_known) return operands;
  if (sums.operands.empty()) {  // known to read and write nothing: an operand of no bytes
    operands.push_back(
        {.tensor = capture_.add_tensor(
             {.name = intern(fmt::format("no bytes of {}", name(op.name))), .shape = {0}, .strides = {1}})});
    return operands;
  }
  const auto bytes_of = [](const ShapedOperand& o) {
    double bytes = static_cast<double>(engine::size_bytes(o.dtype));
    for (const int64_t extent : o.shape) bytes *= static_cast<double>(extent);
    return bytes;
  };
  double all = 0;
  for (const ShapedOperand& o : sums.operands) all += bytes_of(o) * sums.counted / steps;
  if (!(traced_bytes_ + all <= kMostTracedBytes)) return operands;  // nobody's: unknown, as a capture refuses such sums
  traced_bytes_ += all;
  for (size_t i = 0; i < sums.operands.size(); ++i) {
    const ShapedOperand& o = sums.operands[i];
    const double bytes = bytes_of(o);
    const auto per_step = static_cast<int64_t>(bytes * sums.counted / steps);
    TensorRecord tensor{.name = intern(fmt::format("{} {} of {}", o.output ? "output" : "input", i, name(op.name))),
                        .dtype = o.dtype,
                        .shape = o.shape,
                        .strides = {}};
    tensor.strides.assign(o.shape.size(), 1);
    for (size_t k = o.shape.size(); k-- > 1;) tensor.strides[k - 1] = tensor.strides[k] * o.shape[k];
    tensor.size_bytes = static_cast<int64_t>(bytes);
    OperandRecord operand{.tensor = capture_.add_tensor(std::move(tensor)), .output = o.output};
    (o.output ? operand.written_bytes : operand.read_bytes) = per_step;
    operands.push_back(operand);
  }
  return operands;
}

std::vector<OperandRecord> TraceBuilder::add_described(const DescribedOp& described) {
  std::vector<OperandRecord> operands = described.operands;
  for (OperandRecord& operand : operands) {
    operand.tensor = add_described_tensor(operand.tensor);
  }
  return operands;
}

TensorId TraceBuilder::add_described_tensor(TensorId described) {
  TensorId& id = described_ids_[described];
  if (id != kNoTensor) return id;
  TensorRecord tensor = described_tensors_[described];
  if (tensor.alias_of != kNoTensor) tensor.alias_of = add_described_tensor(tensor.alias_of);  // which owns its bytes
  return id = capture_.add_tensor(std::move(tensor));
}

/// Of tensors whose place in memory is described: from the first op that uses them, or shares their bytes, to the last
/// one.
void TraceBuilder::find_lifetimes() {
  std::vector<bool> placed;
  for (const TensorRecord& tensor : described_tensors_) placed.push_back(tensor.first_op == kNoOp);
  for (size_t i = 0; i < op_records_.size(); ++i) {
    const auto described = described_ops_.find(op_records_[i].name);
    if (described == described_ops_.end()) continue;
    for (const OperandRecord& operand : described->second.operands) {
      for (TensorId t = operand.tensor; t != kNoTensor; t = described_tensors_[t].alias_of) {
        if (!placed[t]) continue;
        TensorRecord& tensor = described_tensors_[t];
        if (tensor.first_op == kNoOp) tensor.first_op = static_cast<OpId>(i);
        tensor.last_op = static_cast<OpId>(i);
      }
    }
  }
}

/// Ops as the capture has them: FLOPs per step, the kernel that takes most of their time.
void TraceBuilder::finish_ops() {
  find_lifetimes();
  const double steps = std::max<double>(1, static_cast<double>(std::ranges::count_if(
                                               all_steps_, [](const StepRecord& s) { return s.traced && !s.warmup; })));
  for (size_t i = 0; i < op_records_.size(); ++i) {
    OpRecord op = op_records_[i];
    const OpSums& sums = op_sums_[i];
    const auto most = std::max_element(sums.kernel_ns.begin(), sums.kernel_ns.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most != sums.kernel_ns.end()) op.kernel = most->first;
    OpId id = kNoOp;
    if (const auto described = described_ops_.find(op.name); described != described_ops_.end()) {
      op.flops = described->second.flops;
      id = capture_.add_op(op, add_described(described->second));
    } else {
      op.flops = sums.flops_known ? sums.flops / steps : std::numeric_limits<double>::quiet_NaN();
      id = capture_.add_op(op, add_operands(op, sums, steps));
    }
    capture_.set_facts(id, facts_of_imported_kernel(name(op.kernel)));
  }
}

}  // namespace profiler
