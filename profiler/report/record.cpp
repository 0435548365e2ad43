// SPDX-License-Identifier: Apache-2.0
// The machine-readable part of a report: written as JSON into an attribute, and found again.
#include "profiler/report/record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/display_text.h"
#include "engine/base/json_text.h"
#include "engine/base/read_file.h"
#include "engine/base/shell_words.h"
#include "engine/tensor/device_name.h"
#include "profiler/capture/timed_steps.h"

namespace profiler {
namespace {

using engine::refused_error;
using engine::Result;
using nlohmann::json;

constexpr int kSchema = 1;
constexpr size_t kMostSteps = 1'000'000;
/// The record stands in the head of the page: no need to read pictures.
constexpr uint64_t kLooked = 32 << 20;

json number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

/// Byte for byte: what is used, not shown.
std::string raw_of(const json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

/// As it is shown.
std::string text_of(const json& object, const char* key) { return engine::display_line(raw_of(object, key)); }

/// What XML makes of an attribute: the five named references and numeric ones below 128.
std::string unescaped(std::string_view text) {
  static constexpr std::pair<std::string_view, char> kNamed[] = {{"&quot;", '"'}, {"&amp;", '&'},   {"&lt;", '<'},
                                                                 {"&gt;", '>'},   {"&apos;", '\''}, {"&#39;", '\''}};
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto named = std::ranges::find_if(kNamed, [&](const auto& n) { return text.substr(i).starts_with(n.first); });
    if (named == std::end(kNamed)) {
      result += text[i];
      continue;
    }
    result += named->second;
    i += named->first.size() - 1;
  }
  return result;
}

Result<std::vector<double>> steps_of(const json& object) {
  std::vector<double> steps;
  const auto at = object.find("step_ns");
  if (at == object.end()) return steps;
  if (!at->is_array() || at->size() > kMostSteps) return refused_error("its record's step_ns is no list of times");
  for (const json& value : *at) {
    const double ns = value.is_number() ? value.get<double>() : -1;
    if (!(ns > 0) || !std::isfinite(ns))
      return refused_error(fmt::format("its record's step_ns holds {}, which is no time of a step", value.dump()));
    steps.push_back(ns);
  }
  return steps;
}

/// A report is sent around: folders of whoever imported a trace are not part of it.
std::string without_folders(const std::string& command) {
  engine::Result<std::vector<std::string>> words = engine::shell_words(command);
  if (!words) return {};  // cannot be taken apart, so cannot be shown either
  for (std::string& word : *words) word.erase(0, word.find_last_of('/') + 1);
  return engine::shell_line(*words);
}

}  // namespace

ReportRecord record_of(const Capture& capture) {
  const RunInfo& run = capture.run();
  ReportRecord record;
  record.kind = run.source.empty() ? "capture" : "trace";
  record.title = run.title.empty() ? engine::display_line(run.workload) : run.title;
  record.command = run.source.empty() ? run.command : without_folders(run.command);
  if (const auto content = run.arguments.find("content"); run.source.empty() && content != run.arguments.end())
    record.content = content->second;
  record.device = run.device;
  record.machine = capture.machine().info.model;
  record.created_at = run.created_at;
  record.product_version = run.product_version;
  record.threads = run.threads;
  record.foreign_load_ratio = capture.honesty().foreign_load_ratio;
  record.step_ns = timed_steps_ns(capture);
  std::erase_if(record.step_ns, [](double ns) { return !(ns > 0); });
  return record;
}

ReportRecord record_of(const Sweep& sweep) {
  ReportRecord record;
  record.kind = "sweep";
  record.title = sweep.title.empty() ? engine::display_line(sweep.request.workload) : sweep.title;
  record.machine = sweep.machine.info.model;
  record.created_at = sweep.created_at;
  record.product_version = sweep.product_version;
  std::vector<std::string> words{"tensortide", "sweep", sweep.request.workload};
  words.insert(words.end(), sweep.request.fixed.begin(), sweep.request.fixed.end());
  for (const SweepAxis& axis : sweep.request.axes)
    words.insert(words.end(), {std::string("--axis"), fmt::format("{}={}", axis.name, fmt::join(axis.values, ","))});
  words.insert(words.end(), {std::string("--samples"),
                             fmt::format("{}..{}", sweep.request.least_samples, sweep.request.most_samples),
                             std::string("--noise"), fmt::format("{}", sweep.request.noise_target)});
  record.command = engine::shell_line(words);
  return record;
}

std::string to_json(const ReportRecord& r) {
  const json document = {
      {"schema", kSchema},
      {"kind", r.kind},
      {"title", r.title},
      {"command", r.command},
      {"content", r.content},
      {"device", r.device},
      {"threads", r.threads},
      {"machine", r.machine},
      {"created_at", r.created_at},
      {"version", r.product_version},
      {"foreign_load_ratio", number(r.foreign_load_ratio)},
      {"step_ns_origin", name(engine::traits_of(r.device).emulated ? Origin::emulated : Origin::measured)},
      {"step_ns", r.step_ns}};
  return document.dump(-1, ' ', true, json::error_handler_t::replace);
}

Result<ReportRecord> record_from_json(const std::string& text) {
  const json document = engine::parse_json(text);
  if (!document.is_object()) return refused_error("its record is damaged: no JSON object");
  const auto schema = document.find("schema");
  if (schema == document.end() || !schema->is_number_integer())
    return refused_error("its record is damaged: it has no schema");
  if (schema->get<int64_t>() > kSchema) {
    return refused_error(fmt::format(
        "its record has schema {}, this version reads up to {}: use the version that wrote it, or a newer one",
        schema->get<int64_t>(), kSchema));
  }
  ReportRecord r;
  r.kind = text_of(document, "kind");
  if (r.kind != "capture" && r.kind != "sweep" && r.kind != "trace")
    return refused_error(fmt::format("its record is of an unknown kind, \"{}\"", r.kind));
  r.title = text_of(document, "title");
  r.command = raw_of(document, "command");
  r.content = text_of(document, "content");
  r.device = text_of(document, "device");
  r.machine = text_of(document, "machine");
  r.created_at = text_of(document, "created_at");
  r.product_version = text_of(document, "version");
  if (const auto threads = document.find("threads"); threads != document.end() && threads->is_number_integer()) {
    r.threads = static_cast<int>(std::clamp<int64_t>(threads->get<int64_t>(), 0, 1 << 20));
  }
  if (const auto load = document.find("foreign_load_ratio"); load != document.end() && load->is_number())
    r.foreign_load_ratio = load->get<double>();
  Result<std::vector<double>> steps = steps_of(document);
  if (!steps) return steps.error();
  r.step_ns = *std::move(steps);
  return r;
}

Result<ReportRecord> read_report_record(const std::filesystem::path& file) {
  const std::string shown = engine::display_line(file.native());
  const Result<std::string> page = engine::read_front(file, kLooked);
  if (!page) return page.error();
  const std::string& text = *page;
  const std::string opening = fmt::format("<meta name=\"{}\" content=\"", kRecordName);
  const size_t begin = text.find(opening);
  if (begin == std::string::npos) {
    return refused_error(fmt::format(
        "{}: is no report of Tensortide: it holds no recorded command (`tensortide report` writes one into .html)",
        shown));
  }
  const size_t from = begin + opening.size(), end = text.find('"', from);
  if (end == std::string::npos) return refused_error(fmt::format("{}: is cut off within its record", shown));
  Result<ReportRecord> record = record_from_json(unescaped(std::string_view(text).substr(from, end - from)));
  if (!record) return engine::Error{record.error().kind, fmt::format("{}: {}", shown, record.error().message)};
  return record;
}

}  // namespace profiler
