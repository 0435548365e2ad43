// SPDX-License-Identifier: Apache-2.0
// Captures of model files that moved: rerun, try and compare --repeat find them beside the capture or here, and say
// where they are others.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "profiler/machine/machine.h"
#include "tests/app/cli/process.h"

namespace {

namespace fs = std::filesystem;
using test::fresh_folder;
using test::parsed;
using test::tensortide;

constexpr const char* kNet =
    R"({"input": [16], "layers": [{"type": "linear", "units": 8}, {"type": "relu"}, {"type": "linear", "units": 4}]})";

/// A folder with models/net.json and a capture of it that was recorded there by its relative path.
fs::path recorded() {
  const fs::path folder = fresh_folder();
  fs::create_directories(folder / "there/models");
  fs::create_directories(folder / "here");
  std::ofstream(folder / "there/models/net.json") << kNet;
  const auto run = tensortide("run models/net.json --batch 4 --threads 1 --steps 5 --warmup 1 --no-probe -o r.tide",
                              fmt::format("cd {}/there;", folder.string()));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return folder;
}

/// In another folder, as another user who has never run the model.
std::string here(const fs::path& folder) {
  return fmt::format("cd {0}/here; XDG_CACHE_HOME={0}/cache", folder.string());
}

TEST(CliMoved, ACaptureNamesItsModelByNameAndContent) {
  const fs::path folder = recorded();
  const auto run = parsed(tensortide(fmt::format("analyze {}/there/r.tide --json", folder.string())).out)["run"];
  EXPECT_EQ(run["workload"], "net.json");
  EXPECT_NE(run["command"].get<std::string>().find("tensortide run models/net.json "), std::string::npos)
      << run["command"];
  EXPECT_TRUE(run["arguments"]["content"].get<std::string>().starts_with("xxh3:"));
  // Absolute, through a home folder: the name alone.
  fs::create_directories(folder / "home/models");
  std::ofstream(folder / "home/models/net.json") << kNet;
  const auto secret = tensortide(
      fmt::format("run {0}/home/models/net.json --batch 4 --threads 1 --steps 3 --no-probe -o {0}/there/s.tide --json",
                  folder.string()),
      fmt::format("HOME={}/home", folder.string()));
  ASSERT_EQ(secret.exit_code, 0) << secret.err;
  EXPECT_TRUE(parsed(secret.out)["run"]["command"].get<std::string>().starts_with("tensortide run net.json "))
      << secret.out;
  EXPECT_EQ(parsed(secret.out)["run"].dump().find("home"), std::string::npos);
}

TEST(CliMoved, RerunTryAndRepeatsWorkFromAnotherFolder) {
  const fs::path folder = recorded();
  fs::rename(folder / "there", folder / "moved");
  const std::string capture = (folder / "moved/r.tide").string();
  const auto again = tensortide("rerun --json " + capture, here(folder));
  ASSERT_LE(again.exit_code, 1) << again.err;
  EXPECT_EQ(again.out.find("is not the file"), std::string::npos) << again.out;
  const auto tried =
      tensortide(fmt::format("try {} --change batch=8 --pairs 3 --forget --json", capture), here(folder));
  EXPECT_EQ(tried.exit_code, 0) << tried.err;
  EXPECT_TRUE(parsed(tried.out)["notes"].empty()) << tried.out;
  fs::copy_file(capture, folder / "moved/t.tide");
  const auto compared =
      tensortide(fmt::format("compare {} {}/moved/t.tide --repeat 2", capture, folder.string()), here(folder));
  EXPECT_EQ(compared.exit_code, 0) << compared.err;
}

TEST(CliMoved, TheContentOfAFileIsNoSetting) {
  const fs::path folder = recorded();
  for (const char* change : {"content=xxh3:1", "contant=1"}) {
    const auto tried = tensortide(fmt::format("try there/r.tide --change {} --pairs 3 --forget", change),
                                  fmt::format("cd {};", folder.string()));
    EXPECT_EQ(tried.exit_code, 2) << tried.err;
    EXPECT_NE(tried.err.find("this run has no \""), std::string::npos) << tried.err;
    EXPECT_EQ(tried.err.find("did you mean \"content\""), std::string::npos) << tried.err;
  }
}

TEST(CliMoved, NamesWithSignsThatAreNotShownAreFoundAgain) {
  for (const std::string name : {"ne\xe2\x80\x8ct.json", "\xe2\x9c\x94\xef\xb8\x8f.json", "soft\xc2\xad.json",
                                 "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb.json"}) {
    const fs::path folder = fresh_folder();
    std::ofstream(folder / name) << kNet;
    const std::string at = fmt::format("cd {0}; XDG_CACHE_HOME={0}/cache", folder.string());
    const auto run =
        tensortide(fmt::format("run '{}' --batch 4 --threads 1 --steps 5 --warmup 1 --no-probe -o r.tide", name), at);
    ASSERT_EQ(run.exit_code, 0) << run.err;
    fs::remove_all(folder / "cache");  // where it was run is not remembered
    const auto again = tensortide("rerun --json r.tide", at);
    EXPECT_LE(again.exit_code, 1) << again.err;
    fs::copy_file(folder / "r.tide", folder / "t.tide");
    const auto compared = tensortide("compare r.tide t.tide --repeat 2", at);
    EXPECT_LE(compared.exit_code, 1) << compared.err;
    const auto shown = tensortide("analyze r.tide", at);
    EXPECT_EQ(shown.out.find(name), std::string::npos) << "what is shown has escapes";
  }
}

TEST(CliMoved, OtherContentIsSaidAndAMissingFileIsRefusedWithThePlaces) {
  const fs::path folder = recorded();
  const std::string capture = (folder / "there/r.tide").string();
  std::ofstream(folder / "there/models/net.json") << R"({"input": [16], "layers": [{"type": "linear", "units": 9}]})";
  const auto other = tensortide("rerun --json " + capture, here(folder));
  ASSERT_LE(other.exit_code, 1) << other.err;
  EXPECT_NE(parsed(other.out)["notes"].dump().find("is not the file that was recorded"), std::string::npos)
      << other.out;
  const auto tried = tensortide(fmt::format("try {} --change batch=8 --pairs 3 --forget", capture), here(folder));
  EXPECT_NE(tried.out.find("is not the file that was recorded"), std::string::npos) << tried.out << tried.err;
  fs::remove_all(folder / "there/models");
  fs::copy_file(capture, folder / "there/u.tide");
  for (const std::string& words : {"rerun " + capture, fmt::format("try {} --change batch=8 --forget", capture),
                                   fmt::format("compare {} {}/there/u.tide --repeat 2", capture, folder.string())}) {
    const auto gone = tensortide(words, here(folder));
    EXPECT_EQ(gone.exit_code, 3) << words << gone.out << gone.err;
    for (const char* place : {"there/models/net.json", "there/net.json", "here/models/net.json", "here/net.json"}) {
      EXPECT_NE(gone.err.find((folder / place).string()), std::string::npos) << words << ": " << gone.err;
    }
  }
}

TEST(CliMoved, ACommandWithRoofsCanBeRepeated) {
  const fs::path folder = recorded();
  profiler::Machine machine;
  machine.info.model = "a machine";
  machine.probed_at = "2026-11-22T05:00:00+0000";
  std::ofstream(folder / "there/roofs.json") << profiler::machine_to_json(machine);
  const auto run =
      tensortide("run models/net.json --batch 4 --threads 1 --steps 5 --no-probe --roofs roofs.json -o w.tide",
                 fmt::format("cd {}/there;", folder.string()));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string capture = (folder / "there/w.tide").string();
  EXPECT_LE(tensortide("rerun " + capture, here(folder)).exit_code, 1);
  EXPECT_TRUE(parsed(tensortide(fmt::format("try {} --change batch=8 --pairs 3 --forget --json", capture), here(folder))
                         .out)["notes"]
                  .empty());
  fs::remove(folder / "there/roofs.json");
  const auto without =
      tensortide(fmt::format("try {} --change batch=8 --pairs 3 --forget --json", capture), here(folder));
  EXPECT_NE(parsed(without.out)["notes"].dump().find("roofs.json"), std::string::npos) << without.out << without.err;
}

}  // namespace
