// SPDX-License-Identifier: Apache-2.0
// Series of bytes among the counters of a capture.
#include "profiler/analysis/allocated.h"
#include "profiler/base/say.h"

#include <algorithm>

namespace profiler {

std::vector<AllocatedSeries> allocated_series(const Capture& capture) {
  std::vector<AllocatedSeries> all;
  for (const CounterSeries& series : capture.counters()) {
    if (capture.name(series.unit) != "B" || series.value.empty()) continue;
    const auto peak = std::ranges::max_element(series.value);
    all.push_back({.series = &series,
                   .group = std::string(capture.name(series.group)),
                   .name = std::string(capture.name(series.name)),
                   .peak_bytes = *peak,
                   .peak_ns = series.time_ns[static_cast<size_t>(peak - series.value.begin())]});
  }
  std::ranges::stable_sort(
      all, [](const AllocatedSeries& a, const AllocatedSeries& b) { return a.peak_bytes > b.peak_bytes; });
  return all;
}

Table allocated_table(const Capture& capture) {
  Table table;
  table.name = "memory";
  table.columns = {
      {"device", "Device", Quantity::text, Origin::measured, "Whose memory"},
      {"series", "Series", Quantity::text, Origin::measured, "What the allocator counted"},
      {"time_ns", "Time", Quantity::duration_ns, Origin::measured, "Since the first event of the trace"},
      {"held_bytes", "Bytes", Quantity::bytes, Origin::measured, "From here to the next row of the series"}};
  for (const AllocatedSeries& a : allocated_series(capture)) {
    for (size_t i = 0; i < a.series->value.size(); ++i) {
      table.rows.push_back(
          {a.group, a.name, static_cast<double>(a.series->time_ns[i] - capture.begin_ns()), a.series->value[i]});
    }
  }
  return table;
}

std::vector<std::string> allocated_sentences(const Capture& capture) {
  std::vector<std::string> sentences;
  for (const AllocatedSeries& a : allocated_series(capture)) {
    sentences.push_back(
        say("{} of {}: at most {}, {} after the first event (measured by the traced program's allocator).", a.name,
            a.group, format_quantity(a.peak_bytes, Quantity::bytes),
            format_quantity(static_cast<double>(a.peak_ns - capture.begin_ns()), Quantity::duration_ns)));
  }
  return sentences;
}

}  // namespace profiler
