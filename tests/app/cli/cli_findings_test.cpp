// SPDX-License-Identifier: Apache-2.0
// What findings propose can be run, what limits a waiting step is said alike everywhere, and no figure is printed as
// "nan".
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "profiler/analysis/findings/findings.h"
#include "profiler/analysis/tables/tables.h"
#include "profiler/analysis/verdict/verdict.h"
#include "tests/app/cli/process.h"

namespace {

using nlohmann::json;
using test::fresh_folder;
using test::parsed;
using test::tensortide;

/// "nan", "-nan(ind)", "inf": as fmt and printf write what is no number, on its own between other characters.
std::string not_numbers(const std::string& text) {
  std::string found;
  for (const std::string_view word : {"nan", "NaN", "inf"}) {
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      const auto letter = [&](size_t i) {
        return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_');
      };
      if (!letter(at - 1) && !letter(at + word.size()))
        found += fmt::format("\"{}\" ", text.substr(at < 40 ? 0 : at - 40, 80));
    }
  }
  return found;
}

TEST(FindingsOfTheCommandLine, EveryProposedChangeIsTakenByRun) {
  const auto folder = fresh_folder();
  int changes = 0;
  for (const std::string workload :
       {"data_pipeline --batch 8 --set size=16 --set overlap=off --set read_delay_us=3000",
        "mlp --batch 4 --mode training", "stream --set n=2097152", "gemm --set m=256 --set n=256 --set k=256",
        "transformer --mode training --batch 1 --set sequence=32 --set layers=1 --set width=64 --set heads=2 --set "
        "mlp=64 --set vocabulary=100"}) {
    const std::string file = (folder / fmt::format("{}.tide", changes + 100)).string();
    const test::Outcome run = tensortide(fmt::format("run {} --threads 1 --steps 3 --warmup 1 -o {}", workload, file));
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const json document = parsed(tensortide(fmt::format("analyze {} --table findings --json", file)).out);
    for (const json& finding : document.at("findings")) {
      if (!finding["change"].is_object()) continue;
      ++changes;
      const std::string flag = finding["change"]["flag"];
      const test::Outcome tried = tensortide(fmt::format("run {} --threads 1 --steps 1 --warmup 0 --no-probe {} -o {}",
                                                         workload, flag, (folder / "tried.tide").string()));
      const bool twice =
          tried.err.find("two values") != std::string::npos ||
          tried.err.find("given") != std::string::npos;  // --batch beside --batch: `try` takes the first one out
      EXPECT_TRUE(tried.exit_code == 0 || twice) << workload << " " << flag << ": " << tried.err;
    }
  }
  EXPECT_GE(changes, 1) << "of a step that loads in turn there is one at least";
}

TEST(FindingsOfTheCommandLine, AWaitIsSaidFirstEverywhere) {
  const auto folder = fresh_folder();
  const std::string file = (folder / "w.tide").string(), page = (folder / "w.html").string();
  const test::Outcome run =
      tensortide(fmt::format("run data_pipeline --batch 4 --set size=8 --set hidden=8 --set read_delay_us=30000 "
                             "--threads 1 --steps 4 --no-probe -o {}",
                             file));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("The step waits for data"), std::string::npos) << run.out;
  const size_t limit = run.out.find("What limits it?");
  ASSERT_NE(limit, std::string::npos);
  EXPECT_EQ(run.out.substr(limit, run.out.find('\n', limit) - limit).find("kernel inefficiency"), std::string::npos)
      << run.out;
  const json verdicts = parsed(tensortide(fmt::format("analyze {} --table verdicts --json", file)).out)["rows"];
  ASSERT_FALSE(verdicts.empty());
  EXPECT_EQ(verdicts[0]["bound"], "waiting") << verdicts.dump(2);
  ASSERT_EQ(tensortide(fmt::format("report {} -o {}", file, page)).exit_code, 0);
  std::stringstream html;
  html << std::ifstream(page).rdbuf();
  EXPECT_NE(html.str().find("Waiting for data"), std::string::npos);
}

TEST(FindingsOfTheCommandLine, NoFigureIsPrintedAsNan) {
  const auto folder = fresh_folder();
  const std::string home = fmt::format("XDG_CACHE_HOME={0} XDG_CONFIG_HOME={0} XDG_DATA_HOME={0}",
                                       folder.string());  // no roofs are known there
  for (const std::string workload :
       {"mlp --batch 2 --set input=16 --set hidden=8,8", "data_pipeline --batch 2 --set size=4 --set hidden=8",
        "latency_ladder --set working_set=4096 --set accesses=1000"}) {
    const std::string file = (folder / "n.tide").string();
    const test::Outcome run =
        tensortide(fmt::format("run {} --threads 1 --steps 1 --no-probe -o {}", workload, file), home);
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(not_numbers(run.out), "");
    EXPECT_NE(run.out.find("\nEnergy: "), std::string::npos) << "read or unknown, it is in every summary: " << run.out;
    for (const std::string& table : profiler::table_names()) {
      for (const char* form : {"", "--format json", "--format csv"}) {
        const test::Outcome shown = tensortide(fmt::format("analyze {} --table {} {}", file, table, form), home);
        EXPECT_EQ(not_numbers(shown.out), "") << table << " " << form;
      }
    }
    for (const char* format : {"csv", "chrome", "perfetto", "speedscope", "pprof"}) {
      const auto out = folder / "out";
      tensortide(fmt::format("export {} --format {} -o {}", file, format, out.string()), home);
      std::stringstream text;
      text << std::ifstream(out).rdbuf();
      const bool binary = std::string(format) == "perfetto" || std::string(format) == "pprof";
      EXPECT_EQ(binary ? std::string() : not_numbers(text.str()), "") << format;
      std::filesystem::remove(out);
    }
    const auto page = folder / "r.html";
    std::filesystem::remove(page);
    ASSERT_EQ(tensortide(fmt::format("report {} -o {}", file, page.string()), home).exit_code, 0);
    std::stringstream html;
    html << std::ifstream(page).rdbuf();
    const std::string body = html.str().substr(0, html.str().find("<script"));
    EXPECT_EQ(not_numbers(body), "");
  }
  // A change of one's own without roofs to predict it from.
  const std::string file = (folder / "t.tide").string();
  ASSERT_EQ(
      tensortide(
          fmt::format("run mlp --batch 2 --set input=16 --set hidden=8,8 --threads 1 --steps 2 --no-probe -o {}", file),
          home)
          .exit_code,
      0);
  for (const char* form : {"", "--json"}) {
    const test::Outcome tried =
        tensortide(fmt::format("try {} --change batch=4 --pairs 3 --forget {}", file, form), home);
    EXPECT_EQ(tried.exit_code, 0) << tried.err;
    EXPECT_EQ(not_numbers(tried.out), "");
  }
}

TEST(FindingsOfTheCommandLine, AChangeThatCannotBePlannedIsRefusedBeforeAnythingRuns) {
  const auto folder = fresh_folder();
  const std::string home = fmt::format("XDG_CACHE_HOME={0} XDG_CONFIG_HOME={0} XDG_DATA_HOME={0}", folder.string());
  const std::string file = (folder / "t.tide").string();
  ASSERT_EQ(tensortide(fmt::format("run mlp --batch 2 --set input=16 --set hidden=8,8 --threads 1 --steps 2 --no-probe "
                                   "-o {}",
                                   file),
                       home)
                .exit_code,
            0);
  for (const char* change : {"batch=nan", "batch=0", "hidden=-3", "hidden=8,x", "activation=nonsense", "dtype=f17"}) {
    const test::Outcome tried = tensortide(fmt::format("try {} --change {} --forget", file, change), home);
    const std::string name = std::string(change).substr(0, std::string(change).find('='));
    EXPECT_EQ(tried.exit_code, 2) << change << tried.err;
    EXPECT_NE(tried.err.find("[--change] " + name), std::string::npos) << change << ": " << tried.err;
    EXPECT_EQ(tried.err.find("without the change"), std::string::npos) << change << ": " << tried.err;
  }
}

}  // namespace
