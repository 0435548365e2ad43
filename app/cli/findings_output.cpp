// SPDX-License-Identifier: Apache-2.0
// Findings for programs and for people.
#include "app/cli/findings_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/output.h"
#include "profiler/analysis/findings/findings_caveat.h"
#include "profiler/analysis/step_shares.h"
#include "profiler/machine/roofs_trust.h"

namespace app::cli {
namespace {

using nlohmann::json;
using profiler::format_quantity;
using profiler::Quantity;
using profiler::RunFinding;

constexpr size_t kMostOps = 4;

std::string where_text(const profiler::Capture& capture, const RunFinding& finding) {
  std::string text;
  for (size_t i = 0; i < std::min(finding.ops.size(), kMostOps); ++i)
    text += (i > 0 ? ", " : "") + std::string(capture.name(capture.ops()[finding.ops[i]].name));
  if (finding.ops.size() > kMostOps) text += fmt::format(" and {} more", finding.ops.size() - kMostOps);
  return text;
}

}  // namespace

json finding_json(const profiler::Capture& capture, const RunFinding& finding, size_t number) {
  json evidence = json::array(), ops = json::array();
  for (const profiler::FindingFigure& f : finding.evidence) {
    evidence.push_back(
        {{"key", f.key}, {"title", f.title}, {"value", json_number(f.value)}, {"origin", name(f.origin)}});
  }
  for (const profiler::OpId op : finding.ops) ops.push_back(capture.name(capture.ops()[op].name));
  json change = nullptr;
  if (finding.change) {
    change = {{"option", finding.change->option},
              {"before", finding.change->before},
              {"value", finding.change->value},
              {"flag", finding.change->flag()},
              {"work_ratio", finding.change->work_ratio}};
  }
  return {{"number", number},
          {"rule", finding.rule},
          {"sentence", profiler::found_text(finding)},
          {"advice", finding.advice},
          {"ops", ops},
          {"evidence", evidence},
          {"gain_ns", json_number(finding.gain_ns)},
          {"saved_bytes", finding.saved_bytes > 0 ? json(finding.saved_bytes) : json(nullptr)},
          {"gain_origin", name(profiler::Origin::modelled)},
          {"gain_how", finding.gain_how},
          {"change", change},
          {"no_change", finding.no_change.empty() ? json(nullptr) : json(finding.no_change)}};
}

json findings_json(const profiler::Analyzed& analyzed, std::span<const profiler::AdviceRecord> records) {
  json list = json::array();
  const std::vector<RunFinding> found = profiler::findings(analyzed);
  for (size_t i = 0; i < found.size(); ++i) {
    list.push_back(finding_json(*analyzed.capture, found[i], i + 1));
    const auto at = std::ranges::find(records, found[i].rule, &profiler::AdviceRecord::rule);
    list.back()["record"] = at == records.end()
                                ? json(nullptr)
                                : json{{"trials_count", at->trials},
                                       {"right_count", at->right},
                                       {"wrong_count", at->wrong},
                                       {"kept_ratio", json_figure(at->kept_ratio, profiler::Origin::measured)}};
  }
  const std::string weakness = profiler::roofs_weakness(analyzed.capture->machine());
  const std::string caveat = profiler::findings_caveat(*analyzed.capture);
  return {{"table", "findings"},
          {"findings", list},
          {"caveat", caveat.empty() ? json() : json(caveat)},
          {"roofs_weakness", weakness.empty() ? json() : json(weakness)}};
}

std::string findings_text(const profiler::Analyzed& analyzed, std::span<const profiler::AdviceRecord> records) {
  const std::vector<RunFinding> found = profiler::findings(analyzed);
  if (found.empty()) {
    const std::string caveat = profiler::findings_caveat(*analyzed.capture);
    return "No rule found anything worth changing." + (caveat.empty() ? "" : " " + caveat) + "\n";
  }
  const double step_ns = profiler::median_step_ns(*analyzed.capture);
  std::string text = profiler::findings_caveat(*analyzed.capture);
  if (!text.empty()) text += "\n\n";
  for (size_t i = 0; i < found.size(); ++i) {
    const RunFinding& f = found[i];
    text += fmt::format("{}. {} ({})\n", i + 1, profiler::found_text(f), f.rule);
    text += fmt::format("   {}\n", profiler::advice_text(f));
    text += fmt::format("   Gain: {} (modelled{}).\n", profiler::gain_text(f, step_ns),
                        f.gain_how.empty() ? "" : ": " + f.gain_how);
    for (const profiler::FindingFigure& e : f.evidence)
      text += fmt::format("   - {} {} ({})\n", format_quantity(e.value, e.quantity), e.title, name(e.origin));
    if (!f.ops.empty()) text += fmt::format("   Where: {}\n", where_text(*analyzed.capture, f));
    if (f.change) text += fmt::format("   Try it: {}  (tensortide try FILE --finding {})\n", f.change->flag(), i + 1);
    if (const std::string record = profiler::record_text(records, f.rule); !record.empty())
      text += fmt::format("   This rule was {} (tensortide advice).\n", record);
    text += "\n";
  }
  return text;
}

}  // namespace app::cli
