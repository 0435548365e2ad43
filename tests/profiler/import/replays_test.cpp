// SPDX-License-Identifier: Apache-2.0
// Replays of CUDA and HIP graphs: what they launch has the ops, shapes and modules of the capture's trace.
#include <fmt/format.h>

#include <cmath>

#include "profiler/analysis/analyze.h"
#include "profiler/analysis/gpu/overlap.h"
#include "profiler/capture/capture.h"
#include "tests/profiler/import/import_support.h"

using namespace profiler;
using namespace tests;

namespace {

std::string span(const char* category, const std::string& name, int time, int duration, const std::string& args = "",
                 int thread = 1) {
  return fmt::format(R"({{"ph":"X","cat":"{}","name":"{}","pid":1,"tid":{},"ts":{},"dur":{},"args":{{{}}}}},)",
                     category, name, thread, time, duration, args);
}

/// A trace while graphs are captured. Each launch is 1 us, within the op that was begun last.
class CaptureTrace {
 public:
  /// `names`: launches say their kernels, as HIP's do.
  explicit CaptureTrace(bool names) : names_(names) {}

  CaptureTrace& begin() { return api("StreamBeginCapture"); }
  CaptureTrace& end() { return api("StreamEndCapture"); }
  CaptureTrace& op(const char* name, const char* dims, const char* module = nullptr) {
    time_ += 100;
    const std::string types = R"("Input type":["float","float","float"])";
    if (module != nullptr) text_ += span("python_function", std::string("nn.Module: ") + module, time_ - 1, 90);
    text_ += span("cpu_op", name, time_, 80, fmt::format(R"("Input Dims":{},{})", dims, types));
    return *this;
  }
  CaptureTrace& launch(const char* kernel) {
    const std::string says = names_ ? fmt::format(R"(,"kernel":"{}")", kernel) : "";
    text_ += span("cuda_runtime", names_ ? "hipLaunchKernel" : "cudaLaunchKernel", ++time_, 1,
                  fmt::format(R"("correlation":{}{})", ++correlation_, says));
    return *this;
  }
  CaptureTrace& memset() {
    text_ += span("cuda_runtime", names_ ? "hipMemsetAsync" : "cudaMemsetAsync", ++time_, 1,
                  fmt::format(R"("correlation":{})", ++correlation_));
    return *this;
  }
  /// Runs at once, as warm-ups do: no part of the graph.
  CaptureTrace& run(const char* kernel) {
    launch(kernel);
    text_ += span("kernel", kernel, time_ + 5, 1, fmt::format(R"("correlation":{})", correlation_), 99);
    return *this;
  }
  std::string text() const { return "{\"traceEvents\": [" + text_ + "{}]}"; }

 private:
  CaptureTrace& api(const char* name) {
    time_ += 100;
    text_ += span("cuda_runtime", (names_ ? "hip" : "cuda") + std::string(name), time_, 2);
    return *this;
  }
  bool names_;
  int time_ = 0, correlation_ = 0;
  std::string text_;
};

struct Work {
  const char* kernel;  ///< "Memset (Device)" is one
  int stream = 7;
};

/// `count` launches of a graph with that work, of which piece i takes i + 1 us. `external`: each lies within an op, and
/// the work has that op's id.
std::string replays(const std::vector<Work>& work, int count = 1, bool external = false) {
  std::string text;
  for (int replay = 0; replay < count; ++replay) {
    const int begin = 1000 * (replay + 1);
    const std::string id = external ? fmt::format(R"("External id":{},)", 900 + replay) : "";
    if (external) text += span("cpu_op", "compiled_function", begin - 1, 8, fmt::format(R"({}"x":1)", id));
    text += span("cuda_runtime", "cudaGraphLaunch", begin, 5, fmt::format(R"({}"correlation":{})", id, 500 + replay));
    int time = begin + 10, taken = 1;
    for (const Work& w : work) {
      const bool memset = std::string_view(w.kernel).starts_with("Memset");
      text +=
          span(memset ? "gpu_memset" : "kernel", w.kernel, time, taken,
               fmt::format(R"({}"device":0,"stream":{},"correlation":{})", id, w.stream, 500 + replay), 50 + w.stream);
      time += taken++;
    }
  }
  return "{\"traceEvents\": [" + text + "{}]}";
}

engine::Result<CapturePtr> import_replay(const std::string& replay, const std::vector<std::string>& captures) {
  TemporaryFolder folder;
  write_bytes(folder / "replay.json", replay);
  ImportRequest request{.files = {folder / "replay.json"}, .format = {}, .command = {}, .control = {}};
  for (size_t i = 0; i < captures.size(); ++i) {
    request.graphs.push_back(folder / fmt::format("capture{}.json", i));
    write_bytes(request.graphs.back(), captures[i]);
  }
  return import_traces(request);
}

/// The op of each piece of device work, in the order of time: "aten::mm [4,8] [8,2] float".
std::vector<std::string> ops_of_work(const Capture& c) {
  std::vector<std::pair<int64_t, std::string>> found;
  const auto& a = c.activities();
  for (size_t i = 0; i < a.size(); ++i) {
    if (a.kind[i] != ActivityKind::kernel && a.kind[i] != ActivityKind::copy && a.kind[i] != ActivityKind::memset)
      continue;
    found.emplace_back(a.start_ns[i], c.name(c.ops()[a.op[i]].name));
  }
  std::ranges::stable_sort(found, {}, &std::pair<int64_t, std::string>::first);
  std::vector<std::string> ops;
  for (auto& [time, op] : found) ops.push_back(std::move(op));
  return ops;
}
const OpRecord* op_named(const Capture& c, std::string_view name) {
  const auto at = std::ranges::find_if(c.ops(), [&](const OpRecord& op) { return c.name(op.name) == name; });
  return at == c.ops().end() ? nullptr : &*at;
}

using Words = std::vector<std::string>;
constexpr const char *kMm = "[[4,8],[8,2]]", *kSum = "[[4,2]]";

TEST(Replays, HaveTheOpsShapesAndModulesOfTheirCapture) {
  CaptureTrace capture(true);
  capture.op("aten::ones", "[[]]").run("fill").begin();
  capture.op("aten::mm", kMm, "Linear_0")
      .launch("gemm")
      .op("aten::sum", kSum, "Loss_0")
      .memset()
      .launch("part")
      .launch("part");
  capture.end();
  const auto c = import_replay(replays({{"gemm"}, {"Memset (Device)"}, {"part"}, {"part"}}, 2), {capture.text()});
  ASSERT_TRUE(c) << c.error().message;
  const std::string mm = "aten::mm [4,8] [8,2] float", sum = "aten::sum [4,2] float";
  EXPECT_EQ(ops_of_work(**c), (Words{mm, sum, sum, sum, mm, sum, sum, sum}));
  const OpRecord *product = op_named(**c, mm), *total = op_named(**c, sum);
  ASSERT_TRUE(product != nullptr && total != nullptr);
  EXPECT_EQ(product->flops, 2 * (2 * 4 * 8 * 2)) << "of both replays, which are one step";
  EXPECT_EQ((*c)->name(product->type), "aten::mm");
  EXPECT_EQ((*c)->name(product->kernel), "gemm");
  EXPECT_EQ((*c)->name(product->layer), "Linear_0");
  EXPECT_EQ((*c)->name(total->layer), "Loss_0");
  EXPECT_NE(notes(**c).find("8 of 8 kernels and copies that graphs launched have the op"), std::string::npos)
      << notes(**c);
}

TEST(Replays, WithoutTheirCaptureSayWhatToGive) {
  const auto c = import_replay(replays({{"gemm"}, {"part"}}), {});
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(ops_of_work(**c), (Words{"gemm", "part"}));
  EXPECT_NE(notes(**c).find("2 kernels and copies were launched by graphs"), std::string::npos) << notes(**c);
  EXPECT_NE(notes(**c).find("--graphs"), std::string::npos);
}

/// CUDA's launches do not say their kernels: the order tells, where there is one.
TEST(Replays, WithoutNamesGoByTheOrderOfOneStream) {
  CaptureTrace capture(false);
  capture.begin().op("aten::mm", kMm).launch("").op("aten::sum", kSum).memset().launch("").launch("").end();
  const std::string mm = "aten::mm [4,8] [8,2] float", sum = "aten::sum [4,2] float";
  const auto ops = [&](const std::vector<Work>& work) {
    const auto c = import_replay(replays(work), {capture.text()});
    EXPECT_TRUE(c) << c.error().message;
    return ops_of_work(**c);
  };
  const auto kernels = [](const std::vector<Work>& work) {
    Words names;
    for (const Work& w : work) names.emplace_back(w.kernel);
    return names;
  };
  EXPECT_EQ(ops({{"a"}, {"Memset (Device)"}, {"b"}, {"c"}}), (Words{mm, sum, sum, sum}));
  for (const std::vector<Work>& other : {std::vector<Work>{{"a", 7}, {"Memset (Device)", 8}, {"b", 7}, {"c", 7}},
                                         std::vector<Work>{{"a"}, {"b"}, {"Memset (Device)"}, {"c"}},
                                         std::vector<Work>{{"a"}, {"Memset (Device)"}, {"b"}}})
    EXPECT_EQ(ops(other), kernels(other)) << "two streams; another order; less work";
}

/// Two replays of other kernels cannot both be of the one graph that was captured; which is, nobody knows.
TEST(Replays, WithoutNamesOfTwoGraphsGetNone) {
  CaptureTrace capture(false);
  capture.begin().op("aten::mm", kMm).launch("").launch("").launch("").launch("").end();
  std::string one = replays({{"a"}, {"b"}, {"c"}, {"d"}}), two = replays({{"v"}, {"w"}, {"x"}, {"y"}}, 2);
  const size_t begin = two.find("500") == std::string::npos ? 0 : two.rfind(R"({"ph":"X","cat":"cuda_runtime")");
  const std::string second = two.substr(begin, two.rfind("{}]}") - begin);
  one.insert(one.rfind("{}]}"), second);
  const auto c = import_replay(one, {capture.text()});
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(ops_of_work(**c), (Words{"a", "b", "c", "d", "v", "w", "x", "y"}));
  EXPECT_NE(notes(**c).find("0 of 8 kernels and copies"), std::string::npos) << notes(**c);
}

/// Branches of a graph run beside one another: kernels of one name keep their order, others may change it.
TEST(Replays, OfSeveralStreamsGoByTheirKernels) {
  CaptureTrace capture(true);
  capture.begin().op("aten::mm", kMm).launch("gemm").op("aten::sum", kSum).launch("part").end();
  const auto c = import_replay(replays({{"part", 8}, {"gemm", 7}}), {capture.text()});
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(ops_of_work(**c), (Words{"aten::sum [4,2] float", "aten::mm [4,8] [8,2] float"}));
}

/// Graphs of two batch sizes with the same kernels: which was replayed is not known, nor are its shapes.
TEST(Replays, ThatFitSeveralGraphsHaveWhatTheseAgreeOn) {
  const auto graph = [](const char* dims, const char* module) {
    CaptureTrace capture(true);
    capture.begin().op("aten::mm", dims, module).launch("gemm").end();
    return capture.text();
  };
  const auto ops = [](const std::string& first, const std::string& second) {
    const auto c = import_replay(replays({{"gemm"}}), {first, second});
    EXPECT_TRUE(c) << c.error().message;
    const OpRecord& op = (*c)->ops()[0];
    return fmt::format("{} in '{}', {}", (*c)->name(op.name), (*c)->name(op.layer),
                       notes(**c).find("whose shapes differ") == std::string::npos ? "sure" : "unsure");
  };
  EXPECT_EQ(ops(graph(kMm, "A_0"), graph(kMm, "A_0")), "aten::mm [4,8] [8,2] float in 'A_0', sure");
  EXPECT_EQ(ops(graph(kMm, "A_0"), graph(kMm, "B_0")), "aten::mm [4,8] [8,2] float in '', sure");
  EXPECT_EQ(ops(graph(kMm, "A_0"), graph("[[8,8],[8,2]]", "A_0")), "aten::mm in 'A_0', unsure");
}

/// Forward and backward passes of the same kernels are different ops.
TEST(Replays, ThatFitGraphsOfBothPassesHaveNoOp) {
  const auto graph = [](const char* around) {
    CaptureTrace capture(true);
    capture.begin().op(around, "[[]]").op("aten::mm", kMm).launch("gemm").end();
    return capture.text();
  };
  std::string backward = graph("aten::nothing");
  backward.insert(backward.find(R"("Input Dims":[[4,8])"), R"("Fwd thread id":1,"Sequence number":5,)");
  const auto c = import_replay(replays({{"gemm"}}), {graph("aten::nothing"), backward});
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(ops_of_work(**c), (Words{"gemm"}));
}

/// Profilers lose some work: which of the same kernels is not known. Most of another graph is no match.
TEST(Replays, MayLackAKernelInTwenty) {
  const auto ops = [](int lost) {
    CaptureTrace capture(true);
    capture.begin();
    std::vector<Work> work;
    for (int i = 0; i < 20; ++i) {
      capture.op("aten::mm", i % 2 == 0 ? kMm : "[[8,8],[8,2]]").launch("gemm").op("aten::sum", kSum).launch("part");
      if (i >= lost) work.push_back({"gemm"});
      work.push_back({"part"});
    }
    capture.end();
    const auto c = import_replay(replays(work), {capture.text()});
    EXPECT_TRUE(c) << c.error().message;
    const OpRecord* mm = op_named(**c, "aten::mm");
    const bool unknown = mm == nullptr || std::isnan(mm->flops);
    Words all = ops_of_work(**c);
    std::ranges::sort(all);
    const auto [first, last] = std::ranges::unique(all);
    all.erase(first, last);
    if (!unknown) all.emplace_back("flops");
    return all;
  };
  const std::string sum = "aten::sum [4,2] float";
  EXPECT_EQ(ops(0), (Words{"aten::mm [4,8] [8,2] float", "aten::mm [8,8] [8,2] float", sum}));
  EXPECT_EQ(ops(2), (Words{"aten::mm", sum})) << "18 of 20 products: any of them may be of either shape";
  EXPECT_EQ(ops(3), (Words{"gemm", "part"}));
}

/// Which of the same kernels on two streams came first in the capture is not known.
TEST(Replays, OfEqualKernelsOnSeveralStreamsHaveWhatTheyAgreeOn) {
  CaptureTrace capture(true);
  capture.begin().op("aten::mm", kMm).launch("gemm").op("aten::mm", "[[8,8],[8,2]]").launch("gemm").end();
  const auto c = import_replay(replays({{"gemm", 8}, {"gemm", 7}}), {capture.text()});
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(ops_of_work(**c), (Words{"aten::mm", "aten::mm"}));
}

/// What opens and never ends, and ends that nothing opened, in any number: no quadratic time.
TEST(Replays, OfStrangeCapturesTakeLittleTime) {
  CaptureTrace capture(true);
  for (int i = 0; i < 3000; ++i) capture.begin().launch("gemm");
  for (int i = 0; i < 6000; ++i) capture.end();
  const auto c = import_replay(replays({{"gemm"}}, 500), {capture.text()});
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(ops_of_work(**c).size(), 500u);
}

/// The call that launches a graph is no cost of each of its kernels, and a graph is no advice to who has one.
TEST(Replays, AreNotBoundByTheLaunchOfTheirGraph) {
  std::vector<Work> work(40, {"gemm"});
  const auto c = import_replay(replays(work), {});  // 1 to 40 us each, launched in 5 us
  ASSERT_TRUE(c) << c.error().message;
  const auto a = analyze(*c);
  for (const Verdict& v : a->verdicts) EXPECT_NE(v.bound, Bound::launch);
  const LaunchStatistics launches = overlap(**c).launches;
  EXPECT_EQ(launches.launches, 0);
  EXPECT_EQ(launches.graph_ratio, 1);
}

/// As torch.compile's replays are, in a trace of xDiT.
TEST(Replays, OfWorkThatHasTheIdOfItsLaunchHaveTheirOps) {
  CaptureTrace capture(true);
  capture.begin().op("aten::mm", kMm).launch("gemm").op("aten::sum", kSum).launch("reduce").end();
  const auto c = import_replay(replays({{"gemm"}, {"reduce"}}, 3, true), {capture.text()});
  ASSERT_TRUE(c) << c.error().message;
  const Words once{"aten::mm [4,8] [8,2] float", "aten::sum [4,2] float"};
  Words thrice;
  for (int i = 0; i < 3; ++i) thrice.insert(thrice.end(), once.begin(), once.end());
  EXPECT_EQ(ops_of_work(**c), thrice);
}

/// A trace of both needs no other.
TEST(Replays, OfGraphsThatTheSameTraceCapturesHaveTheirOps) {
  CaptureTrace capture(true);
  capture.begin().op("aten::mm", kMm).launch("gemm").end();
  std::string both = replays({{"gemm"}});
  const std::string own = capture.text();
  both.insert(both.find("[") + 1, own.substr(own.find("[") + 1, own.rfind("{}]}") - own.find("[") - 1));
  const auto c = import_replay(both, {});
  ASSERT_TRUE(c) << c.error().message;
  EXPECT_EQ(ops_of_work(**c), (Words{"aten::mm [4,8] [8,2] float"}));
}

/// What a capture records does not run: 2 * 4 * 8 * 2 FLOPs for each of three replays, and no more.
TEST(Replays, CountWhatRanAndNotWhatWasRecorded) {
  CaptureTrace capture(true);
  capture.begin().op("aten::mm", kMm).launch("gemm").end();
  std::string both = replays({{"gemm"}}, 3);
  const std::string own = capture.text();
  both.insert(both.find("[") + 1, own.substr(own.find("[") + 1, own.rfind("{}]}") - own.find("[") - 1));
  const auto c = import_replay(both, {});
  ASSERT_TRUE(c) << c.error().message;
  ASSERT_NE(op_named(**c, "aten::mm [4,8] [8,2] float"), nullptr);
  EXPECT_EQ(op_named(**c, "aten::mm [4,8] [8,2] float")->flops, 3 * 2 * 4 * 8 * 2);
}

/// Names are kept as an import of the capture alone keeps them, and match.
TEST(Replays, KeepOfTheCaptureWhatPrivacyAllows) {
  CaptureTrace capture(true);
  capture.begin().op("lib::load /home/me/SECRET.pt", kMm, "Mine_0").launch("/opt/me/gemm").end();
  TemporaryFolder folder;
  write_bytes(folder / "replay.json", replays({{"/opt/me/gemm"}}));
  write_bytes(folder / "capture.json", capture.text());
  for (const Privacy& privacy : {Privacy{}, Privacy{.keep_paths = true}, Privacy{.anonymise = true}}) {
    const auto c = import_traces({.files = {folder / "replay.json"},
                                  .format = {},
                                  .command = {},
                                  .control = {},
                                  .privacy = privacy,
                                  .graphs = {folder / "capture.json"}});
    ASSERT_TRUE(c) << c.error().message;
    const std::string op = ops_of_work(**c)[0];
    EXPECT_TRUE(op.starts_with("lib::load")) << op;
    EXPECT_EQ(op.find("SECRET") != std::string::npos, !privacy.anonymise) << op;
    EXPECT_EQ(op.find("/home/me") != std::string::npos, privacy.keep_paths) << op;
  }
}

/// What an op inside of another computes counts once, as without a graph.
TEST(Replays, CountWhatNestedOpsComputeOnce) {
  std::string text = CaptureTrace(true).begin().text();
  text.insert(text.rfind("{}]}"),
              span("cpu_op", "aten::addmm", 200, 80,
                   R"("Input Dims":[[2],[4,8],[8,2]],"Input type":["float","float","float"])") +
                  span("cuda_runtime", "hipLaunchKernel", 205, 1, R"("correlation":1,"kernel":"bias")") +
                  span("cpu_op", "aten::mm", 210, 40, R"("Input Dims":[[4,8],[8,2]],"Input type":["float","float"])") +
                  span("cuda_runtime", "hipLaunchKernel", 215, 1, R"("correlation":2,"kernel":"gemm")") +
                  span("cuda_runtime", "hipStreamEndCapture", 400, 2));
  const auto c = import_replay(replays({{"bias"}, {"gemm"}}), {text});
  ASSERT_TRUE(c) << c.error().message;
  double flops = 0;
  for (const OpRecord& op : (*c)->ops()) flops += op.flops;
  EXPECT_EQ(flops, 2 * 4 * 8 * 2);
}

TEST(Replays, ATraceThatCapturesNothingIsRefused) {
  CaptureTrace capture(true);
  capture.op("aten::mm", kMm).run("gemm");
  const auto c = import_replay(replays({{"gemm"}}), {capture.text()});
  ASSERT_FALSE(c);
  EXPECT_NE(c.error().message.find("[--graphs]"), std::string::npos) << c.error().message;
  EXPECT_NE(c.error().message.find("capture0.json: captures no graph"), std::string::npos) << c.error().message;
}

}  // namespace
