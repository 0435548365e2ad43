// SPDX-License-Identifier: Apache-2.0
// Looks reasons up in their catalog; headlines of verdicts.
#include "profiler/analysis/verdict/verdict_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "engine/base/check.h"
#include "profiler/analysis/verdict/limits.h"
#include "profiler/analysis/verdict/reason_rows.h"

namespace profiler {
namespace {

const ReasonRow& row_of(ReasonKind kind) {
  static const std::array<const ReasonRow*, kReasonKindCount> rows = [] {
    std::array<const ReasonRow*, kReasonKindCount> all{};
    for (const std::span<const ReasonRow> some : {reason_rows(), gpu_reason_rows(), cause_rows()}) {
      for (const ReasonRow& row : some) {
        CHECK(all[static_cast<size_t>(row.kind)] == nullptr);
        all[static_cast<size_t>(row.kind)] = &row;
      }
    }
    for (const ReasonRow* row : all) CHECK(row != nullptr);
    return all;
  }();
  return *rows[static_cast<size_t>(kind)];
}

}  // namespace

std::string_view name(ReasonKind kind) { return row_of(kind).name; }

std::string part(double ratio) {
  if (ratio > 0 && ratio < 0.01) return "less than 1 %";
  return fmt::format("{:.0f} %", 100 * ratio);
}

std::string reason_text(const Reason& reason) { return row_of(reason.kind).text(reason); }

std::vector<std::string> verdict_text(const Verdict& v) {
  std::vector<std::string> sentences;
  for (const Reason& reason : v.reasons) sentences.push_back(reason_text(reason));
  return sentences;
}

std::string cause_text(const Verdict& v) {
  std::vector<std::string> clauses;
  for (const Reason& cause : v.causes) clauses.push_back(reason_text(cause));
  return fmt::format("{}", fmt::join(clauses, "; "));
}

std::string class_text(const Verdict& v) {
  const std::string mostly = v.mostly ? "mostly " : "";
  switch (v.bound) {
    case Bound::memory:
      return v.level == kStoresLevel ? "bound by stores" : fmt::format("{}memory-bound at {}", mostly, v.level);
    case Bound::latency:
      if (v.level == kChainLevel) return mostly + "latency-bound by multiply-adds";
      return mostly + (v.level.empty() ? "latency-bound" : "latency-bound at " + v.level);
    case Bound::compute: return mostly + "compute-bound";
    case Bound::balanced: return fmt::format("{}balanced between compute and {}", mostly, v.beside);
    case Bound::dispatch: return "dispatch-bound";
    case Bound::overhead: return cause_words(v.bound, v.level);
    case Bound::too_short: return "too short to judge";
    case Bound::inconsistent: return "inconsistent: faster than its roofs";
    case Bound::transfer: return "transfer-bound";
    case Bound::launch: return "launch-bound";
    case Bound::parallelism: return "grid too small";
    case Bound::communication: return "communication";
    case Bound::waiting: return cause_words(v.bound, v.level);
    case Bound::unknown: return find(v.reasons, ReasonKind::view) != nullptr ? "view: costs nothing" : "unknown";
  }
  return "unknown";
}

std::string cause_words(Bound bound, const std::string& level) {
  switch (bound) {
    case Bound::memory: return level + " bandwidth";
    case Bound::latency: return level + " latency";
    case Bound::compute: return "arithmetic";
    case Bound::balanced: return "arithmetic and " + (level.empty() ? "memory" : level) + " bandwidth alike";
    case Bound::dispatch: return "starting threads";
    case Bound::overhead: return "kernel inefficiency";
    case Bound::transfer: return "copies with nothing beside them";
    case Bound::launch: return "launching kernels";
    case Bound::parallelism: return "grids too small for the GPU";
    case Bound::communication: return "communication between GPUs";
    case Bound::waiting:
      return level == "sleep"                   ? "sleeping threads"
             : level.empty() || level == "data" ? "waiting for data"
                                                : fmt::format("waiting for data ({})", level);
    case Bound::too_short: return "time stamps too coarse";
    case Bound::inconsistent: return "inconsistent figures";
    case Bound::unknown: return "unknown";
  }
  return "unknown";
}

std::string headline(const Verdict& v) {
  // Of an unknown class there is nothing to be sure of, and a contradiction does not become a class when pushed.
  const bool sure = v.firm || v.bound == Bound::unknown || v.bound == Bound::inconsistent;
  return class_text(v) + (v.counted ? " (measured)" : "") + (sure ? "" : " (likely)");
}

}  // namespace profiler
