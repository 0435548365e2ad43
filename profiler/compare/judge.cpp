// SPDX-License-Identifier: Apache-2.0
// Changes of ops with what is common to a process taken out.
#include "profiler/compare/judge.h"

#include <algorithm>
#include <cmath>

#include "profiler/base/statistics.h"

namespace profiler {
namespace {

constexpr double kSpeaks = 0.02;       // share of the step from which an op speaks for the others
constexpr size_t kFewestSpeakers = 2;  // besides the op itself
constexpr size_t kFewestProcesses = 3;

bool called(const Change& change) {
  return change.verdict == ChangeClass::faster || change.verdict == ChangeClass::slower;
}

double size(const Change& change) { return std::abs(std::log(change.ratio)); }

/// Noise between single processes of an op that takes `ns`: our assumption. On a busy machine we saw 2 to 8 % for ops
/// over 100 us, and more the shorter they were: 15 % at 10 us, 50 % below 1 us.
double assumed_noise(const OpSamples& op) {
  double ns = INFINITY;
  for (const auto& side : {op.before, op.after}) {
    for (const double time : side) ns = std::min(ns, time > 0 ? time : ns);
  }
  return std::isfinite(ns) ? 0.08 * std::max(1.0, std::sqrt(1e5 / ns)) : 0.08;
}

bool complete(const std::vector<double>& times) {
  return std::ranges::all_of(times, [](double time) { return std::isfinite(time) && time > 0; });
}

/// Deviations in ln t of one op in every process, first those before, then those after, from the mean of both sides'
/// means.
std::vector<double> deviations(const OpSamples& op) {
  std::vector<double> logs;
  double centre = 0;
  for (const auto& side : {op.before, op.after}) {
    for (const double time : side) {
      logs.push_back(std::log(time));
      centre += 0.5 * logs.back() / static_cast<double>(side.size());
    }
  }
  for (double& value : logs) value -= centre;
  return logs;
}

class Judge {
 public:
  Judge(const std::vector<OpSamples>& ops, const ChangeTest& test) : ops_(ops) {
    double shares = 0;
    for (const OpSamples& op : ops) shares += op.before.empty() || op.after.empty() ? 0 : op.share;
    for (const OpSamples& op : ops) {
      ChangeTest own = test;
      own.single_noise = std::max(assumed_noise(op), op.noise);
      // An op without any share could never be called; the smallest number keeps the test defined.
      own.error_rate = std::max(1e-12, shares > 0 ? test.error_rate * std::min(1.0, op.share / shares) : 0);
      tests_.push_back(own);
    }
    shift_test_ = test;
  }

  OpJudgements run() {
    OpJudgements result;
    for (size_t i = 0; i < ops_.size(); ++i)
      result.changes.push_back(judge_change(ops_[i].before, ops_[i].after, tests_[i]));
    find_speakers();
    if (speakers_.size() < kFewestSpeakers + 1) return result;
    const Change shift = judge_shift();
    if (called(shift) || !quieter(result.changes)) return result;
    result.shift = shift;
    take_out(result.changes);
    return result;
  }

 private:
  void find_speakers() {
    for (size_t i = 0; i < ops_.size(); ++i) {
      const OpSamples& op = ops_[i];
      const bool enough =
          std::min(op.before.size(), op.after.size()) >= kFewestProcesses && complete(op.before) && complete(op.after);
      deviations_.push_back(enough ? deviations(op) : std::vector<double>());
      if (enough && op.share > kSpeaks) speakers_.push_back(i);
    }
  }

  /// What the speakers but one have in common in each process.
  std::vector<double> common(size_t without) const {
    std::vector<double> shifts;
    for (size_t p = 0; p < deviations_[speakers_.front()].size(); ++p) {
      std::vector<double> values;
      for (const size_t s : speakers_) {
        if (s != without) values.push_back(deviations_[s][p]);
      }
      shifts.push_back(median(values));
    }
    return shifts;
  }

  Change judge_shift() const {
    std::vector<double> before, after;
    const std::vector<double> all = common(SIZE_MAX);
    for (size_t p = 0; p < all.size(); ++p)
      (p < ops_[speakers_.front()].before.size() ? before : after).push_back(std::exp(all[p]));
    return judge_change(before, after, shift_test_);
  }

  Change beside_others(size_t i) const {
    const std::vector<double> shifts = common(i);
    OpSamples op = ops_[i];
    for (size_t p = 0; p < op.before.size(); ++p) op.before[p] /= std::exp(shifts[p]);
    for (size_t p = 0; p < op.after.size(); ++p) op.after[p] /= std::exp(shifts[op.before.size() + p]);
    return judge_change(op.before, op.after, tests_[i]);
  }

  /// Whether the speakers' changes would be known better.
  bool quieter(const std::vector<Change>& raw) const {
    double with = 0, without = 0;
    for (const size_t s : speakers_) {
      const double noise = beside_others(s).noise;
      with += ops_[s].share * raw[s].noise * raw[s].noise;
      without += ops_[s].share * noise * noise;
    }
    return without < with;
  }

  /// The largest call first, because what an op puts on the others is smaller than its own change; then it no longer
  /// speaks for the rest, which are judged anew. Where too few speak, as they are.
  void take_out(std::vector<Change>& changes) {
    const std::vector<Change> raw = changes;
    std::vector<bool> settled(ops_.size(), false);
    while (true) {
      size_t largest = SIZE_MAX;
      for (size_t i = 0; i < ops_.size(); ++i) {
        if (settled[i] || deviations_[i].empty()) continue;
        const bool speaks = std::ranges::find(speakers_, i) != speakers_.end();
        const bool enough = speakers_.size() - (speaks ? 1 : 0) >= kFewestSpeakers;
        changes[i] = enough ? beside_others(i) : raw[i];
        if (speaks && enough && called(changes[i]) &&
            (largest == SIZE_MAX || size(changes[i]) > size(changes[largest])))
          largest = i;
      }
      if (largest == SIZE_MAX) return;
      settled[largest] = true;
      std::erase(speakers_, largest);
    }
  }

  const std::vector<OpSamples>& ops_;
  std::vector<ChangeTest> tests_;
  ChangeTest shift_test_;
  std::vector<std::vector<double>> deviations_;  ///< by op; empty: too few or unknown times
  std::vector<size_t> speakers_;
};

}  // namespace

OpJudgements judge_ops(const std::vector<OpSamples>& ops, const ChangeTest& test) { return Judge(ops, test).run(); }

}  // namespace profiler
