// SPDX-License-Identifier: Apache-2.0
// Bandwidths beside a run against the probed ones.
#include "profiler/machine/roofs_beside.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "profiler/base/say.h"
#include "profiler/base/table.h"
#include "profiler/base/words.h"

namespace profiler {
namespace {

/// Two figures of one roof this near each other are the same; by as much verdicts vary roofs, unless the user changed
/// that. Repeats of the probe differ by less on a quiet machine.
constexpr double kSame = 0.05;
/// A roof that is off by less has not moved, but has room as far as it was seen: shared machines drift by so much all
/// the time. Ours.
constexpr double kDrift = 0.10;

bool near(double a, double b, double ratio) { return std::abs(a - b) <= ratio * std::max(a, b); }
bool same(double a, double b) { return near(a, b, kSame); }

/// Bytes written among those named.
double written_part(AccessMix mix) {
  switch (mix) {
    case AccessMix::read: return 0;
    case AccessMix::triad: return 1.0 / 3;
    case AccessMix::copy:
    case AccessMix::copy_past: return 0.5;
    case AccessMix::write:
    case AccessMix::write_past: return 1;
  }
  return 0;
}

/// As the probe measured it.
const BandwidthRoof* probed(const Machine& machine, const RoofBeside& beside) {
  const auto found = std::ranges::find_if(machine.bandwidth, [&](const BandwidthRoof& roof) {
    return roof.level == beside.level && roof.mix == beside.mix && roof.threads == beside.threads &&
           roof.bytes_per_s.known() && roof.bytes_per_s.median > 0;
  });
  return found == machine.bandwidth.end() ? nullptr : &*found;
}

BesideRatio ratio_of(const Machine& machine, const RoofBeside& beside) {
  const BandwidthRoof* roof = probed(machine, beside);
  std::vector<double> seen;
  for (const Measured& m : {beside.before, beside.after}) {
    if (m.known() && m.median > 0) seen.push_back(m.median);
  }
  if (roof == nullptr || seen.empty()) return {};
  const double before = roof->bytes_per_s.median;
  const auto [low, high] = std::ranges::minmax(seen);
  if (same(low, before) && same(high, before)) return {BesideState::held, 1, 1, 1};
  if (near(low, before, kDrift) && near(high, before, kDrift))
    return {BesideState::held, 1, std::min(1.0, low / before), std::max(1.0, high / before)};
  if (seen.size() > 1 && near(low, high, kDrift))
    return {BesideState::moved, (low + high) / 2 / before, low / before, high / before};
  // Of one spell alone nobody knows how long it lasted; the probed roof then is the other end.
  const double least = seen.size() > 1 ? low / before : std::min(1.0, low / before),
               most = seen.size() > 1 ? high / before : std::max(1.0, high / before);
  return {BesideState::unsteady, std::clamp(1.0, least, most), least, most};
}

}  // namespace

std::string_view name(BesideState state) {
  constexpr std::string_view names[] = {"unmeasured", "held", "moved", "unsteady"};
  return names[static_cast<int>(state)];
}

BesideRatio roof_beside(const Machine& machine, const std::string& level, AccessMix mix, int threads) {
  const RoofBeside* nearest = nullptr;
  const auto past = [](AccessMix m) { return m == AccessMix::copy_past || m == AccessMix::write_past; };
  const auto off = [&](const RoofBeside& b) {
    return b.mix == mix ? -1 : std::abs(written_part(b.mix) - written_part(mix)) + (past(b.mix) == past(mix) ? 0 : 1);
  };
  for (const RoofBeside& b : machine.beside) {
    if (b.level != level || b.threads != threads || probed(machine, b) == nullptr) continue;
    if (nearest == nullptr || off(b) < off(*nearest)) nearest = &b;
  }
  return nearest == nullptr ? BesideRatio{} : ratio_of(machine, *nearest);
}

BesideState roofs_beside(const Machine& machine) {
  BesideState worst = BesideState::unmeasured;
  for (const RoofBeside& b : machine.beside) worst = std::max(worst, ratio_of(machine, b).state);
  return worst;
}

std::string roofs_beside_words(const Machine& machine) {
  const BesideState worst = roofs_beside(machine);
  if (worst != BesideState::moved && worst != BesideState::unsteady) return {};
  const auto rate = [](const Measured& m) { return format_quantity(m.median, Quantity::bytes_per_s); };
  const auto spells = [&](const RoofBeside& b) {
    if (!b.after.known()) return say("{} before this run (not measured after it)", rate(b.before));
    if (!b.before.known()) return say("{} after this run (not measured before it)", rate(b.after));
    return say("{} before and {} after this run", rate(b.before), rate(b.after));
  };
  for (const RoofBeside& b : machine.beside) {
    if (ratio_of(machine, b).state != worst) continue;
    const std::string seen =
        say("{}, {} in the probe of {} ({}, {})", spells(b), rate(probed(machine, b)->bytes_per_s),
            machine.probed_at.substr(0, 16), name(b.mix), counted(static_cast<uint64_t>(b.threads), "thread"));
    if (worst == BesideState::moved)
      return say("{}'s bandwidth has moved since it was probed: {}. What was measured beside the run is its roof here.",
                 b.level, seen);
    return say(
        "{}'s bandwidth is unsteady: {}. A verdict is firm only where it holds for all of them; shares of that roof "
        "may be wrong.",
        b.level, seen);
  }
  return {};
}

}  // namespace profiler
