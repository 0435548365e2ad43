// SPDX-License-Identifier: Apache-2.0
// The sentences of Findings.
#include "profiler/import/findings.h"

#include <fmt/format.h>

namespace profiler {
namespace {

/// What is said of `count` items; `{}` stands for the number.
constexpr std::array<const char*, kFindingCount> kSentences{
    "{} events were no valid JSON and were left out",
    "{} events held control characters or bytes that are no UTF-8; these were replaced",
    "{} elements of traceEvents are no objects and were left out",
    "{} events are of kinds that are not shown (objects, clock synchronisation, profiles)",
    "{} events have no usable time stamp and were left out",
    "{} negative durations were taken for 0",
    "{} spans have no duration and count as instants",
    "{} figures are out of range or no numbers and count as unknown",
    "{} rows could not be read and were left out",
    "{} names are missing; their number is shown instead",
    "{} names longer than 4096 bytes were cut",
    "{} events of threads beyond the first 60000 share one track",
    "{} ranges begin without an end and were closed at the last event of their thread",
    "{} ranges end without a beginning and were left out",
    "{} ranges cross each other; the inner ones were closed with the outer ones",
    "{} GPU activities have no launching call in the trace (a cut window, CUDA graphs, calls that were not recorded)",
    "{} GPU activities start before the call that launched them: the clocks of host and GPU disagree",
    "{} flow arrows have one end only",
    "{} flow arrows end before they start",
    "{} API calls repeat the correlation id of another",
    "the file breaks off: what stands before is here",
    "the compressed data are damaged: what stands before is here",
    "{} entries outside the events were no valid JSON and were left out",
    "{} GPU activities name a device that the trace does not describe",
    "{} activities have a kind this version does not know"};

}  // namespace

void Findings::add(Finding f, std::string_view where) {
  const auto i = static_cast<size_t>(f);
  if (counts_[i]++ == 0) first_[i] = where;
}

void Findings::add_all(const Findings& other) {
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) first_[i] = other.first_[i];
    counts_[i] += other.counts_[i];
  }
}

std::vector<std::string> Findings::sentences() const {
  std::vector<std::string> all;
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    std::string text = fmt::format(fmt::runtime(kSentences[i]), counts_[i]);
    if (!first_[i].empty()) text += fmt::format(" ({}{})", counts_[i] > 1 ? "first: " : "", first_[i]);
    all.push_back(std::move(text) + ".");
  }
  return all;
}

int64_t Findings::left_out() const {
  int64_t sum = 0;
  for (const Finding f : {Finding::broken_event, Finding::not_an_object, Finding::unknown_phase, Finding::no_time, Finding::bad_row,
                          Finding::unmatched_end}) {
    sum += count(f);
  }
  return sum;
}

}  // namespace profiler
