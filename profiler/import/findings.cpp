// SPDX-License-Identifier: Apache-2.0
// The sentences of Findings.
#include "profiler/import/findings.h"

#include <fmt/format.h>

#include "engine/base/display_text.h"

namespace profiler {
namespace {

/// What is said of one item, and of several; `{}` stands for their number.
struct Sentence {
  const char* one;
  const char* several;
};
constexpr std::array<Sentence, kFindingCount> kSentences{
    {{"1 event was no valid JSON and was left out", "{} events were no valid JSON and were left out"},
     {"1 event held control characters or bytes that are no UTF-8; these were replaced",
      "{} events held control characters or bytes that are no UTF-8; these were replaced"},
     {"1 element of traceEvents is no object and was left out",
      "{} elements of traceEvents are no objects and were left out"},
     {"1 event is of a kind that is not shown (objects, clock synchronisation, profiles)",
      "{} events are of kinds that are not shown (objects, clock synchronisation, profiles)"},
     {"1 event has no usable time stamp and was left out", "{} events have no usable time stamp and were left out"},
     {"1 negative duration was taken for 0", "{} negative durations were taken for 0"},
     {"1 span has no duration and counts as an instant", "{} spans have no duration and count as instants"},
     {"1 figure is out of range or no number and counts as unknown",
      "{} figures are out of range or no numbers and count as unknown"},
     {"1 row could not be read and was left out", "{} rows could not be read and were left out"},
     {"1 name is missing; its number is shown instead", "{} names are missing; their number is shown instead"},
     {"1 name longer than 4096 bytes was cut", "{} names longer than 4096 bytes were cut"},
     {"1 event of threads beyond the first 60000 has a track that they share",
      "{} events of threads beyond the first 60000 share one track"},
     {"1 range begins without an end and was closed with what is around it, or with the last event",
      "{} ranges begin without an end and were closed with what is around them, or with the last "
      "event"},
     {"1 range ends without a beginning and was left out", "{} ranges end without a beginning and were left out"},
     {"1 range crosses another", "{} ranges cross others"},
     {"1 GPU activity has no launching call in the trace (a cut window, CUDA graphs, calls that "
      "were not recorded)",
      "{} GPU activities have no launching call in the trace (a cut window, CUDA graphs, calls "
      "that were not recorded)"},
     {"1 GPU activity starts before the call that launched it: the clocks of host and GPU disagree",
      "{} GPU activities start before the call that launched them: the clocks of host and GPU "
      "disagree"},
     {"1 flow arrow has one end only", "{} flow arrows have one end only"},
     {"1 flow arrow ends before it starts", "{} flow arrows end before they start"},
     {"1 API call repeats the correlation id of another; what they launched is shared out in the "
      "order of time",
      "{} API calls repeat the correlation ids of others; what they launched is shared out in the "
      "order of time"},
     {"the file breaks off: the part before is here", "the file breaks off: the part before is here"},
     {"the compressed data are damaged: the part before is here",
      "the compressed data are damaged: the part before is here"},
     {"1 entry outside the events was no valid JSON and was left out",
      "{} entries outside the events were no valid JSON and were left out"},
     {"1 GPU activity names a device that the trace does not describe",
      "{} GPU activities name a device that the trace does not describe"},
     {"1 activity is of a kind unknown to this version", "{} activities are of kinds unknown to this version"},
     {"1 step repeats the number of an earlier one and has the next free number instead",
      "{} steps repeat the numbers of earlier ones and have the next free numbers instead"},
     {"1 launch of a CUDA graph was traced as a whole and counts as one kernel; `nsys profile "
      "--cuda-graph-trace=node` "
      "records its kernels",
      "{} launches of CUDA graphs were traced as a whole and count as one kernel each; `nsys "
      "profile "
      "--cuda-graph-trace=node` records their kernels"},
     {"the file goes on behind the end of the trace: that was not read",
      "{} files go on behind the end of their traces: that was not read"},
     {"the time that all others count from is out of range and was taken for 0",
      "{} times that all others count from are out of range and were taken for 0"},
     {"1 event or entry nests too deep and was left out", "{} events or entries nest too deep and were left out"},
     {"1 row of a table that is not read was left out", "{} rows of tables that are not read were left out"}}};

}  // namespace

void Findings::add(Finding f, std::string_view where) {
  const auto i = static_cast<size_t>(f);
  if (counts_[i]++ == 0) first_[i] = engine::display_line(where);
}

void Findings::add(Finding f, std::string_view where, int64_t several) {
  if (several <= 0) return;
  add(f, where);
  counts_[static_cast<size_t>(f)] += several - 1;
}

void Findings::add_all(const Findings& other) {
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) first_[i] = other.first_[i];
    counts_[i] += other.counts_[i];
  }
}

std::vector<std::string> Findings::sentences(const std::function<std::string(std::string_view)>& shown) const {
  std::vector<std::string> all;
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    std::string text =
        counts_[i] == 1 ? std::string(kSentences[i].one) : fmt::format(fmt::runtime(kSentences[i].several), counts_[i]);
    const std::string where = shown ? shown(first_[i]) : first_[i];
    if (!where.empty()) text += fmt::format(" ({}{})", counts_[i] > 1 ? "first: " : "", where);
    all.push_back(std::move(text) + ".");
  }
  return all;
}

int64_t Findings::left_out() const {
  int64_t sum = 0;
  for (const Finding f :
       {Finding::broken_event, Finding::not_an_object, Finding::unknown_phase, Finding::no_time, Finding::bad_row,
        Finding::unmatched_end, Finding::more_text, Finding::too_deep, Finding::unread_table}) {
    sum += count(f);
  }
  return sum;
}

}  // namespace profiler
