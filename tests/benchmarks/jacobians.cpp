// SPDX-License-Identifier: Apache-2.0
// Forward against reverse mode: a Jacobian's work, time and memory by inputs and by outputs, and one derivative's
// memory by depth.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "benchmarks.h"
#include "engine/base/clock.h"
#include "engine/cpu/backend.h"
#include "engine/ops/autograd.h"
#include "engine/ops/forward.h"
#include "engine/ops/ops.h"
#include "engine/runtime/plan.h"
#include "engine/workloads/workload.h"

namespace benchmarks {
namespace {

using namespace engine;  // NOLINT: a program of this floor's own

constexpr int kRepeats = 31;
constexpr int64_t kKept = 8;  ///< of inputs and outputs, the one that does not vary
constexpr int64_t kCounts[] = {1, 2, 4, 8, 16, 32, 64};

struct Sample {
  double mflop = 0;                  ///< exact
  double low = 0, ms = 0, high = 0;  ///< measured
  double peak_mib = 0;               ///< exact: live values of the plan, weights and inputs apart
};

Result<Sample> measure(Graph made, Backend& backend) {
  Sample sample;
  const auto graph = std::make_shared<const Graph>(std::move(made));
  sample.mflop = graph->flops() / 1e6;
  const auto plan = Plan::make(graph, backend);
  if (!plan) return plan.error();
  sample.peak_mib = static_cast<double>((*plan)->memory().peak_live_bytes) / 1048576;
  std::vector<double> times;
  for (uint32_t step = 0; step <= kRepeats; ++step) {
    const int64_t begin = now_ns();
    (*plan)->run_step(step, nullptr);
    if (step != 0) times.push_back(static_cast<double>(now_ns() - begin) / 1e6);
  }
  std::ranges::sort(times);
  sample.low = times[times.size() / 4];
  sample.ms = median(times);
  sample.high = times[times.size() * 3 / 4];
  return sample;
}

Result<Graph> jacobian(int64_t inputs, int64_t outputs, const char* mode) {
  const auto workload = find_workload("jacobian");
  if (!workload) return workload.error();
  const auto arguments = resolve(
      **workload, {{"inputs", fmt::format("{}", inputs)}, {"outputs", fmt::format("{}", outputs)}, {"mode", mode}});
  if (!arguments) return arguments.error();
  return build_graph(**workload, *arguments);
}

/// One derivative of a network of `layers` layers: along one direction forwards, of one sum backwards.
Result<Graph> derivative(int64_t layers, std::string_view mode) {
  constexpr int64_t kWidth = 256, kBatch = 256;
  const TensorType activations = TensorType::contiguous(DType::float32, {kBatch, kWidth});
  const Fill fill{Fill::Kind::normal, 0, std::sqrt(2.0 / kWidth)};
  GraphBuilder builder;
  const ValueId x = builder.input("x", activations, {Fill::Kind::normal, 0, 1});
  ValueId y = x;
  for (int64_t i = 0; i < layers; ++i) {
    const ValueId weight =
        builder.parameter(fmt::format("weight{}", i), TensorType::contiguous(DType::float32, {kWidth, kWidth}), fill);
    y = ops::relu(builder, ops::linear(builder, y, weight, kNoValue));
  }
  if (mode == "forward") {
    const ValueId direction = builder.input("direction", activations, {Fill::Kind::normal, 0, 1});
    builder.mark_output(forward_differentiate(builder, {&y, 1}, {&x, 1}, {&direction, 1})[0]);
  } else {
    builder.mark_output(differentiate(builder, ops::sum(builder, y, {}), {&x, 1})[0]);
  }
  return builder.finish();
}

/// Rows of one sweep in both modes, printed and as CSV.
class Report {
 public:
  explicit Report(Backend& backend) : backend_(backend) {}

  /// `build(count, mode)` makes the graph.
  template <class Build>
  std::optional<Error> sweep(std::string_view varied, Build build) {
    fmt::print("{:<10}{:>18}{:>18}{:>30}{:>30}{:>16}{:>16}\n", varied, "forward MFLOP", "reverse MFLOP", "forward ms",
               "reverse ms", "forward MiB", "reverse MiB");
    for (const int64_t count : kCounts) {
      Sample samples[2];
      for (const int i : {0, 1}) {
        Result<Graph> graph = build(count, kModes[i]);
        if (!graph) return graph.error();
        Result<Sample> sample = measure(*std::move(graph), backend_);
        if (!sample) return sample.error();
        samples[i] = *sample;
        add(varied, "work [MFLOP], exact", kModes[i], count, {sample->mflop, sample->mflop, sample->mflop});
        add(varied, "time [ms], measured", kModes[i], count, {sample->low, sample->ms, sample->high});
        add(varied, "peak of live values [MiB], exact", kModes[i], count,
            {sample->peak_mib, sample->peak_mib, sample->peak_mib});
      }
      const auto time = [](const Sample& s) { return fmt::format("{:.3f} ({:.3f} to {:.3f})", s.ms, s.low, s.high); };
      fmt::print("{:<10}{:>18.3f}{:>18.3f}{:>30}{:>30}{:>16.3f}{:>16.3f}\n", count, samples[0].mflop, samples[1].mflop,
                 time(samples[0]), time(samples[1]), samples[0].peak_mib, samples[1].peak_mib);
    }
    fmt::print("\n");
    return std::nullopt;
  }
  const std::string& csv() const { return csv_; }

 private:
  static constexpr const char* kModes[] = {"forward", "reverse"};
  struct Triple {
    double low, middle, high;
  };
  void add(std::string_view x_label, std::string_view y_label, std::string_view series, int64_t x, const Triple& y) {
    csv_ += fmt::format("{},\"{}\",{},{},{:.5g},{:.5g},{:.5g}\n", x_label, y_label, series, x, y.low, y.middle, y.high);
  }

  Backend& backend_;
  std::string csv_ = "x_label,y_label,series,x,low,median,high\n";
};

}  // namespace

int jacobians(std::span<const std::string> arguments) {
  const auto refuse = [](const Error& error) {
    fmt::print(stderr, "{}\n", error.message);
    return 3;
  };
  if (arguments.size() > 1) {
    fmt::print(stderr, "jacobians takes one argument, the CSV file to write, or none\n");
    return 2;
  }
  const auto backend = cpu::make_backend(1);
  if (!backend) return refuse(backend.error());
  fmt::print(
      "Jacobian of a network with 1024 hidden units, {} outputs or inputs where the other varies; below, one "
      "derivative of a network\n"
      "of 256 x 256 layers on 256 samples. One thread. Work and memory are exact, times measured: median of {} "
      "(quartiles).\n\n",
      kKept, kRepeats);
  Report report(**backend);
  auto failure = report.sweep("inputs", [](int64_t count, const char* mode) { return jacobian(count, kKept, mode); });
  if (!failure)
    failure = report.sweep("outputs", [](int64_t count, const char* mode) { return jacobian(kKept, count, mode); });
  if (!failure) failure = report.sweep("layers", derivative);
  if (failure) return refuse(*failure);
  return arguments.empty() ? 0 : write_text(arguments[0], report.csv());
}

}  // namespace benchmarks
