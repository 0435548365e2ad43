// SPDX-License-Identifier: Apache-2.0
// What the program says of the emulated GPU: listed as what it is, labelled in every output, never compared or swept.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/app/cli/process.h"
#include "tests/support/temporary_folder.h"

namespace {

using nlohmann::json;
using test::tensortide;

constexpr const char* kSmall = "--set input=12 --set hidden=8 --set output=5 --batch 2 --no-probe --warmup 1 --steps 2";

std::string text_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(CommandLineEmulated, IsListedAsEmulated) {
  const json document = json::parse(tensortide("devices --json").out);
  const auto device = std::ranges::find_if(document["devices"], [](const json& d) { return d["name"] == "emu:0"; });
  ASSERT_NE(device, document["devices"].end());
  EXPECT_EQ((*device)["available"], true);
  EXPECT_EQ((*device)["model"], "emulated GPU");
  EXPECT_NE(tensortide("devices").out.find("its times are not a GPU's"), std::string::npos);
  EXPECT_NE(tensortide("run mlp --device emu").err.find("emu:0"), std::string::npos);
  EXPECT_NE(tensortide("run mlp --device emu:1").err.find("emu:"), std::string::npos);
}

TEST(CommandLineEmulated, EveryOutputSaysSoAndGivesNoRates) {
  tests::TemporaryFolder folder;
  const std::string file = (folder / "r.tide").string(), real = (folder / "cpu.tide").string();
  const test::Outcome run = tensortide(fmt::format("run mlp --device emu:0 --collect cupti {} -o {}", kSmall, file));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("(emulated)"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("of the emulation, not of a GPU"), std::string::npos) << run.out;
  EXPECT_EQ(run.out.find("FLOP/s, 1"), std::string::npos) << run.out;
  EXPECT_EQ(run.out.find("samples/s"), std::string::npos) << run.out;
  for (const char* verb : {"analyze {}", "analyze {} --table summary", "report {} -o ", "analyze {} --table overlap"}) {
    const bool report = std::string_view(verb).starts_with("report");
    const std::string page = (folder / "r.html").string();
    const test::Outcome said =
        tensortide(report ? fmt::format("report {} -o {}", file, page) : fmt::format(fmt::runtime(verb), file));
    ASSERT_EQ(said.exit_code, 0) << verb << ": " << said.err;
    const std::string text = report ? text_of(page) : said.out;
    EXPECT_NE(text.find("emulat"), std::string::npos) << verb << ":\n" << text.substr(0, 2000);
  }
  EXPECT_NE(run.out.find(" per step (emulated, "), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("at least the compulsory "), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("an emulation has no caches of its own"), std::string::npos) << run.out;
  EXPECT_EQ(run.out.find("tensortide probe"), std::string::npos) << run.out;
  const json ops = json::parse(tensortide(fmt::format("analyze {} --table ops --json", file)).out);
  const std::string all = ops.dump();
  EXPECT_NE(all.find("\"origin\":\"emulated\""), std::string::npos) << all;
  EXPECT_EQ(all.find("\"origin\":\"measured\""), std::string::npos) << all;
  const json summary = json::parse(tensortide(fmt::format("analyze {} --json", file)).out)["summary"];
  EXPECT_EQ(summary["step_ns"]["origin"], "emulated");
  EXPECT_TRUE(summary["step_flop_per_s"]["value"].is_null());
  ASSERT_EQ(tensortide(fmt::format("run mlp --device cpu {} -o {}", kSmall, real)).exit_code, 0);
  const test::Outcome compared = tensortide(fmt::format("compare {} {}", real, file));
  EXPECT_NE(compared.out.find("Times cannot be compared"), std::string::npos) << compared.out << compared.err;
}

TEST(CommandLineEmulated, IsNotSweptOrCounted) {
  const test::Outcome swept = tensortide("sweep mlp --device emu:0 --axis batch=1,2 --no-probe -o /tmp/never.tide");
  EXPECT_EQ(swept.exit_code, 2) << swept.out;
  EXPECT_NE(swept.err.find("those of an emulation"), std::string::npos) << swept.err;
  const test::Outcome counted = tensortide(fmt::format("run mlp --device emu:0 --collect counters {}", kSmall));
  EXPECT_EQ(counted.exit_code, 3);
  EXPECT_NE(counted.err.find("the emulated GPU counts nothing"), std::string::npos) << counted.err;
}

}  // namespace
