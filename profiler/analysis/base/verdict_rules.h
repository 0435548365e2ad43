// SPDX-License-Identifier: Apache-2.0
// VerdictRules: the thresholds of verdicts and findings in one table, which a user may change.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace profiler {

/// Index into VerdictRules::rows().
enum class Rule : uint8_t {
  too_short_ticks,
  inconsistent_ratio,
  waiting_ratio,
  dispatch_ratio,
  saturated_ratio,
  busy_ratio,
  balanced_ratio,
  waves_count,
  slack_ratio,
  latency_ratio,
  parallel_misses,
  prefetch_page_bytes,
  prefetch_stride_bytes,
  roof_band_ratio,
  compulsory_ratio,
  reuse_lost_ratio,
  conflict_ratio,
  sectors_ratio,
  write_allocate_ratio,
  transfer_ratio,
  communication_ratio,
  link_use_ratio,
  launch_ratio,
  launch_idle_ratio,
  launch_host_ratio,
  small_copy_bytes,
  many_small_copies,
  worth_finding_ratio,
  topdown_backend_ratio,
  topdown_memory_ratio,
  topdown_l1_ratio,
  topdown_l2_ratio,
  topdown_l3_ratio,
  topdown_dram_ratio,
  topdown_store_ratio,
  topdown_bandwidth_ratio,
  topdown_latency_ratio,
  topdown_core_ratio,
};
inline constexpr size_t kRuleCount = static_cast<size_t>(Rule::topdown_core_ratio) + 1;

/// One threshold. `low` and `high` bound what a user may set it to.
struct VerdictRule {
  std::string key, meaning, source;
  double value = 0, usual = 0, low = 0, high = 0;
  bool changed() const { return value != usual; }
};

/// A threshold as it was applied.
struct Threshold {
  double value = 0, usual = 0;
};
/// "0.8", and "0.7 instead of 0.8" where the user changed it: for sentences.
std::string text(const Threshold&);

class VerdictRules {
 public:
  /// resources/verdict_rules.json, as it was when this program was built.
  static const VerdictRules& built_in();
  /// The built-in values with those of a user's file in their place: a JSON object of keys and numbers. Refused: no
  /// JSON object, an unknown key, a value that is no number or out of bounds. The message names `file`, the key and its
  /// limits.
  static engine::Result<VerdictRules> changed_by(const std::string& json_text, const std::string& file);
  /// The user's file: verdict_rules.json in the folder tensortide of $XDG_CONFIG_HOME, else of ~/.config. Empty:
  /// neither is set.
  static std::filesystem::path user_file();
  /// What applies here: changed_by() the user's file; built_in() where there is none.
  static engine::Result<VerdictRules> of_user();

  double operator[](Rule rule) const { return rows_[static_cast<size_t>(rule)].value; }
  Threshold threshold(Rule rule) const {
    return {rows_[static_cast<size_t>(rule)].value, rows_[static_cast<size_t>(rule)].usual};
  }
  std::string text(Rule rule) const { return profiler::text(threshold(rule)); }
  const std::vector<VerdictRule>& rows() const { return rows_; }

 private:
  std::vector<VerdictRule> rows_;
};

}  // namespace profiler
