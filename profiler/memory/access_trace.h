// SPDX-License-Identifier: Apache-2.0
// AccessTrace: memory accesses recorded by others: Dinero's din, valgrind's lackey, plain lists of addresses; gzipped
// or not.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/kernels/core/access.h"
#include "profiler/memory/cache_config.h"

namespace profiler {

enum class TraceFormat : uint8_t {
  automatic,  ///< by the first line that is neither empty nor a comment
  /// "0 1fffe50 4": kind, hexadecimal address, bytes (where missing: 4). Kinds: 0 load, 1 store, 2 instruction fetch, 3
  /// miscellaneous (read as a load), 4 copy-back, 5 invalidation. Where din was asked for also the letters r w i m c v,
  /// small or capital. As Dinero IV reads its two din formats (d4-7, tracein.c). To Dinero III 3 and 4 were escapes,
  /// and 4 flushed the cache: here it flushes nothing but dirty lines of its bytes.
  din,
  lackey,     ///< " L 1ffeffe7c8,8": I, L, S, M (load, then store) of valgrind --tool=lackey --trace-mem=yes
  addresses,  ///< one a line: 0x1f40, 8000, or with R/L/W/S before and bytes behind it
};

struct TraceOptions {
  TraceFormat format = TraceFormat::automatic;
  bool instructions = false;                   ///< count instruction fetches as loads; else they are skipped
  uint64_t address_limit = uint64_t{1} << 37;  ///< see CacheSimulator::address_limit
  /// Addresses above half of the limit are moved in windows of this many bytes (whole lines). A window takes the next
  /// free place whose number equals its own modulo the period. Addresses modulo window_bytes * window_period stay the
  /// same. 0 bytes: such addresses are refused. See set_windows().
  uint64_t window_bytes = uint64_t{1} << 30, window_period = 1;
  int line_bytes = 64;                                 ///< said where an address is refused, as is
  std::string sets = {};                               ///< "L1 64, L2 1024": sets of the caches
  std::function<void(double fraction)> progress = {};  ///< of the file's bytes, now and then
  /// Handles records 4 and 5 of a din trace; 0 bytes: all lines. 4: dirty lines are written to memory and stay. 5:
  /// lines leave the caches, unwritten. Called once for each contiguous stretch below the limit, of any length, not
  /// where no access can have been. Empty: such records are counted and left out.
  std::function<void(uint64_t address, uint64_t bytes)> copy_back = {}, invalidate = {};
};

struct TraceSummary {
  TraceFormat format = TraceFormat::automatic;
  uint64_t lines = 0, loads = 0, stores = 0, instructions = 0;
  uint64_t miscellaneous = 0;  ///< part of loads
  uint64_t copy_backs = 0, invalidations = 0;
};

/// Sets how high addresses are moved below the simulator's limit: address_limit, window_*, line_bytes and sets. Every
/// line keeps its set at every level; in a level of hashed sets it gets another, equally likely. window_bytes becomes 0
/// where the least common multiple of the set counts leaves no room for that.
void set_windows(TraceOptions&, const CacheConfig&);

/// Reads a trace into a sink. Fails (refused) naming file, line and what was found there; what came before has been
/// fed.
engine::Result<TraceSummary> read_trace(const std::filesystem::path&, const TraceOptions&, engine::AccessSink&);
std::string_view name(TraceFormat);

}  // namespace profiler
