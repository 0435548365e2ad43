// SPDX-License-Identifier: Apache-2.0
// What becomes of the files a user has: nothing that the user did not ask for, whatever ends the program.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "profiler/sweep/file.h"
#include "tests/app/cli/process.h"

namespace {

namespace fs = std::filesystem;
using test::fresh_folder;
using test::parsed;
using test::tensortide;

constexpr const char* kRun =
    "run mlp --set input=16 --set hidden=16 --mode inference --threads 1 --warmup 1 --no-probe";
constexpr const char* kSweep =
    "sweep mlp --set input=16 --set hidden=16 --mode inference --threads 1 --steps 3 --warmup 1 --no-probe --samples "
    "1..1";

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(Files, ARunThatDoesNotEndKeepsTheOlderCapture) {
  const fs::path folder = fresh_folder();
  const std::string file = (folder / "r.tide").string();
  ASSERT_EQ(tensortide(fmt::format("{} --steps 3 -o {}", kRun, file)).exit_code, 0);
  const std::string before = bytes_of(file);
  const auto limited = tensortide(fmt::format("{} --steps 2000 -o {}", kRun, file), "ulimit -f 200;");
  EXPECT_EQ(limited.exit_code, 3);
  EXPECT_NE(limited.err.find("the older r.tide is as it was"), std::string::npos) << limited.err;
  EXPECT_EQ(bytes_of(file), before);
  const auto killed =
      test::tensortide_interrupted(fmt::format("{} --steps 200000 -o {}", kRun, file), SIGKILL, file + ".part");
  EXPECT_EQ(killed.exit_code, 128 + SIGKILL);
  EXPECT_EQ(bytes_of(file), before);
  const auto shown = tensortide(fmt::format("analyze {} --json", file));
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_NE(shown.out.find("r.tide.part"), std::string::npos) << "a reader is told that there is a later one";
  EXPECT_EQ(tensortide(fmt::format("analyze {}.part", file)).exit_code, 0);
  ASSERT_EQ(tensortide(fmt::format("{} --steps 4 -o {}", kRun, file)).exit_code, 0);
  EXPECT_FALSE(fs::exists(file + ".part"));
}

TEST(Files, ASweepThatDoesNotEndKeepsTheOlderSweep) {
  const fs::path folder = fresh_folder();
  const std::string file = (folder / "s.tide").string(), first = fmt::format("{} --axis batch=1,2 -o {}", kSweep, file);
  ASSERT_EQ(tensortide(first).exit_code, 0);
  const std::string before = bytes_of(file), point = bytes_of(folder / "s.points/0000.tide");
  const std::string second = fmt::format("{} --axis batch=4,8,16,32,64,128 -o {}", kSweep, file);
  std::string meanwhile, point_meanwhile;
  const auto ended = test::tensortide_told(second, "batch=8", [&] {
    meanwhile = bytes_of(file);
    point_meanwhile = bytes_of(folder / "s.points/0000.tide");
  });
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(meanwhile, before) << "while the new one goes on";
  EXPECT_EQ(point_meanwhile, point);
  EXPECT_EQ(profiler::open_sweep(file)->points.size(), 6u) << "it took the older one's place when it had ended";
  EXPECT_FALSE(fs::exists(file + ".part"));
  EXPECT_FALSE(fs::exists(folder / "s.tide.part.points"));
  EXPECT_TRUE(fs::exists(folder / "s.points/0005.tide"));
  // now one that cannot go on
  const std::string middle = bytes_of(file);
  const auto limited = tensortide(first, "ulimit -f 30;");
  EXPECT_EQ(bytes_of(file), middle) << limited.err;
  EXPECT_EQ(profiler::open_sweep(file)->points.size(), 6u);
}

TEST(Files, AKilledSweepGoesOnBesideTheOlderOne) {
  const fs::path folder = fresh_folder();
  const std::string file = (folder / "s.tide").string();
  ASSERT_EQ(tensortide(fmt::format("{} --axis batch=1,2 -o {}", kSweep, file)).exit_code, 0);
  const std::string before = bytes_of(file);
  const std::string second = fmt::format("{} --axis batch=4,8,16 -o {}", kSweep, file);
  // Killed behind its first samples: the draft is a sweep with some of them.
  fs::rename(file, folder / "old.tide");
  ASSERT_EQ(tensortide(second + " --seconds 0.000001").exit_code, 0);
  fs::rename(file, file + ".part");
  fs::rename(folder / "s.points", folder / "s.tide.part.points");
  fs::rename(folder / "old.tide", file);
  const auto on = tensortide(second + " --json");
  ASSERT_EQ(on.exit_code, 0) << on.err;
  const auto rows = parsed(on.out)["points"]["rows"];
  ASSERT_EQ(rows.size(), 3u);
  for (const auto& row : rows) EXPECT_EQ(row["processes"], 1);
  EXPECT_NE(bytes_of(file), before);
  EXPECT_FALSE(fs::exists(file + ".part"));
}

/// The exit status of the program where some of its streams are closed and the others go nowhere.
int with_closed(const std::string& arguments, const std::string& closed) {
  return std::system(fmt::format("({}/bin/tensortide {} {}) </dev/null >/dev/null 2>/dev/null", TENSORTIDE_BINARY_DIR,
                                 arguments, closed)
                         .c_str());
}

TEST(Files, ClosedStandardStreamsAreNotFiles) {
  const fs::path folder = fresh_folder();
  int n = 0;
  for (const char* closed : {"2>&-", "0<&-", "0<&- 2>&-", "0<&- 1>&- 2>&-"}) {
    const fs::path sweep = folder / fmt::format("s{}.tide", n), run = folder / fmt::format("r{}.tide", n);
    ++n;
    with_closed(fmt::format("{} --axis batch=1,2,4,8 -o {}", kSweep, sweep.string()), closed);
    const auto read = profiler::open_sweep(sweep);
    ASSERT_TRUE(read) << closed << ": " << read.error().message;
    EXPECT_TRUE(read->complete);
    with_closed(fmt::format("{} --steps 3 -o {}", kRun, run.string()), closed);
    EXPECT_EQ(tensortide("analyze " + run.string()).exit_code, 0) << closed;
  }
  EXPECT_NE(with_closed("--version", "1>&-"), 0) << "an answer that nobody can read is no success";
}

TEST(Files, AnExportNeverOverwritesItsInputOrACapture) {
  const fs::path folder = fresh_folder();
  const std::string in = folder.string();
  ASSERT_EQ(tensortide(fmt::format("{} --steps 3 -o {}/r.tide", kRun, in)).exit_code, 0);
  ASSERT_EQ(tensortide(fmt::format("{} --steps 3 -o {}/other.tide", kRun, in)).exit_code, 0);
  ASSERT_EQ(tensortide(fmt::format("export {0}/r.tide -o {0}/t.json", in)).exit_code, 0);
  fs::create_symlink(folder / "t.json", folder / "soft.json");
  fs::create_hard_link(folder / "t.json", folder / "hard.json");
  fs::create_symlink(folder / "r.tide", folder / "r.json");
  const std::string trace = bytes_of(folder / "t.json"), capture = bytes_of(folder / "r.tide"),
                    other = bytes_of(folder / "other.tide");
  for (const std::string words :
       {"t.json -o {0}/t.json", "t.json -o {0}/soft.json", "t.json -o {0}/hard.json", "soft.json -o {0}/t.json",
        "r.tide -o {0}/r.json", "r.tide -o {0}/r.tide --format chrome", "r.tide -o {0}/other.tide --format chrome"}) {
    const auto outcome = tensortide("export " + in + "/" + fmt::format(fmt::runtime(words), in));
    EXPECT_EQ(outcome.exit_code, 3) << words << outcome.err;
  }
  EXPECT_EQ(bytes_of(folder / "t.json"), trace);
  EXPECT_EQ(bytes_of(folder / "r.tide"), capture);
  EXPECT_EQ(bytes_of(folder / "other.tide"), other);
  fs::create_symlink(folder / "r.tide", folder / "r.html");
  const auto report = tensortide(fmt::format("report {0}/other.tide -o {0}/r.html", in));
  EXPECT_EQ(report.exit_code, 3) << report.err;
  EXPECT_EQ(bytes_of(folder / "r.tide"), capture);
}

TEST(Files, PointsAndRoofsAreNotWrittenThroughLinks) {
  const fs::path folder = fresh_folder();
  const std::string command = fmt::format("{} --axis batch=1,2 -o {}/s.tide", kSweep, folder.string());
  ASSERT_EQ(tensortide(fmt::format("{} --steps 3 -o {}/mine.tide", kRun, folder.string())).exit_code, 0);
  const std::string mine = bytes_of(folder / "mine.tide");
  fs::create_directory(folder / "s.points");
  fs::create_symlink(folder / "mine.tide", folder / "s.points/0000.tide");
  ASSERT_EQ(tensortide(command).exit_code, 0);
  EXPECT_EQ(bytes_of(folder / "mine.tide"), mine);
  EXPECT_FALSE(fs::is_symlink(folder / "s.points/0000.tide"));
  fs::remove_all(folder / "s.points"), fs::remove(folder / "s.tide");
  fs::create_directory(folder / "precious");
  fs::create_directory_symlink(folder / "precious", folder / "s.points");
  const auto refused = tensortide(command);
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_NE(refused.err.find("it is a link"), std::string::npos) << refused.err;
  EXPECT_TRUE(fs::is_empty(folder / "precious"));
}

}  // namespace
