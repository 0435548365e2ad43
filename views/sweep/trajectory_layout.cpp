// SPDX-License-Identifier: GPL-3.0-or-later
// The ways of a sweep's series over the roofline.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "profiler/sweep/setting.h"
#include "views/base/paint.h"
#include "views/sweep/points_layout.h"

namespace views {
namespace {

constexpr double kHit = 12;

Trajectory::Stop stop_of(const profiler::Sweep& sweep, size_t point) {
  const profiler::SweepPoint& p = sweep.points[point];
  const double bytes = p.found.links.empty() ? 0 : p.found.links.front().modelled_bytes;
  const double step_ns = profiler::sample_spread(p, sweep.request.least_samples).median;
  return {.point = point, .intensity = p.found.flops / bytes, .gflop_per_s = p.found.flops / step_ns, .at = {}};
}

bool drawable(const Trajectory::Stop& stop) {
  return stop.intensity > 0 && std::isfinite(stop.intensity) && stop.gflop_per_s > 0 && std::isfinite(stop.gflop_per_s);
}

int threads_at(const profiler::Sweep& sweep, size_t point) {
  const int given = std::atoi(profiler::setting_of(sweep, point, "threads").c_str());
  return given > 0 ? given : sweep.machine.info.cores;
}

struct Roof {
  QString text;
  double gflop_per_s = 0, gbyte_per_s = 0;  // one of them
};

/// DRAM at the threads in use, and the arithmetic peak of each dtype in use.
std::vector<Roof> roofs_of(const profiler::Sweep& sweep) {
  std::vector<Roof> roofs;
  std::set<int> threads;
  std::set<std::pair<engine::DType, int>> peaks;
  for (size_t i = 0; i < sweep.points.size(); ++i) {
    const auto dtype = engine::parse_dtype(sweep.dtype_of(i));
    threads.insert(threads_at(sweep, i));
    peaks.emplace(dtype ? *dtype : engine::DType::float32, threads_at(sweep, i));
  }
  const auto of_threads = [&](int n) {
    if (threads.size() < 2) return QString();
    return n == 1 ? QObject::tr(", 1 thread") : QObject::tr(", %1 threads").arg(n);
  };
  for (const int n : threads) {
    if (const auto rate = sweep.machine.bandwidth_for("DRAM", 2, 1, n))
      roofs.push_back({QStringLiteral("DRAM %1").arg(quantity(*rate, profiler::Quantity::bytes_per_s)) + of_threads(n),
                       0, *rate / 1e9});
  }
  for (const auto& [dtype, n] : peaks) {
    const auto roof = sweep.machine.compute_roof(dtype, n);
    if (!roof || !roof->flop_per_s.known()) continue;
    roofs.push_back({QStringLiteral("%1 %2").arg(QString::fromUtf8(name(dtype).data()),
                                                 quantity(roof->flop_per_s.median, profiler::Quantity::flop_per_s)) +
                         of_threads(n),
                     roof->flop_per_s.median / 1e9, 0});
  }
  return roofs;
}

}  // namespace

ChartRange trajectory_range(const profiler::Sweep& sweep, const std::vector<profiler::SweepSeries>& all) {
  double x_low = INFINITY, x_high = 0, y_low = INFINITY, y_high = 0;
  for (const profiler::SweepSeries& series : all) {
    for (const size_t point : series.points) {
      if (sweep.points[point].samples.empty()) continue;
      const Trajectory::Stop stop = stop_of(sweep, point);
      if (!drawable(stop)) continue;
      x_low = std::min(x_low, stop.intensity), x_high = std::max(x_high, stop.intensity);
      y_low = std::min(y_low, stop.gflop_per_s), y_high = std::max(y_high, stop.gflop_per_s);
    }
  }
  if (!(x_high > 0)) return {0.1, 100, 0.1, 1000};
  double peak = y_high, bandwidth = 0;
  for (const Roof& roof : roofs_of(sweep))
    peak = std::max(peak, roof.gflop_per_s), bandwidth = std::max(bandwidth, roof.gbyte_per_s);
  if (bandwidth > 0) x_low = std::min(x_low, peak / bandwidth), x_high = std::max(x_high, peak / bandwidth);
  return {x_low / 2, x_high * 2, y_low / 2, peak * 2};
}

Trajectories layout_trajectories(const profiler::Sweep& sweep, const std::vector<profiler::SweepSeries>& all,
                                 const ChartRange& range, const QRectF& rect) {
  const LogScale scale{range, rect};
  Trajectories out;
  double peak = 0;
  for (const Roof& roof : roofs_of(sweep)) peak = std::max(peak, roof.gflop_per_s);
  for (const Roof& roof : roofs_of(sweep)) {
    // Each inside the picture: a memory roof ends at the highest arithmetic roof, or where it leaves.
    double low = range.x_low, high = range.x_high;
    if (roof.gbyte_per_s > 0) {
      low = std::max(low, range.y_low / roof.gbyte_per_s);
      high = std::min({high, range.y_high / roof.gbyte_per_s, peak > 0 ? peak / roof.gbyte_per_s : high});
    } else if (roof.gflop_per_s < range.y_low || roof.gflop_per_s > range.y_high) {
      continue;
    }
    if (!(low < high)) continue;
    const auto y = [&](double x) { return roof.gbyte_per_s > 0 ? roof.gbyte_per_s * x : roof.gflop_per_s; };
    out.roofs.push_back({scale.at(low, y(low)), scale.at(high, y(high)), roof.text});
  }
  for (size_t s = 0; s < all.size(); ++s) {
    Trajectory path{.series = s, .stops = {}};
    for (const size_t point : all[s].points) {
      if (sweep.points[point].samples.empty()) continue;
      Trajectory::Stop stop = stop_of(sweep, point);
      if (!drawable(stop)) continue;
      stop.at = scale.at(stop.intensity, stop.gflop_per_s);
      path.stops.push_back(stop);
    }
    out.paths.push_back(std::move(path));
  }
  return out;
}

const Trajectory::Stop* Trajectories::stop_at(QPointF at) const {
  const Trajectory::Stop* nearest = nullptr;
  double best = kHit;
  for (const Trajectory& path : paths) {
    for (const Trajectory::Stop& stop : path.stops) {
      const double distance = std::hypot(stop.at.x() - at.x(), stop.at.y() - at.y());
      if (distance < best) best = distance, nearest = &stop;
    }
  }
  return nearest;
}

}  // namespace views
