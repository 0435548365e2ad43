// SPDX-License-Identifier: Apache-2.0
// Small files of sysfs, each one number.
#include "profiler/record/power.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>

#include "profiler/base/unknown.h"

namespace profiler {
namespace {

namespace fs = std::filesystem;

std::optional<int64_t> number_in(const fs::path& file) {
  std::ifstream in(file);
  int64_t value = 0;
  if (!(in >> value) || value < 0) return std::nullopt;
  return value;
}

/// Entries of a folder whose name is `prefix` and a number, sorted; none where there is no such folder.
std::vector<fs::path> numbered(const fs::path& folder, std::string_view prefix) {
  std::vector<fs::path> found;
  std::error_code code;
  for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
    const std::string name = at->path().filename().string();
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (name.size() > prefix.size() && name.starts_with(prefix) &&
        std::all_of(name.begin() + static_cast<std::ptrdiff_t>(prefix.size()), name.end(), is_digit))
      found.push_back(at->path());
  }
  std::ranges::sort(found);
  return found;
}

/// Packages alone: the zone "psys" counts them once more, with the rest of the machine.
bool is_package(const fs::path& zone) {
  std::ifstream in(zone / "name");
  std::string name;
  return in >> name && name.starts_with("package");
}

}  // namespace

PowerCounters::PowerCounters(const fs::path& sys) {
  const fs::path folder = sys / "class" / "powercap";
  std::string unreadable;
  for (const fs::path& zone : numbered(folder, "intel-rapl:")) {
    if (!is_package(zone)) continue;
    const fs::path counter = zone / "energy_uj";
    const auto range = number_in(zone / "max_energy_range_uj");
    if (!range || !number_in(counter)) {
      unreadable = counter.string();
    } else {
      zones_.push_back({counter, *range});
    }
  }
  if (!unreadable.empty()) {
    zones_.clear();  // part of the packages is no figure
    why_no_energy_ =
        fmt::format("{} exists and cannot be read: it is for administrators alone on most systems", unreadable);
    remedy_ = fmt::format("sudo chmod a+r {}/intel-rapl:*/energy_uj", folder.string());
  } else if (zones_.empty()) {
    why_no_energy_ = fmt::format(
        "this machine offers no energy counter ({} has no processor package; virtual machines mostly have none)",
        folder.string());
  }
  for (const fs::path& cpu : numbered(sys / "devices" / "system" / "cpu", "cpu")) {
    const fs::path file = cpu / "thermal_throttle" / "core_throttle_count";
    if (number_in(file)) throttles_.push_back(file);
  }
}

PowerReading PowerCounters::read() const {
  PowerReading reading;
  for (const Zone& zone : zones_) {
    const auto value = number_in(zone.counter);
    if (!value) {
      reading.energy_uj.clear();
      break;
    }
    reading.energy_uj.push_back(*value);
  }
  if (!throttles_.empty()) reading.throttles = 0;
  for (const fs::path& file : throttles_) reading.throttles += number_in(file).value_or(0);
  return reading;
}

double PowerCounters::energy_j(const PowerReading& before, const PowerReading& after) const {
  if (zones_.empty() || before.energy_uj.size() != zones_.size() || after.energy_uj.size() != zones_.size())
    return kUnknown;
  double sum_uj = 0;
  for (size_t i = 0; i < zones_.size(); ++i) {
    const int64_t passed = after.energy_uj[i] - before.energy_uj[i];
    sum_uj += static_cast<double>(passed >= 0 ? passed : passed + zones_[i].range_uj);
  }
  return sum_uj * 1e-6;
}

double throttle_events(const PowerReading& before, const PowerReading& after) {
  return before.throttles < 0 || after.throttles < before.throttles
             ? kUnknown
             : static_cast<double>(after.throttles - before.throttles);
}

}  // namespace profiler
