// SPDX-License-Identifier: Apache-2.0
// The tables of a sweep by name.
#include "profiler/sweep/table_catalog.h"

#include <gtest/gtest.h>

#include <string>

#include "profiler/analysis/tables/tables.h"

namespace profiler {
namespace {

TEST(SweepTables, EachIsFoundByItsNameAndIsNoTableOfACapture) {
  ASSERT_FALSE(sweep_table_catalog().empty());
  for (const SweepTableEntry& entry : sweep_table_catalog()) {
    EXPECT_EQ(find_sweep_table(entry.name), &entry);
    EXPECT_NE(entry.help, std::string()) << entry.name;
    EXPECT_FALSE(find_table(entry.name).ok()) << entry.name << ": `analyze --table` could not tell them apart";
    EXPECT_FALSE(entry.make(Sweep()).columns.empty()) << entry.name;
  }
  EXPECT_EQ(find_sweep_table("summary"), nullptr);
  EXPECT_EQ(find_sweep_table(""), nullptr);
}

}  // namespace
}  // namespace profiler
