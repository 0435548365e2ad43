// SPDX-License-Identifier: Apache-2.0
// tensortide cache as a user meets it: a trace through given caches, and what it refuses.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/app/cli/process.h"

namespace {

using nlohmann::json;
using test::tensortide;

std::string trace_file(const std::string& text) {
  const auto path = test::fresh_folder() / "t.din";
  std::ofstream(path) << text;
  return path.string();
}

TEST(CacheCommand, CountsATrace) {
  // Two lines that share the one set of a direct-mapped cache, read in turn, the second one written.
  std::string text;
  for (int i = 0; i < 100; ++i) text += "0 1000 4\n1 2000 4\n";
  const test::Outcome ran = tensortide(fmt::format(
      "cache --trace {} --level 1KiB/1/64:lru --level 64KiB/8/64:lru --causes --flush --json", trace_file(text)));
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const json document = json::parse(ran.out);
  const json& epoch = document["epochs"][0];
  EXPECT_EQ(epoch["origin"], "simulated");
  EXPECT_EQ(epoch["levels"][0]["load_misses"], 100);
  EXPECT_EQ(epoch["levels"][0]["store_misses"], 100);
  EXPECT_EQ(epoch["levels"][0]["causes"]["conflict"], 198);
  EXPECT_EQ(epoch["levels"][1]["load_misses"], 1);
  EXPECT_EQ(epoch["levels"][1]["write_backs"], 99);
  EXPECT_EQ(epoch["memory"]["read_bytes"], 128);
  EXPECT_EQ(epoch["memory"]["written_bytes"], 64);
  EXPECT_EQ(document["hierarchy"]["levels"][0]["replacement"], "lru");
}

void expect_wrong_usage(const std::string& arguments, const std::vector<std::string>& words) {
  const test::Outcome ran = tensortide("cache " + arguments);
  EXPECT_EQ(ran.exit_code, 2) << arguments << "\n" << ran.out;
  for (const std::string& word : words)
    EXPECT_NE(ran.err.find(word), std::string::npos) << arguments << ": no \"" << word << "\" in\n" << ran.err;
}

TEST(CacheCommand, FlagsOfWorkloadsDoNotGoWithATraceNorThoseOfTracesWithAWorkload) {
  const std::string trace = "--level 1KiB/1/64:lru --trace " + trace_file("0 1000 4\n");
  ASSERT_EQ(tensortide("cache " + trace).exit_code, 0);
  for (const auto& [flag, value] : {std::pair{"--mode", "bananas"},
                                    {"--preset", "nope"},
                                    {"--set", "foo=1"},
                                    {"--batch", "3"},
                                    {"--fuse", "off"},
                                    {"--dtype", "f32"}}) {
    expect_wrong_usage(fmt::format("{} {} {}", trace, flag, value), {fmt::format("[{}]", flag), "--trace"});
  }
  expect_wrong_usage(trace + " --threads many", {"[--threads]"});
  for (const char* flag : {"--trace-format din", "--instructions", "--flush"}) {
    expect_wrong_usage(fmt::format("gemm --level 1KiB/1/64:lru {}", flag),
                       {std::string(flag).substr(0, std::string_view(flag).find(' ')), "requires --trace"});
  }
}

TEST(CacheCommand, SaysWhatSimulatesRunsAndCaptures) {
  expect_wrong_usage("lstm --without onednn", {"[--without]", "Tensortide's own kernels",
                                               "`tensortide run lstm --without onednn --collect simulate`"});
  const std::string file = (test::fresh_folder() / "r.tide").string();
  ASSERT_EQ(tensortide(fmt::format("run stream --set n=1000 --threads 1 --steps 2 --warmup 0 --no-probe -o {}", file))
                .exit_code,
            0);
  for (const char* given : {"", "--trace "}) {
    expect_wrong_usage(given + file,
                       {file + " is a capture", "--collect simulate", "`tensortide run stream", "--table cache"});
  }
  const test::Outcome none = tensortide(fmt::format("analyze {} --table cache_tensors", file));
  EXPECT_EQ(none.exit_code, 0) << none.err;
  EXPECT_NE(none.out.find("No rows: no caches were simulated; record with simulated caches."), std::string::npos)
      << none.out;
}

TEST(CacheCommand, BytesIntoALevelTakeInWhatIsPrefetchedThroughIt) {
  std::string text;
  for (int line = 0; line < 64; ++line) text += fmt::format("0 {:x} 4\n", 64 * line);
  const test::Outcome ran = tensortide(
      fmt::format("cache --trace {} --level 4KiB/8/64:lru,stride --level 64KiB/8/64:lru --json", trace_file(text)));
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const json epoch = json::parse(ran.out)["epochs"][0];
  EXPECT_EQ(epoch["memory"]["read_bytes"], 4096);
  EXPECT_EQ(epoch["levels"][1]["load_misses"], 3);
  EXPECT_EQ(epoch["levels"][1]["prefetch_misses"], 61);
  EXPECT_EQ(epoch["levels"][0]["in_bytes"], 4096);
  EXPECT_EQ(epoch["levels"][1]["in_bytes"], 4096);
}

TEST(CacheCommand, TakesEveryRecordOfADinTrace) {
  const std::string file = trace_file("3 1000 4\n1 1000 4\n4 1000 4\n5 1000 4\n0 1000 4\n");
  const test::Outcome ran = tensortide(fmt::format("cache --trace {} --level 1KiB/4/64:lru --flush --json", file));
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const json document = json::parse(ran.out);
  EXPECT_EQ(document["trace"]["miscellaneous_loads"], 1);
  EXPECT_EQ(document["trace"]["copy_backs"], 1);
  EXPECT_EQ(document["trace"]["invalidations"], 1);
  EXPECT_EQ(document["epochs"][0]["levels"][0]["load_misses"], 2) << "once more after the line was invalidated";
  EXPECT_EQ(document["epochs"][0]["memory"]["written_bytes"], 64);
  const test::Outcome causes =
      tensortide(fmt::format("cache --trace {} --level 1KiB/4/64:fifo --causes --rules dinero", file));
  ASSERT_EQ(causes.exit_code, 0) << causes.err;
  EXPECT_NE(
      causes.out.find(
          "2 loads (1 of them miscellaneous), 1 store, 0 instruction fetches, 1 copy-back, 1 invalidation ignored"),
      std::string::npos)
      << causes.out;
  EXPECT_NE(causes.out.find("for L1 a FIFO one"), std::string::npos) << causes.out;
  const std::string sampled = fmt::format("cache --trace {} --level 1KiB/4/64:lru --curve --curve-sample 1/2", file),
                    said = "1 invalidation (the curve ignores them)";
  const test::Outcome curve = tensortide(sampled);
  EXPECT_NE(curve.out.find(said), std::string::npos) << curve.out;
  const json curve_document = json::parse(tensortide(sampled + " --json").out);
  EXPECT_NE(curve_document["what"].get<std::string>().find(said), std::string::npos) << curve_document["what"];
  EXPECT_EQ(curve_document["epochs"][0]["levels"][0]["load_misses"], 2) << "the caches do";
}

TEST(CacheCommand, CountsOneOfEachInTheSingularAndNothingNotAtAll) {
  const auto one = tensortide(fmt::format("cache --trace {} --level 1KiB/1/64:lru", trace_file("0 1000 4\n")));
  ASSERT_EQ(one.exit_code, 0) << one.err;
  EXPECT_NE(one.out.find("1 line, 1 load, 0 stores, 0 instruction fetches"), std::string::npos) << one.out;
  const auto none = tensortide(fmt::format("cache --trace {} --level 1KiB/1/64:lru", trace_file("")));
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_EQ(none.out, "");
  EXPECT_NE(none.err.find("holds no memory access"), std::string::npos) << none.err;
}

TEST(CacheCommand, SimulatesAWorkload) {
  const test::Outcome ran =
      tensortide("cache gemm --set m=256 --set n=256 --set k=256 --level 32KiB/8/64:lru --level 4MiB/16/64:lru --json");
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const json document = json::parse(ran.out);
  // All of it fits in the second level: memory is read once, cold, and not at all in the next step.
  const json& cold = document["epochs"][0];
  EXPECT_GE(cold["memory"]["read_bytes"], 3 * 256 * 256 * 4);
  EXPECT_EQ(document["epochs"][1]["memory"]["read_bytes"], 0);
  EXPECT_GT(document["epochs"][1]["levels"][0]["load_misses"], 0);
  const test::Outcome threads = tensortide(
      "cache gemm --set m=256 --set n=256 --set k=256 --level 32KiB/8/64:lru --level 4MiB/16/64:lru --json --threads "
      "1");
  EXPECT_EQ(json::parse(threads.out)["epochs"], document["epochs"]);
}

TEST(CacheCommand, ScratchWithoutASizeIsUnknownNotEmpty) {
  const test::Outcome ran = tensortide("cache gemm --set m=256 --set n=256 --set k=256 --level 32KiB/8/64:lru");
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const size_t line = ran.out.find("(packed panels)");
  ASSERT_NE(line, std::string::npos) << ran.out;
  const std::string row = ran.out.substr(line, ran.out.find('\n', line) - line);
  EXPECT_NE(row.find("–"), std::string::npos) << row;
  EXPECT_EQ(row.find(" 0 B  "), std::string::npos) << row;
}

TEST(CacheCommand, SaysWhereARunMayChooseALibrary) {
  const auto said = [](const std::string& workload) {
    return tensortide("cache " + workload + " --level 32KiB/8/64:lru").out;
  };
  const std::string product = said("gemm --set m=16 --set n=16 --set k=16"),
                    rung = said("ladder --set size=20 --set rung=tiled"),
                    library = said("ladder --set size=20 --set rung=library");
  EXPECT_NE(product.find("1 GEMM is simulated by Tensortide's own kernel, though a run may call a library"),
            std::string::npos)
      << product;
  EXPECT_NE(rung.find("1 op by the loops of Tensortide's kernels, 0 by assumed tiles"), std::string::npos) << rung;
  EXPECT_EQ(rung.find("may call a library"), std::string::npos) << rung;
  EXPECT_NE(library.find("1 op by the loops of Tensortide's kernels, 1 by assumed tiles (libraries)"),
            std::string::npos)
      << library;  // the sigmoid is ours
}

TEST(CacheCommand, TellsTheRungsOfTheLadderApart) {
  const test::Outcome ran = tensortide(
      "cache ladder --set product=matmul --set size=144 --level 8KiB/8/64:lru --level 4MiB/16/64:lru --json");
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const json document = json::parse(ran.out);
  std::map<std::string, uint64_t> brought;
  uint64_t refs = 0;
  for (const json& op : document["ops"]) {
    brought[op["op"]] = op["levels"][0]["in_bytes"];
    refs += op["refs"].get<uint64_t>();
    EXPECT_EQ(op["memory"]["read_bytes"], 0) << op["op"];  // the second level holds all
  }
  EXPECT_EQ(refs, document["epochs"][1]["refs"].get<uint64_t>());
  ASSERT_TRUE(brought.contains("naive/ladder_product") && brought.contains("library/matmul"));
  EXPECT_GT(brought["naive/ladder_product"], 8 * brought["reordered/ladder_product"]);
  EXPECT_NE(tensortide("cache ladder --set size=20").out.find("naive/ladder_product"), std::string::npos);
}

TEST(CacheCommand, SamplesATraceAndScales) {
  std::string text;  // sixteen lines, one in each set; every fourth set is simulated
  for (int line = 0; line < 16; ++line) text += fmt::format("0 {:x} 4\n", 4096 + 64 * line);
  const test::Outcome ran =
      tensortide(fmt::format("cache --trace {} --level 1KiB/1/64:lru --sample 1/4 --json", trace_file(text)));
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const json epoch = json::parse(ran.out)["epochs"][0];
  EXPECT_EQ(epoch["sampled_share"], 0.25);
  EXPECT_EQ(epoch["levels"][0]["load_misses"], 16);
  EXPECT_NEAR(epoch["levels"][0]["misses_error"].get<double>(), 2 * 4 * std::sqrt(4 * 0.75), 1e-6)
      << "all sets alike: as if four lines had fallen on them by chance";
  EXPECT_NEAR(epoch["levels"][0]["misses_error_ratio"].get<double>(), std::sqrt(3) / 2, 1e-6);
  const test::Outcome words =
      tensortide(fmt::format("cache --trace {} --level 1KiB/1/64:lru --sample 1/4", trace_file(text)));
  EXPECT_NE(words.out.find("misses L1 ± "), std::string::npos) << words.out;
  EXPECT_NE(words.out.find("Loads and stores of L1 are exact"), std::string::npos) << words.out;
  // A stride of all sets that the sample does not meet: each of them misses, but nobody saw it.
  std::string stride;
  for (int i = 0; i < 50; ++i) stride += fmt::format("0 {:x} 4\n", 1048576 + 1024 * i);
  const std::string unmet = fmt::format("cache --trace {} --level 1KiB/1/64:lru --sample 1/4", trace_file(stride));
  const json unknown = json::parse(tensortide(unmet + " --json").out)["epochs"][0];
  EXPECT_EQ(unknown["levels"][0]["loads"], 50);
  EXPECT_EQ(unknown["levels"][0]["tensors"][0]["loads"], 50);
  for (const char* key :
       {"load_misses", "store_misses", "write_backs", "in_bytes", "misses_error", "misses_error_ratio", "set_misses"})
    EXPECT_TRUE(unknown["levels"][0].at(key).is_null()) << key;
  EXPECT_TRUE(unknown["levels"][0]["tensors"][0].at("load_misses").is_null());
  EXPECT_TRUE(unknown["memory"].at("read_bytes").is_null());
  const test::Outcome unknown_words = tensortide(unmet);
  EXPECT_NE(unknown_words.out.find("Memory: unknown: no access met a set that was simulated"), std::string::npos)
      << unknown_words.out;
  EXPECT_NE(unknown_words.out.find("misses L1 unknown"), std::string::npos) << unknown_words.out;
  EXPECT_EQ(unknown_words.out.find("0 %"), std::string::npos) << unknown_words.out;
  EXPECT_EQ(unknown_words.out.find("0 B"), std::string::npos) << unknown_words.out;
  // Accesses are as many as were made, whichever sets stand for all.
  const json few = json::parse(tensortide(fmt::format("cache --trace {} --level 1KiB/4/64:lru --sample 1/2 --json",
                                                      trace_file("0 1000 4\n1 1040 4\n0 1fffe50 4\n")))
                                   .out)["epochs"][0];
  EXPECT_EQ(few["refs"], 3);
  EXPECT_EQ(few["levels"][0]["loads"], 2);
  EXPECT_EQ(few["levels"][0]["stores"], 1);
  // What is asked for is done, however short.
  const std::string gemm = "cache gemm --set m=64 --set n=64 --set k=64 --level 32KiB/8/64:lru";
  const json sampled = json::parse(tensortide(gemm + " --sample 1/8 --json").out),
             exact = json::parse(tensortide(gemm + " --json").out);
  for (const size_t e : {0, 1}) {
    EXPECT_EQ(sampled["epochs"][e]["sampled_share"], 0.125);
    EXPECT_EQ(sampled["epochs"][e]["levels"][0]["loads"], exact["epochs"][e]["levels"][0]["loads"]);
    EXPECT_EQ(sampled["epochs"][e]["levels"][0]["stores"], exact["epochs"][e]["levels"][0]["stores"]);
  }
  EXPECT_NE(tensortide(gemm + " --sample 1/8").out.find("Sampled: 1/8 of the sets"), std::string::npos);
}

TEST(CacheCommand, TracesOfRealAddressesGoThroughAnyNumberOfSets) {
  const std::string trace = trace_file("1 1ffeffe7c8 8\n0 4000000 8\n0 1ffeffe7c8 8\n");
  // Lines 2147221407 and 1048576: both in set 1 of 11, in sets 15 and 16 of 48.
  for (const auto& [level, load_misses] :
       {std::pair("33KiB/11/64", 1), std::pair("3KiB/1/64", 1), std::pair("36MiB/12/64", 1), std::pair("32KiB/8/64", 1),
        std::pair("704/1/64", 2)}) {
    const test::Outcome ran = tensortide(fmt::format("cache --trace {} --level {} --json", trace, level));
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    const json l1 = json::parse(ran.out)["epochs"][0]["levels"][0];
    EXPECT_EQ(l1["load_misses"], load_misses) << level;
    EXPECT_EQ(l1["store_misses"], 1);
  }
  const test::Outcome refused =
      tensortide(fmt::format("cache --trace {} --level 64000192/1/64 --level 64002112/1/64", trace));
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_NE(refused.err.find("L1 1000003, L2 1000033"), std::string::npos) << refused.err;
}

TEST(CacheCommand, TakesTheCachesOfAKnownProcessor) {
  const std::string trace = trace_file("1 1ffeffe7c8 8\n");
  const json hierarchy =
      json::parse(tensortide(fmt::format("cache --trace {} --hierarchy zen3 --json", trace)).out)["hierarchy"];
  EXPECT_EQ(hierarchy["text"], "L1 32 KiB 8-way lru, L2 512 KiB 8-way lru inclusive, L3 32 MiB 16-way lru victim");
  EXPECT_NE(hierarchy["origin"].get<std::string>().find("EPYC 7763"), std::string::npos);
  EXPECT_NE(hierarchy["origin"].get<std::string>().find("assumed"), std::string::npos);
  const test::Outcome both = tensortide(fmt::format("cache --trace {} --hierarchy zen3 --level 32KiB/8/64", trace)),
                      none = tensortide(fmt::format("cache --trace {} --hierarchy zem3", trace));
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_NE(both.err.find("one of them"), std::string::npos) << both.err;
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("zen3"), std::string::npos) << none.err;
  const test::Outcome help = tensortide("cache --help");
  for (const char* part : {"--hierarchy", "skylake-sp", "mru_n", "srrip"})
    EXPECT_NE(help.out.find(part), std::string::npos) << part;
}

TEST(CacheCommand, FetchesSectors) {
  std::string text;  // a column, then its neighbour in the same lines
  for (int i = 0; i < 64; ++i) text += fmt::format("0 {:x} 4\n", 4096 + 128 * (i % 32) + 32 * (i / 32));
  const std::string command = fmt::format("cache --trace {} --level 16KiB/4/128:lru,sector=32", trace_file(text));
  const json document = json::parse(tensortide(command + " --json").out);
  EXPECT_EQ(document["hierarchy"]["levels"][0]["sector_bytes"], 32);
  const json& level = document["epochs"][0]["levels"][0];
  EXPECT_EQ(level["load_misses"], 64);
  EXPECT_EQ(level["sector_misses"], 32);
  EXPECT_EQ(level["in_bytes"], 64 * 32);
  EXPECT_EQ(document["epochs"][0]["memory"]["read_bytes"], 64 * 32);
  EXPECT_NE(tensortide(command).out.find(
                "L1: 64 sectors of 32 B fetched (2.05 kB); 32 of the misses found their line, not its sectors."),
            std::string::npos)
      << tensortide(command).out;
}

TEST(CacheCommand, SamplesACurveByLines) {
  std::string text;  // 20,000 lines, twice
  for (int i = 0; i < 40000; ++i) text += fmt::format("0 {:x} 4\n", 4096 + 64 * (i % 20000));
  const std::string command = fmt::format("cache --trace {} --level 32KiB/8/64:lru --curve", trace_file(text));
  const json exact = json::parse(tensortide(command + " --json").out)["curve"],
             sampled = json::parse(tensortide(command + " --curve-sample 1/100 --json").out)["curve"];
  EXPECT_EQ(exact["sampled_share"], 1);
  EXPECT_FALSE(exact["points"][0].contains("miss_ratio_error"));
  EXPECT_EQ(sampled["sampled_share"], 0.01);
  EXPECT_NEAR(sampled["sampled_lines"].get<double>(), 200, 1) << "one of each hundred";
  EXPECT_EQ(sampled["accesses"], exact["accesses"]);
  EXPECT_EQ(sampled["origin"], "simulated");
  EXPECT_NEAR(sampled["points"].back()["misses"].get<double>(), exact["points"].back()["misses"].get<double>(), 200);
  EXPECT_GT(sampled["points"][0]["miss_ratio_error"].get<double>(), 0);
  const test::Outcome words = tensortide(command + " --curve-sample 1/100");
  EXPECT_NE(words.out.find("Sampled by lines (SHARDS): 1/100 of the lines, 20"), std::string::npos) << words.out;
  const json bounded = json::parse(tensortide(command + " --curve-lines 1000 --json").out)["curve"];
  EXPECT_EQ(bounded["sampled_share"], 1.0 / 32) << "20,000 lines in up to 1,000";
  // Sets and lines are sampled apart: the exact curve goes with an eighth of the sets.
  const json both = json::parse(tensortide(command + " --sample 1/8 --json").out);
  EXPECT_EQ(both["epochs"][0]["sampled_share"], 0.125);
  EXPECT_EQ(both["curve"]["points"], exact["points"]);
  // A workload's curve follows it through both steps.
  const std::string gemm = "cache gemm --set m=96 --set n=96 --set k=96 --level 32KiB/8/64:lru --curve --json";
  const json whole = json::parse(tensortide(gemm).out)["curve"],
             half = json::parse(tensortide(gemm + " --curve-sample 1/2").out)["curve"];
  EXPECT_EQ(half["accesses"], whole["accesses"]);
  EXPECT_NEAR(half["points"].back()["misses"].get<double>(), whole["points"].back()["misses"].get<double>(),
              0.05 * whole["points"].back()["misses"].get<double>() + 20);
}

TEST(CacheCommand, TellsColdWarmAndSteadyApart) {
  // The second op finds b, not a, as the first level holds one of them; each once more right after itself finds its
  // own.
  std::string text;
  for (int line = 0; line < 8; ++line) text += fmt::format("0 {:x} 4\n", 4096 + 64 * line);
  const json trace = json::parse(
      tensortide(fmt::format("cache --trace {} --level 1KiB/1/64:lru --warm --json", trace_file(text))).out);
  ASSERT_EQ(trace["epochs"].size(), 2u);
  EXPECT_EQ(trace["epochs"][0]["levels"][0]["load_misses"], 8);
  EXPECT_EQ(trace["epochs"][1]["levels"][0]["load_misses"], 0);
  const test::Outcome ran = tensortide("cache mlp --level 32KiB/8/64:lru --level 16MiB/16/64:lru --warm --json");
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const json epochs = json::parse(ran.out)["epochs"];
  ASSERT_EQ(epochs.size(), 3u);
  EXPECT_EQ(epochs[1]["epoch"].get<std::string>().substr(0, 5), "warm:");
  EXPECT_EQ(epochs[1]["refs"], epochs[2]["refs"]);
  EXPECT_GT(epochs[0]["memory"]["read_bytes"].get<uint64_t>(), epochs[2]["memory"]["read_bytes"].get<uint64_t>());
  EXPECT_LE(epochs[1]["memory"]["read_bytes"].get<uint64_t>(), epochs[2]["memory"]["read_bytes"].get<uint64_t>());
}

TEST(CacheCommand, FlushesEachPass) {
  std::string text;
  for (int line = 0; line < 8; ++line) text += fmt::format("1 {:x} 4\n", 4096 + 64 * line);
  const std::string flushed = fmt::format("cache --trace {} --level 1KiB/1/64:lru --flush --json", trace_file(text));
  const json alone = json::parse(tensortide(flushed).out), both = json::parse(tensortide(flushed + " --warm").out);
  EXPECT_EQ(alone["epochs"][0]["memory"]["written_bytes"], 512);
  EXPECT_EQ(both["epochs"][0], alone["epochs"][0]) << "the cold pass is the same, whatever is asked for besides";
  EXPECT_EQ(both["epochs"][1]["levels"][0]["store_misses"], 0) << "the lines stay";
  EXPECT_EQ(both["epochs"][1]["memory"]["written_bytes"], 512);
}

TEST(RunCommand, SimulatesTheStepAfterwardsWhenAskedTo) {
  const auto folder = test::fresh_folder();
  const std::string file = (folder / "a.tide").string(), plain = (folder / "b.tide").string();
  const test::Outcome ran =
      tensortide(fmt::format("run gemm --set m=64 --set n=64 --set k=64 --steps 2 --warmup 0 --no-probe --collect "
                             "ops,simulate -o {} --progress json",
                             file));
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.err.find("simulating the caches"), std::string::npos) << ran.err;
  const test::Outcome shown = tensortide(fmt::format("analyze {} --table cache --format json", file));
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  int known = 0;
  const json document = json::parse(shown.out);
  for (const json& row : document["rows"]) {
    if (row["op"].get<std::string>().find("matmul") == std::string::npos ||
        !row["link"].get<std::string>().ends_with("->core"))
      continue;
    EXPECT_GT(row["simulated_bytes"].get<double>(), 3.0 * 64 * 64 * 4) << "registers hold less than the operands";
    ++known;
  }
  EXPECT_EQ(known, 1) << shown.out;
  ASSERT_EQ(
      tensortide(fmt::format("run gemm --set m=64 --set n=64 --set k=64 --steps 2 --warmup 0 --no-probe -o {}", plain))
          .exit_code,
      0);
  const json without = json::parse(tensortide(fmt::format("analyze {} --table cache --format json", plain)).out);
  EXPECT_FALSE(without["rows"].empty());
  for (const json& row : without["rows"]) EXPECT_TRUE(row["simulated_bytes"].is_null());
  EXPECT_EQ(tensortide(fmt::format("run gemm --collect simulate --simulate-limit soon -o {}", plain)).exit_code, 2);
}

TEST(CacheCommand, RefusesInWords) {
  const auto expect = [](const std::string& arguments, int code, const char* word) {
    const test::Outcome ran = tensortide("cache " + arguments);
    EXPECT_EQ(ran.exit_code, code) << arguments;
    EXPECT_TRUE(ran.out.empty()) << ran.out;
    EXPECT_NE(ran.err.find(word), std::string::npos) << ran.err;
  };
  const std::string good = trace_file("0 10 4\n");
  expect("", 2, "--trace");
  expect("gemn", 2, "gemm");
  expect(good, 2, "t.din is a file: a trace is given with --trace ");
  EXPECT_EQ(tensortide("cache foo").err.find("did you mean"), std::string::npos) << "nothing is near";
  EXPECT_EQ(tensortide("cache gemm --flg").err.find("did you mean"), std::string::npos);
  expect("gemm --trace " + good, 2, "either a workload or --trace FILE");
  expect("gemm --sample 1/3", 2, "power of two");
  expect("gemm --sample 1/8 --causes", 2, "[--sample] the causes of misses need all lines");
  expect("--trace " + good + " --sample 1/2 --causes", 2, "[--sample] the causes of misses need all lines");
  expect("gemm --curve-sample 1/8", 2, "[--curve-sample] requires --curve: add it");
  expect("--trace " + good + " --curve-lines 100", 2, "[--curve-lines] requires --curve: add it");
  expect("gemm --curve --causes --curve-sample 1/8", 2, "[--curve-sample] the causes of misses need all lines");
  expect("gemm --curve --curve-sample 0.01", 2, "\"0.01\": auto, all, or a part of the lines such as 1/100");
  expect("gemm --curve --curve-sample 1/0", 2, "--curve-sample");
  expect("gemm --curve --curve-lines 1", 2, "--curve-lines");
  expect("gemm --curve --curve-lines 100 --curve-sample all", 2, "not together with --curve-sample all");
  expect("gemm --sample many", 2, "[--sample] \"many\" is not a whole number");
  expect("gemm --sample 010", 2, "power of two");
  expect("gemm --flush", 2, "[--flush] requires --trace: add it");
  expect("--trace " + good + " --sample 1/3 --level 32KiB/8/64", 2, "power of two");
  expect("--trace " + good + " --sample 1/2 --causes --level 32KiB/8/64", 2, "need all lines");
  expect("--trace " + good + " --level 32KiB", 2, "32KiB/8/64:lru");
  expect("--trace " + good + " --level 32KiB/8/64:lrv", 2, "lru");
  expect("gemm --level 1152921504606846976/8/64", 2, "lines are more than");
  expect("gemm --level 99999999999999999999/8", 2, "is no size");
  expect("gemm --level 32KiB/0/64", 2, "is no number of ways");
  expect("gemm --level 32KiB/8/48", 2, "power of two");
  expect("gemm --level 1GiB/full", 2, "--curve");
  expect("--trace " + good + " --rules mine", 2, "mine");
  expect("--trace /nowhere/t.din", 3, "/nowhere/t.din");
  expect("--trace " + trace_file("0 10 4\nx\n"), 3, "line 2");
}

TEST(CacheCommand, TellsHowFarItIs) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "0 1000 4\n1 2000 4\n";
  const std::string levels = "--level 1KiB/4/64:lru --level 64KiB/8/64:lru";
  for (const std::string& what : {std::string("gemm --set m=64 --set n=64 --set k=64"),
                                  std::string("mlp --batch 4 --warm --curve --curve-sample 1/10 --threads 2"),
                                  "--warm --trace " + trace_file(text)}) {
    const test::Outcome ran = tensortide(fmt::format("cache {} {} --progress json --json", what, levels));
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    std::vector<double> fractions;
    std::istringstream lines(ran.err);
    for (std::string line; std::getline(lines, line);) {
      const json one = json::parse(line, nullptr, false);
      ASSERT_TRUE(one.is_object()) << line;
      EXPECT_EQ(one["stage"], "simulating");
      fractions.push_back(one["fraction"].get<double>());
    }
    ASSERT_GE(fractions.size(), 2u) << what;
    EXPECT_TRUE(std::ranges::is_sorted(fractions)) << ran.err;
    EXPECT_EQ(fractions.front(), 0);
    EXPECT_EQ(fractions.back(), 1);
    if (!what.starts_with("--warm")) {
      EXPECT_GE(fractions.size(), 20u) << "while it goes on, not at its ends alone: " << ran.err;
      EXPECT_LT(fractions[fractions.size() - 2], 1);
    }
    // The same figures as without.
    json told = json::parse(ran.out),
         silent = json::parse(tensortide(fmt::format("cache {} {} --json", what, levels)).out);
    for (json* document : {&told, &silent}) document->erase("simulation_ns");
    EXPECT_EQ(told, silent);
  }
  const test::Outcome wrong = tensortide("cache nothing --progress json");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_TRUE(json::parse(wrong.err)["error"]["message"].is_string()) << wrong.err;
}

}  // namespace
