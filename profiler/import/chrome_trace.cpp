// SPDX-License-Identifier: Apache-2.0
// ChromeTrace: phases, lanes, begin and end halves, flows and counters of Chrome's trace format.
#include "profiler/import/chrome_trace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xxhash.h>

#include <algorithm>
#include <set>

#include "profiler/import/json_pieces.h"
#include "profiler/import/lane_roles.h"
#include "profiler/model/sqlite.h"

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

}  // namespace

uint64_t ChromeTrace::key_of(const TraceId& id) {
  return id.text.empty() ? static_cast<uint64_t>(id.number) * 2 : hash_of(id.text) | 1;
}

int32_t ChromeTrace::figure(int64_t value) {
  if (value == kNoFigure) return -1;
  if (value >= 0 && value <= std::numeric_limits<int32_t>::max()) return static_cast<int32_t>(value);
  builder_.findings().add(Finding::bad_figure);
  return -1;
}

int64_t ChromeTrace::count(int64_t value) {
  if (value == kNoFigure || value >= 0) return value == kNoFigure ? -1 : value;
  builder_.findings().add(Finding::bad_figure);
  return -1;
}

std::optional<TraceBuilder::Lane> ChromeTrace::own_lane(const ChromeEvent& e) {
  constexpr int64_t kFirstPid = 100'000;  // see profiler/export/chrome.cpp: below are devices
  if (!builder_.describes_tracks()) return {};
  return builder_.described_lane(e.args.track != kNoFigure ? e.args.track : e.pid.number >= kFirstPid ? e.tid.number : -1);
}

TraceBuilder::Lane ChromeTrace::lane_of(const ChromeEvent& e) {
  if (const auto own = own_lane(e)) return *own;
  const uint64_t process = key_of(e.pid), key = mixed(process, key_of(e.tid)) >> 1;
  const auto [entry, added] = lane_index_.try_emplace(key, lanes_.size());
  if (added) {
    lanes_.push_back({.lane = builder_.lane(key), .process = process, .process_id = shown_id(e.pid), .thread_id = shown_id(e.tid), .thread = {}});
  }
  return lanes_[entry->second].lane;
}

void ChromeTrace::take_metadata(const ChromeEvent& e) {
  if (builder_.describes_tracks()) return;
  if (e.name == "process_name" && !e.args.name.empty()) {
    process_names_[key_of(e.pid)] = sqlite::shown(std::string(e.args.name.substr(0, 200)));
  } else if (e.name == "thread_name" && !e.args.name.empty()) {
    const auto lane = lane_index_.find(mixed(key_of(e.pid), key_of(e.tid)) >> 1);
    if (lane == lane_index_.end()) lane_of(e);
    lanes_[lane_index_.at(mixed(key_of(e.pid), key_of(e.tid)) >> 1)].thread = sqlite::shown(std::string(e.args.name.substr(0, 200)));
  }
}

/// b/e and S/F pairs become spans of a track of their own for each category.
void ChromeTrace::take_async(const ChromeEvent& e) {
  const uint64_t key = mixed(mixed(hash_of(e.category), key_of(e.id)), hash_of(e.name));
  if (e.phase == 'b' || e.phase == 'S') {
    async_[key] = {e.time_ns, builder_.intern(e.name), true};
    return;
  }
  const auto begin = async_.find(key);
  if (begin == async_.end()) {
    builder_.findings().add(Finding::unmatched_end);
    return;
  }
  const auto lane = builder_.lane(mixed(hash_of("async"), hash_of(e.category)) >> 1);
  builder_.name_lane(lane, TrackKind::host_thread, fmt::format("asynchronous: {}", sqlite::shown(std::string(e.category.substr(0, 100)))), "Asynchronous");
  builder_.add_range({.start_ns = begin->second.time_ns, .duration_ns = e.time_ns - begin->second.time_ns, .name = begin->second.name, .track = lane});
  async_.erase(begin);
}

void ChromeTrace::take_flow(const ChromeEvent& e) {
  auto& [start, finish] = flows_[mixed(hash_of(e.category), key_of(e.id))];
  FlowEnd& end = e.phase == 'f' ? finish : start;
  if (!end.seen) end = {e.time_ns, true};
}

bool ChromeTrace::take(const ChromeEvent& e) {
  Findings& findings = builder_.findings();
  if (e.phase == 'M') {
    take_metadata(e);
    return true;
  }
  if (std::string_view("XBEiIRPCbenSTpFstf").find(e.phase) == std::string_view::npos) {
    findings.add(Finding::unknown_phase);
    return true;
  }
  if (e.time_ns == kNoFigure) {
    findings.add(Finding::no_time);
    return true;
  }
  switch (e.phase) {
    case 'X': {
      Activity a{.start_ns = e.time_ns, .duration_ns = e.duration_ns, .name = builder_.intern(e.name)};
      if (e.duration_ns == kNoFigure) {
        findings.add(Finding::missing_duration);
        a.duration_ns = 0;
      }
      if (dialect_.span != nullptr && dialect_.span(*this, e, a)) return true;
      a.track = lane_of(e);
      builder_.add_range(a);
      return true;
    }
    case 'B':
    case 'E':
      halves_[lane_of(e)].push_back({e.time_ns, builder_.intern(e.name), e.phase == 'B'});
      return true;
    case 'C':
      for (const auto& [series, value] : e.values) {
        const bool plain = e.values.size() == 1 && (series == "value" || series == e.name);
        const std::string name = plain ? std::string(e.name) : fmt::format("{}: {}", e.name, series);
        const std::string shown = sqlite::shown(name.substr(0, 200)), group = shown_id(e.pid);
        builder_.add_counter_value(shown, builder_.describes_counter(shown, group) ? group : "process " + group, "", e.time_ns, value);
      }
      return true;
    case 'b':
    case 'e':
    case 'S':
    case 'F':
      take_async(e);
      return true;
    case 's':
    case 't':
    case 'f':
      if (e.phase != 't') take_flow(e);
      return true;
    default:  // instants
      if (dialect_.instant != nullptr && dialect_.instant(*this, e)) return true;
      builder_.add_range({.start_ns = e.time_ns, .duration_ns = 0, .name = builder_.intern(e.name), .track = lane_of(e)});
      return true;
  }
}

/// Joins B and E of each thread in the order of time.
void ChromeTrace::close_halves() {
  Findings& findings = builder_.findings();
  for (auto& [lane, halves] : halves_) {
    std::stable_sort(halves.begin(), halves.end(), [](const Half& a, const Half& b) { return a.time_ns < b.time_ns; });
    std::vector<Half> open;
    const int64_t last = halves.empty() ? 0 : halves.back().time_ns;
    const auto close = [&, track = lane](int64_t end_ns) {
      builder_.add_range({.start_ns = open.back().time_ns, .duration_ns = end_ns - open.back().time_ns, .name = open.back().name, .track = track});
      open.pop_back();
    };
    for (const Half& half : halves) {
      if (half.begins) {
        open.push_back(half);
        continue;
      }
      auto match = open.rbegin();
      if (half.name != 0) {  // an E without a name ends what is innermost
        match = std::find_if(open.rbegin(), open.rend(), [&half](const Half& o) { return o.name == half.name; });
      }
      if (match == open.rend()) {
        findings.add(Finding::unmatched_end);
        continue;
      }
      for (auto crossed = match - open.rbegin(); crossed > 0; --crossed) {
        findings.add(Finding::crossed_ranges);
        close(half.time_ns);
      }
      close(half.time_ns);
    }
    while (!open.empty()) {
      findings.add(Finding::unmatched_begin);
      close(last);
    }
  }
}

void ChromeTrace::count_flows() {
  for (const auto& [key, ends] : flows_) {
    if (ends.first.seen != ends.second.seen) builder_.findings().add(Finding::one_sided_flow);
    if (ends.first.seen && ends.second.seen && ends.second.time_ns < ends.first.time_ns) builder_.findings().add(Finding::inverted_flow);
  }
  for (size_t i = 0; i < async_.size(); ++i) builder_.findings().add(Finding::unmatched_begin);
}

void ChromeTrace::name_lanes() {
  std::vector<LaneFacts> facts;
  std::unordered_map<TraceBuilder::Lane, size_t> of_device;  // index into facts
  for (const LaneName& lane : lanes_) {
    const auto process = process_names_.find(lane.process);
    facts.push_back({.process_key = lane.process, .process = process == process_names_.end() ? std::string() : process->second, .thread = lane.thread, .spans = {}});
    if (!device_name_in(facts.back().process).kind.empty()) of_device.try_emplace(lane.lane, facts.size() - 1);
  }
  if (!of_device.empty()) {
    builder_.each_span([&](TraceBuilder::Lane lane, int64_t begin_ns, int64_t end_ns) {
      if (const auto at = of_device.find(lane); at != of_device.end()) facts[at->second].spans.push_back({begin_ns, end_ns});
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
    const std::string group = process.empty() ? "process " + lane.process_id : fmt::format("{} ({})", process, lane.process_id);
    if (choices[i].role == LaneRole::summary && !facts[i].spans.empty()) {
      const auto [kept_thread, kept_process] = builder_.keeper().lane(TrackKind::host_thread, sqlite::shown(thread), sqlite::shown(group));
      summaries.insert(lane.thread.empty() ? kept_process : kept_thread);
    }
    builder_.name_lane(lane.lane, TrackKind::host_thread, thread, group);
  }
  builder_.settle_device_lanes(chosen);
  if (!summaries.empty()) {
    builder_.honesty().notes.push_back(fmt::format("Import: lanes of a device that group its work otherwise, or schedule it, do not count as work: {:.400}.",
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
  Result<void> walked = pieces.walk(
      file, [&](std::string_view text, int64_t) { return parser.parse(text, event) && take(event); },
      [&](std::string_view key, std::string_view value) { return dialect_.member == nullptr || dialect_.member(*this, key, value); });
  if (!walked) return walked;
  if (!pieces.saw_events() && pieces.broken_off_at() >= 0) {
    return refused_error(fmt::format("{}: breaks off at byte {}, before its first event: nothing of it can be used; get the whole file", sqlite::shown(file),
                                     pieces.broken_off_at()));
  }
  if (!pieces.saw_events()) return refused_error(sqlite::shown(file) + ": is JSON without \"traceEvents\": this is no trace");
  close_halves();
  count_flows();
  name_lanes();
  sum_allocations();
  return {};
}

}  // namespace profiler
