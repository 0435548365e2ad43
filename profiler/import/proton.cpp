// SPDX-License-Identifier: Apache-2.0
// Triton Proton's profiles (.hatchet): sums of kernels in a tree of scopes.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/json_text.h"
#include "profiler/import/importer.h"
#include "profiler/import/whole_text.h"
#include "profiler/store/sqlite.h"

namespace profiler {
namespace {

using engine::refused_error;
using engine::Result;
using nlohmann::json;

const json* member_of(const json& object, const char* key) {
  const auto at = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && at != object.end() ? &*at : nullptr;
}

/// Scopes become ranges, kernels one span of all their time: Proton keeps sums, and no times.
class ProtonReader {
 public:
  explicit ProtonReader(TraceBuilder& builder) : b_(builder) {
    scopes_ = b_.lane(0x5052000000000000u);
    b_.name_lane(scopes_, TrackKind::host_thread, "scopes", "Proton");
  }

  /// JSON nests 512 levels at most.
  void take(const json& node) {
    const int64_t begin = now_ns_;
    add_kernel(node);
    const json* children = member_of(node, "children");
    if (children == nullptr || !children->is_array() || children->empty()) return;
    const size_t scope = found_.size();
    found_.push_back({begin, begin, name_of(node)});
    for (const json& child : *children) take(child);
    found_[scope].end_ns = now_ns_;
  }
  /// Outer scopes stand before those inside, which may be as long.
  void finish() {
    for (const Scope& scope : found_) {
      if (scope.end_ns <= scope.begin_ns || scope.name.empty() || scope.name == "ROOT") continue;
      Activity a{
          .start_ns = scope.begin_ns, .duration_ns = scope.end_ns - scope.begin_ns, .name = b_.intern(scope.name)};
      a.track = scopes_;
      b_.add_range(a);
    }
  }
  size_t kernels() const { return kernels_; }

 private:
  struct Scope {
    int64_t begin_ns, end_ns;
    std::string name;
  };
  static std::string name_of(const json& node) {
    const json* frame = member_of(node, "frame");
    const json* name = frame == nullptr ? nullptr : member_of(*frame, "name");
    return name != nullptr && name->is_string() ? name->get<std::string>() : std::string();
  }

  void add_kernel(const json& node) {
    const json* metrics = member_of(node, "metrics");
    const json* time = metrics == nullptr ? nullptr : member_of(*metrics, "time (ns)");
    if (time == nullptr || !time->is_number()) return;
    const double ns = time->get<double>();
    if (ns == 0) return;  // a scope
    if (!(ns > 0) || ns > static_cast<double>(kLongestSpan) || !is_time(now_ns_ + static_cast<int64_t>(ns)))
      return b_.findings().add(Finding::bad_figure, fmt::format("time (ns) = {:.40}", time->dump()));
    const json* device = member_of(*metrics, "device_id");
    std::string device_text = device != nullptr && device->is_string() ? device->get<std::string>() : "";
    int32_t number = kUnknownFigure;
    if (!device_text.empty() && device_text.size() < 5 &&
        device_text.find_first_not_of("0123456789") == device_text.npos)
      number = std::stoi(device_text);
    else if (device != nullptr && device->is_number_unsigned() && device->get<uint64_t>() < 10000)
      number = static_cast<int32_t>(device->get<uint64_t>());
    Activity a{.start_ns = now_ns_, .duration_ns = static_cast<int64_t>(std::llround(ns))};
    a.name = b_.intern(name_of(node));
    a.track = b_.stream_lane(number, 0);
    b_.add(a, KernelRecord{.place = {.device = number}});
    now_ns_ += a.duration_ns;
    ++kernels_;
  }

  TraceBuilder& b_;
  TraceBuilder::Lane scopes_ = 0;
  std::vector<Scope> found_;
  int64_t now_ns_ = 0;
  size_t kernels_ = 0;
};

int confidence_of_proton(std::string_view first) {
  const bool frames = first.find("\"frame\"") != first.npos && first.find("\"metrics\"") != first.npos;
  return frames && first.find("\"time (ns)\"") != first.npos ? 5 : 0;
}

Result<void> read_proton(const std::filesystem::path& file, TraceBuilder& builder, const ImportControl& control) {
  const Result<std::string> text = whole_text(file, control);
  if (!text) return text.error();
  const json document = engine::parse_json(*text);
  if (!document.is_array())
    return refused_error(fmt::format("{}: is no valid JSON list: write it again", sqlite::shown(file)));
  ProtonReader reader(builder);
  for (const json& root : document) {
    if (member_of(root, "frame") != nullptr) reader.take(root);  // the last entry describes devices
    if (control.stopped()) return refused_error(fmt::format("{}: the import was cancelled", sqlite::shown(file)));
  }
  reader.finish();
  builder.honesty().notes.push_back(fmt::format(
      "Import: Proton keeps sums, without times. The {} kernels of the tree are one behind the other, each as "
      "long as all of its calls. Order, gaps, calls and shapes are unknown.",
      reader.kernels()));
  return {};
}

}  // namespace

Importer proton_importer() {
  return {.name = "proton",
          .title = "Triton Proton profile",
          .help = ".hatchet of Proton: sums of kernels by scope, without times",
          .confidence = confidence_of_proton,
          .read = read_proton};
}

}  // namespace profiler
