// SPDX-License-Identifier: Apache-2.0
// Words that follow a number.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "profiler/base/say.h"

namespace profiler {

/// "1 op", "7 ops"; `many` where an s does not do: counted(n, "copy", "copies").
inline std::string counted(uint64_t count, std::string_view one, std::string_view many = {}) {
  if (count == 1) return fmt::format("1 {}", say_marked(one));
  return fmt::format("{} {}", count, say_marked(many.empty() ? fmt::format("{}s", one) : std::string(many)));
}

/// Why a cost of at most `steps` steps is below their scatter: "within noise of ± 1.20 % of a step".
inline std::string noise_text(double steps) {
  return steps < 1 ? say("within noise of ± {:.2f} % of a step", 100 * steps)
                   : say("from one to the next, steps differed by more than a step takes");
}

}  // namespace profiler
