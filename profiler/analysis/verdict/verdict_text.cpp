// SPDX-License-Identifier: Apache-2.0
// Looks reasons up in their catalog; headlines of verdicts.
#include "profiler/analysis/verdict/verdict_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "engine/base/check.h"
#include "profiler/analysis/verdict/limits.h"
#include "profiler/analysis/verdict/reason_rows.h"
#include "profiler/base/say.h"

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
  if (ratio > 0 && ratio < 0.01) return say("less than 1 %");
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
  const std::string mostly = v.mostly ? say("mostly ") : std::string();
  switch (v.bound) {
    case Bound::memory:
      return v.level == kStoresLevel ? say("bound by stores") : say("{}memory-bound at {}", mostly, v.level);
    case Bound::latency:
      if (v.level == kChainLevel) return mostly + say("latency-bound by multiply-adds");
      return mostly + (v.level.empty() ? say("latency-bound") : say("latency-bound at {}", v.level));
    case Bound::compute: return mostly + say("compute-bound");
    case Bound::balanced: return say("{}balanced between compute and {}", mostly, v.beside);
    case Bound::dispatch: return say("dispatch-bound");
    case Bound::overhead: return cause_words(v.bound, v.level);
    case Bound::too_short: return say("too short to judge");
    case Bound::inconsistent: return say("inconsistent: faster than its roofs");
    case Bound::transfer: return say("transfer-bound");
    case Bound::launch: return v.level == kHostLevel ? say("host-bound") : say("launch-bound");
    case Bound::parallelism: return say("grid too small");
    case Bound::communication: return say("communication");
    case Bound::waiting: return cause_words(v.bound, v.level);
    case Bound::unknown:
      return find(v.reasons, ReasonKind::view) != nullptr      ? say("view: costs nothing")
             : find(v.reasons, ReasonKind::no_work) != nullptr ? say("nothing to compute")
                                                               : say("unknown");
  }
  return say("unknown");
}

std::string cause_words(Bound bound, const std::string& level) {
  switch (bound) {
    case Bound::memory: return say("{} bandwidth", level);
    case Bound::latency: return level.empty() ? say("latency") : say("{} latency", level);
    case Bound::compute: return say("arithmetic");
    case Bound::balanced:
      return say("arithmetic and ") + (level.empty() ? say("memory") : level) + say(" bandwidth alike");
    case Bound::dispatch: return say("starting threads");
    case Bound::overhead: return say("kernel inefficiency");
    case Bound::transfer: return say("copies with nothing beside them");
    case Bound::launch: return level == kHostLevel ? say("the host's work between launches") : say("launching kernels");
    case Bound::parallelism: return say("grids too small for the GPU");
    case Bound::communication: return say("communication between GPUs");
    case Bound::waiting:
      return level == "sleep"                   ? say("sleeping threads")
             : level.empty() || level == "data" ? say("waiting for data")
                                                : say("waiting for data ({})", level);
    case Bound::too_short: return say("time stamps too coarse");
    case Bound::inconsistent: return say("inconsistent figures");
    case Bound::unknown: return say("unknown");
  }
  return say("unknown");
}

std::string headline(const Verdict& v) {
  // Of an unknown class there is nothing to be sure of, and a contradiction does not become a class when pushed.
  const bool sure = v.firm || v.bound == Bound::unknown || v.bound == Bound::inconsistent;
  return class_text(v) + (v.counted ? say(" (measured)") : std::string()) + (sure ? std::string() : say(" (likely)"));
}

}  // namespace profiler
