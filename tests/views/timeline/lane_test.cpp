// SPDX-License-Identifier: GPL-3.0-or-later
// Lanes against brute force; what crosses the columns is conserved at every zoom.
#include "views/timeline/lane.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace views {
namespace {

struct Made {
  std::vector<Span> spans;
  std::vector<double> weights;
};

/// Random spans with gaps and a few long pauses.
Made make_spans(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  Made made;
  int64_t t = 1000;
  for (size_t i = 0; i < count; ++i) {
    const int64_t length = static_cast<int64_t>(random() % 5000);
    made.spans.push_back({t, t + length, static_cast<uint32_t>(random() % 7), static_cast<uint32_t>(i % 11), 0});
    made.weights.push_back(static_cast<double>(random() % 1000));
    t += length + static_cast<int64_t>(random() % 300) + (random() % 500 == 0 ? 2000000 : 0);
  }
  return made;
}

TEST(Lane, AggregateEqualsBruteForce) {
  const Made made = make_spans(3000, 1);
  const Lane lane(made.spans, made.weights);
  std::mt19937 random(2);
  for (int k = 0; k < 500; ++k) {
    size_t a = random() % lane.size(), b = random() % (lane.size() + 1);
    if (a > b) std::swap(a, b);
    const LaneAggregate fast = lane.aggregate(a, b);
    int64_t busy = 0, longest = -1;
    double most = 0;
    uint32_t which = 0;
    for (size_t i = a; i < b; ++i) {
      const int64_t length = made.spans[i].end_ns - made.spans[i].begin_ns;
      busy += length;
      most = std::max(most, made.weights[i]);
      if (length > longest) {
        longest = length;
        which = static_cast<uint32_t>(i);
      }
    }
    EXPECT_EQ(fast.busy_ns, busy);
    EXPECT_EQ(fast.longest_ns, longest);
    EXPECT_EQ(fast.count, b - a);
    EXPECT_EQ(fast.weight_max, most);
    if (a < b) {
      EXPECT_EQ(fast.longest, which);
    }
  }
}

TEST(Lane, SearchesByTime) {
  const Lane lane({{10, 20, 0, 0, 0}, {20, 30, 0, 1, 0}, {50, 50, 0, 2, 0}, {60, 70, 0, 3, 0}});
  EXPECT_EQ(lane.first_ending_after(9), 0u);
  EXPECT_EQ(lane.first_ending_after(20), 1u);
  EXPECT_EQ(lane.first_ending_after(30), 2u);
  EXPECT_EQ(lane.first_ending_after(70), 4u);
  EXPECT_EQ(lane.first_beginning_at(10), 0u);
  EXPECT_EQ(lane.first_beginning_at(11), 1u);
  EXPECT_EQ(lane.first_beginning_at(61), 4u);
}

TEST(Lane, CumulativeIsLinearInsideASpan) {
  const Lane lane({{100, 200, 0, 0, 0}, {300, 400, 0, 1, 0}}, {50, 10});
  EXPECT_DOUBLE_EQ(lane.cumulative(0), 0);
  EXPECT_DOUBLE_EQ(lane.cumulative(150), 25);
  EXPECT_DOUBLE_EQ(lane.cumulative(250), 50);
  EXPECT_DOUBLE_EQ(lane.cumulative(310), 51);
  EXPECT_DOUBLE_EQ(lane.cumulative(1000), 60);
}

TEST(Lane, ColumnsConserveWeightAtEveryZoom) {
  const Made made = make_spans(20000, 3);
  const Lane lane(made.spans, made.weights);
  const double total = std::accumulate(made.weights.begin(), made.weights.end(), 0.0);
  const int64_t begin = made.spans.front().begin_ns, end = made.spans.back().end_ns;
  for (const int width : {1, 7, 300, 1771}) {
    std::vector<double> columns;
    lane.column_weights(begin, static_cast<double>(end - begin + 1) / width, width, columns);
    EXPECT_NEAR(std::accumulate(columns.begin(), columns.end(), 0.0), total, 1e-6 * total) << width << " columns";
  }
}

TEST(Lane, RatesHaveNoFalsePeaks) {
  // 1000 spans of 100 ns moving 1 byte/ns: no column may show more than that, whatever the zoom.
  std::vector<Span> spans;
  for (int64_t i = 0; i < 1000; ++i) spans.push_back({i * 100, i * 100 + 100, 0, 0, 0});
  const Lane lane(spans, std::vector<double>(1000, 100.0));
  for (const double ns_per_px : {3.0, 37.0, 170.0, 999.0}) {
    std::vector<double> columns;
    lane.column_weights(0, ns_per_px, 90, columns);
    for (const double c : columns) EXPECT_LE(c / ns_per_px, 1.0 + 1.0 / ns_per_px);  // columns end at whole nanoseconds
  }
}

TEST(Lane, ReducedColumnsKeepBusyTimeAndCount) {
  const Made made = make_spans(50000, 4);
  const Lane lane(made.spans);
  const int64_t begin = made.spans.front().begin_ns, end = made.spans.back().end_ns;
  const int64_t busy = lane.aggregate(0, lane.size()).busy_ns;
  for (const int width : {50, 777, 1920}) {
    const double ns_per_px = static_cast<double>(end - begin + 1) / width;
    LaneFrame frame;
    lane.reduce(begin, ns_per_px, width, frame);
    double sum = 0;
    for (const float b : frame.busy) sum += b;
    for (const auto& bar : frame.bars) sum += bar.x1 - bar.x0;
    EXPECT_NEAR(sum * ns_per_px, static_cast<double>(busy), 0.01 * static_cast<double>(busy)) << width;
    for (size_t c = 0; c < frame.busy.size(); ++c)
      EXPECT_LE(frame.busy[c], 1.13f) << "column " << c;  // edges shift by 1/8 pixel
  }
}

TEST(Lane, WideSpansBecomeBarsAtTheirPlace) {
  const Lane lane({{0, 100, 0, 0, 0}, {100, 101, 0, 1, 0}, {200, 300, 0, 2, 0}});
  LaneFrame frame;
  lane.reduce(0, 1.0, 250, frame);
  ASSERT_EQ(frame.bars.size(), 2u);
  EXPECT_EQ(frame.bars[0].span, 0u);
  EXPECT_DOUBLE_EQ(frame.bars[1].x0, 200);
  EXPECT_DOUBLE_EQ(frame.bars[1].x1, 300);
  EXPECT_EQ(frame.count[100], 1u);
  EXPECT_EQ(frame.longest[100], 1u);
  EXPECT_NEAR(frame.busy[100], 1.0f, 1e-6);
}

TEST(Lane, ColumnShowsItsLongestSpan) {
  std::vector<Span> spans;
  for (int64_t i = 0; i < 512; ++i) spans.push_back({i * 10, i * 10 + (i == 300 ? 9 : 2), 0, 0, 0});
  const Lane lane(spans);
  LaneFrame frame;
  lane.reduce(0, 10000.0, 1, frame);
  EXPECT_EQ(frame.longest[0], 300u);
  EXPECT_EQ(frame.count[0], 512u);
}

TEST(Lane, GaugeColumnsShowTheMaximum) {
  const Lane lane({{0, 10, 0, 0, 0}, {10, 20, 0, 1, 0}, {40, 50, 0, 2, 0}}, {5, 9, 3});
  std::vector<double> columns;
  lane.column_maxima(0, 10.0, 6, columns);
  EXPECT_EQ(columns[0], 5);
  EXPECT_EQ(columns[1], 9);
  EXPECT_TRUE(std::isnan(columns[2]));
  EXPECT_EQ(columns[4], 3);
  lane.column_maxima(0, 60.0, 1, columns);
  EXPECT_EQ(columns[0], 9);
}

TEST(Lane, EmptyLaneDrawsNothing) {
  const Lane lane;
  LaneFrame frame;
  lane.reduce(0, 1.0, 100, frame);
  EXPECT_TRUE(frame.bars.empty());
  EXPECT_EQ(frame.count[50], 0u);
  EXPECT_EQ(lane.first_ending_after(5), 0u);
}

}  // namespace
}  // namespace views
