// SPDX-License-Identifier: Apache-2.0
// Perfetto's protobuf traces (.pftrace): slices, instants and counters of track events, work of GPUs, processes,
// threads.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "profiler/import/importer.h"
#include "profiler/import/perfetto_state.h"
#include "profiler/import/proto_stream.h"
#include "profiler/store/sqlite.h"

namespace profiler {
namespace {

using engine::refused_error;
using engine::Result;
using protozero::pbf_reader;

// Field numbers of Perfetto's messages, each under its message's name (protos/perfetto/trace).
namespace packet {
enum : uint32_t {
  process_tree = 2,
  uid = 3,
  clock_snapshot = 6,
  timestamp = 8,
  sequence = 10,
  track_event = 11,
  interned = 12,
  flags = 13,
  dropped = 42,
  process = 43,
  thread = 44,
  compressed = 50,
  render_stage = 53,
  clock = 58,
  defaults = 59,
  track = 60,
  pid = 79
};
}
constexpr uint64_t kStateCleared = 1, kNeedsState = 2;
constexpr uint32_t kBootClock = 6, kFirstOwnClock = 64, kLastOwnClock = 127;
constexpr size_t kDeepest = 512, kMostTracks = size_t{1} << 20, kMostNames = size_t{1} << 22;

std::string text(pbf_reader& r) {
  const auto view = r.get_view();
  return {view.data(), std::min<size_t>(view.size(), 4000)};
}

/// An int64 in protobuf's plain encoding, whatever a file claims.
int64_t integer(pbf_reader& r) { return static_cast<int64_t>(r.get_uint64()); }

/// Skips fields whose type is not the schema's: what they hold is another message's.
bool is(const pbf_reader& r, uint32_t field, protozero::pbf_wire_type type) {
  return static_cast<uint32_t>(r.tag()) == field && r.wire_type() == type;
}
constexpr auto kVarint = protozero::pbf_wire_type::varint;
constexpr auto kBytes = protozero::pbf_wire_type::length_delimited;
constexpr auto kFixed64 = protozero::pbf_wire_type::fixed64;

struct TrackEvent {
  uint64_t type = 0, track = 0;
  bool has_track = false;
  std::optional<std::string> name;
  uint64_t name_iid = 0;
  std::optional<double> value;
  std::optional<int64_t> delta_us, absolute_us, duration_us;
  char legacy_phase = 0;
};

class PerfettoReader {
 public:
  PerfettoReader(TraceBuilder& builder, const std::filesystem::path& file, const ImportControl& control)
      : b_(builder), file_(file), control_(control) {}

  Result<void> read() {
    auto stream = ByteStream::open(file_, control_);
    if (!stream) return stream.error();
    const Result<int64_t> end = each_message(**stream, file_, control_,
                                             [this](uint32_t field, std::string_view content, const ProtoPlace& place) {
                                               return field == 1 ? take_packet(content, place, false) : Result<void>();
                                             });
    if (!end) return end.error();
    if (*end >= 0) b_.findings().add(Finding::truncated, fmt::format("byte {}", *end));
    if (!(*stream)->trouble().empty()) b_.findings().add(Finding::compressed_damage, (*stream)->trouble());
    close_open();
    name_lanes();
    note_what_is_not_read();
    return {};
  }

 private:
  struct Open {
    NameId name = 0;
    int64_t begin_ns = 0;
  };

  /// The fields of one packet, gathered first: state comes before what needs it, wherever it is written.
  struct Packet {
    uint64_t timestamp = 0, sequence = 0, flags = 0;
    bool has_time = false, dropped = false;
    uint32_t clock = 0;
    std::vector<std::pair<uint32_t, std::string_view>> parts;
  };

  Result<void> take_packet(std::string_view content, const ProtoPlace& place, bool unpacked) {
    return read_message(content, place, [&](pbf_reader& r) -> Result<void> {
      Packet p;
      while (r.next()) {
        const auto field = static_cast<uint32_t>(r.tag());
        if (is(r, packet::timestamp, kVarint)) p.timestamp = r.get_uint64(), p.has_time = true;
        else if (is(r, packet::sequence, kVarint)) p.sequence = r.get_uint64();
        else if (is(r, packet::flags, kVarint)) p.flags = r.get_uint64();
        else if (is(r, packet::clock, kVarint)) p.clock = static_cast<uint32_t>(r.get_uint64());
        else if (is(r, packet::dropped, kVarint)) p.dropped = r.get_uint64() != 0;
        else if (r.wire_type() == kBytes) {
          const auto view = r.get_view();
          p.parts.emplace_back(field, std::string_view(view.data(), view.size()));
        } else {
          r.skip();
        }
      }
      return take(p, place, unpacked);
    });
  }

  Result<void> take(const Packet& p, const ProtoPlace& place, bool unpacked) {
    PerfettoSequence& s = sequences_[p.sequence];
    if (p.dropped) s.valid = false;
    if ((p.flags & kStateCleared) != 0) {
      s.event_names.clear(), s.specifications.clear();
      s.default_clock = 0, s.default_track = 0;
      s.valid = true;
    }
    // what others refer to, before those others
    for (const uint32_t first : {packet::clock_snapshot, packet::defaults, packet::interned, packet::process_tree,
                                 packet::track, packet::process, packet::thread}) {
      for (const auto& [field, content] : p.parts) {
        if (field != first) continue;
        Result<void> done = read_message(content, place, [&, which = field](pbf_reader& r) {
          switch (which) {
            case packet::clock_snapshot: take_clocks(r, s); break;
            case packet::defaults: take_defaults(r, s); break;
            case packet::interned: take_names(r, s); break;
            case packet::process_tree: take_process_tree(r); break;
            case packet::track: take_track(r); break;
            case packet::process: take_process(r); break;
            default: take_thread(r, s); break;
          }
          return Result<void>();
        });
        if (!done) return done;
      }
    }
    // Each packet moves an incremental clock on, whatever it holds; a snapshot sets it.
    const bool snapshot =
        std::ranges::any_of(p.parts, [](const auto& part) { return part.first == packet::clock_snapshot; });
    const std::optional<int64_t> time = snapshot ? std::nullopt : time_of(p, s);
    for (const auto& [field, content] : p.parts) {
      Result<void> done;
      if (field == packet::track_event || field == packet::render_stage) {
        if ((p.flags & kNeedsState) != 0 && !s.valid) {
          b_.findings().add(Finding::bad_row,
                            fmt::format("byte {}: its names were lost with an earlier packet", place.byte));
          continue;
        }
        done = read_message(content, place, [&, which = field](pbf_reader& r) {
          if (which == packet::track_event) take_event(r, s, time, place);
          else take_stage(r, s, time, place);
          return Result<void>();
        });
      } else if (field == packet::compressed) {
        if (unpacked)
          return refused_error(fmt::format("{}: byte {}: compressed packets inside compressed packets",
                                           sqlite::shown(file_), place.byte));
        done = take_compressed(content, place);
      } else if (is_data(field)) {
        ++not_read_[field];
      }
      if (!done) return done;
    }
    return {};
  }

  /// Packets with events that no part reads; what only configures or counts is no loss.
  static bool is_data(uint32_t field) {
    constexpr std::array<uint32_t, 15> kData{1, 5, 7, 9, 16, 34, 37, 38, 39, 40, 46, 49, 52, 54, 66};
    return std::ranges::find(kData, field) != kData.end();
  }

  Result<void> take_compressed(std::string_view content, const ProtoPlace& place) {
    z_stream z{};
    if (inflateInit(&z) != Z_OK) return refused_error(fmt::format("{}: zlib has no memory", sqlite::shown(file_)));
    std::string all;
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
    z.avail_in = static_cast<uInt>(content.size());
    int status = Z_OK;
    while (status == Z_OK && all.size() <= kMostMessageBytes) {
      const size_t have = all.size();
      all.resize(have + (size_t{1} << 16));
      z.next_out = reinterpret_cast<Bytef*>(all.data() + have);
      z.avail_out = uInt{1} << 16;
      status = inflate(&z, Z_NO_FLUSH);
      all.resize(all.size() - z.avail_out);
      if (z.avail_in == 0 && z.avail_out > 0) break;
    }
    inflateEnd(&z);
    if (status != Z_STREAM_END) {
      return refused_error(fmt::format("{}: byte {}: compressed packets of {} bytes are {}", sqlite::shown(file_),
                                       place.byte, content.size(),
                                       all.size() > kMostMessageBytes ? "too long unpacked" : "damaged"));
    }
    return read_message(all, place, [&](pbf_reader& r) -> Result<void> {
      while (r.next()) {
        if (!is(r, 1, kBytes)) {
          r.skip();
          continue;
        }
        const auto view = r.get_view();
        if (control_.stopped()) return refused_error(fmt::format("{}: the import was cancelled", sqlite::shown(file_)));
        if (Result<void> done = take_packet({view.data(), view.size()}, place, true); !done) return done;
      }
      return {};
    });
  }

  // ---- state

  void take_clocks(pbf_reader& r, PerfettoSequence& s) {
    struct Clock {
      uint32_t id = 0;
      PerfettoClock clock;
    };
    std::vector<Clock> clocks;
    std::optional<int64_t> boot;
    while (r.next()) {
      if (is(r, 1, kBytes)) {
        pbf_reader one = r.get_message();
        Clock c;
        while (one.next()) {
          if (is(one, 1, kVarint)) c.id = static_cast<uint32_t>(one.get_uint64());
          else if (is(one, 2, kVarint)) c.clock.value = c.clock.now = one.get_uint64();
          else if (is(one, 3, kVarint)) c.clock.incremental = one.get_uint64() != 0;
          else if (is(one, 4, kVarint)) c.clock.unit_ns = std::clamp<uint64_t>(one.get_uint64(), 1, 1'000'000'000);
          else one.skip();
        }
        if (c.id == kBootClock) boot = ns_of(c.clock.value, c.clock.unit_ns);
        if (clocks.size() < 256) clocks.push_back(c);
      } else {
        r.skip();
      }
    }
    if (!boot) {  // times without one count by the first clock, as they are
      if (clocks.empty()) return;
      boot = ns_of(clocks.front().clock.value, clocks.front().clock.unit_ns);
    }
    if (!boot) return;
    for (Clock& c : clocks) {
      c.clock.ns = *boot;
      (c.id >= kFirstOwnClock && c.id <= kLastOwnClock ? s.clocks : clocks_)[c.id] = c.clock;
    }
  }

  static std::optional<int64_t> ns_of(uint64_t value, uint64_t unit_ns) {
    if (value > static_cast<uint64_t>(kLatestTime) / unit_ns) return {};
    return static_cast<int64_t>(value * unit_ns);
  }

  std::optional<int64_t> time_of(const Packet& p, PerfettoSequence& s) {
    if (!p.has_time) return {};
    const uint32_t id = p.clock != 0 ? p.clock : s.default_clock;
    if (id == 0 || id == kBootClock) return ns_of(p.timestamp, 1);
    auto& known = id >= kFirstOwnClock && id <= kLastOwnClock ? s.clocks : clocks_;
    const auto found = known.find(id);
    if (found == known.end()) {
      return id < kFirstOwnClock ? ns_of(p.timestamp, 1) : std::nullopt;
    }
    PerfettoClock& clock = found->second;
    uint64_t value = p.timestamp;
    if (clock.incremental) value = clock.now += p.timestamp;
    const auto then = ns_of(clock.value, clock.unit_ns), now = ns_of(value, clock.unit_ns);
    if (!then || !now) return {};
    const int64_t ns = clock.ns + (*now - *then);
    return is_time(ns) ? std::optional(ns) : std::nullopt;
  }

  void take_defaults(pbf_reader& r, PerfettoSequence& s) {
    while (r.next()) {
      if (is(r, packet::clock, kVarint)) {
        s.default_clock = static_cast<uint32_t>(r.get_uint64());
      } else if (is(r, packet::track_event, kBytes)) {
        pbf_reader defaults = r.get_message();
        while (defaults.next()) {
          if (is(defaults, 11, kVarint)) s.default_track = defaults.get_uint64();
          else defaults.skip();
        }
      } else {
        r.skip();
      }
    }
  }

  void take_names(pbf_reader& r, PerfettoSequence& s) {
    while (r.next()) {
      const bool name = is(r, 2, kBytes), specification = is(r, 24, kBytes);
      if (!name && !specification) {
        r.skip();
        continue;
      }
      pbf_reader one = r.get_message();
      uint64_t iid = 0;
      std::string said;
      while (one.next()) {
        if (is(one, 1, kVarint)) iid = one.get_uint64();
        else if (is(one, 2, kBytes)) said = text(one);
        else one.skip();
      }
      auto& names = name ? s.event_names : s.specifications;
      if (iid != 0 && names.size() < kMostNames) names[iid] = std::move(said);
    }
  }

  PerfettoTrack& track(uint64_t uuid) {
    if (tracks_.size() >= kMostTracks) uuid = 0;
    return tracks_[uuid];
  }

  void take_pid(pbf_reader& r, PerfettoTrack& t) {
    while (r.next()) {
      if (is(r, 1, kVarint)) t.pid = integer(r);
      else if (is(r, 6, kBytes)) t.process = text(r);
      else r.skip();  // the command line is not kept
    }
    if (t.pid && !t.process.empty()) process_names_[*t.pid] = t.process;
  }

  void take_tid(pbf_reader& r, PerfettoTrack& t, int64_t* reference_us) {
    while (r.next()) {
      if (is(r, 1, kVarint)) t.pid = integer(r);
      else if (is(r, 2, kVarint)) t.tid = integer(r);
      else if (is(r, 5, kBytes)) t.thread = text(r);
      else if (is(r, 6, kVarint) && reference_us != nullptr) *reference_us = integer(r);
      else r.skip();
    }
  }

  void take_track(pbf_reader& r) {
    PerfettoTrack t;
    uint64_t uuid = 0;
    while (r.next()) {
      if (is(r, 1, kVarint)) uuid = r.get_uint64();
      else if (is(r, 2, kBytes) || is(r, 10, kBytes) || is(r, 13, kBytes)) t.name = text(r);
      else if (is(r, 5, kVarint)) t.parent = r.get_uint64();
      else if (is(r, 3, kBytes)) {
        pbf_reader process = r.get_message();
        take_pid(process, t);
      } else if (is(r, 4, kBytes)) {
        pbf_reader thread = r.get_message();
        take_tid(thread, t, nullptr);
      } else if (is(r, 8, kBytes)) {
        pbf_reader counter = r.get_message();
        t.counter = true;
        while (counter.next()) {
          if (is(counter, 3, kVarint)) {
            const uint64_t unit = counter.get_uint64();
            if (t.unit.empty()) t.unit = unit == 1 ? "ns" : unit == 3 ? "B" : "";
          } else if (is(counter, 4, kVarint)) {
            t.multiplier = static_cast<double>(integer(counter));
          } else if (is(counter, 5, kVarint)) {
            t.incremental = counter.get_uint64() != 0;
          } else if (is(counter, 6, kBytes)) {
            t.unit = text(counter);
          } else {
            counter.skip();
          }
        }
      } else {
        r.skip();
      }
    }
    PerfettoTrack& known = track(uuid);
    t.sum = known.sum;
    if (t.name.empty()) t.name = known.name;
    if (!t.tid) t.tid = known.tid, t.thread = known.thread;
    if (!t.pid) t.pid = known.pid, t.process = known.process;
    t.counter = t.counter || known.counter;
    known = std::move(t);
  }

  void take_process(pbf_reader& r) {
    PerfettoTrack t;
    take_pid(r, t);
  }

  void take_thread(pbf_reader& r, PerfettoSequence& s) {
    PerfettoTrack t;
    take_tid(r, t, &s.thread_us);
    if (!t.tid) return;
    s.thread_track =
        0x7a00000000000000u ^ (static_cast<uint64_t>(t.pid.value_or(0)) << 32) ^ static_cast<uint64_t>(*t.tid);
    track(s.thread_track) = std::move(t);
  }

  void take_process_tree(pbf_reader& r) {
    while (r.next()) {
      const bool process = is(r, 1, kBytes), thread = is(r, 2, kBytes);
      if (!process && !thread) {
        r.skip();
        continue;
      }
      pbf_reader one = r.get_message();
      int64_t id = 0;
      std::string name;
      while (one.next()) {
        if (is(one, 1, kVarint)) id = integer(one);
        else if (is(one, process ? 3 : 2, kBytes) && name.empty()) name = text(one);
        else one.skip();
      }
      if (process) name = name.substr(name.rfind('/') + 1);  // of the program's path
      if (!name.empty() && process_names_.size() + thread_names_.size() < kMostNames)
        (process ? process_names_ : thread_names_).try_emplace(id, name);
    }
  }

  // ---- events

  static TrackEvent event_of(pbf_reader& r) {
    TrackEvent e;
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
          else if (is(legacy, 2, kVarint)) e.legacy_phase = static_cast<char>(legacy.get_uint64() & 0x7f);
          else if (is(legacy, 3, kVarint)) e.duration_us = integer(legacy);
          else legacy.skip();
        }
      } else {
        r.skip();
      }
    }
    return e;
  }

  /// Nanoseconds of microseconds; nothing: no time.
  static std::optional<int64_t> of_us(int64_t us) {
    if (us > kLatestTime / 1000 || us < kEarliestTime / 1000) return {};
    return us * 1000;
  }

  NameId name_of(const TrackEvent& e, const PerfettoSequence& s) {
    if (e.name) return b_.intern(*e.name);
    const auto found = s.event_names.find(e.name_iid);
    if (found != s.event_names.end()) return b_.intern(found->second);
    if (e.name_iid == 0) return b_.intern("");
    b_.findings().add(Finding::missing_name, fmt::format("iid {}", e.name_iid));
    return b_.intern(fmt::format("name_{}", e.name_iid));
  }

  void take_event(pbf_reader& r, PerfettoSequence& s, std::optional<int64_t> time, const ProtoPlace& place) {
    const TrackEvent e = event_of(r);
    if (e.absolute_us) time = of_us(*e.absolute_us);
    else if (e.delta_us && of_us(*e.delta_us)) {
      s.thread_us += std::clamp<int64_t>(*e.delta_us, -kLongestSpan / 1000, kLongestSpan / 1000);
      s.thread_us = std::clamp<int64_t>(s.thread_us, kEarliestTime / 1000, kLatestTime / 1000);
      time = of_us(s.thread_us);
    }
    if (!time || !is_time(*time)) return b_.findings().add(Finding::no_time, fmt::format("byte {}", place.byte));
    const uint64_t uuid = e.has_track ? e.track : s.default_track != 0 ? s.default_track : s.thread_track;
    latest_ns_ = std::max(latest_ns_, *time);
    constexpr uint64_t kBegin = 1, kEnd = 2, kInstant = 3, kCounter = 4;
    const uint64_t type = e.type != 0                                      ? e.type
                          : e.legacy_phase == 'B'                          ? kBegin
                          : e.legacy_phase == 'E'                          ? kEnd
                          : e.legacy_phase == 'I' || e.legacy_phase == 'i' ? kInstant
                                                                           : 0;
    if (type == kBegin) {
      std::vector<Open>& open = open_[uuid];
      if (open.size() >= kDeepest) return b_.findings().add(Finding::too_deep, fmt::format("byte {}", place.byte));
      open.push_back({name_of(e, s), *time});
    } else if (type == kEnd) {
      std::vector<Open>& open = open_[uuid];
      if (open.empty()) return b_.findings().add(Finding::unmatched_end, fmt::format("byte {}", place.byte));
      add(uuid, open.back(), *time);
      open.pop_back();
    } else if (type == kInstant) {
      add(uuid, {name_of(e, s), *time}, *time);
    } else if (type == kCounter) {
      add_counter(uuid, *time, e, place);
    } else if (e.legacy_phase == 'X' && e.duration_us && *e.duration_us >= 0 && of_us(*e.duration_us)) {
      add(uuid, {name_of(e, s), *time}, std::min(*time + *of_us(*e.duration_us), kLatestTime));
    } else {
      b_.findings().add(Finding::unknown_phase, fmt::format("byte {}: type {}", place.byte, e.type));
    }
  }

  void add_counter(uint64_t uuid, int64_t time, const TrackEvent& e, const ProtoPlace& place) {
    if (!e.value || !std::isfinite(*e.value))
      return b_.findings().add(Finding::bad_figure, fmt::format("byte {}: a counter without a value", place.byte));
    PerfettoTrack& t = track(uuid);
    const double value = *e.value * t.multiplier;
    if (t.incremental) t.sum += value;
    std::string name = t.name, unit = t.unit;
    // our own exports write the unit into the name
    if (const size_t at = name.rfind(" ["); unit.empty() && at != name.npos && name.ends_with(']'))
      unit = name.substr(at + 2, name.size() - at - 3), name.resize(at);
    b_.add_counter_value(name.empty() ? fmt::format("counter {:x}", uuid) : name, process_of(t), unit, time,
                         t.incremental ? t.sum : value);
  }

  TraceBuilder::Lane lane(uint64_t uuid) {
    lanes_.emplace(uuid, 0);
    return lanes_[uuid] = b_.lane(uuid ^ 0x5046000000000000u);
  }

  void add(uint64_t uuid, const Open& open, int64_t end_ns) {
    Activity a{
        .start_ns = open.begin_ns, .duration_ns = std::max<int64_t>(0, end_ns - open.begin_ns), .name = open.name};
    if (end_ns < open.begin_ns) b_.findings().add(Finding::negative_duration);
    a.track = lane(uuid);
    b_.add_range(a);
  }

  /// Work of a GPU: a kernel, copy or memset where its stage says so, else a range of its queue.
  void take_stage(pbf_reader& r, PerfettoSequence& s, std::optional<int64_t> time, const ProtoPlace& place) {
    uint64_t duration = 0, queue = 0, stage = 0, name = 0;
    int64_t gpu = -1, correlation = 0, bytes = -1;
    std::array<std::array<int32_t, 3>, 2> extents{{{-1, -1, -1}, {-1, -1, -1}}};
    while (r.next()) {
      if (is(r, 2, kVarint)) duration = r.get_uint64();
      else if (is(r, 11, kVarint)) gpu = integer(r);
      else if (is(r, 13, kVarint)) queue = r.get_uint64();
      else if (is(r, 14, kVarint)) stage = r.get_uint64();
      else if (is(r, 20, kVarint)) name = r.get_uint64();
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
    const std::string what = said(s.specifications, stage), where = said(s.specifications, queue);
    const std::string given = said(s.event_names, name);
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

  // ---- the end

  void close_open() {
    for (const auto& [uuid, open] : open_) {
      for (const Open& one : open) {
        b_.findings().add(Finding::unmatched_begin);
        add(uuid, one, std::max(latest_ns_, one.begin_ns));
      }
    }
  }

  std::string process_of(const PerfettoTrack& from) const {
    const PerfettoTrack* t = &from;
    for (int up = 0; up < 16; ++up) {
      if (t->pid) {
        const auto name = process_names_.find(*t->pid);
        return name == process_names_.end() ? fmt::format("process {}", *t->pid)
                                            : fmt::format("{} ({})", name->second, *t->pid);
      }
      const auto parent = tracks_.find(t->parent);
      if (t->parent == 0 || parent == tracks_.end()) break;
      t = &parent->second;
    }
    return t == &from || t->name.empty() ? std::string("trace") : t->name;
  }

  std::string name_of_track(uint64_t uuid, const PerfettoTrack& t) const {
    if (t.tid) {
      const auto known = thread_names_.find(*t.tid);
      const std::string name = !t.thread.empty() ? t.thread : known != thread_names_.end() ? known->second : t.name;
      return name.empty() ? fmt::format("thread {}", *t.tid) : fmt::format("{} ({})", name, *t.tid);
    }
    if (!t.name.empty()) return t.name;
    return t.pid ? "process" : fmt::format("track {:x}", uuid);
  }

  void name_lanes() {
    for (const auto& [uuid, lane] : lanes_) {
      const PerfettoTrack& t = tracks_[uuid];
      b_.name_lane(lane, TrackKind::host_thread, name_of_track(uuid, t), process_of(t));
    }
  }

  void note_what_is_not_read() {
    int64_t packets = 0;
    std::string fields;
    for (const auto& [field, count] : not_read_) {
      packets += count;
      fields += fmt::format("{}{} ({} packets)", fields.empty() ? "" : ", ",
                            field == 1 ? std::string("ftrace") : fmt::format("field {}", field), count);
    }
    if (packets == 0) return;
    b_.findings().add(Finding::unread_table, "packets of other data sources", packets);
    b_.honesty().notes.push_back(fmt::format("Import: data sources of Perfetto that are not read: {:.600}.", fields));
  }

  TraceBuilder& b_;
  const std::filesystem::path& file_;
  const ImportControl& control_;
  std::unordered_map<uint64_t, PerfettoSequence> sequences_;
  std::unordered_map<uint64_t, PerfettoTrack> tracks_;
  std::map<uint32_t, PerfettoClock> clocks_;
  std::map<uint64_t, std::vector<Open>> open_;  // by track
  std::map<uint64_t, TraceBuilder::Lane> lanes_;
  std::unordered_map<int64_t, std::string> process_names_, thread_names_;
  std::map<uint32_t, int64_t> not_read_;
  int64_t latest_ns_ = kEarliestTime;
};

/// The first packets are whole messages with a number or a time.
int confidence(std::string_view first) {
  bool marked = false;
  const auto fits = [&marked](uint32_t field, uint32_t wire, std::string_view) {
    const bool number = field == packet::timestamp || field == packet::sequence || field == packet::uid ||
                        field == packet::flags || field == packet::clock || field == packet::pid;
    if (number && wire == 0) marked = true;
    return field < 4096 && (!number || wire == 0) && (number || field == packet::dropped || wire != 0 || field > 12);
  };
  size_t packets = 0;
  bool whole = first.starts_with('\x0a');
  // two are enough: what is broken behind them is refused with its place
  looks_like_message(first, true, [&](uint32_t field, uint32_t wire, std::string_view content) {
    whole = whole && field == 1 && wire == 2 && (content.empty() || looks_like_message(content, false, fits));
    return whole && ++packets < 2;
  });
  return whole && packets > 0 && marked ? 4 : 0;
}

Result<void> read(const std::filesystem::path& file, TraceBuilder& builder, const ImportControl& control) {
  return PerfettoReader(builder, file, control).read();
}

}  // namespace

Importer perfetto_importer() {
  return {.name = "perfetto",
          .title = "Perfetto trace",
          .help = ".pftrace, protobuf: track events, counters and work of GPUs",
          .confidence = confidence,
          .read = read};
}

}  // namespace profiler
