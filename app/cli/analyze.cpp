// SPDX-License-Identifier: Apache-2.0
// tensortide analyze: shows a capture as text, CSV or JSON.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/findings_output.h"
#include "app/cli/foreign.h"
#include "app/cli/output.h"
#include "app/cli/terminal_table.h"
#include "app/cli/time_range.h"
#include "engine/base/nearest_name.h"
#include "profiler/analysis/base/groups.h"
#include "profiler/analysis/fusion_ledger.h"
#include "profiler/analysis/roof_words.h"
#include "profiler/analysis/step_shares.h"
#include "profiler/analysis/tables/tables.h"
#include "profiler/capture/capture_builder.h"
#include "profiler/machine/roofs_beside.h"
#include "profiler/machine/roofs_trust.h"
#include "profiler/store/capture_file.h"
#include "profiler/sweep/file.h"
#include "profiler/sweep/table_catalog.h"

namespace app::cli {
namespace {

using engine::Result;
using nlohmann::json;

struct AnalyzeArguments {
  std::vector<std::string> graphs;
  std::string file, table = "summary", by = "op", against, roofs, range, format = "text";
  bool json = false;
};

int print_summary(const profiler::Analyzed& analyzed, Format format) {
  if (format == Format::json) {
    const json document = {
        {"table", "summary"}, {"run", run_json(*analyzed.capture)}, {"summary", summary_json(analyzed)}};
    print_json(document);
  } else if (format == Format::csv) {
    show("{}", profiler::to_csv(profiler::summary_table(analyzed)));
  } else {
    show("{}", summary_text(analyzed));
  }
  return kDone;
}

std::string names_of_sweep_tables() {
  std::vector<std::string_view> names;
  for (const profiler::SweepTableEntry& entry : profiler::sweep_table_catalog()) names.emplace_back(entry.name);
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

/// `--table` was not given, or names one of a sweep's.
int analyze_sweep(const AnalyzeArguments& options, Format format) {
  const profiler::SweepTableEntry* const entry = profiler::find_sweep_table(options.table);
  if (options.table != "summary" && entry == nullptr) {
    if (const auto known = profiler::find_table(options.table); !known) return report(known.error());
    return report(engine::usage_error(fmt::format(
        "[--table] {} is a sweep: it has the tables {}; the captures of its points, in {}, have \"{}\"", options.file,
        names_of_sweep_tables(), profiler::points_folder(options.file).string(), options.table)));
  }
  Result<profiler::Sweep> sweep = profiler::open_sweep(options.file);
  if (!sweep) return report(sweep.error());
  const profiler::SweepTableEntry* const whole = &profiler::sweep_table_catalog().front();
  const profiler::Table table = (entry != nullptr ? entry : whole)->make(*sweep);
  if (format == Format::json) {
    const json document = entry != nullptr && entry != whole ? table_json(table) : sweep_document(*sweep, options.file);
    print_json(document);
  } else if (format == Format::csv) {
    show("{}", profiler::to_csv(table));
  } else if (options.table == "summary") {
    show("{}", sweep_text(*sweep));
  } else {
    show("{}", terminal_text(table));
  }
  return kDone;
}

/// The table of fused ops with what two captures, of --fuse on and off, say of the gain.
Result<profiler::Table> fused_ops_against(const profiler::Analyzed& analyzed, const std::string& file) {
  auto other = open_any(file);
  if (!other) return other.error();
  if (Result<void> partner = profiler::check_fusion_partner(*analyzed.capture, **other); !partner)
    return partner.error();
  const auto other_analyzed = profiler::analyze(*std::move(other), analyzed.rules);
  return profiler::fused_ops_table(analyzed, other_analyzed.get());
}

/// Most expensive first, as profilers list; what has no time comes last, in the order of the step. Layers stay in the
/// order of the network.
void order_by_time(profiler::Table& table) {
  const auto column = std::ranges::find(table.columns, "time_ns", &profiler::Column::key);
  if (column == table.columns.end()) return;
  const auto at = static_cast<size_t>(column - table.columns.begin());
  const auto time = [at](const std::vector<profiler::Cell>& row) {
    const double* value = std::get_if<double>(&row[at]);
    return value != nullptr ? *value : -1;
  };
  std::ranges::stable_sort(table.rows, [&](const auto& a, const auto& b) { return time(a) > time(b); });
  table.row_ops.clear();  // they stood in the old order
}

/// Below all ops, what makes their times those of the step.
void add_step(const profiler::Analyzed& analyzed, profiler::Table& table) {
  const profiler::StepParts parts = profiler::step_parts(analyzed);
  if (!parts.known() || table.rows.empty()) return;
  const auto add = [&](const std::string& name, double time_ns, profiler::Cell share) {
    std::vector<profiler::Cell> row(table.columns.size());
    for (size_t c = 0; c < row.size(); ++c) {
      const profiler::Column& column = table.columns[c];
      if (c == 0) row[c] = name;
      else if (column.key == "time_ns") row[c] = time_ns;
      else if (column.key == "share_ratio") row[c] = share;
      else if (column.quantity == profiler::Quantity::text) row[c] = std::string();
    }
    table.rows.push_back(std::move(row));
  };
  add("(between ops)", parts.between_ns, parts.between_ns / parts.step_ns);
  if (parts.has_rest()) add(fmt::format("({})", profiler::kRestName), parts.rest_ns, parts.rest_ns / parts.step_ns);
  add("(whole step)", parts.step_ns, 1.0);
}

/// Under what was computed from roofs.
void print_weak_roofs(const profiler::Analyzed& analyzed) {
  for (const std::string& doubt : {profiler::roofs_weakness(analyzed.capture->machine()),
                                   profiler::roofs_beside_words(analyzed.capture->machine())}) {
    if (!doubt.empty()) show("{}\n", doubt);
  }
}

int analyze(const AnalyzeArguments& options, const CLI::App& verb) {
  const std::map<std::string, Format> formats{{"text", Format::text}, {"csv", Format::csv}, {"json", Format::json}};
  const Format format = options.json ? Format::json : formats.at(options.format);
  const std::optional<profiler::OpsBy> by = profiler::parse_ops_by(options.by);
  if (!by) {
    const std::vector<std::string> known{"op", "layer", "type", "kernel", "phase", "device"};
    return report(engine::usage_error(fmt::format("[--by] unknown roll-up \"{}\": it is one of {}{}", options.by,
                                                  fmt::join(known, ", "), engine::did_you_mean(options.by, known))));
  }
  const bool of_sweep = profiler::find_sweep_table(options.table) != nullptr;
  if (verb.count("--by") > 0 && options.table != "ops") {
    if (const auto known = profiler::find_table(options.table); !known && !of_sweep) return report(known.error());
    return report(engine::usage_error(fmt::format(
        "[--by] {}: it rolls up --table ops, not --table {}; leave one of them out", options.by, options.table)));
  }
  if (of_sweep || profiler::is_sweep(options.file)) {
    if (!options.range.empty())
      return report(engine::usage_error(
          fmt::format("[--range] {}: a sweep has points, no time; leave --range out", options.file)));
    return analyze_sweep(options, format);
  }
  const auto entry = profiler::find_table(options.table);
  if (!entry) return report(entry.error());
  if (!options.against.empty() && options.table != "fused_ops") {
    return report(engine::usage_error(fmt::format("[--against] is for --table fused_ops, not {}", options.table)));
  }
  auto capture = open_any(options.file, options.roofs, {options.graphs.begin(), options.graphs.end()});
  if (!capture) return report(capture.error());
  if (!options.range.empty()) {
    const auto range = parse_range(options.range, **capture);
    if (!range) return report(range.error());
    capture = profiler::CaptureBuilder::cut(**capture, range->begin_ns, range->end_ns);
    if (!capture) return report(capture.error());
  }
  const auto rules = profiler::VerdictRules::of_user();
  if (!rules) return report(rules.error());
  const auto analyzed = profiler::analyze(*std::move(capture), *rules);
  if (options.table == "summary") return print_summary(*analyzed, format);
  if (options.table == "findings" && format != Format::csv) {
    // A ledger that cannot be read is no reason to keep the findings back.
    const Result<profiler::AdviceLedger> ledger = profiler::read_ledger(profiler::advice_file());
    const auto records = ledger ? profiler::advice_records(ledger->trials) : std::vector<profiler::AdviceRecord>();
    if (format == Format::json) {
      print_json(findings_json(*analyzed, records));
    } else {
      show("{}", findings_text(*analyzed, records));
      print_weak_roofs(*analyzed);
    }
    return kDone;
  }
  profiler::TableText shown;
  if (format == Format::text) {
    shown = (*entry)->text(*analyzed, *by);
  } else if (options.against.empty()) {
    shown.table = (*entry)->table(*analyzed, *by);
  }
  Result<profiler::Table> table = options.against.empty() ? Result<profiler::Table>(std::move(shown.table))
                                                          : fused_ops_against(*analyzed, options.against);
  if (!table) return report(table.error());
  if (options.table == "ops" && *by != profiler::OpsBy::layer) order_by_time(*table);
  switch (format) {
    case Format::text:
      if (options.table == "ops") add_step(*analyzed, *table);
      show("{}", terminal_text(*table));
      if (shown.sentences.empty() && table->rows.empty())
        shown.sentences.push_back(profiler::why_empty(**entry, *analyzed));
      for (const std::string& sentence : shown.sentences) show("{}\n", sentence);
      if (options.table == "ops" || options.table == "roofline") print_weak_roofs(*analyzed);
      break;
    case Format::csv: show("{}", profiler::to_csv(*table)); break;
    case Format::json: {
      json document = table_json(*table);
      if (options.table == "ops") document["step_parts"] = step_parts_json(*analyzed);
      if (options.table == "roofs" && table->rows.empty())
        document["no_rows"] = profiler::no_roofs_words(*analyzed->capture);
      print_json(document);
      break;
    }
  }
  return kDone;
}

/// A line per table, as the help shows them.
std::string tables_text() {
  std::string text = "Tables:\n";
  for (const profiler::TableEntry& entry : profiler::table_catalog())
    text += fmt::format("  {:<13}  {}\n", entry.name, entry.help);
  text += "Tables of a sweep:\n";
  for (const profiler::SweepTableEntry& entry : profiler::sweep_table_catalog())
    text += fmt::format("  {:<13}  {}\n", entry.name, entry.help);
  return text;
}

}  // namespace

Handler add_analyze(CLI::App& verb) {
  auto o = std::make_shared<AnalyzeArguments>();
  verb.add_option("file", o->file, "Capture, sweep, or trace of another tool")->required()->option_text("FILE");
  verb.add_option("--table", o->table, "Table; see below (default summary)")
      ->capture_default_str()
      ->option_text("NAME");
  verb.add_option("--by", o->by, "Rows of ops [op, layer, type, kernel, phase, device] (default op)")
      ->capture_default_str()
      ->option_text("GROUP");
  verb.add_option("--against", o->against, "For --table fused_ops: the same step with the other --fuse")
      ->option_text("FILE");
  verb.add_option("--roofs", o->roofs, "Roofs of a trace: of this machine (here), or of a GPU by its name")
      ->option_text("WHERE");
  verb.add_option("--graphs", o->graphs, "Trace of the capture of replayed CUDA graphs; repeatable")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->option_text("FILE");
  verb.add_option("--range", o->range, "Only what happened in this part of the time: 10ms:20ms, 5s:")
      ->option_text("START:END");
  add_formats(verb, o->format, o->json);
  verb.footer(tables_text() + "Example: tensortide analyze r.tide --table ops --by type");
  return [o, &verb] { return analyze(*o, verb); };
}

}  // namespace app::cli
