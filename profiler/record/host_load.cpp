// SPDX-License-Identifier: Apache-2.0
// Host load: how much of the processor others used while something was measured.
#include "profiler/record/host_load.h"

#include <sys/times.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace profiler {

std::optional<HostTicks> parse_proc_stat(std::istream& in) {
  std::string label;
  // Fields of proc(5): user nice system idle iowait irq softirq steal
  int64_t user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
  if (!(in >> label >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal) || label != "cpu") {
    return std::nullopt;
  }
  HostTicks ticks;
  ticks.busy = user + nice + system + irq + softirq;
  ticks.total = ticks.busy + idle + iowait + steal;
  ticks.steal = steal;
  return ticks;
}

std::optional<HostTicks> host_ticks_now() {
  std::ifstream file("/proc/stat");
  std::optional<HostTicks> ticks = parse_proc_stat(file);
  if (!ticks) return ticks;
  tms own{};
  if (times(&own) == static_cast<clock_t>(-1)) return std::nullopt;
  ticks->own = own.tms_utime + own.tms_stime;
  return ticks;
}

double foreign_load(const HostTicks& before, const HostTicks& after) {
  const auto total = static_cast<double>(after.total - before.total);
  if (total <= 0) return std::numeric_limits<double>::quiet_NaN();
  const auto busy = static_cast<double>(after.busy - before.busy);
  const auto own = static_cast<double>(after.own - before.own);
  const auto steal = static_cast<double>(after.steal - before.steal);
  return std::clamp((std::max(0.0, busy - own) + steal) / total, 0.0, 1.0);
}

std::string huge_page_setting() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  for (std::string word; file >> word;) {  // "always [madvise] never"
    for (const char* known : {"always", "madvise", "never"}) {
      if (word == std::string("[") + known + "]") return known;
    }
  }
  return {};
}

}  // namespace profiler
