// SPDX-License-Identifier: Apache-2.0
// The remembered probe: one JSON file per host in the user's cache folder. Anything odd about it
// means: not there.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include "engine/base/read_file.h"
#include "engine/cpu/backend.h"
#include "profiler/machine/roofs_trust.h"
#include "profiler/record/probe.h"
#include "profiler/record/probe_merge.h"
#include "profiler/store/whole_file.h"

namespace profiler {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kLargestFile = 4 << 20;  // ours have some 20 KiB

/// FNV-1a of what tells hosts apart that share a home folder.
/// Source: Fowler, Noll, Vo, draft-eastlake-fnv, section 2.
std::string host_id() {
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  std::string machine_id;
  std::ifstream("/etc/machine-id") >> machine_id;
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : std::string(host) + "/" + machine_id) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  return fmt::format("{:016x}", hash);
}

fs::path cache_folder() {
  // The XDG specification: a relative path is to be ignored.
  if (const char* folder = std::getenv("XDG_CACHE_HOME"); folder != nullptr && fs::path(folder).is_absolute())
    return folder;
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') return fs::path(home) / ".cache";
  std::error_code ignored;
  return fs::temp_directory_path(ignored) / fmt::format("tensortide-cache-{}", geteuid());  // which others share
}

bool plausible(const Measured& measured) {
  if (!measured.known()) return measured.samples == 0;
  return std::isfinite(measured.high) && measured.low > 0 && measured.low <= measured.median &&
         measured.median <= measured.high;
}

/// A file that was edited or cut in an unlucky place still parses; figures that cannot be are not
/// shown as measured.
bool plausible(const Machine& machine) {
  for (const ComputeRoof& roof : machine.compute) {
    if (!plausible(roof.flop_per_s) || roof.threads < 1) return false;
  }
  for (const BandwidthRoof& roof : machine.bandwidth) {
    if (!plausible(roof.bytes_per_s) || roof.threads < 1) return false;
  }
  for (const LatencyPoint& point : machine.latency) {
    if (!plausible(point.latency_ns) || point.working_set_bytes <= 0) return false;
  }
  for (const MemoryLevel& level : machine.levels) {
    if (!plausible(level.latency_ns) || level.shared_by_threads < 1 || level.effective_size_bytes < 0) return false;
  }
  for (const UnmeasuredBandwidth& gap : machine.unmeasured) {
    if (gap.threads < 1) return false;
  }
  return machine.probed() && machine.unsettled_shapes >= 0 && machine.timer_ns >= 0 && machine.fork_join_ns >= 0 &&
         machine.multiply_add_ns >= 0;
}

engine::Error write_error(const fs::path& path, const std::string& why) {
  return engine::refused_error(fmt::format("cannot write {}: {}", path.string(), why));
}

}  // namespace

fs::path probe_cache_path() { return cache_folder() / "tensortide" / ("probe-" + host_id() + ".json"); }

std::optional<Machine> cached_probe() {
  const fs::path path = probe_cache_path();
  const engine::Result<std::string> text = engine::read_file(path, kLargestFile);
  if (!text) return std::nullopt;
  engine::Result<Machine> machine = machine_from_json(*text);
  if (!machine || !plausible(*machine)) return std::nullopt;
  const engine::DeviceInfo now = engine::cpu::describe();
  if (machine->info.model != now.model || machine->info.cores != now.cores ||
      machine->info.hardware_threads != now.hardware_threads) {
    return std::nullopt;
  }
  return std::move(*machine);
}

bool lacks_peaks(const Machine& machine) {
  return std::ranges::find(machine.matmul, engine::DType::int8, &engine::MatmulTiming::dtype) == machine.matmul.end();
}

std::optional<double> cached_probe_age_s() {
  std::error_code error;
  const fs::file_time_type saved = fs::last_write_time(probe_cache_path(), error);
  if (error) return std::nullopt;
  return std::chrono::duration<double>(fs::file_time_type::clock::now() - saved).count();
}

engine::Result<void> save_probe(const Machine& machine) {
  const fs::path path = probe_cache_path();
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) return write_error(path, error.message());
  // Whole or not at all: a reader never sees half a file.
  return write_whole_file(path, machine_to_json(machine));
}

ProbeOutcome remember_probe(Machine measured) {
  ProbeOutcome outcome{.machine = std::move(measured), .not_remembered = {}};
  const std::optional<Machine> earlier = cached_probe();
  if (earlier && !roofs_weakness(outcome.machine).empty()) {
    if (roofs_weakness(*earlier).empty()) {
      outcome.worse = true;
      outcome.not_remembered =
          fmt::format("these roofs have low confidence; the valid ones of {} are kept", earlier->probed_at);
      return outcome;
    }
    outcome.machine = probe::better_of(*earlier, std::move(outcome.machine));
  }
  if (earlier) probe::take_choices(*earlier, outcome.machine);
  if (engine::Result<void> saved = save_probe(outcome.machine); !saved) outcome.not_remembered = saved.error().message;
  return outcome;
}

}  // namespace profiler
