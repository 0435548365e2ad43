// SPDX-License-Identifier: GPL-3.0-or-later
// Lane: non-overlapping spans in time order with a pyramid of aggregates, so that any zoom costs
// what the screen is wide. No Qt.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "profiler/model/activity.h"

namespace views {

/// One bar of a lane. `label` indexes TimelineModel::labels.
struct Span {
  int64_t begin_ns = 0, end_ns = 0;
  uint32_t label = 0;
  profiler::OpId op = profiler::kNoOp;  ///< the op itself, or the first op inside
  uint32_t step = profiler::kNoStep;
};

/// What lies under some spans.
struct LaneAggregate {
  int64_t busy_ns = 0;
  int64_t longest_ns = -1;
  uint32_t longest = 0;  ///< index of the longest span (the first of equals)
  uint32_t count = 0;
  double weight_max = 0;
};

/// A lane reduced to what `width` pixel columns can show.
struct LaneFrame {
  struct Bar {
    uint32_t span;
    double x0, x1;  ///< pixels from the left edge of the window; may reach outside
  };
  std::vector<Bar> bars;          ///< spans at least kBarPixels wide
  std::vector<float> busy;        ///< per column: covered share by the narrower spans, 0..1
  std::vector<uint32_t> longest;  ///< per column: its longest narrow span
  std::vector<uint32_t> count;    ///< per column: narrow spans that start in it (a node of the
                                  ///< pyramid counts where it starts)
};

class Lane {
 public:
  static constexpr double kBarPixels = 2.0;

  Lane() = default;
  /// `spans` must be in time order and must not overlap (CHECKed). `weights`: an additive amount
  /// per span (bytes, FLOPs), spread evenly over its time, or a gauge value; empty: none.
  explicit Lane(std::vector<Span> spans, std::vector<double> weights = {});

  size_t size() const { return spans_.size(); }
  bool empty() const { return spans_.empty(); }
  const Span& span(size_t i) const { return spans_[i]; }
  std::span<const Span> spans() const { return spans_; }
  double weight(size_t i) const { return weights_[i]; }
  bool weighted() const { return !weights_.empty(); }

  /// First span that ends after `t`; size() when none.
  size_t first_ending_after(int64_t t) const;
  /// First span that begins at or after `t`; size() when none.
  size_t first_beginning_at(int64_t t) const;
  /// Exact aggregate of the spans [first, last).
  LaneAggregate aggregate(size_t first, size_t last) const;
  /// Weight before `t`: C(t), linear inside a span. What crosses a column is C(b) - C(a): nothing
  /// is lost or invented at any zoom.
  double cumulative(int64_t t) const;

  /// Reduces the window [begin_ns, begin_ns + width * ns_per_px). Errors of the columns' edges stay
  /// below 1/8 pixel.
  void reduce(int64_t begin_ns, double ns_per_px, int width, LaneFrame& frame) const;
  /// Weight per column, C(b) - C(a) for each.
  void column_weights(int64_t begin_ns, double ns_per_px, int width,
                      std::vector<double>& out) const;
  /// Largest weight touching each column (gauges); NaN where no span is.
  void column_maxima(int64_t begin_ns, double ns_per_px, int width, std::vector<double>& out) const;

 private:
  static constexpr unsigned kShift = 3, kFan = 1u << kShift;
  struct Node {  // 8^(level + 1) spans
    int64_t begin_ns, end_ns, longest_ns;
    uint32_t longest;
    double weight_max;
    double busy_ns;
  };
  struct Window;
  Node leaf(size_t i) const;
  void build();
  void visit(size_t level, size_t node, const Window&, LaneFrame&) const;
  void visit_span(size_t i, const Window&, LaneFrame&) const;

  std::vector<Span> spans_;
  std::vector<double> weights_;
  std::vector<double> weight_before_;  // per node of level 0
  std::vector<std::vector<Node>> levels_;
};

}  // namespace views
