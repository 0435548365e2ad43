// SPDX-License-Identifier: Apache-2.0
// Lanes by name first, by structure where the name says nothing.
#include "profiler/import/lane_roles.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <set>
#include <utility>

namespace profiler {
namespace {

/// How much a line says of what ran; of one device the highest with spans is its work.
enum class Detail : int8_t { none, executor, framework_ops, unnamed, compiled_ops, all_streams, stream };

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// Of a thread of a device's process, as XLA and the profilers of TensorFlow and JAX name them (xplane_schema).
Detail detail_of_thread(const std::string& thread) {
  if (thread.empty()) return Detail::unnamed;
  if (thread.starts_with("stream")) return Detail::stream;
  constexpr std::array compiled{"xla ops", "hlo ops", "sparse core ops"};
  if (std::ranges::find(compiled, thread) != compiled.end()) return Detail::compiled_ops;
  if (thread == "framework ops" || thread == "tensorflow ops") return Detail::framework_ops;
  for (const std::string_view mark : {"steps", "modules", "xla traceme", "async xla ops", "name scope", "source code",
                                      "launch stats", "framework", "tensorflow", "source"}) {
    if (thread.find(mark) != thread.npos) return Detail::none;
  }
  return Detail::unnamed;
}

/// Of what follows the device in the name of a process, where TensorFlow's timeline has a process per line. Nothing
/// follows it in XLA's.
Detail detail_of_rest(const std::string& rest, const std::string& thread) {
  if (rest.find("tensors") != rest.npos) return Detail::none;
  if (rest.find("stream:all") != rest.npos || rest.starts_with("/memcpy")) return Detail::all_streams;
  if (rest.find("stream:") != rest.npos || rest.find("stream#") != rest.npos) return Detail::stream;
  if (rest.starts_with(" compute")) return Detail::executor;
  return detail_of_thread(thread);
}

bool is_family_of_timeline(std::string_view rest) { return lower(rest).ends_with("compute"); }

/// Spans that count.
struct Counted {
  std::multiset<LaneFacts::Span> spans;
  std::map<int64_t, int64_t> latest_begin;  ///< by end
  void add(const std::vector<LaneFacts::Span>& more) {
    for (const LaneFacts::Span& span : more) {
      spans.insert(span);
      const auto [at, first] = latest_begin.try_emplace(span.end_ns, span.begin_ns);
      if (!first) at->second = std::max(at->second, span.begin_ns);
    }
  }
};

/// Whether a line of unknown name repeats others: each of its spans is one of theirs, or lies exactly around some of
/// them: the first begins with it, the last ends with it.
bool repeats(const LaneFacts& lane, const Counted& others) {
  if (lane.spans.empty() || others.spans.empty()) return false;
  return std::ranges::all_of(lane.spans, [&](const LaneFacts::Span& span) {
    if (others.spans.contains(span)) return true;
    const auto first = others.spans.lower_bound({span.begin_ns, INT64_MIN});
    if (first == others.spans.end() || first->begin_ns != span.begin_ns || first->end_ns > span.end_ns) return false;
    const auto last = others.latest_begin.find(span.end_ns);
    return last != others.latest_begin.end() && last->second >= span.begin_ns;
  });
}

struct Device {
  std::vector<size_t> lanes;
  std::vector<Detail> details;
  int32_t number = -1;
};

void choose(const std::vector<LaneFacts>& lanes, const Device& device, std::vector<LaneChoice>& out) {
  Detail best = Detail::none;
  for (size_t i = 0; i < device.lanes.size(); ++i) {
    if (!lanes[device.lanes[i]].spans.empty()) best = std::max(best, device.details[i]);
  }
  const auto is_work = [&](size_t i) {
    if (best == Detail::stream) return device.details[i] == Detail::stream || device.details[i] == Detail::unnamed;
    return best > Detail::executor && device.details[i] == best;
  };
  Counted counted;
  for (size_t i = 0; i < device.lanes.size(); ++i) {
    const std::vector<LaneFacts::Span>& spans = lanes[device.lanes[i]].spans;
    if (is_work(i) && device.details[i] != Detail::unnamed) counted.add(spans);
  }
  // lines of unknown name: those with the most spans first, so that what groups them comes behind
  std::vector<size_t> order;
  for (size_t i = 0; i < device.lanes.size(); ++i) order.push_back(i);
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    return lanes[device.lanes[a]].spans.size() > lanes[device.lanes[b]].spans.size();
  });
  for (const size_t i : order) {
    LaneChoice& choice = out[device.lanes[i]];
    choice.role = is_work(i) ? LaneRole::work : LaneRole::summary;
    choice.device = device.number;
    choice.nests = best != Detail::stream;
    if (choice.role != LaneRole::work || device.details[i] != Detail::unnamed) continue;
    const LaneFacts& lane = lanes[device.lanes[i]];
    if (repeats(lane, counted)) choice.role = LaneRole::summary;
    else counted.add(lane.spans);
  }
}

}  // namespace

DeviceName device_name_in(std::string_view process) {
  const std::string small = lower(process);
  DeviceName name;
  if (const size_t digits = small.find_last_not_of("0123456789") + 1; digits > 0 && digits < small.size()) {
    const std::string word = small.substr(0, small.find_last_not_of(' ', digits - 1) + 1);
    constexpr std::array kinds{"gpu", "mtia", "hpu", "npu", "tpu", "xpu"};
    if (std::ranges::find(kinds, word) != kinds.end()) {
      name.kind = word;
      if (std::from_chars(small.data() + digits, small.data() + small.size(), name.number).ec != std::errc())
        name.number = -1;
      return name;
    }
  }
  size_t kind = small.find("/device:"), after = 0;
  size_t begin = kind;
  if (kind != small.npos) {
    kind += 8;
  } else {
    for (const std::string_view mark : {"/gpu:", "/tpu:", "/xla_gpu:"}) {
      if (kind = small.find(mark); kind != small.npos) break;
    }
    if (kind == small.npos) return name;
    begin = kind++;
  }
  const size_t colon = small.find(':', kind), end = std::min(small.find_first_of("/ ", kind), small.size());
  const std::string word = small.substr(kind, std::min(colon, end) - kind);
  if (word.find("cpu") != word.npos || word.empty()) return name;
  name.kind = word;
  after = end;
  if (colon < end) {
    const char* digits = process.data() + colon + 1;
    const auto [rest, error] = std::from_chars(digits, process.data() + process.size(), name.number);
    if (error != std::errc() || name.number < 0) name.number = -1;
    after = error == std::errc() ? static_cast<size_t>(rest - process.data()) : end;
  }
  name.before = process.substr(0, begin);
  name.rest = process.substr(after);
  return name;
}

bool is_lane_of_steps(std::string_view thread) {
  return lower(thread) == "steps" || lower(thread).starts_with("steps - ");
}

std::vector<LaneChoice> choose_lanes(const std::vector<LaneFacts>& lanes) {
  std::vector<LaneChoice> choices(lanes.size());
  // In TensorFlow's timeline streams do not say whose they are where there is one task: ".../gpu:0 Compute" and
  // "/gpu:0/stream:7 Compute" are one device.
  std::set<std::string> tasks;
  for (const LaneFacts& lane : lanes) {
    const DeviceName name = device_name_in(lane.process);
    if (!name.kind.empty() && is_family_of_timeline(name.rest) && !name.before.empty())
      tasks.insert(std::string(name.before));
  }
  std::map<std::pair<std::string, uint64_t>, Device> devices;  // by kind, task and number; of XLA's by process
  for (size_t i = 0; i < lanes.size(); ++i) {
    const DeviceName name = device_name_in(lanes[i].process);
    if (name.kind.empty()) continue;
    const std::string rest = lower(name.rest);
    const bool timeline = rest.find("compute") != rest.npos || rest.find("tensors") != rest.npos;
    const std::string task = timeline && tasks.size() > 1 ? std::string(name.before) : std::string();
    Device& device = devices[{timeline ? name.kind + " " + std::to_string(name.number) + " " + task : std::string(),
                              timeline ? 0 : lanes[i].process_key}];
    device.number = name.number;
    device.lanes.push_back(i);
    device.details.push_back(timeline ? detail_of_rest(rest, lower(lanes[i].thread))
                                      : detail_of_thread(lower(lanes[i].thread)));
  }
  // Each number stays with the first device of it; others of it get the least that none has.
  std::set<int32_t> taken;
  std::vector<Device*> again;
  for (auto& [key, device] : devices) {
    if (device.number >= 0 && !taken.insert(device.number).second) again.push_back(&device);
  }
  int32_t next = 0;  // no larger than the number of devices
  for (Device* device : again) {
    while (taken.contains(next)) ++next;
    device->number = next++;
  }
  for (const auto& [key, device] : devices) choose(lanes, device, choices);
  return choices;
}

}  // namespace profiler
