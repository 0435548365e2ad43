// SPDX-License-Identifier: Apache-2.0
// Times, bytes and verdicts of matched ops side by side, each change judged.
#include "profiler/compare/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "engine/base/display_text.h"
#include "profiler/analysis/base/groups.h"
#include "profiler/analysis/base/op_samples.h"
#include "profiler/analysis/step_shares.h"
#include "profiler/analysis/tables/summary.h"
#include "profiler/analysis/verdict/verdict_text.h"
#include "profiler/base/say.h"
#include "profiler/base/unknown.h"
#include "profiler/base/words.h"
#include "profiler/capture/batch.h"
#include "profiler/capture/noise.h"
#include "profiler/capture/timed_steps.h"
#include "profiler/compare/judge.h"
#include "profiler/compare/words.h"

namespace profiler {
namespace {

std::string shape_words(const Capture& capture, OpId id) {
  for (const OperandRecord& operand : capture.operands(capture.ops()[id])) {
    if (!operand.output || operand.tensor >= capture.tensors().size()) continue;
    const TensorRecord& tensor = capture.tensors()[operand.tensor];
    return fmt::format("{} {}", engine::name(tensor.dtype),
                       tensor.shape.empty() ? std::string("scalar") : fmt::format("{}", fmt::join(tensor.shape, "x")));
  }
  return {};
}

/// Time of some ops in each process; NaN where one of them was not timed. Over all shapes of a name it is the sum of
/// those that were, because a trace that does not tell them apart has no more.
std::vector<double> times_of(const CompareSide& side, const std::vector<OpId>& ops, MatchKind kind, double samples) {
  std::vector<double> times;
  if (ops.empty()) return times;
  for (const ProcessTimes& process : side.processes) {
    double sum = 0;
    bool any = false;
    for (const OpId op : ops) {
      const bool timed = !std::isnan(process.op_ns[op]);
      if (timed || kind != MatchKind::summed) sum += process.op_ns[op];
      any = any || timed;
    }
    times.push_back(any ? sum / samples : kUnknown);
  }
  return times;
}

/// Whether two sides of a row do as much: by FLOPs, by bytes where there are none. Unknown is no.
bool as_much(const CompareRow& row) {
  const auto equal = [](double a, double b) { return std::abs(a - b) <= 0.01 * a; };
  const bool flops = row.before_flops > 0 || row.after_flops > 0;
  return flops ? equal(row.before_flops, row.after_flops) : equal(row.compulsory.before, row.compulsory.after);
}

/// How sentences call a workload: a name of the catalog, or a model file's without its folder.
std::string workload_name(const CompareSide& side) {
  return engine::display_line(std::filesystem::path(side.run->capture->run().workload).filename().native());
}

/// "xxh3:..." of the model file that was run; empty: there was none, or nobody recorded it.
std::string content_of(const CompareSide& side) {
  const RunInfo& run = side.run->capture->run();
  const auto at = run.arguments.find("content");
  return at == run.arguments.end() ? std::string() : at->second;
}

bool is_model_file(const CompareSide& side) {
  return std::filesystem::path(side.run->capture->run().workload).has_extension();
}

double geometric_mean(const std::vector<double>& times) {
  double sum = 0;
  int count = 0;
  for (const double time : times) {
    if (!(time > 0)) continue;
    sum += std::log(time);
    ++count;
  }
  return count > 0 ? std::exp(sum / count) : kUnknown;
}

double flops_of(const CompareSide& side, const std::vector<OpId>& ops, double samples) {
  if (ops.empty()) return kUnknown;
  double sum = 0;
  for (const OpId op : ops) sum += side.run->capture->ops()[op].flops;
  return sum / samples;
}

/// NaN where FLOPs are: a foreign trace knows no operands.
double compulsory_of(const CompareSide& side, const std::vector<OpId>& ops, double samples) {
  if (ops.empty()) return kUnknown;
  double sum = 0;
  const Capture& capture = *side.run->capture;
  for (const OpId op : ops)
    sum += compulsory_read(capture, capture.ops()[op]) + compulsory_written(capture, capture.ops()[op]);
  return std::isnan(flops_of(side, ops, 1)) ? kUnknown : sum / samples;
}

std::string link_name(const TrafficModel& model, size_t link) { return model.links[link] + "->" + model.inner[link]; }

double link_bytes(const CompareSide& side, const std::vector<OpId>& ops, const std::string& link, double samples) {
  const TrafficModel& model = side.run->model;
  if (ops.empty() || !model.known) return kUnknown;
  for (size_t l = 0; l < model.links.size(); ++l) {
    if (link_name(model, l) != link) continue;
    double sum = 0;
    for (const OpId op : ops) sum += model.op_levels[op][l].total();
    return sum / samples;
  }
  return kUnknown;
}

/// The verdict of the op that takes most of a group.
const Verdict* main_verdict(const CompareSide& side, const std::vector<OpId>& ops) {
  const Verdict* longest = nullptr;
  double most = -1;
  for (const OpId op : ops) {
    const double time = side.run->times[op].ns.median;
    if (op >= side.run->verdicts.size() || !(time > most)) continue;
    most = time;
    longest = &side.run->verdicts[op];
  }
  return longest == nullptr || longest->bound == Bound::unknown ? nullptr : longest;
}

/// Whether the processes of both sides ran in turn, so that those of one index are a pair: each pair began before the
/// next one did. By the captures' own clock: the times of their files change when they are copied. Where a reboot lies
/// between, the order is by chance; pairs by chance find less, and nothing wrong.
bool in_rounds(const CompareSide& before, const CompareSide& after) {
  constexpr size_t kFewest = 3;
  const size_t rounds = before.processes.size();
  if (rounds < kFewest || after.processes.size() != rounds) return false;
  for (size_t i = 0; i + 1 < rounds; ++i) {
    const double last = std::max(before.processes[i].began_ns, after.processes[i].began_ns);
    const double next = std::min(before.processes[i + 1].began_ns, after.processes[i + 1].began_ns);
    if (!(last < next)) return false;  // unknown, too, and copies of one recording
  }
  return true;
}

class Comparer {
 public:
  Comparer(const CompareSide& before, const CompareSide& after, const ChangeTest& test, const UnsaidSettings& unsaid)
      : before_(before), after_(after), test_(test), unsaid_(unsaid) {}
  Comparison run();

 private:
  void scale();
  void find_links();
  void add_row(const OpMatch&);
  void judge_rows();
  void find_workloads();
  bool same_shapes(const OpMatch&) const;
  void fill_matched_time();
  void withhold_verdicts();
  void fill_total();
  void fill_between();
  void fill_counts(CompareRow&) const;
  void fill_verdicts(CompareRow&) const;
  void note_differences(CompareRow&) const;

  const CompareSide &before_, &after_;
  const ChangeTest& test_;
  const UnsaidSettings& unsaid_;
  Comparison result_;
};

void Comparer::scale() {
  const double before = batch_of(*before_.run->capture), after = batch_of(*after_.run->capture);
  if (!(before > 0) || !(after > 0) || before == after) return;
  result_.per_sample = true;
  result_.before_samples = before;
  result_.after_samples = after;
}

void Comparer::find_links() {
  const TrafficModel &a = before_.run->model, &b = after_.run->model;
  for (size_t l = 0; l < b.links.size(); ++l) {
    for (size_t k = 0; k < a.links.size(); ++k) {
      if (link_name(a, k) == link_name(b, l)) result_.links.push_back(link_name(b, l));
    }
  }
}

void Comparer::fill_counts(CompareRow& row) const {
  const OpMatch& m = row.match;
  row.before_flops = flops_of(before_, m.before, result_.before_samples);
  row.after_flops = flops_of(after_, m.after, result_.after_samples);
  row.compulsory = {compulsory_of(before_, m.before, result_.before_samples),
                    compulsory_of(after_, m.after, result_.after_samples)};
  for (const std::string& link : result_.links) {
    row.links.push_back({link_bytes(before_, m.before, link, result_.before_samples),
                         link_bytes(after_, m.after, link, result_.after_samples)});
  }
}

void Comparer::fill_verdicts(CompareRow& row) const {
  const Verdict* from = main_verdict(before_, row.match.before);
  const Verdict* to = main_verdict(after_, row.match.after);
  if (from != nullptr) row.before_verdict = cause_words(from->bound, from->level);
  if (to != nullptr) row.after_verdict = cause_words(to->bound, to->level);
  row.verdict_changed = from != nullptr && to != nullptr && row.before_verdict != row.after_verdict;
}

void Comparer::note_differences(CompareRow& row) const {
  const OpMatch& m = row.match;
  const Capture &a = *before_.run->capture, &b = *after_.run->capture;
  const auto names = [](const Capture& capture, const std::vector<OpId>& ops) {
    std::vector<std::string_view> list;
    for (const OpId op : ops) list.push_back(capture.name(capture.ops()[op].name));
    return fmt::format("{}", fmt::join(list, " + "));
  };
  if (m.kind == MatchKind::regrouped)
    row.notes.push_back(fmt::format("{} → {}", names(a, m.before), names(b, m.after)));
  if (m.kind == MatchKind::summed) {
    const bool before_knows = std::ranges::any_of(m.before, [&](OpId op) { return name_knows_shapes(a, a.ops()[op]); });
    row.notes.push_back(
        say("the trace {} does not distinguish its shapes, so the sums over all shapes are "
            "compared",
            before_knows ? say("after") : say("before")));
  }
  if (m.kind != MatchKind::matched) return;
  const OpRecord &from = a.ops()[m.before.front()], &to = b.ops()[m.after.front()];
  if (a.name(from.name) != b.name(to.name)) row.notes.push_back(say("was {}", a.name(from.name)));
  const std::string shape_a = shape_words(a, from.id), shape_b = shape_words(b, to.id);
  if (shape_a != shape_b && !shape_a.empty() && !shape_b.empty())
    row.notes.push_back(say("result {} → {}", shape_a, shape_b));
  if (a.name(from.kernel) != b.name(to.kernel))
    row.notes.push_back(say("kernel {} → {}", a.name(from.kernel), b.name(to.kernel)));
}

void Comparer::add_row(const OpMatch& match) {
  CompareRow row;
  row.match = match;
  const bool there = !match.after.empty();
  const Capture& capture = *(there ? after_ : before_).run->capture;
  const OpRecord& op = capture.ops()[there ? match.after.front() : match.before.front()];
  row.layer = capture.name(op.layer);
  const Capture &from = *before_.run->capture, &to = *after_.run->capture;
  if (match.kind == MatchKind::regrouped && from.run().source.empty() != to.run().source.empty())
    row.layer = module_path(row.layer);
  row.name = match.kind == MatchKind::regrouped ? row.layer : capture.name(op.name);
  if (match.kind == MatchKind::summed)
    row.name = say("{}, all shapes{}", capture.name(op.type),
                   op.phase == Phase::forward ? std::string() : fmt::format(" ({})", engine::name(op.phase)));
  row.type = match.kind == MatchKind::regrouped
                 ? fmt::format("{} → {}", counted(match.before.size(), "op"), match.after.size())
             : match.kind == MatchKind::summed
                 ? fmt::format("{} → {}", match.before.size(), counted(match.after.size(), "op"))
                 : std::string(capture.name(op.type));
  row.before_ns = geometric_mean(times_of(before_, match.before, match.kind, result_.before_samples));
  row.after_ns = geometric_mean(times_of(after_, match.after, match.kind, result_.after_samples));
  fill_counts(row);
  fill_verdicts(row);
  note_differences(row);
  const bool both = !match.before.empty() && !match.after.empty();
  const bool catalog = !is_model_file(before_) && !is_model_file(after_);
  row.different_work = both && !result_.workloads.empty() && catalog && !as_much(row);
  result_.before_ops += match.before.size(), result_.after_ops += match.after.size();
  if (both && !row.different_work)
    result_.before_matched += match.before.size(), result_.after_matched += match.after.size();
  result_.rows.push_back(std::move(row));
}

void Comparer::find_workloads() {
  const RunInfo &from = before_.run->capture->run(), &to = after_.run->capture->run();
  const std::string before = workload_name(before_), after = workload_name(after_);
  if (!from.source.empty() || !to.source.empty() || before.empty() || after.empty()) return;
  const std::string content = content_of(before_), content_after = content_of(after_);
  const bool known = !content.empty() && !content_after.empty();
  if (known ? content == content_after : before == after) return;  // a file that was renamed is the same
  result_.workloads = before == after ? say("{} before, another file of that name after", before)
                                      : say("{} before, {} after", before, after);
}

/// Of foreign traces: one op of one name that says its shapes.
bool Comparer::same_shapes(const OpMatch& m) const {
  if (m.kind != MatchKind::matched) return false;
  const Capture &a = *before_.run->capture, &b = *after_.run->capture;
  const OpRecord &from = a.ops()[m.before.front()], &to = b.ops()[m.after.front()];
  return a.name(from.name) == b.name(to.name) && name_knows_shapes(a, from);
}

void Comparer::fill_matched_time() {
  double before = 0, after = 0, before_all = 0, after_all = 0;
  for (const CompareRow& row : result_.rows) {
    const bool both = !row.match.before.empty() && !row.match.after.empty() && !row.different_work;
    const double from = row.before_ns > 0 ? row.before_ns : 0, to = row.after_ns > 0 ? row.after_ns : 0;
    before_all += from, after_all += to;
    if (both) before += from, after += to;
  }
  result_.before_matched_ratio = before_all > 0 ? before / before_all : kUnknown;
  result_.after_matched_ratio = after_all > 0 ? after / after_all : kUnknown;
}

/// FASTER and SLOWER are said of the same work only. Where little matches, ops of one name need not have the same
/// shapes either.
void Comparer::withhold_verdicts() {
  const bool different = result_.different_work();
  result_.total.different_work = different;
  for (CompareRow& row : result_.rows) {
    const bool both = !row.match.before.empty() && !row.match.after.empty();
    row.different_work = row.different_work || (different && both && result_.foreign && !same_shapes(row.match));
  }
  const auto withhold = [](CompareRow& row) {
    if (row.different_work) row.change.verdict = ChangeClass::unsure;
  };
  withhold(result_.total);
  std::ranges::for_each(result_.rows, withhold);
}

/// What waiting for processors may have added to a process's times, of ln t: a step that waited q of its time took 1 /
/// (1 - q) times as long as on processors of its own, all steps alike. 0: it did not wait (queued()).
double queue_noise(const ProcessTimes& process) {
  constexpr double kMost = 0.99;
  return queued(process.queued_ratio, process.foreign_load_ratio) ? -std::log1p(-std::min(kMost, process.queued_ratio))
                                                                  : 0;
}

/// What waiting may have made of the difference of both sides' ln t where both have several processes: it lengthens all
/// of a side alike. 0 where a side has few: their single noise has it then (noise_of(), step_noise_of()).
double queue_error(const CompareSide& before, const CompareSide& after) {
  if (std::min(before.processes.size(), after.processes.size()) < kFewProcesses) return 0;
  const auto of = [](const CompareSide& side) {
    std::vector<double> added;
    for (const ProcessTimes& process : side.processes) added.push_back(queue_noise(process));
    return added.empty() ? 0 : median(added);
  };
  return std::abs(of(after) - of(before));
}

/// The noise of these ops seen in the steps of a side's processes: the largest.
double noise_of(const CompareSide& side, const std::vector<OpId>& ops) {
  double most = 0;
  for (const ProcessTimes& process : side.processes) {
    most = std::fmax(most, queue_noise(process));
    for (const OpId op : ops) {
      if (op < process.op_noise.size()) most = std::fmax(most, process.op_noise[op]);  // NaN stays out
    }
  }
  return most;
}

/// The same of whole steps. Where a process has but one step, its scatter is unknown: beside a background load one such
/// step was seen to take ten times as long as the next process's.
double step_noise_of(const CompareSide& side) {
  constexpr double kBesideOthers = 1;  // of ln t; ours
  double most = 0;
  for (const ProcessTimes& process : side.processes) {
    const bool unknown = std::isnan(process.step_noise) && process.foreign_load_ratio > kBusyLoad;
    most = std::fmax(most, std::fmax(unknown ? kBesideOthers : process.step_noise, queue_noise(process)));
  }
  return most;
}

void Comparer::judge_rows() {
  const auto known = [](double ns) { return std::isnan(ns) ? 0.0 : ns; };
  std::vector<OpSamples> samples;
  for (CompareRow& row : result_.rows) {
    row.share = 0.5 * (known(row.before_ns / result_.total.before_ns) + known(row.after_ns / result_.total.after_ns));
    samples.push_back({times_of(before_, row.match.before, row.match.kind, result_.before_samples),
                       times_of(after_, row.match.after, row.match.kind, result_.after_samples), row.share,
                       std::max(noise_of(before_, row.match.before), noise_of(after_, row.match.after))});
  }
  ChangeTest test = test_;
  test.error_rate = 0.5 * test_.error_rate;
  test.common_error = queue_error(before_, after_);
  OpJudgements judged = judge_ops(samples, test);
  for (size_t i = 0; i < result_.rows.size(); ++i) result_.rows[i].change = judged.changes[i];
  result_.shift = judged.shift;
}

void Comparer::fill_total() {
  CompareRow& total = result_.total;
  total.name = say("whole step");
  const auto steps = [](const CompareSide& side, double samples) {
    std::vector<double> times;
    for (const ProcessTimes& process : side.processes) times.push_back(process.step_ns / samples);
    return times;
  };
  const std::vector<double> from = steps(before_, result_.before_samples), to = steps(after_, result_.after_samples);
  total.before_ns = geometric_mean(from);
  total.after_ns = geometric_mean(to);
  total.share = 1;
  ChangeTest test = test_;
  test.error_rate = 0.5 * test_.error_rate;
  test.common_error = queue_error(before_, after_);
  test.single_noise = std::max({test.single_noise, step_noise_of(before_), step_noise_of(after_)});
  // What slowed both processes of a round cancels in pairs. How the processes ran decides, before any time is looked
  // at: the smaller of two noises that are both seen in the same times is below the true one more often than either,
  // and would call more changes than error_rate allows.
  total.change = in_rounds(before_, after_) ? judge_pairs(from, to, test) : judge_change(from, to, test);
  const auto all = [](const CompareSide& side) {
    std::vector<OpId> ops;
    for (const OpRecord& op : side.run->capture->ops()) {
      if (!op.view) ops.push_back(op.id);
    }
    return ops;
  };
  total.match = {MatchKind::matched, all(before_), all(after_)};
  fill_counts(total);
  const auto limiter = [](const CompareSide& side) {
    const Summary s = summary(*side.run);
    const bool known = !s.limiters.empty() && s.limiters.front().bound != Bound::unknown;
    return known ? cause_words(s.limiters.front().bound, s.limiters.front().level) : std::string();
  };
  total.before_verdict = limiter(before_);
  total.after_verdict = limiter(after_);
  total.verdict_changed =
      !total.before_verdict.empty() && !total.after_verdict.empty() && total.before_verdict != total.after_verdict;
}

/// What is left of the steps when all ops are taken out.
void Comparer::fill_between() {
  if (result_.foreign || std::isnan(result_.total.before_ns) || std::isnan(result_.total.after_ns)) return;
  double before = result_.total.before_ns, after = result_.total.after_ns;
  for (const CompareRow& row : result_.rows) {
    before -= std::isnan(row.before_ns) ? 0 : row.before_ns;
    after -= std::isnan(row.after_ns) ? 0 : row.after_ns;
  }
  result_.between_before_ns = std::max(0.0, before), result_.between_after_ns = std::max(0.0, after);
}

Comparison Comparer::run() {
  result_.before = before_.label;
  result_.after = after_.label;
  result_.foreign = !before_.run->capture->run().source.empty() || !after_.run->capture->run().source.empty();
  result_.before_computed = before_.run->capture->computed();
  result_.after_computed = after_.run->capture->computed();
  scale();
  find_workloads();
  find_links();
  fill_total();
  for (const OpMatch& match : match_ops(*before_.run->capture, *after_.run->capture)) add_row(match);
  fill_between();
  judge_rows();
  fill_matched_time();
  withhold_verdicts();
  result_.results = compare_results(*before_.run->capture, *after_.run->capture);
  result_.sentence = comparison_sentence(result_);
  result_.notes = comparison_notes(result_, before_, after_, unsaid_);
  result_.how = comparison_method(result_, test_);
  return std::move(result_);
}

}  // namespace

ProcessTimes process_times(const Capture& capture) {
  ProcessTimes times;
  double sum = 0;
  bool any = false;
  const size_t counted = CountedSteps(capture).count();
  for (const std::vector<double>& steps : op_samples(capture)) {
    times.op_ns.push_back(capture.run().source.empty() ? process_time_ns(steps) : of_a_step(capture, steps, counted));
    times.op_noise.push_back(capture.run().source.empty() ? process_noise(steps)
                                                          : kUnknown);  // of traces a step's part is a mean
    if (steps.empty()) continue;
    sum += times.op_ns.back();
    any = true;
  }
  std::vector<double> steps = timed_steps_ns(capture);
  std::erase_if(steps, [](double ns) { return !(ns > 0); });
  times.step_noise = process_noise(steps);
  const double untimed = untimed_ratio(capture);
  times.step_ns = !steps.empty() ? process_time_ns(steps)
                  : !any         ? kUnknown
                                 : sum / (untimed > 0 && untimed < 1 ? 1 - untimed : 1);
  times.foreign_load_ratio = capture.honesty().foreign_load_ratio;
  times.queued_ratio = capture.honesty().queued_ratio;
  if (capture.run().source.empty() && capture.activities().size() > 0)
    times.began_ns = static_cast<double>(capture.begin_ns());
  return times;
}

CompareSide side_of(std::string label, std::shared_ptr<const Analyzed> run) {
  CompareSide side{std::move(label), std::move(run), {}};
  side.processes.push_back(process_times(*side.run->capture));
  return side;
}

engine::Result<void> add_repeat(CompareSide& side, const std::string& label, const Capture& repeat) {
  const Capture& run = *side.run->capture;
  const auto refuse = [&](const std::string& why) {
    return engine::refused_error(
        fmt::format("{}: is no repeat of {}: {}; compare them as two sides instead", label, side.label, why));
  };
  if (run.ops().size() != repeat.ops().size())
    return refuse(fmt::format("{} ops against {}", repeat.ops().size(), run.ops().size()));
  for (const OpRecord& op : run.ops()) {
    const OpRecord& other = repeat.ops()[op.id];
    if (run.name(op.name) != repeat.name(other.name))
      return refuse(fmt::format("op {} is {}, not {}", op.id, repeat.name(other.name), run.name(op.name)));
    if (shape_words(run, op.id) != shape_words(repeat, op.id)) {
      return refuse(
          fmt::format("{} makes {}, not {}", run.name(op.name), shape_words(repeat, op.id), shape_words(run, op.id)));
    }
  }
  if (run.run().device != repeat.run().device || run.run().threads != repeat.run().threads) {
    return refuse(fmt::format("{} with {} threads, not {} with {}", repeat.run().device, repeat.run().threads,
                              run.run().device, run.run().threads));
  }
  side.processes.push_back(process_times(repeat));
  return {};
}

Comparison compare(const CompareSide& before, const CompareSide& after, const ChangeTest& test,
                   const UnsaidSettings& unsaid) {
  Comparison done = Comparer(before, after, test, unsaid).run();
  const auto emulated = [](const CompareSide& side) { return side.run->capture->device().emulated; };
  if (emulated(before) || emulated(after)) {
    done.sentence = say("Times cannot be compared: {} emulated.",
                        emulated(before) && emulated(after)
                            ? say("both GPUs were")
                            : say("the GPU of {} was", emulated(before) ? before.label : after.label));
  }
  return done;
}

}  // namespace profiler
