// SPDX-License-Identifier: Apache-2.0
// --fuse as a user meets it: same loss, fewer bytes, the ledger, the cache simulation, the sweep's axis, what is
// refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/app/cli/process.h"

namespace {

using nlohmann::json;
using test::fresh_folder;
using test::parsed;
using test::tensortide;

/// Records the workload `fusion` of 4096 elements.
std::string recorded(const std::filesystem::path& folder, const std::string& fuse) {
  const std::string file = (folder / (fuse + ".tide")).string();
  const auto run = tensortide(fmt::format(
      "run fusion --set n=4096 --fuse {} --threads 1 --steps 6 --warmup 1 --no-probe --json -o {}", fuse, file));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return file;
}

TEST(FusionCommand, TheLedgerSaysWhatIsSparedAndWhy) {
  const auto folder = fresh_folder();
  const std::string off = recorded(folder, "off"), on = recorded(folder, "on");
  for (const std::string& file : {off, on}) {
    const json rows = parsed(tensortide(fmt::format("analyze {} --table fusion --json", file)).out)["rows"];
    ASSERT_EQ(rows.size(), 2u);
    for (const json& row : rows) {
      EXPECT_EQ(row["outcome"], file == on ? "fused" : "possible");
      EXPECT_EQ(row["written_bytes"], 4 * 4096);
      EXPECT_EQ(row["read_bytes"], 4 * 4096);
      EXPECT_EQ(row["spared_bytes"], 8 * 4096);
      EXPECT_EQ(row["dispatches_count"], 1);
    }
  }
  const json ops = parsed(tensortide(fmt::format("analyze {} --table ops --json", on)).out)["rows"];
  ASSERT_EQ(ops.size(), 1u);
  EXPECT_NE(ops[0].dump().find("multiply+add+relu"), std::string::npos);
  const auto text = tensortide(fmt::format("analyze {} --table fusion", on));
  EXPECT_NE(text.out.find("2 of 2 pairs are fused: 65.5 kB per step"), std::string::npos) << text.out;
  const json gain =
      parsed(tensortide(fmt::format("analyze {} --table fused_ops --against {} --json", on, off)).out)["rows"];
  ASSERT_EQ(gain.size(), 1u);
  EXPECT_EQ(gain[0]["members"], "chain/multiply, chain/add, chain/relu");
  EXPECT_GT(gain[0]["time_ns"].get<double>(), 0);
  EXPECT_DOUBLE_EQ(gain[0]["obtained_ns"].get<double>(),
                   gain[0]["unfused_ns"].get<double>() - gain[0]["time_ns"].get<double>());
  EXPECT_EQ(tensortide(fmt::format("analyze {} --table fused_ops --against {}", on, on)).exit_code, 2);
  EXPECT_EQ(tensortide(fmt::format("analyze {} --table ops --against {}", on, off)).exit_code, 2);
}

TEST(FusionCommand, TheCacheSimulationFollows) {
  // Elements loaded and written by the steady step; fills of written lines are counted apart.
  const auto elements = [](const std::string& fuse) {
    const auto outcome =
        tensortide(fmt::format("cache fusion --set n=65536 --fuse {} --level 32KiB/8/64:lru --json", fuse));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const json memory = parsed(outcome.out)["epochs"][1]["memory"];
    return (memory["load_bytes"].get<double>() + memory["written_bytes"].get<double>()) / 4;
  };
  EXPECT_NEAR(elements("off") / 65536, 6, 0.02);
  EXPECT_NEAR(elements("on") / 65536, 2, 0.02);
}

TEST(FusionCommand, IsAnAxisOfASweep) {
  const auto folder = fresh_folder();
  const auto outcome =
      tensortide(fmt::format("sweep fusion --set n=4096 --axis fuse=off,on --threads 1 --steps 3 --warmup 1 --no-probe "
                             "--samples 2..2 -o {}/s.tide --json",
                             folder.string()));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json rows = parsed(outcome.out)["points"]["rows"];
  ASSERT_EQ(rows.size(), 2u);
  for (const json& row : rows) EXPECT_EQ(row["outcome"], "measured");
}

TEST(FusionCommand, EagerModeSaysItCannot) {
  const auto folder = fresh_folder();
  const auto eager =
      tensortide(fmt::format("run fusion --set n=64 --graph eager --fuse on --no-probe -o {}/e.tide", folder.string()));
  EXPECT_EQ(eager.exit_code, 2);
  EXPECT_NE(eager.err.find("eager mode runs each op before the next exists"), std::string::npos) << eager.err;
  EXPECT_EQ(tensortide(fmt::format("run fusion --fuse perhaps --no-probe -o {}/e.tide", folder.string())).exit_code, 2);
  EXPECT_EQ(
      tensortide(fmt::format("sweep fusion --axis fuse=maybe --no-probe -o {}/s.tide", folder.string())).exit_code, 2);
}

TEST(WinogradCommand, IsRefusedWhereNothingWouldUseIt) {
  const auto refused = [](const std::string& words, int code, const char* said) {
    const auto outcome = tensortide("run " + words);
    EXPECT_EQ(outcome.exit_code, code) << words;
    EXPECT_NE(outcome.err.find(said), std::string::npos) << outcome.err;
  };
  refused("mlp --device cuda --fuse on --winograd on", 2, "convolutions of the CPU");
  refused("mlp --winograd yes", 2, "unknown value \"yes\": it is \"auto\" or \"off\" or \"on\"");
  refused("mlp --graph dynamic", 2, "it is \"static\" or \"eager\" or \"replay\"");
  refused("resnet50 --mode inference --device null --fuse on --winograd on", 2, "not on null");
  const auto nothing =
      tensortide("run mlp --mode inference --fuse on --winograd on --steps 2 --warmup 1 --no-probe -o " +
                 (fresh_folder() / "a.tide").string());
  EXPECT_EQ(nothing.exit_code, 0) << nothing.err;
  EXPECT_NE(nothing.out.find("--winograd on changed nothing"), std::string::npos) << nothing.out;
}

TEST(WithoutCommand, LeavesLibrariesOutAndTheCaptureSaysSo) {
  const auto folder = fresh_folder();
  const auto recorded = [&](const std::string& name, const std::string& words) {
    const std::string file = (folder / (name + ".tide")).string();
    const auto run =
        tensortide(fmt::format("run squeezenet --batch 1 --set image_size=32 --set classes=5 --mode training --threads "
                               "1 --steps 2 --warmup 1 --no-probe {} -o {}",
                               words, file));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return file;
  };
  const std::string with = recorded("with", ""), without = recorded("without", "--without onednn,openblas");
  const json ops = parsed(tensortide(fmt::format("analyze {} --table ops --json", without)).out);
  for (const json& row : ops["rows"]) {
    const std::string kernel = row["kernel"].get<std::string>();
    for (const char* library : {"oneDNN", "OpenBLAS", "reference"})
      EXPECT_EQ(kernel.find(library), std::string::npos) << kernel;
  }
  const auto compared = tensortide(fmt::format("compare {} {}", with, without));
  EXPECT_NE(compared.out.find("Set differently: without nothing → onednn,openblas"), std::string::npos) << compared.out;
  const auto refused = [](const std::string& words, int code, const char* said) {
    const auto outcome = tensortide("run mlp " + words);
    EXPECT_EQ(outcome.exit_code, code) << words;
    EXPECT_NE(outcome.err.find(said), std::string::npos) << outcome.err;
  };
  refused("--without mkl", 2,
          "[--without] unknown value \"mkl\": it is \"onednn\", \"openblas\" or \"onednn,openblas\"");
  refused("--without onednn,", 2, "[--without] unknown value \"onednn,\": it is");
  refused("--without onednn --device cuda", 2, "libraries of the CPU");
}

TEST(DoctorCommand, SaysWhichLibrariesTheBuildHas) {
  const json said = parsed(tensortide("doctor --json").out);
  ASSERT_EQ(said["libraries"].size(), 2u);
  for (const json& library : said["libraries"]) {
    EXPECT_EQ(library["available"].get<bool>(), library["remedy"].get<std::string>().empty()) << library;
    EXPECT_FALSE(library["why"].get<std::string>().empty()) << library;
  }
  EXPECT_NE(tensortide("doctor").out.find("oneDNN: in this build"), std::string::npos);
}

TEST(WinogradCommand, FlopsAreThoseThatAreDone) {
  const auto folder = fresh_folder();
  const auto recorded_with = [&](const std::string& winograd) {
    const std::string file = (folder / (winograd + ".tide")).string();
    const auto run =
        tensortide(fmt::format("run resnet50 --batch 2 --mode inference --fuse on --winograd {} --threads 1 --steps 2 "
                               "--warmup 1 --no-probe --json -o {}",
                               winograd, file));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return file;
  };
  const std::string direct = recorded_with("off"), fast = recorded_with("on");
  double flops[2] = {}, bytes[2] = {}, winograds = 0;
  for (const bool on : {false, true}) {
    const json table = parsed(tensortide(fmt::format("analyze {} --table ops --json", on ? fast : direct)).out);
    for (const json& row : table["rows"]) {
      flops[on] += row["flops"].get<double>();
      bytes[on] += row["compulsory_bytes"].get<double>();
      winograds += row["kernel"].get<std::string>().find("Winograd") != std::string::npos ? 1 : 0;
    }
  }
  EXPECT_EQ(bytes[0], bytes[1]);
  EXPECT_EQ(winograds, 13) << "3x3 convolutions of stride 1";
  const auto said = [](const std::string& file) { return tensortide("analyze " + file).out; };
  EXPECT_NE(said(fast).find(fmt::format("{} ops ran by Winograd's minimal filtering", winograds)), std::string::npos)
      << said(fast);
  EXPECT_EQ(said(direct).find("Winograd"), std::string::npos) << said(direct);
  EXPECT_LT(flops[1], 0.9 * flops[0]);
  EXPECT_GT(flops[1], 0.6 * flops[0]) << "1x1 convolutions do as much as before";
  const auto compared = tensortide(fmt::format("compare {} {}", direct, fast));
  EXPECT_NE(compared.out.find("Set differently: winograd off → on"), std::string::npos) << compared.out;
  const json judged = parsed(tensortide(fmt::format("compare {} {} --json", direct, fast)).out);
  for (const json& row : judged["comparisons"][0]["ops"]["rows"]) EXPECT_NE(row["verdict"], "different work") << row;
}

}  // namespace
