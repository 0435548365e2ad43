// SPDX-License-Identifier: Apache-2.0
// Bad input is normal input: one clear message on stderr, the right exit code, no crash, nothing lost.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "tests/app/cli/process.h"

namespace {

using test::fresh_folder;
using test::tensortide;

/// Expects an exit code and that stderr is a message with these words in it; stdout stays clean.
void expect_refusal(const std::string& arguments, int exit_code, std::initializer_list<const char*> words,
                    const std::string& prefix = "") {
  const test::Outcome outcome = tensortide(arguments, prefix);
  EXPECT_EQ(outcome.exit_code, exit_code) << arguments << "\n" << outcome.err;
  EXPECT_TRUE(outcome.out.empty()) << arguments << "\n" << outcome.out;
  EXPECT_TRUE(outcome.err.find("tensortide: ") != std::string::npos) << outcome.err;
  for (const char* word : words)
    EXPECT_NE(outcome.err.find(word), std::string::npos) << arguments << ": no \"" << word << "\" in\n" << outcome.err;
}

TEST(BadInput, WrongNamesSuggestTheNearest) {
  expect_refusal("rum", 2, {"rum", "run"});
  expect_refusal("run resnet5O --no-probe", 2, {"resnet5O", "resnet50"});
  expect_refusal("run stream --device cqu", 2, {"cqu", "cpu"});
  expect_refusal("run gemm --dtype f23", 2, {"f23", "f32"});
  expect_refusal("run mlp --preset fcn-x", 2, {"fcn-x", "fcn-s"});
  expect_refusal("run mlp --set batsh=4", 2, {"batsh", "batch"});
  expect_refusal("run mlp --mode trainin", 2, {"trainin", "training"});
  expect_refusal("run mlp --collect opps", 2, {"opps", "ops"});
  expect_refusal("run", 2, {"workload"});
  expect_refusal("", 2, {});
}

TEST(BadInput, NumbersAreChecked) {
  expect_refusal("run resnet50 --batch 0", 2, {"batch", "0"});
  expect_refusal("run resnet50 --batch -1", 2, {"batch", "-1"});
  expect_refusal("run resnet50 --batch four", 2, {"batch", "four"});
  expect_refusal("run resnet50 --batch 4x", 2, {"batch", "4x"});
  expect_refusal("run resnet50 --batch 99999999999999999999", 2, {"batch"});
  expect_refusal("run stream --threads -2", 2, {"--threads", "-2"});
  expect_refusal("run stream --steps 0", 2, {"--steps", "0"});
  expect_refusal("run stream --steps many", 2, {"--steps", "many"});
  expect_refusal("run stream --seed x", 2, {"--seed"});
  expect_refusal("run stream --set n", 2, {"key=value"});
}

TEST(BadInput, WhatDoesNotFitNamesTheFileAndTheLargestValue) {
  expect_refusal("run " TENSORTIDE_TEST_DATA "/bvlc_alexnet.json --batch 1000000000 --no-probe", 3,
                 {"/bvlc_alexnet.json: [plan]", "choose a smaller batch", "the largest is", "made by"});
}

TEST(BadInput, OpenDimensionsOfModelFilesAreAskedForByName) {
  const std::string model = TENSORTIDE_TEST_DATA "/token_model.onnx";
  expect_refusal("run " + model, 3, {"token_model.onnx", "\"sequence\"", "tokens", "--set sequence=128"});
  expect_refusal("run " + model + " --mode training", 2,
                 {"token_model.onnx", "mode", "as it is written"});  // flags that do not fit
  expect_refusal("run " + model + " --dtype f16", 2, {"token_model.onnx", "dtype"});
  expect_refusal("run " + model + " --set sequence=many", 2, {"sequence", "many"});
  expect_refusal("run " + model + " --set sequence=8 --set colour=2", 2, {"colour"});
  expect_refusal("run " + model + " --set sequence=-8", 3, {"tokens", "-8"});
  const auto file = fresh_folder() / "tokens.tide";
  const test::Outcome ran = tensortide(
      fmt::format("run {} --batch 3 --set sequence=8 --steps 2 --warmup 0 --no-probe -o {}", model, file.string()));
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST(BadInput, HugeBatchIsRefusedBeforeAllocatingWithBothFigures) {
  const auto file = fresh_folder() / "huge.tide";
  expect_refusal(fmt::format("run resnet50 --batch 1099511627776 -o {}", file.string()), 3, {"iB"});
  EXPECT_FALSE(std::filesystem::exists(file));
  expect_refusal("run resnet50 --batch 4000000000000000000", 3, {"batch"});
}

// Wrong with or without a driver.
TEST(BadInput, TextsThatNameNoDeviceAreWrongUsage) {
  for (const char* const text : {"cuda:", "cuda:x", "cuda:-1", "cuda:+1", "cuda:0x1", "'cuda: 1'", "cuda:99999999999"})
    expect_refusal(fmt::format("run stream --device {}", text), 2, {"names no device", "tensortide devices"},
                   "TENSORTIDE_CUDA_MODULE=/nonexistent/m.so ");
}

TEST(BadInput, WhatOnlyAPlannedStepFollowsDoesNotGoWithEager) {
  expect_refusal("run jacobian --graph eager --no-probe", 2, {"[eager]", "--graph static"});
  expect_refusal("run mlp --preset fcn-s --graph eager --set checkpointing=sqrt --mode training --no-probe", 2,
                 {"[eager]", "--graph static"});
}

TEST(BadInput, AbsentPartsSayWhyAndWhatHelps) {
  const char* const no_module = "TENSORTIDE_CUDA_MODULE=/nonexistent/m.so ";  // wherever this is tested
  expect_refusal("run stream --device cuda", 3, {"cuda", "/nonexistent/m.so", "--device cpu"}, no_module);
  expect_refusal("run stream --device cuda:1", 3, {"cuda:1"}, no_module);
  expect_refusal("run stream --collect cupti", 3, {"cupti"});
  expect_refusal("run stream --graph eagre", 2, {"eagre", "eager"});
}

TEST(BadInput, FlagsThatDoNotGoTogetherAreWrongUsage) {
  expect_refusal("run stream --fuse on --graph eager", 2, {"--fuse", "eager"});
  expect_refusal("run stream --transfer pinned", 2, {"transfer"});
  expect_refusal("run stream --tf32 on", 2, {"--tf32", "--device cuda"});
  expect_refusal("run stream --device cuda --without onednn", 2, {"--without", "CPU"});
  expect_refusal("run stream --device null --collect simulate", 2, {"[--collect] simulate", "--device null"});
  expect_refusal("run stream --simulate-limit 60", 2, {"[--simulate-limit] 60", "--collect simulate"});
  for (const char* flag : {"--output r.tide", "--collect simulate", "--warmup 2", "--roofs roofs.json"}) {
    expect_refusal(fmt::format("run stream --check-finite {}", flag), 2,
                   {std::string(flag).substr(0, std::string_view(flag).find(' ')).c_str(), "--check-finite"});
  }
  expect_refusal("run stream --check-finite --graph eager", 2, {"[--graph] eager", "--check-finite"});
  expect_refusal("analyze x.tide --table traffic --by layer", 2, {"[--by] layer", "--table traffic", "--table ops"});
  expect_refusal("analyze x.tide --by type", 2, {"[--by] type", "--table summary", "--table ops"});
  for (const char* verb : {"analyze x.tide", "compare x.tide y.tide", "predict mlp", "query x.tide 'SELECT 1'"}) {
    expect_refusal(fmt::format("{} --format csv --json", verb), 2, {"[--json]", "--format csv"});
  }
}

TEST(BadInput, AParameterWithTwoValuesIsWrongUsage) {
  for (const char* both : {"--set batch=8 --batch 16", "--batch 16 --set batch=8"}) {
    expect_refusal(fmt::format("run mlp {}", both), 2, {"[batch]", "--set batch=8", "--batch 16"});
  }
  expect_refusal("run mlp --set mode=inference --mode training", 2,
                 {"[mode]", "--set mode=inference", "--mode training"});
  expect_refusal("run mlp --set batch=8 --set batch=16", 2, {"[batch]", "--set batch=8", "--set batch=16"});
  expect_refusal("run mlp --batch 4 --batch 8", 2, {"[--batch] it is given 2 times (4, 8)"});
  EXPECT_EQ(
      tensortide("run mlp --set hidden=16 --set input=16 --set batch=8 --batch 8 --threads 1 --check-finite").exit_code,
      0)
      << "the same value twice is none";
}

TEST(BadInput, TheNullDeviceNeedsNoRoofs) {
  const auto folder = fresh_folder();
  const test::Outcome ran =
      tensortide(fmt::format("run mlp --device null --batch 8 --steps 2 -o {}", (folder / "n.tide").string()),
                 fmt::format("XDG_CACHE_HOME={} ", folder.string()));
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.err.find("roofs"), std::string::npos) << ran.err;
}

TEST(BadInput, AGpuByAnotherNameIsToldWhatThereIsAndWhatWouldMakeItSo) {
  const char* const no_module = "TENSORTIDE_CUDA_MODULE=/nonexistent/m.so ";
  expect_refusal("run stream --device gpu", 2,
                 {"\"gpu\"", "cuda, cuda:1", "/nonexistent/m.so", "there are cpu, null, sim:0"}, no_module);
  expect_refusal("run stream --device GPU:1", 2, {"\"GPU:1\"", "cuda, cuda:1", "/nonexistent/m.so"}, no_module);
  EXPECT_EQ(tensortide("run stream --device gpu", no_module).err.find("did you mean"), std::string::npos)
      << "it is not the cpu that was meant";
}

TEST(BadInput, OutputsThatCannotBeWritten) {
  const auto folder = fresh_folder();
  const std::string run = "run stream --set n=1000 --steps 2 --warmup 0 --no-probe -o ";
  expect_refusal(run + folder.string(), 3, {folder.c_str()});
  expect_refusal(run + (folder / "none" / "x.tide").string(), 3, {"none"});
  expect_refusal(run + "/proc/x.tide", 3, {"/proc/x.tide"});
  const auto foreign = folder / "letter.txt";
  std::ofstream(foreign) << "Dear Sir, this is not a capture and must not be overwritten.";
  expect_refusal(run + foreign.string(), 3, {"letter.txt"});
  EXPECT_EQ(std::filesystem::file_size(foreign), 60u);
}

TEST(BadInput, FullDiskNamesTheFile) {
  const auto file = fresh_folder() / "full.tide";
  expect_refusal(fmt::format("run mlp --batch 4 --set hidden=64 --steps 20 --warmup 0 --no-probe -o {}", file.string()),
                 3, {"full.tide"}, "ulimit -f 40;");
}

TEST(BadInput, AnImportThatFillsTheDiskLeavesWhatWasThere) {
  const auto folder = fresh_folder();
  std::string trace = "{\"schemaVersion\": 1, \"traceEvents\": [";
  for (int i = 0; i < 20000; ++i)
    trace += fmt::format(
        "{}{{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::op{}\",\"pid\":1,\"tid\":1,\"ts\":{},\"dur\":5}}",
        i > 0 ? "," : "", i, 10 * i);
  std::ofstream(folder / "t.json") << trace << "]}";
  const std::string file = (folder / "i.tide").string(),
                    import = fmt::format("import {} -o {}", (folder / "t.json").string(), file);
  expect_refusal(import, 3, {"i.tide", "cannot write"}, "ulimit -f 200;");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1) << "no half of a file is left behind";
  ASSERT_EQ(tensortide(fmt::format("run stream --set n=1000 --threads 1 --steps 2 --warmup 0 --no-probe -o {}", file))
                .exit_code,
            0);
  expect_refusal(import, 3, {"i.tide"}, "ulimit -f 200;");
  EXPECT_NE(tensortide("analyze " + file).out.find("STREAM"), std::string::npos)
      << "the older capture is still there: " << tensortide("analyze " + file).out;
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 2);
  EXPECT_EQ(tensortide(import).exit_code, 0);
  EXPECT_NE(tensortide(fmt::format("query {} \"SELECT count(*) FROM NVTX_EVENTS\"", file)).out.find("20000"),
            std::string::npos);
}

TEST(BadInput, WhatIsTooShortToTellIsRefusedAsWhatItIsMeantToBe) {
  const auto folder = fresh_folder();
  std::ofstream(folder / "cut.json.gz", std::ios::binary) << std::string("\x1f\x8b\x08\x00\x00", 5);
  expect_refusal(fmt::format("analyze {}", (folder / "cut.json.gz").string()), 3, {"cut.json.gz", "trace"});
  expect_refusal("advice nothere.jsonl", 3, {"nothere.jsonl", "no such file"});
  expect_refusal("cache --trace /dev/zero --level 1KiB/1/64", 3, {"/dev/zero", "is a device", "a regular file"});
  std::ofstream(folder / "zeros.txt", std::ios::binary) << std::string(100, '\0');
  expect_refusal(fmt::format("cache --trace {} --level 1KiB/1/64", (folder / "zeros.txt").string()), 3,
                 {"zeros.txt line 1", "no record of an address trace"});
}

TEST(BadInput, AnAnswerThatCannotBePrintedIsSaid) {
  for (const char* verb : {"workloads", "workloads --json", "devices", "--help", "--version", "sweep --help"}) {
    expect_refusal(fmt::format("{} >/dev/full)", verb), 3, {"standard output", "No space"}, "(");
  }
  const auto file = fresh_folder() / "quiet.tide";
  const std::string run =
      fmt::format("run stream --set n=1000 --threads 1 --steps 2 --warmup 0 --no-probe -o {}", file.string());
  EXPECT_EQ(tensortide(run + " 2>/dev/full)", "(").exit_code, 0) << "progress that nobody can read ends no run";
  EXPECT_EQ(tensortide("analyze " + file.string()).exit_code, 0);
}

TEST(BadInput, FilesThatAreNoCaptures) {
  const auto folder = fresh_folder();
  expect_refusal("analyze " + (folder / "missing.tide").string(), 3, {"missing.tide"});
  expect_refusal("analyze " + folder.string(), 3, {folder.c_str()});
  std::ofstream(folder / "empty.tide").close();
  expect_refusal("analyze " + (folder / "empty.tide").string(), 3, {"empty.tide"});
  std::ofstream(folder / "text.tide") << std::string(5000, 'x');
  expect_refusal("analyze " + (folder / "text.tide").string(), 3, {"text.tide"});
  expect_refusal("query " + (folder / "text.tide").string() + " \"SELECT 1\"", 3, {"text.tide"});
}

TEST(BadInput, DamagedAndNewerCaptures) {
  const auto folder = fresh_folder();
  const auto good = folder / "good.tide";
  ASSERT_EQ(tensortide(
                fmt::format("run stream --set n=1000 --threads 1 --steps 3 --warmup 0 --no-probe -o {}", good.string()))
                .exit_code,
            0);
  const auto size = std::filesystem::file_size(good);
  for (const double part : {0.1, 0.5, 0.9}) {
    const auto cut = folder / "cut.tide";
    std::filesystem::copy_file(good, cut, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(cut, static_cast<uintmax_t>(part * static_cast<double>(size)));
    expect_refusal("analyze " + cut.string(), 3, {"cut.tide"});
  }
  const auto newer = folder / "newer.tide";
  std::filesystem::copy_file(good, newer);
  {
    std::fstream file(newer, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(60);  // user_version in the SQLite header, big-endian
    file.write("\x00\x00\x03\xe7", 4);
  }
  expect_refusal("analyze " + newer.string(), 3, {"newer.tide", "999"});
}

TEST(BadInput, ModelFiles) {
  const auto folder = fresh_folder();
  expect_refusal("run " + (folder / "missing.onnx").string(), 3, {"missing.onnx"});
  std::ofstream(folder / "empty.onnx").close();
  expect_refusal("run " + (folder / "empty.onnx").string(), 3, {"empty.onnx"});
  std::ofstream(folder / "junk.onnx") << std::string(3000, '\x7f');
  expect_refusal("run " + (folder / "junk.onnx").string(), 3, {"junk.onnx"});
}

TEST(BadInput, UnknownTablesAndFormats) {
  expect_refusal("analyze x.tide --table oops", 2, {"oops", "ops"});
  expect_refusal("analyze x.tide --by lair", 2, {"\"lair\"", "op, layer, type, kernel, phase"});
  expect_refusal("analyze x.tide --format xml", 2, {"xml"});
}

/// Threads of libraries that never get their memory do not keep the program from ending.
TEST(BadInput, ALimitOnTheAddressSpaceEndsInAnAnswer) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers reserve addresses of their own";
#endif
  for (const char* limit : {"150000", "400000"}) {
    const auto outcome = tensortide("workloads --json", std::string("ulimit -v ") + limit + "; timeout -s KILL 60");
    EXPECT_TRUE(outcome.exit_code == 0 || outcome.exit_code == 3 || outcome.exit_code == 127)
        << limit << ": " << outcome.exit_code << " (137: it did not end) " << outcome.err;
  }
  // OpenBLAS asks for its buffers for ever where it gets none.
  const auto folder = fresh_folder();
  for (const char* what : {"gemm --set m=8 --set n=8 --set k=8", "gemm --set m=8 --set n=8 --set k=8 --dtype f64",
                           "mlp --set hidden=64 --set input=32", "lstm --batch 1"}) {
    for (const char* limit : {"200000", "300000", "450000", "700000"}) {
      const auto outcome =
          tensortide(fmt::format("run {} --steps 2 --warmup 0 --no-probe -o {}/r.tide", what, folder.string()),
                     std::string("ulimit -v ") + limit + "; timeout -s KILL 60");
      EXPECT_TRUE(outcome.exit_code == 0 || outcome.exit_code == 3 || outcome.exit_code == 127)
          << what << ", " << limit << ": " << outcome.exit_code << " (137: it did not end) " << outcome.err;
    }
  }
}

}  // namespace
