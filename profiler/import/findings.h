// SPDX-License-Identifier: Apache-2.0
// Findings: what an importer repaired, left out or could not know, counted; each kind becomes one sentence of the
// capture's notes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace profiler {

enum class Finding : uint8_t {
  broken_event,
  repaired_text,
  not_an_object,
  unknown_phase,
  no_time,
  negative_duration,
  missing_duration,
  bad_figure,
  bad_row,
  missing_name,
  cut_name,
  merged_track,
  unmatched_begin,
  unmatched_end,
  crossed_ranges,
  orphan_launch,
  early_start,
  one_sided_flow,
  inverted_flow,
  duplicate_correlation,
  truncated,
  compressed_damage,
  broken_member,
  unlisted_device,
  unknown_kind,
  repeated_step,
  whole_graph,
  more_text,
  broken_base,
  too_deep,
  unread_table
};
inline constexpr int kFindingCount = static_cast<int>(Finding::unread_table) + 1;

class Findings {
 public:
  /// Counts one; `where` of the first is kept: "byte 123", "row 7 of CUPTI_ACTIVITY_KIND_KERNEL".
  void add(Finding, std::string_view where = {});
  void add(Finding, std::string_view where, int64_t several);
  int64_t count(Finding f) const { return counts_[static_cast<size_t>(f)]; }
  const std::string& where(Finding f) const { return first_[static_cast<size_t>(f)]; }  ///< the first was
  /// One sentence for each kind that was counted. `shown`: the words for the place of the first; empty: all of it.
  std::vector<std::string> sentences(const std::function<std::string(std::string_view)>& shown = {}) const;
  /// How many events or rows were left out.
  int64_t left_out() const;
  void add_all(const Findings& other);

 private:
  std::array<int64_t, kFindingCount> counts_{};
  std::array<std::string, kFindingCount> first_;
};

}  // namespace profiler
