// SPDX-License-Identifier: Apache-2.0
// Report: what a report says, page after page, as data. HTML and PDF are two ways to write it down.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "profiler/analysis/analyze.h"
#include "profiler/base/origin.h"
#include "profiler/base/table.h"
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
  std::string rest;  ///< what is left out and where it is; empty: nothing
};
/// A claim with what it rests on.
struct ReportFinding {
  std::string claim;
  std::vector<std::string> evidence;
  std::string advice;  ///< empty: none
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

struct Report {
  std::string title;                  ///< "ResNet-50 · batch 16 · f32 · training · cpu (2 threads)"
  std::string subtitle;               ///< when, with what, from which file
  std::vector<std::string> warnings;  ///< why the figures say less than they seem to
  std::vector<ReportAnswer> answers;  ///< four
  std::vector<ReportSection> sections;
  std::vector<std::string> charts;  ///< keys of the views whose pictures belong in it, in order
  ReportRecord record;
};

/// "ResNet-50 · batch 16 · f32 · training · cpu (2 threads)": a run in one line.
std::string run_heading(const RunInfo&);

/// `file`: named in the report, without its folder.
Report capture_report(const Analyzed&, const std::string& file);
Report sweep_report(const Sweep&, const std::string& file);

/// How a number was obtained, in a sentence: the legend of the marks.
std::string origin_meaning(Origin);

/// A picture for an HTML report: an SVG element without prolog.
struct ReportPicture {
  std::string key, title, description, svg;
};
/// One HTML file in XML syntax: no scripts, nothing loaded, numbers as <data value>, printable. Carries the record.
std::string report_html(const Report&, const std::vector<ReportPicture>&);

}  // namespace profiler
