// SPDX-License-Identifier: Apache-2.0
// Track events and render stages. Events are kept by track until the end, as packets of several writers are mixed.
#include "profiler/import/perfetto_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace profiler {

using perfetto::integer, perfetto::is, perfetto::kBytes, perfetto::kFixed64, perfetto::kVarint, perfetto::text;
using protozero::pbf_reader;

namespace {

constexpr size_t kMostOpenSlices = 512;
constexpr uint64_t kSliceBegin = 1, kSliceEnd = 2, kInstantEvent = 3, kCounterEvent = 4, kStateEvent = 5;

/// Nanoseconds of microseconds; nothing: no time.
std::optional<int64_t> of_us(int64_t us) {
  if (us > kLatestTime / 1000 || us < kEarliestTime / 1000) return {};
  return us * 1000;
}

/// What a stage's older numbers of queues and stages mean: lists of names.
void take_specifications(pbf_reader r, PerfettoSequence& s) {
  s.queues.clear(), s.stages.clear();
  constexpr size_t kMost = 65536;
  while (r.next()) {
    const bool queue = is(r, 2, kBytes), stage = is(r, 3, kBytes);
    if (!queue && !stage) {
      r.skip();
      continue;
    }
    std::vector<std::string>& list = queue ? s.queues : s.stages;
    pbf_reader one = r.get_message();
    std::string name;
    while (one.next()) {
      if (is(one, 1, kBytes)) name = text(one);
      else one.skip();
    }
    if (list.size() < kMost) list.push_back(std::move(name));
  }
}

/// A track of asynchronous events of older writers: those of one id.
uint64_t track_of_id(uint64_t id, int64_t process) {
  return 0x7b00000000000000u ^ (id * 0x9e3779b97f4a7c15u >> 8) ^ (static_cast<uint64_t>(process) << 20);
}

}  // namespace

/// A track event as its packet has it.
struct PerfettoEvents::Said {
  uint64_t type = 0, track = 0;
  bool has_track = false;
  std::optional<std::string> name;
  uint64_t name_iid = 0;
  std::optional<double> value;
  std::optional<int64_t> delta_us, absolute_us, duration_us;
  // of older writers
  char phase = 0;
  std::optional<uint64_t> id, local_id;
  std::optional<int64_t> pid, tid;

  /// Begin, end, instant or counter; 0: none of these.
  uint64_t kind() const {
    if (type != 0) return type;
    switch (phase) {
      case 'B':
      case 'b':
      case 'S': return kSliceBegin;
      case 'E':
      case 'e':
      case 'F': return kSliceEnd;
      case 'I':
      case 'i':
      case 'R':
      case 'n': return kInstantEvent;
      default: return 0;
    }
  }
  bool of_id() const { return phase == 'b' || phase == 'e' || phase == 'n' || phase == 'S' || phase == 'F'; }
};

PerfettoEvents::Said PerfettoEvents::said_by(pbf_reader& r) {
  Said e;
  while (r.next()) {
    if (is(r, 9, kVarint)) e.type = r.get_uint64();
    else if (is(r, 10, kVarint)) e.name_iid = r.get_uint64();
    else if (is(r, 11, kVarint)) e.track = r.get_uint64(), e.has_track = true;
    else if (is(r, 23, kBytes)) e.name = text(r);
    else if (is(r, 30, kVarint)) e.value = static_cast<double>(integer(r));
    else if (is(r, 44, kFixed64)) e.value = r.get_double();
    else if (is(r, 1, kVarint)) e.delta_us = integer(r);
    else if (is(r, 16, kVarint)) e.absolute_us = integer(r);
    else if (is(r, 6, kBytes)) {
      pbf_reader legacy = r.get_message();
      while (legacy.next()) {
        if (is(legacy, 1, kVarint)) e.name_iid = legacy.get_uint64();
        else if (is(legacy, 2, kVarint)) e.phase = static_cast<char>(legacy.get_uint64() & 0x7f);
        else if (is(legacy, 3, kVarint)) e.duration_us = integer(legacy);
        else if (is(legacy, 6, kVarint) || is(legacy, 11, kVarint)) e.id = legacy.get_uint64();
        else if (is(legacy, 10, kVarint)) e.local_id = legacy.get_uint64();
        else if (is(legacy, 18, kVarint)) e.pid = integer(legacy);
        else if (is(legacy, 19, kVarint)) e.tid = integer(legacy);
        else legacy.skip();
      }
    } else {
      r.skip();
    }
  }
  return e;
}

uint64_t PerfettoEvents::track_of(const Said& e, const PerfettoSequence& s) {
  const uint64_t own = e.has_track ? e.track : s.default_track != 0 ? s.default_track : s.thread_track;
  if (e.of_id() && (e.id || e.local_id)) {
    const int64_t process = e.pid.value_or(tracks_.track(own).pid.value_or(0));
    const uint64_t uuid = track_of_id(e.id ? *e.id : *e.local_id, e.local_id ? process : 0);
    PerfettoTrack& t = tracks_.track(uuid);
    if (!t.pid && process != 0) t.pid = process;
    if (t.name.empty()) t.name = fmt::format("id 0x{:x}", e.id ? *e.id : *e.local_id);
    return uuid;
  }
  if (e.tid && *e.tid >= 0) return tracks_.of_thread(e.pid.value_or(tracks_.track(own).pid.value_or(0)), *e.tid);
  return own;
}

NameId PerfettoEvents::name_of(const Said& e, const PerfettoSequence& s) {
  if (e.name) return b_.intern(*e.name);
  const auto found = s.event_names.find(e.name_iid);
  if (found != s.event_names.end()) return b_.intern(found->second);
  if (e.name_iid == 0) return b_.intern("");
  b_.findings().add(Finding::missing_name, fmt::format("iid {}", e.name_iid));
  return b_.intern(fmt::format("name_{}", e.name_iid));
}

void PerfettoEvents::take(pbf_reader& r, PerfettoSequence& s, std::optional<int64_t> time, const ProtoPlace& place) {
  const Said e = said_by(r);
  if (e.absolute_us) time = of_us(*e.absolute_us);
  else if (e.delta_us && of_us(*e.delta_us)) {
    s.thread_us += std::clamp<int64_t>(*e.delta_us, -kLongestSpan / 1000, kLongestSpan / 1000);
    s.thread_us = std::clamp<int64_t>(s.thread_us, kEarliestTime / 1000, kLatestTime / 1000);
    time = of_us(s.thread_us);
  }
  if (!time || !is_time(*time)) return b_.findings().add(Finding::no_time, fmt::format("byte {}", place.byte));
  const uint64_t uuid = track_of(e, s), kind = e.kind();
  latest_ns_ = std::max(latest_ns_, *time);
  if (kind == kCounterEvent) return add_counter(uuid, *time, e, s, place);
  Event event{.time_ns = *time, .byte = place.byte};
  if (kind == kSliceBegin || kind == kInstantEvent) {
    event.name = name_of(e, s), event.what = kind == kSliceBegin ? What::begin : What::whole;
  } else if (kind == kSliceEnd) {
    event.what = What::end;
  } else if (kind == kStateEvent) {  // it lasts until the next one of its track; one without a name only ends it
    event.name = name_of(e, s), event.what = What::state;
  } else if (e.phase == 'X' && e.duration_us && *e.duration_us >= 0 && of_us(*e.duration_us)) {
    event.name = name_of(e, s), event.what = What::whole;
    event.duration_ns = std::min(*time + *of_us(*e.duration_us), kLatestTime) - *time;
  } else {
    return b_.findings().add(Finding::unknown_phase, fmt::format("byte {}: type {}", place.byte, e.type));
  }
  events_[uuid].push_back(event);
}

void PerfettoEvents::add_counter(uint64_t uuid, int64_t time, const Said& e, PerfettoSequence& s,
                                 const ProtoPlace& place) {
  if (!e.value || !std::isfinite(*e.value))
    return b_.findings().add(Finding::bad_figure, fmt::format("byte {}: a counter without a value", place.byte));
  PerfettoTrack& t = tracks_.track(uuid);
  double value = *e.value * t.multiplier;
  if (t.incremental) value = s.sums[uuid] += value;  // each writer counts its own
  std::string name = t.name, unit = t.unit;
  // our own exports write the unit into the name
  if (const size_t at = name.rfind(" ["); unit.empty() && at != name.npos && name.ends_with(']'))
    unit = name.substr(at + 2, name.size() - at - 3), name.resize(at);
  b_.add_counter_value(name.empty() ? fmt::format("counter {:x}", uuid) : name, tracks_.process_of(t), unit, time,
                       value);
}

void PerfettoEvents::take_stage(pbf_reader& r, PerfettoSequence& s, std::optional<int64_t> time,
                                const ProtoPlace& place) {
  uint64_t duration = 0, queue = 0, stage = 0, name = 0;
  std::optional<uint64_t> listed_queue, listed_stage;
  std::string own_name;
  int64_t gpu = -1, correlation = 0, bytes = -1;
  std::array<std::array<int32_t, 3>, 2> extents{{{-1, -1, -1}, {-1, -1, -1}}};
  while (r.next()) {
    if (is(r, 2, kVarint)) duration = r.get_uint64();
    else if (is(r, 11, kVarint)) gpu = integer(r);
    else if (is(r, 13, kVarint)) queue = r.get_uint64();
    else if (is(r, 14, kVarint)) stage = r.get_uint64();
    else if (is(r, 20, kVarint)) name = r.get_uint64();
    else if (is(r, 17, kBytes)) own_name = text(r);
    else if (is(r, 3, kVarint)) listed_queue = r.get_uint64();
    else if (is(r, 4, kVarint)) listed_stage = r.get_uint64();
    else if (is(r, 7, kBytes)) take_specifications(r.get_message(), s);
    else if (is(r, 6, kBytes)) {
      pbf_reader extra = r.get_message();
      std::string key, value;
      while (extra.next()) {
        if (is(extra, 1, kBytes)) key = text(extra);
        else if (is(extra, 2, kBytes)) value = text(extra);
        else extra.skip();
      }
      int64_t figure = -1;
      std::from_chars(value.data(), value.data() + value.size(), figure);
      if (key == "correlation" && figure > 0) correlation = figure;
      if (key == "bytes" && figure >= 0) bytes = figure;
    } else if (is(r, 21, kBytes)) {
      pbf_reader launch = r.get_message();
      while (launch.next()) {
        const auto field = static_cast<uint32_t>(launch.tag());
        if (launch.wire_type() != kBytes || (field != 1 && field != 2)) {
          launch.skip();
          continue;
        }
        pbf_reader sizes = launch.get_message();
        while (sizes.next()) {
          const auto axis = static_cast<uint32_t>(sizes.tag());
          if (axis >= 1 && axis <= 3 && sizes.wire_type() == kVarint)
            extents[field - 1][axis - 1] = static_cast<int32_t>(std::min<uint64_t>(sizes.get_uint64(), 0x7fffffff));
          else sizes.skip();
        }
      }
    } else {
      r.skip();
    }
  }
  if (!time || duration > static_cast<uint64_t>(kLongestSpan))
    return b_.findings().add(Finding::no_time, fmt::format("byte {}: work of {} ns", place.byte, duration));
  const auto said = [](const auto& names, uint64_t iid) {
    const auto found = names.find(iid);
    return found == names.end() ? std::string() : found->second;
  };
  const auto in_list = [](const std::vector<std::string>& names, std::optional<uint64_t> at) {
    return at && *at < names.size() ? names[static_cast<size_t>(*at)] : std::string();
  };
  const std::string what = stage != 0 ? said(s.specifications, stage) : in_list(s.stages, listed_stage);
  const std::string where = queue != 0 ? said(s.specifications, queue) : in_list(s.queues, listed_queue);
  const std::string given = !own_name.empty() ? own_name : said(s.event_names, name);
  if (stage == 0) stage = listed_stage.value_or(0);
  if (queue == 0) queue = listed_queue.value_or(0);
  Activity a{
      .start_ns = *time, .duration_ns = static_cast<int64_t>(duration), .correlation = b_.correlation(correlation)};
  a.name = b_.intern(!given.empty() ? given : !what.empty() ? what : fmt::format("stage {}", stage));
  a.track = b_.lane(0x5051000000000000u ^ (static_cast<uint64_t>(gpu) << 32) ^ queue);
  b_.name_lane(a.track, TrackKind::stream, where.empty() ? fmt::format("queue {}", queue) : where,
               gpu < 0 ? std::string("GPU unknown") : fmt::format("GPU {}", gpu));
  const GpuPlace here{.device = gpu >= 0 && gpu < (1 << 20) ? static_cast<int32_t>(gpu) : kUnknownFigure};
  latest_ns_ = std::max(latest_ns_, *time + a.duration_ns);
  if (what == "kernel") b_.add(a, KernelRecord{.place = here, .grid = extents[0], .block = extents[1]});
  else if (what == "copy") b_.add(a, CopyRecord{.place = here, .kind = copy_kind_of(given), .bytes = bytes});
  else if (what == "memset") b_.add(a, MemsetRecord{.place = here, .bytes = bytes});
  else b_.add_range(a);
}

void PerfettoEvents::replay(uint64_t uuid, std::vector<Event>& events) {
  std::ranges::stable_sort(events, {}, &Event::time_ns);
  const TraceBuilder::Lane lane = b_.lane(uuid ^ 0x5046000000000000u);
  const auto add = [&](const Event& begin) {
    Activity a{.start_ns = begin.time_ns, .duration_ns = begin.duration_ns, .name = begin.name};
    a.track = lane;
    b_.add_range(a);
  };
  std::vector<Event> open;
  // added where they open: of spans that begin and end together the outer one comes first
  const auto push = [&](const Event& begin) {
    open.push_back(begin);
    open.back().span = b_.spans();
    add(begin);
  };
  const auto close = [&](const Event& begin, int64_t end_ns) { b_.close_span(begin.span, end_ns); };
  for (const Event& event : events) {
    if (event.what == What::whole) {
      add(event);
    } else if (event.what == What::state) {
      if (!open.empty()) close(open.back(), event.time_ns), open.pop_back();
      if (!b_.name(event.name).empty()) push(event);
    } else if (event.what == What::begin) {
      if (open.size() >= kMostOpenSlices) b_.findings().add(Finding::too_deep, fmt::format("byte {}", event.byte));
      else push(event);
    } else if (open.empty()) {
      b_.findings().add(Finding::unmatched_end, fmt::format("byte {}", event.byte));
    } else {
      close(open.back(), event.time_ns);
      open.pop_back();
    }
  }
  for (const Event& event : open) {
    if (event.what == What::begin) b_.findings().add(Finding::unmatched_begin);
    close(event, latest_ns_);
  }
  const PerfettoTrack& t = tracks_.track(uuid);
  b_.name_lane(lane, TrackKind::host_thread, tracks_.name_of(uuid, t), tracks_.process_of(t));
}

void PerfettoEvents::finish() {
  for (auto& [uuid, events] : events_) replay(uuid, events);
}

}  // namespace profiler
