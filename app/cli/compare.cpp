// SPDX-License-Identifier: Apache-2.0
// tensortide compare: two or more runs, op by op: what takes longer, by how much, how sure, and what explains it.
#include "profiler/compare/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "app/base/child_run.h"
#include "app/base/repeat_runs.h"
#include "app/base/run_settings.h"
#include "app/cli/argument_checks.h"
#include "app/cli/command.h"
#include "app/cli/foreign.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/run_options.h"
#include "profiler/compare/repeats.h"
#include "profiler/store/capture_file.h"
#include "profiler/sweep/file.h"

namespace app::cli {
namespace {

using engine::Result;
using nlohmann::json;
using profiler::ChangeClass;
using profiler::CompareSide;
using profiler::Comparison;

struct CompareArguments {
  std::vector<std::string> files, against;
  std::string repeat, fail_on, format = "text";
  int margin = 5;
  size_t rows = 30;
  bool json = false;
};

Result<CompareSide> open_side(const std::string& file) {
  if (profiler::is_sweep(file)) {
    return engine::usage_error(fmt::format("[file] {} is a sweep: compare captures, as those of its points in {}", file,
                                           profiler::points_folder(file).string()));
  }
  auto capture = open_any(file);
  if (!capture) return capture.error();
  if ((*capture)->ops().empty())
    return engine::refused_error(fmt::format("{}: has no ops: there is nothing to compare", file));
  const auto rules = profiler::VerdictRules::of_user();
  if (!rules) return rules.error();
  return profiler::side_of(file, profiler::analyze(*std::move(capture), *rules));
}

/// A side from the captures of one thing: the first is shown, all are samples.
Result<CompareSide> open_group(const std::vector<std::string>& files) {
  Result<CompareSide> side = open_side(files.front());
  if (!side) return side;
  for (size_t i = 1; i < files.size(); ++i) {
    auto repeat = open_any(files[i]);
    if (!repeat) return repeat.error();
    if (Result<void> added = profiler::add_repeat(*side, files[i], **repeat); !added) return added.error();
  }
  return side;
}

Result<CompareSide> open_with_repeats(const std::string& file) {
  Result<CompareSide> side = open_side(file);
  if (!side) return side;
  if (Result<int> added = profiler::add_repeats(*side, file); !added) return added.error();
  return side;
}

/// "10" or "5..20".
Result<void> repeat(const CompareArguments& o, const profiler::ChangeTest& test) {
  const Result<Counts> rounds = parse_counts("--repeat", o.repeat, 2, 1000);
  if (!rounds) return rounds.error();
  Result<std::filesystem::path> program = own_program();
  if (!program) return program.error();
  RepeatOptions options{{},       rounds->least, rounds->most,
                        *program, test,          [](const std::string& note) { tell("{}\n", note); }};
  options.captures.assign(o.files.begin(), o.files.end());
  int round = 0;
  return repeat_runs(
      options,
      [&](const RepeatProgress& p) {
        if (p.round != round)
          tell("repeat {} of {}{}\n", p.round, options.least == options.most ? "" : "at most ", p.rounds);
        round = p.round;
      },
      stop_on_interrupt());
}

/// What stands under Before and After: three quarters of the steps take longer, so they are below what `analyze` says.
constexpr const char* kTimesAre =
    "are lower quartiles (Q1) of the steps of a process, over several processes their geometric mean: neither means "
    "nor medians";

json change_json(const profiler::CompareRow& row) {
  const profiler::Change& c = row.change;
  return {{"verdict", verdict_words(row)},
          {"ratio", json_number(c.ratio)},
          {"low_ratio", json_number(c.low)},
          {"high_ratio", json_number(c.high)},
          {"probability_ratio", json_number(c.probability)},
          {"noise_ratio", json_number(c.noise)},
          {"noise_assumed", c.noise_assumed},
          {"before_ns", json_number(row.before_ns)},
          {"after_ns", json_number(row.after_ns)},
          {"before_processes", c.before},
          {"after_processes", c.after},
          {"before_limit", row.before_verdict},
          {"after_limit", row.after_verdict},
          {"origin", "measured"}};
}

json bytes_json(const Comparison& c) {
  json links = json::array();
  links.push_back({{"link", "compulsory"},
                   {"before_bytes", json_number(c.total.compulsory.before)},
                   {"after_bytes", json_number(c.total.compulsory.after)},
                   {"origin", "exact"}});
  for (size_t l = 0; l < c.links.size(); ++l) {
    links.push_back({{"link", c.links[l]},
                     {"before_bytes", json_number(c.total.links[l].before)},
                     {"after_bytes", json_number(c.total.links[l].after)},
                     {"origin", "modelled"}});
  }
  return links;
}

json results_json(const profiler::ResultsCompared& r) {
  using Kind = profiler::ResultsCompared::Kind;
  const bool known = r.kind != Kind::unknown;
  return {{"same", known ? json(r.kind == Kind::identical) : json()},
          {"words", results_words(r)},
          {"compared", r.results},
          {"identical", r.identical},
          {"distance_ratio", known ? json_number(r.distance) : json()},
          {"worst", r.kind == Kind::apart ? json(r.worst) : json()}};
}

json comparison_json(const Comparison& c) {
  return {{"before", c.before},
          {"after", c.after},
          {"per_sample", c.per_sample},
          {"sentence", c.sentence},
          {"times", kTimesAre},
          {"step", change_json(c.total)},
          {"matched",
           {{"before_ops", c.before_ops},
            {"before_matched", c.before_matched},
            {"after_ops", c.after_ops},
            {"after_matched", c.after_matched},
            {"before_time_ratio", json_number(c.before_matched_ratio)},
            {"after_time_ratio", json_number(c.after_matched_ratio)},
            {"different_work", c.different_work()}}},
          {"results", results_json(c.results)},
          {"bytes", bytes_json(c)},
          {"ops", table_json(profiler::compare_table(c))},
          {"notes", c.notes},
          {"how", c.how}};
}

/// The columns of a screen's width, and no more rows than asked.
profiler::Table digest(const profiler::Table& all, size_t rows) {
  profiler::Table table{.name = all.name, .columns = {}, .rows = {}, .row_ops = {}};
  const std::vector<std::string> wanted{"op",          "verdict",     "change",   "ratio_low",
                                        "ratio_high",  "before_ns",   "after_ns", "difference_ns",
                                        "share_ratio", "after_limit", "match",    "notes"};
  std::vector<size_t> kept;
  for (const std::string& key : wanted) {
    const auto found = std::ranges::find(all.columns, key, &profiler::Column::key);
    kept.push_back(static_cast<size_t>(found - all.columns.begin()));
    table.columns.push_back(*found);
  }
  for (size_t r = 0; r < std::min(rows + 1, all.rows.size()); ++r) {
    std::vector<profiler::Cell> cells;
    for (const size_t c : kept) cells.push_back(all.rows[r][c]);
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string bytes_text(const Comparison& c) {
  const std::string per = c.per_sample ? "sample" : "step";
  std::string text = fmt::format("Bytes per {}:", per);
  const auto add = [&](const std::string& what, const profiler::ByteChange& b, const char* origin) {
    const auto words = [](double bytes) { return profiler::format_quantity(bytes, profiler::Quantity::bytes); };
    text += fmt::format("\n  {:<12} {:>10} → {:<10} {:>9}  ({})", what, words(b.before), words(b.after),
                        b.before == b.after || std::abs(b.after / b.before - 1) < 5e-4
                            ? std::string("same")
                            : profiler::change_words(b.after / b.before),
                        origin);
  };
  add("compulsory", c.total.compulsory, "exact");
  for (size_t l = 0; l < c.links.size(); ++l) add(c.links[l], c.total.links[l], "modelled");
  return text;
}

std::string comparison_text(const Comparison& c, size_t rows) {
  const profiler::Table table = profiler::compare_table(c);
  std::string text = fmt::format("{} → {}\n{}\nResults: {}\n\nTimes {}.\n\n{}", c.before, c.after, c.sentence,
                                 results_words(c.results), kTimesAre, profiler::to_text(digest(table, rows)));
  if (table.rows.size() > rows + 1)
    text += fmt::format("... and {} more (--rows {})\n", table.rows.size() - rows - 1, table.rows.size() - 1);
  text += fmt::format("\n{}\n", bytes_text(c));
  const bool changed = c.total.change.verdict == ChangeClass::slower || c.total.change.verdict == ChangeClass::faster;
  if (changed && c.total.verdict_changed)
    text += fmt::format("\nMost of the step was limited by {}, now by {} (modelled).\n", c.total.before_verdict,
                        c.total.after_verdict);
  for (const std::string& note : c.notes) text += fmt::format("- {}\n", note);
  return text + fmt::format("\nHow decided: {}\n", c.how);
}

/// Whether the answer is "no".
bool fails(const Comparison& c, const std::string& when) {
  const auto any = [&](ChangeClass wanted) {
    return c.total.change.verdict == wanted ||
           std::ranges::any_of(c.rows, [&](const profiler::CompareRow& row) { return row.change.verdict == wanted; });
  };
  if (when == "slower") return any(ChangeClass::slower);
  if (when == "changed") return any(ChangeClass::slower) || any(ChangeClass::faster);
  return when == "not-same" && c.total.change.verdict != ChangeClass::same;
}

Result<std::vector<Comparison>> compare_all(const CompareArguments& o, const profiler::ChangeTest& test) {
  std::vector<Comparison> comparisons;
  if (!o.against.empty()) {
    Result<CompareSide> before = open_group(o.files), after = open_group(o.against);
    if (!before) return before.error();
    if (!after) return after.error();
    comparisons.push_back(profiler::compare(*before, *after, test, unsaid_settings()));
    return comparisons;
  }
  if (!o.repeat.empty()) {
    if (Result<void> done = repeat(o, test); !done) return done.error();
  }
  Result<CompareSide> before = open_with_repeats(o.files.front());
  if (!before) return before.error();
  for (size_t i = 1; i < o.files.size(); ++i) {
    Result<CompareSide> after = open_with_repeats(o.files[i]);
    if (!after) return after.error();
    comparisons.push_back(profiler::compare(*before, *after, test, unsaid_settings()));
  }
  return comparisons;
}

Result<void> check(const CompareArguments& o) {
  if (o.against.empty() && o.files.size() < 2)
    return engine::usage_error("[file] one file alone has nothing to be compared with: give two, or --against");
  std::vector<std::filesystem::path> seen;
  for (const auto& list : {o.files, o.against}) {
    for (const std::string& file : list) {
      std::error_code missing;
      const auto path = std::filesystem::weakly_canonical(file, missing);
      if (!missing && std::ranges::find(seen, path) != seen.end())
        return engine::usage_error(fmt::format("[file] {} is given twice: compare two different captures", file));
      seen.push_back(path);
    }
  }
  return {};
}

int run(const CompareArguments& o) {
  if (Result<void> fine = check(o); !fine) return report(fine.error());
  profiler::ChangeTest test;
  test.same_margin = 0.01 * o.margin;
  Result<std::vector<Comparison>> comparisons = compare_all(o, test);
  if (!comparisons) return report(comparisons.error());
  const std::string format = o.json ? "json" : o.format;
  for (const Comparison& c : *comparisons) {
    if (!o.fail_on.empty() && std::isnan(c.total.change.ratio)) {
      return report(
          engine::refused_error("[--fail-on] the whole step could not be compared: one side has no timed step, so "
                                "there is no answer to fail on"));
    }
    if (!o.fail_on.empty() && c.different_work()) {
      return report(engine::refused_error(
          fmt::format("[--fail-on] {} and {} do different work: few ops match ({}), so there is no answer to fail on",
                      c.before, c.after, matched_words(c))));
    }
  }
  const bool failed = std::ranges::any_of(*comparisons, [&](const Comparison& c) { return fails(c, o.fail_on); });
  if (format == "json") {
    json list = json::array();
    for (const Comparison& c : *comparisons) list.push_back(comparison_json(c));
    const json document = {
        {"comparisons", list}, {"fail_on", o.fail_on.empty() ? json() : json(o.fail_on)}, {"failed", failed}};
    print_json(document);
  }
  for (size_t i = 0; i < comparisons->size() && format != "json"; ++i) {
    const Comparison& c = (*comparisons)[i];
    if (format == "csv") {
      show("{}", profiler::to_csv(profiler::compare_table(c)));
    } else {
      show("{}{}", i > 0 ? "\n" : "", comparison_text(c, o.rows));
    }
  }
  return failed ? kNo : kDone;
}

}  // namespace

Handler add_compare(CLI::App& verb) {
  auto o = std::make_shared<CompareArguments>();
  verb.add_option("files", o->files, "Captures or traces; the first is the reference")
      ->required()
      ->option_text("FILE...");
  verb.add_option("--against", o->against, "Captures of the second side; all before are repeats of the first")
      ->option_text("FILE...");
  verb.add_option("--repeat", o->repeat, "Run both commands again, in turn: 10, or 6..30")
      ->excludes("--against")
      ->option_text("N|N..M");
  verb.add_option("--fail-on", o->fail_on, "Exit with code 1 on [slower, changed, not-same]")
      ->check(CLI::IsMember({"slower", "changed", "not-same"}))
      ->option_text("WHAT");
  verb.add_option("--margin", o->margin, "Differences below this many percent may be SAME (default 5)")
      ->transform(whole_number(1, 100))
      ->capture_default_str()
      ->option_text("PERCENT");
  verb.add_option("--rows", o->rows, "Ops in the text (default 30)")
      ->transform(whole_number(0, 1000000))
      ->capture_default_str()
      ->option_text("N")
      ->group("Output");
  add_formats(verb, o->format, o->json);
  verb.footer(
      "Example: tensortide compare old.tide new.tide --repeat 10 --fail-on slower\n"
      "Example: tensortide compare a1.tide a2.tide a3.tide --against b1.tide b2.tide b3.tide\n"
      "Exit codes: 0 compared, 1 --fail-on holds, 2 wrong usage, 3 runtime error or nothing to judge.");
  return [o] { return run(*o); };
}

}  // namespace app::cli
