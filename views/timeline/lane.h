// SPDX-License-Identifier: GPL-3.0-or-later
// Lane: non-overlapping spans in time order with a pyramid of aggregates, so that any zoom costs
// what the screen is wide. No Qt.
#pragma once

#include <cstdint>
#include <memory>
#include <ranges>
#include <vector>

#include "profiler/capture/capture.h"

namespace views {

inline constexpr uint32_t kNoRow = 0xffffffffu;

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
  std::vector<Bar> bars;            ///< spans at least kBarPixels wide
  std::vector<float> busy;          ///< per column: covered share by the narrower spans, 0..1
  std::vector<uint32_t> longest;    ///< per column: its longest narrow span
  std::vector<int64_t> longest_ns;  ///< per column: how long that one is
  std::vector<uint32_t> count;      ///< per column: narrow spans that start in it (a node of the
                                    ///< pyramid counts where it starts)
};

/// Copies share what they hold: a lane and its charts cost the memory of one.
class Lane {
 public:
  static constexpr double kBarPixels = 2.0;

  Lane() = default;
  /// `spans` must be in time order and must not overlap (CHECKed). `weights`: an additive amount
  /// per span (bytes, FLOPs), spread evenly over its time, or a gauge value; empty: none.
  explicit Lane(std::vector<Span> spans, std::vector<double> weights = {});
  /// Rows of the capture's activities, ascending, not overlapping (CHECKed). An op is labelled by
  /// its name, all else by the activity's.
  Lane(std::shared_ptr<const profiler::Capture> capture, std::vector<uint32_t> rows);
  /// The same spans with the weight of their op; spans without op weigh nothing.
  Lane weighted_by_op(std::vector<double> weight_of_op) const;

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Span span(size_t i) const;
  int64_t begin_ns(size_t i) const;
  int64_t end_ns(size_t i) const;
  uint32_t label(size_t i) const;
  profiler::OpId op(size_t i) const;
  /// The activity behind a span; kNoRow: it was derived from others.
  uint32_t row(size_t i) const;
  /// All spans, made one by one.
  auto spans() const {
    return std::ranges::transform_view(std::ranges::iota_view<size_t, size_t>(0, size_),
                                       [this](size_t i) { return span(i); });
  }
  double weight(size_t i) const;
  bool weighted() const { return weights_ != nullptr; }
  /// Bytes held by this lane alone (`shared` false), or with all that its copies share.
  size_t size_bytes(bool shared = true) const;

  /// First span that ends after `t`; size() when none.
  size_t first_ending_after(int64_t t) const;
  /// First span that begins at or after `t`; size() when none.
  size_t first_beginning_at(int64_t t) const;
  /// Exact aggregate of the spans [first, last).
  LaneAggregate aggregate(size_t first, size_t last) const;
  /// Weight before `t`: C(t), linear inside a span. What crosses a column is C(b) - C(a): nothing
  /// is lost or invented at any zoom.
  double cumulative(int64_t t) const;

  /// Reduces the window [begin_ns, begin_ns + width * ns_per_px). What lies within half a pixel
  /// may be spread evenly over it; sums are kept.
  void reduce(int64_t begin_ns, double ns_per_px, int width, LaneFrame& frame) const;
  /// Weight per column, C(b) - C(a) for each; C is linear inside 16 spans that share half a pixel.
  void column_weights(int64_t begin_ns, double ns_per_px, int width, std::vector<double>& out) const;
  /// Largest weight touching each column (gauges); NaN where no span is. What lies within half a
  /// pixel counts in each column that half pixel touches.
  void column_maxima(int64_t begin_ns, double ns_per_px, int width, std::vector<double>& out) const;

 private:
  static constexpr unsigned kShift = 4, kFan = 1u << kShift;
  struct Node {  // 16^(level + 1) spans; 32 bytes
    int64_t begin_ns, end_ns;
    double busy_ns;
    uint32_t longest_ns;  // capped
    uint32_t longest;
  };
  struct Store {
    std::vector<Span> spans;
    std::shared_ptr<const profiler::Capture> capture;
    std::vector<uint32_t> rows;
    std::vector<std::vector<Node>> levels;
  };
  struct Weights {
    std::vector<double> of_span, of_op;     // one of the two
    std::vector<double> before;             // per node of level 0
    std::vector<std::vector<double>> most;  // per level and node
  };
  struct Window;
  Node leaf(size_t i) const;
  bool longer(const Node& a, const Node& b) const;
  void build();
  void build_weights();
  size_t node_size(size_t level, size_t node) const;
  void visit(size_t level, size_t node, const Window&, LaneFrame&) const;
  void visit_span(size_t i, const Window&, LaneFrame&) const;
  void visit_maxima(size_t level, size_t node, const Window&, std::vector<double>& out) const;
  double cumulative_from(size_t node, int64_t t, int64_t coarse_ns = 0) const;

  size_t size_ = 0;
  std::shared_ptr<Store> store_;  // not written to once built
  std::shared_ptr<Weights> weights_;
};

}  // namespace views
