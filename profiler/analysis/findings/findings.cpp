// SPDX-License-Identifier: Apache-2.0
// The catalog of rules, one line each, and what is made of all their findings.
#include "profiler/analysis/findings/findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>

#include "profiler/analysis/base/pipeline.h"
#include "profiler/analysis/findings/finding_input.h"
#include "profiler/analysis/step_shares.h"
#include "profiler/base/say.h"

namespace profiler {

// Each in the file of its name.
void find_memory_bound(const FindingInput&, FindingList&);
void find_reuse_lost(const FindingInput&, FindingList&);
void find_conflict_misses(const FindingInput&, FindingList&);
void find_fusible(const FindingInput&, FindingList&);
void find_weights_reread(const FindingInput&, FindingList&);
void find_write_allocate(const FindingInput&, FindingList&);
void find_compute_bound(const FindingInput&, FindingList&);
void find_f32_products(const FindingInput&, FindingList&);
void find_idle_cores(const FindingInput&, FindingList&);
void find_dispatch_bound(const FindingInput&, FindingList&);
void find_launch_bound(const FindingInput&, FindingList&);
void find_host_bound(const FindingInput&, FindingList&);
void find_layout_conversions(const FindingInput&, FindingList&);
void find_held_work(const FindingInput&, FindingList&);
void find_serial_transfers(const FindingInput&, FindingList&);
void find_exposed_communication(const FindingInput&, FindingList&);
void find_small_collectives(const FindingInput&, FindingList&);
void find_straggler(const FindingInput&, FindingList&);
void find_grid_too_small(const FindingInput&, FindingList&);
void find_avoidable_copies(const FindingInput&, FindingList&);
void find_activations_kept(const FindingInput&, FindingList&);
void find_input_bound(const FindingInput&, FindingList&);
void find_reference_code(const FindingInput&, FindingList&);

namespace {

struct Entry {
  FindingRule rule;
  void (*find)(const FindingInput&, FindingList&);
};
constexpr const char* kInputBound = "input-bound";
constexpr std::array kRules{
    Entry{{"memory-bound", "ops wait for bytes that a narrower number format would halve"}, find_memory_bound},
    Entry{{"reuse-lost", "bytes cross a link several times because reused data no longer fits the cache"},
          find_reuse_lost},
    Entry{{"conflict-misses", "a walk in steps of a power of two lands in few sets of a cache that would hold it"},
          find_conflict_misses},
    Entry{{"fuse", "a result is written to memory only to be read by the next op"}, find_fusible},
    Entry{{"weights-reread", "most bytes are weights, read once per step however small the batch"},
          find_weights_reread},
    Entry{{"write-allocate", "lines are fetched only to be overwritten"}, find_write_allocate},
    Entry{{"compute-bound", "arithmetic binds, and this machine computes faster in a narrower number format"},
          find_compute_bound},
    Entry{{"f32-products", "products in f32 on a GPU whose matrix units are many times faster"}, find_f32_products},
    Entry{{"idle-cores", "the run used fewer threads than this machine has cores"}, find_idle_cores},
    Entry{{"dispatch-bound", "starting threads costs more than the ops' work"}, find_dispatch_bound},
    Entry{{"launch-bound", "a GPU idles while kernels are launched", true}, find_launch_bound},
    Entry{{"host-bound", "a GPU idles while the host does other work before it launches", true}, find_host_bound},
    Entry{{"held-work", "a GPU idles although its next work has been launched", true}, find_held_work},
    Entry{{"serial-transfers", "copies to or from a GPU run while nothing computes"}, find_serial_transfers},
    Entry{{"exposed-communication", "GPUs exchange data while none of their kernels computes"},
          find_exposed_communication},
    Entry{{"small-collectives", "many collectives move their bytes far slower than the large ones"},
          find_small_collectives},
    Entry{{"straggler", "ranks wait for one that arrives last at most collectives", true}, find_straggler},
    Entry{{"grid-too-small", "kernels have too few blocks to fill a GPU"}, find_grid_too_small},
    Entry{{"avoidable-copies", "copies move bytes that are there already"}, find_avoidable_copies},
    Entry{{"layout-conversions", "kernels that only change the order of a tensor's elements", false},
          find_layout_conversions},
    Entry{{"activations-kept", "most of the memory holds activations that wait for the backward pass"},
          find_activations_kept},
    Entry{{kInputBound, "steps wait for data, or load it themselves instead of computing", true}, find_input_bound},
    Entry{{"reference-code", "ops run in slow reference code because no fast kernel takes them as they are"},
          find_reference_code},
};

constexpr size_t kMostEvidenceOps = 3;

std::string where_text(const Capture& capture, const std::vector<OpId>& ops) {
  std::string text;
  for (size_t i = 0; i < std::min(ops.size(), kMostEvidenceOps); ++i)
    text += (i > 0 ? ", " : "") + std::string(capture.name(capture.ops()[ops[i]].name));
  if (ops.size() > kMostEvidenceOps) text += say(" and {} more", ops.size() - kMostEvidenceOps);
  return text;
}

std::string evidence_text(const RunFinding& finding) {
  std::string text;
  for (const FindingFigure& f : finding.evidence) {
    text += fmt::format("{}{} {} ({})", text.empty() ? "" : "; ", format_quantity(f.value, f.quantity), f.title,
                        say_marked(name(f.origin)));
  }
  return text;
}

}  // namespace

RunChange RunChange::of_run(std::string option, std::string before, std::string value, double work_ratio) {
  return {Scope::run, std::move(option), std::move(before), std::move(value), work_ratio};
}

RunChange RunChange::of_workload(std::string option, std::string before, std::string value) {
  return {Scope::workload, std::move(option), std::move(before), std::move(value), 1};
}

std::array<std::string, 2> RunChange::words() const {
  if (scope == Scope::run) return {"--" + option, value};
  return {"--set", fmt::format("{}={}", option, value)};
}

std::string RunChange::flag() const { return fmt::format("{}", fmt::join(words(), " ")); }

std::span<const FindingRule> finding_rules() {
  static const auto rules = [] {
    std::array<FindingRule, kRules.size()> list{};
    std::ranges::transform(kRules, list.begin(), &Entry::rule);
    return list;
  }();
  return rules;
}

std::string gain_text(const RunFinding& f, double step_ns) {
  if (f.saved_bytes > 0) {
    const std::string freed = say("frees {} of memory", format_quantity(f.saved_bytes, Quantity::bytes));
    return f.gain_ns < 0 ? say("{} and costs {} per step", freed, format_quantity(-f.gain_ns, Quantity::duration_ns))
                         : freed;
  }
  if (std::isnan(f.gain_ns)) return say("gain unknown");
  return say("saves {} per step, {} of it", format_quantity(f.gain_ns, Quantity::duration_ns),
             format_quantity(f.gain_ns / step_ns, Quantity::percent_of));
}

std::string advice_text(const RunFinding& f) {
  return f.no_change.empty() ? f.advice : fmt::format("{} {}", f.advice, f.no_change);
}

std::string advice_text(const RunFinding& f, const Capture& capture) {
  return capture.run().source.empty() ? advice_text(f) : f.advice;
}

std::string found_text(const RunFinding& f) { return f.besides.empty() ? f.sentence : f.sentence + " " + f.besides; }

namespace {

bool same_change(const RunFinding& x, const RunFinding& y) {
  return x.change && y.change && x.saved_bytes == 0 && y.saved_bytes == 0 && x.change->scope == y.change->scope &&
         x.change->option == y.change->option && x.change->value == y.change->value;
}

/// What `other` saves comes on top where it is of other ops.
void join(RunFinding& f, const RunFinding& other) {
  const std::unordered_set<OpId> own(f.ops.begin(), f.ops.end());
  const auto has = [&](OpId op) { return own.contains(op); };
  const bool apart = std::ranges::none_of(other.ops, has);
  if (std::isnan(f.gain_ns)) f.gain_ns = other.gain_ns;
  else if (!std::isnan(other.gain_ns))
    f.gain_ns = apart ? f.gain_ns + other.gain_ns : std::max(f.gain_ns, other.gain_ns);
  f.besides += (f.besides.empty() ? "" : " ") + found_text(other);
  if (f.advice != other.advice) f.advice += " " + other.advice;
  if (f.gain_how != other.gain_how) f.gain_how += "; " + other.gain_how;
  f.evidence.insert(f.evidence.end(), other.evidence.begin(), other.evidence.end());
  for (const OpId op : other.ops) {
    if (!has(op)) f.ops.push_back(op);
  }
}

/// One action is one finding: what proposes the same change joins the one that saves most, whose rule answers for it.
void join_same_changes(FindingList& list) {
  std::ranges::stable_sort(list, std::ranges::greater{},
                           [](const RunFinding& f) { return std::isnan(f.gain_ns) ? -1 : f.gain_ns; });
  for (size_t i = 0; i < list.size(); ++i) {
    for (size_t j = i + 1; j < list.size();) {
      if (!same_change(list[i], list[j])) {
        ++j;
        continue;
      }
      join(list[i], list[j]);
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
}

}  // namespace

std::vector<RunFinding> findings(const Analyzed& analyzed) {
  if (!analyzed.capture->rates_known()) return {};
  const FindingInput input(analyzed);
  FindingList list;
  for (const Entry& entry : kRules) {
    const size_t before = list.size();
    entry.find(input, list);
    for (size_t i = before; i < list.size(); ++i) {
      list[i].rule = entry.rule.key;
      if (analyzed.capture->run().source.empty()) continue;
      list[i].change.reset();
      list[i].no_change = say("This run was imported from a trace and cannot be repeated here.");
    }
  }
  join_same_changes(list);
  // What the step computes faster it waits longer, where a lane of the loader sets the pace.
  if (const Pipeline p = pipeline(*analyzed.capture); p.loader_sets_pace()) {
    const double most = std::max(0.0, p.step_ns - p.pace_ns);
    for (RunFinding& f : list) {
      if (f.rule == kInputBound || f.saved_bytes > 0 || !(f.gain_ns > most)) continue;
      f.gain_ns = most;
      f.gain_how += say("; no more than the step exceeds the lane {}, which sets the pace", p.limit);
    }
  }
  const double least = std::isnan(input.step_ns) ? 0 : input.rules[Rule::worth_finding_ratio] * input.step_ns;
  std::erase_if(list, [&](const RunFinding& f) { return f.saved_bytes == 0 && (f.gain_ns < least || f.gain_ns <= 0); });
  std::ranges::stable_sort(list, [](const RunFinding& x, const RunFinding& y) {
    return std::isnan(x.gain_ns) != std::isnan(y.gain_ns) ? std::isnan(y.gain_ns) : x.gain_ns > y.gain_ns;
  });
  return list;
}

const RunFinding* first_to_try(const std::vector<RunFinding>& list) {
  const auto at = std::ranges::find_if(list, [](const RunFinding& f) { return f.change.has_value(); });
  return at == list.end() ? nullptr : &*at;
}

Table findings_table(const Analyzed& analyzed) {
  Table table;
  table.name = "findings";
  table.columns = {{"number", "No.", Quantity::text, Origin::exact, "Place in the list, as a trial names it"},
                   {"rule", "Rule", Quantity::text, Origin::exact, "Which rule found it"},
                   {"gain_ns", "Gain", Quantity::duration_ns, Origin::modelled,
                    "Time per step it would save; of a bigger batch, for the work of this step"},
                   {"gain_ratio", "Of step", Quantity::percent_of, Origin::modelled, "Gain / median step"},
                   {"saved_bytes", "Memory", Quantity::bytes, Origin::modelled,
                    "Memory it would free, where that is the aim; the gain of time is then negative"},
                   {"change", "Try", Quantity::text, Origin::exact,
                    "The option of `tensortide run` that changes it; empty: none does"},
                   {"finding", "Finding", Quantity::text, Origin::modelled, "The claim"},
                   {"advice", "Advice", Quantity::text, Origin::modelled, "What to do about it"},
                   {"where", "Where", Quantity::text, Origin::exact, "Ops, longest first"},
                   {"how", "How estimated", Quantity::text, Origin::modelled, "How the gain was computed"},
                   {"evidence", "Evidence", Quantity::text, Origin::modelled, "Figures with their origins"}};
  const std::vector<RunFinding> list = findings(analyzed);
  const double step_ns = median_step_ns(*analyzed.capture);
  for (size_t i = 0; i < list.size(); ++i) {
    const RunFinding& f = list[i];
    const auto figure = [](double value) { return std::isfinite(value) ? Cell(value) : Cell(); };
    table.rows.push_back({std::to_string(i + 1), f.rule, figure(f.gain_ns), figure(f.gain_ns / step_ns),
                          f.saved_bytes > 0 ? Cell(f.saved_bytes) : Cell(), f.change ? Cell(f.change->flag()) : Cell(),
                          found_text(f), advice_text(f), where_text(*analyzed.capture, f.ops), f.gain_how,
                          evidence_text(f)});
    table.row_ops.push_back(f.ops.empty() ? kNoOp : f.ops.front());
  }
  return table;
}

}  // namespace profiler
