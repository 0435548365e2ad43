// SPDX-License-Identifier: Apache-2.0
// Times of an emulated GPU are labelled as such in every table, and no rate follows from them.
#include "profiler/analysis/base/time_origin.h"

#include <gtest/gtest.h>

#include <cmath>

#include "profiler/analysis/analyze.h"
#include "profiler/analysis/tables/ops_table.h"
#include "profiler/analysis/tables/tables.h"
#include "profiler/base/origin.h"
#include "profiler/base/table.h"
#include "profiler/report/report.h"
#include "tests/support/sample_capture.h"
#include "tests/support/sample_gpu_capture.h"

namespace profiler {
namespace {

/// The sample as if it had been recorded on that device.
std::shared_ptr<const Analyzed> sample_on(const char* device) {
  CaptureBuilder builder = tests::sample_builder();
  builder.run().device = device;
  return analyze(*builder.finish());
}

bool is_rate(const Column& column) {
  return column.quantity == Quantity::flop_per_s || column.quantity == Quantity::bytes_per_s;
}

TEST(TimeOrigin, NoTableOfAnEmulatedRunCallsItsTimesMeasured) {
  const auto analyzed = sample_on("emu:0");
  EXPECT_EQ(analyzed->capture->time_origin(), Origin::emulated);
  size_t times = 0;
  for (const std::string& name : table_names()) {
    for (const OpsBy by : {OpsBy::op, OpsBy::layer, OpsBy::type, OpsBy::kernel, OpsBy::phase}) {
      const auto table = table_by_name(*analyzed, name, by);
      if (!table.ok() || name == "roofs" || name == "traffic" || name == "findings" || name.starts_with("cache") ||
          name == "process_memory")  // of the host
        continue;
      for (size_t c = 0; c < table->columns.size(); ++c) {
        const Column& column = table->columns[c];
        if (column.quantity == Quantity::text) continue;
        EXPECT_NE(column.origin, Origin::measured) << name << " " << column.key;
        times += column.origin == Origin::emulated && column.quantity == Quantity::duration_ns ? 1 : 0;
        if (!is_rate(column)) continue;
        for (const auto& row : table->rows)
          EXPECT_TRUE(std::holds_alternative<std::monostate>(row[c])) << name << " " << column.key;
      }
      if (name != "ops") break;
    }
  }
  EXPECT_GE(times, 5u) << "times stay, as those of the emulation";
  const Table summary = *table_by_name(*analyzed, "summary", OpsBy::op);
  for (const auto& row : summary.rows)
    EXPECT_NE(std::get<std::string>(row[3]), "measured") << std::get<std::string>(row[0]);
}

TEST(TimeOrigin, OtherRunsKeepTheirRates) {
  const auto analyzed = sample_on("cpu");
  EXPECT_EQ(analyzed->capture->time_origin(), Origin::measured);
  EXPECT_EQ(no_rates_words(*analyzed->capture), "");
  bool rate = false;
  const Table ops = ops_table(*analyzed, OpsBy::op);
  for (size_t c = 0; c < ops.columns.size(); ++c) {
    for (const auto& row : ops.rows)
      rate = rate || (ops.columns[c].key == "flop_per_s" && std::holds_alternative<double>(row[c]));
  }
  EXPECT_TRUE(rate);
}

TEST(TimeOrigin, RatesOfAColumnAreUnknownWithTheReason) {
  CaptureBuilder builder = tests::sample_builder();
  builder.run().device = "emu:0";
  const auto capture = *builder.finish();
  EXPECT_TRUE(std::isnan(capture->rate(1e9, 1e6)));
  Table table;
  table.columns = {{"time_ns", "Time", Quantity::duration_ns, Origin::measured, "Time"},
                   {"rate_bytes_per_s", "Rate", Quantity::bytes_per_s, Origin::measured, "Bytes / time"},
                   {"bytes", "Bytes", Quantity::bytes, Origin::exact, "Bytes"}};
  table.rows = {{1.0, 2.0, 3.0}};
  const Table shown = with_time_origin(table, *capture);
  EXPECT_EQ(shown.columns[0].origin, Origin::emulated);
  EXPECT_EQ(std::get<double>(shown.rows[0][0]), 1.0);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(shown.rows[0][1]));
  EXPECT_NE(shown.columns[1].help.find("emulated"), std::string::npos) << shown.columns[1].help;
  EXPECT_EQ(shown.columns[2].origin, Origin::exact);
  EXPECT_EQ(std::get<double>(shown.rows[0][2]), 3.0);
}

TEST(TimeOrigin, EveryOriginHasANameAndAMeaning) {
  for (const Origin origin : kOrigins) {
    EXPECT_FALSE(name(origin).empty());
    EXPECT_FALSE(origin_meaning(origin).empty()) << name(origin);
  }
}

}  // namespace
}  // namespace profiler
