// SPDX-License-Identifier: Apache-2.0
// Probe: measures this machine's roofs (arithmetic per dtype; bandwidth and latency per level), in
// under 20 s, and remembers them.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "engine/base/result.h"
#include "profiler/machine/machine.h"

namespace profiler {

struct ProbeOptions {
  int threads = 0;       ///< largest thread count measured (1 is always measured too); 0: all physical cores
  double budget_s = 15;  ///< shortens repeats to stay below
  /// An earlier probe of this machine whose levels, latencies and matrix products still hold: only arithmetic and
  /// bandwidth, which clocks and neighbours change, are measured again, in about a third of the time.
  const Machine* levels_of = nullptr;
  /// With `levels_of`: its roofs are kept as they are, and those of `threads` (its one thread count besides) are added
  /// to them; in a few seconds.
  bool add_threads = false;
  /// The remembered probe of this machine, if any. Where it lacks no roofs but peaks of products, the products and
  /// convolutions that it had no time for come first: probing again gets to them however busy the machine is.
  const Machine* earlier = nullptr;
  std::function<void(double fraction, const std::string& what)> progress = {};
  std::function<bool()> cancelled = {};
};

/// Probes of this machine one after the other: two at a time would each see half of it. Others wait for its end, or the
/// end of its process.
class ProbeLock {
 public:
  /// Waits until no other process holds it (an flock on a file beside the remembered probe), a minute at most, or
  /// `cancelled`; calls `told` with a sentence before it waits, and where there can be no lock (the folder is
  /// read-only, the disk is full), which does not keep from probing.
  static ProbeLock take(const std::function<void(const std::string&)>& told, const std::function<bool()>& cancelled);
  ProbeLock(ProbeLock&& other) noexcept : file_(std::exchange(other.file_, -1)), waited_(other.waited_) {}
  ProbeLock& operator=(ProbeLock&&) = delete;
  ~ProbeLock();
  bool held() const { return file_ >= 0; }
  bool waited() const { return waited_; }  ///< another probe has ended meanwhile: what it remembers may do

 private:
  ProbeLock(int file, bool waited) : file_(file), waited_(waited) {}
  int file_;
  bool waited_;
};
std::filesystem::path probe_lock_path();

/// Measures. Refused when cancelled.
engine::Result<Machine> probe_machine(const ProbeOptions& = {});
/// The remembered probe of this machine ($XDG_CACHE_HOME or ~/.cache, tensortide/probe-<host
/// id>.json); nothing when there is none, when it is unreadable, or when CPU model, core count or
/// product schema changed.
std::optional<Machine> cached_probe();
/// Seconds since the remembered probe was saved; nothing when none is.
std::optional<double> cached_probe_age_s();
/// Whether the probe is of a version that did not yet time products of all types (kTypesOfProducts).
bool lacks_peaks(const Machine&);
engine::Result<void> save_probe(const Machine&);
/// What counts after a probe. Of roofs that others disturbed (roofs_weakness()) and remembered ones that are as weak
/// the better reading of each figure (Machine::kept), which stay weak; beside sound remembered ones weak roofs count
/// for the caller alone. Else what was measured.
struct ProbeOutcome {
  Machine machine;
  std::string
      not_remembered;  ///< why not, as a sentence without its full stop; empty: it is, for the next one who asks
  bool worse = false;  ///< not remembered because sound roofs are
};
ProbeOutcome remember_probe(Machine measured);
std::filesystem::path probe_cache_path();

}  // namespace profiler
