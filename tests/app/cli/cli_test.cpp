// SPDX-License-Identifier: Apache-2.0
// The command line as a user meets it: every verb, its help, its JSON, and captures that survive being interrupted.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/app/cli/process.h"
#include "tests/support/temporary_folder.h"

namespace {

using nlohmann::json;
using test::fresh_folder;
using test::parsed;
using test::tensortide;

TEST(CommandLine, EveryVerbHasHelpWithAnExample) {
  for (const char* verb :
       {"run", "sweep", "fit", "analyze", "query", "devices", "workloads", "probe", "doctor", "number", "compare",
        "try", "advice", "report", "rerun", "import", "export", "cache", "predict"}) {
    const test::Outcome outcome = tensortide(std::string(verb) + " --help");
    EXPECT_EQ(outcome.exit_code, 0) << verb;
    EXPECT_NE(outcome.out.find(fmt::format("Example: tensortide {}", verb)), std::string::npos) << verb;
  }
  EXPECT_EQ(tensortide("--version").out, "tensortide 0.1.0\n");
}

TEST(CommandLine, AMisspeltOptionIsAnsweredWithTheNearestOne) {
  const test::Outcome outcome = tensortide("run mlp --bacth 4");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("did you mean --batch?"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("--bacth 4"), std::string::npos) << "in the order that was given: " << outcome.err;
  EXPECT_NE(tensortide("analyze x.tide --tabel=ops").err.find("did you mean --table?"), std::string::npos);
  for (const char* given : {"--learning_rate 0.1", "--learning-rate=0.1"})
    EXPECT_NE(tensortide(fmt::format("run mlp {}", given)).err.find("did you mean --set learning_rate=0.1?"),
              std::string::npos)
        << given << ": a parameter of workloads";
}

TEST(CommandLine, OneLimitOfThreadsIsNamedWhateverPassesIt) {
  const std::string below = tensortide("run mlp --threads -1").err, above = tensortide("run mlp --threads 5000").err;
  EXPECT_EQ(below.substr(below.find("is out of range")), above.substr(above.find("is out of range"))) << above;
}

TEST(CommandLine, ASystolicArrayOfAnotherSizeIsNotCalledOneOf64) {
  EXPECT_NE(tensortide("systolic --size 4").out.find("A size of 4 is an illustration"), std::string::npos);
  EXPECT_EQ(tensortide("systolic --size 128 --rows 1").out.find("illustration"), std::string::npos);
}

TEST(CommandLine, WrongUsageIsAnErrorOfTheProgressChannelWhereThatIsAskedFor) {
  for (const char* line : {"run mlp --bacth 4 --progress json", "sweep mlp --noise many --progress=json",
                           "probe --threads many --progress json"}) {
    const test::Outcome outcome = tensortide(line);
    EXPECT_EQ(outcome.exit_code, 2) << line;
    const json error = parsed(outcome.err);
    EXPECT_EQ(error["error"]["kind"], "usage") << outcome.err;
    const auto message = error["error"]["message"].get<std::string>();
    EXPECT_FALSE(message.empty()) << line;
    EXPECT_EQ(message.find("--help"), std::string::npos) << message;
  }
}

TEST(CommandLine, ProgressTellsThePlanAndEveryStepOnce) {
  const auto folder = fresh_folder();
  const test::Outcome outcome = tensortide(
      fmt::format("run mlp --set hidden=16 --batch 2 --steps 6 --warmup 2 --no-probe -o {}/m.tide --progress json",
                  folder.string()));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  int steps = 0, plans = 0, losses = 0;
  std::istringstream lines(outcome.err);
  for (std::string text; std::getline(lines, text);) {
    const json line = parsed(text);
    if (line.contains("recent")) steps += line["recent"]["steps"].get<int>();
    losses += line.contains("loss") && line["loss"].is_number() ? 1 : 0;
    if (!line.contains("planned")) continue;
    ++plans;
    EXPECT_GT(line["planned"]["flops"].get<double>(), 0);
    EXPECT_GT(line["planned"]["operand_bytes"].get<double>(), 0);
  }
  EXPECT_EQ(plans, 1);
  EXPECT_GE(steps, 8) << "warm-up, recorded and untraced ones";
  EXPECT_GE(losses, 1);
}

TEST(CommandLine, ANumberIsShownAsItsFormatsStoreIt) {
  const std::string text = tensortide("number 1.4 --dtype f16").out;
  EXPECT_NE(text.find("0 | 01111 | 0110011010"), std::string::npos) << text;
  EXPECT_NE(text.find("1.400390625\n"), std::string::npos) << text;
  const std::string long_one = tensortide("number 1.4 --dtype f64").out;
  EXPECT_NE(long_one.find("value stored         1.3999999999999999\n"), std::string::npos) << long_one;
  EXPECT_NE(long_one.find("largest              1.7976931348623157e308\n"), std::string::npos) << long_one;
  EXPECT_NE(long_one.find("--json has all"), std::string::npos) << long_one;
  std::istringstream lines(long_one);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 170u) << line;
  const json exact = parsed(tensortide("number 1.4 --dtype f64 --json").out)["formats"][0]["value"];
  EXPECT_EQ(exact, "1.399999999999999911182158029987476766109466552734375") << "all digits";
  const json formats = parsed(tensortide("number 65520 --json").out)["formats"];
  ASSERT_EQ(formats.size(), 4u);
  EXPECT_EQ(formats[3]["dtype"], "f16");
  EXPECT_EQ(formats[3]["value"], "inf");
  EXPECT_EQ(formats[3]["overflowed"], true);
  EXPECT_EQ(formats[2]["value"], "65536");
  EXPECT_EQ(
      parsed(tensortide("number --dtype i8 --scale 0.1 --zero-point 3 --json -- -1.44").out)["formats"][0]["value"],
      "-1.4");
  EXPECT_NE(tensortide("number 200 --dtype u8").out.find("0xc8: unsigned"), std::string::npos);
  EXPECT_EQ(tensortide("number one").exit_code, 2);
  EXPECT_EQ(tensortide("number 1 --dtype f17").exit_code, 2);
}

TEST(CommandLine, CheckFiniteSaysThatAllIsSound) {
  const test::Outcome sound =
      tensortide("run mlp --batch 4 --set input=16 --set hidden=16,16 --threads 1 --check-finite");
  EXPECT_EQ(sound.exit_code, 0) << sound.err;
  EXPECT_NE(sound.out.find("finite"), std::string::npos) << sound.out;
}

/// A loss scale beyond the range of f16 overflows in the backward pass of the loss.
TEST(CommandLine, CheckFiniteNamesTheFirstOpThatBreaks) {
  const test::Outcome broken =
      tensortide("run half_training --batch 4 --threads 1 --check-finite --set initial_scale=1e30 --json");
  EXPECT_EQ(broken.exit_code, 1) << broken.err;
  const json document = parsed(broken.out);
  EXPECT_EQ(document["finite"], false);
  const std::string found = document["found"];
  EXPECT_NE(found.find("step 0: first infinity: layer "), std::string::npos) << found;
}

TEST(CommandLine, APlanIsACaptureWithoutTimes) {
  const tests::TemporaryFolder folder;
  const std::string file = (folder.path() / "plan.tide").string();
  const test::Outcome planned = tensortide(
      "run mlp --mode inference --batch 4 --set input=16 --set hidden=8 --set output=3 --plan --json -o " + file);
  ASSERT_EQ(planned.exit_code, 0) << planned.err;
  EXPECT_EQ(parsed(planned.out)["parameters"], 16 * 8 + 8 + 8 * 3 + 3);
  EXPECT_EQ(parsed(planned.out)["does_not_fit"], nullptr);
  const json ops = parsed(tensortide("analyze " + file + " --table ops --json").out)["rows"];
  ASSERT_FALSE(ops.empty());
  for (const json& op : ops) EXPECT_TRUE(op["time_ns"].is_null()) << op;
  const test::Outcome refused = tensortide("run " + (folder.path() / "absent.onnx").string() + " --plan -o " + file);
  EXPECT_EQ(refused.exit_code, 3) << refused.err;
  EXPECT_NE(refused.err.find("absent.onnx"), std::string::npos) << refused.err;
}

TEST(CommandLine, ListsAreJsonDocuments) {
  const json devices = parsed(tensortide("devices --json").out)["devices"];
  ASSERT_GE(devices.size(), 3u);
  EXPECT_EQ(devices[0]["name"], "cpu");
  EXPECT_GE(devices[0]["cores"].get<int>(), 1);
  EXPECT_EQ(devices.back()["available"], false);
  EXPECT_FALSE(devices.back()["why"].get<std::string>().empty());
  const std::string modelled = parsed(tensortide("devices --json").out)["modelled_devices"].dump();
  EXPECT_NE(modelled.find("\"v100\""), std::string::npos) << "what `predict --on` takes";
  EXPECT_NE(tensortide("devices").out.find("v100"), std::string::npos);
  for (const char* name : {"v100", "model:v100"}) {
    const test::Outcome run = tensortide(std::string("run mlp --device ") + name);
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_NE(run.err.find("predict WORKLOAD --on"), std::string::npos) << run.err;
  }

  const json workloads = parsed(tensortide("workloads --json").out)["workloads"];
  std::vector<std::string> names;
  for (const json& workload : workloads) names.push_back(workload["name"]);
  for (const char* name : {"stream", "gemm", "mlp", "resnet50"}) {
    EXPECT_EQ(std::ranges::count(names, name), 1) << name;
  }
  const std::string all = tensortide("workloads").out, one = tensortide("workloads mlp").out;
  for (const std::string& name : names) EXPECT_NE(all.find("  " + name + " "), std::string::npos) << name;
  EXPECT_LE(static_cast<size_t>(std::ranges::count(all, '\n')), names.size() + 4) << "a line each";
  EXPECT_NE(one.find("hidden"), std::string::npos) << one;
  EXPECT_EQ(parsed(tensortide("workloads mlp --json").out)["workloads"].size(), 1U);
  EXPECT_EQ(tensortide("workloads mpl").exit_code, 2);

  const json doctor = parsed(tensortide("doctor --json").out);
  for (const json& collector : doctor["collectors"]) {
    EXPECT_FALSE(collector["why"].get<std::string>().empty()) << collector["name"];
  }
}

/// One small recorded training run that the reading verbs are tried on.
class Recorded : public testing::Test {
 protected:
  void SetUp() override {
    const auto folder = fresh_folder();
    file_ = folder / "mlp.tide";
    outcome_ = tensortide(
        fmt::format("run mlp --batch 8 --set input=32 --set hidden=64,48 --set output=10 --mode training "
                    "--threads 1 --steps 5 --warmup 1 --no-probe --json -o {}",
                    file_.string()),
        fmt::format("XDG_CACHE_HOME={} ", (folder / "cache").string()));  // no roofs that another test has remembered
    ASSERT_EQ(outcome_.exit_code, 0) << outcome_.err;
  }
  std::filesystem::path file_;
  test::Outcome outcome_;
};

TEST_F(Recorded, RunPrintsOneDocumentWithOrigins) {
  const json document = parsed(outcome_.out);
  EXPECT_EQ(document["run"]["arguments"]["batch"], "8");
  const json& step = document["summary"]["step_ns"];
  EXPECT_EQ(step["origin"], "measured");
  EXPECT_GT(step["value"].get<double>(), 0);
  EXPECT_EQ(step["samples"], 5);
  // 2 * 8 * (32*64 + 64*48 + 48*10) forward multiply-adds as FLOPs are a lower bound of a training step.
  EXPECT_GE(document["summary"]["step_flops"]["value"].get<double>(), 2.0 * 8 * (32 * 64 + 64 * 48 + 48 * 10));
  EXPECT_EQ(document["summary"]["dram_bytes"]["origin"], "modelled");
  EXPECT_TRUE(document["summary"]["dram_bytes"]["value"].is_null())
      << "roofs are unknown here, so no figure may be shown";
}

TEST_F(Recorded, EveryTableInEveryFormat) {
  for (const char* table : {"summary", "ops", "traffic", "roofline", "memory", "verdicts"}) {
    const std::string base = fmt::format("analyze {} --table {}", file_.string(), table);
    EXPECT_EQ(tensortide(base).exit_code, 0) << table;
    EXPECT_FALSE(tensortide(base).out.empty()) << table;
    EXPECT_NE(tensortide(base + " --format csv").out.find(','), std::string::npos) << table;
    EXPECT_EQ(parsed(tensortide(base + " --format json").out)["table"], table);
  }
  const json by_type = parsed(tensortide(fmt::format("analyze {} --table ops --by type --json", file_.string())).out);
  std::vector<std::string> keys;
  for (const json& column : by_type["columns"]) keys.push_back(column["key"]);
  EXPECT_NE(std::ranges::find(keys, "time_ns"), keys.end());
}

TEST_F(Recorded, JsonAndTextComeFromTheSameAnalysis) {
  const json run = parsed(outcome_.out)["summary"];
  const json analyzed = parsed(tensortide(fmt::format("analyze {} --json", file_.string())).out)["summary"];
  EXPECT_EQ(run["step_ns"], analyzed["step_ns"]);
  EXPECT_EQ(run["step_flops"], analyzed["step_flops"]);
}

TEST_F(Recorded, QueryReadsNsysNamedTables) {
  const json result =
      parsed(tensortide(fmt::format("query {} \"SELECT count(*) AS n FROM NVTX_EVENTS WHERE eventType = 59\" --json",
                                    file_.string()))
                 .out);
  EXPECT_EQ(result["columns"], json({"n"}));
  EXPECT_GT(result["rows"][0][0].get<int>(), 5 * 10);
  const test::Outcome write = tensortide(fmt::format("query {} \"DELETE FROM NVTX_EVENTS\"", file_.string()));
  EXPECT_EQ(write.exit_code, 2) << write.out;
}

TEST(CommandLine, EagerRunsRecordTheSameOps) {
  const auto folder = fresh_folder();
  json ops[2];
  for (const std::string graph : {"static", "eager"}) {
    const std::string file = (folder / (graph + ".tide")).string();
    const test::Outcome outcome =
        tensortide(fmt::format("run mlp --batch 8 --set input=32 --set hidden=64,48 --graph {} --threads 1 --steps 3 "
                               "--warmup 1 --no-probe --json -o {}",
                               graph, file));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const json run = parsed(outcome.out)["run"];
    EXPECT_EQ(run["arguments"].value("graph", "static"), graph);
    EXPECT_EQ(run["command"].get<std::string>().find("--graph eager") != std::string::npos, graph == "eager");
    ops[graph == "eager"] =
        parsed(tensortide(fmt::format("query {} \"SELECT count(*) FROM NVTX_EVENTS\" --json", file)).out)["rows"];
  }
  EXPECT_GT(ops[0][0][0].get<int>(), 30);
  EXPECT_EQ(ops[0], ops[1]);
}

TEST(CommandLine, InterruptedRunKeepsWhatItHas) {
  const auto file = fresh_folder() / "stream.tide";
  const std::string arguments =
      fmt::format("run stream --set n=100000 --threads 1 --steps 1000000 --warmup 0 --no-probe -o {}", file.string());
  const test::Outcome interrupted = test::tensortide_interrupted(arguments, SIGINT, file);
  EXPECT_EQ(interrupted.exit_code, 0) << interrupted.err;
  const json document = parsed(tensortide(fmt::format("analyze {} --json", file.string())).out);
  EXPECT_EQ(document["run"]["complete"], false);
  EXPECT_FALSE(document["run"]["incomplete_reason"].get<std::string>().empty());
  EXPECT_GE(document["summary"]["step_ns"]["samples"].get<int>(), 1);
}

TEST(CommandLine, KilledRunOpensAtItsLastCommit) {
  const auto file = fresh_folder() / "stream.tide";
  const std::string arguments =
      fmt::format("run stream --set n=100000 --threads 1 --steps 1000000 --warmup 0 --no-probe -o {}", file.string());
  const test::Outcome killed = test::tensortide_interrupted(arguments, SIGKILL, file);
  EXPECT_EQ(killed.exit_code, 128 + SIGKILL);
  const json document = parsed(tensortide(fmt::format("analyze {} --json", file.string())).out);
  EXPECT_EQ(document["run"]["complete"], false);
  EXPECT_GE(document["summary"]["step_ns"]["samples"].get<int>(), 1);
}

TEST(CommandLine, ASecondSignalEndsWhatDoesNotHearTheFirst) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const auto folder = fresh_folder();
    bool alive = false;
    // minutes of the slowest loops, in one op
    const std::string arguments = fmt::format(
        "run ladder --preset matmul-512 --set size=4000 --set rung=naive --threads 1 --warmup 0 --steps 1 --no-probe "
        "-o {0}/r.tide",
        folder.string());
    const test::Outcome ended = test::tensortide_stuck(arguments, signal, folder, alive);
    EXPECT_TRUE(alive) << "the first one asks it to keep what it has: " << ended.err;
    EXPECT_EQ(ended.exit_code, 128 + signal) << ended.err;
  }
}

}  // namespace
