// SPDX-License-Identifier: Apache-2.0
// Tables on terminals of several widths, and whole ones in pipes; what is below a table of ops makes its times those of
// the step.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "tests/app/cli/process.h"

namespace {

using test::tensortide;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Characters, not bytes.
size_t width(const std::string& line) {
  return static_cast<size_t>(
      std::ranges::count_if(line, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

/// One small capture for all tests.
class Terminal : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    file_ = std::filesystem::temp_directory_path() / fmt::format("tensortide-terminal-{}.tide", getpid());
    const auto run =
        tensortide(fmt::format("run mlp --set hidden=32,32 --set input=64 --batch 4 --mode training --steps 5 --warmup "
                               "1 --threads 1 --no-probe -o {}",
                               file_.string()));
    ASSERT_EQ(run.exit_code, 0) << run.err;
  }
  static void TearDownTestSuite() { std::filesystem::remove(file_); }
  static std::string analyze(const std::string& more) { return fmt::format("analyze {} {}", file_.string(), more); }
  static std::filesystem::path file_;
};
std::filesystem::path Terminal::file_;

TEST_F(Terminal, TablesAreAsWideAsItAndSayWhatIsLeftOut) {
  if (!test::has_terminals()) GTEST_SKIP() << "this system opens no pseudo-terminal";
  for (const char* table : {"--table verdicts", "--table ops", "--table ops --by layer", "--table cache",
                            "--table roofline", "--table rules"}) {
    const auto whole = tensortide(analyze(table));
    ASSERT_EQ(whole.exit_code, 0);
    EXPECT_EQ(whole.out.find("Left out"), std::string::npos) << table << ": a pipe gets all columns";
    const auto all = lines_of(whole.out);
    for (const unsigned short columns : {80, 120, 200}) {
      const auto fitted = test::tensortide_on_terminal(analyze(table), columns);
      ASSERT_EQ(fitted.exit_code, 0) << fitted.out;
      const auto lines = lines_of(fitted.out);
      const auto rule = std::ranges::find_if(lines, [](const std::string& line) { return line.starts_with("---"); });
      ASSERT_NE(rule, lines.end()) << fitted.out;
      const auto whole_rule =
          std::ranges::find_if(all, [](const std::string& line) { return line.starts_with("---"); });
      const bool cut = width(*whole_rule) > columns;
      EXPECT_LE(width(*rule), columns) << table;
      EXPECT_EQ(fitted.out.find("Left out for want of room: ") != std::string::npos, cut) << table << " at " << columns;
      for (auto line = lines.begin(); line != rule; ++line) EXPECT_LE(width(*line), columns) << *line;
      if (std::string_view(table).ends_with("verdicts")) {
        EXPECT_NE(fitted.out.find("Confidence"), std::string::npos);
        EXPECT_NE(lines.front().find("Time"), std::string::npos);
      }
    }
  }
}

TEST_F(Terminal, OtherFormatsAreWhole) {
  if (!test::has_terminals()) GTEST_SKIP() << "this system opens no pseudo-terminal";
  const auto csv = test::tensortide_on_terminal(analyze("--table verdicts --format csv"), 40);
  EXPECT_EQ(csv.out.substr(0, csv.out.find('\n')),
            "op,time_ns,bound,level,confidence,runner_up,utilisation_ratio,next_speedup_ratio,cause,why");
}

TEST_F(Terminal, RowsBelowTheOpsMakeTheTimesThoseOfTheStep) {
  const auto document = test::parsed(tensortide(analyze("--table ops --json")).out);
  double ops = 0;
  for (const auto& row : document["rows"]) ops += row["time_ns"].is_null() ? 0 : row["time_ns"].get<double>();
  const auto part = [&](const char* key) { return document["step_parts"][key]["value"].get<double>(); };
  EXPECT_NEAR(part("ops_ns"), ops, 1e-9 * ops);
  EXPECT_GT(part("between_ops_ns"), 0);
  EXPECT_NEAR(part("ops_ns") + part("between_ops_ns") + part("beyond_medians_ns"), part("step_ns"),
              1e-9 * part("step_ns"));
  const auto summary = test::parsed(tensortide(analyze("--json")).out)["summary"];
  EXPECT_EQ(summary["step_ns"]["value"], document["step_parts"]["step_ns"]["value"]);
  EXPECT_EQ(summary["step_parts"], document["step_parts"]);
  const std::string text = tensortide(analyze("--table ops")).out;
  EXPECT_NE(text.find("(between ops)"), std::string::npos);
  EXPECT_NE(text.find("(whole step)"), std::string::npos);
  EXPECT_NE(tensortide(analyze("")).out.find(" between ops"), std::string::npos);
}

}  // namespace
