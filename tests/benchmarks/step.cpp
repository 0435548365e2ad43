// SPDX-License-Identifier: Apache-2.0
// Times the steps of a workload on the CPU, whole or per op.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <map>

#include "benchmarks.h"
#include "engine/base/clock.h"
#include "engine/cpu/backend.h"
#include "engine/runtime/plan.h"
#include "engine/workloads/workload.h"

namespace benchmarks {
namespace {

struct Options {
  std::string workload;
  engine::Arguments arguments;
  int threads = 0, steps = 5;
  bool ops = false, ask = false, cpu_time = false;
};

engine::Result<Options> parse(std::span<const std::string> arguments) {
  Options options;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& a = arguments[i];
    const size_t equals = a.find('=');
    if (a == "--ops") {
      options.ops = true;
    } else if (a == "--ask") {
      options.ask = true;
    } else if (a == "--cpu-time") {
      options.cpu_time = true;
    } else if ((a == "--threads" || a == "--steps") && i + 1 < arguments.size()) {
      const std::string& text = arguments[++i];
      int& number = a == "--threads" ? options.threads : options.steps;
      if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc())
        return engine::usage_error(a + " needs a number, got " + text);
    } else if (equals != std::string::npos) {
      options.arguments[a.substr(0, equals)] = a.substr(equals + 1);
    } else if (options.workload.empty()) {
      options.workload = a;
    } else {
      return engine::usage_error("unknown argument " + a);
    }
  }
  return options;
}

/// Nanoseconds of wall time, or of CPU time of all threads of this process.
int64_t time_ns(bool cpu_time) {
  if (!cpu_time) return engine::now_ns();
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

/// Nanoseconds per node, added up over steps.
class OpTimes final : public engine::Observer {
 public:
  OpTimes(size_t nodes, bool cpu_time) : ns_(nodes, 0), cpu_time_(cpu_time) {}
  void step_begin(uint32_t, int64_t) override { last_ns_ = time_ns(cpu_time_); }
  void step_end(uint32_t, int64_t) override { ++steps_; }
  void op_done(uint32_t op, int64_t, int64_t) override {
    const int64_t now = time_ns(cpu_time_);
    ns_[op] += now - last_ns_;
    last_ns_ = now;
  }

  /// Milliseconds per step by op and kernel, largest first.
  void print(const engine::Plan& plan) const {
    std::map<std::string, std::pair<double, int>> rows;
    for (const engine::Node& node : plan.graph().nodes()) {
      auto& [ms, count] = rows[fmt::format("{:28} {}", node.op->name, plan.kernel_name(node.id))];
      ms += static_cast<double>(ns_[node.id]) / 1e6 / steps_;
      ++count;
    }
    std::vector<std::pair<std::string, std::pair<double, int>>> sorted(rows.begin(), rows.end());
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return a.second.first > b.second.first; });
    for (const auto& [name, row] : sorted) fmt::print("{:9.3f} ms {:4}x  {}\n", row.first, row.second, name);
  }

 private:
  std::vector<int64_t> ns_;
  bool cpu_time_;
  int64_t last_ns_ = 0;
  int steps_ = 0;
};

engine::Result<engine::Graph> build(const Options& options) {
  const auto workload = engine::find_workload(options.workload);
  if (!workload) return workload.error();
  const auto arguments = engine::resolve(**workload, options.arguments);
  if (!arguments) return arguments.error();
  return build_graph(**workload, *arguments);
}

double timed_step(engine::Plan& plan, uint32_t step, engine::Observer* observer, bool cpu_time) {
  const int64_t begin = time_ns(cpu_time);
  plan.run_step(step, observer);
  return static_cast<double>(time_ns(cpu_time) - begin) / 1e6;
}

int refuse(const engine::Error& error) {
  fmt::print(stderr, "{}\n", error.message);
  return error.kind == engine::ErrorKind::usage ? 2 : 3;
}

void run(const Options& options, engine::Plan& plan) {
  OpTimes times(plan.graph().nodes().size(), options.cpu_time);
  engine::Observer* observer = options.ops ? &times : nullptr;
  if (options.ask) {
    std::string line;
    for (uint32_t step = 0; std::getline(std::cin, line); ++step) {
      fmt::print("{:.3f}\n", timed_step(plan, step, nullptr, options.cpu_time));
      std::fflush(stdout);
    }
    return;
  }
  timed_step(plan, 0, nullptr, options.cpu_time);  // page faults and packed weights
  std::vector<double> ms;
  for (int step = 1; step <= options.steps; ++step)
    ms.push_back(timed_step(plan, static_cast<uint32_t>(step), observer, options.cpu_time));
  if (options.ops) times.print(plan);
  const auto [low, high] = std::minmax_element(ms.begin(), ms.end());
  fmt::print("{}: {:.2f} ms per step (median of {}, {:.2f} to {:.2f}), {} threads\n", options.workload, median(ms),
             ms.size(), *low, *high, plan.backend().threads());
}

}  // namespace

int step(std::span<const std::string> arguments) {
  const auto options = parse(arguments);
  if (!options) return refuse(options.error());
  if (options->steps < 1) return refuse(engine::usage_error("--steps must be at least 1"));
  auto graph = build(*options);
  if (!graph) return refuse(graph.error());
  auto backend = engine::cpu::make_backend(options->threads);
  if (!backend) return refuse(backend.error());
  auto plan = engine::Plan::make(std::make_shared<const engine::Graph>(std::move(*graph)), **backend);
  if (!plan) return refuse(plan.error());
  run(*options, **plan);
  return 0;
}

}  // namespace benchmarks
