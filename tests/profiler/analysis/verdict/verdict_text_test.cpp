// SPDX-License-Identifier: Apache-2.0
// Reasons and their words: every kind has a row of its own, and how sure a verdict is follows from its fields.
#include "profiler/analysis/verdict/verdict_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "profiler/analysis/verdict/reason_rows.h"

namespace profiler {
namespace {

TEST(VerdictText, EachKindOfReasonHasOneNameAndOneSentence) {
  std::set<std::string_view> names;
  size_t rows = 0;
  for (const std::span<const ReasonRow> some : {reason_rows(), gpu_reason_rows(), cause_rows()}) {
    for (const ReasonRow& row : some) {
      EXPECT_TRUE(names.insert(row.name).second) << row.name;
      EXPECT_EQ(name(row.kind), row.name);
      ++rows;
    }
  }
  EXPECT_EQ(rows, kReasonKindCount);
}

TEST(VerdictText, ValuesAreFoundByKeyAndType) {
  Reason r{
      ReasonKind::corners,
      {{"level", "L2"}, {"bytes", 7}, {"level", "L1"}, {"bytes", 9.5}, {"firm", true}, {"limit", Threshold{0.7, 0.8}}}};
  EXPECT_EQ(r.text("level"), "L2");
  EXPECT_EQ(r.texts("level"), (std::vector<std::string>{"L2", "L1"}));
  EXPECT_EQ(r.numbers("bytes"), (std::vector<double>{7, 9.5}));
  EXPECT_EQ(r.number("firm"), 1);
  EXPECT_EQ(text(r.limit("limit")), "0.7 instead of 0.8");
  EXPECT_TRUE(std::isnan(r.number("level")) && std::isnan(r.number("none")) && std::isnan(r.limit("bytes").value));
  EXPECT_EQ(r.text("none"), "");
  r.set("firm", 0);
  r.set("new", 3);
  EXPECT_EQ(r.number("firm"), 0);
  EXPECT_EQ(r.number("new"), 3);
}

TEST(VerdictText, AHeadlineSaysTheClassAndHowSureItIs) {
  Verdict v;
  EXPECT_EQ(headline(v), "unknown");
  v.bound = Bound::memory, v.level = "DRAM";
  EXPECT_EQ(headline(v), "memory-bound at DRAM (likely)");
  v.firm = true;
  EXPECT_EQ(headline(v), "memory-bound at DRAM");
  v.counted = true;
  EXPECT_EQ(headline(v), "memory-bound at DRAM (measured)");
  v.level = kStoresLevel;
  EXPECT_EQ(headline(v), "bound by stores (measured)");
  v = {};
  v.bound = Bound::balanced, v.beside = "device memory", v.mostly = true;
  EXPECT_EQ(headline(v), "mostly balanced between compute and device memory (likely)");
  v = {};
  v.bound = Bound::inconsistent;
  EXPECT_EQ(headline(v), "inconsistent: faster than its roofs") << "there is no class to be sure of";
  v = {};
  v.bound = Bound::latency;
  EXPECT_EQ(class_text(v), "latency-bound") << "of a GPU no level is known";
  v.level = "L3";
  EXPECT_EQ(class_text(v), "latency-bound at L3");
}

TEST(VerdictText, WeakRoofsChangeWhatIsSaidOfTheCornersNotWhatTheyAre) {
  Reason gpu{ReasonKind::gpu_corners, {{"firm", 1}, {"corners", 8}, {"agreeing", 8}}};
  EXPECT_EQ(reason_text(gpu), "Firm: the same answer in all 8 corners of the error bands.");
  gpu.set("firm", 0);
  gpu.set("weak_roofs", 1);
  EXPECT_EQ(reason_text(gpu),
            "The same answer in all 8 corners of the error bands, but the roofs have low confidence: likely, not "
            "firm.");
}

TEST(VerdictText, CausesStandInOneLine) {
  Verdict v;
  EXPECT_EQ(cause_text(v), "");
  v.causes = {{ReasonKind::cause_compulsory},
              {ReasonKind::cause_line_fills, {{"fills_ratio", 0.25}, {"from_memory", 1}}}};
  EXPECT_EQ(cause_text(v),
            "compulsory: only fusion or a smaller dtype can help; write-allocate: 25 % of the bytes are lines fetched "
            "only to be overwritten; non-temporal stores would save them");
}

}  // namespace
}  // namespace profiler
