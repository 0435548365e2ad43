// SPDX-License-Identifier: Apache-2.0
// Gathers copies by link and fits their times.
#include "profiler/analysis/gpu/links.h"
#include "profiler/analysis/base/time_origin.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "profiler/analysis/base/intervals.h"
#include "profiler/base/say.h"
#include "profiler/base/statistics.h"
#include "profiler/base/unknown.h"
#include "profiler/capture/host_copies.h"

namespace profiler {
namespace {

constexpr int64_t kFewestSizes = 3;
constexpr double kNarrowestRange = 16;  // largest over smallest size; within less, alpha and beta cannot be told apart
constexpr double kMostBeside = 0.01;    // part of a copy during which one ran the other way

using Key = std::tuple<int32_t, CopyKind, MemoryKind, MemoryKind>;

/// One copy with a known size.
struct Sized {
  Interval span;
  int64_t bytes = 0;
};

CopyKind opposite(CopyKind kind) {
  if (kind == CopyKind::host_to_device) return CopyKind::device_to_host;
  return kind == CopyKind::device_to_host ? CopyKind::host_to_device : CopyKind::unknown;
}

class Links {
 public:
  explicit Links(const Capture& capture) {
    const ActivityColumns& a = capture.activities();
    for (const CopyRecord& c : capture.gpu().copies) {
      const int64_t begin = a.start_ns[c.activity], duration = a.duration_ns[c.activity];
      if (c.bytes <= 0 || duration <= 0) continue;
      copies_[{device_of(c), c.kind, c.source, c.destination}].push_back({{begin, begin + duration}, c.bytes});
      busy_[{device_of(c), c.kind}].push_back({begin, begin + duration});
    }
    for (auto& [way, spans] : busy_) sets_.emplace(way, IntervalSet(std::move(spans)));
  }

  std::vector<LinkFit> fit() const {
    std::vector<LinkFit> fits;
    for (const auto& [key, copies] : copies_) {
      LinkFit fit;
      std::tie(fit.device, fit.kind, fit.source, fit.destination) = key;
      std::map<int64_t, std::vector<double>> times;
      const IntervalSet* other = set(fit.device, opposite(fit.kind));
      for (const Sized& copy : copies) {
        const auto length = static_cast<double>(copy.span.end_ns - copy.span.begin_ns);
        if (other != nullptr &&
            static_cast<double>(other->covered_ns(copy.span.begin_ns, copy.span.end_ns)) > kMostBeside * length)
          continue;
        times[copy.bytes].push_back(length);
        ++fit.copies;
      }
      fit.both_ways_bytes_per_s = both_ways(fit.device, fit.kind);
      if (!times.empty()) fit_times(times, fit);
      fits.push_back(fit);
    }
    return fits;
  }

 private:
  /// A copy's own device, else whichever of its ends is known.
  static int32_t device_of(const CopyRecord& c) {
    if (c.place.device >= 0) return c.place.device;
    return c.destination_device >= 0 ? c.destination_device : c.source_device;
  }
  const IntervalSet* set(int32_t device, CopyKind kind) const {
    const auto found = sets_.find({device, kind});
    return found == sets_.end() ? nullptr : &found->second;
  }

  /// Least squares of (alpha + beta bytes - time) / time.
  static void fit_times(std::map<int64_t, std::vector<double>>& times, LinkFit& fit) {
    fit.sizes = static_cast<int64_t>(times.size());
    fit.smallest_bytes = times.begin()->first;
    fit.largest_bytes = times.rbegin()->first;
    double s = 0, sx = 0, sxx = 0, sy = 0, sxy = 0;
    std::vector<std::pair<double, double>> medians;
    fit.fastest_bytes_per_s = kUnknown;
    for (const auto& [size, list] : times) {
      const auto bytes = static_cast<double>(size);
      const double time = median(list), weight = 1 / (time * time);
      medians.emplace_back(bytes, time);
      if (shows_rate(bytes, time)) fit.fastest_bytes_per_s = std::fmax(fit.fastest_bytes_per_s, bytes / time * 1e9);
      s += weight, sx += weight * bytes, sxx += weight * bytes * bytes, sy += weight * time,
          sxy += weight * bytes * time;
    }
    const double determinant = s * sxx - sx * sx;
    if (fit.sizes < kFewestSizes ||
        static_cast<double>(fit.largest_bytes) < kNarrowestRange * static_cast<double>(fit.smallest_bytes) ||
        !(determinant > 0)) {
      return;
    }
    const double beta = (s * sxy - sx * sy) / determinant, alpha = (sy * sxx - sx * sxy) / determinant;
    if (!(beta > 0)) return;  // larger copies took no longer: no link behaves so
    fit.alpha_ns = alpha;
    fit.beta_ns_per_byte = beta;
    fit.deviation_ratio = 0;
    for (const auto& [bytes, time] : medians)
      fit.deviation_ratio = std::max(fit.deviation_ratio, std::abs(alpha + beta * bytes - time) / time);
  }

  /// Bytes that copies of both directions moved while both were busy, taken as spread evenly over each copy, over that
  /// time.
  double both_ways(int32_t device, CopyKind kind) const {
    const IntervalSet *mine = set(device, kind), *theirs = set(device, opposite(kind));
    if (mine == nullptr || theirs == nullptr) return kUnknown;
    int64_t together_ns = 0;
    for (const Interval& span : mine->spans()) together_ns += theirs->covered_ns(span.begin_ns, span.end_ns);
    if (together_ns == 0) return kUnknown;
    double bytes = 0;
    for (const auto& [key, copies] : copies_) {
      if (std::get<0>(key) != device) continue;
      const IntervalSet* other = std::get<1>(key) == kind             ? theirs
                                 : std::get<1>(key) == opposite(kind) ? mine
                                                                      : nullptr;
      if (other == nullptr) continue;
      for (const Sized& c : copies) {
        const auto beside = static_cast<double>(other->covered_ns(c.span.begin_ns, c.span.end_ns));
        bytes += static_cast<double>(c.bytes) * beside / static_cast<double>(c.span.end_ns - c.span.begin_ns);
      }
    }
    return bytes / static_cast<double>(together_ns) * 1e9;
  }

  std::map<Key, std::vector<Sized>> copies_;
  std::map<std::pair<int32_t, CopyKind>, std::vector<Interval>> busy_;
  std::map<std::pair<int32_t, CopyKind>, IntervalSet> sets_;
};

Cell cell(double value) { return std::isfinite(value) ? Cell(value) : Cell(); }

}  // namespace

std::vector<LinkFit> link_fits(const Capture& capture) { return Links(capture).fit(); }

Table links_table(const Capture& capture) {
  Table table;
  table.name = "links";
  table.columns = {{"device", "GPU", Quantity::text, Origin::measured,
                    "Number of the device that copied; empty: unknown, or the host itself"},
                   {"direction", "Direction", Quantity::text, Origin::measured, "From where to where"},
                   {"memory", "Memory", Quantity::text, Origin::measured, "Kinds of memory at both ends"},
                   {"copies_count", "Copies", Quantity::count, Origin::measured,
                    "Those that the fit is made from: none ran beside them the other way"},
                   {"sizes_count", "Sizes", Quantity::count, Origin::measured,
                    "Different sizes among them; alpha and beta need three, a factor of 16 apart"},
                   {"smallest_bytes", "Smallest", Quantity::bytes, Origin::measured, "The smallest of them"},
                   {"largest_bytes", "Largest", Quantity::bytes, Origin::measured, "The largest of them"},
                   {"alpha_ns", "Alpha", Quantity::duration_ns, Origin::measured,
                    "Fixed time of a copy: time = alpha + beta x bytes, a least-squares fit to the median time "
                    "of each size "
                    "(relative errors). Times are the GPU's where its kernels were recorded, else the host's"},
                   {"rate_bytes_per_s", "1 / beta", Quantity::bytes_per_s, Origin::measured,
                    "Bytes per second that large copies approach"},
                   {"half_rate_bytes", "Half rate at", Quantity::bytes, Origin::measured,
                    "Size whose copy reaches half of that: alpha / beta"},
                   {"deviation_ratio", "Deviation", Quantity::ratio, Origin::measured,
                    "Largest relative distance of a size's median from the fit"},
                   {"fastest_bytes_per_s", "Fastest size", Quantity::bytes_per_s, Origin::measured,
                    "Bytes / median time of the size with the highest rate"},
                   {"both_ways_bytes_per_s", "Both ways", Quantity::bytes_per_s, Origin::measured,
                    "Bytes of both directions together per second, while copies of both were under way on this "
                    "device; unknown: they never were"}};
  for (const LinkFit& f : link_fits(capture)) {
    const bool any = f.copies > 0;
    table.rows.push_back({f.device < 0 ? Cell() : Cell(std::to_string(f.device)), std::string(name(f.kind)),
                          say("{} to {}", name(f.source), name(f.destination)), static_cast<double>(f.copies),
                          static_cast<double>(f.sizes), any ? Cell(static_cast<double>(f.smallest_bytes)) : Cell(),
                          any ? Cell(static_cast<double>(f.largest_bytes)) : Cell(), cell(f.alpha_ns),
                          cell(f.rate_bytes_per_s()), capture.rates_known() ? cell(f.half_rate_bytes()) : Cell(),
                          cell(f.deviation_ratio), cell(f.fastest_bytes_per_s), cell(f.both_ways_bytes_per_s)});
  }
  return with_time_origin(std::move(table), capture);
}

}  // namespace profiler
