// SPDX-License-Identifier: Apache-2.0
// Origin: how a number was obtained. Every figure that is not exact by nature carries one.
#pragma once

#include <cstdint>
#include <string_view>

namespace profiler {

/// exact: counted from shapes (FLOPs, compulsory bytes) - no error band. specified: a data sheet, or what the OS/CPUID claims.
enum class Origin : uint8_t { exact, measured, simulated, modelled, specified };
inline constexpr std::string_view name(Origin o) {
  constexpr std::string_view names[] = {"exact", "measured", "simulated", "modelled", "specified"};
  return names[static_cast<int>(o)];
}

}  // namespace profiler
