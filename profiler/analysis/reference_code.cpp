// SPDX-License-Identifier: Apache-2.0
// Sums the time of ops that ran in reference code, or that change a layout, and says so.
#include "profiler/analysis/reference_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "engine/tensor/shape.h"
#include "profiler/analysis/step_shares.h"
#include "profiler/base/say.h"

namespace profiler {
namespace {

constexpr size_t kMostTypes = 3;

/// How a tensor lies, in a word.
std::string layout_word(const TensorRecord& t) {
  for (size_t i = 0; i < t.shape.size(); ++i) {
    if (t.strides[i] == 0 && t.shape[i] > 1) return say("repeated");
  }
  if (engine::is_contiguous(t.shape, t.strides)) return say("row-major");
  if (engine::is_channels_last(t.shape, t.strides)) return say("channels-last");
  return engine::is_dense(t.shape, t.strides) ? say("transposed") : say("strided");
}

}  // namespace

engine::CodeKind code_of(const Capture& capture, const OpRecord& op) {
  if (!capture.run().source.empty() || !capture.computed() || op.view) return engine::CodeKind::unknown;
  return capture.facts(op.id).code;
}

ReferenceCode reference_code(const Analyzed& analyzed) {
  ReferenceCode code;
  for (const OpRecord& op : analyzed.capture->ops()) {
    const double t = time_of(analyzed, op.id);
    if (!engine::is_reference(code_of(*analyzed.capture, op)) || !(t > 0)) continue;
    code.ops.push_back(op.id);
    code.time_ns += t;
  }
  std::ranges::stable_sort(code.ops, std::greater{}, [&](OpId op) { return time_of(analyzed, op); });
  code.share = code.time_ns * share_per_ns(analyzed);
  return code;
}

namespace {

/// "gru, group_norm and 2 more": types of ops, those that took longest first.
std::string longest_types(const Analyzed& analyzed, const std::vector<OpId>& ops) {
  const Capture& c = *analyzed.capture;
  std::vector<std::pair<double, std::string_view>> types;
  for (const OpId op : ops) {
    const std::string_view type = c.name(c.ops()[op].type);
    const auto at = std::ranges::find(types, type, &std::pair<double, std::string_view>::second);
    if (at == types.end()) types.emplace_back(time_of(analyzed, op), type);
    else at->first += time_of(analyzed, op);
  }
  std::ranges::stable_sort(types, std::greater{}, &std::pair<double, std::string_view>::first);
  std::string list;
  for (size_t i = 0; i < std::min(types.size(), kMostTypes); ++i)
    list += (i > 0 ? ", " : "") + std::string(types[i].second);
  if (types.size() > kMostTypes) list += say(" and {} more", types.size() - kMostTypes);
  return list;
}

/// Whether an op computes nothing and its one result has the elements of its one operand in another order.
bool changes_layout(const Capture& capture, const OpRecord& op) {
  const auto operands = capture.operands(op);
  if (op.view || op.flops != 0 || operands.size() != 2 || operands[0].output == operands[1].output) return false;
  const TensorRecord &a = capture.tensors()[operands[0].tensor], &b = capture.tensors()[operands[1].tensor];
  if (a.dtype != b.dtype || a.shape != b.shape) return false;
  for (size_t i = 0; i < a.shape.size(); ++i) {
    if (a.shape[i] > 1 && a.strides[i] != b.strides[i]) return true;
  }
  return false;
}

}  // namespace

LayoutCopies layout_copies(const Analyzed& analyzed) {
  LayoutCopies copies;
  const Capture& capture = *analyzed.capture;
  if (!capture.run().source.empty() || !capture.computed()) return copies;
  for (const OpRecord& op : capture.ops()) {
    const double t = time_of(analyzed, op.id);
    if (!(t > 0) || !changes_layout(capture, op)) continue;
    copies.ops.push_back(op.id);
    copies.time_ns += t;
  }
  std::ranges::stable_sort(copies.ops, std::greater{}, [&](OpId op) { return time_of(analyzed, op); });
  copies.share = copies.time_ns * share_per_ns(analyzed);
  return copies;
}

std::string layout_words(const Analyzed& analyzed, const LayoutCopies& copies) {
  constexpr double kWorthSaying = 0.01;
  if (!(copies.share >= kWorthSaying)) return {};
  return say("{:.0f} % of the step copies tensors into another layout ({}).", 100 * copies.share,
             longest_types(analyzed, copies.ops));
}

std::string reference_words(const Analyzed& analyzed, const ReferenceCode& code) {
  if (code.ops.empty()) return {};
  const std::string list = longest_types(analyzed, code.ops);
  const std::string part = std::isnan(code.share) ? say("A part of the step")
                           : code.share < 0.01    ? say("Less than 1 % of the step")
                                                  : say("{:.0f} % of the step", 100 * code.share);
  return say("{} runs in slow reference code ({}): no fast kernel takes {} as {} yet.", part, list,
             code.ops.size() == 1 ? say("this op") : say("these ops"),
             code.ops.size() == 1 ? say("it is") : say("they are"));
}

std::string operand_words(const Capture& capture, const OpRecord& op) {
  std::string text;
  for (const OperandRecord& o : capture.operands(op)) {
    const TensorRecord& t = capture.tensors()[o.tensor];
    text += fmt::format("{}{}{} {} {}", text.empty() ? "" : ", ", o.output ? say("to ") : std::string(),
                        engine::name(t.dtype), engine::to_string(t.shape), layout_word(t));
  }
  return text;
}

}  // namespace profiler
