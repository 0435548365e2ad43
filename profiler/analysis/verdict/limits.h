// SPDX-License-Identifier: Apache-2.0
// OpLimits: how fast each roof would let one op run; what roofline and verdicts are computed from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiler/base/origin.h"
#include "profiler/capture/capture.h"
#include "profiler/memory/traffic_model.h"

namespace profiler {

/// Bytes per second of traffic that crosses the links, line fills of stores and write-backs included. The probe counts
/// the bytes that code names, and writing w bytes moves 2w. Its roof for named r + w is therefore scaled by (r + 2w) /
/// (r + w). w: bytes written back; r: bytes read beyond line fills. No scaling where `outer` feeds the registers
/// (`core`), nor for stores past the caches (`past_caches`). Those have their own roofs where the probe has them.
/// Nothing when the probe did not measure this level at this thread count.
std::optional<double> traffic_bandwidth(const Machine&, const std::string& outer, bool core, double read,
                                        double written, int threads, bool past_caches = false,
                                        RoofEdge = RoofEdge::likely);

/// Error bands of captures are held below this share, so that perturbed bytes stay above zero. The error of a sample
/// may be 100 %.
inline constexpr double kMostBand = 0.95;

struct LevelLimit {
  std::string level;  ///< outer level of the link: whose bandwidth limits
  size_t link = 0;
  double read = 0, written = 0, bytes = 0;
  double write_allocate = 0;  ///< part of `read`
  double bytes_per_s = 0;     ///< roof for this mix of reads and writes, fills counted
  double time_ns = 0;         ///< bytes / bytes_per_s
  /// The same where the roof has room (RoofEdge): at its lowest and at its highest. Equal to time_ns where it has none.
  double low_roof_ns = 0, high_roof_ns = 0;
  double nearer_time_ns = 0;         ///< the same bytes at the next nearer level's bandwidth: that part of
                                     ///< time_ns is not this link's own
  double band = 0;                   ///< relative error of `bytes`
  Origin origin = Origin::modelled;  ///< of `bytes`: measured before simulated before modelled
  bool shared = false;
  double at(RoofEdge edge) const {
    return edge == RoofEdge::low ? low_roof_ns : edge == RoofEdge::high ? high_roof_ns : time_ns;
  }
};

struct OpLimits {
  bool known = false;
  std::string unknown_reason;  ///< with the remedy
  double flops = 0;
  engine::DType dtype = engine::DType::float32;
  double peak_flop_per_s = 0;  ///< 0 when the op has no FLOPs and no peak is known
  double compute_ns = 0;
  double chain_ns = 0;      ///< of a chain of multiply-adds: latency x length of one thread's; 0: no chain, or unknown
  bool chain_known = true;  ///< false: it is such a chain, and the probe has no latency of a multiply-add
  std::vector<LevelLimit> levels;  ///< DRAM first; levels the op moves nothing from are left out
  /// The levels with an upper bound of bytes where it is larger. A cache of about the working set's size may lose
  /// lines. GEMMs may exceed the lower bound of their model, up to the bytes of the next nearer link (into L1: each
  /// operand once). `levels` itself: nowhere more.
  std::vector<LevelLimit> most;
  /// The same without the bytes that may as well stay in a cache of about the size of their reuse distance
  /// (TrafficModel::OpLevel::may_stay_bytes).
  std::vector<LevelLimit> least;
  std::vector<size_t> idle_links;  ///< links that nothing of it crosses, by the best known bytes
  /// Cache levels the op uses but the probe has no bandwidth for: left out, so no verdict is firm.
  std::vector<std::string> unmeasured;
  int threads = 1;  ///< whose roofs these are
  int used_threads =
      1;  ///< of the op (threads_of()); fewer than `threads` where the probe measured no roofs of that many
  int run_threads = 1;
  /// ECM: transfers between levels do not overlap. Every roof was measured end to end. Each link therefore adds only
  /// its cost beyond the nearer one, and a pure stream from DRAM takes exactly its DRAM time.
  double data_ns(double bytes_sign, double bandwidth_factor, RoofEdge = RoofEdge::likely) const;
  /// The same op with other levels.
  OpLimits with(const std::vector<LevelLimit>&) const;
  /// It computes nothing and moves no bytes, as an op whose results have no elements.
  bool no_work() const { return known && !(flops > 0) && levels.empty(); }
  /// The roof that demands most time: "arithmetic" or "DRAM bandwidth".
  std::string nearest_roof() const;
};

/// What a verdict of such a chain is called after: "multiply-add latency".
inline constexpr std::string_view kChainLevel = "multiply-add";

/// What the op computes in: i8 where its kernel multiplies 8-bit integers. Else the floating dtype of most of its
/// bytes; float32 when it has none.
engine::DType dtype_of(const Capture&, const OpRecord&);
/// The latter, whatever the op computes in.
engine::DType dtype_of_bytes(const Capture&, const OpRecord&);
/// `threads`: how many share the op; 0: as many as did in the run.
OpLimits op_limits(const Capture&, const TrafficModel&, const OpRecord&, int threads = 0);
/// Time of direct sums in the place of Winograd's filtering, at the peak of `limits`. Nothing for other ops, or where
/// no peak is known.
std::optional<double> direct_roof_ns(const Capture&, const OpRecord&, const OpLimits&);

}  // namespace profiler
