// SPDX-License-Identifier: GPL-3.0-or-later
// Where elements and waiting values are, as numbers.
#include "views/systolic/systolic_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "views/base/theme.h"

namespace {

using views::SystolicToken;

profiler::SystolicSteps at_cycle(int64_t size, int64_t m, int64_t cycle) {
  auto array = *profiler::SystolicSteps::make(size, size, m);
  while (array.cycle() < cycle && array.step()) {
  }
  return array;
}

views::SystolicLayout laid_out(const profiler::SystolicSteps& array, QSizeF size = {640, 420}) {
  const auto fresh = *profiler::SystolicSteps::make(array.rows(), array.columns(), array.m());
  return views::layout_systolic(array, views::working_per_cycle(fresh), QRectF(QPointF(), size), views::data_font());
}

std::vector<SystolicToken> of_kind(const views::SystolicLayout& layout, SystolicToken::Kind kind) {
  std::vector<SystolicToken> found;
  std::ranges::copy_if(layout.tokens, std::back_inserter(found), [&](const auto& t) { return t.kind == kind; });
  return found;
}

TEST(SystolicLayout, EveryElementIsInsideAndNoneOverlap) {
  for (const int64_t size : {2, 8, 16, 64}) {
    for (const QSizeF room : {QSizeF(640, 420), QSizeF(400, 300), QSizeF(1200, 900)}) {
      const views::SystolicLayout layout = laid_out(at_cycle(size, 8, size + 5), room);
      ASSERT_EQ(layout.cells.size(), static_cast<size_t>(size * size));
      EXPECT_TRUE(QRectF(QPointF(), room).contains(layout.array)) << size;
      EXPECT_LE(layout.array.bottom(), layout.chart.top()) << size;
      EXPECT_EQ(layout.cells.back().rect.bottomRight(), layout.array.bottomRight());
      for (const SystolicToken& token : layout.tokens) EXPECT_FALSE(token.rect.intersects(layout.array));
    }
  }
}

TEST(SystolicLayout, ValuesStandInElementsWhereTheyFit) {
  EXPECT_EQ(laid_out(at_cycle(4, 4, 4), {900, 700}).lines, 3);
  EXPECT_EQ(laid_out(at_cycle(64, 64, 4)).lines, 0);
}

TEST(SystolicLayout, TheNextRowOfWeightsWaitsAbove) {
  const auto weights = of_kind(laid_out(at_cycle(4, 4, 1)), SystolicToken::Kind::weight);
  ASSERT_GE(weights.size(), 4U);
  EXPECT_EQ(weights[0].row, 2) << "rows enter from the last to the first";
  EXPECT_TRUE(of_kind(laid_out(at_cycle(4, 4, 4)), SystolicToken::Kind::weight).empty());
}

TEST(SystolicLayout, WhatWaitsNearestEntersInTheNextCycle) {
  for (int64_t cycle = 4; cycle < 11; ++cycle) {
    const auto array = at_cycle(4, 4, cycle);
    auto next = array;
    next.step();
    const views::SystolicLayout layout = laid_out(array);
    for (const SystolicToken& token : of_kind(layout, SystolicToken::Kind::input)) {
      if (layout.array.left() - token.rect.right() > 0.5 * layout.size) continue;  // further back
      const auto row = static_cast<int64_t>((token.rect.center().y() - layout.array.top()) / layout.size);
      EXPECT_TRUE(next.worked(row, 0));
      EXPECT_EQ(next.input(row, 0), token.value);
    }
  }
}

TEST(SystolicLayout, WhatLeftLastIsTheSumOfTheLastRow) {
  const auto array = at_cycle(3, 5, 3 + 5);
  const auto results = of_kind(laid_out(array), SystolicToken::Kind::result);
  ASSERT_FALSE(results.empty());
  for (const SystolicToken& token : results) {
    int64_t sum = 0;
    for (int64_t k = 0; k < 3; ++k) sum += array.input_value(token.row, k) * array.weight_value(k, token.column);
    EXPECT_EQ(token.value, sum);
  }
}

TEST(SystolicLayout, TheAreaOfTheChartIsTheMultiplyAdds) {
  for (const auto& [size, m] : {std::pair<int64_t, int64_t>{2, 1}, {5, 9}, {16, 16}}) {
    const auto working = views::working_per_cycle(*profiler::SystolicSteps::make(size, size, m));
    EXPECT_EQ(working.size(), static_cast<size_t>(m + 3 * size - 2));
    EXPECT_EQ(std::accumulate(working.begin(), working.end(), int64_t{0}), m * size * size);
    EXPECT_TRUE(std::all_of(working.begin(), working.begin() + size, [](int64_t n) { return n == 0; }));
  }
}

TEST(SystolicLayout, ReadsAreSummed) {
  const views::SystolicReads reads = views::reads_of({1, 0, 1, 2});
  EXPECT_EQ(reads.reads, 4);
  EXPECT_EQ(reads.elements, 4);
  EXPECT_EQ(reads.most, 2);
}

}  // namespace
