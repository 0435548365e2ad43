// SPDX-License-Identifier: Apache-2.0
// What several verbs print: tables in three formats, the summary as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/base/progress_line.h"
#include "profiler/analysis/analyze.h"
#include "profiler/base/origin.h"
#include "profiler/base/table.h"
#include "profiler/capture/capture.h"
#include "profiler/sweep/sweep.h"

namespace app::cli {

enum class Format { text, csv, json };

/// A document on standard output, indented; bytes that are no UTF-8 come as U+FFFD.
void print_json(const nlohmann::json&);
/// One JSON line on standard error, for a program that follows.
void tell_line(const nlohmann::json&);

/// Adds to a line of progress what a process tells of its steps in one of its own.
void add_steps(nlohmann::json& line, const ProgressLine& of_process);

/// null for NaN and infinities, else the number.
nlohmann::json json_number(double);
/// {"value": x, "origin": "measured"}.
nlohmann::json json_figure(double value, profiler::Origin);
/// The run itself: workload, arguments, device, threads, command, completeness, machine.
nlohmann::json run_json(const profiler::Capture&);
/// The four answers.
nlohmann::json summary_json(const profiler::Analyzed&);
/// What the median step is made of; nulls: unknown.
nlohmann::json step_parts_json(const profiler::Analyzed&);
/// {"table": name, "columns": [...with origin...], "rows": [...]}.
nlohmann::json table_json(const profiler::Table&);

/// The summary as a page of text: the four answers, then where the time goes, then how far to trust it.
std::string summary_text(const profiler::Analyzed&);

/// A sweep: its request, a row per point, a row per series.
nlohmann::json sweep_document(const profiler::Sweep&, const std::string& file);
/// The points in short, then what the curves say in sentences.
std::string sweep_text(const profiler::Sweep&);

}  // namespace app::cli
