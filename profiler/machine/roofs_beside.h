// SPDX-License-Identifier: Apache-2.0
// What bandwidths measured beside a run say of the probed ones: on shared machines DRAM's halves and doubles within
// minutes.
#pragma once

#include <string>

#include "profiler/machine/machine.h"

namespace profiler {

/// unmeasured: nothing was measured beside the run, or there is no probed roof to hold it against. held: before and
/// after, as probed, to a tenth. moved: before and after agree, and the probed roof is another: theirs is the roof.
/// unsteady: they do not agree (or only one is there, and it is not as probed): the roof lies somewhere between what
/// was seen, and no verdict is firm that does not hold for all of it.
enum class BesideState : uint8_t { unmeasured, held, moved, unsteady };
std::string_view name(BesideState);

/// The roof beside the run / the probed one: what to reckon with, and the room it has. low <= likely <= high.
struct BesideRatio {
  BesideState state = BesideState::unmeasured;
  double likely = 1, low = 1, high = 1;
};
/// Of one roof. A mix that was not measured beside the run moves as the nearest one that was: by the part of its bytes
/// that is written, and whether its stores go past the caches.
BesideRatio roof_beside(const Machine&, const std::string& level, AccessMix, int threads);

/// The worst of all that were measured beside the run: unsteady before moved before held.
BesideState roofs_beside(const Machine&);
/// That as one sentence, with the figures; empty: unmeasured or held.
std::string roofs_beside_words(const Machine&);

}  // namespace profiler
