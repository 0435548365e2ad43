// SPDX-License-Identifier: Apache-2.0
// Perfetto's protobuf traces (.pftrace): slices, instants and counters of track events, work of GPUs, processes,
// threads.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <vector>

#include "profiler/import/importer.h"
#include "profiler/import/perfetto_events.h"
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
  cleared = 41,
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

using perfetto::is, perfetto::kBytes, perfetto::kVarint, perfetto::text;

class PerfettoReader {
 public:
  PerfettoReader(TraceBuilder& builder, const std::filesystem::path& file, const ImportControl& control)
      : b_(builder), file_(file), control_(control), events_(builder, tracks_) {}

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
    events_.finish();
    note_what_is_not_read();
    return {};
  }

 private:
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
        else if (is(r, packet::cleared, kVarint)) p.flags |= r.get_uint64() != 0 ? kStateCleared : 0;
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
            case packet::process_tree: tracks_.take_process_tree(r); break;
            case packet::track: tracks_.take_track(r); break;
            case packet::process: tracks_.take_process(r); break;
            default: tracks_.take_thread(r, s); break;
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
          if (which == packet::track_event) events_.take(r, s, time, place);
          else events_.take_stage(r, s, time, place);
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
      if (iid != 0 && names.size() < kMostPerfettoNames) names[iid] = std::move(said);
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
  std::map<uint32_t, PerfettoClock> clocks_;
  PerfettoTracks tracks_;
  PerfettoEvents events_;
  std::map<uint32_t, int64_t> not_read_;
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
