// SPDX-License-Identifier: Apache-2.0
// Bounds of data sheets, against arithmetic by hand.
#include "profiler/predict/sheet_bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "profiler/memory/traffic_bounds.h"
#include "tests/support/sample_capture.h"

namespace profiler {
namespace {

const SheetBound& of(const std::vector<SheetBound>& bounds, std::string_view name) {
  return *std::ranges::find_if(bounds, [&](const SheetBound& b) { return b.sheet->name == name; });
}

TEST(SheetBounds, EachOpTakesTheLongerOfArithmeticAndBytes) {
  const auto capture = tests::sample_capture();
  double ns = 0;
  for (const OpRecord& op : capture->ops()) {
    if (op.view) continue;
    ns += std::max(op.flops / 8.87e12, traffic_bounds(*capture, op, kUnknown).compulsory() / 320e9) * 1e9;
  }
  const auto bounds = sheet_bounds(*capture);
  const SheetBound& card = of(bounds, "GTX 1080");
  EXPECT_NEAR(card.step_ns, ns, 1e-9 * ns);
  EXPECT_EQ(card.rate, "f32");
}

TEST(SheetBounds, ChipsWithoutAFigureHaveDashes) {
  const auto capture = tests::sample_capture();
  const auto bounds = sheet_bounds(*capture);
  const SheetBound &edge = of(bounds, "Apple A11 Neural Engine"), &tpu = of(bounds, "TPU v3 (chip)");
  double flops = 0;
  for (const OpRecord& op : capture->ops()) flops += op.view ? 0 : op.flops;
  EXPECT_NEAR(edge.step_ns, flops / 0.6e12 * 1e9, 1e-6 * edge.step_ns) << "no bandwidth is published";
  EXPECT_TRUE(std::isnan(edge.fits()));
  EXPECT_EQ(tpu.rate, "bf16");
  const Table table = sheet_bounds_table(bounds);
  for (const auto& row : table.rows) {
    ASSERT_EQ(row.size(), table.columns.size());
    if (std::get<std::string>(row[0]) != "Apple A11 Neural Engine") continue;
    for (size_t c = 0; c < row.size(); ++c) {
      const std::string& key = table.columns[c].key;
      const bool dash =
          key == "fits" || key == "memory_bytes" || key == "memory_bytes_per_s" || key == "ridge_flop_per_byte";
      EXPECT_TRUE(!dash || std::holds_alternative<std::monostate>(row[c])) << key;
    }
  }
}

TEST(SheetBounds, FitsWhereThePlannedBytesDo) {
  SheetBound bound = sheet_bounds(*tests::sample_capture()).front();
  bound.needed_bytes = bound.sheet->memory_bytes;
  EXPECT_EQ(bound.fits(), 1);
  bound.needed_bytes += 1;
  EXPECT_EQ(bound.fits(), 0);
  bound.needed_bytes = kUnknown;
  EXPECT_TRUE(std::isnan(bound.fits()));
}

}  // namespace
}  // namespace profiler
