// SPDX-License-Identifier: Apache-2.0
// Reads the batch from the arguments that a run was recorded with.
#include "profiler/capture/batch.h"

#include <charconv>
#include <limits>
#include <system_error>

namespace profiler {

double batch_of(const Capture& capture) {
  const auto& arguments = capture.run().arguments;
  auto found = arguments.find("batch");
  if (found == arguments.end()) found = arguments.find("accesses");
  if (found == arguments.end()) return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  const char* end = found->second.data() + found->second.size();
  const auto [rest, error] = std::from_chars(found->second.data(), end, value);
  return error == std::errc() && rest == end && value > 0 ? value : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace profiler
