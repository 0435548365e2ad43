// SPDX-License-Identifier: Apache-2.0
// Names of the kinds of activity.
#include "profiler/capture/activity.h"

#include "engine/base/check.h"

namespace profiler {

std::string_view name(ActivityKind kind) {
  constexpr std::string_view names[] = {"step",     "op",     "layer", "copy", "kernel", "api", "synchronization",
                                        "overhead", "memset", "range"};
  const auto index = static_cast<size_t>(kind);
  CHECK(index < std::size(names));
  return names[index];
}

}  // namespace profiler
