// SPDX-License-Identifier: Apache-2.0
// Origin: how a number was obtained. Every figure that is not exact by nature carries one.
#pragma once

#include <cstdint>
#include <string_view>

#include "profiler/base/say.h"

namespace profiler {

/// exact: counted from shapes (FLOPs, compulsory bytes) - no error band. specified: a data sheet, or what the OS/CPUID
/// claims. emulated: read from a clock or a record of an emulated GPU, which says nothing of a GPU's speed
/// (Capture::time_origin()).
enum class Origin : uint8_t { exact, measured, simulated, modelled, specified, emulated };
inline constexpr Origin kOrigins[] = {Origin::exact,    Origin::measured,  Origin::simulated,
                                      Origin::modelled, Origin::specified, Origin::emulated};
inline constexpr std::string_view name(Origin o) {
  constexpr std::string_view names[] = {marked("exact"),    marked("measured"),  marked("simulated"),
                                        marked("modelled"), marked("specified"), marked("emulated")};
  return names[static_cast<int>(o)];
}

}  // namespace profiler
