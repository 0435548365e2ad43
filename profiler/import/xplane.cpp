// SPDX-License-Identifier: Apache-2.0
// XLA's profiles (.xplane.pb) of JAX and TensorFlow: planes of devices and hosts, lines of spans.
#include <fmt/format.h>

#include <charconv>

#include "profiler/import/importer.h"
#include "profiler/import/proto_stream.h"
#include "profiler/store/sqlite.h"

namespace profiler {
namespace {

using engine::Result;
using protozero::pbf_reader;
using XplaneWire = protozero::pbf_wire_type;

// Field numbers of tsl/profiler/protobuf/xplane.proto.
constexpr uint32_t kPlanes = 1;
constexpr size_t kMostXplaneEntries = size_t{1} << 22;

bool has_type(const pbf_reader& r, uint32_t field, XplaneWire type) {
  return static_cast<uint32_t>(r.tag()) == field && r.wire_type() == type;
}
bool is_number(const pbf_reader& r, uint32_t field) { return has_type(r, field, XplaneWire::varint); }
bool is_bytes(const pbf_reader& r, uint32_t field) { return has_type(r, field, XplaneWire::length_delimited); }

std::string words_of(pbf_reader& r) {
  const auto view = r.get_view();
  return {view.data(), std::min<size_t>(view.size(), 4000)};
}

/// A value that is named by its plane: a number, a text, or the number of a text.
struct XplaneStat {
  int64_t name = 0, number = -1;
  std::string text;
};

XplaneStat stat_of(pbf_reader& r, const std::unordered_map<int64_t, std::string>& names) {
  XplaneStat s;
  while (r.next()) {
    if (is_number(r, 1)) s.name = static_cast<int64_t>(r.get_uint64());
    else if (is_number(r, 3) || is_number(r, 4)) s.number = static_cast<int64_t>(r.get_uint64());
    else if (is_bytes(r, 5)) s.text = words_of(r);
    else if (is_number(r, 7)) {
      const auto found = names.find(static_cast<int64_t>(r.get_uint64()));
      if (found != names.end()) s.text = found->second;
    } else {
      r.skip();
    }
  }
  return s;
}

/// What a plane names: its events and its stats.
struct XplaneNames {
  std::string plane;
  std::unordered_map<int64_t, std::string> events, stats;
};

class XplaneReader {
 public:
  XplaneReader(TraceBuilder& builder) : b_(builder) {}

  Result<void> take_plane(std::string_view content, const ProtoPlace& place) {
    return read_message(content, place, [&](pbf_reader& r) {
      XplaneNames names;
      std::vector<pbf_reader> lines;
      while (r.next()) {
        if (is_bytes(r, 2)) names.plane = words_of(r);
        else if (is_bytes(r, 3)) lines.push_back(r.get_message());
        else if (is_bytes(r, 4)) take_entry(r.get_message(), names.events);
        else if (is_bytes(r, 5)) take_entry(r.get_message(), names.stats);
        else r.skip();
      }
      for (pbf_reader& line : lines) take_line(line, names);
      ++planes_;
      return Result<void>();
    });
  }

  /// Which lanes are a device's work, and which repeat it.
  void settle() {
    std::unordered_map<TraceBuilder::Lane, size_t> of_device;
    std::unordered_set<TraceBuilder::Lane> hosts;
    for (size_t i = 0; i < facts_.size(); ++i) {
      if (device_name_in(facts_[i].process).kind.empty()) hosts.insert(lanes_[i]);
      else of_device.try_emplace(lanes_[i], i);
    }
    b_.settle_host_lanes(hosts);
    b_.each_span([&](TraceBuilder::Lane lane, int64_t begin_ns, int64_t end_ns) {
      if (const auto at = of_device.find(lane); at != of_device.end())
        facts_[at->second].spans.push_back({begin_ns, end_ns});
    });
    const std::vector<LaneChoice> choices = choose_lanes(facts_);
    std::unordered_map<TraceBuilder::Lane, LaneChoice> chosen;
    size_t steps = facts_.size();
    for (size_t i = 0; i < facts_.size(); ++i) {
      if (choices[i].role != LaneRole::host) chosen.emplace(lanes_[i], choices[i]);
      const bool work = choices[i].role == LaneRole::work;
      b_.name_lane(lanes_[i], work ? TrackKind::stream : TrackKind::host_thread, facts_[i].thread, facts_[i].process);
      const bool marks =
          choices[i].role == LaneRole::summary && is_lane_of_steps(facts_[i].thread) && !facts_[i].spans.empty();
      if (marks && (steps == facts_.size() || facts_[i].spans.size() > facts_[steps].spans.size())) steps = i;
    }
    if (steps < facts_.size() && !b_.has_steps()) b_.take_steps_of(lanes_[steps]);
    b_.settle_device_lanes(chosen);
    if (planes_ > 0) {
      b_.honesty().notes.emplace_back(
          "Import: a profile of XLA has spans and HLO ops. Shapes, FLOPs, bytes and grids of its kernels are unknown.");
    }
  }

 private:
  /// map<int64, message{id 1, name 2, display name 4}>
  static void take_entry(pbf_reader entry, std::unordered_map<int64_t, std::string>& names) {
    int64_t key = 0;
    std::string name, shown;
    while (entry.next()) {
      if (is_number(entry, 1)) key = static_cast<int64_t>(entry.get_uint64());
      else if (is_bytes(entry, 2)) {
        pbf_reader value = entry.get_message();
        while (value.next()) {
          if (is_bytes(value, 2)) name = words_of(value);
          else if (is_bytes(value, 4)) shown = words_of(value);
          else value.skip();
        }
      } else {
        entry.skip();
      }
    }
    if (names.size() < kMostXplaneEntries) names[key] = shown.empty() ? name : shown;
  }

  void take_line(pbf_reader& r, const XplaneNames& names) {
    int64_t id = 0, begin_ns = 0;
    std::string name, shown;
    std::vector<pbf_reader> events;
    while (r.next()) {
      if (is_number(r, 1)) id = static_cast<int64_t>(r.get_uint64());
      else if (is_bytes(r, 2)) name = words_of(r);
      else if (is_bytes(r, 11)) shown = words_of(r);
      else if (is_number(r, 3)) begin_ns = static_cast<int64_t>(r.get_uint64());
      else if (is_bytes(r, 4)) events.push_back(r.get_message());
      else r.skip();
    }
    if (events.empty()) return;
    const TraceBuilder::Lane lane = b_.lane(0x5850000000000000u ^ lanes_.size());
    lanes_.push_back(lane);
    facts_.push_back({.process_key = planes_,
                      .process = names.plane.empty() ? "plane without a name" : names.plane,
                      .thread = !shown.empty()  ? shown
                                : !name.empty() ? name
                                                : fmt::format("line {}", id),
                      .spans = {}});
    for (pbf_reader& event : events) take_event(event, names, begin_ns, lane);
  }

  void take_event(pbf_reader& r, const XplaneNames& names, int64_t line_ns, TraceBuilder::Lane lane) {
    int64_t id = 0, offset_ps = 0, duration_ps = 0;
    int64_t correlation = 0;
    std::string op;
    bool placed = true;
    while (r.next()) {
      if (is_number(r, 1)) id = static_cast<int64_t>(r.get_uint64());
      else if (is_number(r, 2)) offset_ps = static_cast<int64_t>(r.get_uint64());
      else if (is_number(r, 3)) duration_ps = static_cast<int64_t>(r.get_uint64());
      else if (is_number(r, 5)) r.skip(), placed = false;  // sums of several
      else if (is_bytes(r, 4)) {
        pbf_reader one = r.get_message();
        const XplaneStat stat = stat_of(one, names.stats);
        const auto key = names.stats.find(stat.name);
        if (key == names.stats.end()) continue;
        if (key->second == "correlation_id" && stat.number > 0) correlation = stat.number;
        if (key->second == "hlo_op") op = stat.text;
      } else {
        r.skip();
      }
    }
    // begin and end are rounded alike: what is inside stays inside, and sums are right on the average
    const auto rounded = [](int64_t ps) { return ps / 1000 + (ps % 1000 >= 500 ? 1 : ps % 1000 < -500 ? -1 : 0); };
    const int64_t offset_ns = rounded(offset_ps);
    if (!placed || duration_ps < 0 || duration_ps > kLongestSpan || offset_ps > kLatestTime ||
        offset_ps < kEarliestTime || !is_time(line_ns) || !is_time(offset_ns) || !is_time(line_ns + offset_ns))
      return b_.findings().add(Finding::no_time, fmt::format("an event of {:.60}", names.plane));
    const auto name = names.events.find(id);
    if (name == names.events.end()) b_.findings().add(Finding::missing_name, fmt::format("event {}", id));
    Activity a{.start_ns = line_ns + offset_ns,
               .duration_ns = rounded(offset_ps + duration_ps) - offset_ns,
               .correlation = b_.correlation(correlation)};
    a.name = b_.intern(name == names.events.end() ? fmt::format("event {}", id) : name->second);
    a.track = lane;
    b_.add_range(a);
    if (!op.empty()) b_.say_op({.op = b_.intern(op)});
  }

  TraceBuilder& b_;
  std::vector<TraceBuilder::Lane> lanes_;
  std::vector<LaneFacts> facts_;
  uint64_t planes_ = 0;
};

/// The first message is a plane: a name that is text, and lines, names or stats behind it.
int confidence_of_xplane(std::string_view first) {
  bool named = false, filled = false;
  const auto fits = [&](uint32_t field, uint32_t wire, std::string_view value) {
    if (field == 1) return wire == 0;
    if (field == 2) {
      named =
          wire == 2 && !value.empty() && value.size() < 400 && (value.starts_with('/') || value.starts_with("Task"));
      return named;
    }
    filled = filled || (field >= 3 && field <= 6 && wire == 2);
    return field >= 3 && field <= 6 && wire == 2;
  };
  uint64_t length = 0;
  size_t at = 1;
  for (int shift = 0; at < first.size() && shift < 35; shift += 7) {
    const auto byte = static_cast<unsigned char>(first[at++]);
    length |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  if (!first.starts_with('\x0a') || at >= first.size()) return 0;
  const std::string_view plane = first.substr(at, static_cast<size_t>(std::min<uint64_t>(length, first.size())));
  return looks_like_message(plane, plane.size() < length || at + length > first.size(), fits) && named ? 5 : 0;
}

Result<void> read_xplane(const std::filesystem::path& file, TraceBuilder& builder, const ImportControl& control) {
  auto stream = ByteStream::open(file, control);
  if (!stream) return stream.error();
  XplaneReader reader(builder);
  const Result<int64_t> end =
      each_message(**stream, file, control, [&](uint32_t field, std::string_view content, const ProtoPlace& place) {
        return field == kPlanes ? reader.take_plane(content, place) : Result<void>();
      });
  if (!end) return end.error();
  if (*end >= 0) builder.findings().add(Finding::truncated, fmt::format("byte {}", *end));
  if (!(*stream)->trouble().empty()) builder.findings().add(Finding::compressed_damage, (*stream)->trouble());
  reader.settle();
  return {};
}

}  // namespace

Importer xplane_importer() {
  return {.name = "xplane",
          .title = "XLA profile",
          .help = ".xplane.pb of JAX and TensorFlow: devices, hosts, steps, HLO ops",
          .confidence = confidence_of_xplane,
          .read = read_xplane};
}

}  // namespace profiler
