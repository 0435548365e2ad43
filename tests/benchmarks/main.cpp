// SPDX-License-Identifier: Apache-2.0
// tensortide_benchmarks: dispatches to the benchmark named first.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iostream>
#include <limits>

#include "benchmarks.h"
#include "serve_cases.h"

namespace benchmarks {

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

int write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  if (file << text && file.flush()) return 0;
  fmt::print(stderr, "{} cannot be written\n", path);
  return 3;
}

int serve_comparison(std::span<const std::string> arguments) {
  int threads = 0;
  const bool rule = arguments.size() == 3 && arguments[2] == "--rule";
  const std::string number = (arguments.size() == 2 || rule) && arguments[0] == "--threads" ? arguments[1] : "";
  if (std::from_chars(number.data(), number.data() + number.size(), threads).ec != std::errc() || threads < 1) {
    fmt::print(stderr, "serve needs --threads N, and may have --rule behind it\n");
    return 2;
  }
  auto devices = make_devices(threads, !rule);
  if (!devices) {
    fmt::print(stderr, "{}\n", devices.error().message);
    return 3;
  }
  const std::string about = fmt::format("Tensortide {}, {} threads, {} matrix libraries", TENSORTIDE_VERSION,
                                        devices->threads, rule ? "rule for" : "measured choice of");
  serve(std::cin, std::cout, about, [&](CaseText& text) { return make_case(*devices, text); });
  return 0;
}

}  // namespace benchmarks

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::span<const std::string> rest(arguments.begin() + (arguments.empty() ? 0 : 1), arguments.end());
  if (!arguments.empty() && arguments[0] == "step") return benchmarks::step(rest);
  if (arguments.size() == 1 && arguments[0] == "tracing") return benchmarks::tracing();
  if (arguments.size() == 1 && arguments[0] == "eager") return benchmarks::eager();
  if (!arguments.empty() && arguments[0] == "cache") return benchmarks::cache(rest);
  if (!arguments.empty() && arguments[0] == "ladder") return benchmarks::ladder(rest);
  if (!arguments.empty() && arguments[0] == "training_curves") return benchmarks::training_curves(rest);
  if (arguments.size() == 2 && arguments[0] == "import") return benchmarks::import_speed(arguments[1]);
  if (!arguments.empty() && arguments[0] == "jacobians") return benchmarks::jacobians(rest);
  if (!arguments.empty() && arguments[0] == "serve") return benchmarks::serve_comparison(rest);
  fmt::print(stderr,
             "usage: tensortide_benchmarks tracing\n       tensortide_benchmarks eager\n       "
             "tensortide_benchmarks cache [KERNEL | --distances [KERNEL] | --haystack]\n       tensortide_benchmarks "
             "ladder [--threads N] [--product layer|matmul] [--rounds N] [SIZE ...]\n       tensortide_benchmarks "
             "training_curves [FILE.csv] [--small] [--steps N]\n       tensortide_benchmarks jacobians [FILE.csv]\n    "
             "   tensortide_benchmarks import TRACE\n       tensortide_benchmarks serve --threads N [--rule]\n       "
             "tensortide_benchmarks step WORKLOAD "
             "[name=value...] [--threads N] [--steps N] "
             "[--ops] [--cpu-time] [--ask]\n");
  return 2;
}
