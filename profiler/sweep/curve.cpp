// SPDX-License-Identifier: Apache-2.0
// Fits over the curves of a sweep.
#include "profiler/sweep/curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <charconv>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/base/display_text.h"
#include "profiler/base/unknown.h"
#include "profiler/base/words.h"
#include "profiler/sweep/losses.h"

namespace profiler {
namespace {

/// Points on each side of a knee: through one alone any line passes.
constexpr size_t kFewestOnASide = 2;
constexpr size_t kFewestForKnee = 2 * kFewestOnASide;
/// A cliff: bytes over a link, per unit of work, grow by this factor from one point to the next.
constexpr double kCliff = 1.5;
/// ln of the factor from which a law describes nothing; a corner that is rounded as a sum of both sides is stays below
/// (0.18).
const double kFactorFits = std::log(kLawFactor);

struct Side {
  double log_level = 0, squares = 0;
};

/// Mean of the values and the squares around it.
Side level(std::span<const double> values) {
  Side side;
  for (const double v : values) side.log_level += v;
  side.log_level /= static_cast<double>(values.size());
  for (const double v : values) side.squares += (v - side.log_level) * (v - side.log_level);
  return side;
}

/// Squares in ln t of the nearest plateau or slope alone, and of the nearest of all laws; NaN: too few points, or
/// values without a logarithm.
struct Laws {
  double one_side = kUnknown, best = kUnknown;
  std::optional<Knee> knee;  ///< nearer than one side, however little
  /// Half the error of one line alone, as less is no evidence of two; and near the points.
  bool believed() const { return knee && best <= 0.5 * one_side && knee->log_error <= kFactorFits; }
};

Laws fit_laws(std::span<const double> x, std::span<const double> t) {
  const size_t n = x.size();
  if (n < kFewestForKnee || t.size() != n) return {};
  std::vector<double> flat(n), sloped(n);  // ln t, ln(t / x)
  for (size_t i = 0; i < n; ++i) {
    if (!(t[i] > 0) || !(x[i] > 0) || (i > 0 && !(x[i] > x[i - 1]))) return {};
    flat[i] = std::log(t[i]);
    sloped[i] = std::log(t[i] / x[i]);
  }
  const std::span all_flat(flat), all_sloped(sloped);
  Laws laws;
  laws.one_side = laws.best = std::min(level(all_flat).squares, level(all_sloped).squares);
  for (size_t k = kFewestOnASide; k + kFewestOnASide <= n; ++k) {
    const Side left = level(all_flat.first(k)), right = level(all_sloped.subspan(k));
    const double at = std::exp(left.log_level - right.log_level);
    // The two lines must cross between the points that were given to them.
    const double low = x[k - 2], high = x[k + 1];
    if (left.squares + right.squares >= laws.best || at < low || at > high) continue;
    laws.best = left.squares + right.squares;
    laws.knee =
        Knee{at, std::exp(left.log_level), std::exp(right.log_level), std::sqrt(laws.best / static_cast<double>(n))};
  }
  return laws;
}

std::optional<double> number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Seeds are repetitions, no quantity that anything follows.
bool numeric(const SweepAxis& axis) {
  return axis.values.size() > 1 && axis.name != kSeedAxis &&
         std::ranges::all_of(axis.values, [](const std::string& v) { return number(v).has_value(); });
}

/// Time of a unit of work at this point over that at another (measured); NaN: one of them did not run, or
/// is_disturbed().
double time_ratio(const Sweep& sweep, WorkUnit unit, const SweepPoint& before, const SweepPoint& here) {
  const int least = sweep.request.least_samples;
  if (before.samples.empty() || here.samples.empty() || is_disturbed(before, least) || is_disturbed(here, least))
    return kUnknown;
  const auto per_unit = [&](const SweepPoint& point) {
    return sample_spread(point, least).median / work_of(point.found, unit);
  };
  return per_unit(here) / per_unit(before);
}

/// Cliffs are jumps between neighbours; jumps that follow one another over the same link are one.
std::vector<CacheCliff> cliffs_of(const Sweep& sweep, const SweepSeries& series) {
  struct Open {
    size_t cliff = SIZE_MAX, before = 0, last = 0;  ///< which; the positions of the point before it and of its last
  };
  std::vector<CacheCliff> cliffs;
  std::map<size_t, Open> open;  // by link
  for (size_t i = 1; i < series.points.size(); ++i) {
    const SweepPoint& before = sweep.points[series.points[i - 1]];
    const SweepPoint& here = sweep.points[series.points[i]];
    const bool ran = !before.samples.empty() && !here.samples.empty();
    const SweepFigures& a = ran ? before.found : before.predicted;
    const SweepFigures& b = ran ? here.found : here.predicted;
    const double work_a = work_of(a, series.unit), work_b = work_of(b, series.unit);
    for (size_t link = 0; link < std::min(a.links.size(), b.links.size()); ++link) {
      if (b.links[link].inner == "core") continue;  // registers are no cache
      const double from = a.links[link].modelled_bytes / work_a, to = b.links[link].modelled_bytes / work_b;
      // Lines that only just begin to leave a cache are no cliff.
      if (!(to >= kCliff * from) || !(to - from > 0.05 * b.compulsory_bytes / work_b)) continue;
      Open& at = open[link];
      const bool goes_on = at.cliff != SIZE_MAX && at.last == i - 1;
      if (!goes_on) {
        at = {cliffs.size(), i - 1, i};
        cliffs.push_back({.point = series.points[i],
                          .x = series.x[i],
                          .last_x = series.x[i],
                          .inner = b.links[link].inner,
                          .outer = b.links[link].outer,
                          .modelled_bytes_ratio = to / from,
                          .time_ratio = kUnknown});
      }
      CacheCliff& cliff = cliffs[at.cliff];
      at.last = i;
      if (goes_on) cliff.last_x = series.x[i], cliff.modelled_bytes_ratio *= to / from;
      cliff.time_ratio = time_ratio(sweep, series.unit, sweep.points[series.points[at.before]], here);
    }
  }
  return cliffs;
}

/// Lanes of one vector of the dtype a point computes in; f32 where nothing names one.
double lanes(const Sweep& sweep, size_t point) {
  const auto dtype = engine::parse_dtype(sweep.dtype_of(point));
  return sweep.machine.info.vector_bits / 8.0 /
         static_cast<double>(engine::size_bytes(dtype ? *dtype : engine::DType::float32));
}

std::vector<MachineMark> marks_of(const Sweep& sweep, const SweepSeries& series) {
  const std::string& axis = sweep.request.axes[series.axis].name;
  std::vector<MachineMark> marks;
  if (axis == "working_set") {
    for (const MemoryLevel& level : sweep.machine.levels) {
      const bool seen = level.effective_size_bytes > 0;
      const auto bytes = static_cast<double>(seen ? level.effective_size_bytes : level.specified_size_bytes);
      if (level.name == "DRAM" || !(bytes > 0)) continue;
      marks.push_back({bytes, fmt::format("{}: {}", level.name, format_quantity(bytes, Quantity::bytes)),
                       seen ? level.size_origin() : Origin::specified});
    }
  }
  if (const int cores = sweep.machine.info.cores; axis == "threads" && cores > 0 && series.x.back() > cores) {
    marks.push_back(
        {static_cast<double>(cores),
         fmt::format("{}; beyond: hyper-threads, or waiting for one", counted(static_cast<uint64_t>(cores), "core")),
         Origin::specified});
  }
  if (axis == "batch" && sweep.request.workload == "parallel_width" && sweep.machine.info.vector_bits > 0) {
    const double cores = sweep.machine.info.cores, wide = lanes(sweep, series.points.front());
    if (cores > 0)
      marks.push_back({cores * wide, fmt::format("{:g} cores x {:g} lanes", cores, wide), Origin::specified});
  }
  return marks;
}

/// Values may have been written in any order.
void sort_by_x(SweepSeries& series) {
  std::vector<std::pair<double, size_t>> pairs;
  for (size_t i = 0; i < series.x.size(); ++i) pairs.emplace_back(series.x[i], series.points[i]);
  std::ranges::sort(pairs);
  for (size_t i = 0; i < pairs.size(); ++i) std::tie(series.x[i], series.points[i]) = pairs[i];
}

/// What time is fitted over: the work of a step where that is neither the same nor the batch's, else the axis itself.
struct LawAxis {
  std::vector<double> axis, work;  ///< of all points, ascending; work empty: the axis
  double at(size_t i) const { return work.empty() ? axis[i] : work[i]; }
  /// The value of the axis at which a step does so much: between two points by a power law.
  double axis_of(double amount) const {
    if (work.size() < 2) return amount;
    const auto above = static_cast<size_t>(std::ranges::lower_bound(work, amount) - work.begin());
    const size_t j = std::clamp<size_t>(above, 1, work.size() - 1);
    const double power = std::log(axis[j] / axis[j - 1]) / std::log(work[j] / work[j - 1]);
    return axis[j - 1] * std::pow(amount / work[j - 1], power);
  }
};

LawAxis law_axis(const Sweep& sweep, const SweepSeries& series) {
  LawAxis law{series.x, {}};
  if (series.unit != WorkUnit::flop && series.unit != WorkUnit::byte) return law;
  for (const size_t point : series.points) law.work.push_back(work_of(figures_of(sweep.points[point]), series.unit));
  if (!std::ranges::all_of(law.work, [](double w) { return w > 0; }) || !(series.x.front() > 0)) law.work.clear();
  return law;
}

std::optional<Knee> knee_on(const LawAxis& law, std::span<const double> x, std::span<const double> t) {
  std::optional<Knee> knee = find_knee(x, t);
  if (knee) knee->x = law.axis_of(knee->x);
  return knee;
}

/// Two thread counts give one serial part; the spread of their times gives its ends.
void bound_by_spread(const Sweep& sweep, SweepSeries& series, double threads) {
  const auto spread_at = [&](double count) {
    const auto at = static_cast<size_t>(std::ranges::find(series.x, count) - series.x.begin());
    return sample_spread(sweep.points[series.points[at]], sweep.request.least_samples);
  };
  const Spread one = spread_at(1), all = spread_at(threads);
  const auto serial = [&](double t, double t1) {
    return std::clamp((t / t1 - 1 / threads) / (1 - 1 / threads), 0.0, 1.0);
  };
  if (one.samples < 2 || all.samples < 2) return;
  series.amdahl->serial_low = serial(all.low, one.high);
  series.amdahl->serial_high = serial(all.high, one.low);
}

void fit(const Sweep& sweep, SweepSeries& series) {
  series.unit = work_unit(sweep, series.points);
  const bool threads = sweep.request.axes[series.axis].name == "threads";
  const LawAxis law = threads ? LawAxis{series.x, {}} : law_axis(sweep, series);
  std::vector<double> x, t, predicted_x, predicted_t, batch, predicted_batch;
  for (size_t i = 0; i < series.points.size(); ++i) {
    const SweepPoint& point = sweep.points[series.points[i]];
    if (point.predicted.step_ns > 0) {
      predicted_x.push_back(law.at(i)), predicted_t.push_back(point.predicted.step_ns);
      predicted_batch.push_back(series.x[i]);
    }
    if (point.samples.empty()) continue;
    if (series.measured++ == 0) series.limit_left = point.found.limit;
    series.limit_right = point.found.limit;
    if (is_disturbed(point, sweep.request.least_samples)) {
      ++series.noisy;
      if (is_queued(point, sweep.request.least_samples)) ++series.queued;
      continue;
    }
    x.push_back(law.at(i)), batch.push_back(series.x[i]);
    t.push_back(sample_spread(point, sweep.request.least_samples).median);
  }
  if (sweep.request.axes[series.axis].name == "batch") {
    series.almost = almost_one(batch, t);
    series.predicted_almost = almost_one(predicted_batch, predicted_t);
  }
  if (threads) {
    // Beyond the cores threads share one: that they gain nothing there is no serial part of the program.
    if (const int cores = sweep.machine.info.cores; cores > 0) {
      const auto beyond = static_cast<size_t>(std::ranges::upper_bound(x, static_cast<double>(cores)) - x.begin());
      x.resize(beyond), t.resize(beyond);
    }
    series.amdahl = fit_amdahl(x, t);
    if (series.amdahl && x.size() == 2) bound_by_spread(sweep, series, x.back());
  } else if (!work_grows(sweep, series.points)) {
    series.no_law = NoLaw::same_work;
  } else {
    series.knee = knee_on(law, x, t);
    series.predicted_knee = knee_on(law, predicted_x, predicted_t);
    series.log_error = law_log_error(x, t);
    if (series.log_error > kFactorFits) series.no_law = NoLaw::misfit;
  }
  if (2 * series.noisy > series.measured && series.no_law != NoLaw::same_work) series.no_law = NoLaw::noisy;
  if (series.no_law != NoLaw::law) series.knee.reset(), series.amdahl.reset();
  // Where the working set itself is the axis, the capacities are marked instead.
  if (sweep.request.axes[series.axis].name != "working_set") series.cliffs = cliffs_of(sweep, series);
  series.machine_marks = marks_of(sweep, series);
}

}  // namespace

std::optional<Knee> find_knee(std::span<const double> x, std::span<const double> t) {
  const Laws laws = fit_laws(x, t);
  return laws.believed() ? laws.knee : std::nullopt;
}

double law_log_error(std::span<const double> x, std::span<const double> t) {
  const Laws laws = fit_laws(x, t);
  return std::sqrt((laws.believed() ? laws.best : laws.one_side) / static_cast<double>(x.size()));
}

std::optional<AlmostOne> almost_one(std::span<const double> x, std::span<const double> t) {
  if (x.size() < 2 || x.front() != 1 || !(t.front() > 0)) return std::nullopt;
  AlmostOne found;
  for (size_t i = 1; i < x.size(); ++i) {
    const double ratio = t[i] / t.front();
    if (!(ratio <= kAlmostAsFast)) {
      found.next_x = x[i], found.next_time_ratio = ratio;
      break;
    }
    found.x = x[i], found.time_ratio = ratio;
  }
  return found;
}

std::optional<AmdahlFit> fit_amdahl(std::span<const double> threads, std::span<const double> t) {
  const auto one = std::ranges::find(threads, 1.0);
  if (one == threads.end() || threads.size() < 2) return std::nullopt;
  const double first = t[static_cast<size_t>(one - threads.begin())];
  if (!(first > 0)) return std::nullopt;
  // t / t1 - 1/n = serial (1 - 1/n): a line through the origin.
  double products = 0, squares = 0, error = 0;
  for (size_t i = 0; i < threads.size(); ++i) {
    const double a = 1 - 1 / threads[i], y = t[i] / first - 1 / threads[i];
    products += a * y;
    squares += a * a;
  }
  AmdahlFit fit;
  fit.serial_ratio = std::clamp(products / squares, 0.0, 1.0);
  for (size_t i = 0; i < threads.size(); ++i) {
    const double off = fit.time_ratio(threads[i]) - t[i] / first;
    error += off * off;
  }
  if (threads.size() > 2) {
    // The point at one thread lies on the law whatever it is: it is no degree of freedom.
    const double freedom = static_cast<double>(threads.size()) - 2;
    const double width =
        boost::math::quantile(boost::math::students_t(freedom), 0.975) * std::sqrt(error / freedom / squares);
    fit.serial_low = std::max(0.0, fit.serial_ratio - width);
    fit.serial_high = std::min(1.0, fit.serial_ratio + width);
  }
  fit.rms_error_ratio = threads.size() > 2 ? std::sqrt(error / static_cast<double>(threads.size()))
                                           : std::numeric_limits<double>::quiet_NaN();
  return fit;
}

SweepCounts sweep_counts(const Sweep& sweep) {
  SweepCounts counts;
  for (const SweepPoint& point : sweep.points) {
    if (point.samples.empty()) continue;
    ++counts.measured;
    if (is_disturbed(point, sweep.request.least_samples)) ++counts.noisy;
    if (is_queued(point, sweep.request.least_samples)) ++counts.queued;
  }
  return counts;
}

double speed_up(const Sweep& sweep, size_t point) {
  const auto along = std::ranges::find(sweep.request.axes, "threads", &SweepAxis::name);
  if (along == sweep.request.axes.end() || sweep.points[point].samples.empty()) return kUnknown;
  const auto axis = static_cast<size_t>(along - sweep.request.axes.begin());
  const size_t at = sweep.position(point)[axis];
  size_t stride = 1;  // points from one number of threads to the next, as position() has it
  for (size_t inner = axis + 1; inner < sweep.request.axes.size(); ++inner)
    stride *= sweep.request.axes[inner].values.size();
  for (size_t value = 0; value < along->values.size(); ++value) {
    const size_t other = point - at * stride + value * stride;
    if (along->values[value] != "1" || other >= sweep.points.size() || sweep.points[other].samples.empty()) continue;
    const int least = sweep.request.least_samples;
    return sample_spread(sweep.points[other], least).median / sample_spread(sweep.points[point], least).median;
  }
  return kUnknown;
}

std::vector<SweepSeries> sweep_series(const Sweep& sweep) {
  const std::vector<SweepAxis>& axes = sweep.request.axes;
  const auto along = std::ranges::find_if(axes, numeric);
  if (along == axes.end()) return {};
  const auto axis = static_cast<size_t>(along - axes.begin());
  std::vector<SweepSeries> all;
  for (size_t point = 0; point < sweep.points.size(); ++point) {
    const std::vector<size_t> at = sweep.position(point);
    std::string label;
    for (size_t a = 0; a < axes.size(); ++a) {
      if (a != axis)
        label +=
            fmt::format("{}{}={}", label.empty() ? "" : " ", axes[a].name, engine::display_line(axes[a].values[at[a]]));
    }
    auto found = std::ranges::find(all, label, &SweepSeries::label);
    if (found == all.end()) {
      SweepSeries& series = all.emplace_back();
      series.label = label;
      series.axis = axis;
      found = all.end() - 1;
    }
    found->x.push_back(*number(axes[axis].values[at[axis]]));
    found->points.push_back(point);
  }
  for (SweepSeries& series : all) {
    sort_by_x(series);
    fit(sweep, series);
  }
  return all;
}

}  // namespace profiler
