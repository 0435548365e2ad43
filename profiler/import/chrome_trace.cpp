// SPDX-License-Identifier: Apache-2.0
// ChromeTrace: phases, lanes, begin and end halves, flows and counters of Chrome's trace format.
#include "profiler/import/chrome_trace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xxhash.h>

#include <algorithm>
#include <set>
#include <utility>

#include "profiler/import/json_pieces.h"
#include "profiler/import/lane_roles.h"
#include "profiler/store/sqlite.h"

namespace profiler {

using engine::refused_error;
using engine::Result;

namespace {

uint64_t mixed(uint64_t a, uint64_t b) {
  const uint64_t both[] = {a, b};
  return XXH3_64bits(both, sizeof both);
}

uint64_t hash_of(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

std::string shown_id(const TraceId& id) {
  return id.text.empty() ? fmt::format("{}", id.number) : sqlite::shown(std::string(id.text.substr(0, 200)));
}

/// Of JSON that is no trace, by its outermost names.
const char* what_it_is(const std::set<std::string>& members) {
  if (members.contains("rocprofiler-sdk-tool"))
    return "this is a result of rocprofv3 in its own layout, which is not read; trace with PyTorch or JAX instead";
  if (members.contains("workload_graph"))
    return "this is a graph of Chakra for simulators, whose nodes have no times: import the profiler's trace of that "
           "run";
  if (members.contains("nodes") && members.contains("schema"))
    return "this is an execution trace of PyTorch, which has no times: import the profiler's trace of that run";
  if (members.contains("ph") && members.contains("ts"))
    return "this is one event to a line: put them into one array, with commas between them";
  return "this is no trace";
}

}  // namespace

uint64_t ChromeTrace::key_of(const TraceId& id) {
  return id.text.empty() ? static_cast<uint64_t>(id.number) * 2 : hash_of(id.text) | 1;
}

void ChromeTrace::found(Finding finding, std::string_view what) {
  Findings& findings = builder_.findings();
  if (findings.count(finding) > 0) return findings.add(finding);  // the first is told of
  findings.add(finding, fmt::format("byte {}{}{:.100}", event_byte_, what.empty() ? "" : ": ", what));
}

int32_t ChromeTrace::figure(int64_t value) {
  if (value == kNoFigure) return -1;
  if (value >= 0 && value <= std::numeric_limits<int32_t>::max()) return static_cast<int32_t>(value);
  found(Finding::bad_figure, fmt::format("{}, possible are 0 to {}", value, std::numeric_limits<int32_t>::max()));
  return -1;
}

int64_t ChromeTrace::count(int64_t value) {
  if (value == kNoFigure || value >= 0) return value == kNoFigure ? -1 : value;
  found(Finding::bad_figure, fmt::format("{} of something that is counted", value));
  return -1;
}

std::optional<TraceBuilder::Lane> ChromeTrace::own_lane(const ChromeEvent& e) {
  constexpr int64_t kFirstPid = 100'000;  // see profiler/export/chrome.cpp: below are devices
  if (!builder_.describes_tracks()) return {};
  return builder_.described_lane(e.args.track != kNoFigure   ? e.args.track
                                 : e.pid.number >= kFirstPid ? e.tid.number
                                                             : -1);
}

TraceBuilder::Lane ChromeTrace::lane_of(const ChromeEvent& e) {
  if (const auto own = own_lane(e)) return *own;
  const uint64_t process = key_of(e.pid), key = mixed(process, key_of(e.tid)) >> 1;
  const auto [entry, added] = lane_index_.try_emplace(key, lanes_.size());
  if (added) {
    lanes_.push_back({.lane = builder_.lane(key),
                      .process = process,
                      .process_id = shown_id(e.pid),
                      .thread_id = shown_id(e.tid),
                      .thread = {}});
  }
  return lanes_[entry->second].lane;
}

void ChromeTrace::take_metadata(const ChromeEvent& e) {
  if (builder_.describes_tracks()) return;
  if (e.name == "process_name" && !e.args.name.empty()) {
    process_names_[key_of(e.pid)] = sqlite::shown(std::string(e.args.name.substr(0, 200)));
  } else if (e.name == "process_labels" && !e.args.labels.empty()) {
    process_labels_[key_of(e.pid)] = sqlite::shown(std::string(e.args.labels.substr(0, 200)));
  } else if (e.name == "thread_name" && !e.args.name.empty()) {
    const auto lane = lane_index_.find(mixed(key_of(e.pid), key_of(e.tid)) >> 1);
    if (lane == lane_index_.end()) lane_of(e);
    lanes_[lane_index_.at(mixed(key_of(e.pid), key_of(e.tid)) >> 1)].thread =
        sqlite::shown(std::string(e.args.name.substr(0, 200)));
  }
}

/// b/e and S/F pairs become spans of a track of their own for each category.
void ChromeTrace::take_async(const ChromeEvent& e) {
  const uint64_t process = key_of(e.pid), id = mixed(key_of(e.id), e.id.of_process ? process : 0);
  const auto lane = builder_.lane(mixed(hash_of("async"), hash_of(e.category)) >> 1);
  builder_.name_lane(lane, TrackKind::host_thread,
                     fmt::format("asynchronous: {}", sqlite::shown(std::string(e.category.substr(0, 100)))),
                     "Asynchronous");
  async_.push_back({.key = mixed(mixed(hash_of(e.category), id), hash_of(e.name)),
                    .process = process,
                    .time_ns = e.time_ns,
                    .name = builder_.intern(e.name),
                    .lane = lane,
                    .begins = e.phase == 'b' || e.phase == 'S'});
}

/// Joins them in the order of time; of several that are open the last of the same process ends.
void ChromeTrace::close_async() {
  std::ranges::stable_sort(async_, {}, [](const AsyncHalf& half) { return std::pair(half.time_ns, !half.begins); });
  std::unordered_map<uint64_t, std::vector<const AsyncHalf*>> open;  // by key; null: has ended
  std::unordered_map<uint64_t, std::vector<size_t>> of_process;      // by key and process: where they are there
  for (const AsyncHalf& half : async_) {
    std::vector<const AsyncHalf*>& begun = open[half.key];
    if (half.begins) {
      of_process[mixed(half.key, half.process)].push_back(begun.size());
      begun.push_back(&half);
      continue;
    }
    while (!begun.empty() && begun.back() == nullptr) begun.pop_back();
    if (begun.empty()) {
      builder_.findings().add(Finding::unmatched_end);
      continue;
    }
    auto own = of_process.find(mixed(half.key, half.process));
    if (own == of_process.end()) own = of_process.find(mixed(half.key, begun.back()->process));
    const AsyncHalf& begin = *std::exchange(begun[own->second.back()], nullptr);
    own->second.pop_back();
    if (own->second.empty()) of_process.erase(own);
    builder_.add_range({.start_ns = begin.time_ns,
                        .duration_ns = half.time_ns - begin.time_ns,
                        .name = begin.name,
                        .track = begin.lane});
  }
  const int64_t last = async_.empty() ? 0 : async_.back().time_ns;
  for (const auto& [key, begun] : open) {
    for (const AsyncHalf* half : begun) {
      if (half == nullptr) continue;
      builder_.findings().add(Finding::unmatched_begin);
      builder_.add_range(
          {.start_ns = half->time_ns, .duration_ns = last - half->time_ns, .name = half->name, .track = half->lane});
    }
  }
  async_.clear();
}

void ChromeTrace::take_flow(const ChromeEvent& e) {
  auto& [start, finish] = flows_[mixed(hash_of(e.category), key_of(e.id))];
  FlowEnd& end = e.phase == 'f' ? finish : start;
  if (end.seen) return;
  const bool backward = !builder_.ours() && (e.category == "fwdbwd" || e.category == "forward_backward");
  end = {
      .time_ns = e.time_ns, .lane = backward ? lane_of(e) : TraceBuilder::Lane{0}, .seen = true, .backward = backward};
}

void ChromeTrace::take_span(const ChromeEvent& e, int64_t duration_ns) {
  Activity a{.start_ns = e.time_ns, .duration_ns = duration_ns, .name = builder_.intern(e.name)};
  if (dialect_.span != nullptr && dialect_.span(*this, e, a)) return;
  a.track = lane_of(e);
  builder_.add_range(a);
}

/// A span whose end is still to come.
void ChromeTrace::take_begin(const ChromeEvent& e) {
  Half half{.time_ns = e.time_ns,
            .name = builder_.intern(e.name),
            .begins = true,
            .span = builder_.spans(),
            .mark = builder_.step_marks()};
  const TraceBuilder::Lane lane = lane_of(e);  // of its thread, wherever its span lies
  take_span(e, 0);
  half.has_span = builder_.spans() > half.span;
  half.has_mark = builder_.step_marks() > half.mark;
  halves_[lane].push_back(half);
}

bool ChromeTrace::take(const ChromeEvent& e) {
  if (e.phase == 'M') {
    take_metadata(e);
    return true;
  }
  if (e.phase == 0 && e.name.empty() && e.time_text.empty())
    return true;  // {}: some writers put one behind the last comma
  if (std::string_view("XBEiIRPCbenSTpFstf").find(e.phase) == std::string_view::npos) {
    found(Finding::unknown_phase);
    return true;
  }
  if (e.time_ns == kNoFigure || !is_time(e.time_ns)) {
    found(Finding::no_time, e.time_text.empty() ? std::string()
                                                : fmt::format("ts is \"{:.60}\", possible are {} to {} us", e.time_text,
                                                              kEarliestTime / 1000, kLatestTime / 1000));
    return true;
  }
  switch (e.phase) {
    case 'X':
      if (e.duration_ns == kNoFigure) found(Finding::missing_duration);
      if (e.duration_ns > kLongestSpan)
        found(Finding::bad_figure,
              fmt::format("dur is {} us, possible are 0 to {}", e.duration_ns / 1000, kLongestSpan / 1000));
      take_span(e, e.duration_ns == kNoFigure || e.duration_ns > kLongestSpan ? 0 : e.duration_ns);
      return true;
    case 'B': take_begin(e); return true;
    case 'E':
      halves_[lane_of(e)].push_back({.time_ns = e.time_ns, .name = builder_.intern(e.name), .begins = false});
      return true;
    case 'C':
      for (const auto& [series, value] : e.values) {
        const bool plain = e.values.size() == 1 && (series == "value" || series == e.name);
        const std::string name = plain ? std::string(e.name) : fmt::format("{}: {}", e.name, series);
        const std::string shown = sqlite::shown(name.substr(0, 200)), group = shown_id(e.pid);
        builder_.add_counter_value(shown, builder_.describes_counter(shown, group) ? group : "process " + group, "",
                                   e.time_ns, value);
      }
      return true;
    case 'b':
    case 'e':
    case 'S':
    case 'F': take_async(e); return true;
    case 's':
    case 't':
    case 'f':
      if (e.phase != 't') take_flow(e);
      return true;
    default:  // instants
      if (dialect_.instant != nullptr && dialect_.instant(*this, e)) return true;
      builder_.add_range(
          {.start_ns = e.time_ns, .duration_ns = 0, .name = builder_.intern(e.name), .track = lane_of(e)});
      return true;
  }
}

void ChromeTrace::close(const Half& half, int64_t end_ns) {
  if (half.has_span) builder_.close_span(half.span, end_ns);
  if (half.has_mark) builder_.close_step_mark(half.mark, end_ns);
}

void ChromeTrace::close_halves() {
  for (auto& [lane, halves] : halves_) close_halves_of(halves);
}

namespace {

/// Ranges that were open when one around them ended: their ends may come later, or never.
class Crossed {
 public:
  struct One {
    size_t half;
    int64_t end_ns;  ///< of what was around it
    bool ended = false;
  };
  void add(NameId name, size_t half, int64_t end_ns) {
    of_name_[name].push_back(all_.size());
    all_.push_back({half, end_ns});
  }
  /// The last of that name that has not ended; it has now. Null: there is none.
  const One* end(NameId name) {
    const auto found = of_name_.find(name);
    if (found == of_name_.end() || found->second.empty()) return nullptr;
    One& one = all_[found->second.back()];
    found->second.pop_back();
    one.ended = true;
    return &one;
  }
  const std::vector<One>& all() const { return all_; }

 private:
  std::vector<One> all_;
  std::unordered_map<NameId, std::vector<size_t>> of_name_;
};

}  // namespace

/// Joins B and E of one thread in the order of time.
void ChromeTrace::close_halves_of(std::vector<Half>& halves) {
  Findings& findings = builder_.findings();
  std::stable_sort(halves.begin(), halves.end(), [](const Half& a, const Half& b) { return a.time_ns < b.time_ns; });
  std::vector<size_t> open;                         // indices into halves
  std::unordered_map<NameId, size_t> open_of_name;  // how many
  Crossed crossed;
  for (size_t i = 0; i < halves.size(); ++i) {
    const Half& half = halves[i];
    if (half.begins) {
      open.push_back(i);
      ++open_of_name[half.name];
      continue;
    }
    // an E without a name ends what is innermost
    if (half.name == 0 ? !open.empty() : open_of_name[half.name] > 0) {
      size_t match = open.size() - 1;
      while (half.name != 0 && halves[open[match]].name != half.name) --match;
      close(halves[open[match]], half.time_ns);
      for (size_t k = match; k < open.size(); ++k) {
        const NameId name = halves[open[k]].name;
        --open_of_name[name];
        if (k > match) crossed.add(name, open[k], half.time_ns);
      }
      open.resize(match);
      continue;
    }
    const Crossed::One* late = half.name == 0 ? nullptr : crossed.end(half.name);
    findings.add(late == nullptr ? Finding::unmatched_end : Finding::crossed_ranges);
    if (late != nullptr) close(halves[late->half], half.time_ns);
  }
  for (const Crossed::One& one : crossed.all()) {
    if (one.ended) continue;
    findings.add(Finding::unmatched_begin);
    close(halves[one.half], one.end_ns);
  }
  for (const size_t i : open) {
    findings.add(Finding::unmatched_begin);
    close(halves[i], halves.back().time_ns);
  }
}

void ChromeTrace::count_flows() {
  for (const auto& [key, ends] : flows_) {
    if (ends.first.seen != ends.second.seen) builder_.findings().add(Finding::one_sided_flow);
    if (ends.first.seen && ends.second.seen && ends.second.time_ns < ends.first.time_ns)
      builder_.findings().add(Finding::inverted_flow);
    if (ends.first.seen && ends.second.seen && ends.first.backward)
      builder_.add_backward_flow(ends.first.lane, ends.first.time_ns, ends.second.lane, ends.second.time_ns);
  }
}

/// The name of a process; where only its label is a device's (PyTorch calls all of them by the program) and no work was
/// named as a device's, that.
std::string ChromeTrace::process_of(uint64_t process, bool& host) const {
  const auto said = process_names_.find(process), labelled = process_labels_.find(process);
  const std::string name = said == process_names_.end() ? std::string() : said->second;
  const bool device = labelled != process_labels_.end() && !device_name_in(labelled->second).kind.empty();
  host = !name.empty() && !device && device_name_in(name).kind.empty();
  return device && !builder_.has_device_work() ? labelled->second : name;
}

/// XLA marks steps on a lane of each device; those of the first with most of them count, where the host marks none.
void ChromeTrace::take_steps_of_devices(const std::vector<LaneFacts>& facts, const std::vector<LaneChoice>& choices) {
  size_t best = facts.size();
  for (size_t i = 0; i < facts.size(); ++i) {
    const bool steps =
        choices[i].role == LaneRole::summary && is_lane_of_steps(facts[i].thread) && !facts[i].spans.empty();
    if (steps && (best == facts.size() || facts[i].spans.size() > facts[best].spans.size())) best = i;
  }
  if (best < facts.size() && !builder_.has_steps()) builder_.take_steps_of(lanes_[best].lane);
}

void ChromeTrace::name_lanes() {
  std::vector<LaneFacts> facts;
  std::unordered_map<TraceBuilder::Lane, size_t> of_device;  // index into facts
  std::unordered_set<TraceBuilder::Lane> hosts;
  const std::unordered_set<TraceBuilder::Lane> of_calls = builder_.lanes_of_calls();
  for (const LaneName& lane : lanes_) {
    bool host = false;
    facts.push_back(
        {.process_key = lane.process, .process = process_of(lane.process, host), .thread = lane.thread, .spans = {}});
    if (host || (facts.back().process.empty() && of_calls.contains(lane.lane))) hosts.insert(lane.lane);
    if (!device_name_in(facts.back().process).kind.empty()) of_device.try_emplace(lane.lane, facts.size() - 1);
  }
  builder_.settle_host_lanes(hosts);
  if (!of_device.empty()) {
    builder_.each_span([&](TraceBuilder::Lane lane, int64_t begin_ns, int64_t end_ns) {
      if (const auto at = of_device.find(lane); at != of_device.end())
        facts[at->second].spans.push_back({begin_ns, end_ns});
    });
  }
  const std::vector<LaneChoice> choices = choose_lanes(facts);
  std::unordered_map<TraceBuilder::Lane, LaneChoice> chosen;
  std::set<std::string> summaries;
  for (size_t i = 0; i < lanes_.size(); ++i) {
    const LaneName& lane = lanes_[i];
    const std::string& process = facts[i].process;
    const std::string thread = lane.thread.empty() ? "thread " + lane.thread_id : lane.thread;
    if (choices[i].role != LaneRole::host) chosen.emplace(lane.lane, choices[i]);
    if (choices[i].role == LaneRole::work) {
      builder_.name_lane(lane.lane, TrackKind::stream, thread, process);
      continue;
    }
    const std::string group =
        process.empty() ? "process " + lane.process_id : fmt::format("{} ({})", process, lane.process_id);
    if (choices[i].role == LaneRole::summary && !facts[i].spans.empty()) {
      const auto [kept_thread, kept_process] =
          builder_.keeper().lane(TrackKind::host_thread, sqlite::shown(thread), sqlite::shown(group));
      summaries.insert(lane.thread.empty() ? kept_process : kept_thread);
    }
    builder_.name_lane(lane.lane, TrackKind::host_thread, thread, group);
  }
  take_steps_of_devices(facts, choices);
  builder_.settle_device_lanes(chosen);
  if (!summaries.empty()) {
    builder_.honesty().notes.push_back(fmt::format(
        "Import: lanes of a device that group its work otherwise, or schedule it, do not count as work: {:.400}.",
        fmt::format("{}", fmt::join(summaries, ", "))));
  }
}

void ChromeTrace::sum_allocations() {
  for (auto& [group, changes] : allocations_) {
    std::stable_sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    double sum = 0;
    for (const auto& [time, bytes] : changes) {
      sum += static_cast<double>(bytes);
      builder_.add_counter_value("allocated since the trace began", group, "B", time, sum);
    }
  }
}

Result<void> ChromeTrace::read(const std::filesystem::path& file, const ImportControl& control) {
  auto stream = ByteStream::open(file, control);
  if (!stream) return stream.error();
  ChromeEventParser parser(builder_.findings());
  ChromeEvent event;
  JsonPieces pieces(**stream, builder_.findings());
  std::set<std::string> members;
  Result<void> walked = pieces.walk(
      file,
      [&](std::string_view text, int64_t byte) {
        event_byte_ = byte;
        return parser.parse(text, event) && take(event);
      },
      [&](std::string_view key, std::string_view value) {
        if (members.size() < 20) members.emplace(key);
        return dialect_.member == nullptr || dialect_.member(*this, key, value);
      });
  if (!walked) return walked;
  if (!pieces.saw_events() && pieces.broken_off_at() >= 0) {
    return refused_error(
        fmt::format("{}: breaks off at byte {}, before its first event: nothing of it can be used; get the whole file",
                    sqlite::shown(file), pieces.broken_off_at()));
  }
  if (!pieces.saw_events())
    return refused_error(
        fmt::format("{}: is JSON without \"traceEvents\": {}", sqlite::shown(file), what_it_is(members)));
  close_halves();
  close_async();
  count_flows();
  name_lanes();
  sum_allocations();
  return {};
}

}  // namespace profiler
