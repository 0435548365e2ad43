// SPDX-License-Identifier: Apache-2.0
// Profiles in speedscope's format: frames that open and close, or samples of stacks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/base/json_text.h"
#include "profiler/import/importer.h"
#include "profiler/import/whole_text.h"
#include "profiler/store/sqlite.h"

namespace profiler {
namespace {

using engine::refused_error;
using engine::Result;
using nlohmann::json;

/// Nanoseconds of one of a profile's units; nothing: it counts no time.
std::optional<double> unit_ns(const std::string& unit) {
  if (unit == "nanoseconds") return 1;
  if (unit == "microseconds") return 1e3;
  if (unit == "milliseconds") return 1e6;
  if (unit == "seconds") return 1e9;
  return {};
}

std::string text_of(const json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

const json& list_of(const json& object, const char* key) {
  static const json kNone = json::array();
  const auto at = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && at != object.end() && at->is_array() ? *at : kNone;
}

class Reader {
 public:
  Reader(TraceBuilder& builder, const json& shared) : builder_(builder) {
    for (const json& frame : list_of(shared, "frames"))
      names_.push_back(builder_.intern(frame.is_object() ? text_of(frame, "name") : std::string()));
  }

  /// False: its unit counts no time.
  bool read(const json& profile, size_t index) {
    const auto unit = unit_ns(text_of(profile, "unit"));
    if (!unit) return false;
    ns_ = *unit;
    lane_ = builder_.lane(0x5353000000000000u | index);
    const std::string name = text_of(profile, "name");
    builder_.name_lane(lane_, TrackKind::host_thread, name.empty() ? fmt::format("profile {}", index) : name, "Host");
    if (text_of(profile, "type") == "sampled") read_samples(profile);
    else read_events(profile);
    return true;
  }
  bool sampled() const { return sampled_; }

 private:
  struct Open {
    size_t frame;
    int64_t begin_ns;
    size_t span;
  };
  std::optional<int64_t> time_of(const json& value) const {
    if (!value.is_number()) return {};
    const double ns = value.get<double>() * ns_;
    if (!std::isfinite(ns) || std::abs(ns) > static_cast<double>(kLatestTime)) return {};
    return static_cast<int64_t>(std::llround(ns));
  }
  /// Spans are added where they open: of those that begin and end together the outer one comes first.
  Open opened(size_t frame, int64_t begin_ns) {
    const size_t span = builder_.spans();
    builder_.add_range({.start_ns = begin_ns, .name = names_[frame], .track = lane_});
    return {frame, begin_ns, span};
  }
  void close(const Open& open, int64_t end_ns) {
    if (end_ns < open.begin_ns) builder_.findings().add(Finding::negative_duration);
    builder_.close_span(open.span, std::max(end_ns, open.begin_ns));
  }
  void read_events(const json& profile) {
    std::vector<Open> open;
    int64_t last_ns = kEarliestTime;
    for (const json& event : list_of(profile, "events")) {
      const auto at = event.is_object() ? event.find("at") : event.end();
      const auto frame = event.is_object() ? event.find("frame") : event.end();
      const auto time = event.is_object() && at != event.end() ? time_of(*at) : std::nullopt;
      const bool known = event.is_object() && frame != event.end() && frame->is_number_unsigned() &&
                         frame->get<uint64_t>() < names_.size();
      if (!time || !known) {
        builder_.findings().add(Finding::bad_row, "an event without a time or a known frame");
        continue;
      }
      last_ns = std::max(last_ns, *time);
      const auto index = static_cast<size_t>(frame->get<uint64_t>());
      if (text_of(event, "type") == "O") {
        open.push_back(opened(index, *time));
        continue;
      }
      const auto match = std::find_if(open.rbegin(), open.rend(), [&](const Open& o) { return o.frame == index; });
      if (match == open.rend()) {
        builder_.findings().add(Finding::unmatched_end);
        continue;
      }
      close(*match, *time);
      open.erase(std::next(match).base());
    }
    for (const Open& o : open) {
      builder_.findings().add(Finding::unmatched_begin);
      close(o, std::max(last_ns, o.begin_ns));
    }
  }
  /// Frames that neighbouring samples share are one range.
  void read_samples(const json& profile) {
    const json &samples = list_of(profile, "samples"), &weights = list_of(profile, "weights");
    const auto start = profile.find("startValue");
    int64_t now = start == profile.end() ? 0 : time_of(*start).value_or(0);
    std::vector<Open> open;
    sampled_ = true;
    const auto close_to = [&](size_t depth) {
      for (; open.size() > depth; open.pop_back()) close(open.back(), now);
    };
    for (size_t i = 0; i < samples.size(); ++i) {
      const int64_t weight = i < weights.size() ? time_of(weights[i]).value_or(-1) : -1;
      if (!samples[i].is_array() || weight < 0 || now > kLatestTime - weight) {
        builder_.findings().add(Finding::bad_row, "a sample without a stack or a weight");
        continue;
      }
      size_t depth = 0;
      for (const json& frame : samples[i]) {
        if (!frame.is_number_unsigned() || frame.get<uint64_t>() >= names_.size()) {
          builder_.findings().add(Finding::bad_row, "a sample with an unknown frame");
          break;
        }
        const auto index = static_cast<size_t>(frame.get<uint64_t>());
        if (depth >= open.size() || open[depth].frame != index) {
          close_to(depth);
          open.push_back(opened(index, now));
        }
        ++depth;
      }
      close_to(depth);
      now += weight;
    }
    close_to(0);
  }

  TraceBuilder& builder_;
  std::vector<NameId> names_;
  TraceBuilder::Lane lane_ = 0;
  double ns_ = 1;
  bool sampled_ = false;
};

int confidence(std::string_view first) {
  return first.find("speedscope.app/file-format-schema.json") != first.npos ? 5 : 0;
}

Result<void> read(const std::filesystem::path& file, TraceBuilder& builder, const ImportControl& control) {
  const Result<std::string> text = whole_text(file, control);
  if (!text) return text.error();
  const json document = engine::parse_json(*text);
  if (!document.is_object())
    return refused_error(fmt::format("{}: is no valid JSON: write it again", sqlite::shown(file)));
  const auto shared = document.find("shared");
  Reader reader(builder, shared == document.end() ? json::object() : *shared);
  size_t index = 0, left = 0;
  std::string unit;
  for (const json& profile : list_of(document, "profiles")) {
    if (profile.is_object() && reader.read(profile, index++)) continue;
    ++left;
    if (profile.is_object()) unit = text_of(profile, "unit");
    if (control.stopped()) return refused_error(fmt::format("{}: the import was cancelled", sqlite::shown(file)));
  }
  if (left > 0) {
    builder.findings().add(Finding::unread_table, "profiles that count no time", static_cast<int64_t>(left));
    builder.honesty().notes.push_back(
        fmt::format("Import: {} of {} profiles count \"{:.40}\", no time, and were left out.", left, index + 0,
                    sqlite::shown(unit)));
  }
  if (reader.sampled())
    builder.honesty().notes.emplace_back(
        "Import: stacks were sampled: a range lasts as long as neighbouring samples share its frame.");
  return {};
}

}  // namespace

Importer speedscope_importer() {
  return {.name = "speedscope",
          .title = "speedscope profile",
          .help = "JSON of speedscope.app: frames or sampled stacks, in units of time",
          .confidence = confidence,
          .read = read};
}

}  // namespace profiler
