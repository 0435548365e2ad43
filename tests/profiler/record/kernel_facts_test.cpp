// SPDX-License-Identifier: Apache-2.0
// What kernels say of themselves is what older captures told by their names, and nothing is decided by a name: with
// every kernel called nonsense, bytes, verdicts, findings and simulations are the same.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "engine/cpu/backend.h"
#include "engine/ops/fusion.h"
#include "engine/ops/ops.h"
#include "engine/runtime/plan.h"
#include "engine/workloads/workload.h"
#include "profiler/analysis/analyze.h"
#include "profiler/analysis/findings/findings.h"
#include "profiler/analysis/reference_code.h"
#include "profiler/analysis/tables/summary.h"
#include "profiler/analysis/verdict/verdict.h"
#include "profiler/analysis/verdict/verdict_text.h"
#include "profiler/analysis/winograd_ops.h"
#include "profiler/capture/capture.h"
#include "profiler/capture/facts_from_name.h"
#include "profiler/memory/step_simulation.h"
#include "profiler/record/plan_records.h"
#include "profiler/store/capture_file.h"
#include "tests/profiler/memory/cache_hierarchy.h"
#include "tests/support/capture_difference.h"
#include "tests/support/op_examples.h"
#include "tests/support/op_lab.h"
#include "tests/support/temporary_folder.h"

namespace profiler {
namespace {

namespace fs = std::filesystem;
using engine::DType;
using engine::KernelFacts;

/// Facts in a line, so that a difference can be read.
std::string shown(const KernelFacts& f) {
  return fmt::format(
      "{} {} widens {} layout {} winograd {} packed {} {} \"{}\" tile {}x{} gemm {} convolution {} plain {} per image "
      "{} single {} unsplit {} indivisible {} streaming {} trip {}",
      engine::name(f.code), engine::name(f.library), f.copies.widens, engine::name(f.copies.layout), f.winograd_tile,
      engine::name(f.packed), engine::name(f.format), f.not_fp8, f.tile_rows, f.tile_columns, f.own_gemm,
      f.own_convolution, f.plain_weights, f.per_image, f.single_thread, f.unsplit, f.indivisible, f.streaming_stores,
      f.round_trip);
}

std::vector<engine::cpu::BackendOptions> ways_to_compute() {
  std::vector<engine::cpu::BackendOptions> ways;
  for (const int threads : {1, 2}) {
    for (const bool onednn : {true, false}) {
      for (const bool openblas : {true, false})
        ways.push_back(
            {.threads = threads, .winograd = engine::WinogradUse::always, .onednn = onednn, .openblas = openblas});
    }
  }
  return ways;
}

/// Of one example on one backend; nothing where it has no such kernel.
std::optional<KernelFacts> facts_of(engine::Backend& backend, const engine::Op& op, const test::OpExample& example,
                                    DType dtype, bool constant) {
  const std::vector<engine::Tensor> inputs = test::make_operands(example, dtype);
  std::vector<engine::TensorType> types;
  for (const engine::Tensor& tensor : inputs) types.push_back(tensor.type());
  const auto results = op.infer(types, example.attributes);
  if (!results) return std::nullopt;
  engine::Node node;
  node.op = &op;
  node.attributes = example.attributes;
  const engine::Call call{node.attributes, types, *results};
  if (!backend.supports(node, call)) return std::nullopt;
  std::vector<engine::Tensor> outputs;
  for (size_t j = 0; j < results->size(); ++j) {
    const bool in_place = j < op.in_place.size() && op.in_place[j] >= 0;
    outputs.push_back(in_place ? inputs[static_cast<size_t>(op.in_place[j])] : test::make_tensor((*results)[j]));
  }
  const auto workspace = backend.allocate(backend.workspace_bytes(node, call));
  const auto prepared = backend.prepare(
      {node, {&node.attributes, inputs, outputs}, (*workspace)->data(), std::vector<bool>(inputs.size(), constant)});
  if (!prepared) return std::nullopt;
  return (*prepared)->facts();
}

TEST(KernelFacts, OfEveryKernelOfTheCatalogAreThoseThatItsNameTold) {
  std::map<std::string, KernelFacts> all;
  for (const engine::cpu::BackendOptions& way : ways_to_compute()) {
    const auto backend = engine::cpu::make_backend(way);
    ASSERT_TRUE(backend.ok()) << backend.error().message;
    for (const engine::Op* op : engine::op_catalog()) {
      if (op->view != nullptr) continue;
      for (const test::OpExample& example : test::examples_of(op->name)) {
        for (const DType dtype : {DType::float64, DType::float32, DType::bfloat16}) {
          for (const bool constant : {false, true}) {
            const auto facts = facts_of(**backend, *op, example, dtype, constant);
            if (!facts) continue;
            EXPECT_EQ(shown(*facts), shown(facts_from_name(facts->name))) << facts->name;
            all.emplace(facts->name, *facts);
          }
        }
      }
    }
  }
  EXPECT_GT(all.size(), 150u);
  const auto some = [&](auto&& which) {
    return std::ranges::any_of(all, [&](const auto& kernel) { return which(kernel.second); });
  };
  EXPECT_TRUE(some([](const KernelFacts& f) { return f.code == engine::CodeKind::reference; }));
  EXPECT_TRUE(some([](const KernelFacts& f) { return f.library == engine::KernelLibrary::openblas && f.unsplit; }));
  EXPECT_TRUE(some([](const KernelFacts& f) { return f.copies.widens; }));
  EXPECT_TRUE(some([](const KernelFacts& f) { return f.copies.layout == engine::CopyLayout::row_major; }));
  EXPECT_TRUE(some([](const KernelFacts& f) { return f.own_convolution; }));
  EXPECT_TRUE(some([](const KernelFacts& f) { return f.single_thread && f.round_trip; }));
  EXPECT_TRUE(some([](const KernelFacts& f) { return f.indivisible; }));
}

struct Example {
  const char* workload;
  engine::Arguments arguments = {};
  bool fused = false, vendors = true;
  bool simulated = true;  ///< small enough to be walked through caches
};

const std::vector<Example>& examples() {
  static const engine::Arguments mlp{{"batch", "4"}, {"input", "64"}, {"hidden", "64"}},
      lstm{{"batch", "2"}, {"sequence", "4"}, {"vocabulary", "50"}, {"embedding", "16"}, {"hidden", "16"}},
      attention{{"heads", "2"}, {"sequence", "65"}, {"head_size", "16"}, {"gradients", "yes"}},
      resnet{{"batch", "2"}, {"image_size", "16"}};
  static const std::vector<Example> list{
      {.workload = "mlp", .arguments = mlp},
      {.workload = "mlp", .arguments = mlp, .vendors = false},
      {.workload = "squeezenet",
       .arguments = {{"batch", "2"}, {"image_size", "64"}, {"classes", "10"}, {"mode", "inference"}},
       .fused = true},
      {.workload = "resnet56",
       .arguments = {{"batch", "2"}, {"image_size", "16"}, {"mode", "inference"}},
       .fused = true},
      {.workload = "resnet56", .arguments = resnet},
      {.workload = "resnet56", .arguments = resnet, .vendors = false},
      {.workload = "resnet50",
       .arguments = {{"batch", "2"}, {"image_size", "112"}, {"mode", "inference"}},
       .fused = true,
       .simulated = false},
      {.workload = "lstm", .arguments = lstm},
      {.workload = "lstm", .arguments = lstm, .vendors = false},
      {.workload = "attention", .arguments = attention},
      {.workload = "ladder", .arguments = {{"size", "32"}}},
      {.workload = "latency_ladder", .arguments = {{"working_set", "4096"}, {"accesses", "256"}}},
      {.workload = "transfer", .arguments = {{"largest", "16384"}}},
      {.workload = "stream", .arguments = {{"n", "4194304"}}},
      {.workload = "linalg", .arguments = {{"n", "16"}, {"batch", "4"}}},
      {.workload = "divergence", .arguments = {{"n", "1024"}, {"rounds", "4"}}},
  };
  return list;
}

/// A run of that workload with times that follow from its ops' numbers alone. Nothing: it is refused here.
std::optional<CaptureBuilder> builder_of(const Example& example) {
  const auto workload = engine::find_workload(example.workload);
  EXPECT_TRUE(workload.ok()) << example.workload;
  const auto arguments = engine::resolve(**workload, example.arguments);
  EXPECT_TRUE(arguments.ok()) << example.workload << ": " << (arguments.ok() ? "" : arguments.error().message);
  if (!arguments) return std::nullopt;
  auto graph = engine::build_graph(**workload, *arguments);
  EXPECT_TRUE(graph.ok()) << example.workload;
  if (!graph) return std::nullopt;
  const auto shared = std::make_shared<const engine::Graph>(example.fused ? engine::fuse(*graph) : *std::move(graph));
  const auto backend = engine::cpu::make_backend(engine::cpu::BackendOptions{
      .threads = 2, .winograd = engine::WinogradUse::always, .onednn = example.vendors, .openblas = example.vendors});
  const auto plan = engine::Plan::make(shared, **backend);
  EXPECT_TRUE(plan.ok()) << example.workload << ": " << (plan.ok() ? "" : plan.error().message);
  if (!plan) return std::nullopt;
  tests::OpLab lab(2);  // a machine with known roofs
  CaptureBuilder builder = lab.builder();
  builder.run().workload = example.workload;
  builder.run().arguments = *arguments;
  add_plan(builder, **plan);
  builder.add_track({});
  int64_t now = 1000;
  for (uint32_t step = 0; step < 4; ++step) {
    const int64_t begin = now;
    for (const OpRecord& op : builder.so_far().ops()) {
      if (op.view) continue;
      const int64_t ns = 3000 + 977 * (op.id % 41) * (op.id % 7);
      builder.add_activity({.start_ns = now, .duration_ns = ns, .op = op.id, .step = step});
      now += ns;
    }
    builder.add_step({step, begin, now - begin, true, step == 0});
  }
  return builder;
}

/// All that follows from what is known of kernels, in lines.
std::vector<std::string> all_of(const std::shared_ptr<const Capture>& capture, bool simulated) {
  std::vector<std::string> lines;
  const auto analyzed = analyze(capture);
  for (const OpRecord& op : capture->ops()) {
    const Verdict& v = analyzed->verdicts[op.id];
    lines.push_back(fmt::format("{}: {} {} {} {} {} {} {}", capture->name(op.name), headline(v), v.level, v.firm,
                                v.runner_up, v.utilisation, v.next_speedup, cause_text(v)));
    lines.push_back(fmt::format("why: {}", fmt::join(verdict_text(v), " ")));
    for (const auto& level : analyzed->model.op_levels[op.id]) lines.push_back(fmt::format("moves {}", level.total()));
    lines.push_back(fmt::format("code {}", engine::name(code_of(*capture, op))));
  }
  lines.push_back(fmt::format("step: {} {}", headline(analyzed->step), fmt::join(verdict_text(analyzed->step), " ")));
  lines.push_back(summary(*analyzed).sentence);
  for (const RunFinding& f : findings(*analyzed))
    lines.push_back(fmt::format("{} {} {}: {}", f.rule, f.gain_ns, fmt::join(f.ops, ","), f.sentence));
  lines.push_back(fmt::format("winograd {}", winograd_words(winograd_ops(*capture))));
  if (!simulated) return lines;
  const auto source = simulate_step(
      capture,
      {.config = test::hierarchy({"8KiB/8/64:lru", "64KiB/8/64:lru"}), .seconds = 20, .clock = [] { return 0.0; }});
  if (!source) return lines.push_back(source.error().message), lines;
  for (const TrafficRecord& r : source->records)
    lines.push_back(fmt::format("simulated {} {} {}: {} {} {} {} {}", r.op, r.tensor, r.link, r.read_bytes,
                                r.written_bytes, r.write_allocate_bytes, r.hits, r.misses));
  return lines;
}

std::shared_ptr<const Capture> finished(CaptureBuilder builder) {
  auto capture = builder.finish();
  EXPECT_TRUE(capture.ok()) << (capture.ok() ? "" : capture.error().message);
  return capture.ok() ? *capture : nullptr;
}

/// Every kernel under another name.
CaptureBuilder renamed(CaptureBuilder builder,
                       const std::function<KernelFacts(const KernelFacts&, const std::string&)>& facts_as) {
  for (OpId op = 0; op < builder.so_far().ops().size(); ++op) {
    if (!builder.so_far().ops()[op].view)
      builder.set_facts(op, facts_as(builder.so_far().facts(op), fmt::format("zxq{}", op)));
  }
  return builder;
}

TEST(KernelFacts, NothingIsDecidedByANameSoThatNonsenseGivesTheSame) {
  const auto keep_all = [](KernelFacts facts, const std::string& name) {
    facts.name = name;
    return facts;
  };
  const auto keep_name = [](const KernelFacts&, const std::string& name) { return facts_from_name(name); };
  std::set<std::string> forgotten;
  for (const Example& example : examples()) {
    SCOPED_TRACE(fmt::format("{}{}{}", example.workload, example.fused ? ", fused" : "",
                             example.vendors ? "" : ", without libraries"));
    const auto builder = builder_of(example);
    if (!builder) continue;
    const auto named = all_of(finished(*builder), example.simulated),
               nonsense = all_of(finished(renamed(*builder, keep_all)), example.simulated);
    ASSERT_EQ(named.size(), nonsense.size());
    for (size_t i = 0; i < named.size(); ++i) EXPECT_EQ(named[i], nonsense[i]);
    if (all_of(finished(renamed(*builder, keep_name)), example.simulated) != named) forgotten.insert(example.workload);
  }
  // Of kernels of which nothing is known other things follow: what was compared depends on facts. Which of the others
  // do depends on the kernels that are the fastest here (with AVX-512 also resnet50).
  for (const char* workload : {"resnet56", "latency_ladder", "transfer"}) EXPECT_TRUE(forgotten.contains(workload));
}

void edit(const fs::path& file, const std::string& sql) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &handle), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sql << ": " << sqlite3_errmsg(handle);
  sqlite3_close(handle);
}

TEST(KernelFacts, AreKeptInFilesAndReadFromNamesInFilesWithoutThem) {
  const tests::TemporaryFolder folder;
  const fs::path file = folder / "r.tide";
  std::set<std::string> kernels;
  for (const Example& example : examples()) {
    SCOPED_TRACE(fmt::format("{}{}{}", example.workload, example.fused ? ", fused" : "",
                             example.vendors ? "" : ", without libraries"));
    const auto builder = builder_of(example);
    if (!builder) continue;
    const auto capture = finished(*builder);
    for (const OpRecord& op : capture->ops()) {
      kernels.insert(std::string(capture->name(op.kernel)));
      EXPECT_EQ(shown(capture->facts(op.id)), shown(facts_from_name(capture->name(op.kernel))))
          << capture->name(op.kernel);
    }
    ASSERT_TRUE(save_capture(*capture, file).ok());
    const auto opened = open_capture(file);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    EXPECT_EQ(tests::difference(*capture, **opened), "");
    edit(file,
         "PRAGMA user_version = 2; DROP TABLE TIDE_KERNEL_FACTS; DELETE FROM TIDE_CHECKSUM WHERE tableName = "
         "'TIDE_KERNEL_FACTS'");
    const auto older = open_capture(file);
    ASSERT_TRUE(older.ok()) << older.error().message;
    EXPECT_EQ(tests::difference(*capture, **older), "");
    fs::remove(file);
  }
  EXPECT_GT(kernels.size(), 30u);
}

/// Imported kernels are nobody's, in memory as in the file.
TEST(KernelFacts, OfUnknownCodeHaveAnUnknownLibraryBeforeAndAfterTheFile) {
  const tests::TemporaryFolder folder;
  tests::OpLab lab;
  lab.op("relu", {lab.tensor(4096)}, {lab.tensor(4096)}, 1, 1e3, 0, "net", "own relu (AVX2)");
  lab.op("relu", {lab.tensor(4096)}, {lab.tensor(4096)}, 1, 1e3, 0, "net", "oneDNN eltwise");
  lab.builder().set_facts(0, facts_of_imported_kernel("oneDNN eltwise"));
  lab.builder().set_facts(1, {.name = "oneDNN eltwise", .library = engine::KernelLibrary::onednn});
  const auto capture = lab.finish();
  ASSERT_TRUE(save_capture(*capture, folder / "r.tide").ok());
  const auto opened = open_capture(folder / "r.tide");
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  for (const Capture* c : {capture.get(), opened->get()}) {
    EXPECT_EQ(c->facts(0).library, engine::KernelLibrary::unknown);
    EXPECT_EQ(c->facts(1).library, engine::KernelLibrary::onednn);
    EXPECT_EQ(c->facts(99).library, engine::KernelLibrary::unknown) << "nothing was said of it";
  }
}

TEST(KernelFacts, OfSeveralPartsAreOfTheFirstLibraryThatIsNotOurs) {
  using engine::KernelLibrary;
  const KernelFacts own{.name = "own"}, dnn{.name = "dnn", .library = KernelLibrary::onednn},
      view = engine::view_facts();
  const auto library_of = [](std::vector<KernelFacts> parts) { return engine::joined(parts, ", ").library; };
  EXPECT_EQ(library_of({}), KernelLibrary::unknown);
  EXPECT_EQ(library_of({view}), KernelLibrary::unknown);
  EXPECT_EQ(library_of({view, own}), KernelLibrary::own);
  EXPECT_EQ(library_of({own, view}), KernelLibrary::own);
  EXPECT_EQ(library_of({own, dnn, own}), KernelLibrary::onednn);
}

/// Done: for each group of as many neighbours as there are lanes, lanes times the different paths among them.
TEST(KernelFacts, LaneWorkIsThatOfEachPathAmongNeighbours) {
  for (const std::string version : {"masked", "elements"}) {
    for (const std::string order : {"sorted", "in_turn", "shuffled"}) {
      const auto builder = builder_of({.workload = "divergence",
                                       .arguments = {{"n", "1003"},
                                                     {"rounds", "2"},
                                                     {"paths", "6"},
                                                     {"order", order},
                                                     {"version", version},
                                                     {"control", "off"}}});
      ASSERT_TRUE(builder);
      const engine::LaneWork work = builder->so_far().facts(0).lane_work;
      ASSERT_GT(work.lanes, 0);
      EXPECT_EQ(work.kept, 1003);
      if (version == "elements") {
        EXPECT_EQ(work.lanes, 1);
        EXPECT_EQ(work.done, 1003);
      } else if (order == "in_turn") {  // neighbours 0 1 2 3 4 5 0 1 ...
        int64_t done = 0;
        for (int64_t from = 0; from < 1003; from += work.lanes)
          done += work.lanes * std::min<int64_t>({6, work.lanes, 1003 - from});
        EXPECT_EQ(work.done, done);
      } else if (order == "sorted") {  // one path each, but for the five places where the path changes
        const int64_t groups = (1003 + work.lanes - 1) / work.lanes;
        int64_t changes = 0;
        for (int64_t at = 168; at < 1003; at += 168) changes += at % work.lanes != 0 ? 1 : 0;
        EXPECT_EQ(work.done, work.lanes * (groups + changes));
      } else {
        EXPECT_GT(work.done, work.kept);
      }
    }
  }
}

TEST(KernelFacts, ThatAreImpossibleAreRefusedByTableAndColumn) {
  const tests::TemporaryFolder folder;
  const fs::path file = folder / "r.tide";
  tests::OpLab lab;
  lab.op("relu", {lab.tensor(4096)}, {lab.tensor(4096)}, 1, 1e3, 0, "net", "own relu (AVX2)");
  lab.op("relu", {lab.tensor(4096)}, {lab.tensor(4096)}, 1, 1e3, 0, "net", "own relu (AVX2)");
  const auto capture = lab.finish();
  const auto refused_by = [&](const std::string& change, const std::string& said) {
    ASSERT_TRUE(save_capture(*capture, file).ok());
    edit(file, change + "; DELETE FROM TIDE_CHECKSUM; UPDATE TIDE_RUN SET value = 0 WHERE key = 'closed'");
    const auto refused = open_capture(file);
    ASSERT_FALSE(refused.ok()) << change;
    EXPECT_NE(refused.error().message.find("TIDE_KERNEL_FACTS"), std::string::npos) << refused.error().message;
    EXPECT_NE(refused.error().message.find(said), std::string::npos) << refused.error().message;
    fs::remove(file);
  };
  refused_by("DELETE FROM TIDE_KERNEL_FACTS WHERE opId = 1", "no row of op 1");
  const std::string copy =
      "CREATE TABLE c AS SELECT * FROM TIDE_KERNEL_FACTS; DROP TABLE TIDE_KERNEL_FACTS; ALTER TABLE c RENAME TO "
      "TIDE_KERNEL_FACTS";
  refused_by(copy + "; INSERT INTO TIDE_KERNEL_FACTS SELECT * FROM TIDE_KERNEL_FACTS", "there twice");
  refused_by(copy + "; UPDATE TIDE_KERNEL_FACTS SET code = NULL", "code");
  struct Case {
    const char *set, *said;
  };
  for (const Case& c :
       {Case{"library = 'x'", "library \"x\" is unknown"}, Case{"winogradTile = 3", "winogradTile 3"},
        Case{"winogradTile = 40", "winogradTile"}, Case{"copyLayout = ''", "copyLayout"},
        Case{"roundTrip = 2", "roundTrip"}, Case{"tileRows = -1", "tileRows"}, Case{"opId = opId + 7", "opId"}}) {
    refused_by(fmt::format("UPDATE TIDE_KERNEL_FACTS SET {}", c.set), c.said);
  }
}

}  // namespace
}  // namespace profiler
