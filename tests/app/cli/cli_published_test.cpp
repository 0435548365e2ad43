// SPDX-License-Identifier: Apache-2.0
// tensortide published: the table without a run, by the program itself.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/app/cli/process.h"

namespace {

using nlohmann::json;
using test::tensortide;

TEST(PublishedCommand, EveryTablePrints) {
  for (const char* table : {"grid", "threads", "peaks", "ranking", "mismatches", "networks"}) {
    const test::Outcome text = tensortide(fmt::format("published --network lstm --table {}", table));
    ASSERT_EQ(text.exit_code, 0) << text.err;
    EXPECT_NE(text.out.find("1608.07249"), std::string::npos) << text.out;
    EXPECT_EQ(text.out.find("AlexNet-S"), std::string::npos) << text.out;
    const json document = test::parsed(tensortide(fmt::format("published --table {} --json", table)).out);
    EXPECT_FALSE(document["rows"].empty()) << table;
    EXPECT_NE(document["paper"].get<std::string>().find("Benchmarking"), std::string::npos);
  }
}

TEST(PublishedCommand, ImpossibleCellsAreNamed) {
  const test::Outcome ran = tensortide("published --network AlexNet-S");
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.out.find("108 % of the peak: impossible"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("106 % of the peak: impossible"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("1.606~!"), std::string::npos) << ran.out;
}

TEST(PublishedCommand, WrongNamesGetTheNearest) {
  const test::Outcome network = tensortide("published --network FCN-X");
  EXPECT_EQ(network.exit_code, 2);
  EXPECT_NE(network.err.find("[--network]"), std::string::npos) << network.err;
  EXPECT_NE(network.err.find("FCN-S"), std::string::npos) << network.err;
  const test::Outcome table = tensortide("published --table rankings");
  EXPECT_EQ(table.exit_code, 2);
  EXPECT_NE(table.err.find("did you mean \"ranking\""), std::string::npos) << table.err;
}

TEST(PublishedCommand, TimesOfOursNeedTheNetworkItself) {
  const std::string folder = test::fresh_folder().string();
  ASSERT_EQ(tensortide(fmt::format("run mlp --batch 4 --steps 2 --no-probe -o {}/other.tide", folder)).exit_code, 0);
  const test::Outcome other = tensortide(fmt::format("published --with {}/other.tide", folder));
  EXPECT_EQ(other.exit_code, 3);
  EXPECT_NE(other.err.find("other.tide"), std::string::npos) << other.err;
  EXPECT_EQ(tensortide("published --with missing.tide").exit_code, 3);
  const std::string run = "run mlp --preset fcn-r --threads 1 --steps 1 --warmup 0 --no-probe";
  ASSERT_EQ(tensortide(fmt::format("{} -o {}/r.tide", run, folder)).exit_code, 0);
  const json document = test::parsed(tensortide(fmt::format("published --with {}/r.tide --json", folder)).out);
  ASSERT_EQ(document["own"].size(), 1u);
  EXPECT_EQ(document["own"][0]["network"], "FCN-R");
  EXPECT_EQ(document["rows"].size(), 456u);
  ASSERT_EQ(tensortide(fmt::format("{} --set hidden=64 -o {}/changed.tide", run, folder)).exit_code, 0);
  EXPECT_EQ(tensortide(fmt::format("published --with {}/changed.tide", folder)).exit_code, 3);
}

}  // namespace
