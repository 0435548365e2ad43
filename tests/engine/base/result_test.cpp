// SPDX-License-Identifier: Apache-2.0
#include "engine/base/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace engine {
namespace {

TEST(Result, HoldsTheValueOrTheError) {
  Result<int> good = 7, bad = refused_error("[disk] 3 bytes free, 5 needed");
  EXPECT_TRUE(good.ok());
  EXPECT_EQ(*good, 7);
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().kind, ErrorKind::refused);
  EXPECT_EQ(bad.error().message, "[disk] 3 bytes free, 5 needed");
}

TEST(Result, MovesWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 3);
}

TEST(Result, AnErrorIsNotAStringValue) {
  const Result<std::string> text = std::string("fine"), error = usage_error("not fine");
  EXPECT_TRUE(text.ok());
  EXPECT_FALSE(error.ok());
}

TEST(ResultDeathTest, AskingForWhatIsNotThereStops) {
  Result<int> bad = usage_error("no");
  EXPECT_DEATH(static_cast<void>(*bad), "internal error: ok\\(\\) does not hold");
  Result<void> done;
  EXPECT_DEATH(static_cast<void>(done.error()), "internal error");
}

}  // namespace
}  // namespace engine
