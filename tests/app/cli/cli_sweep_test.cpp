// SPDX-License-Identifier: Apache-2.0
// tensortide sweep as a user meets it: figures, points that cannot run, going on after a kill, wrong usage.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/app/cli/made_roofs.h"
#include "tests/app/cli/process.h"

namespace {

using nlohmann::json;
using test::fresh_folder;
using test::parsed;
using test::tensortide;

constexpr const char* kSmall =
    "sweep mlp --set input=16 --set hidden=16 --mode inference --threads 1 --steps 3 --warmup 1 --no-probe --samples "
    "2..2";

TEST(SweepCommand, MeasuresEveryPointInFreshProcesses) {
  const auto folder = fresh_folder();
  const auto outcome = tensortide(
      fmt::format("{} --axis batch=1,2,4 --axis dtype=f32,bf16 -o {}/s.tide --json", kSmall, folder.string()));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json document = parsed(outcome.out);
  EXPECT_EQ(document["sweep"]["complete"], true);
  const json& rows = document["points"]["rows"];
  ASSERT_EQ(rows.size(), 6u);
  for (const json& row : rows) {
    EXPECT_EQ(row["outcome"], "measured");
    EXPECT_EQ(row["processes"], 2);
    EXPECT_GT(row["step_ns"].get<double>(), 0);
    EXPECT_LE(row["step_low_ns"].get<double>(), row["step_ns"].get<double>());
  }
  // The same weights are read for each batch: their bytes per sample fall as 1 / batch, exactly.
  EXPECT_DOUBLE_EQ(rows[0]["weight_bytes_per_sample"].get<double>(),
                   4 * rows[4]["weight_bytes_per_sample"].get<double>());
  EXPECT_DOUBLE_EQ(rows[0]["weight_bytes_per_sample"].get<double>(),
                   2 * rows[1]["weight_bytes_per_sample"].get<double>())
      << "bf16 halves them";

  // Any point opens its full capture.
  EXPECT_EQ(tensortide(fmt::format("analyze {}/s.points/0003.tide", folder.string())).exit_code, 0);
  const auto query = tensortide(fmt::format(
      "query {}/s.tide \"SELECT label, outcome FROM TIDE_SWEEP_POINT WHERE point = 3\" --json", folder.string()));
  EXPECT_EQ(query.exit_code, 0) << query.err;
  EXPECT_EQ(parsed(query.out)["rows"], json::parse(R"([["batch=2 dtype=bf16", "measured"]])"));
  EXPECT_NE(tensortide(fmt::format("analyze {}/s.tide --table nothing", folder.string())).err.find("unknown table"),
            std::string::npos)
      << "its points have none of that name either";
  const json again = parsed(tensortide(fmt::format("analyze {}/s.tide --table sweep --json", folder.string())).out);
  EXPECT_EQ(again["points"], document["points"]);
  const std::string said = tensortide(fmt::format("analyze {}/s.tide", folder.string())).out;
  EXPECT_TRUE(said.find("a knee needs at least four values of batch") != std::string::npos ||
              said.find("points that ran are noisy") != std::string::npos)
      << "the second where the times scatter: " << said;
}

TEST(SweepCommand, WhatItWouldHaveToDropIsRefused) {
  const auto folder = fresh_folder();
  const auto refused = [&](const std::string& words) {
    const auto outcome =
        tensortide(fmt::format("sweep {} --no-probe --samples 1 -o {}/s.tide", words, folder.string()));
    EXPECT_EQ(outcome.exit_code, 2) << words << ": " << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(folder / "s.tide")) << words;
    return outcome.err;
  };
  EXPECT_NE(refused("mlp --axis batch=1,2 --batch 8").find("[--axis] batch: --batch 8 sets it as well"),
            std::string::npos);
  EXPECT_NE(refused("gemm --axis m=8,16 --set k=8 --set m=64 --set n=8").find("[--axis] m: --set m=64 sets it as well"),
            std::string::npos);
  EXPECT_NE(refused("gemm --axis threads=1,2 --threads 2").find("--threads 2 sets it as well"), std::string::npos);
  EXPECT_NE(refused("gemm --axis graph=static,eager --graph eager").find("--graph eager sets it as well"),
            std::string::npos);
  EXPECT_NE(refused("gemm --axis device=cpu,null --device null").find("--device null sets it as well"),
            std::string::npos);
  EXPECT_NE(refused("mlp --axis preset=fcn-s,fcn-r --preset fcn-s").find("--preset fcn-s sets it as well"),
            std::string::npos);
}

TEST(SweepCommand, CarriesSimulatedBytesOfEveryPoint) {
  const auto folder = fresh_folder();
  const std::string command = fmt::format(
      "sweep stream --axis n=256,512 --set dtype=f32 --threads 1 --steps 3 --warmup 1 --samples 2..2 --no-probe "
      "--roofs {} --collect simulate -o {}/s.tide",
      test::roofs_file(folder), folder.string());
  const auto outcome = tensortide(command + " --json --progress json");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("simulating"), std::string::npos);
  const json document = parsed(outcome.out);
  EXPECT_FALSE(document["points"]["rows"][0]["predicted_step_ns"].is_null()) << "by the roofs that were given";
  EXPECT_EQ(document["sweep"]["complete"], true);
  for (const json& row : document["points"]["rows"]) {
    const double n = std::stod(row["n"].get<std::string>()), step_s = row["step_ns"].get<double>() * 1e-9;
    EXPECT_EQ(row["processes"], 2) << "the simulation is no sample";
    // A triad in f32: two arrays are read and one is written, four bytes a value.
    EXPECT_DOUBLE_EQ(row["L1_core_simulated_bytes"].get<double>(), 3 * 4 * n);
    EXPECT_NEAR(row["L1_core_simulated_bytes_per_s"].get<double>(), 3 * 4 * n / step_s, 1e-6 * 3 * 4 * n / step_s);
    EXPECT_EQ(row["DRAM_L3_simulated_bytes"], 0) << "it stays in the caches";
  }
  // The points' captures hold it as well, and the file says so again.
  const json again = parsed(tensortide(fmt::format("analyze {}/s.tide --table sweep --json", folder.string())).out);
  EXPECT_EQ(again["points"], document["points"]);
  const json traffic =
      parsed(tensortide(fmt::format("analyze {}/s.points/0001.tide --table traffic --json", folder.string())).out);
  EXPECT_FALSE(traffic["rows"][0]["simulated_read_bytes"].is_null()) << traffic.dump().substr(0, 500);
}

TEST(SweepCommand, SaysWhyAPointIsNotSimulated) {
  const auto folder = fresh_folder();
  const auto outcome =
      tensortide(fmt::format("sweep stream --axis device=cpu,null --set n=256 --threads 1 --steps 3 --warmup 1 "
                             "--samples 1 --no-probe --collect simulate -o {}/s.tide --json",
                             folder.string()));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json document = parsed(outcome.out);
  EXPECT_EQ(document["sweep"]["complete"], true) << "what cannot be simulated is not tried for ever";
  EXPECT_NE(document["sentences"].dump().find("Simulated bytes are unknown at"), std::string::npos)
      << document["sentences"].dump();
}

TEST(SweepCommand, EveryStudyOfArraysHasItsRatesAndBytesAndNoSamples) {
  const auto folder = fresh_folder();
  const auto outcome =
      tensortide(fmt::format("sweep --study bandwidth --axis n=256,512,1024,2048 --threads 1 --steps 3 --warmup 1 "
                             "--no-probe --samples 1 -o {}/s.tide --json",
                             folder.string()));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json document = parsed(outcome.out);
  for (const json& row : document["points"]["rows"]) {
    const double n = std::stod(row["n"].get<std::string>());
    EXPECT_DOUBLE_EQ(row["compulsory_bytes"].get<double>(), 24 * n) << "three arrays of f64";
    EXPECT_NEAR(row["compulsory_bytes_per_s"].get<double>(), 24 * n / row["step_ns"].get<double>() * 1e9, 1);
    EXPECT_TRUE(row["sample_ns"].is_null());
  }
  EXPECT_EQ(document["series"]["rows"][0]["cliff_unit"], "compulsory byte");
  EXPECT_EQ(outcome.out.find("per sample come"), std::string::npos);
}

TEST(SweepCommand, SaysWhichPointsARangeMeans) {
  const auto folder = fresh_folder();
  const auto outcome = tensortide(fmt::format("{} --axis batch=1,4..64 -o {}/s.tide", kSmall, folder.string()));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("batch = 1, 4, 16, 64\n"), std::string::npos) << outcome.err;
  const auto ambiguous = tensortide(fmt::format("{} --axis batch=10,20..80 -o {}/t.tide", kSmall, folder.string()));
  EXPECT_EQ(ambiguous.exit_code, 2);
  EXPECT_NE(ambiguous.err.find("20..80*2 (20, 40, 80) or 20..80+10"), std::string::npos) << ambiguous.err;
}

TEST(SweepCommand, WhatDoesNotFitIsAResult) {
  const auto folder = fresh_folder();
  const auto outcome =
      tensortide(fmt::format("{} --axis batch=1,1099511627776 -o {}/s.tide --json", kSmall, folder.string()));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json rows = parsed(outcome.out)["points"]["rows"];
  EXPECT_EQ(rows[0]["outcome"], "measured");
  EXPECT_EQ(rows[1]["outcome"], "out of memory");
  EXPECT_TRUE(rows[1]["step_ns"].is_null());
  EXPECT_GT(rows[1]["memory_bytes"].get<double>(), 1e13) << "what it would need";
  EXPECT_FALSE(rows[1]["message"].get<std::string>().empty());
}

TEST(SweepCommand, TheSameCommandGoesOnAfterAnEnd) {
  const auto folder = fresh_folder();
  const std::string command = fmt::format("{} --axis batch=1,2,4,8 -o {}/s.tide --json", kSmall, folder.string());
  // A time limit that is over after the first process.
  const auto cut = tensortide(command + " --seconds 0.000001");
  ASSERT_EQ(cut.exit_code, 0) << cut.err;
  EXPECT_EQ(parsed(cut.out)["sweep"]["complete"], false);
  const auto whole = tensortide(command);
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_EQ(parsed(whole.out)["sweep"]["complete"], true);
  const auto other =
      tensortide(fmt::format("{} --axis batch=1,2 -o {}/s.tide --seconds 0.000001", kSmall, folder.string()));
  EXPECT_EQ(other.exit_code, 0) << "a complete sweep gives way: " << other.err;
  const auto third = tensortide(fmt::format("{} --axis batch=1,2,4 -o {}/s.tide", kSmall, folder.string()));
  EXPECT_EQ(third.exit_code, 3);
  EXPECT_NE(third.err.find("unfinished sweep of something else"), std::string::npos) << third.err;
  EXPECT_EQ(tensortide(fmt::format("{} --axis batch=1,2,4 -o {}/s.tide --restart", kSmall, folder.string())).exit_code,
            0);
}

TEST(SweepCommand, WrongUsageNamesTheAxis) {
  const auto refused = [](const std::string& arguments, const std::string& words) {
    const auto outcome = tensortide(arguments + " --no-probe -o " + (fresh_folder() / "s.tide").string());
    EXPECT_EQ(outcome.exit_code, 2) << arguments;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
    EXPECT_TRUE(outcome.out.empty());
  };
  refused("sweep mlp", "--axis");
  refused("sweep mlp --axis batch", "not of the form name=values");
  refused("sweep mlp --axis bach=1,2", "did you mean \"batch\"");
  const std::string probing = tensortide("sweep mlp --axis bach=1,2 -o " + (fresh_folder() / "s.tide").string()).err;
  EXPECT_EQ(probing.find("measuring"), std::string::npos) << "names are checked before roofs are measured: " << probing;
  refused("sweep mlp --axis batch=1,zwei", "batch");
  refused("sweep mlp --axis batch=1 --axis batch=2", "given twice");
  refused("sweep mlp --axis threads=0", "threads");
  refused("sweep mlp --axis graph=lazy", "graph");
  refused("sweep mlpp --axis batch=1,2", "did you mean \"mlp\"");
  refused("sweep mlp --axis batch=1..1000+1 --axis hidden=1..1000+1", "over 10000 points");
  refused("sweep mlp --axis batch=1 --samples 5..2", "--samples");
  refused("sweep mlp --axis batch=1 --noise much", "--noise");
}

/// What kernels take on the way is part of what a batch needs.
TEST(FitCommand, CountsTheWorkspaceOfKernels) {
  const json fit = parsed(tensortide("fit lstm --mode training --memory 200MB --threads 2 --json").out);
  ASSERT_GT(fit["largest_batch"], 1) << fit;
  EXPECT_GT(fit["workspace_bytes"], 0) << fit;
  EXPECT_GT(fit["packed_copies_most_bytes"], 0) << fit;
  EXPECT_LE(fit["largest_bytes"].get<double>(), 200e6);
  EXPECT_GT(fit["refused_bytes"].get<double>(), 200e6);
  const json none = parsed(tensortide("fit lstm --mode training --memory 1kB --json").out);
  EXPECT_EQ(none["packed_copies_most_bytes"], 0);
}

TEST(FitCommand, FindsTheLargestBatchOfItsOwnPlan) {
  const json fit =
      parsed(tensortide("fit mlp --set input=16 --set hidden=16 --mode inference --memory 1MB --json").out);
  const int64_t largest = fit["largest_batch"];
  ASSERT_GT(largest, 1);
  EXPECT_EQ(fit["refused_batch"], largest + 1);
  EXPECT_LE(fit["largest_bytes"].get<double>(), 1e6);
  EXPECT_GT(fit["refused_bytes"].get<double>(), 1e6);
  EXPECT_GT(fit["at_peak"]["weight_bytes"].get<double>(), 0);
  EXPECT_TRUE(fit["tried"].is_null());
}

TEST(FitCommand, TriesWhatItSays) {
  const json fit = parsed(
      tensortide("fit mlp --set input=16 --set hidden=16 --mode inference --threads 1 --memory 1MB --try --json").out);
  EXPECT_EQ(fit["tried"], "ran");
}

/// The plan leaves out stacks, code and workspace; the system holds the rest.
TEST(FitCommand, HoldsTheLimitWhileItTries) {
  const json fit = parsed(tensortide("fit mlp --set input=4096 --set hidden=4096 --set output=16 --mode inference "
                                     "--threads 1 --memory 200MB --try --json")
                              .out);
  const json& trial = fit["trial"];
  EXPECT_EQ(trial["ran"], true) << trial.dump();
  EXPECT_EQ(trial["above_refused"], true) << trial.dump();
  EXPECT_GT(trial["above_batch"], fit["largest_batch"]);
  const double peak = trial["peak_resident_bytes"]["value"];
  EXPECT_GT(peak, 0.8 * fit["largest_bytes"].get<double>());
  EXPECT_LT(peak, trial["limit_bytes"].get<double>() + 128e6) << "code of libraries is no data";
}

/// Loss curves over seeds: other starts, other losses; the same seed twice, the same loss.
TEST(SweepCommand, KeepsLossesOverSeeds) {
  const auto folder = fresh_folder();
  const auto outcome = tensortide(
      "sweep mlp --set input=16 --set hidden=16 --mode training --threads 1 --steps 9 --warmup 1 --no-probe --samples "
      "2..2 --axis seed=1,2 -o " +
      (folder / "s.tide").string() + " --json");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json rows =
      parsed(tensortide("analyze " + (folder / "s.tide").string() + " --table losses --json").out)["rows"];
  ASSERT_GE(rows.size(), 8u) << "two seeds after 1, 2, 5 and 10 steps";
  for (const json& row : rows) {
    EXPECT_EQ(row["processes_count"], 2);
    EXPECT_EQ(row["loss_least"], row["loss_most"]) << "one seed, one loss";
  }
  EXPECT_NE(rows[0]["loss"], rows[rows.size() / 2]["loss"]);
}

TEST(SweepCommand, StatesItsCostBeforeItRuns) {
  const auto folder = fresh_folder();
  const std::string roofs = (folder / "roofs.json").string();
  std::ofstream(roofs) << profiler::machine_to_json(test::made_up());
  const json cost = parsed(tensortide("sweep mlp --set input=64 --set hidden=64 --threads 1 --axis batch=1,2,4..64 "
                                      "--samples 2..4 --dry-run --roofs " +
                                      roofs + " -o " + (folder / "s.tide").string() + " --json")
                               .out);
  EXPECT_EQ(cost["points"], 7);
  ASSERT_EQ(cost["base"].size(), 2u) << cost.dump();
  EXPECT_EQ(cost["base"][1]["point"], "batch=64");
  EXPECT_GE(cost["base"][0]["steps"], 5);
  EXPECT_GT(cost["low_s"].get<double>(), 0);
  EXPECT_LE(cost["low_s"].get<double>(), cost["likely_s"].get<double>());
  EXPECT_LE(cost["likely_s"].get<double>(), cost["high_s"].get<double>());
  EXPECT_FALSE(std::filesystem::exists(folder / "s.tide")) << "nothing is written";
}

TEST(FitCommand, SaysNoAndNamesWrongUse) {
  const auto close = tensortide("fit mlp --set input=16 --set hidden=16 --mode inference --memory 1GB");
  const json exact =
      parsed(tensortide("fit mlp --set input=16 --set hidden=16 --mode inference --memory 1GB --json").out);
  EXPECT_NE(close.out.find(fmt::format("({:.0f} B).\nBatch ", exact["largest_bytes"].get<double>())), std::string::npos)
      << "both are 1.00 GB: told to the byte; " << close.out;
  const auto none = tensortide("fit mlp --memory 1kB");
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_NE(none.out.find("Not even one sample fits"), std::string::npos) << none.out;
  EXPECT_EQ(tensortide("fit mlp --memory 10XB").exit_code, 2);
  const auto no_batch = tensortide("fit stream --memory 1GB");
  EXPECT_EQ(no_batch.exit_code, 2);
  EXPECT_NE(no_batch.err.find("batch"), std::string::npos) << no_batch.err;
}

TEST(SweepCommand, AStudyBringsWorkloadAndAxes) {
  const auto folder = fresh_folder();
  const char* quick = "--threads 1 --steps 3 --warmup 1 --no-probe --samples 1..1 --json";
  const auto outcome = tensortide(fmt::format(
      "sweep --study parallel_width --axis batch=1,2 --set rounds=10 {} -o {}/s.tide", quick, folder.string()));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json document = parsed(outcome.out);
  EXPECT_EQ(document["sweep"]["workload"], "parallel_width");
  EXPECT_EQ(document["points"]["rows"].size(), 2u) << "the user's values take the place of the study's";
  const auto several = tensortide(fmt::format(
      "sweep --study table7 --axis workload=mlp:fcn-r,stream {} --seconds 0.001 -o {}/t.tide", quick, folder.string()));
  ASSERT_EQ(several.exit_code, 0) << several.err;
  const json rows = parsed(several.out)["points"]["rows"];
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["workload"], "mlp:fcn-r");

  const auto unknown = tensortide("sweep --study tread");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("did you mean \"threads\""), std::string::npos) << unknown.err;
  EXPECT_EQ(tensortide("sweep --study working_set mlp").exit_code, 2);
  EXPECT_EQ(tensortide("sweep mlp").exit_code, 2);
  EXPECT_EQ(tensortide("sweep").exit_code, 2);
}

TEST(SweepCommand, RoofsComeFromAFileWhereOneIsNamed) {
  const auto folder = fresh_folder();
  const auto missing = tensortide(fmt::format("run stream --set n=1000 --steps 2 --roofs {}/none.json -o {}/r.tide",
                                              folder.string(), folder.string()));
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_NE(missing.err.find("none.json"), std::string::npos) << missing.err;
}

}  // namespace
