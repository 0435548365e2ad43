// SPDX-License-Identifier: Apache-2.0
// Sampled sets against all of them, op by op over whole workloads: how far off, and whether the error that is said
// covers it.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/runtime/plan.h"
#include "engine/workloads/workload.h"
#include "profiler/memory/cache_simulator.h"
#include "profiler/memory/captured_access.h"
#include "profiler/record/plan_records.h"
#include "tests/profiler/memory/cache_hierarchy.h"

namespace profiler {
namespace {

struct Case {
  const char* workload;
  engine::Arguments settings;
};

std::shared_ptr<const Capture> planned(const Case& one) {
  const auto found = engine::find_workload(one.workload);
  EXPECT_TRUE(found.ok()) << one.workload;
  const engine::Workload& workload = **found;
  const auto arguments = engine::resolve(workload, one.settings);
  EXPECT_TRUE(arguments.ok()) << arguments.error().message;
  const auto graph = engine::build_graph(workload, *arguments);
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  const auto memory = engine::plan_memory(*graph);
  CaptureBuilder builder;
  add_planned(builder, *graph, *memory);
  return *builder.finish();
}

struct Tally {
  int figures = 0, covered = 0;  // misses of an op into a level; within the error said
  int unknown = 0;               // no line of the op fell into the sample
  double worst_large = 0;        // relative, of those with kLarge misses or more
  std::string large, far;        // which; those beyond twice the error said
  int off = 0;                   // by more than 0.5 %
  std::string uncovered;         // those of them that are beyond the error said
};

constexpr double kLarge = 20000;

/// Two steps op by op, the second counted, with all sets and with one of eight.
void compare(const Case& one, const CacheConfig& config, Tally& tally) {
  const auto step = CapturedStep::make(planned(one), CacheSimulator::address_limit(config));
  ASSERT_TRUE(step.ok()) << step.error().message;
  std::vector<OpId> ops;
  for (const OpRecord& op : step->capture().ops()) {
    if (!op.view && step->objection(op.id).empty()) ops.push_back(op.id);
  }
  std::vector<std::string> names{"first step"};
  for (const OpId op : ops) names.emplace_back(step->capture().name(step->capture().ops()[op].name));
  const auto describe = [&](engine::AccessSink& sink, size_t epoch) {
    if (epoch > 0) {
      step->describe(ops[epoch - 1], sink);
    } else {
      for (const OpId op : ops) step->describe(op, sink);
    }
  };
  const auto all = simulate(config, {.tensors = step->tensor_count()}, names, describe),
             part = simulate(config, {.tensors = step->tensor_count(), .sample = 8}, names, describe);
  ASSERT_TRUE(all.ok() && part.ok());
  for (size_t e = 1; e < all->size(); ++e) {
    for (size_t l = 0; l < config.levels.size(); ++l) {
      const auto want = static_cast<double>((*all)[e].total(l).misses()),
                 got = static_cast<double>((*part)[e].total(l).misses());
      const double error = (*part)[e].miss_errors[l], off = std::abs(got - want);
      EXPECT_EQ(std::isnan(error), !(*part)[e].known()) << one.workload << " " << names[e];
      if (!(*part)[e].known()) {
        ++tally.unknown;
        EXPECT_LT((*all)[e].total(0).accesses(), 4096u) << names[e] << ": so many lines, and none in the sample";
        continue;
      }
      ++tally.figures;
      tally.covered += off <= error ? 1 : 0;
      const std::string what = fmt::format("{} {} {}: {} of {}, said {:.0f}; ", one.workload, names[e],
                                           config.levels[l].name, got, want, error);
      if (off > 2 * error) tally.far += what;
      tally.off += off > 0.005 * want ? 1 : 0;
      if (off > 0.005 * want && off > error) tally.uncovered += what;
      if (want >= kLarge && off / want > tally.worst_large) tally.worst_large = off / want, tally.large = what;
    }
  }
}

TEST(CacheSampling, OneSetOfEightComesNearOnEveryOpAndSaysHowNear) {
  const CacheConfig config = test::hierarchy({"32KiB/8/64:lru", "1MiB/16/64:lru"});
  Tally tally;
  for (const Case& one : std::vector<Case>{{"gemm", {{"m", "256"}, {"n", "256"}, {"k", "256"}}},
                                           {"ladder", {{"product", "matmul"}, {"size", "256"}}},
                                           {"mlp", {}},
                                           {"attention", {{"sequence", "256"}}},
                                           {"embedding_bag", {}},
                                           {"lstm", {{"layers", "1"}, {"batch", "2"}}}}) {
    compare(one, config, tally);
  }
  RecordProperty("worst", tally.large);
  fmt::print("{} figures, {} within the error said; worst of {} misses or more: {:.2f} % ({}); beyond twice: {}\n",
             tally.figures, tally.covered, kLarge, 100 * tally.worst_large, tally.large, tally.far);
  EXPECT_GT(tally.figures, 100);
  EXPECT_GE(tally.covered, 0.9 * tally.figures) << tally.far;
  EXPECT_EQ(tally.far, "");
  EXPECT_LE(tally.worst_large, 0.005) << tally.large;
}

// All workloads, small. Where a figure is off by more than 0.5 %, the error said covers it; nearly all others, too.
// (What is simulated from a sample of its own accord is a thousand times as long, and the errors are smaller.)
TEST(CacheSampling, OnEveryOpOfEveryWorkloadTheErrorSaidCoversTheOneMade) {
  const CacheConfig config = test::hierarchy({"32KiB/8/64:lru", "1MiB/16/64:lru"});
  Tally tally;
  for (const engine::Workload& workload : engine::workloads())
    compare({workload.name.c_str(), workload.small}, config, tally);
  fmt::print(
      "{} figures, {} within the error said; {} off by more than 0.5 %, of these beyond the error said: {}; {} "
      "unknown\n",
      tally.figures, tally.covered, tally.off, tally.uncovered, tally.unknown);
  EXPECT_LT(tally.unknown, tally.figures / 10);
  EXPECT_GT(tally.figures, 5000);
  EXPECT_GE(tally.covered, 0.999 * tally.figures);
  EXPECT_EQ(tally.far, "") << "beyond twice the error said";
  EXPECT_GT(tally.off, 10) << "there is something to cover";
  EXPECT_LE(std::ranges::count(tally.uncovered, ';'), 1) << tally.uncovered;
}

// A stride of all sets comes to one set: the sample meets all of its accesses or none. All of them miss.
TEST(CacheSampling, AStrideThatTheSampleDoesNotMeetIsUnknownAndNotWithoutMisses) {
  const CacheConfig config = test::hierarchy({"32KiB/8/64:lru", "1MiB/16/64:lru"});
  constexpr uint64_t kLoads = 20000;
  int met = 0;
  for (uint64_t offset = 0; offset < 4096; offset += 64) {
    const auto epochs = simulate(config, {.tensors = 2, .sample = 8}, {"cold"}, [&](engine::AccessSink& sink, size_t) {
      sink.group(kLoads, {{(1 << 20) + offset, 4096, 1, 4, engine::AccessKind::load}});
    });
    ASSERT_TRUE(epochs.ok()) << epochs.error().message;
    const CacheEpoch& epoch = epochs->front();
    EXPECT_EQ(epoch.total(0).loads, kLoads);
    met += epoch.known() ? 1 : 0;
    EXPECT_EQ(epoch.known(1), epoch.known());
    EXPECT_TRUE(epoch.known(0) || !epoch.known()) << "of a tensor without accesses nothing is missing";
    for (size_t l = 0; l < 2; ++l) {
      if (epoch.known()) {
        EXPECT_EQ(epoch.miss_ratio(l), 1) << offset;
        EXPECT_EQ(epoch.miss_ratio(l, 1), 1) << offset;
        EXPECT_EQ(epoch.global_miss_ratio(l), 1) << offset;
        EXPECT_GT(epoch.miss_errors[l], static_cast<double>(epoch.total(l).misses()))
            << "one of eight sets has them all";
      } else {
        EXPECT_TRUE(std::isnan(epoch.miss_ratio(l)) && std::isnan(epoch.miss_ratio(l, 1)) &&
                    std::isnan(epoch.global_miss_ratio(l)))
            << offset;
        EXPECT_TRUE(std::isnan(epoch.miss_errors[l])) << offset;
      }
    }
    EXPECT_EQ(sampling_text(epoch, config), "L1 unknown, L2 unknown");
  }
  EXPECT_EQ(met, 8) << "one of eight places";
}

TEST(CacheSampling, MissRatiosAreThoseOfTheSetsSampled) {
  const CacheConfig config = test::hierarchy({"32KiB/8/64:lru"});
  // Two rounds over half of the cache: the second hits. Beside them a tensor in one line.
  const auto describe = [](engine::AccessSink& sink, size_t) {
    for (int round = 0; round < 2; ++round) sink.group(256, {{1 << 20, 64, 0, 4, engine::AccessKind::load}});
    sink.group(100, {{2 << 20, 0, 1, 4, engine::AccessKind::load}});
  };
  const auto all = simulate(config, {.tensors = 2}, {"cold"}, describe),
             part = simulate(config, {.tensors = 2, .sample = 8}, {"cold"}, describe);
  ASSERT_TRUE(all.ok() && part.ok());
  EXPECT_DOUBLE_EQ(all->front().miss_ratio(0), 257.0 / 612);
  EXPECT_DOUBLE_EQ(all->front().miss_ratio(0, 1), 0.01);
  EXPECT_DOUBLE_EQ(part->front().miss_ratio(0), 0.5)
      << "the line of the other tensor lies elsewhere, and so do its accesses";
  EXPECT_TRUE(part->front().known() && part->front().known(0));
  EXPECT_FALSE(part->front().known(1));
  EXPECT_TRUE(std::isnan(part->front().miss_ratio(0, 1)));
}

TEST(CacheSampling, ErrorsAreSaidInPlainFigures) {
  EXPECT_EQ(error_text(0.0053), "± 0.53 %");
  EXPECT_EQ(error_text(0.0996), "± 10 %");
  EXPECT_EQ(error_text(0.126), "± 13 %");
  EXPECT_EQ(error_text(1), "unknown");
  EXPECT_EQ(error_text(std::nan("")), "unknown");
  CacheEpoch epoch;
  const CacheConfig config = test::hierarchy({"32KiB/8/64:lru"});
  epoch.levels = {{{.loads = 10, .load_misses = 10}}};
  epoch.miss_errors = {12};
  EXPECT_EQ(sampling_text(epoch, config), "L1 unknown") << "not +-1.2e+02 %";
  epoch.levels[0][0].load_misses = 0;
  EXPECT_EQ(sampling_text(epoch, config), "L1 ± 12 lines");
}

}  // namespace
}  // namespace profiler
