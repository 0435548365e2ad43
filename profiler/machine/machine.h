// SPDX-License-Identifier: Apache-2.0
// Machine: what the hardware can do at best, as measured by the probe beside what it claims (specified).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/kernels/core/matmul_timing.h"
#include "engine/kernels/core/winograd_timing.h"
#include "engine/tensor/device.h"
#include "engine/tensor/dtype.h"
#include "profiler/base/origin.h"

namespace profiler {

/// A repeated measurement: median, and the lowest and highest repeat. samples == 0: unknown.
struct Measured {
  double median = 0, low = 0, high = 0;
  int samples = 0;
  bool known() const { return samples > 0; }
};

/// Peak arithmetic rate for one dtype at one thread count [FLOP/s].
struct ComputeRoof {
  engine::DType dtype = engine::DType::float32;
  int threads = 1;
  Measured flop_per_s;
  std::string method;  ///< "register-only FMA, 512-bit"
};

/// Types whose peak is that of the fastest measured GEMM: the units differ from CPU to CPU, and the libraries
/// know them all. i8: u8 by i8 with sums of 32 bits.
inline constexpr std::array kTypesOfProducts{engine::DType::bfloat16, engine::DType::int8};
constexpr bool peak_is_of_products(engine::DType dtype) { return std::ranges::count(kTypesOfProducts, dtype) > 0; }

/// What mix of reads and writes a bandwidth was measured with. Bytes counted = bytes the code names (no
/// write-allocate). `_past`: stores past the caches (non-temporal), which fetch no line first and go another way out of
/// the core; DRAM alone has them.
enum class AccessMix : uint8_t { read, write, copy, triad, write_past, copy_past };
inline constexpr AccessMix kAccessMixes[] = {AccessMix::read,  AccessMix::write,      AccessMix::copy,
                                             AccessMix::triad, AccessMix::write_past, AccessMix::copy_past};
std::string_view name(AccessMix);

/// Sustained bandwidth when data come from `level` [B/s], all threads together.
struct BandwidthRoof {
  std::string level;  ///< "L1", "L2", "L3", "DRAM"
  AccessMix mix = AccessMix::read;
  int threads = 1;
  Measured bytes_per_s;
  int64_t working_set_bytes = 0;  ///< per thread
};

/// Dependent-load latency at one working-set size [ns].
struct LatencyPoint {
  int64_t working_set_bytes = 0;
  Measured latency_ns;
};

/// A memory level nearest first, DRAM last. effective_size is what the probe saw; specified what the OS claims (VMs
/// lie).
struct MemoryLevel {
  std::string name;                  ///< "L1" "L2" "L3" "DRAM"
  int64_t specified_size_bytes = 0;  ///< of one instance; DRAM: MemTotal; 0: unknown
  int64_t effective_size_bytes = 0;  ///< 0: unknown; DRAM: MemTotal
  int line_bytes = 64;
  int shared_by_threads = 1;  ///< worker threads sharing one instance
  Measured latency_ns;
  std::string note;  ///< why effective differs: "bandwidth falls to DRAM speed at 96 MiB"
  /// How the effective size is known: a probe that saw no other edge keeps what the system claims.
  Origin size_origin() const {
    return effective_size_bytes == specified_size_bytes ? Origin::specified : Origin::measured;
  }
};

/// A bandwidth that was measured again beside a run, in the process that records: shortly before its first step and
/// after its last one.
struct RoofBeside {
  std::string level;  ///< "DRAM"
  AccessMix mix = AccessMix::read;
  int threads = 1;         ///< those of the run
  Measured before, after;  ///< [B/s], bytes the code names; unknown: the run ended before it
};

/// Where measurements beside a run allow a range for a roof: its likely value, or an end of the range.
enum class RoofEdge : uint8_t { likely, low, high };

/// A figure that the last probe kept from an earlier one. Both ran under background load; of each figure the better
/// reading counts.
struct KeptReading {
  std::string figure;     ///< figure_name() (probe_figures.h): "L3 copy, 1 thread"
  std::string probed_at;  ///< of the probe that measured it
};

/// A bandwidth that a probe had time for and still could not measure.
struct UnmeasuredBandwidth {
  std::string level;  ///< "L2"
  int threads = 1;
  std::string why;  ///< "no working set lies in this level alone"
};

struct Machine {
  engine::DeviceInfo info;                       ///< specified
  std::vector<ComputeRoof> compute;              ///< measured
  std::vector<BandwidthRoof> bandwidth;          ///< measured
  std::vector<LatencyPoint> latency;             ///< measured curve
  std::vector<MemoryLevel> levels;               ///< nearest first, DRAM last
  std::vector<engine::MatmulTiming> matmul;      ///< measured: which library computes a GEMM of which shape
  std::vector<engine::WinogradTiming> winograd;  ///< measured: 3x3 convolutions, direct and by Winograd's filtering
  std::string probed_at;                         ///< ISO 8601 local time; empty: never probed (roofs unknown)
  double probe_seconds = 0;
  double timer_ns = 0;         ///< cost of one stamp, measured; 0: unknown
  double multiply_add_ns = 0;  ///< latency of one vector multiply-add in f32, measured; 0: unknown
  double fork_join_ns = 0;     ///< one empty parallel region on all threads, measured; 0: unknown
  /// Share of all processors that others used while the roofs were measured; NaN: unknown.
  double foreign_load_ratio = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::string> unfinished;  ///< roofs and costs that the probe had no time left for: "L2 read, 1 thread"
  /// What it had no time left to compare, where a rule chooses instead; no roof depends on it: "convolutions by
  /// Winograd's filtering".
  std::vector<std::string> unfinished_choices;
  std::vector<UnmeasuredBandwidth> unmeasured;
  int unsettled_shapes =
      0;  ///< GEMM shapes and convolutions whose every run met background load: the fastest way is unknown
  std::vector<KeptReading> kept;   ///< not empty: the roofs are weak (roofs_trust.h)
  std::vector<std::string> notes;  ///< further sentences, for people alone; see also probe_notes.h
  /// Of the run this machine is stored with; empty: not measured, and roofs are as probed. See roofs_beside.h.
  std::vector<RoofBeside> beside;

  bool probed() const { return !probed_at.empty(); }
  /// Roof for dtype at a thread count (exact thread match; f16, bf16 and i8 fall back to f32 where the CPU has no
  /// faster unit). Unknown: nothing, as for i8 where an older probe timed no products of integers.
  std::optional<ComputeRoof> compute_roof(engine::DType, int threads) const;
  /// As probed, or as it was beside the run where that says otherwise (roof_beside()).
  std::optional<BandwidthRoof> bandwidth_roof(const std::string& level, AccessMix, int threads,
                                              RoofEdge = RoofEdge::likely) const;
  /// Bandwidth for a traffic of read and written bytes: interpolates between the measured mixes by written share.
  std::optional<double> bandwidth_for(const std::string& level, double read_bytes, double written_bytes, int threads,
                                      RoofEdge = RoofEdge::likely) const;
  /// The same for stores past the caches; nothing where the probe measured none (before 2026-11-22, and no level but
  /// DRAM has them).
  std::optional<double> bandwidth_past_caches(const std::string& level, double read_bytes, double written_bytes,
                                              int threads, RoofEdge = RoofEdge::likely) const;
};

// JSON of a Machine: what the probe's cache file, captures and `tensortide probe --json` hold.
std::string machine_to_json(const Machine&);
engine::Result<Machine> machine_from_json(const std::string& text);
/// "was written by a newer version (machine format 3; this one reads up to 2)"; empty: it was not.
std::string newer_machine_words(const std::string& json);

}  // namespace profiler
