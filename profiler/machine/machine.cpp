// SPDX-License-Identifier: Apache-2.0
// Looks up a machine's roofs: exact thread counts, and bandwidths between the measured mixes.
#include "profiler/machine/machine.h"

#include <algorithm>
#include <array>
#include <span>

#include "profiler/machine/roofs_beside.h"

namespace profiler {
namespace {

/// Bytes written among the bytes named: read 0 of 1, triad 1 of 3, copy 1 of 2, write 1 of 1. In
/// ascending order.
struct MixShare {
  AccessMix mix;
  double written;
};
constexpr std::array<MixShare, 4> kShares{
    {{AccessMix::read, 0.0}, {AccessMix::triad, 1.0 / 3}, {AccessMix::copy, 0.5}, {AccessMix::write, 1.0}}};

constexpr std::array<MixShare, 3> kPastShares{
    {{AccessMix::read, 0.0}, {AccessMix::copy_past, 0.5}, {AccessMix::write_past, 1.0}}};

/// Between the measured ones of these mixes, ascending in what they write.
std::optional<double> interpolated(const Machine& machine, std::span<const MixShare> mixes, const std::string& level,
                                   double read_bytes, double written_bytes, int threads, RoofEdge edge) {
  const double all = read_bytes + written_bytes;
  if (!(all > 0)) return std::nullopt;
  const double share = std::clamp(written_bytes / all, 0.0, 1.0);
  std::optional<MixShare> below, above;
  double rate_below = 0, rate_above = 0;
  for (const MixShare& candidate : mixes) {
    const auto roof = machine.bandwidth_roof(level, candidate.mix, threads, edge);
    if (!roof) continue;
    if (candidate.written <= share) {
      below = candidate;
      rate_below = roof->bytes_per_s.median;
    }
    if (candidate.written >= share && !above) {
      above = candidate;
      rate_above = roof->bytes_per_s.median;
    }
  }
  if (!below && !above) return std::nullopt;
  if (!below) return rate_above;
  if (!above || above->written == below->written) return rate_below;
  const double weight = (share - below->written) / (above->written - below->written);
  // Times of a mix add up, not rates: bytes per second are interpolated as seconds per byte.
  return 1 / ((1 - weight) / rate_below + weight / rate_above);
}

std::optional<ComputeRoof> exact_roof(const Machine& machine, engine::DType dtype, int threads) {
  const auto found = std::ranges::find_if(machine.compute, [&](const ComputeRoof& roof) {
    return roof.dtype == dtype && roof.threads == threads && roof.flop_per_s.known();
  });
  if (found == machine.compute.end()) return std::nullopt;
  return *found;
}

}  // namespace

std::string_view name(AccessMix mix) {
  switch (mix) {
    case AccessMix::read: return "read";
    case AccessMix::write: return "write";
    case AccessMix::copy: return "copy";
    case AccessMix::triad: return "triad";
    case AccessMix::write_past: return "write_past";
    case AccessMix::copy_past: return "copy_past";
  }
  return "unknown";
}

std::optional<ComputeRoof> Machine::compute_roof(engine::DType dtype, int threads) const {
  if (auto roof = exact_roof(*this, dtype, threads)) return roof;
  const auto timed = [&] { return std::ranges::find(matmul, dtype, &engine::MatmulTiming::dtype) != matmul.end(); };
  const bool narrow =
      dtype == engine::DType::float16 || dtype == engine::DType::bfloat16 || (dtype == engine::DType::int8 && timed());
  return narrow ? exact_roof(*this, engine::DType::float32, threads) : std::nullopt;
}

std::optional<BandwidthRoof> Machine::bandwidth_roof(const std::string& level, AccessMix mix, int threads,
                                                     RoofEdge edge) const {
  const auto found = std::ranges::find_if(bandwidth, [&](const BandwidthRoof& roof) {
    return roof.level == level && roof.mix == mix && roof.threads == threads && roof.bytes_per_s.known();
  });
  if (found == bandwidth.end()) return std::nullopt;
  BandwidthRoof roof = *found;
  const BesideRatio now = roof_beside(*this, level, mix, threads);
  const double ratio = edge == RoofEdge::low ? now.low : edge == RoofEdge::high ? now.high : now.likely;
  for (double* rate : {&roof.bytes_per_s.median, &roof.bytes_per_s.low, &roof.bytes_per_s.high}) *rate *= ratio;
  return roof;
}

std::optional<double> Machine::bandwidth_for(const std::string& level, double read_bytes, double written_bytes,
                                             int threads, RoofEdge edge) const {
  return interpolated(*this, kShares, level, read_bytes, written_bytes, threads, edge);
}

std::optional<double> Machine::bandwidth_past_caches(const std::string& level, double read_bytes, double written_bytes,
                                                     int threads, RoofEdge edge) const {
  if (!bandwidth_roof(level, AccessMix::copy_past, threads) && !bandwidth_roof(level, AccessMix::write_past, threads))
    return std::nullopt;
  return interpolated(*this, kPastShares, level, read_bytes, written_bytes, threads, edge);
}

}  // namespace profiler
