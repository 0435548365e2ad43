// SPDX-License-Identifier: Apache-2.0
// tensortide_benchmarks: dispatches to the benchmark named first.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "benchmarks.h"

namespace benchmarks {

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace benchmarks

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::span<const std::string> rest(arguments.begin() + (arguments.empty() ? 0 : 1),
                                          arguments.end());
  if (!arguments.empty() && arguments[0] == "step") return benchmarks::step(rest);
  if (arguments.size() == 1 && arguments[0] == "tracing") return benchmarks::tracing();
  if (arguments.size() == 1 && arguments[0] == "eager") return benchmarks::eager();
  if (arguments.size() == 1 && arguments[0] == "training_curves") return benchmarks::training_curves();
  fmt::print(stderr,
             "usage: tensortide_benchmarks tracing\n       tensortide_benchmarks eager\n       "
             "tensortide_benchmarks training_curves\n       tensortide_benchmarks step WORKLOAD "
             "[name=value...] [--threads N] [--steps N] "
             "[--ops] [--cpu-time] [--ask]\n");
  return 2;
}
