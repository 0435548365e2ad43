// SPDX-License-Identifier: Apache-2.0
// What a child writes under `--progress json`, one JSON object per line, and what else it wrote. One reader for command
// line and window.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace app {

/// What a step needs, known before it runs.
struct ProgressPlan {
  int ops = 0;
  double flops = std::numeric_limits<double>::quiet_NaN(), operand_bytes = flops,
         memory_bytes = flops;  ///< NaN: unknown
};

/// One line. Other keys are passed over, values of the wrong type are as missing ones.
struct ProgressLine {
  bool is_progress = false;     ///< it has a stage; else it ends something
  std::string stage;            ///< "recording"; of a sweep with its point: "measuring batch=4"
  std::optional<bool> changed;  ///< of a trial: whether the process that runs has the change
  int step = 0, steps = 0;      ///< steps = 0: not known yet
  double fraction = 0;          ///< 0..1 of the whole
  double last_step_ns = std::numeric_limits<double>::quiet_NaN();  ///< NaN: unknown
  int recent_steps = 0;  ///< that ended since the line before; the range of their times
  double shortest_ns = std::numeric_limits<double>::quiet_NaN(), longest_ns = shortest_ns;  ///< NaN: unknown
  double loss = std::numeric_limits<double>::quiet_NaN();                                   ///< NaN: unknown
  bool loss_failed = false;                                                                 ///< it was no finite number
  std::optional<ProgressPlan> planned;
  std::string result_file, result_note, error_message;
};
/// Nothing where the line is no JSON object: something else printed it.
std::optional<ProgressLine> parse_progress_line(std::string_view line);

/// The lines of a child's stderr, however they arrive in pieces.
class ProgressReader {
 public:
  /// `told` may be empty; it receives each line of progress.
  explicit ProgressReader(std::function<void(const ProgressLine&)> told = nullptr) : told_(std::move(told)) {}
  void add(std::string_view bytes);
  /// The child is gone: what stands without a line's end is a line.
  void finish();

  // The last of each that the child reported, verbatim; empty: none.
  const std::string& result_file() const { return result_file_; }
  const std::string& result_note() const { return result_note_; }
  const std::string& error() const { return error_; }
  /// What it wrote beside, without blanks at the ends; at most the last 20 lines.
  const std::vector<std::string>& other_lines() const { return other_lines_; }

 private:
  void take_line();
  std::function<void(const ProgressLine&)> told_;
  std::string line_, result_file_, result_note_, error_;
  std::vector<std::string> other_lines_;
};

}  // namespace app
