// SPDX-License-Identifier: Apache-2.0
// tensortide report and rerun as a user meets them: one page with the numbers of analyze, repeated from itself; and
// what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "profiler/base/table.h"
#include "tests/app/cli/process.h"

namespace {

using nlohmann::json;
using test::fresh_folder;
using test::Outcome;
using test::tensortide;

std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A small capture of a run that takes no time to speak of.
std::filesystem::path small_capture() {
  const auto file = fresh_folder() / "g.tide";
  const Outcome run =
      tensortide("run gemm --set m=32 --set n=32 --set k=32 --steps 6 --warmup 1 --no-probe -o " + file.string());
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return file;
}

/// A page like a report's, holding just a record.
std::filesystem::path page_with(json record) {
  const auto file = fresh_folder() / "r.html";
  std::string text = record.dump();
  for (size_t i = 0; (i = text.find('"', i)) != std::string::npos; i += 6) text.replace(i, 1, "&quot;");
  std::ofstream(file) << "<html><head><meta name=\"tensortide-record\" content=\"" << text << "\"/></head></html>";
  return file;
}

json record(const std::string& command, double step_ns) {
  return {{"schema", 1}, {"kind", "capture"}, {"command", command}, {"step_ns", std::vector<double>(8, step_ns)}};
}

constexpr const char* kTiny = "tensortide run gemm --set m=32 --set n=32 --set k=32 --steps 5 --warmup 1";

TEST(CliRerun, SaysSlowerWhereTheRecordWasImpossiblyFast) {  // beyond any noise of a busy machine
  const Outcome slower = tensortide("rerun --json " + page_with(record(kTiny, 1e-40)).string());
  EXPECT_EQ(slower.exit_code, 1) << slower.err;
  const json document = json::parse(slower.out);
  EXPECT_EQ(document["verdict"], "SLOWER");
  EXPECT_GE(document["now"]["processes"].size(), 3u);
  EXPECT_EQ(document["recorded"]["time_ns"], 1e-40);
  EXPECT_GT(document["ratio"]["low"].get<double>(), 1.0);
  // The time said of now is the one the ratio is of: a called change leaves no process out.
  double logarithms = 0;
  for (const json& process : document["now"]["processes"]) logarithms += std::log(process["time_ns"].get<double>());
  const double mean_ns = std::exp(logarithms / static_cast<double>(document["now"]["processes"].size()));
  EXPECT_NEAR(document["now"]["time_ns"].get<double>() / mean_ns, 1, 1e-9);
  EXPECT_NEAR(document["ratio"]["value"].get<double>() * 1e-40 / mean_ns, 1, 1e-9);
  EXPECT_TRUE(document["sentence"].get<std::string>().starts_with(
      "SLOWER: " + profiler::format_quantity(mean_ns, profiler::Quantity::duration_ns) +
      " per step now (measured, geometric mean of "))
      << document["sentence"];
}

TEST(CliRerun, SaysFasterWhereTheRecordWasSlow) {
  const Outcome faster = tensortide("rerun " + page_with(record(kTiny, 1e40)).string());
  EXPECT_EQ(faster.exit_code, 0) << faster.err;
  EXPECT_TRUE(faster.out.starts_with("FASTER")) << faster.out;
}

TEST(CliRerun, RepeatsACaptureAndNamesItsFigures) {
  const Outcome again = tensortide("rerun --json " + small_capture().string());
  ASSERT_TRUE(again.exit_code == 0 || again.exit_code == 1) << again.err;
  const json document = json::parse(again.out);
  EXPECT_EQ(again.exit_code == 1, document["verdict"] == "SLOWER");
  EXPECT_GT(document["recorded"]["time_ns"].get<double>(), 0);
  EXPECT_NE(document["command"].get<std::string>().find("m=32"), std::string::npos);
}

TEST(CliRerun, RefusesWhatCannotBeRepeated) {
  const auto refusal = [](const std::filesystem::path& file) {
    const Outcome o = tensortide("rerun " + file.string());
    EXPECT_EQ(o.exit_code, 3) << file << o.out;
    return o.err;
  };
  EXPECT_NE(refusal("/nonexistent.html").find("cannot be read: No such file"), std::string::npos);
  EXPECT_NE(refusal(page_with({{"schema", 1}, {"kind", "trace"}})).find("another tool recorded"), std::string::npos);
  EXPECT_NE(refusal(page_with({{"schema", 1}, {"kind", "sweep"}, {"command", "tensortide sweep mlp"}}))
                .find("tensortide sweep mlp"),
            std::string::npos);
  EXPECT_NE(refusal(page_with({{"schema", 1}, {"kind", "capture"}})).find("does not hold the command"),
            std::string::npos);
  EXPECT_NE(refusal(page_with(record("tensortide run gemm; touch x", 1e6))).find("more than one program"),
            std::string::npos);
  EXPECT_NE(refusal(page_with(record("rm run x", 1e6))).find("no `tensortide run`"), std::string::npos);
  EXPECT_NE(refusal(page_with(record("tensortide run gemm -o /tmp/overwritten", 1e6))).find("not understood"),
            std::string::npos);
  EXPECT_NE(refusal(page_with(record("tensortide run moved/net.onnx", 1e6))).find("moved/net.onnx, which is not there"),
            std::string::npos);
  const auto foreign = fresh_folder() / "f.html";
  std::ofstream(foreign) << "<html><body>a page</body></html>";
  EXPECT_NE(refusal(foreign).find("no report of Tensortide"), std::string::npos);
  const auto pdf = fresh_folder() / "r.pdf";
  std::ofstream(pdf) << "%PDF-1.4";
  EXPECT_NE(refusal(pdf).find("PDF"), std::string::npos);
}

TEST(CliReport, RefusesUnknownSectionsWithTheList) {
  const auto file = fresh_folder() / "some.tide";
  std::ofstream(file) << "x";
  const Outcome refused = tensortide("report " + file.string() + " -o r.html --sections answers,opps");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("\"opps\""), std::string::npos) << refused.err;
  for (const char* section : {"answers", "ops", "findings", "points", "changes"}) {
    EXPECT_NE(refused.err.find(section), std::string::npos) << refused.err;
    EXPECT_NE(tensortide("report --help").out.find(section), std::string::npos) << section;
  }
  EXPECT_EQ(tensortide("report " + file.string() + " -o r.html --against /nonexistent.tide").exit_code, 3);
}

TEST(CliReport, RefusesSuffixesMissingFilesAndAMissingWindow) {
  const Outcome suffix = tensortide("report x.tide -o r.txt");
  EXPECT_EQ(suffix.exit_code, 2);
  const Outcome missing = tensortide("report /nonexistent.tide -o r.html");
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_NE(missing.err.find("/nonexistent.tide"), std::string::npos);
  const auto file = fresh_folder() / "some.tide";
  std::ofstream(file) << "x";
  const Outcome window =
      tensortide("report " + file.string() + " -o r.html", "TENSORTIDE_GUI=/nonexistent/tensortide-gui");
  EXPECT_EQ(window.exit_code, 3);
  EXPECT_NE(window.err.find("/nonexistent/tensortide-gui"), std::string::npos) << window.err;
}

#ifdef TENSORTIDE_TEST_GUI
/// <data data-key="step_ns" value="...">: all of the page's named figures.
std::map<std::string, double> figures(const std::string& html) {
  std::map<std::string, double> found;
  static const std::regex pattern("<data data-key=\"([^\"]+)\" value=\"([^\"]+)\">");
  for (auto at = std::sregex_iterator(html.begin(), html.end(), pattern); at != std::sregex_iterator(); ++at)
    found[(*at)[1]] = std::strtod((*at)[2].str().c_str(), nullptr);
  return found;
}

TEST(CliReport, ThePagesNumbersAreThoseOfAnalyze) {
  const auto capture = small_capture();
  const auto page = capture.parent_path() / "r.html";
  const Outcome done = tensortide("report " + capture.string() + " -o " + page.string());
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.err, "") << "Qt's own remarks are nobody's business";
  const std::map<std::string, double> on_page = figures(contents(page));
  const json summary = json::parse(tensortide("analyze --json " + capture.string()).out)["summary"];
  int compared = 0;
  for (const auto& [key, value] : on_page) {
    if (!summary.contains(key) || !summary[key].is_object() || !summary[key]["value"].is_number()) continue;
    EXPECT_EQ(value, summary[key]["value"].get<double>()) << key;
    ++compared;
  }
  EXPECT_GE(compared, 4);
  EXPECT_EQ(on_page.at("dropped_records"), summary["honesty"]["dropped_records"].get<double>());
  EXPECT_NE(contents(page).find("tensortide run gemm --steps 6"), std::string::npos);
}

TEST(CliReport, ChoosesSectionsAndComparesTwoRuns) {
  const auto capture = small_capture();
  const auto folder = capture.parent_path();
  const auto other = folder / "h.tide";
  ASSERT_EQ(tensortide("run gemm --set m=48 --set n=32 --set k=32 --steps 6 --warmup 1 --no-probe -o " + other.string())
                .exit_code,
            0);
  const auto page = folder / "p.html";
  const Outcome some = tensortide("report " + capture.string() + " -o " + page.string() + " --sections ops,command");
  ASSERT_EQ(some.exit_code, 0) << some.err;
  EXPECT_NE(contents(page).find("<section id=\"ops\">"), std::string::npos);
  EXPECT_EQ(contents(page).find("<section id=\"machine\">"), std::string::npos);
  EXPECT_EQ(contents(page).find("How long?"), std::string::npos);
  const Outcome wrong = tensortide("report " + capture.string() + " -o " + page.string() + " --sections points");
  EXPECT_EQ(wrong.exit_code, 2) << "a capture has no points: " << wrong.err;
  const auto both = folder / "both.html";
  const Outcome compared =
      tensortide("report " + other.string() + " --against " + capture.string() + " -o " + both.string());
  ASSERT_EQ(compared.exit_code, 0) << compared.err;
  EXPECT_NE(contents(both).find("h.tide compared with g.tide"), std::string::npos);
  EXPECT_EQ(tensortide("report " + other.string() + " --against " + capture.string() + " -o " + capture.string() +
                       ".html/x.html")
                .exit_code,
            3);
}

TEST(CliReport, WritesPdfAndRefusesWhatIsNoCapture) {
  const auto capture = small_capture();
  const auto pdf = capture.parent_path() / "r.pdf";
  const Outcome written = tensortide("report " + capture.string() + " -o " + pdf.string());
  ASSERT_EQ(written.exit_code, 0) << written.err;
  EXPECT_TRUE(contents(pdf).starts_with("%PDF-"));
  const Outcome refused = tensortide("report " + pdf.string() + " -o " + (capture.parent_path() / "x.html").string());
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_TRUE(refused.err.starts_with("tensortide: ")) << "the program that was called speaks: " << refused.err;
  EXPECT_EQ(refused.err.find("tensortide-gui:"), std::string::npos) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(capture.parent_path() / "x.html"));
}
#endif

}  // namespace
