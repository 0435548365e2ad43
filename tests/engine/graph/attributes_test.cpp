// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "engine/graph/op.h"

namespace engine {
namespace {

TEST(Attributes, GiveWhatIsSetElseTheFallback) {
  Attributes attributes{
      {"axis", int64_t{2}}, {"epsilon", 1e-5}, {"mode", std::string("max")}, {"stride", std::vector<int64_t>{2, 2}}};
  EXPECT_EQ(attributes.get_int("axis", 0), 2);
  EXPECT_EQ(attributes.get_int("groups", 1), 1);
  EXPECT_EQ(attributes.get_double("epsilon", 0), 1e-5);
  EXPECT_EQ(attributes.get_string("mode", "min"), "max");
  EXPECT_EQ(attributes.get_ints("stride", {}), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(attributes.get_ints("padding", {0, 0}), (std::vector<int64_t>{0, 0}));
  EXPECT_TRUE(attributes.has("axis"));
  EXPECT_FALSE(attributes.has("axi"));
  attributes.set("axis", int64_t{3});
  EXPECT_EQ(attributes.get_int("axis", 0), 3);
}

TEST(AttributesDeathTest, TheWrongKindStops) {
  const Attributes attributes{{"axis", int64_t{2}}};
  EXPECT_DEATH(static_cast<void>(attributes.get_double("axis", 0)), "internal error");
}

}  // namespace
}  // namespace engine
