// SPDX-License-Identifier: Apache-2.0
// The ledger of advice that was tried: what each finding promised, what came of it, and how often each rule was right.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "profiler/analysis/findings/findings.h"
#include "profiler/base/change.h"

namespace profiler {

/// The rule of a change that the user proposed, not a finding: remembered, and counted for no rule.
inline constexpr const char* kOwnChange = "own-change";

/// One finding tried: the captured command beside the same with one change, in pairs of fresh processes.
struct AdviceTrial {
  std::string tried_at, product_version, machine, workload, command;
  std::string rule, option, before, value;
  double work_ratio = 1;
  double captured_step_ns = 0;   ///< of the capture the finding is from
  double predicted_gain_ns = 0;  ///< of that step; modelled; NaN: the rule did not say
  double step_ns = 0;            ///< measured anew without the change (median over processes)
  double obtained_gain_ns = 0, obtained_low_ns = 0,
         obtained_high_ns = 0;       ///< of step_ns, for its work; 95 % interval; negative: slower
  double predicted_saved_bytes = 0;  ///< of memory, where that was the aim; modelled; 0: time was
  double obtained_saved_bytes = 0;   ///< memory planned without the change less that with it; exact
  double probability = 1;            ///< of such a difference by chance
  int pairs = 0;
  ChangeClass verdict = ChangeClass::unsure;

  /// Parts of a step, so that a fresh baseline that is slower than the capture does not count against the advice.
  double predicted_ratio() const { return predicted_gain_ns / captured_step_ns; }
  double obtained_ratio() const { return obtained_gain_ns / step_ns; }
  bool for_memory() const { return predicted_saved_bytes > 0; }
  /// FASTER: the advice was right; SAME or SLOWER: it was wrong; UNSURE: not decided. Advice for memory was right where
  /// it freed at least half of what it promised, whatever the time.
  bool decided() const { return for_memory() || verdict != ChangeClass::unsure; }
  bool right() const {
    return for_memory() ? obtained_saved_bytes >= 0.5 * predicted_saved_bytes : verdict == ChangeClass::faster;
  }
  /// Obtained by predicted, of what was aimed at.
  double kept() const {
    return for_memory() ? obtained_saved_bytes / predicted_saved_bytes : obtained_ratio() / predicted_ratio();
  }
};

/// advice.jsonl in the folder tensortide of $XDG_DATA_HOME, else of ~/.local/share. Empty: neither is set.
std::filesystem::path advice_file();
/// Adds one line. Refused, naming the file, when it cannot be written.
engine::Result<void> append_trial(const std::filesystem::path& file, const AdviceTrial&);

struct AdviceLedger {
  std::vector<AdviceTrial> trials;  ///< oldest first
  int unreadable = 0;               ///< lines that are no trial
};
/// Empty where there is no file. Refused when it cannot be read.
engine::Result<AdviceLedger> read_ledger(const std::filesystem::path& file);

/// The newest trial of a finding's change on this very capture: of its command and its median step. Null: none.
const AdviceTrial* trial_of(std::span<const AdviceTrial>, const Capture&, const RunFinding&);

/// How one rule did.
struct AdviceRecord {
  std::string rule;
  int trials = 0, right = 0, wrong = 0;  ///< the rest was not decided
  double kept_ratio = 0;                 ///< median of AdviceTrial::kept() over decided trials; NaN: none said
};
/// Per rule in the catalog's order, rules that were never tried left out; then "all" when there was any trial.
std::vector<AdviceRecord> advice_records(std::span<const AdviceTrial>);
/// "right in 3 of 4 trials"; empty: never tried.
std::string record_text(std::span<const AdviceRecord>, const std::string& rule);

/// Row per trial, newest first; row per rule.
Table trials_table(const AdviceLedger&);
Table advice_table(const AdviceLedger&);

}  // namespace profiler
