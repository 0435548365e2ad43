// SPDX-License-Identifier: Apache-2.0
// One JSON object a line: appended whole, read line by line.
#include "profiler/advice/ledger.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <ranges>
#include <sstream>

#include "engine/base/display_text.h"
#include "engine/base/json_text.h"
#include "engine/base/read_file.h"
#include "profiler/analysis/step_shares.h"
#include "profiler/base/unknown.h"
#include "profiler/base/words.h"

namespace profiler {
namespace {

namespace fs = std::filesystem;
using engine::refused_error;
using engine::Result;
using nlohmann::json;

constexpr uint64_t kLargestLedger = uint64_t{64} << 20;  // some 100000 trials

constexpr std::array kVerdicts{ChangeClass::unsure, ChangeClass::same, ChangeClass::faster, ChangeClass::slower};

/// Calls f(key, member) for every field of a trial, so that what is written is what is read.
template <class Trial, class F>
void visit(Trial& t, F&& f) {
  f("tried_at", t.tried_at), f("version", t.product_version), f("machine", t.machine), f("workload", t.workload),
      f("command", t.command);
  f("rule", t.rule), f("option", t.option), f("before", t.before), f("value", t.value), f("work_ratio", t.work_ratio);
  f("captured_step_ns", t.captured_step_ns), f("predicted_gain_ns", t.predicted_gain_ns), f("step_ns", t.step_ns);
  f("obtained_gain_ns", t.obtained_gain_ns), f("obtained_low_ns", t.obtained_low_ns),
      f("obtained_high_ns", t.obtained_high_ns);
  f("probability", t.probability), f("pairs_count", t.pairs);
}

/// Fields that lines of earlier versions lack: 0 there.
template <class Trial, class F>
void visit_newer(Trial& t, F&& f) {
  f("predicted_saved_bytes", t.predicted_saved_bytes), f("obtained_saved_bytes", t.obtained_saved_bytes);
}

json to_json(const AdviceTrial& trial) {
  json line;
  visit(trial, [&](const char* key, const auto& value) {
    if constexpr (std::is_floating_point_v<std::decay_t<decltype(value)>>) {
      line[key] = std::isfinite(value) ? json(value) : json(nullptr);
    } else {
      line[key] = value;
    }
  });
  visit_newer(trial, [&](const char* key, double value) { line[key] = value; });
  line["verdict"] = name(trial.verdict);
  return line;
}

/// False: some field is missing or of another kind.
bool from_json(const json& line, AdviceTrial& trial) {
  bool whole = line.is_object();
  if (!whole) return false;
  visit(trial, [&](const char* key, auto& value) {
    using T = std::decay_t<decltype(value)>;
    const auto at = line.find(key);
    if (at == line.end()) {
      whole = false;
    } else if constexpr (std::is_same_v<T, std::string>) {
      at->is_string() ? void(value = engine::display_line(at->template get_ref<const std::string&>()))
                      : void(whole = false);
    } else if constexpr (std::is_same_v<T, int>) {
      at->is_number_integer() && *at >= 0 && *at <= 1000000 ? void(value = at->template get<int>())
                                                            : void(whole = false);
    } else {
      at->is_number() ? void(value = at->template get<double>())
      : at->is_null() ? void(value = kUnknown)
                      : void(whole = false);
    }
  });
  visit_newer(trial, [&](const char* key, double& value) {
    const auto at = line.find(key);
    if (at == line.end()) return;
    at->is_number() ? void(value = at->get<double>()) : void(whole = false);
  });
  const auto verdict = line.find("verdict");
  if (verdict == line.end() || !verdict->is_string()) return false;
  const auto known =
      std::ranges::find_if(kVerdicts, [&](ChangeClass c) { return name(c) == verdict->get_ref<const std::string&>(); });
  if (known == kVerdicts.end()) return false;
  trial.verdict = *known;
  return whole;
}

Cell figure(double value) { return std::isfinite(value) ? Cell(value) : Cell(); }

void count(const AdviceTrial& t, AdviceRecord& record, std::vector<double>& kept) {
  ++record.trials;
  if (!t.decided()) return;
  t.right() ? ++record.right : ++record.wrong;
  if (const double ratio = t.kept(); std::isfinite(ratio)) kept.push_back(ratio);
}

}  // namespace

fs::path advice_file() {
  // The XDG specification: a relative path is to be ignored.
  if (const char* folder = std::getenv("XDG_DATA_HOME"); folder != nullptr && fs::path(folder).is_absolute()) {
    return fs::path(folder) / "tensortide" / "advice.jsonl";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return fs::path(home) / ".local/share/tensortide/advice.jsonl";
  return {};
}

Result<void> append_trial(const fs::path& file, const AdviceTrial& trial) {
  if (file.empty()) return refused_error("advice cannot be remembered: neither XDG_DATA_HOME nor HOME is set");
  std::error_code code;
  fs::create_directories(file.parent_path(), code);
  const std::string line = to_json(trial).dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  // One write to the end of the file: two trials that end together do not mix.
  const int handle = open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (handle < 0) return refused_error(fmt::format("{}: cannot be written: {}", file.string(), std::strerror(errno)));
  const ssize_t written = write(handle, line.data(), line.size());
  const int error = errno;
  close(handle);
  if (written != static_cast<ssize_t>(line.size())) {
    return refused_error(fmt::format("{}: the trial was not written whole: {}", file.string(),
                                     written < 0 ? std::strerror(error) : "no space"));
  }
  return {};
}

Result<AdviceLedger> read_ledger(const fs::path& file) {
  AdviceLedger ledger;
  std::error_code code;
  if (file.empty() || !fs::exists(file, code)) return ledger;
  const Result<std::string> text = engine::read_file(file, kLargestLedger);
  if (!text) return refused_error(text.error().message + "; move it away: a ledger of trials is needed here");
  std::istringstream in(*text);
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) continue;
    AdviceTrial trial;
    from_json(engine::parse_json(line), trial) ? ledger.trials.push_back(std::move(trial)) : void(++ledger.unreadable);
  }
  return ledger;
}

std::vector<AdviceRecord> advice_records(std::span<const AdviceTrial> trials) {
  std::vector<AdviceRecord> records;
  const auto add = [&](const std::string& rule, auto&& counts) {
    AdviceRecord record{.rule = rule};
    std::vector<double> kept;
    for (const AdviceTrial& t : trials) {
      if (counts(t)) count(t, record, kept);
    }
    record.kept_ratio = median(kept);
    if (record.trials > 0) records.push_back(std::move(record));
  };
  for (const FindingRule& rule : finding_rules())
    add(rule.key, [&](const AdviceTrial& t) { return t.rule == rule.key; });
  add("all", [](const AdviceTrial& t) { return t.rule != kOwnChange; });
  return records;
}

const AdviceTrial* trial_of(std::span<const AdviceTrial> trials, const Capture& capture, const RunFinding& finding) {
  if (!finding.change) return nullptr;
  const RunChange& change = *finding.change;
  const double step_ns = median_step_ns(capture);
  const auto of_it = [&](const AdviceTrial& t) {  // times of two captures do not agree to nine digits
    return t.command == capture.run().command && t.option == change.option && t.before == change.before &&
           t.value == change.value && std::abs(t.captured_step_ns - step_ns) <= 1e-9 * step_ns;
  };
  for (const AdviceTrial& t : trials | std::views::reverse) {
    if (of_it(t)) return &t;
  }
  return nullptr;
}

std::string record_text(std::span<const AdviceRecord> records, const std::string& rule) {
  const auto at = std::ranges::find(records, rule, &AdviceRecord::rule);
  if (at == records.end()) return {};
  if (at->right + at->wrong == 0)
    return at->trials == 1 ? say("tried once, never decided") : say("tried {} times, never decided", at->trials);
  return at->right + at->wrong == 1 ? say("right in {} of 1 trial", at->right)
                                    : say("right in {} of {} trials", at->right, at->right + at->wrong);
}

Table advice_table(const AdviceLedger& ledger) {
  Table table;
  table.name = "advice";
  table.columns = {{"rule", "Rule", Quantity::text, Origin::exact, "Which rule gave the advice"},
                   {"trials_count", "Tried", Quantity::count, Origin::exact,
                    "How often its advice was tried on this machine's account"},
                   {"right_count", "Right", Quantity::count, Origin::measured,
                    "Faster beyond noise, or freed at least half of the predicted memory"},
                   {"wrong_count", "Wrong", Quantity::count, Origin::measured,
                    "Same, slower, or freed less; the rest was not decided"},
                   {"kept_ratio", "Obtained", Quantity::percent_of, Origin::measured,
                    "Median of obtained / predicted: parts of a step, or bytes"}};
  for (const AdviceRecord& r : advice_records(ledger.trials)) {
    table.rows.push_back({r.rule, static_cast<double>(r.trials), static_cast<double>(r.right),
                          static_cast<double>(r.wrong), figure(r.kept_ratio)});
  }
  return table;
}

Table trials_table(const AdviceLedger& ledger) {
  Table table;
  table.name = "trials";
  table.columns = {
      {"tried_at", "When", Quantity::text, Origin::exact, "Local time"},
      {"rule", "Rule", Quantity::text, Origin::exact, "Which rule gave the advice"},
      {"workload", "Workload", Quantity::text, Origin::exact, "What was run"},
      {"change", "Change", Quantity::text, Origin::exact, "From what to what"},
      {"predicted_ratio", "Predicted", Quantity::percent_of, Origin::modelled,
       "Part of the captured step that the finding predicted"},
      {"obtained_ratio", "Obtained", Quantity::percent_of, Origin::measured,
       "Part of a step, measured again, that the change saved; negative: slower"},
      {"obtained_low_ratio", "at least", Quantity::percent_of, Origin::measured, "Low end of the 95 % interval"},
      {"obtained_high_ratio", "at most", Quantity::percent_of, Origin::measured, "High end of the 95 % interval"},
      {"saved_bytes", "Memory freed", Quantity::bytes, Origin::exact, "Where memory was the aim"},
      {"verdict", "Verdict", Quantity::text, Origin::measured, "SAME, FASTER, SLOWER or UNSURE"},
      {"step_ns", "Step", Quantity::duration_ns, Origin::measured, "Without the change"},
      {"machine", "Machine", Quantity::text, Origin::exact, "Processor"}};
  for (size_t i = ledger.trials.size(); i-- > 0;) {
    const AdviceTrial& t = ledger.trials[i];
    table.rows.push_back({t.tried_at, t.rule, t.workload, fmt::format("{} {} to {}", t.option, t.before, t.value),
                          figure(t.predicted_ratio()), figure(t.obtained_ratio()),
                          figure(t.obtained_low_ns / t.step_ns), figure(t.obtained_high_ns / t.step_ns),
                          t.for_memory() ? Cell(t.obtained_saved_bytes) : Cell(), std::string(name(t.verdict)),
                          figure(t.step_ns), t.machine});
  }
  return table;
}

}  // namespace profiler
