// SPDX-License-Identifier: Apache-2.0
// Series and sentences.
#include "profiler/record/gpu_sample_records.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "profiler/base/table.h"

namespace profiler {

void add_sampled(CaptureBuilder& builder, const GpuSamples& samples) {
  const NameId group = builder.intern(fmt::format("GPU {}", samples.device));
  const std::vector<StepRecord>& steps = builder.so_far().steps();
  size_t first = 0;  // the sampling began before the first step
  while (!steps.empty() && first < samples.start_ns.size() && samples.start_ns[first] < steps.front().start_ns) ++first;
  const auto from = static_cast<std::ptrdiff_t>(first);
  for (const SampledFigure& figure : samples.figures) {
    CounterSeries series;
    series.name = builder.intern(figure.title);
    series.group = group;
    series.unit = builder.intern(figure.unit);
    series.time_ns.assign(samples.start_ns.begin() + from, samples.start_ns.end());
    series.value.assign(figure.values.begin() + from, figure.values.end());
    builder.add_counter(std::move(series));
  }
  std::vector<std::string>& notes = builder.honesty().notes;
  const auto duration = [](int64_t ns) { return format_quantity(static_cast<double>(ns), Quantity::duration_ns); };
  notes.push_back(
      fmt::format("GPU {} ({}) was sampled every {} while the steps ran{}. The driver fixes the GPU's clocks "
                  "meanwhile, so times "
                  "differ from a normal run. Figures are of the whole device, other programs included.",
                  samples.device, samples.chip, duration(samples.interval_ns),
                  samples.merged > 1 ? fmt::format(" (kept as means of {})", samples.merged) : ""));
  if (first == samples.start_ns.size())
    notes.emplace_back("Not one sample came: the run was shorter than an interval, or the device gave none.");
  if (samples.overflows > 0 || samples.lost > 0) {
    notes.push_back(
        fmt::format("Samples of the GPU were lost (overflows of its buffer: {}; missing samples, about: {}); the value "
                    "before them holds on there.",
                    samples.overflows, samples.lost));
  }
  if (!samples.missing.empty())
    notes.push_back(
        fmt::format("This chip cannot sample, or not at the same time: {}.", fmt::join(samples.missing, ", ")));
}

}  // namespace profiler
