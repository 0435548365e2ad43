// SPDX-License-Identifier: Apache-2.0
// Report: what a report says, page after page, as data. HTML and PDF are two ways to write it down.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "profiler/analysis/analyze.h"
#include "profiler/base/origin.h"
#include "profiler/base/table.h"
#include "profiler/compare/comparison.h"
#include "profiler/report/record.h"
#include "profiler/sweep/sweep.h"

namespace profiler {

/// One number, or some words, with its name.
struct ReportFact {
  std::string key;    ///< where `analyze --json` has it: "step_ns"; empty: nowhere
  std::string label;  ///< "Time per step"
  double value = 0;   ///< base units; NaN: unknown, and `note` says why
  Quantity quantity = Quantity::text;
  Origin origin = Origin::exact;
  std::string text;  ///< of Quantity::text: the words themselves
  std::string note;  ///< error band, reason for an unknown
};
/// A number for people, or the words; an en dash for what is unknown.
std::string shown(const ReportFact&);

/// One of the four questions on the first page.
struct ReportAnswer {
  std::string question;           ///< "How long?"
  std::string headline;           ///< the answer in a few words, at most a line
  std::vector<ReportFact> facts;  ///< the numbers behind it
  std::vector<std::string> sentences;
  bool wide_labels = false;  ///< the labels are sentences: advice with the gain beside it
};

/// Why figures of the report may be wrong. Page 1 has one badge with the first reason, a section has the details.
struct ReportDoubt {
  std::string reason;  ///< "noisy step times"
  std::string detail;  ///< one sentence or two, with the figures
};

/// The picture of page 1: the first answer, and what it is made of, as bars from 0.
struct ReportBars {
  struct Bar {
    std::string label = {};
    double value = 0;                                          ///< NaN: unknown, no bar
    double before = std::numeric_limits<double>::quiet_NaN();  ///< of a comparison: a second bar
    double low = std::numeric_limits<double>::quiet_NaN();     ///< 95 % interval; NaN: none
    double high = std::numeric_limits<double>::quiet_NaN();
    Bound bound = Bound::unknown;  ///< its colour
    std::string shown = {};        ///< beside the bar: "41.0 ms, 2.3 %"
    std::string detail = {};       ///< on hover: the whole name and figures
  };
  std::string title = {}, help = {};
  std::vector<Bar> bars = {};  ///< in order; those that do not fit are summed up, or left out
  bool sums = true;            ///< whether bars add up, so that the rest can be one bar
  bool judged = false;         ///< colours mean limits, and a legend says which
  struct Step {
    size_t number = 0;  ///< among the timed steps, from 1
    double ns = 0;
  };
  std::vector<Step> steps = {};  ///< the timed steps in order, of very many a part; empty or one: no strip
  double median = 0, low = 0, high = 0;
  Quantity quantity = Quantity::duration_ns;
};

struct ReportText {
  std::string text;
  enum class Kind { plain, code, warning } kind = Kind::plain;
};
struct ReportFacts {
  std::vector<ReportFact> facts;
};
struct ReportTable {
  std::string title;
  Table table;
  std::string rest;       ///< what is left out and where it is; empty: nothing
  size_t text_limit = 0;  ///< characters of a name; longer ones are shortened, so that a row is a line; 0: names wrap
  size_t paper_rows = 0;  ///< rows on paper; a page on screen has all; 0: all
};
/// The signature of a function by its name: "void f<T>(T)" becomes "f<T>". Other names stay.
std::string without_signature(const std::string& name);
/// A name as a table with a limit shows it: kernels without template arguments, then without its middle.
std::string short_name(const std::string& name, size_t limit);
/// The text of a cell, and whether it is shorter than what it stands for.
struct ShownCell {
  std::string text;
  bool shortened = false;
};
ShownCell shown_cell(const ReportTable&, size_t row, size_t column);
/// A claim with what it rests on.
struct ReportFinding {
  std::string claim;
  std::vector<std::string> evidence;
  std::string advice;  ///< empty: none, or page 1 has it
};
struct ReportFindings {
  std::vector<ReportFinding> findings;
};
/// Here the pictures stand, drawn by the code that draws the screen.
struct ReportCharts {};
/// Here stands what the marks of measured, modelled, ... mean.
struct ReportOrigins {};
using ReportBlock = std::variant<ReportText, ReportFacts, ReportTable, ReportFindings, ReportCharts, ReportOrigins>;

struct ReportSection {
  std::string id, title;  ///< "machine", "Machine and method"
  std::vector<ReportBlock> blocks;
};

/// What a report can be of. Each kind has its own sections and its own first page.
enum class ReportKind : uint8_t { capture, trace, sweep, comparison };
std::string_view name(ReportKind);
/// trace: the capture was imported from another tool's.
ReportKind report_kind(const Capture&);

/// Keys of the sections that a report is to have, in any order. Nothing: the usual ones.
using ReportChoice = std::optional<std::vector<std::string>>;

struct Report {
  ReportKind kind = ReportKind::capture;
  std::string title;                  ///< "ResNet-50 · batch 16 · f32 · training · cpu (2 threads)"
  std::string subtitle;               ///< when, with what, from which file
  std::vector<ReportDoubt> doubts;    ///< why the figures say less than they seem to, worst first
  std::vector<ReportAnswer> answers;  ///< four; none: they were not chosen
  std::optional<ReportBars> lead;     ///< beside the answers
  std::vector<ReportSection> sections;
  struct Chart {
    std::string key;  ///< of the view that draws it
    std::string why;  ///< the finding that chose it; empty: somebody did
  };
  std::vector<Chart> charts;  ///< in order
  ReportRecord record;
};
/// "Low confidence: noisy step times (and 2 more reasons)"; empty: there is no doubt.
std::string badge_words(const Report&);

/// "ResNet-50 · batch 16 · f32 · training · cpu (2 threads)": a run in one line.
std::string run_heading(const RunInfo&);

/// `file`: named in the report, without its folder. A choice must have passed check_choice().
Report capture_report(const Analyzed&, const std::string& file, const ReportChoice& = {});
Report sweep_report(const Sweep&, const std::string& file, const ReportChoice& = {});
/// `after` compared with `before`; `comparison` is of these two.
Report comparison_report(const Comparison& comparison, const CompareSide& before, const CompareSide& after,
                         const ReportChoice& = {});

/// How a number was obtained, in a sentence: the legend of the marks.
std::string origin_meaning(Origin);

/// A picture for an HTML report: an SVG element without prolog.
struct ReportPicture {
  std::string key, title, description, svg;
};
/// The key of the picture of Report::lead.
inline constexpr const char* kLeadPicture = "lead";
/// One HTML file in XML syntax: no scripts, nothing loaded, numbers as <data value>, printable. Carries the record.
/// Sorting and zoom are style sheets alone.
std::string report_html(const Report&, const std::vector<ReportPicture>&);

}  // namespace profiler
