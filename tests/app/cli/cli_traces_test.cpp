// SPDX-License-Identifier: Apache-2.0
// Traces of other tools in, exports for other tools out, as a user asks for them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <tuple>

#include "tests/app/cli/process.h"

namespace {

using nlohmann::json;
using test::fresh_folder;
using test::tensortide;

std::string trace(const std::string& name) { return std::string(TENSORTIDE_TEST_DATA) + "/traces/" + name; }

const std::string kBert = trace("kineto_h100_bert_small.pt.trace.json.gz");

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(Import, WritesACaptureThatEveryVerbReads) {
  const auto folder = fresh_folder();
  const std::string file = (folder / "bert.tide").string();
  const auto done = tensortide(fmt::format("import {} -o {}", kBert, file));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_NE(done.out.find("60 kernels"), std::string::npos) << done.out;
  for (const char* table : {"summary", "ops", "overlap", "transfers", "memory"}) {
    const auto from_capture = tensortide(fmt::format("analyze {} --table {} --format csv", file, table));
    EXPECT_EQ(from_capture.exit_code, 0) << table << from_capture.err;
    EXPECT_EQ(from_capture.out, tensortide(fmt::format("analyze {} --table {} --format csv", kBert, table)).out)
        << table << ": a trace can be analysed without importing it first";
  }
  EXPECT_NE(tensortide(fmt::format("analyze {} --table memory", file)).out.find("Live tensors are unknown"),
            std::string::npos);
  const json kernels = json::parse(
      tensortide(fmt::format("query {} 'SELECT count(*) AS n FROM CUPTI_ACTIVITY_KIND_KERNEL' --json", file)).out);
  EXPECT_NE(kernels.dump().find("60"), std::string::npos) << kernels.dump();
}

TEST(Import, WhatKernelsOfOthersDoNotSayIsUnknown) {
  const auto winograd = [](const std::string& file) {
    return json::parse(tensortide(fmt::format("analyze {} --json", file)).out)["summary"]["winograd_ops"]["value"];
  };
  EXPECT_TRUE(winograd(kBert).is_null()) << "0 would be a count";
  const auto folder = fresh_folder();
  const auto recorded = [&](const char* device) {
    const std::string file = (folder / fmt::format("{}.tide", device)).string();
    EXPECT_EQ(
        tensortide(fmt::format("run stream --set n=1000 --threads 1 --steps 2 --warmup 0 --no-probe --device {} -o {}",
                               device, file))
            .exit_code,
        0);
    return winograd(file);
  };
  EXPECT_EQ(recorded("cpu"), 0.0);
  EXPECT_TRUE(recorded("null").is_null()) << "nothing was computed";
}

TEST(Import, PredictRefusesATraceImportedOrNot) {
  const std::string file = (fresh_folder() / "bert.tide").string();
  ASSERT_EQ(tensortide(fmt::format("import {} -o {}", kBert, file)).exit_code, 0);
  for (const std::string& of : {kBert, file}) {
    for (const char* words : {"", " --on v100", " --on systolic:128x128:ws"}) {
      const auto refused = tensortide(fmt::format("predict {}{}", of, words));
      EXPECT_EQ(refused.exit_code, 3) << of << words << refused.err;
      EXPECT_NE(refused.err.find("holds an imported trace"), std::string::npos) << refused.err;
      EXPECT_TRUE(refused.out.empty()) << refused.out;
    }
  }
}

TEST(Import, WorkBehindTheHostAndOutsideTheStepsIsSaid) {
  const auto folder = fresh_folder();
  std::string events =
      R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":100,"dur":100})";
  for (const auto& [id, call, start, duration] : {std::tuple{1, 10, 20, 50}, {2, 110, 150, 100}, {3, 120, 250, 100}}) {
    events += fmt::format(
        R"(,{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{},"dur":2,"args":{{"correlation":{}}}}})",
        call, id);
    events += fmt::format(
        R"(,{{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{},"dur":{},"args":{{"device":0,"stream":7,"correlation":{}}}}})",
        start, duration, id);
  }
  std::ofstream(folder / "late.json") << "{\"traceEvents\":[" << events << "]}";
  const auto said = tensortide(fmt::format("analyze {}", (folder / "late.json").string()));
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_NE(said.out.find("250 µs per step"), std::string::npos) << said.out;  // 100 to 350
  EXPECT_NE(said.out.find("on the GPU's side: 60 % of its work ran after the host had left the step that launched it"),
            std::string::npos)
      << said.out;
  EXPECT_NE(said.out.find("20 % of the GPU's work is outside the steps"), std::string::npos) << said.out;
}

TEST(Import, SeveralFilesAreRanks) {
  const auto folder = fresh_folder();
  for (int rank = 0; rank < 2; ++rank)
    std::ofstream(folder / fmt::format("r{}.json", rank))
        << R"({"traceEvents":[{"ph":"X","cat":"cpu_op","name":"aten::mm","ts":5,"dur":1,"pid":1,"tid":1}]})";
  const auto file = (folder / "both.tide").string();
  const auto done =
      tensortide(fmt::format("import {0}/r0.json {0}/r1.json -o {1} --progress json", folder.string(), file));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_NE(done.err.find("\"stage\":\"importing\""), std::string::npos) << done.err;
  EXPECT_NE(done.err.find("\"result\""), std::string::npos) << done.err;
  const auto tracks =
      tensortide(fmt::format("export {} -o {}/t.json && cat {}/t.json", file, folder.string(), folder.string())).out;
  EXPECT_NE(tracks.find("rank 0"), std::string::npos) << tracks.substr(0, 400);
  EXPECT_NE(tracks.find("rank 1"), std::string::npos);
}

TEST(Import, NamesOfFilesMayHoldAnyByte) {
  const auto folder = fresh_folder();
  const std::string name = (folder / "a\nb \xff\xc3(.json").string();
  std::ofstream(name)
      << R"({"traceEvents":[{"ph":"X","cat":"cpu_op","name":"aten::mm","ts":5,"dur":1,"pid":1,"tid":1}]})";
  const auto done = tensortide(fmt::format("import '{0}' -o '{0}.tide' --progress json", name));
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(tensortide(fmt::format("export '{0}.tide' -o '{0}.csv'", name)).exit_code, 0);
  EXPECT_EQ(json::accept(tensortide(fmt::format("analyze '{0}.tide' --json", name)).out), true);
}

TEST(Import, ACaptureOfOursIsOneWhateverItsName) {
  const auto folder = fresh_folder();
  ASSERT_EQ(tensortide(fmt::format("run stream --set n=1000 --threads 1 --steps 2 --warmup 0 --no-probe -o '{}'",
                                   (folder / "r.tide").string()))
                .exit_code,
            0);
  for (const char* name : {"named.json", "named.gz"}) {
    std::filesystem::copy_file(folder / "r.tide", folder / name);
    const auto analyzed = tensortide(fmt::format("analyze '{}' --json", (folder / name).string()));
    ASSERT_EQ(analyzed.exit_code, 0) << analyzed.err;
    EXPECT_EQ(test::parsed(analyzed.out)["run"]["complete"], true);
  }
}

TEST(Import, RefusesWithWords) {
  const auto folder = fresh_folder();
  std::ofstream(folder / "poem.txt") << "no trace at all";
  const std::string out = (folder / "o.tide").string();
  for (const auto& [arguments, code] :
       {std::pair(fmt::format("import {}/poem.txt -o {}", folder.string(), out), 3),
        std::pair(fmt::format("import {}/none.json -o {}", folder.string(), out), 3),
        std::pair(fmt::format("import {} -o {} --format kinetto", kBert, out), 2),
        std::pair(fmt::format("import {} -o {}/none/o.tide", kBert, folder.string()), 3),
        std::pair(fmt::format("import {}", kBert), 2)}) {
    const auto done = tensortide(arguments);
    EXPECT_EQ(done.exit_code, code) << arguments << done.err;
    EXPECT_FALSE(done.err.empty()) << arguments;
    EXPECT_FALSE(std::filesystem::exists(out)) << arguments << ": nothing half-written is left";
  }
  EXPECT_NE(tensortide(fmt::format("import {} -o {} --format kinetto", kBert, out)).err.find("kineto"),
            std::string::npos);
}

TEST(Export, WritesEachFormatByItsEnding) {
  const auto folder = fresh_folder();
  const auto file = folder / "bert.tide";
  ASSERT_EQ(tensortide(fmt::format("import {} -o {}", kBert, file.string())).exit_code, 0);
  for (const auto& [name, begins] :
       {std::pair("t.json", "{"), std::pair("t.pftrace", "\n"), std::pair("t.speedscope.json", "{"),
        std::pair("t.pb.gz", "\x1f\x8b"), std::pair("t.csv", "Start"), std::pair("t.kernels.csv", "Time"),
        std::pair("t.copies.csv", "Time")}) {
    const auto done = tensortide(fmt::format("export {} -o {}", file.string(), (folder / name).string()));
    EXPECT_EQ(done.exit_code, 0) << name << done.err;
    EXPECT_TRUE(text_of(folder / name).starts_with(begins)) << name << ": " << text_of(folder / name).substr(0, 40);
  }
  const auto unknown = tensortide(fmt::format("export {} -o {}/t.xyz", file.string(), folder.string()));
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("perfetto"), std::string::npos) << unknown.err;
  EXPECT_EQ(tensortide(fmt::format("export {} -o {}/none/t.json", file.string(), folder.string())).exit_code, 3);
}

TEST(Export, ARangeIsPartOfIt) {
  const auto folder = fresh_folder();
  const auto spans = [&](const std::string& range) {
    const auto out = folder / "part.json";
    const auto done = tensortide(fmt::format("export {} -o {} {}", kBert, out.string(), range));
    EXPECT_EQ(done.exit_code, 0) << done.err;
    size_t count = 0;
    const json document = json::parse(text_of(out));
    for (const json& event : document["traceEvents"]) count += event["ph"] == "X" ? 1 : 0;
    return count;
  };
  const size_t all = spans(""), first = spans("--range :5ms"), rest = spans("--range 5ms:"),
               middle = spans("--range 2ms:5ms");
  EXPECT_GT(all, middle);
  EXPECT_GT(middle, 0u);
  EXPECT_GE(first + rest, all) << "spans over the cut are in both";
  EXPECT_EQ(middle, spans("--range 2ms..5ms")) << "both spellings";
  EXPECT_EQ(middle, spans("--range 2000us:5000000"));
  for (const char* range : {"5ms", "9ms:3ms", "a:b", "1h:2h", ":::"}) {
    const auto done = tensortide(fmt::format("export {} -o {}/x.json --range '{}'", kBert, folder.string(), range));
    EXPECT_EQ(done.exit_code, 2) << range;
    EXPECT_NE(done.err.find("10ms:20ms"), std::string::npos) << done.err;
  }
  const auto behind = tensortide(fmt::format("export {} -o {}/x.json --range 9000s:", kBert, folder.string()));
  EXPECT_EQ(behind.exit_code, 3);
  EXPECT_NE(behind.err.find("behind the last span"), std::string::npos) << behind.err;
}

TEST(Analyze, ARangeOfATraceIsAnalysedAsIfItWereAll) {
  const auto table = [](const std::string& more) {
    const auto done = tensortide(fmt::format("analyze {} --json {}", kBert, more));
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return json::parse(done.out);
  };
  const auto kernels = [&](const std::string& range) {
    size_t count = 0;
    const json document = table("--table ops --by kernel " + range);
    for (const json& row : document["rows"]) count += row.is_object() || row.is_array() ? 1 : 0;
    return count;
  };
  EXPECT_GT(kernels(""), kernels("--range 2ms:5ms"));
  EXPECT_GT(kernels("--range 2ms:5ms"), 0u);
  const auto text = tensortide(fmt::format("analyze {} --range 2ms:5ms", kBert));
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("Range: only 2.00 ms to 5.00 ms"), std::string::npos) << text.out;
  EXPECT_EQ(tensortide(fmt::format("analyze {} --range 9000s:", kBert)).exit_code, 3);
  EXPECT_EQ(tensortide(fmt::format("analyze {} --range 5ms", kBert)).exit_code, 2);
}

TEST(Analyze, TheUserSaysWhichGpuATraceIsOf) {
  const auto right = tensortide(fmt::format("analyze {} --roofs 'H100 SXM5'", kBert));
  EXPECT_EQ(right.exit_code, 0) << right.err;
  EXPECT_NE(right.out.find("data sheet H100 SXM5, as asked"), std::string::npos) << right.out;
  const auto wrong = tensortide(fmt::format("analyze {} --roofs 'T4'", kBert));
  EXPECT_EQ(wrong.exit_code, 2) << wrong.out;
  EXPECT_NE(wrong.err.find("its GPU 0 is a H100 SXM5 (NVIDIA H100 80GB HBM3), no T4"), std::string::npos) << wrong.err;
  const auto unknown = tensortide(fmt::format("analyze {} --roofs 'H100 SMX5'", kBert));
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("did you mean \"H100 SXM5\""), std::string::npos) << unknown.err;
}

}  // namespace
