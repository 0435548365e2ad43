// SPDX-License-Identifier: Apache-2.0
// Sentences with and without a translation.
#include "profiler/base/say.h"

#include <gtest/gtest.h>

#include "profiler/base/origin.h"
#include "profiler/base/words.h"

namespace profiler {
namespace {

std::string german(std::string_view english) {
  if (english == "{} of {:.1f} steps") return "von {1:.1f} Schritten {0}";
  if (english == "{} of them") return "{0} davon, {}";      // mixed: fmt refuses it
  if (english == "{} in all") return "{} und {} zusammen";  // one place too many
  if (english == "ops") return "Operationen";
  if (english == "modelled") return "modelliert";
  return {};
}

class SayTest : public ::testing::Test {
 protected:
  void SetUp() override { set_translator(german); }
  void TearDown() override { set_translator(nullptr); }
};

TEST_F(SayTest, ATranslationMayOrderValuesOtherwise) {
  EXPECT_EQ(say("{} of {:.1f} steps", 3, 7.0), "von 7.0 Schritten 3");
}

TEST_F(SayTest, WithoutATranslationOrWithAFaultyOneItIsEnglish) {
  EXPECT_EQ(say("takes {}", "1 ms"), "takes 1 ms");
  EXPECT_EQ(say("{} of them", 3), "3 of them");
  EXPECT_EQ(say("{} in all", 3), "3 in all");
}

TEST_F(SayTest, WhatIsSaidInEnglishStaysSo) {
  {
    const InEnglish report;
    EXPECT_EQ(say("{} of {:.1f} steps", 3, 7.0), "3 of 7.0 steps");
    EXPECT_EQ(say_marked("modelled"), "modelled");
  }
  EXPECT_EQ(say_marked("modelled"), "modelliert");
}

TEST_F(SayTest, MarkedWordsAndCountedThings) {
  EXPECT_EQ(say_marked(name(Origin::modelled)), "modelliert");
  EXPECT_EQ(name(Origin::modelled), "modelled");  // what files and queries are given stays
  EXPECT_EQ(counted(2, "op"), "2 Operationen");
  EXPECT_EQ(counted(1, "op"), "1 op");
}

TEST(Say, IsEnglishWithoutATranslator) { EXPECT_EQ(say("{} of {:.1f} steps", 3, 7.0), "3 of 7.0 steps"); }

}  // namespace
}  // namespace profiler
