// SPDX-License-Identifier: Apache-2.0
// Every rule on a capture where it must speak, with the gain computed by hand, and on one where it must not.
#include "profiler/analysis/findings/findings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "profiler/analysis/findings/finding_input.h"
#include "profiler/analysis/reference_code.h"
#include "profiler/analysis/tables/summary.h"
#include "tests/support/gpu_lab.h"
#include "tests/support/op_lab.h"
#include "tests/support/rank_lab.h"
#include "tests/support/sample_gpu_capture.h"

namespace profiler {

// Declared by their catalog alone, findings.cpp.
void find_exposed_communication(const FindingInput&, FindingList&);
void find_serial_transfers(const FindingInput&, FindingList&);
namespace {

using tests::GpuLab;
using tests::OpLab;
constexpr int64_t kMiB = OpLab::kMiB;

std::vector<RunFinding> found(const std::shared_ptr<const Capture>& capture) { return findings(*analyze(capture)); }

const RunFinding* of(const std::vector<RunFinding>& list, const std::string& rule) {
  const auto at = std::ranges::find(list, rule, &RunFinding::rule);
  return at == list.end() ? nullptr : &*at;
}

std::string names(const std::vector<RunFinding>& list) {
  std::string text;
  for (const RunFinding& f : list) text += f.rule + " ";
  return text;
}

/// y = a + s b, 256 MiB each: 1 GiB through DRAM (a quarter fills) at 20 GB/s.
constexpr double kTriadNs = 4.0 * 256 * kMiB / 20;

OpId add_triad(OpLab& lab, double time_ns = kTriadNs / 0.95) {
  const int64_t n = 256 * kMiB;
  return lab.op("scaled_add", {lab.tensor(n), lab.tensor(n)}, {lab.tensor(n)}, 2.0 * n / 4, time_ns);
}

TEST(Findings, AMemoryBoundStreamCouldHalveItsBytes) {
  OpLab lab;
  lab.builder().run().arguments["dtype"] = "f32";
  add_triad(lab);
  const auto list = found(lab.finish());
  const RunFinding* f = of(list, "memory-bound");
  ASSERT_NE(f, nullptr) << names(list);
  EXPECT_NEAR(f->gain_ns, kTriadNs / 0.95 / 2, 1);
  ASSERT_TRUE(f->change);
  EXPECT_EQ(f->change->flag(), "--dtype bf16");
  EXPECT_EQ(f->ops, std::vector<OpId>{0});
  EXPECT_FALSE(f->gain_how.empty());
  EXPECT_EQ(f->evidence.at(0).origin, Origin::measured);
}

/// Whose code an op ran is said by the capture, whatever its kernel is called.
TEST(Findings, ReferenceCodeIsSaidFirstAndFound) {
  const auto run = [](engine::CodeKind kind) {
    OpLab lab;
    const int64_t n = 16 * kMiB;
    const OpId slow = lab.op("gru", {lab.tensor(n)}, {lab.tensor(n)}, 1e6, 90e6, 0, "net", "some kernel");
    lab.builder().set_facts(slow, {.name = "some kernel", .code = kind});
    lab.op("relu", {lab.tensor(n)}, {lab.tensor(n)}, 1e6, 10e6, 0, "net", "reference kernel of another kind");
    return lab.finish();
  };
  for (const engine::CodeKind kind : {engine::CodeKind::reference, engine::CodeKind::library_reference}) {
    const auto capture = run(kind);
    const auto list = found(capture);
    const RunFinding* f = of(list, "reference-code");
    ASSERT_NE(f, nullptr) << names(list);
    EXPECT_EQ(f->ops, std::vector<OpId>{0});
    // Of 90 ms five copies are left: 16 MiB read, as many written and filled before, at 20 GB/s.
    EXPECT_NEAR(f->gain_ns, 90e6 - 5 * 3.0 * 16 * kMiB / 20, 1);
    EXPECT_EQ(
        f->sentence.starts_with(kind == engine::CodeKind::reference ? "gru runs in our slow reference kernel"
                                                                    : "gru runs in a library's slow reference kernel"),
        true)
        << f->sentence;
    EXPECT_FALSE(f->change);
    EXPECT_EQ(summary(*analyze(capture)).sentence.find("90 % of the step runs in slow reference code (gru)"), 0u)
        << summary(*analyze(capture)).sentence;
  }
  const auto fast = run(engine::CodeKind::fast);
  EXPECT_EQ(of(found(fast), "reference-code"), nullptr);
  EXPECT_EQ(summary(*analyze(fast)).sentence.find("reference"), std::string::npos);
  // Captures before format 3, which kept no facts.
  OpLab older;
  older.op("gru", {older.tensor(kMiB)}, {older.tensor(kMiB)}, 1e6, 90e6, 0, "net", "reference");
  EXPECT_NE(of(found(older.finish()), "reference-code"), nullptr);
}

/// Copies into another order of the same elements are said first, from 1 % of a step on.
TEST(Findings, CopiesIntoAnotherLayoutAreSaidFirst) {
  const auto sentence = [](double copy_ns, double flops) {
    OpLab lab;
    const auto matrix = [&](std::vector<int64_t> strides) {
      return lab.tensor(16 * kMiB, {.shape = {2048, 2048}, .strides = std::move(strides)});
    };
    const TensorId rows = matrix({2048, 1}), columns = matrix({1, 2048}), result = matrix({1, 2048});
    lab.op("contiguous", {rows}, {columns}, flops, copy_ns);
    lab.op("relu", {columns}, {result}, 1e6, 100e6 - copy_ns);
    return summary(*analyze(lab.finish())).sentence;
  };
  EXPECT_EQ(sentence(30e6, 0).find("30 % of the step copies tensors into another layout (contiguous)."), 0u)
      << sentence(30e6, 0);
  EXPECT_EQ(sentence(0.5e6, 0).find("another layout"), std::string::npos);
  EXPECT_EQ(sentence(30e6, 1e6).find("another layout"), std::string::npos) << "it computes";
}

TEST(Findings, ADtypeItsWorkloadDoesNotTakeIsNotProposed) {
  for (const auto& [choices, takes] :
       {std::pair{"f32 f64", false}, std::pair{"f32 f64 bf16 f16", true}, std::pair{"", true}}) {
    OpLab lab;
    lab.builder().run().dtype_choices = choices;
    lab.builder().run().arguments["dtype"] = "f32";
    add_triad(lab);
    const auto list = found(lab.finish());
    const RunFinding* f = of(list, "memory-bound");
    ASSERT_NE(f, nullptr) << names(list);
    EXPECT_EQ(f->change.has_value(), takes) << choices;
    EXPECT_EQ(f->no_change.empty(), takes) << choices;
  }
}

TEST(Findings, OptimisersStayWideAndCastsAreAddedInTrainingWith16Bits) {
  const int64_t w = 256 * kMiB;
  const double update_ns = 3.0 * w / 20 / 0.95;
  const auto run = [&](bool trains, bool casts) {
    OpLab lab;
    lab.builder().run().arguments["dtype"] = "f32";
    lab.builder().run().arguments["batch"] = "2";
    add_triad(lab);
    const TensorId weight = lab.tensor(64 * kMiB, {.role = engine::Role::weight, .persistent = true});
    if (casts) lab.op("relu", {weight}, {lab.tensor(64 * kMiB)}, 0, 400e6);  // by no means at a roof
    const TensorId big = lab.tensor(w, {.role = engine::Role::weight, .persistent = true}),
                   state = lab.tensor(w, {.role = engine::Role::optimizer_state, .persistent = true});
    if (trains) lab.op("sgd_momentum", {big, state, lab.tensor(w)}, {}, 0, update_ns);
    return found(lab.finish());
  };
  const auto with = run(true, false), cast = run(true, true), without = run(false, true);
  const RunFinding* f = of(with, "memory-bound");
  ASSERT_NE(f, nullptr) << names(with);
  EXPECT_EQ(f->ops, std::vector<OpId>{0});
  EXPECT_NE(f->besides.find("So do sgd_momentum ops, which are not counted: training in 16 bits keeps weights and "
                            "their state in f32."),
            std::string::npos)
      << f->sentence;
  EXPECT_NEAR(f->gain_ns, kTriadNs / 0.95 / 2, 1) << "the update wins nothing";
  f = of(cast, "memory-bound");
  ASSERT_NE(f, nullptr) << names(cast);
  EXPECT_NEAR(f->gain_ns, kTriadNs / 0.95 / 2 - 4.5 * 64 * kMiB / 20, 1) << "there and back, fills counted";
  EXPECT_NEAR(of(without, "memory-bound")->gain_ns, kTriadNs / 0.95 / 2, 1)
      << "a run that trains nothing keeps its weights narrow";
  // Weights and the optimiser's state are told apart.
  f = of(with, "weights-reread");
  ASSERT_NE(f, nullptr) << names(with);
  EXPECT_NE(f->sentence.find("33 % of the bytes of sgd_momentum ops are weights and 33 % optimiser state, moved once"),
            std::string::npos)
      << f->sentence;
  EXPECT_EQ(f->evidence.at(1).key, "state_bytes");
  EXPECT_NEAR(f->evidence.at(1).value, w, 0.05 * w);
}

TEST(Findings, FillsOfStoresAreAQuarterOfATriad) {
  OpLab lab;
  add_triad(lab);
  const auto list = found(lab.finish());
  const RunFinding* f = of(list, "write-allocate");
  ASSERT_NE(f, nullptr) << names(list);
  EXPECT_NEAR(f->gain_ns, kTriadNs / 0.95 / 4, kTriadNs * 0.01);
  EXPECT_FALSE(f->change);
  EXPECT_FALSE(f->no_change.empty());
  EXPECT_EQ(of(list, "compute-bound"), nullptr);
  EXPECT_EQ(of(list, "reuse-lost"), nullptr);
}

TEST(Findings, StoresPastTheCachesAreNotAdvisedWhereACacheHoldsWhatIsWritten) {
  OpLab lab;
  const int64_t bytes = 4 * OpLab::kMiB;
  lab.op("scaled_add", {lab.tensor(bytes), lab.tensor(bytes)}, {lab.tensor(bytes)}, 0, 4.0 * bytes / 80 / 0.95);
  const auto capture = lab.finish();
  const auto analyzed = analyze(capture);
  EXPECT_EQ(analyzed->verdicts.at(0).level, "L3");
  const Reason* fills = find(analyzed->verdicts.at(0).causes, ReasonKind::cause_line_fills);
  ASSERT_NE(fills, nullptr);
  EXPECT_EQ(fills->number("from_memory"), 0) << "stores past the caches save fills from memory alone";
  EXPECT_EQ(of(found(capture), "write-allocate"), nullptr);
}

TEST(Findings, AComputeBoundProductIsToldOfAFasterFormatOnlyWhereTheMachineHasOne) {
  const auto run = [](bool fast) {
    OpLab lab;
    lab.builder().run().arguments["dtype"] = "f32";
    if (fast) lab.builder().machine().compute.push_back({engine::DType::bfloat16, 2, {800e9, 800e9, 800e9, 5}, "lab"});
    const int64_t n = 2048, bytes = n * n * 4;
    const OpLab::Options square{.shape = {n, n}};
    const double flops = 2.0 * n * n * n;
    lab.op("matmul", {lab.tensor(bytes, square), lab.tensor(bytes, square)}, {lab.tensor(bytes, square)}, flops,
           flops / 200 / 0.9);
    return found(lab.finish());
  };
  const auto list = run(true);
  const RunFinding* f = of(list, "compute-bound");
  ASSERT_NE(f, nullptr) << names(list);
  EXPECT_EQ(f->change->value, "bf16");
  EXPECT_GT(f->gain_ns, 0);
  EXPECT_EQ(of(run(false), "compute-bound"), nullptr);
}

/// A stream and a matrix multiplication, of which each would be served by bf16.
TEST(Findings, OneActionIsOneFindingThatSavesWhatAllItsOpsSave) {
  const auto run = [](bool stream, bool gemm) {
    OpLab lab;
    lab.builder().run().arguments["dtype"] = "f32";
    lab.builder().machine().compute.push_back({engine::DType::bfloat16, 2, {800e9, 800e9, 800e9, 5}, "lab"});
    if (stream) add_triad(lab);
    const int64_t n = 2048, bytes = n * n * 4;
    const OpLab::Options square{.shape = {n, n}};
    const double flops = 2.0 * n * n * n;
    if (gemm)
      lab.op("matmul", {lab.tensor(bytes, square), lab.tensor(bytes, square)}, {lab.tensor(bytes, square)}, flops,
             flops / 200 / 0.9);
    std::vector<RunFinding> list = found(lab.finish());
    std::erase_if(list, [](const RunFinding& f) { return !f.change || f.change->option != "dtype"; });
    return list;
  };
  const auto both = run(true, true), stream = run(true, false), gemm = run(false, true);
  ASSERT_EQ(stream.size(), 1u);
  ASSERT_EQ(gemm.size(), 1u);
  ASSERT_EQ(both.size(), 1u) << names(both);
  EXPECT_NEAR(both[0].gain_ns, stream[0].gain_ns + gemm[0].gain_ns, 0.05 * both[0].gain_ns);
  EXPECT_EQ(both[0].ops.size(), 2u);
  EXPECT_EQ(both[0].evidence.size(), stream[0].evidence.size() + gemm[0].evidence.size());
}

TEST(Findings, AResultReadOnceByTheNextOpCanBeFused) {
  OpLab lab;
  const int64_t n = 256 * kMiB;
  const TensorId x = lab.tensor(n, {.role = engine::Role::input, .persistent = true}), y = lab.tensor(n),
                 z = lab.tensor(n);
  const double ns = 3.0 * n / 20;  // read, fill, write
  lab.op("scale", {x}, {y}, n / 4.0, ns / 0.95);
  lab.op("relu", {y}, {z}, n / 4.0, ns / 0.95);
  const auto list = found(lab.finish());
  const RunFinding* f = of(list, "fuse");
  ASSERT_NE(f, nullptr) << names(list);
  EXPECT_EQ(f->change->flag(), "--fuse on");
  // y is read by relu (1 of its 3 units). What scale writes of y is dirty until evicted: its fill and write-back are
  // charged to scale.
  EXPECT_GT(f->gain_ns, ns / 0.95 / 3 * 0.9);
  EXPECT_LT(f->gain_ns, ns / 0.95 * 1.05) << "at most 3 of the 6 units";
}

TEST(Findings, AnOpWithTwoFusibleOperandsIsOneOpOfTwoPairs) {
  OpLab lab;
  const int64_t n = 256 * kMiB;
  const OpLab::Options input{.role = engine::Role::input, .persistent = true};
  const TensorId p = lab.tensor(n), q = lab.tensor(n);
  const double ns = 3.0 * n / 20;
  lab.op("relu", {lab.tensor(n, input)}, {p}, n / 4.0, ns / 0.95);
  lab.op("tanh", {lab.tensor(n, input)}, {q}, n / 4.0, ns / 0.95);
  lab.op("add", {p, q}, {lab.tensor(n)}, n / 4.0, ns * 4 / 3 / 0.95);
  const auto list = found(lab.finish());
  const RunFinding* f = of(list, "fuse");
  ASSERT_NE(f, nullptr) << names(list);
  EXPECT_EQ(f->ops.size(), 1u);
  const auto value = [&](std::string_view key) {
    return std::ranges::find(f->evidence, key, [](const auto& e) { return std::string_view(e.key); })->value;
  };
  EXPECT_EQ(value("pairs_count"), 2);
  EXPECT_NEAR(value("time_ns"), ns * 4 / 3 / 0.95, 1) << "the time of add, once";
}

TEST(Findings, AResultReadTwiceCannotSimplyBeFused) {
  OpLab lab;
  const int64_t n = 256 * kMiB;
  const TensorId x = lab.tensor(n, {.role = engine::Role::input, .persistent = true}), y = lab.tensor(n);
  const double ns = 3.0 * n / 20;
  lab.op("scale", {x}, {y}, n / 4.0, ns / 0.95);
  lab.op("relu", {y}, {lab.tensor(n)}, n / 4.0, ns / 0.95);
  lab.op("tanh", {y}, {lab.tensor(n)}, n / 4.0, ns / 0.95);
  EXPECT_EQ(of(found(lab.finish()), "fuse"), nullptr);
}

TEST(Findings, WeightsServeMoreSamplesInABiggerBatch) {
  OpLab lab;
  lab.builder().run().arguments["batch"] = "2";
  const int64_t w = 256 * kMiB;
  const OpLab::Options weight{.role = engine::Role::weight, .persistent = true};
  lab.op("linear", {lab.tensor(4096), lab.tensor(w, weight)}, {lab.tensor(4096)}, 1e6, w / 20.0 / 0.95);
  const auto list = found(lab.finish());
  const RunFinding* f = of(list, "weights-reread");
  ASSERT_NE(f, nullptr) << names(list);
  EXPECT_EQ(f->change->flag(), "--batch 8");
  EXPECT_EQ(f->change->work_ratio, 4);
  EXPECT_NEAR(f->gain_ns, w / 20.0 / 0.95 * 0.75, w / 20.0 * 0.01) << "per sample three of four reads vanish";
}

TEST(Findings, ReuseThatASmallerBatchWouldKeepIsLost) {
  // 16384^3 through an L3 of 32 MiB: at least 2 n^3 / sqrt(8 Mi) elements = 12.1 GB cross from DRAM, 3.2 GB are
  // compulsory. Arithmetic and caches are made free, so that this binds.
  const auto run = [](const char* batch) {
    OpLab lab;
    lab.builder().run().arguments["batch"] = batch;
    for (ComputeRoof& roof : lab.builder().machine().compute) roof.flop_per_s = {1e15, 1e15, 1e15, 5};
    for (BandwidthRoof& roof : lab.builder().machine().bandwidth)
      roof.bytes_per_s.median *= roof.level == "DRAM" ? 1 : 1000;
    const int64_t n = 16384, bytes = n * n * 4;
    const OpLab::Options square{.shape = {n, n}};
    const double flops = 2.0 * n * n * n;
    lab.op("matmul", {lab.tensor(bytes, square), lab.tensor(bytes, square)}, {lab.tensor(bytes, square)}, flops, 0.7e9);
    return found(lab.finish());
  };
  const auto list = run("512");
  const RunFinding* f = of(list, "reuse-lost");
  ASSERT_NE(f, nullptr) << names(list);
  EXPECT_GT(f->gain_ns, 0.3e9);
  EXPECT_LT(f->gain_ns, 0.7e9 * (1 - 3.2 / 14)) << "compulsory bytes remain";
  ASSERT_TRUE(f->change);
  EXPECT_EQ(f->change->flag(), "--batch 2") << "3.2 GB / 256 fit into 0.7 x 32 MiB";
  const auto single = run("1");
  ASSERT_NE(of(single, "reuse-lost"), nullptr);
  EXPECT_FALSE(of(single, "reuse-lost")->change) << "no smaller batch";
  EXPECT_FALSE(of(single, "reuse-lost")->no_change.empty());
}

TEST(Findings, ColumnsAPowerOfTwoApartFallIntoFewSets) {
  // A transposing copy of 256 x 4096: columns of 256 lines, 16 KiB apart, fall into one of 64 sets of 8 ways, while all
  // 256 would fit.
  const auto run = [](int64_t stride) {
    OpLab lab;
    const int64_t rows = 256, columns = 4096, bytes = rows * columns * 4;
    const TensorId in = lab.tensor(bytes, {.shape = {columns, rows}, .strides = {1, stride}});
    const TensorId out = lab.tensor(bytes, {.shape = {columns, rows}});
    lab.op("copy", {in}, {out}, 0, 5e6);
    return found(lab.finish());
  };
  const auto list = run(4096);
  const RunFinding* f = of(list, "conflict-misses");
  ASSERT_NE(f, nullptr) << names(list);
  const auto share = std::ranges::find(f->evidence, "conflict_ratio", &FindingFigure::key);
  EXPECT_NEAR(share->value, 1 - 8.0 / 256, 1e-9);
  EXPECT_EQ(of(run(4096 + 16), "conflict-misses"), nullptr) << "padded by a line, columns spread over all sets";
}

TEST(Findings, ConflictsThatASimulationToldApartAreSimulatedAndPaddingIsProposed) {
  const auto run = [](double conflict, const char* padding) {
    OpLab lab;
    if (padding != nullptr) lab.builder().run().arguments["padding"] = padding;
    const int64_t n = 512, bytes = n * n * 4;
    const OpLab::Options square{.shape = {n, n}};
    const OpId op = lab.op("ladder_product", {lab.tensor(bytes, square), lab.tensor(bytes, square)},
                           {lab.tensor(bytes, square)}, 2.0 * n * n * n, 1e8);
    TrafficSource s;
    s.origin = Origin::simulated;
    s.links = {{"DRAM", "L3", 32e6}, {"L3", "L2", 1e6}, {"L2", "L1", 49152}, {"L1", "core", kUnknownBytes}};
    for (uint32_t l = 0; l < 4; ++l)
      s.records.push_back({.op = op, .link = l, .read_bytes = l == 2 ? 8e9 : 4e6, .written_bytes = 1e6});
    s.causes.push_back(
        {.op = op, .link = 2, .compulsory_ratio = 0, .capacity_ratio = 1 - conflict, .conflict_ratio = conflict});
    lab.builder().add_traffic(std::move(s));
    return found(lab.finish());
  };
  const auto list = run(0.75, "0");
  const RunFinding* f = of(list, "conflict-misses");
  ASSERT_NE(f, nullptr) << names(list);
  const auto bytes = std::ranges::find(f->evidence, "refetched_bytes", &FindingFigure::key);
  EXPECT_EQ(bytes->origin, Origin::simulated);
  EXPECT_DOUBLE_EQ(bytes->value, 6e9);
  EXPECT_NE(f->sentence.find("75 % of the misses in L1"), std::string::npos) << f->sentence;
  ASSERT_TRUE(f->change);
  EXPECT_EQ(f->change->flag(), "--set padding=16");
  const auto without = run(0.75, nullptr);
  EXPECT_FALSE(of(without, "conflict-misses")->change);
  EXPECT_FALSE(of(without, "conflict-misses")->no_change.empty());
  EXPECT_EQ(of(run(0.1, "0"), "conflict-misses"), nullptr) << "below the threshold";
}

TEST(Findings, IdleCoresAreNamedWithTheGainOfTheMeasuredRoofs) {
  OpLab lab(1);
  Machine& m = lab.builder().machine();
  m.info.cores = 2;
  const std::vector<BandwidthRoof> one = m.bandwidth;
  for (BandwidthRoof roof : one) {
    roof.threads = 2;
    roof.bytes_per_s.median *= 1.6;
    m.bandwidth.push_back(roof);
  }
  ComputeRoof peak = m.compute.front();
  peak.threads = 2;
  m.compute.push_back(peak);
  add_triad(lab, kTriadNs / 0.97);
  const auto list = found(lab.finish());
  const RunFinding* f = of(list, "idle-cores");
  ASSERT_NE(f, nullptr) << names(list);
  EXPECT_EQ(f->change->flag(), "--threads 2");
  EXPECT_NEAR(f->gain_ns, kTriadNs / 0.97 * (1 - 1 / 1.6) - 2000, 1000);
}

TEST(Findings, MoreThreadsAreNotProposedForWhatOneThreadDoes) {
  const auto proposes = [](const std::string& type, const std::string& kernel, int64_t bytes,
                           const OpLab::Options& options = {}) {
    OpLab lab(1);
    lab.builder().machine().info.cores = 2;
    Machine& m = lab.builder().machine();
    for (size_t i = 0, n = m.bandwidth.size(); i < n; ++i) {
      BandwidthRoof twice = m.bandwidth[i];
      twice.threads = 2,
      twice.bytes_per_s = {2 * twice.bytes_per_s.median, 2 * twice.bytes_per_s.low, 2 * twice.bytes_per_s.high, 5};
      m.bandwidth.push_back(twice);
    }
    m.compute.push_back({engine::DType::float32, 2, {200e9, 200e9, 200e9, 5}, "lab"});
    lab.op(type, {lab.tensor(bytes, options)}, {lab.tensor(bytes)}, 0, 50e6, 0, "net", kernel);
    return of(found(lab.finish()), "idle-cores") != nullptr;
  };
  EXPECT_TRUE(proposes("relu", "own relu (AVX3)", 16 * kMiB));
  EXPECT_FALSE(proposes("relu", "own relu (AVX3)", 32 * 1024)) << "8192 elements are not split";
  EXPECT_FALSE(proposes("relu", "reference", 16 * kMiB));
  EXPECT_FALSE(proposes("pointer_chase", "own pointer_chase, one thread, one load after the other", 16 * kMiB));
  EXPECT_FALSE(proposes("load_batch", "own load_batch: reads and decodes in turn (zlib)", 16 * kMiB));
  EXPECT_FALSE(proposes("solve", "LAPACK solve (OpenBLAS)", 4 * kMiB, {.shape = {1, 1024, 1024}})) << "one matrix";
  EXPECT_TRUE(proposes("solve", "LAPACK solve (OpenBLAS)", 4 * kMiB, {.shape = {4, 512, 512}}));
  EXPECT_FALSE(proposes("lstm", "own lstm (AVX3)", 4 * kMiB, {.shape = {1024, 1, 1024}})) << "one sequence";
}

TEST(Findings, TinyOpsDoBetterOnOneThread) {
  OpLab lab;  // fork and join: 2 us of 4 us
  for (int i = 0; i < 10; ++i) lab.op("add", {lab.tensor(4096), lab.tensor(4096)}, {lab.tensor(4096)}, 1024, 2500);
  const auto list = found(lab.finish());
  const RunFinding* f = of(list, "dispatch-bound");
  ASSERT_NE(f, nullptr) << names(list);
  EXPECT_EQ(f->change->flag(), "--threads 1");
  EXPECT_NEAR(f->gain_ns, 10 * (2500 - 2 * 500), 1e-6) << "500 ns of work for two threads are 1000 ns for one";
  EXPECT_EQ(f->ops.size(), 10u);
}

TEST(Findings, WhatTookLessThanStartingThreadsHasNotPaidForIt) {
  // A probe under load says that 2 us are 8: no op of 2.5 us can have paid that, so nothing can be won by one thread.
  const auto list_at = [](double fork_join_ns) {
    OpLab lab;
    lab.builder().machine().fork_join_ns = fork_join_ns;
    for (int i = 0; i < 10; ++i) lab.op("add", {lab.tensor(4096), lab.tensor(4096)}, {lab.tensor(4096)}, 1024, 2500);
    lab.op("add", {lab.tensor(4096), lab.tensor(4096)}, {lab.tensor(4096)}, 1024, 9000);
    return analyze(lab.finish());
  };
  const auto busy_run = list_at(8000), quiet_run = list_at(2000);
  const auto busy = findings(*busy_run), quiet = findings(*quiet_run);
  const RunFinding* f = of(busy, "dispatch-bound");
  ASSERT_NE(f, nullptr) << names(busy);
  EXPECT_EQ(f->ops.size(), 1u) << "the one that may have";
  EXPECT_NE(
      f->sentence.find("1 add op is too small for 2 threads: starting and joining them takes 8.00 µs of 9.00 µs."),
      std::string::npos)
      << f->sentence;
  EXPECT_EQ(of(quiet, "dispatch-bound")->ops.size(), 10u);
  // The summary counts the same ops.
  for (const auto& [run, ns] : {std::pair(busy_run, 9000.0), std::pair(quiet_run, 25000.0)}) {
    const Summary s = summary(*run);
    const auto limiter = std::ranges::find(s.limiters, Bound::dispatch, &Limiter::bound);
    ASSERT_NE(limiter, s.limiters.end());
    EXPECT_NEAR(limiter->share * s.step_ns.median, ns, 100);
  }
}

TEST(Findings, AGpuThatWaitsForLaunchesCopiesOrBlocksIsTold) {
  GpuLab launch, grid, copies;
  launch.builder().run().arguments["batch"] = grid.builder().run().arguments["batch"] = "4";
  for (int i = 0; i < 20; ++i) launch.op({.bytes = 1e6, .flops = 1e3, .kernel_us = 2, .call_us = 8});
  grid.op({.bytes = 100e6, .flops = 1e9, .kernel_us = 1000, .blocks = 160});
  copies.op({.bytes = 900e6, .flops = 1e6, .kernel_us = 1000, .copy_us = 800, .copy_bytes = 10e6});
  const auto launched = found(launch.finish()), small = found(grid.finish()), copied = found(copies.finish());
  ASSERT_NE(of(launched, "launch-bound"), nullptr) << names(launched);
  EXPECT_EQ(of(launched, "launch-bound")->change->flag(), "--batch 16");
  ASSERT_NE(of(small, "grid-too-small"), nullptr) << names(small);
  EXPECT_EQ(of(small, "grid-too-small")->change->flag(), "--batch 16") << "a quarter wave: four times the batch";
  ASSERT_NE(of(copied, "serial-transfers"), nullptr) << names(copied);
  EXPECT_FALSE(of(copied, "serial-transfers")->change) << "no option of a run copies ahead";
  EXPECT_FALSE(of(copied, "serial-transfers")->no_change.empty());
  EXPECT_NEAR(of(copied, "serial-transfers")->gain_ns, 800e3, 1) << "all copies can hide behind a longer kernel";
}

TEST(Findings, TheHandMadeGpuStepCopiesItsWeightsInVain) {
  const auto list = found(tests::sample_gpu_capture());
  const RunFinding* f = of(list, "avoidable-copies");
  ASSERT_NE(f, nullptr) << names(list);
  EXPECT_NEAR(f->gain_ns, 2500, 1e-9) << "one copy of 5 us in two steps";
  EXPECT_NE(f->sentence.find("mostly w"), std::string::npos) << f->sentence;
}

TEST(Findings, AreRankedByGainAndListedInATable) {
  OpLab lab;
  lab.builder().run().arguments["dtype"] = "f32";
  add_triad(lab);
  const auto analyzed = analyze(lab.finish());
  const auto list = findings(*analyzed);
  ASSERT_GE(list.size(), 2u);
  for (size_t i = 1; i < list.size(); ++i) EXPECT_GE(list[i - 1].gain_ns, list[i].gain_ns);
  EXPECT_EQ(first_to_try(list)->rule, "memory-bound");
  const Table table = findings_table(*analyzed);
  ASSERT_EQ(table.rows.size(), list.size());
  EXPECT_EQ(std::get<std::string>(table.rows[0][1]), "memory-bound");
  EXPECT_EQ(table.row_ops[0], 0u);
}

TEST(Findings, EveryRuleHasAKeyOfItsOwnAndSaysWhatItMeans) {
  std::set<std::string> keys;
  for (const FindingRule& rule : finding_rules()) {
    EXPECT_TRUE(keys.insert(rule.key).second) << rule.key;
    EXPECT_GT(std::string(rule.meaning).size(), 20u) << rule.key;
  }
  EXPECT_GE(keys.size(), 9u);
}

TEST(Findings, NothingIsFoundWhereNothingIsKnown) { EXPECT_TRUE(found(*CaptureBuilder().finish()).empty()); }

/// Copies of 300 us in each step of 1000, of which `pageable_us` come from pageable memory; in warm-up all do.
std::vector<RunFinding> copying_ranks(uint32_t ranks, int64_t pageable_us) {
  tests::RankLab lab(ranks, 8, 1000, 3);
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    for (uint32_t step = 0; step < 8; ++step) {
      const int64_t pageable = step < 3 ? 300 : pageable_us;
      lab.copy(MemoryKind::pageable, {rank, step, 10, pageable});
      lab.copy(MemoryKind::pinned, {rank, step, 320, 300 - pageable});
      lab.kernel("sgemm", {rank, step, 640, 350});
    }
  }
  return found(lab.finish());
}

TEST(Findings, PageableCopiesAreThoseOfOneDeviceAndStep) {
  for (const uint32_t ranks : {1u, 2u, 8u}) {
    const auto few = copying_ranks(ranks, 50), most = copying_ranks(ranks, 250);
    ASSERT_NE(of(few, "serial-transfers"), nullptr) << names(few);
    EXPECT_NEAR(of(few, "serial-transfers")->evidence.at(2).value, 50e3, 1) << ranks << " ranks";
    EXPECT_EQ(of(few, "serial-transfers")->advice.find("pinned"), std::string::npos)
        << ranks << " ranks: " << of(few, "serial-transfers")->advice;
    ASSERT_NE(of(most, "serial-transfers"), nullptr) << names(most);
    EXPECT_NEAR(of(most, "serial-transfers")->evidence.at(2).value, 250e3, 1) << ranks << " ranks";
    EXPECT_NE(of(most, "serial-transfers")->advice.find("pinned"), std::string::npos) << ranks;
  }
}

TEST(Findings, NothingIsExposedInStepsOfNoLength) {
  for (const uint32_t ranks : {1u, 2u}) {
    tests::RankLab lab(ranks, 4, 0);
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      lab.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", {rank, kNoStep, 10, 50});
      lab.copy(MemoryKind::pageable, {rank, kNoStep, 100, 50});
    }
    const auto analyzed = analyze(lab.finish());
    const FindingInput in(*analyzed);
    FindingList list;  // of the rules alone: findings() leaves out what wins nothing
    find_exposed_communication(in, list), find_serial_transfers(in, list);
    EXPECT_TRUE(list.empty()) << names(list) << list.front().sentence;
  }
}

TEST(Findings, CopiesInVainAreThoseOfOneDeviceAndStep) {
  for (const uint32_t ranks : {1u, 2u, 4u}) {
    tests::RankLab lab(ranks, 6, 1000, 2);
    lab.op("aten::copy_");  // whose tensors they are
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      const TensorId weight = lab.builder().add_tensor({.id = 0,
                                                        .name = lab.builder().intern(std::to_string(rank)),
                                                        .dtype = engine::DType::float32,
                                                        .shape = {1000},
                                                        .strides = {1},
                                                        .role = engine::Role::weight,
                                                        .persistent = true,
                                                        .alias_of = kNoTensor,
                                                        .size_bytes = 4000,
                                                        .offset_bytes = 0,
                                                        .first_op = 0,
                                                        .last_op = 0});
      for (uint32_t step = 0; step < 6; ++step)
        lab.copy(MemoryKind::pinned, {rank, step, 10, step < 2 ? 900 : 20}, weight, 1);
    }
    const auto list = found(lab.finish());
    const RunFinding* f = of(list, "avoidable-copies");
    ASSERT_NE(f, nullptr) << names(list);
    EXPECT_NEAR(f->gain_ns, 20e3, 1) << ranks << " ranks";
  }
}

}  // namespace
}  // namespace profiler
