// SPDX-License-Identifier: Apache-2.0
// Findings: what should be changed, with evidence, the gain to expect, and the option of `tensortide run` that changes
// it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/analysis/analyze.h"
#include "profiler/base/origin.h"
#include "profiler/base/table.h"
#include "profiler/capture/capture.h"

namespace profiler {

/// A change to the run as a finding proposes it.
struct RunChange {
  /// run: an option of `tensortide run` ("batch", "fuse", "threads"); workload: a parameter of this run's workload
  /// ("checkpointing", "overlap"). The rule that proposes a change knows which. Nobody guesses it from the name.
  enum class Scope : uint8_t { run, workload };
  Scope scope = Scope::run;
  std::string option;
  std::string before, value;  ///< "4", "8"
  /// Work of one step after by before: 2 where the batch is doubled. Gains are per unit of the captured step's work.
  double work_ratio = 1;
  static RunChange of_run(std::string option, std::string before, std::string value, double work_ratio = 1);
  static RunChange of_workload(std::string option, std::string before, std::string value);
  /// The words for `tensortide run`: {"--batch", "8"} or {"--set", "checkpointing=sqrt"}.
  std::array<std::string, 2> words() const;
  /// The same as one text: "--batch 8", "--set checkpointing=sqrt".
  std::string flag() const;
};

struct FindingFigure {
  std::string key;    ///< ends in its unit: "moved_bytes"
  std::string title;  ///< "moved from DRAM"
  double value = 0;
  Quantity quantity = Quantity::count;
  Origin origin = Origin::modelled;
};

struct RunFinding {
  std::string rule;       ///< key of the rule: "write-allocate"
  std::string sentence;   ///< what is so, with its numbers: one sentence
  std::string advice;     ///< what to do about it
  std::vector<OpId> ops;  ///< where, longest first
  std::vector<FindingFigure> evidence;
  double gain_ns = 0;      ///< per step as captured; modelled; NaN: unknown; negative only where memory is the aim
  double saved_bytes = 0;  ///< of memory, where that is the aim, not time; modelled
  std::string gain_how;    ///< how the gain was computed
  std::optional<RunChange> change;
  std::string no_change;  ///< without one: why no option of a run does it
  std::string besides;    ///< what else is so, in sentences of their own; empty: nothing
};
/// The sentence and what else is so.
std::string found_text(const RunFinding&);
/// The advice, and why no option of a run follows it where none does.
std::string advice_text(const RunFinding&);
/// The same beside figures of the whole run: that a trace cannot be repeated is said at its findings.
std::string advice_text(const RunFinding&, const Capture&);

/// One rule: a file in findings/, a line in its catalog.
struct FindingRule {
  const char* key;
  const char* meaning;  ///< one sentence
  /// Its findings are of time in which no op runs (of a GPU: in which it stands still).
  bool outside_ops = false;
};
std::span<const FindingRule> finding_rules();

/// "saves 3.1 ms per step, 12 % of it", "frees 812 MB of memory and costs 41 ms per step", "gain unknown".
std::string gain_text(const RunFinding&, double step_ns);
/// Largest gain first, then those who free memory, then those of unknown gain. Gains of time below the threshold
/// worth_finding_ratio of the step are left out.
std::vector<RunFinding> findings(const Analyzed&);
/// The text after "Try it:": the first finding that a run can try; null: none.
const RunFinding* first_to_try(const std::vector<RunFinding>&);
/// Row per finding.
Table findings_table(const Analyzed&);

}  // namespace profiler
