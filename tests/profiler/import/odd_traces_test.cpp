// SPDX-License-Identifier: Apache-2.0
// Chrome traces as odd programs write them: halves, ids, times, steps and correlations that are not as PyTorch has
// them.
#include <map>
#include <set>

#include "profiler/store/capture_file.h"
#include "tests/profiler/import/import_support.h"

using namespace profiler;
using namespace tests;

namespace {

CapturePtr events(const std::string& text) {
  auto c = import_events(text);
  EXPECT_TRUE(c) << c.error().message;
  return c ? *c : nullptr;
}

/// "name start+duration" of all spans, by start.
std::vector<std::string> spans_of(const Capture& c) {
  const auto& a = c.activities();
  std::vector<std::pair<int64_t, std::string>> rows;
  for (size_t i = 0; i < a.size(); ++i) {
    const int64_t start = a.start_ns[i];
    rows.emplace_back(
        start, std::string(c.name(a.name[i])) + " " + std::to_string(start) + "+" + std::to_string(a.duration_ns[i]));
  }
  std::ranges::sort(rows);
  std::vector<std::string> texts;
  for (auto& [start, text] : rows) texts.push_back(std::move(text));
  return texts;
}

std::string op_of(const Capture& c, std::string_view kernel) {
  for (const KernelRecord& k : c.gpu().kernels) {
    if (c.name(c.activities().name[k.activity]) == kernel)
      return std::string(c.name(c.ops()[c.activities().op[k.activity]].name));
  }
  return "no such kernel";
}

using Texts = std::vector<std::string>;

TEST(OddTraces, HalvesSayWhatWholeSpansSay) {
  const auto c = events(R"({"ph":"B","cat":"user_annotation","name":"ProfilerStep#4","ts":0,"pid":1,"tid":1},
    {"ph":"B","cat":"cpu_op","name":"aten::mm","ts":0,"pid":1,"tid":1},
    {"ph":"B","cat":"cuda_runtime","name":"cudaLaunchKernel","ts":1,"pid":1,"tid":1,"args":{"correlation":7}},{"ph":"E","ts":2,"pid":1,"tid":1},
    {"ph":"E","ts":3,"pid":1,"tid":1},{"ph":"E","ts":20,"pid":1,"tid":1},
    {"ph":"B","cat":"kernel","name":"gemm","ts":5,"pid":0,"tid":7,"args":{"correlation":7,"device":0,"stream":7}},{"ph":"E","name":"gemm","ts":15,"pid":0,"tid":7})");
  ASSERT_NE(c, nullptr);
  ASSERT_EQ(c->gpu().kernels.size(), 1u);
  EXPECT_EQ(c->activities().duration_ns[c->gpu().kernels[0].activity], 10'000);
  EXPECT_EQ(op_of(*c, "gemm"), "aten::mm");
  ASSERT_EQ(c->steps().size(), 1u);
  EXPECT_EQ(c->steps()[0].index, 4u);
  EXPECT_EQ(c->steps()[0].duration_ns, 20'000);
}

TEST(OddTraces, RangesThatCrossKeepTheirEnds) {
  const auto c = events(
      R"({"ph":"B","name":"a","ts":0},{"ph":"B","name":"b","ts":1},{"ph":"B","name":"never","ts":2},{"ph":"E","name":"a","ts":5},{"ph":"E","name":"b","ts":7})");
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(spans_of(*c), (Texts{"a 0+5000", "b 1000+6000", "never 2000+3000"}));
  EXPECT_NE(notes(*c).find("1 range crosses another"), std::string::npos) << notes(*c);
  EXPECT_NE(notes(*c).find("1 range begins without an end"), std::string::npos) << notes(*c);
}

/// Times rounded to a microsecond: the first seems to end within the second, which is none of its parts.
TEST(OddTraces, NeighboursWhoseRoundedTimesOverlapKeepTheirFlops) {
  const auto c = events(
      R"({"ph":"X","cat":"cpu_op","name":"aten::mm","ts":0,"dur":11,"pid":1,"tid":1,"args":{"Input Dims":[[4,4],[4,4]]}},
    {"ph":"X","cat":"cpu_op","name":"aten::linear","ts":10,"dur":10,"pid":1,"tid":1,"args":{"Input Dims":[[8,8],[8,8]]}},
    {"ph":"X","cat":"cpu_op","name":"aten::mm","ts":15,"dur":6,"pid":1,"tid":1,"args":{"Input Dims":[[8,8],[8,8]]}})");
  ASSERT_NE(c, nullptr);
  double flops = 0;
  for (const OpRecord& op : c->ops()) flops += op.flops;
  EXPECT_EQ(flops, 2 * 4 * 4 * 4 + 2 * 8 * 8 * 8) << "linear does what mm in it does";
}

/// Of two of one name that are left open the inner one ends first, wherever the end of what was around them stood.
TEST(OddTraces, OfCrossedRangesOfOneNameTheInnerEndsFirst) {
  const auto c = events(
      R"({"ph":"B","name":"a","ts":0},{"ph":"B","name":"x","ts":1},{"ph":"B","name":"x","ts":2},{"ph":"E","name":"a","ts":5},{"ph":"E","name":"x","ts":7})");
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(spans_of(*c), (Texts{"a 0+5000", "x 1000+4000", "x 2000+5000"}));
}

/// Each at the cost of one look-up, not of a search through all that are open.
TEST(OddTraces, ManyHalvesWithoutTheirOthers) {
  constexpr int kMany = 40'000;
  std::string text;
  int time = 0;
  const auto halves = [&](const char* phase, const char* name, int count, int process = 1) {
    for (int i = 0; i < count; ++i) {
      text += std::string(R"({"cat":"c","id":1,"ph":")") + phase + R"(","name":")" + name + R"(","pid":)" +
              std::to_string(process) + R"(,"ts":)" + std::to_string(time++) + "},";
    }
  };
  halves("B", "never ends", kMany), halves("E", "never began", kMany);
  halves("B", "around", 1), halves("B", "crossed", kMany), halves("E", "around", 1), halves("E", "nor this", kMany);
  halves("b", "async", kMany, 1), halves("e", "async", kMany, 2);
  const auto c = events(text + "{}");
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->activities().size(), 3u * kMany + 1);
  const std::string said = notes(*c);
  EXPECT_NE(said.find("80000 ranges begin without an end"), std::string::npos) << said;
  EXPECT_NE(said.find("80000 ranges end without a beginning"), std::string::npos) << said;
  int64_t joined = 0;
  for (size_t i = 0; i < c->activities().size(); ++i) {
    if (c->name(c->activities().name[i]) == "async") joined += c->activities().duration_ns[i];
  }
  EXPECT_EQ(joined, int64_t{1000} * kMany * kMany) << "the last that began ends first";
}

TEST(OddTraces, AsynchronousRangesJoinByIdScopeAndProcess) {
  const auto half = [](const char* phase, const char* id, int process, int time) {
    return std::string(R"({"cat":"c","name":"r","ph":")") + phase + R"(",)" + id + R"(,"pid":)" +
           std::to_string(process) + R"(,"ts":)" + std::to_string(time) + "}";
  };
  const char* one = R"("id":1)";
  const auto nested = events(half("b", one, 1, 0) + "," + half("b", one, 1, 2) + "," + half("e", one, 1, 5) + "," +
                             half("e", one, 1, 9));
  EXPECT_EQ(spans_of(*nested), (Texts{"r 0+9000", "r 2000+3000"}));
  const auto unsorted = events(half("e", one, 1, 9) + "," + half("b", one, 1, 0));
  EXPECT_EQ(spans_of(*unsorted), (Texts{"r 0+9000"}));
  const auto processes = events(half("b", one, 1, 0) + "," + half("b", one, 2, 2) + "," + half("e", one, 1, 5) + "," +
                                half("e", one, 2, 9));
  EXPECT_EQ(spans_of(*processes), (Texts{"r 0+5000", "r 2000+7000"}));
  const char *first = R"("id2":{"local":"0x1"})", *second = R"("id2":{"local":"0x2"})";
  const auto local = events(half("b", first, 1, 0) + "," + half("b", second, 1, 2) + "," + half("e", first, 1, 5) +
                            "," + half("e", second, 1, 9) + "," + half("b", first, 2, 11));
  EXPECT_EQ(spans_of(*local), (Texts{"r 0+5000", "r 2000+7000", "r 11000+0"}));
  EXPECT_NE(notes(*local).find("1 range begins without an end"), std::string::npos)
      << "what never ends is kept: " << notes(*local);
}

/// What is imported can be opened again, however far apart its times lie; what no clock says is left out by name.
TEST(OddTraces, TimesBeyondAllClocksAreLeftOutAndTheRestOpens) {
  const auto c = import_bytes(
      R"({"traceEvents":[{"ph":"X","cat":"cpu_op","name":"good","ts":3458764513820540,"dur":1},{"ph":"X","cat":"cpu_op","name":"early","ts":-1152921504606846,"dur":1},
    {"ph":"X","cat":"cpu_op","name":"far","ts":9007199254740993.25,"dur":1},{"ph":"X","cat":"cpu_op","name":"past","ts":-4611686018427387,"dur":1},
    {"ph":"X","cat":"cpu_op","name":"long","ts":1,"dur":9007199254740993},{"ph":"C","name":"n","ts":5,"args":{"v":1}}],"baseTimeNanoseconds":2305843009213693952})");
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ((*c)->activities().size(), 3u);
  const std::string said = notes(**c);
  EXPECT_NE(said.find("2 events have no usable time stamp and were left out (first: byte "), std::string::npos) << said;
  EXPECT_NE(said.find("ts is \"9007199254740993.25\", possible are -1152921504606846 to 3458764513820540 us"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("dur is 9007199254740993 us"), std::string::npos) << said;
  TemporaryFolder folder;
  ASSERT_TRUE(save_capture(**c, folder / "t.tide"));
  const auto again = open_capture(folder / "t.tide");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ((*again)->activities().size(), 3u);
}

TEST(OddTraces, ABaseOutOfRangeIsNone) {
  for (const char* base :
       {"9223372036854775807", "18446744073709551615", "-9223372036854775808", "4611686018427387904"}) {
    const auto c = import_bytes(
        std::string(R"({"baseTimeNanoseconds":)") + base +
        R"(,"traceEvents":[{"ph":"X","cat":"cpu_op","name":"a","ts":5,"dur":1},{"ph":"C","name":"n","ts":5,"args":{"v":1}}]})");
    ASSERT_TRUE(c) << c.error().message;
    EXPECT_EQ(spans_of(**c), (Texts{"a 5000+1000"})) << base;
    EXPECT_NE(notes(**c).find("the time that all others count from is out of range"), std::string::npos)
        << base << ": " << notes(**c);
  }
}

std::string call(int correlation, int time) {
  return R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","dur":1,"pid":1,"tid":1,"ts":)" +
         std::to_string(time) + R"(,"args":{"correlation":)" + std::to_string(correlation) + "}},";
}
std::string work(const char* name, const std::string& correlation, int time) {
  return std::string(R"({"ph":"X","cat":"kernel","dur":4,"pid":0,"tid":7,"name":")") + name + R"(","ts":)" +
         std::to_string(time) + R"(,"args":{"device":0,"stream":7,"correlation":)" + correlation + "}},";
}
std::string op(const char* name, int time, int duration) {
  return std::string(R"({"ph":"X","cat":"cpu_op","pid":1,"tid":1,"name":")") + name + R"(","ts":)" +
         std::to_string(time) + R"(,"dur":)" + std::to_string(duration) + "},";
}

TEST(OddTraces, RepeatedCorrelationsAreSharedOutInTheOrderOfTime) {
  const std::string calls = op("first", 0, 10) + call(5, 1) + op("second", 20, 10) + call(5, 21);
  const auto pairs = events(calls + work("k1", "5", 30) + work("k2", "5", 40) + "{}");
  EXPECT_EQ(op_of(*pairs, "k1"), "first");
  EXPECT_EQ(op_of(*pairs, "k2"), "second");
  EXPECT_NE(notes(*pairs).find("1 API call repeats the correlation id of another"), std::string::npos) << notes(*pairs);
  const auto graph = events(calls + work("k1", "5", 12) + work("k2", "5", 16) + work("k3", "5", 40) + "{}");
  EXPECT_EQ(op_of(*graph, "k2"), "first");
  EXPECT_EQ(op_of(*graph, "k3"), "second");
  // a driver's call inside the runtime's is one launch
  const auto nested = events(
      op("first", 0, 10) +
      R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","ts":1,"dur":5,"pid":1,"tid":1,"args":{"correlation":5}},
    {"ph":"X","cat":"cuda_driver","name":"cuLaunchKernel","ts":2,"dur":3,"pid":1,"tid":1,"args":{"correlation":5}},)" +
      work("k1", "5", 30) + "{}");
  EXPECT_EQ(op_of(*nested, "k1"), "first");
  EXPECT_EQ(notes(*nested).find("repeats"), std::string::npos) << notes(*nested);
  // also where both start at once and the driver's is recorded first
  const auto at_once = events(
      op("first", 0, 10) +
      R"({"ph":"X","cat":"cuda_driver","name":"cuLaunchKernel","ts":1,"dur":3,"pid":1,"tid":1,"args":{"correlation":5}},
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","ts":1,"dur":5,"pid":1,"tid":1,"args":{"correlation":5}},)" +
      work("k1", "5", 30) + "{}");
  EXPECT_EQ(op_of(*at_once, "k1"), "first");
  EXPECT_EQ(notes(*at_once).find("repeats"), std::string::npos) << notes(*at_once);
}

/// Ids that do not leave room for those of other ranks.
TEST(OddTraces, HugeCorrelationsStayInTheirRank) {
  TemporaryFolder folder;
  const std::string id = std::to_string((int64_t{1} << 52) + 5);
  write_bytes(folder / "0.json",
              "[" + op("zero", 0, 10) +
                  R"({"ph":"X","cat":"cuda_runtime","name":"l","ts":1,"dur":1,"pid":1,"tid":1,"args":{"correlation":)" +
                  id + "}}," + work("k0", id, 30) + "{}]");
  write_bytes(folder / "1.json", "[" + op("one", 0, 10) + call(5, 1) + work("k1", "5", 30) + "{}]");
  const auto c =
      import_traces({.files = {folder / "0.json", folder / "1.json"}, .format = {}, .command = {}, .control = {}});
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(op_of(**c, "k0"), "zero");
  EXPECT_EQ(op_of(**c, "k1"), "one");
  std::map<uint64_t, int> kernels;
  for (const KernelRecord& k : (*c)->gpu().kernels) ++kernels[(*c)->activities().correlation[k.activity]];
  EXPECT_EQ(kernels.size(), 2u);
}

/// Of a profiler that was started three times; a mark of the same step on another thread is no step of its own.
TEST(OddTraces, StepsThatRepeatANumberAreSteps) {
  std::string text;
  for (const int time : {0, 20, 40}) {
    for (const int thread : {1, 2}) {
      text += R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#3","dur":10,"pid":1,"tid":)" +
              std::to_string(thread) + R"(,"ts":)" + std::to_string(time + thread) + "},";
    }
    text += op("aten::mm", time + 3, 2);
  }
  const auto c = events(text + "{}");
  ASSERT_NE(c, nullptr);
  ASSERT_EQ(c->steps().size(), 3u);
  EXPECT_EQ(c->steps()[0].index, 3u);
  EXPECT_EQ(c->steps()[2].index, 5u);
  EXPECT_NE(notes(*c).find("2 steps repeat the numbers of earlier ones"), std::string::npos) << notes(*c);
  for (size_t i = 0; i < c->activities().size(); ++i) {
    if (c->name(c->activities().name[i]) == "aten::mm") {
      EXPECT_NE(c->activities().step[i], kNoStep);
    }
  }
}

/// The number that stands for no step is given to none.
TEST(OddTraces, RepeatedStepsBehindTheLastNumberHaveNumbersToo) {
  std::string text;
  for (const int time : {0, 20, 40}) {
    text += R"({"ph":"X","name":"train","dur":10,"pid":1,"tid":1,"args":{"step_num":4294967293},"ts":)" +
            std::to_string(time) + R"(},{"ph":"X","name":"f","dur":2,"pid":1,"tid":1,"ts":)" +
            std::to_string(time + 3) + "},";
  }
  const auto c = events(text + "{}");
  ASSERT_NE(c, nullptr);
  std::set<uint32_t> numbers, used;
  for (const StepRecord& step : c->steps()) numbers.insert(step.index);
  EXPECT_EQ(numbers, (std::set<uint32_t>{4294967293u, 4294967294u, 0u}));
  for (size_t i = 0; i < c->activities().size(); ++i) used.insert(c->activities().step[i]);
  EXPECT_EQ(used, numbers);
}

/// Each at the cost of one look-up.
TEST(OddTraces, ManySteps) {
  constexpr int kMany = 60'000;
  std::string text;
  for (int i = 0; i < kMany; ++i)
    text += R"({"ph":"X","name":"serve","dur":1,"args":{"step_num":)" + std::to_string(i) + R"(},"ts":)" +
            std::to_string(2 * i) + "},";
  const auto c = events(text + "{}");
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->steps().size(), static_cast<size_t>(kMany));
}

TEST(OddTraces, OnlyWholeNumbersAreSteps) {
  const auto c = events(
      R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#5junk","ts":0,"dur":9},{"ph":"X","cat":"user_annotation","name":"ProfilerStep#","ts":10,"dur":9},
    {"ph":"X","cat":"user_annotation","name":"ProfilerStep#4294967295","ts":20,"dur":9},{"ph":"X","cat":"user_annotation","name":"ProfilerStep#-1","ts":30,"dur":9})");
  EXPECT_NE(notes(*c).find("marks no steps"), std::string::npos) << notes(*c);
}

/// Ops that would be shown alike are numbered, each at the cost of one look-up.
TEST(OddTraces, ManyOpsOfOneNameAndNoName) {
  constexpr int kMany = 60'000;
  std::string text;
  for (int i = 0; i < kMany; ++i) {
    text += R"({"ph":"X","cat":"cpu_op","name":"","ts":)" + std::to_string(i) +
            R"(,"dur":1,"args":{"Input type":["","t)" + std::to_string(i) + "\"]}},";
  }
  const auto c = events(text + "{}");
  ASSERT_NE(c, nullptr);
  ASSERT_EQ(c->ops().size(), static_cast<size_t>(kMany));
  EXPECT_EQ(c->name(c->ops()[0].name), "(no name)");
  EXPECT_EQ(c->name(c->ops()[kMany - 1].name), "(no name) #" + std::to_string(kMany));
}

TEST(OddTraces, WhatFollowsTheTraceIsSaid) {
  const std::string one = R"({"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":1}]})";
  for (const char* harmless : {"", "\n", ";", ","}) {
    const auto c = import_bytes(one + harmless);
    ASSERT_TRUE(c) << c.error().message;
    EXPECT_EQ(notes(**c).find("goes on"), std::string::npos) << notes(**c);
  }
  const auto two = import_bytes(one + one);
  ASSERT_TRUE(two) << two.error().message;
  EXPECT_NE(notes(**two).find("trace.json from byte " + std::to_string(one.size()) + " on"), std::string::npos)
      << notes(**two);
  EXPECT_EQ((*two)->honesty().dropped_records, 1);
}

TEST(OddTraces, OtherEncodingsAndLayoutsAreCalledByName) {
  const std::string one = R"({"traceEvents":[]})";
  std::string wide = "\xff\xfe", plain_wide;
  for (const char c : one) wide += c, wide += '\0', plain_wide += c, plain_wide += '\0';
  struct Refused {
    std::string bytes, says;
  };
  for (const Refused& r :
       {Refused{wide, "UTF-16"}, Refused{plain_wide, "UTF-16"}, Refused{"BZh91AY", "bzip2"},
        Refused{std::string("\xfd"
                            "7zXZ\0",
                            6),
                "xz"},
        Refused{std::string("\x04\x22\x4d\x18", 4), "lz4"}, Refused{R"({"rocprofiler-sdk-tool":[]})", "rocprofv3"},
        Refused{R"({"schema":"1.0","nodes":[]})", "execution trace"},
        Refused{"{\"ph\":\"X\",\"ts\":1}\n{\"ph\":\"X\",\"ts\":2}", "one event to a line"}}) {
    const auto c = import_bytes(r.bytes);
    ASSERT_FALSE(c) << r.says;
    EXPECT_NE(c.error().message.find(r.says), std::string::npos) << c.error().message;
    EXPECT_NE(c.error().message.find("trace.json"), std::string::npos) << c.error().message;
  }
  const auto timeless = import_bytes(R"([{"ph":"X","name":"a","ts":"soon"}])");
  ASSERT_FALSE(timeless);
  EXPECT_NE(timeless.error().message.find("ts is \"soon\""), std::string::npos) << timeless.error().message;
}

/// ROCm numbers agents, processors among them, and lists GPUs from 0 on.
TEST(OddTraces, AGpuThatIsNotListedIsOneOfThoseIfTheyAreAlike) {
  const auto device_of = [](const std::string& listed) {
    const auto c = import_bytes(R"({"deviceProperties":[)" + listed +
                                R"(],"traceEvents":[{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":1,)"
                                R"("args":{"device":5,"stream":7}}]})");
    EXPECT_TRUE(c) << c.error().message;
    const bool noted = notes(**c).find("work ran on GPU 5, which the trace does not list") != std::string::npos;
    return (*c)->run().device + (noted ? ", noted" : "");
  };
  const std::string one = R"({"id":0,"name":"AMD Instinct MI300X","numSms":304})";
  EXPECT_EQ(device_of(one), "AMD Instinct MI300X, noted");
  EXPECT_EQ(device_of(one + R"(,{"id":1,"name":"AMD Instinct MI300X","numSms":304})"), "AMD Instinct MI300X, noted");
  EXPECT_EQ(device_of(one + R"(,{"id":1,"name":"AMD Instinct MI300X","numSms":38})"), "GPU") << "a part of one";
  EXPECT_EQ(device_of(one + R"(,{"id":1,"name":"AMD Instinct MI210","numSms":104})"), "GPU");
  EXPECT_EQ(device_of(one + R"(,{"id":5,"name":"AMD Instinct MI210","numSms":104})"), "AMD Instinct MI210");
  EXPECT_EQ(device_of(R"({"id":0,"name":""})"), "GPU");
}

}  // namespace
