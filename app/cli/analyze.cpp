// SPDX-License-Identifier: Apache-2.0
// tensortide analyze: shows a capture as text, CSV or JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/findings_output.h"
#include "app/cli/foreign.h"
#include "app/cli/output.h"
#include "app/cli/terminal_table.h"
#include "engine/base/nearest_name.h"
#include "profiler/analysis/allocated.h"
#include "profiler/analysis/fusion_ledger.h"
#include "profiler/analysis/groups.h"
#include "profiler/analysis/overlap.h"
#include "profiler/analysis/pipeline.h"
#include "profiler/analysis/roof_words.h"
#include "profiler/analysis/roofline.h"
#include "profiler/analysis/tables.h"
#include "profiler/analysis/transfers.h"
#include "profiler/model/capture_file.h"
#include "profiler/model/roofs_beside.h"
#include "profiler/model/roofs_trust.h"
#include "profiler/model/words.h"
#include "profiler/sweep/curve.h"
#include "profiler/sweep/file.h"
#include "profiler/sweep/reference.h"

namespace app::cli {
namespace {

using engine::Result;
using nlohmann::json;

struct Options {
  std::string file, table = "summary", by = "op", against, format = "text";
  bool json = false;
};

int print_summary(const profiler::Analyzed& analyzed, Format format) {
  if (format == Format::json) {
    const json document = {{"table", "summary"}, {"run", run_json(*analyzed.capture)}, {"summary", summary_json(analyzed)}};
    print_json(document);
  } else if (format == Format::csv) {
    show("{}", profiler::to_csv(profiler::summary_table(analyzed)));
  } else {
    show("{}", summary_text(analyzed));
  }
  return kDone;
}

bool of_sweep(const std::string& table) { return table == "sweep" || table == "series" || table == "reference"; }

/// `--table` was not given, or names one of a sweep's.
int analyze_sweep(const Options& options, Format format) {
  if (options.table != "summary" && !of_sweep(options.table)) {
    if (Result<void> known = profiler::check_table_name(options.table); !known) return report(known.error());
    return report(engine::usage_error(fmt::format(
        "[--table] {} is a sweep: it has the tables sweep, series and reference; the captures of its points, in {}, have \"{}\"", options.file,
        profiler::points_folder(options.file).string(), options.table)));
  }
  Result<profiler::Sweep> sweep = profiler::open_sweep(options.file);
  if (!sweep) return report(sweep.error());
  const profiler::Table table = options.table == "series"      ? profiler::sweep_series_table(*sweep)
                                : options.table == "reference" ? profiler::reference_table(*sweep)
                                                               : profiler::sweep_table(*sweep);
  if (format == Format::json) {
    const bool part = options.table == "series" || options.table == "reference";
    const json document = part ? table_json(table) : sweep_document(*sweep, options.file);
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
  if (Result<void> partner = profiler::check_fusion_partner(*analyzed.capture, **other); !partner) return partner.error();
  const auto other_analyzed = profiler::analyze(*std::move(other), analyzed.rules);
  return profiler::fused_ops_table(analyzed, other_analyzed.get());
}

std::vector<std::string> above_roof_sentences(const profiler::Analyzed& analyzed) {
  std::string words = profiler::above_roof_words(analyzed);
  return words.empty() ? std::vector<std::string>() : std::vector{std::move(words)};
}

/// Where bytes known in two ways are apart, or move faster than the measured roof lets them.
std::vector<std::string> doubts_of_bytes(const profiler::Analyzed& analyzed) {
  std::vector<std::string> sentences = bytes_apart_sentences(analyzed, false);
  std::ranges::move(above_roof_sentences(analyzed), std::back_inserter(sentences));
  return sentences;
}

/// What a table comes to, in sentences.
std::vector<std::string> findings(const profiler::Analyzed& analyzed, const std::string& table) {
  if (table == "transfers") return profiler::transfers(*analyzed.capture, analyzed.rules).findings;
  if (table == "overlap") return profiler::overlap(*analyzed.capture, analyzed.rules).findings;
  if (table == "pipeline") {
    const std::string sentence = profiler::pipeline(*analyzed.capture).sentence;
    return sentence.empty() ? std::vector<std::string>{"This run loaded no data while it was recorded."} : std::vector{sentence};
  }
  if (table == "memory" && !analyzed.capture->run().source.empty()) {
    std::vector<std::string> sentences = profiler::allocated_sentences(*analyzed.capture);
    sentences.emplace_back(
        "Live tensors are unknown: an imported trace does not hold their lifetimes.");
    return sentences;
  }
  if (table == "roofs") {
    const std::string none = profiler::roofline(*analyzed.capture, analyzed.model).roofs.empty() ? profiler::no_roofs_words(*analyzed.capture) : std::string();
    return none.empty() ? above_roof_sentences(analyzed) : std::vector{none};
  }
  if (table == "roofline") {
    const profiler::Roofline points = profiler::roofline(*analyzed.capture, analyzed.model);
    const auto none = std::ranges::count_if(points.points, [](const auto& p) { return std::isnan(p.intensity); });
    std::vector<std::string> sentences;
    if (none > 0) {
      sentences.push_back(fmt::format("{} of {} no bytes at {} level, and so no intensity: there arithmetic alone is the roof.", none, points.points.size() == 1 ? "1 point has" : fmt::format("{} points have", points.points.size()),
                                      none == 1 ? "its" : "their"));
    }
    if (points.ops_without_flops > 0) {
      sentences.push_back(fmt::format("{} without FLOPs {} not listed.", profiler::counted(static_cast<uint64_t>(points.ops_without_flops), "op"), points.ops_without_flops == 1 ? "is" : "are"));
    }
    std::ranges::move(doubts_of_bytes(analyzed), std::back_inserter(sentences));
    return sentences;
  }
  if (table == "fusion" || table == "fused_ops") return profiler::fusion_ledger(analyzed).findings;
  if (table == "ops" || table == "traffic" || table == "cache" || table == "verdicts") return doubts_of_bytes(analyzed);
  return {};
}

/// Why a table has no rows; empty: it has some.
std::string why_empty(const profiler::Analyzed& analyzed, const profiler::Table& table) {
  const profiler::Capture& capture = *analyzed.capture;
  if (!table.rows.empty()) return {};
  if (table.name == "overlap" || table.name == "transfers" || table.name == "links") return "No rows: no work or copies of a GPU were recorded.";
  if (capture.ops().empty()) return "No rows: no ops were recorded, only what the timeline shows.";
  if (table.name == "traffic" && !capture.run().source.empty()) return "No rows: the trace holds neither the caches of its machine nor the shapes of all ops.";
  if (table.name == "cache_tensors") {
    const profiler::TrafficSource* source = analyzed.sources.simulated();
    if (source != nullptr && !source->method.empty()) return source->method;  // "Not simulated: ..."
    return capture.run().source.empty()
               ? "No rows: no caches were simulated; record with --collect simulate."
               : "No rows: ops of an imported trace are not simulated.";
  }
  if (table.name == "roofline") return "No rows: no op has known FLOPs, bytes and a time.";
  return "No rows.";
}

/// Most expensive first, as profilers list; what has no time comes last, in the order of the step. Layers stay in the order of the network.
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
  for (const std::string& doubt : {profiler::roofs_weakness(analyzed.capture->machine()), profiler::roofs_beside_words(analyzed.capture->machine())}) {
    if (!doubt.empty()) show("{}\n", doubt);
  }
}

int analyze(const Options& options, const CLI::App& verb) {
  const std::map<std::string, Format> formats{{"text", Format::text}, {"csv", Format::csv}, {"json", Format::json}};
  const Format format = options.json ? Format::json : formats.at(options.format);
  const std::optional<profiler::OpsBy> by = profiler::parse_ops_by(options.by);
  if (!by) {
    const std::vector<std::string> known{"op", "layer", "type", "kernel", "phase"};
    return report(engine::usage_error(fmt::format("[--by] unknown roll-up \"{}\": it is one of {}{}", options.by, fmt::join(known, ", "), engine::did_you_mean(options.by, known))));
  }
  if (verb.count("--by") > 0 && options.table != "ops") {
    if (Result<void> known = of_sweep(options.table) ? Result<void>() : profiler::check_table_name(options.table); !known) return report(known.error());
    return report(engine::usage_error(fmt::format("[--by] {}: it rolls up --table ops, not --table {}; leave one of them out", options.by, options.table)));
  }
  if (of_sweep(options.table) || profiler::is_sweep(options.file)) return analyze_sweep(options, format);
  if (Result<void> known = profiler::check_table_name(options.table); !known) return report(known.error());
  if (!options.against.empty() && options.table != "fused_ops") {
    return report(engine::usage_error(fmt::format("[--against] is for --table fused_ops, not {}", options.table)));
  }
  auto capture = open_any(options.file);
  if (!capture) return report(capture.error());
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
  Result<profiler::Table> table = options.against.empty() ? profiler::table_by_name(*analyzed, options.table, *by)
                                                          : fused_ops_against(*analyzed, options.against);
  if (!table) return report(table.error());
  std::vector<std::string> said;
  if (options.table == "ops" && *by != profiler::OpsBy::layer) order_by_time(*table);
  switch (format) {
    case Format::text:
      if (options.table == "ops") add_step(*analyzed, *table);
      show("{}", terminal_text(*table));
      said = findings(*analyzed, options.table);
      if (said.empty() && table->rows.empty()) said.push_back(why_empty(*analyzed, *table));
      for (const std::string& sentence : said) show("{}\n", sentence);
      if (options.table == "ops" || options.table == "roofline") print_weak_roofs(*analyzed);
      break;
    case Format::csv: show("{}", profiler::to_csv(*table)); break;
    case Format::json: {
      json document = table_json(*table);
      if (options.table == "ops") document["step_parts"] = step_parts_json(*analyzed);
      if (options.table == "roofs" && table->rows.empty()) document["no_rows"] = profiler::no_roofs_words(*analyzed->capture);
      print_json(document);
      break;
    }
  }
  return kDone;
}

/// The names of all tables, in lines that fit a terminal.
std::string tables_text() {
  std::string text = "Tables:", line;
  const auto add = [&](std::string_view name) {
    if (line.size() + name.size() > 88) text += line + "\n ", line.clear();
    line += fmt::format(" {}", name);
  };
  for (const auto& name : profiler::table_names()) add(name);
  for (const char* name : {"(of a sweep)", "sweep", "series", "reference"}) add(name);
  return text + line;
}

}  // namespace

Handler add_analyze(CLI::App& verb) {
  auto o = std::make_shared<Options>();
  verb.add_option("file", o->file, "Capture, sweep, or trace of another tool")->required()->option_text("FILE");
  verb.add_option("--table", o->table, "Table; see below (default summary)")->capture_default_str()->option_text("NAME");
  verb.add_option("--by", o->by, "Rows of --table ops [op, layer, type, kernel, phase] (default op)")->capture_default_str()->option_text("GROUP");
  verb.add_option("--against", o->against, "For --table fused_ops: the same step with the other --fuse")->option_text("FILE");
  add_formats(verb, o->format, o->json);
  verb.footer(tables_text() + "\nExample: tensortide analyze r.tide --table ops --by type");
  return [o, &verb] { return analyze(*o, verb); };
}

}  // namespace app::cli
