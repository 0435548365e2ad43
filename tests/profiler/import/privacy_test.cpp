// SPDX-License-Identifier: Apache-2.0
// Paths in names, and what a capture of a trace keeps by default, with --keep-paths and with --anonymise.
#include "profiler/import/privacy.h"

#include <gtest/gtest.h>

#include <fstream>

#include "profiler/import/importer.h"
#include "tests/support/temporary_folder.h"

namespace profiler {
namespace {

TEST(Privacy, PathsOfFilesAreReducedToTheirNames) {
  const std::pair<const char*, const char*> cases[] = {
      {"/home/ann/secret/train.py(42): forward", "train.py(42): forward"},
      {"/home/ann/my work/train.py(42): forward", "train.py(42): forward"},
      {"/opt/venv/lib/python3.11/site-packages/torch/nn/modules/module.py(1501): _call_impl",
       "torch/nn/modules/module.py(1501): _call_impl"},
      {"C:\\Users\\ann\\train.py(1): main", "train.py(1): main"},
      {"load(\"/data/ann/set.npy\") at /scratch/ann/x/y.cpp:12", "load(\"set.npy\") at y.cpp:12"},
      {"../ann/net.onnx", "net.onnx"},
      {"~/net.onnx, ./b.h", "net.onnx, b.h"},
      {"/usr/lib/libtorch_cuda.so.2.1", "libtorch_cuda.so.2.1"},
      {"python3 /home/ann/run", "python3 run"},
      {"/mnt/ann/run/model.ckpt", "model.ckpt"},
      {"/data/ann/weights", "weights"},
      {"/mnt/ann/Secret", "Secret"},
      {"C:/Users/ann/x", "x"},
      {"C:/Users/ann", "~"},
      {"D:/ann/run.ckpt to /fsx1/ann/out/run.2", "run.ckpt to run.2"},
      {"/home/ann", "~"},
      {"cd /home/ann/", "cd ~"},
      {"../ann/run/best.ckpt", "best.ckpt"},
      {"/conv1/Conv + /home/ann/a.py(3): f", "/conv1/Conv + a.py(3): f"},
      {"/home/ann/run /home/bob/a.py(3): f", "run a.py(3): f"},
      {"/home/ann/net.onnx of my.py(3)", "net.onnx of my.py(3)"}};
  for (const auto& [given, kept] : cases) EXPECT_EQ(without_folders(given), kept);
  EXPECT_EQ(without_folders("x /home/ann/a.py y", "(path)"), "x (path) y");
}

TEST(Privacy, NamesOfOpsAreNoPaths) {
  for (const char* name :
       {"/layer1/layer1.0/conv1/Conv", "aten::mm", "/device:GPU:0/stream:all", "a/b",
        "torch/nn/modules/module.py(3): f", "void f<int>(float const*, int) [clone .isra.0]", "x / y", "/", "~", "//",
        "http://x", "/model.5/cv1/act/Mul_output_0", "/encoder/layer.0/attention/self/query/MatMul_1", "/shared/Gather",
        "/conv1/Conv + a.py(", "http://x/y/z/w", "</b>", "C:", "nn.Module: Net_0"})
    EXPECT_EQ(without_folders(name), name);
}

class PrivacyOfImports : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(folder_ / "ann_secret.json")
        << R"({"traceEvents": [{"ph": "M", "name": "process_name", "pid": 7, "args": {"name": "/home/ann/venv/bin/python3"}},
               {"ph": "M", "name": "thread_name", "pid": 7, "tid": 1, "args": {"name": "ann's loader"}},
               {"ph": "X", "cat": "python_function", "name": "/home/ann/train.py(42): forward", "ts": 1, "dur": 90, "pid": 7, "tid": 1},
               {"ph": "X", "cat": "python_function", "name": "/home/ann/train.py(42): forward", "ts": 95, "dur": 3, "pid": 7, "tid": 1},
               {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 10, "dur": 5, "pid": 7, "tid": 1}]})";
  }
  /// All words of the capture, a line each.
  std::string words(Privacy privacy) const {
    const auto capture = import_traces(
        {.files = {folder_ / "ann_secret.json"}, .format = {}, .command = {}, .control = {}, .privacy = privacy});
    EXPECT_TRUE(capture.ok());
    if (!capture) return {};
    std::string all = (*capture)->run().workload + "\n" + (*capture)->run().title + "\n";
    for (const std::string& name : (*capture)->names()) all += name + "\n";
    for (const Track& track : (*capture)->tracks()) all += track.name + " | " + track.group + "\n";
    return all;
  }
  const tests::TemporaryFolder folder_;
};

TEST_F(PrivacyOfImports, FoldersGoUnlessTheyAreAskedFor) {
  const std::string usual = words({}), kept = words({.keep_paths = true});
  EXPECT_EQ(usual.find("/home"), std::string::npos) << usual;
  for (const char* word : {"train.py(42): forward", "aten::mm", "python3 (7)", "ann's loader", "ann_secret.json"})
    EXPECT_NE(usual.find(word), std::string::npos) << word << "\n" << usual;
  for (const char* word : {"/home/ann/train.py(42): forward", "/home/ann/venv/bin/python3"})
    EXPECT_NE(kept.find(word), std::string::npos) << word << "\n" << kept;
}

TEST_F(PrivacyOfImports, AnonymisedOnesNameNobody) {
  const std::string anonymous = words({.anonymise = true});
  for (const char* word : {"ann", "home", "python3", "train", "forward", "loader"})
    EXPECT_EQ(anonymous.find(word), std::string::npos) << word << "\n" << anonymous;
  for (const char* word : {"aten::mm", "Python function 1", "thread 1 | process 1"})
    EXPECT_NE(anonymous.find(word), std::string::npos) << word << "\n" << anonymous;
  EXPECT_EQ(anonymous.find("Python function 2"), std::string::npos) << "one function has one number";
}

TEST_F(PrivacyOfImports, OurOwnExportsAndSummariesNameNobodyEither) {
  std::ofstream(folder_ / "ann_secret.json")
      << R"({"tensortide": {"schema": 1, "title": "Ann's net", "device": "/mnt/ann/gpu/x", "arguments": {"roofs": "/mnt/ann/run/r.ckpt", "content": "xxh3:77"},
      "tracks": [], "tensors": [], "ops": []}, "traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "mm", "ts": 10, "dur": 5, "pid": 7, "tid": 1}]})";
  const auto kept = import_traces(
      {.files = {folder_ / "ann_secret.json"}, .format = {}, .command = {}, .control = {}, .privacy = {}});
  const auto anonymous = import_traces({.files = {folder_ / "ann_secret.json"},
                                        .format = {},
                                        .command = {},
                                        .control = {},
                                        .privacy = {.anonymise = true}});
  ASSERT_TRUE(kept.ok() && anonymous.ok());
  EXPECT_EQ((*kept)->run().title, "Ann's net");
  EXPECT_EQ((*kept)->run().arguments.at("roofs"), "r.ckpt");
  EXPECT_EQ((*anonymous)->run().title, "run");
  EXPECT_EQ((*anonymous)->run().device, "(path)");
  EXPECT_EQ((*anonymous)->run().arguments.at("roofs"), "(path)");
  EXPECT_FALSE((*anonymous)->run().arguments.contains("content"));
}

TEST_F(PrivacyOfImports, NotesOnLanesNameNobodyEither) {
  std::ofstream(folder_ / "ann_secret.json")
      << R"json({"traceEvents": [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "/device:GPU:0"}},
      {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "Stream #1(Compute)"}},
      {"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "args": {"name": "ann's scope"}},
      {"ph": "X", "name": "gemm", "ts": 10, "dur": 5, "pid": 1, "tid": 1}, {"ph": "X", "name": "all", "ts": 10, "dur": 5, "pid": 1, "tid": 2}]})json";
  for (const bool anonymise : {false, true}) {
    const auto capture = import_traces({.files = {folder_ / "ann_secret.json"},
                                        .format = {},
                                        .command = {},
                                        .control = {},
                                        .privacy = {.anonymise = anonymise}});
    ASSERT_TRUE(capture.ok()) << capture.error().message;
    std::string notes;
    for (const std::string& note : (*capture)->honesty().notes) notes += note + "\n";
    EXPECT_NE(notes.find("lanes of a device that group its work otherwise"), std::string::npos) << notes;
    EXPECT_EQ(notes.find("ann's scope") == std::string::npos, anonymise) << notes;
  }
}

/// Findings quote what they found, and name the file.
TEST_F(PrivacyOfImports, NotesOnFindingsNameNobodyEither) {
  std::ofstream(folder_ / "ann_secret.json")
      << R"({"traceEvents": [{"ph": "X", "name": "mm", "ts": 10, "dur": 5}, {"ph": "X", "name": "x", "ts": "/home/ann/x.py", "dur": 5},
      {"ph": "C", "name": "c", "ts": 1, "args": {"ann": "of ann"}}, {"ph": "X", "name": "y)";
  const auto notes_of = [this](Privacy privacy) {
    const auto capture = import_traces(
        {.files = {folder_ / "ann_secret.json"}, .format = {}, .command = {}, .control = {}, .privacy = privacy});
    EXPECT_TRUE(capture.ok());
    std::string notes;
    for (const std::string& note : capture.ok() ? (*capture)->honesty().notes : std::vector<std::string>())
      notes += note + "\n";
    return notes;
  };
  const std::string usual = notes_of({}), anonymous = notes_of({.keep_paths = false, .anonymise = true}),
                    folder = folder_.path().string();
  EXPECT_EQ(usual.find(folder), std::string::npos) << usual;
  EXPECT_EQ(usual.find("/home"), std::string::npos) << usual;
  for (const char* kept : {"ann_secret.json ends at byte", "ts is \"x.py\"", "ann is of ann"})
    EXPECT_NE(usual.find(kept), std::string::npos) << kept << "\n" << usual;
  for (const std::string& word : {folder, std::string("ann"), std::string("x.py")})
    EXPECT_EQ(anonymous.find(word), std::string::npos) << word << "\n" << anonymous;
  EXPECT_NE(anonymous.find("1 event has no usable time stamp and was left out (byte "), std::string::npos) << anonymous;
}

/// Of any tool, with any line number; places of any kind.
TEST_F(PrivacyOfImports, FunctionsPlacesAndGroupsOfManyTools) {
  NameKeeper keeper({.keep_paths = false, .anonymise = true});
  int number = 0;
  for (const char* function :
       {"train.py(42): forward", "/home/ann/my work/a.py(3): f", "$train.py:42 forward", "$<frozen x>:3 run",
        "/home/ann/run.py:3 main", "lib.pyx.py(7): g", "<built-in method secret of module object at 0x7f>"})
    EXPECT_EQ(keeper.name(function), "Python function " + std::to_string(++number)) << function;
  EXPECT_EQ(keeper.name("load rel/dir/x.py:3"), "load (path):3");
  EXPECT_EQ(keeper.name("get s3://bucket/key"), "get (path)");
  EXPECT_EQ(keeper.name("file:///home/ann/x.bin"), "(path)");
  for (const char* kept : {"aten::mm", "/layer1/conv/Conv", "model/dense/MatMul", "jit(f)/mlp/dot_general", "a: b", "$",
                           "void gemm<float, 4>(int)", "loss.py", "all://"})
    EXPECT_EQ(keeper.name(kept), kept);
  EXPECT_EQ(keeper.process_group("ann's group"), "group 1");
  EXPECT_EQ(keeper.process_group("ann's group"), "group 1");
  EXPECT_EQ(keeper.process_group(""), "");
  EXPECT_EQ(NameKeeper().process_group("dp"), "dp");
  EXPECT_EQ(NameKeeper().name("get s3://bucket/key"), "get s3://bucket/key");
}

/// Counters stand under their process: by its id, which may be a name.
TEST_F(PrivacyOfImports, CountersNameNoProcessAndDevicesKeepTheirNames) {
  NameKeeper keeper({.keep_paths = false, .anonymise = true});
  EXPECT_EQ(keeper.counter_group("process ann@host"), "process 1");
  EXPECT_EQ(keeper.counter_group("rank 0 · process 17"), "process 2");
  for (const char* device : {"GPU 0", "GPU unknown", "CPU", "/device:GPU:0"})
    EXPECT_EQ(keeper.counter_group(device), device);
  EXPECT_EQ(NameKeeper().counter_group("process 17"), "process 17");
  EXPECT_EQ(keeper.lane(TrackKind::stream, "stream 7", "MTIA 9"),
            (std::pair<std::string, std::string>("stream 7", "MTIA 9")));
  EXPECT_NE(keeper.lane(TrackKind::stream, "x", "GPU of ann").second, "GPU of ann");
}

TEST(TracksOfRanks, MoreThanACaptureCanNumberAreShared) {
  const tests::TemporaryFolder folder;
  std::vector<std::filesystem::path> files;
  for (int rank = 0; rank < 3; ++rank) {
    files.push_back(folder / ("rank" + std::to_string(rank) + ".json"));
    std::ofstream out(files.back());
    out << "{\"traceEvents\": [";
    for (int thread = 0; thread < 25'000; ++thread)
      out << (thread > 0 ? "," : "") << R"({"ph":"X","name":"f","ts":1,"dur":1,"pid":1,"tid":)" << thread << "}";
    out << "]}";
  }
  const auto capture = import_traces({.files = files, .format = {}, .command = {}, .control = {}});
  ASSERT_TRUE(capture.ok()) << capture.error().message;
  EXPECT_LE((*capture)->tracks().size(), 65'536u);
  EXPECT_EQ((*capture)->activities().size(), 75'000u);
  const auto& notes = (*capture)->honesty().notes;
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(),
                          [](const std::string& note) { return note.find("share one track") != std::string::npos; }));
}

}  // namespace
}  // namespace profiler
