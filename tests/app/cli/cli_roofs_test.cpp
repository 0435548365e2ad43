// SPDX-License-Identifier: Apache-2.0
// Roofs as a run meets them: DRAM's measured again beside it, a thread count that nobody probed, and a lock that is
// held.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/cpu/backend.h"
#include "profiler/machine/machine.h"
#include "profiler/machine/probe_figures.h"
#include "profiler/machine/roofs_trust.h"
#include "profiler/record/probe.h"
#include "tests/app/cli/made_roofs.h"
#include "tests/app/cli/process.h"

namespace {

using profiler::Machine;
using test::known;
using test::made_up;
using test::parsed;
using test::roofs_file;
using test::tensortide;

/// The folder of the remembered probe, for as long as this lives.
class OwnCache {
 public:
  explicit OwnCache(const std::filesystem::path& folder) {
    const char* given = std::getenv("XDG_CACHE_HOME");
    if (given != nullptr) usual_ = given;
    setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  }
  ~OwnCache() {
    if (usual_) setenv("XDG_CACHE_HOME", usual_->c_str(), 1);
    else unsetenv("XDG_CACHE_HOME");
  }

 private:
  std::optional<std::string> usual_;
};

TEST(Roofs, SayWithWhatTheirPeakWasMeasured) {
  const auto folder = test::fresh_folder();
  const std::string file = (folder / "r.tide").string();
  const auto run = tensortide(fmt::format(
      "run gemm --set m=64 --set n=64 --set k=64 --threads 1 --steps 2 --warmup 0 --no-probe --roofs {} -o {}",
      roofs_file(folder), file));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const nlohmann::json table = parsed(tensortide("analyze " + file + " --table roofs --json").out);
  bool found = false;
  for (const auto& row : table["rows"]) {
    const bool of_arithmetic = !row["peak_flop_per_s"].is_null();
    EXPECT_EQ(row["method"], of_arithmetic ? "made up" : "");
    found = found || of_arithmetic;
  }
  EXPECT_TRUE(found) << table.dump();
}

TEST(Roofs, ATableWithoutRowsSaysWhy) {
  const auto cache = test::fresh_folder();
  const OwnCache own(cache);
  const std::string file = (cache / "r.tide").string();
  ASSERT_EQ(
      tensortide("run gemm --set m=64 --set n=64 --set k=64 --threads 1 --steps 2 --warmup 0 --no-probe -o " + file)
          .exit_code,
      0);
  EXPECT_NE(tensortide("analyze " + file + " --table roofs").out.find("No roofs: none were measured before this run"),
            std::string::npos);
  EXPECT_NE(parsed(tensortide("analyze " + file + " --table roofs --json").out)["no_rows"].get<std::string>().find(
                "`tensortide probe`"),
            std::string::npos);
  ASSERT_EQ(
      tensortide("run gemm --set m=64 --set n=64 --set k=64 --device null --steps 2 --warmup 0 -o " + file).exit_code,
      0);
  EXPECT_NE(tensortide("analyze " + file + " --table roofs").out.find("No roofs: the device null computes nothing"),
            std::string::npos);
}

TEST(Roofs, OpsThatMoveMoreThanDramsRoofAreNamed) {
  const auto folder = test::fresh_folder();
  Machine slow = made_up();
  for (profiler::BandwidthRoof& roof : slow.bandwidth) {
    if (roof.level == "DRAM") roof.bytes_per_s = known(1e6);
  }
  std::ofstream(folder / "slow.json") << machine_to_json(slow);
  const std::string file = (folder / "r.tide").string();
  const auto run = tensortide(fmt::format(
      "run stream --set kernel=copy --set n=8000000 --threads 1 --steps 2 --warmup 1 --no-probe --roofs {} -o {}",
      (folder / "slow.json").string(), file));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string said = "DRAM traffic (modelled bytes, measured time) is above its measured roof in 1 of 1 op";
  for (const char* table : {"summary", "roofs", "traffic", "ops", "roofline", "verdicts"}) {
    const auto shown = tensortide(fmt::format("analyze {} --table {}", file, table));
    EXPECT_NE(shown.out.find(said), std::string::npos) << table << ": " << shown.out;
  }
  const nlohmann::json above = parsed(tensortide("analyze " + file + " --json").out)["summary"]["above_bandwidth"];
  EXPECT_EQ(above["level"], "DRAM");
  EXPECT_EQ(above["ops"], 1);
  EXPECT_GT(above["highest_bytes_per_s"]["value"].get<double>(), 1e8);
  EXPECT_NE(above["sentence"].get<std::string>().find(said), std::string::npos) << above;
}

TEST(RoofsBesideARun, AreStoredAndSaid) {
  const auto folder = test::fresh_folder();
  const std::string file = (folder / "r.tide").string();
  const std::string arguments =
      fmt::format("run stream --set kernel=copy --set n=8000000 --threads 1 --steps 2 --warmup 1 --roofs {} -o {}",
                  roofs_file(folder), file);
  nlohmann::json beside;
  std::string state = "unmeasured";
  for (int i = 0; i < 5 && state == "unmeasured"; ++i) {  // as it is where others hold the processors all the while
    const auto run = tensortide(arguments + " --json");
    ASSERT_EQ(run.exit_code, 0) << run.err;
    beside = parsed(tensortide("analyze " + file + " --json").out)["summary"]["honesty"]["roofs_beside"];
    state = beside["state"];
  }
  if (state == "unmeasured") GTEST_SKIP() << "others held the processors in five runs: " << beside;
  EXPECT_TRUE(state == "moved" || state == "unsteady") << state;
  EXPECT_NE(beside["sentence"].get<std::string>().find("1.00 PB/s in the probe"), std::string::npos) << beside;
  const auto text = tensortide("analyze " + file);
  EXPECT_NE(text.out.find("  - DRAM's bandwidth "), std::string::npos) << text.out;
  // Nobody who asks for no probe gets one.
  ASSERT_EQ(tensortide(arguments + " --no-probe").exit_code, 0);
  EXPECT_EQ(parsed(tensortide("analyze " + file + " --json").out)["summary"]["honesty"]["roofs_beside"]["state"],
            "unmeasured");
}

TEST(RoofsOfAThreadCount, AreNamedWithTheCommandThatMeasuresThem) {
  const auto folder = test::fresh_folder();
  const std::string file = (folder / "r.tide").string();
  ASSERT_EQ(tensortide(fmt::format("run stream --set n=4000000 --threads 3 --steps 2 --warmup 1 --roofs {} -o {}",
                                   roofs_file(folder), file))
                .exit_code,
            0);
  const auto verdicts = tensortide("analyze " + file + " --table verdicts");
  EXPECT_NE(verdicts.out.find("at 3 threads: measure the roofs with that number of threads, then record again"),
            std::string::npos)
      << verdicts.out;
  const auto wrong = tensortide("probe --threads many");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("[--threads] \"many\" is not a whole number"), std::string::npos) << wrong.err;
}

TEST(ProbeAgain, KeepsTheBetterReadingsOfAWeakProbeUnlessTheNewOneIsSound) {
  const auto cache = test::fresh_folder();
  const OwnCache own(cache);
  Machine weak = made_up();
  weak.info = engine::cpu::describe();
  weak.compute[0].flop_per_s = known(1e18);  // which no machine reaches
  weak.foreign_load_ratio = 0.4;
  ASSERT_TRUE(profiler::save_probe(weak).ok());
  const auto again = tensortide("probe --again");
  ASSERT_EQ(again.exit_code, 0) << again.err;
  const auto remembered = profiler::cached_probe();
  ASSERT_TRUE(remembered.has_value());
  const bool sound = profiler::roofs_weakness(*remembered).empty();
  const double peak = remembered->compute_roof(engine::DType::float32, 1)->flop_per_s.median;
  if (sound) {
    EXPECT_LT(peak, 1e17);
    EXPECT_TRUE(remembered->kept.empty());
    EXPECT_EQ(again.out.find("kept from"), std::string::npos) << again.out;
  } else {
    EXPECT_EQ(peak, 1e18);
    EXPECT_NE(again.out.find("kept from " + weak.probed_at), std::string::npos) << again.out;
    EXPECT_NE(again.out.find("\nLow confidence: "), std::string::npos) << again.out;
  }
  EXPECT_NE(remembered->probed_at, weak.probed_at);
  const auto forgotten = tensortide("probe --forget --json");
  ASSERT_EQ(forgotten.exit_code, 0) << forgotten.err;
  EXPECT_EQ(forgotten.out.find("Kept from"), std::string::npos);
  EXPECT_LT(profiler::cached_probe()->compute_roof(engine::DType::float32, 1)->flop_per_s.median, 1e17)
      << "weak or not, it alone counts";
}

TEST(ProbeLockOfARun, WaitsWithAMessageAndTakesWhatTheOtherMeasured) {
  const auto cache = test::fresh_folder();
  const OwnCache own(cache);
  std::filesystem::create_directories(cache / "tensortide");
  const int lock = open(profiler::probe_lock_path().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(flock(lock, LOCK_EX), 0);
  const auto other = [lock] {  // has measured, remembers, and is done
    Machine machine = made_up();
    machine.info = engine::cpu::describe();
    EXPECT_TRUE(profiler::save_probe(machine).ok());
    close(lock);
  };
  const std::string file = (cache / "r.tide").string();
  const auto run = test::tensortide_told("run stream --set n=1000 --threads 1 --steps 2 --warmup 1 -o " + file,
                                         "waiting for another process", other);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.err.find("waiting for another process that measures this machine's roofs"), std::string::npos)
      << run.err;
  EXPECT_EQ(run.err.find("measuring this machine's roofs"), std::string::npos)
      << "they were measured meanwhile: " << run.err;
  EXPECT_EQ(parsed(tensortide("analyze " + file + " --json").out)["run"]["roofs_measured_at"], made_up().probed_at);
}

TEST(ProbeLockOfAProbe, ASecondSignalEndsAProbeThatDoesNotHearTheFirst) {
  const auto cache = test::fresh_folder();
  const OwnCache own(cache);
  std::filesystem::create_directories(cache / "tensortide");
  const int lock = open(profiler::probe_lock_path().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(flock(lock, LOCK_EX), 0);  // so that it wants to say that it waits, and cannot
  bool alive = false;
  const auto ended = test::tensortide_unheard("probe --again", SIGINT, alive);
  close(lock);
  EXPECT_TRUE(alive) << "the first one asks it to end";
  EXPECT_EQ(ended.exit_code, 128 + SIGINT);
}

}  // namespace
