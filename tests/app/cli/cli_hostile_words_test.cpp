// SPDX-License-Identifier: Apache-2.0
// Captures, traces, networks, reports and file names with hostile words, through every verb, table and format: nothing
// that a terminal obeys, that cannot be seen, or that a spreadsheet runs comes out. And files that are pipes or
// devices.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#include "profiler/analysis/tables/tables.h"
#include "profiler/export/exporter.h"
#include "profiler/store/capture_file.h"
#include "tests/app/cli/process.h"
#include "tests/support/hostile_words.h"
#include "tests/support/temporary_folder.h"

namespace {

using nlohmann::json;
using test::tensortide;

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Runs it and looks at both streams; whether it was done is another test's matter. Gives what was printed.
test::Outcome looked_at(const std::string& arguments, bool csv = false) {
  test::Outcome outcome = tensortide(arguments);
  EXPECT_LE(outcome.exit_code, 3) << arguments << ": " << outcome.err;
  EXPECT_EQ(tests::fault_of_display(outcome.out), "") << arguments;
  EXPECT_EQ(tests::fault_of_display(outcome.err), "") << arguments;
  EXPECT_EQ(outcome.out.find("\nforged"), std::string::npos) << arguments << ": a name made a line of its own";
  EXPECT_EQ(outcome.err.find("\nforged"), std::string::npos) << arguments << ": a name made a line of its own";
  if (csv) {
    EXPECT_EQ(tests::formula_in_csv(outcome.out), "") << arguments;
  }
  return outcome;
}

class HostileWords : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new tests::TemporaryFolder;
    const auto ran = tensortide(fmt::format(
        "run mlp --set batch=4 --mode training --threads 1 --steps 3 --warmup 1 --no-probe --collect simulate -o {}",
        capture()));
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    tests::make_hostile(capture());
  }
  static void TearDownTestSuite() { delete folder_; }
  static std::string capture() { return place("hostile.tide"); }
  static std::string place(const std::string& name) { return (*folder_ / name).string(); }
  static inline tests::TemporaryFolder* folder_ = nullptr;
};

TEST_F(HostileWords, TheFileOpensAndHoldsThem) {
  const auto capture = profiler::open_capture(HostileWords::capture());
  ASSERT_TRUE(capture.ok()) << capture.error().message;
  ASSERT_GT((*capture)->ops().size(), 3u);
  for (const std::string& name : (*capture)->names())
    EXPECT_EQ(tests::fault_of_display(name + "x"), "") << "a reader makes names safe";
  EXPECT_NE((*capture)->name((*capture)->ops().front().name).find("\\x1b]0;title"), std::string::npos);
  EXPECT_NE((*capture)->machine().info.model.find("\\u202e"), std::string::npos);
  EXPECT_NE((*capture)->honesty().notes.back().find("\\x9b"), std::string::npos);
}

TEST_F(HostileWords, EveryTableInEveryFormat) {
  std::vector<std::string> tables = profiler::table_names();
  for (const char* by : {"layer", "type", "kernel", "phase"}) tables.push_back(fmt::format("ops --by {}", by));
  for (const std::string& table : tables) {
    for (const char* format : {"text", "csv", "json"}) {
      const auto outcome = looked_at(fmt::format("analyze {} --table {} --format {}", capture(), table, format),
                                     format == std::string("csv"));
      if (outcome.exit_code == 0 && format == std::string("json")) {
        EXPECT_FALSE(json::parse(outcome.out, nullptr, false).is_discarded()) << table;
      }
    }
  }
}

TEST_F(HostileWords, EveryOtherVerb) {
  const std::string c = capture();
  for (const std::string format : {"", " --json"}) {
    for (const std::string& verb :
         {"compare {0} {0}" + format, "predict {0}" + format, "cache {0}" + format, "rerun {0}" + format,
          "try {0}" + format, "query {0} 'SELECT * FROM StringIds'" + format,
          "query {0} 'SELECT key AS \"a\x1b[2J\", value FROM TIDE_RUN'" + format,
          "query {0} 'SELECT * FROM TIDE_NOTE, TIDE_TRACK'" + format}) {
      looked_at(fmt::format(fmt::runtime(verb), c));
    }
  }
  for (const char* verb : {"compare {0} {0} --format csv", "query {0} 'SELECT * FROM StringIds' --format csv",
                           "query {0} 'SELECT name, groupName FROM TIDE_TRACK' --format csv"})
    looked_at(fmt::format(fmt::runtime(verb), c), true);
}

TEST_F(HostileWords, ExportsForSpreadsheetsHoldNoFormula) {
  int sheets = 0;
  for (const profiler::Exporter& exporter : profiler::exporters()) {
    const std::string file = place(fmt::format("out{}", exporter.extension));
    looked_at(fmt::format("export {} --format {} -o {}", capture(), exporter.name, file));
    if (!std::string(exporter.extension).ends_with(".csv") || !std::filesystem::exists(file)) continue;
    ++sheets;
    EXPECT_EQ(tests::fault_of_display(text_of(file)), "") << exporter.name;
    EXPECT_EQ(tests::formula_in_csv(text_of(file)), "") << exporter.name;
  }
  EXPECT_GT(sheets, 1);
}

TEST_F(HostileWords, ReportsAndWhatTheyRecord) {
  const std::string report = place("r.html");
  const auto written = looked_at(fmt::format("report {} -o {}", capture(), report));
  if (written.exit_code != 0) GTEST_SKIP() << written.err;  // without the window's program there are no reports
  const std::string page = text_of(report);
  EXPECT_EQ(tests::fault_of_display(page), "");
  EXPECT_EQ(page.find("<b>bold"), std::string::npos);
  EXPECT_EQ(page.find("<img src"), std::string::npos);
  looked_at("rerun " + report);
  looked_at("rerun " + report + " --json");
}

TEST_F(HostileWords, RecordedCommandsAreShownAndNothingElse) {
  const std::string record =
      R"({"schema":1,"kind":"capture","title":"t\u001b[2J","command":"tensortide run mlp --set '\u001b]0;x\u0007\u202e'=1","step_ns":[1e6],"machine":"\u009b"})";
  std::string escaped;
  for (const char c : record) escaped += c == '"' ? std::string("&quot;") : std::string(1, c);
  std::ofstream(place("made.html")) << "<meta name=\"tensortide-record\" content=\"" << escaped << "\"/>";
  looked_at("rerun " + place("made.html"));
  std::string deep = "{\"schema\":1,\"kind\":\"capture\",\"step_ns\":";
  for (int i = 0; i < 500'000; ++i) deep += "[{\"a\":";
  std::string deep_escaped;
  for (const char c : deep) deep_escaped += c == '"' ? std::string("&quot;") : std::string(1, c);
  std::ofstream(place("deep.html")) << "<meta name=\"tensortide-record\" content=\"" << deep_escaped << "\"/>";
  const auto outcome = looked_at("rerun " + place("deep.html"));
  EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
  EXPECT_NE(outcome.err.find("its record is damaged"), std::string::npos) << outcome.err;
}

TEST_F(HostileWords, TracesNetworksAndModels) {
  const json trace = {
      {"traceEvents",
       {{{"ph", "M"},
         {"name", "process_name"},
         {"pid", 1},
         {"tid", 1},
         {"args", {{"name", "=1+1\x1b[2J\u009b\u202e"}}}},
        {{"ph", "M"}, {"name", "thread_name"}, {"pid", 1}, {"tid", 1}, {"args", {{"name", "@t\x1b[2J\u202e\nforged"}}}},
        {{"ph", "X"},
         {"cat", "cpu_op"},
         {"name", "+aten::mm\x1b[2J\u2066\nforged"},
         {"ts", 1},
         {"dur", 5},
         {"pid", 1},
         {"tid", 1}},
        {{"ph", "C"}, {"name", "-memory\u202e"}, {"ts", 2}, {"pid", 1}, {"args", {{"=x\u200b", 3}}}}}}};
  std::ofstream(place("t.json")) << trace.dump();
  for (const std::string arguments :
       {"import {0}/t.json -o {0}/t.tide", "import {0}/t.json -o {0}/t2.tide --json",
        "import {0}/t.json -o {0}/t3.tide --progress json", "analyze {0}/t.json", "analyze {0}/t.tide --table ops",
        "analyze {0}/t.tide --json", "query {0}/t.tide 'SELECT * FROM StringIds'"}) {
    looked_at(fmt::format(fmt::runtime(arguments), folder_->path().string()));
  }
  looked_at(fmt::format("analyze {}/t.tide --table ops --format csv", folder_->path().string()), true);
  std::ofstream(place("net.json")) << json{{"name", "n\u009b\u202e"},
                                           {"description", "d\u009b<b>x</b>\u202e"},
                                           {"input", {4}},
                                           {"layers", {{{"type", "linear"}, {"units", 2}, {"name", "=l\u202e\u009b"}}}}}
                                          .dump();
  for (const std::string arguments : {"run {0}/net.json --steps 1 --warmup 0 --no-probe --threads 1 -o {0}/n.tide",
                                      "analyze {0}/n.tide --table ops", "fit {0}/net.json --memory 1MB"})
    looked_at(fmt::format(fmt::runtime(arguments), folder_->path().string()));
  std::ofstream(place("bad.json")) << "{\"layers\": [], \"input\": [1], \"\\u001b[2J\\u202e\": 3}";
  looked_at("run " + place("bad.json") + " -o " + place("b.tide"));
}

TEST_F(HostileWords, NamesOfFilesAndWordsOfTheCommandLine) {
  const std::string name = place("a\x1b[2J\xc2\x9b\xe2\x80\xae\nforged \xff.tide");
  std::filesystem::copy_file(capture(), name, std::filesystem::copy_options::overwrite_existing);
  const std::string quoted = "'" + name + "'", missing = "'" + name + ".none'";
  for (const std::string& file : {quoted, missing}) {
    for (const std::string verb :
         {"analyze {0}", "analyze {0} --json", "compare {0} {0}", "compare {0} {0} --json", "export {0} -o {0}.json",
          "import {0} -o {0}.tide", "rerun {0}", "try {0}", "query {0} 'SELECT 1'", "report {0} -o {0}.html",
          "cache {0}", "predict {0}", "run {0} -o {0}.x", "run mlp --roofs {0}", "fit {0}",
          "run mlp --steps 1 --no-probe --device null -o {0}.y", "sweep {0} --axis batch=1,2"}) {
      looked_at(fmt::format(fmt::runtime(verb), file));
    }
  }
  const std::string word = "'\x1b[2J\xe2\x80\xae\nforged'";
  for (const std::string& arguments :
       {word, "run " + word, "analyze x --table " + word, "run mlp --set " + word + "=1", "run mlp --device " + word,
        "--" + word, "number " + word, "sweep mlp --axis " + word + "=1", "cache gemm --level " + word,
        "predict mlp --on " + word})
    looked_at(arguments);
}

TEST(FilesThatAreNone, AreRefusedWithoutWaiting) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)  // which reserve addresses of their own
  constexpr const char* kWithLimits = "cd /tmp; timeout -s KILL 60";
#else
  constexpr const char* kWithLimits = "cd /tmp; ulimit -v 8000000; timeout -s KILL 60";
#endif
  const tests::TemporaryFolder folder;
  for (const char* name : {"p.json", "p.gz", "p.tide", "p.onnx", "p.html", "p.din", "p.sqlite"})
    ASSERT_EQ(mkfifo((folder / name).c_str(), 0600), 0);
  std::vector<std::string> files{"/dev/zero", "/dev/full", "/dev/tty", folder.path().string()};
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) files.push_back(entry.path().string());
  for (const std::string& file : files) {
    for (const std::string verb : {"analyze {}", "compare {0} {0}", "import {} -o /dev/null/x.tide", "rerun {}",
                                   "query {} 'SELECT 1'", "cache {} --level 32KiB/8/64:lru", "predict {}", "fit {}",
                                   "run {} --no-probe --device null", "run mlp --steps 1 --roofs {} --device null",
                                   "try {}", "report {} -o /dev/null/x.html", "export {} -o /dev/null/x.json"}) {
      const std::string arguments = fmt::format(fmt::runtime(verb), file);
      const auto outcome = tensortide(arguments, kWithLimits);
      EXPECT_TRUE(outcome.exit_code == 2 || outcome.exit_code == 3)
          << arguments << ": " << outcome.exit_code << " " << outcome.err;
      EXPECT_NE(outcome.err.find("tensortide: "), std::string::npos) << arguments << ": " << outcome.err;
    }
  }
}

}  // namespace
