// SPDX-License-Identifier: Apache-2.0
// What bandwidths measured beside a run say of the probed ones: on shared machines DRAM's halves and doubles within
// minutes.
#pragma once

#include <string>

#include "profiler/machine/machine.h"

namespace profiler {

/// unmeasured: nothing was measured beside the run, or there is no probed roof to hold it against. held: before and
/// after, as probed, to a tenth. moved: before and after agree, and the probed roof is another: theirs is the roof.
/// unsteady: they disagree, or only one is there and differs from the probe. The roof lies between the readings; a
/// verdict is firm only if it holds for all of that range.
enum class BesideState : uint8_t { unmeasured, held, moved, unsteady };
std::string_view name(BesideState);

/// The roof beside the run / the probed one: what to reckon with, and the room it has. low <= likely <= high.
struct BesideRatio {
  BesideState state = BesideState::unmeasured;
  double likely = 1, low = 1, high = 1;
};
/// Of one roof. A mix that was not measured beside the run moves as the nearest one that was. Nearest: by the written
/// part of its bytes, and by stores past the caches.
BesideRatio roof_beside(const Machine&, const std::string& level, AccessMix, int threads);

/// The worst of all that were measured beside the run: unsteady before moved before held.
BesideState roofs_beside(const Machine&);
/// That as one sentence, with the figures; empty: unmeasured or held.
std::string roofs_beside_words(const Machine&);

}  // namespace profiler
