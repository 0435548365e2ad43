// SPDX-License-Identifier: Apache-2.0
// Figure by figure; each has a name, by which what was kept before is found again.
#include "profiler/record/probe_merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "profiler/machine/probe_figures.h"
#include "profiler/record/probe_levels.h"

namespace profiler::probe {
namespace {

/// Whether a working set per thread is beyond the level before `level` and within it, or, of DRAM, well beyond all
/// caches.
bool lies_within(const std::vector<MemoryLevel>& levels, const BandwidthRoof& roof) {
  const auto level = std::ranges::find(levels, roof.level, &MemoryLevel::name);
  if (level == levels.end()) return false;
  const auto sharing = [&](const MemoryLevel& l) { return std::min(roof.threads, std::max(1, l.shared_by_threads)); };
  if (level != levels.begin()) {
    const MemoryLevel& nearer = *(level - 1);
    const bool memory = level + 1 == levels.end();
    if (static_cast<double>(roof.working_set_bytes * sharing(nearer)) <=
        (memory ? 1.5 : 1.0) * static_cast<double>(nearer.effective_size_bytes))
      return false;
    if (memory) return true;
  }
  return roof.working_set_bytes * sharing(*level) <= level->effective_size_bytes;
}

/// Whether a bandwidth or an arithmetic roof of `machine` would have that name.
bool is_roof(const Machine& machine, const std::string& what) {
  for (const ComputeRoof& compute : machine.compute) {
    for (const engine::DType dtype : {engine::DType::float32, engine::DType::float64}) {
      ComputeRoof roof;
      roof.dtype = dtype, roof.threads = compute.threads;
      if (figure_name(roof) == what) return true;
    }
    for (const MemoryLevel& level : machine.levels) {
      const auto named = [&](AccessMix mix) {
        BandwidthRoof roof;
        roof.level = level.name, roof.mix = mix, roof.threads = compute.threads;
        return figure_name(roof) == what;
      };
      if (std::ranges::any_of(kAccessMixes, named)) return true;
    }
  }
  return false;
}

/// Whether it timed products of a type, or convolutions, by whichever name of those `what` is.
bool has_choice(const Machine& machine, const std::string& what) {
  if (what == kConvolutionsFigure) return !machine.winograd.empty();
  return std::ranges::any_of(machine.matmul,
                             [&](const engine::MatmulTiming& t) { return products_figure(t.dtype) == what; });
}

class Merge {
 public:
  Merge(const Machine& earlier, Machine latest) : earlier_(earlier), latest_(latest), out_(std::move(latest)) {}
  Machine run();

 private:
  /// Whose a figure now is: said where it is not the latest probe's own.
  void came_from(const Machine& side, const std::string& figure) {
    const auto known = std::ranges::find(side.kept, figure, &KeptReading::figure);
    if (known != side.kept.end()) kept_.push_back(*known);
    else if (&side == &earlier_) kept_.push_back({figure, earlier_.probed_at});
  }
  /// `figures` of both, the better of those with one name; those of one side alone stay.
  template <class T, class Better>
  void take(std::vector<T> Machine::*figures, const Better& better) {
    std::vector<T>& mine = out_.*figures;
    mine.clear();
    for (const T& now : latest_.*figures) {
      const auto before =
          std::ranges::find_if(earlier_.*figures, [&](const T& e) { return figure_name(e) == figure_name(now); });
      const bool older = before != (earlier_.*figures).end() && better(*before, now);
      mine.push_back(older ? *before : now);
      came_from(older ? earlier_ : latest_, figure_name(now));
    }
    for (const T& before : earlier_.*figures) {
      if (std::ranges::any_of(latest_.*figures, [&](const T& now) { return figure_name(now) == figure_name(before); }))
        continue;
      mine.push_back(before);
      came_from(earlier_, figure_name(before));
    }
  }
  void take_shorter(double Machine::*ns, const char* figure);
  void take_levels();
  void leave_lesser_peaks();
  void take_gaps();

  const Machine& earlier_;
  const Machine latest_;
  Machine out_;
  std::vector<KeptReading> kept_;
};

/// A peak of products in a narrow type counts where it is above that of f32, which may have been kept from the other
/// probe.
void Merge::leave_lesser_peaks() {
  std::vector<std::string> lesser;
  for (const ComputeRoof& roof : out_.compute) {
    const auto f32 = out_.compute_roof(engine::DType::float32, roof.threads);
    if (peak_is_of_products(roof.dtype) && f32 && f32->flop_per_s.median >= roof.flop_per_s.median)
      lesser.push_back(figure_name(roof));
  }
  const auto is_lesser = [&](const std::string& figure) { return std::ranges::find(lesser, figure) != lesser.end(); };
  std::erase_if(out_.compute, [&](const ComputeRoof& roof) { return is_lesser(figure_name(roof)); });
  std::erase_if(kept_, [&](const KeptReading& kept) { return is_lesser(kept.figure); });
}

void Merge::take_shorter(double Machine::*ns, const char* figure) {
  const double before = earlier_.*ns, now = latest_.*ns;  // 0: unknown
  const bool older = before > 0 && (!(now > 0) || before < now);
  if (older) out_.*ns = before;
  if (before > 0 || now > 0) came_from(older ? earlier_ : latest_, figure);
}

/// The levels by the better latencies; without latencies those of the side that has sizes.
void Merge::take_levels() {
  const int threads = latest_.levels.empty() ? 1 : latest_.levels.back().shared_by_threads;  // of memory, all share it
  take(&Machine::latency, [](const LatencyPoint& before, const LatencyPoint& now) {
    return before.latency_ns.known() && (!now.latency_ns.known() || before.latency_ns.median < now.latency_ns.median);
  });
  std::ranges::sort(out_.latency, {}, &LatencyPoint::working_set_bytes);
  if (!out_.latency.empty()) out_.levels = derive_levels(out_.info, out_.latency, threads);
  else if (out_.levels.empty()) out_.levels = earlier_.levels;
}

/// Says no longer that something was not measured where it now is.
void Merge::take_gaps() {
  std::erase_if(out_.unmeasured, [&](const UnmeasuredBandwidth& gap) {
    return std::ranges::any_of(out_.bandwidth, [&](const BandwidthRoof& roof) {
      return roof.level == gap.level && roof.threads == gap.threads;
    });
  });
  // Both timed the same shapes as far as they came: what neither has is not known.
  const auto shapes = [](const Machine& machine) {
    return static_cast<int>(machine.matmul.size() + machine.winograd.size());
  };
  const int tried = std::max(shapes(earlier_) + earlier_.unsettled_shapes, shapes(latest_) + latest_.unsettled_shapes);
  out_.unsettled_shapes = std::max(0, tried - shapes(out_));
  const auto has_roof = [&](const std::string& what) {
    const auto named = [&](const auto& roof) { return figure_name(roof) == what; };
    return std::ranges::any_of(out_.bandwidth, named) || std::ranges::any_of(out_.compute, named);
  };
  std::erase_if(out_.unfinished, [&](const std::string& what) {
    if (is_roof(out_, what)) return has_roof(what);
    return has_choice(out_, what) || std::ranges::find(earlier_.unfinished, what) == earlier_.unfinished.end();
  });
  std::erase_if(out_.unfinished_choices, [&](const std::string& what) { return has_choice(out_, what); });
  out_.kept = std::move(kept_);
}

Machine Merge::run() {
  take_levels();
  take(&Machine::compute, [](const ComputeRoof& before, const ComputeRoof& now) {
    return before.flop_per_s.known() && (!now.flop_per_s.known() || before.flop_per_s.median > now.flop_per_s.median);
  });
  take(&Machine::bandwidth, [&](const BandwidthRoof& before, const BandwidthRoof& now) {
    if (before.bytes_per_s.known() != now.bytes_per_s.known()) return before.bytes_per_s.known();
    const bool within = lies_within(out_.levels, before), now_within = lies_within(out_.levels, now);
    return within != now_within ? within : before.bytes_per_s.median > now.bytes_per_s.median;
  });
  leave_lesser_peaks();
  // Which library, or which way, is the fastest is told by times of one run, so rows stay whole.
  const auto shorter = [](double before, double now) { return !std::isnan(before) && !(now <= before); };
  take(&Machine::matmul, [&](const engine::MatmulTiming& before, const engine::MatmulTiming& now) {
    return shorter(before.ns(before.fastest()), now.ns(now.fastest()));
  });
  take(&Machine::winograd, [&](const engine::WinogradTiming& before, const engine::WinogradTiming& now) {
    return shorter(std::fmin(before.direct_ns, before.winograd_ns), std::fmin(now.direct_ns, now.winograd_ns));
  });
  take_shorter(&Machine::multiply_add_ns, kMultiplyAddFigure);
  take_shorter(&Machine::timer_ns, kTimerFigure);
  take_shorter(&Machine::fork_join_ns, kForkJoinFigure);
  take_gaps();
  return std::move(out_);
}

}  // namespace

Machine better_of(const Machine& earlier, Machine latest) { return Merge(earlier, std::move(latest)).run(); }

void take_choices(const Machine& earlier, Machine& latest) {
  std::erase_if(latest.unfinished_choices, [&](const std::string& what) {
    if (!has_choice(earlier, what)) return false;
    if (what == kConvolutionsFigure) latest.winograd = earlier.winograd;
    std::ranges::copy_if(earlier.matmul, std::back_inserter(latest.matmul),
                         [&](const engine::MatmulTiming& t) { return products_figure(t.dtype) == what; });
    latest.notes.push_back(fmt::format("Of the probe of {}: {}.", earlier.probed_at, what));
    return true;
  });
}

int renew(std::vector<engine::MatmulTiming>& timings, engine::DType dtype,
          const std::vector<engine::MatmulTiming>& fresh, int left_out) {
  for (const engine::MatmulTiming& t : fresh)
    std::erase_if(timings, [&](const engine::MatmulTiming& old) { return figure_name(old) == figure_name(t); });
  const auto kept = std::ranges::count(timings, dtype, &engine::MatmulTiming::dtype);
  timings.insert(timings.end(), fresh.begin(), fresh.end());
  return std::max(0, left_out - static_cast<int>(kept));
}

}  // namespace profiler::probe
