// SPDX-License-Identifier: Apache-2.0
// What the program says of GPUs, with modules and drivers that are broken in one place each.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/app/cli/process.h"
#include "tests/support/temporary_folder.h"

namespace {

using nlohmann::json;
using test::tensortide;

const std::string kFakeModules = std::string(TENSORTIDE_BINARY_DIR) + "/fake_modules/";
const std::string kFakeDriver = std::string(TENSORTIDE_BINARY_DIR) + "/fake_driver";

/// The entry of a device in `devices --json`; null when it is not listed.
json listed(const std::string& name, const std::string& prefix) {
  const test::Outcome outcome = tensortide("devices --json", prefix);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const json document = json::parse(outcome.out);
  for (const json& device : document["devices"]) {
    if (device["name"] == name) return device;
  }
  return nullptr;
}

TEST(CommandLineCuda, AModuleWithDevicesIsListedAndRuns) {
  const std::string prefix = "TENSORTIDE_CUDA_MODULE=" + kFakeModules + "fake_module.so ";
  EXPECT_EQ(listed("cuda", prefix)["available"], true);
  EXPECT_EQ(listed("cuda:1", prefix)["model"], "Fake GPU");
  EXPECT_NE(tensortide("devices", prefix).out.find("4 multiprocessors"), std::string::npos);
  for (const char* device : {"cuda", "cuda:0", "cuda:1"}) {
    const test::Outcome run =
        tensortide(fmt::format("run stream --device {} --no-probe --set n=1000 --steps 2 --json", device), prefix);
    EXPECT_EQ(run.exit_code, 0) << run.err;
  }
  const test::Outcome missing = tensortide("run stream --device cuda:7 --no-probe --json", prefix);
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_NE(missing.err.find("there are cuda, cuda:1"), std::string::npos) << missing.err;
}

TEST(CommandLineCuda, DoctorListsLibrariesWithWhatWasTakenAndWhatRefused) {
  const std::string prefix = "TENSORTIDE_CUDA_MODULE=" + kFakeModules + "fake_module.so ";
  const test::Outcome text = tensortide("doctor", prefix);
  EXPECT_EQ(text.exit_code, 0) << text.err;
  for (const char* words :
       {"yes  cuDNN: opened by the CUDA module\n      cuDNN 9.26.0, /venv/nvidia/cudnn/lib/libcudnn.so.9\n",
        "      refused: /open/lib/libcudnn.so.9: every user may write /open/lib\n",
        "      looked in: the loader's search path, /open/lib, /venv/nvidia/cudnn/lib\n",
        "no   CUPTI: opened by the CUDA module\n      libcupti.so.13 is in none of 2 places",
        "      what helps: pip install nvidia-cuda-cupti\n      looked in: the loader's search path, /cuda/lib64\n"}) {
    EXPECT_NE(text.out.find(words), std::string::npos) << words << "\nin\n" << text.out;
  }
  const json libraries = json::parse(tensortide("doctor --json", prefix).out)["module_libraries"];
  ASSERT_EQ(libraries.size(), 2u);
  EXPECT_EQ(libraries[0]["version"], "cuDNN 9.26.0");
  EXPECT_EQ(libraries[0]["refused"][0]["why"], "every user may write /open/lib");
  EXPECT_EQ(libraries[1]["available"], false);
  EXPECT_TRUE(libraries[1]["file"].is_null());
  EXPECT_EQ(libraries[1]["looked_in"][1], "/cuda/lib64");
}

/// Through the whole program, with a GPU that only takes time: every kernel finds its op, launched one by one or as one
/// graph; the counter run's bytes stand beside the compulsory ones.
TEST(CommandLineCuda, ARunIsTracedAndCounted) {
  const std::string prefix = "TENSORTIDE_CUDA_MODULE=" + kFakeModules + "fake_module.so ";
  tests::TemporaryFolder folder;
  for (const char* graph : {"static", "replay"}) {
    const std::string file = (folder / (std::string(graph) + ".tide")).string();
    const test::Outcome run =
        tensortide(fmt::format("run mlp --device cuda --set hidden=32 --set input=16 --batch 4 --graph {} --collect "
                               "cupti,counters,hit_rates --no-probe --warmup 1 "
                               "--steps 4 --json -o {}",
                               graph, file),
                   prefix);
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const test::Outcome overlap = tensortide("analyze " + file + " --table overlap --json");
    ASSERT_EQ(overlap.exit_code, 0) << overlap.err;
    const test::Outcome cache = tensortide("analyze " + file + " --table cache --json");
    ASSERT_EQ(cache.exit_code, 0) << cache.err;
    const json regions = json::parse(overlap.out), counts = json::parse(cache.out);
    ASSERT_FALSE(regions["rows"].empty());
    for (const json& region : regions["rows"]) EXPECT_GT(region["kernels_count"].get<double>(), 3) << graph;
    size_t counted = 0;
    for (const json& row : counts["rows"]) counted += row["measured_bytes"].is_number() ? 1 : 0;
    EXPECT_GT(counted, 2u) << cache.out;
    const json document = json::parse(run.out);
    EXPECT_LT(document["summary"]["untimed_ratio"]["value"].get<double>(), 1.0)
        << "ops have the time of their kernels, however busy this machine is: " << run.out;
    bool cost = false;
    for (const json& note : document["summary"]["honesty"]["notes"]) {
      EXPECT_EQ(note.get<std::string>().find("belong to no op"), std::string::npos) << note;
      cost = cost || note.get<std::string>().find("in a process without it before this one") !=
                         std::string::npos;  // beyond the noise or not
    }
    EXPECT_TRUE(cost) << "steps of a process without CUPTI stand beside those with it: " << run.out;
    EXPECT_EQ(document["run"]["command"].get<std::string>().find("--graph replay") != std::string::npos,
              graph == std::string("replay"));
  }
}

/// What was sampled while steps ran lies in the file as series over time, in the timeline's exports too, with what was
/// lost in words.
TEST(CommandLineCuda, FiguresOverTimeLieBesideTheKernels) {
  const std::string prefix = "TENSORTIDE_CUDA_MODULE=" + kFakeModules + "fake_module.so ";
  tests::TemporaryFolder folder;
  const std::string file = (folder / "sampled.tide").string(), trace = (folder / "sampled.json").string();
  const test::Outcome run = tensortide(fmt::format("run mlp --device cuda --set hidden=512 --batch 64 --collect "
                                                   "cupti,pm_sampling --no-probe --warmup 1 --steps 20 --json -o {}",
                                                   file),
                                       prefix);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  std::string notes;
  const json document = json::parse(run.out);
  for (const json& note : document["summary"]["honesty"]["notes"]) notes += note.get<std::string>() + "\n";
  EXPECT_NE(notes.find("GPU 0 (GH100) was sampled every 1.00 ms while the steps ran. The driver fixes the GPU's clocks "
                       "meanwhile"),
            std::string::npos)
      << notes;
  EXPECT_NE(notes.find("(overflows of its buffer: 1; missing samples, about: 1)"), std::string::npos) << notes;
  EXPECT_NE(notes.find("cannot sample, or not at the same time: nvlink_sent_bytes"), std::string::npos) << notes;
  const test::Outcome exported = tensortide(fmt::format("export {} -o {}", file, trace));
  ASSERT_EQ(exported.exit_code, 0) << exported.err;
  std::ifstream text(trace);
  const json events = json::parse(text);
  size_t samples = 0;
  for (const json& event : events["traceEvents"]) {
    samples += event.value("ph", "") == "C" &&
                       event["name"].get<std::string>().find("Device memory, read") != std::string::npos
                   ? 1
                   : 0;
  }
  EXPECT_GT(samples, 0u);
}

TEST(CommandLineCuda, FlagsOfGpusAreRefusedElsewhere) {
  for (const char* flags :
       {"--graph replay", "--tf32 on", "--fp8 e4m3", "--fp8 e5m2", "--deterministic on", "--transfer pageable",
        "--collect counters", "--collect hit_rates", "--collect pm_sampling"}) {
    const test::Outcome run = tensortide(fmt::format("run stream --set n=64 --no-probe {}", flags));
    EXPECT_NE(run.exit_code, 0) << flags;
    EXPECT_NE(run.err.find("cuda"), std::string::npos) << flags << ": " << run.err;
  }
  EXPECT_EQ(tensortide("run stream --set n=64 --no-probe --tf32 maybe").exit_code, 2);
  EXPECT_EQ(tensortide("run stream --set n=64 --no-probe --fp8 e3m4").exit_code, 2);
}

/// What was rounded to 8 bits stands in the capture: the setting, each product's kernel, and a sentence that counts
/// them.
TEST(CommandLineCuda, ProductsInFp8AreCountedInWords) {
  const std::string prefix = "TENSORTIDE_CUDA_MODULE=" + kFakeModules + "fake_module.so ";
  tests::TemporaryFolder folder;
  const std::string file = (folder / "fp8.tide").string();
  const char* flags =
      "--device cuda --set hidden=32 --set input=16 --batch 4 --fp8 e4m3 --no-probe --warmup 1 --steps 2 --json";
  const test::Outcome run = tensortide(fmt::format("run mlp {} -o {}", flags, file), prefix);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json document = json::parse(run.out);
  EXPECT_EQ(document["run"]["arguments"]["fp8"], "e4m3") << document["run"];
  EXPECT_NE(document["run"]["command"].get<std::string>().find("--fp8 e4m3"), std::string::npos);
  std::string notes;
  for (const json& note : document["summary"]["honesty"]["notes"]) notes += note.get<std::string>() + "\n";
  EXPECT_NE(notes.find("matrix multiplications round their operands to 8 bits; not "), std::string::npos) << notes;
  EXPECT_NE(notes.find("its 10 columns are no multiple of 16"), std::string::npos) << notes;
  // a workload without a product, and one whose only product cannot
  const test::Outcome none =
      tensortide("run stream --device cuda --set n=1000 --fp8 e5m2 --no-probe --steps 2", prefix);
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_NE(none.err.find("[--fp8] e5m2: this workload has no matrix multiplication"), std::string::npos) << none.err;
  const test::Outcome ten =
      tensortide("run gemm --device cuda --set n=10 --set m=16 --set k=16 --fp8 e4m3 --no-probe --steps 2", prefix);
  EXPECT_EQ(ten.exit_code, 3);
  EXPECT_NE(ten.err.find("none of the 1 matrix multiplications can use it"), std::string::npos) << ten.err;
}

TEST(CommandLineCuda, AGpuThatFailsDuringAStepEndsTheRun) {
  const std::string prefix =
      "FAKE_HEALTH='the GPU fell off the bus' TENSORTIDE_CUDA_MODULE=" + kFakeModules + "fake_module.so ";
  const test::Outcome run = tensortide("run stream --device cuda --no-probe --set n=1000 --steps 2", prefix);
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_NE(run.err.find("step 0: the GPU fell off the bus"), std::string::npos) << run.err;
}

TEST(CommandLineCuda, ARefusalNamesTheBrokenLinkAndWhatHelps) {
  const std::vector<std::pair<std::string, const char*>> cases{
      {"TENSORTIDE_CUDA_MODULE=/nonexistent/m.so ", "/nonexistent/m.so does not exist"},
      {"TENSORTIDE_CUDA_MODULE=" + kFakeModules + "fake_module_no_entry.so ", "is no module of Tensortide"},
      {"TENSORTIDE_CUDA_MODULE=" + kFakeModules + "fake_module_other_abi.so ", "of another build"},
      {"FAKE_MODULE=unplugged TENSORTIDE_CUDA_MODULE=" + kFakeModules + "fake_module.so ", "unplugged"},
  };
  for (const auto& [prefix, words] : cases) {
    const json cuda = listed("cuda", prefix);
    EXPECT_EQ(cuda["available"], false);
    EXPECT_NE(cuda["why"].get<std::string>().find(words), std::string::npos) << cuda["why"];
    EXPECT_FALSE(cuda["remedy"].get<std::string>().empty());

    const test::Outcome doctor = tensortide("doctor --json", prefix);
    EXPECT_EQ(doctor.exit_code, 0);
    EXPECT_EQ(json::parse(doctor.out)["devices"][0]["why"], cuda["why"]);

    const test::Outcome run = tensortide("run stream --device cuda --no-probe --json", prefix);
    EXPECT_EQ(run.exit_code, 3);
    EXPECT_NE(run.err.find(words), std::string::npos) << run.err;
  }
}

/// The module of this build, where there is one, before drivers that break at one link each.
TEST(CommandLineCuda, TheRealModuleMeetsBrokenDrivers) {
  if (!std::filesystem::exists(std::string(TENSORTIDE_BINARY_DIR) + "/lib/tensortide_cuda.so")) {
    GTEST_SKIP() << "this build has no CUDA module";
  }
  const auto with_driver = [](const std::string& settings) {
    return fmt::format("LD_LIBRARY_PATH={} FAKE_CUDA='{}' ", kFakeDriver, settings);
  };
  EXPECT_NE(listed("cuda", with_driver("version=12040"))["why"].get<std::string>().find("runs CUDA 12.4"),
            std::string::npos);
  EXPECT_NE(listed("cuda", with_driver("init=100"))["why"].get<std::string>().find("finds no GPU"), std::string::npos);
  EXPECT_EQ(listed("cuda", with_driver("count=1"))["model"], "Imaginary GPU");
  // A driver that has devices but none of what the CUDA runtime needs: refused in words.
  const test::Outcome run = tensortide("run stream --device cuda --no-probe --json", with_driver("count=1"));
  EXPECT_EQ(run.exit_code, 3) << run.out << run.err;
  EXPECT_NE(run.err.find("[cuda] GPU 0 cannot be used"), std::string::npos) << run.err;
}

}  // namespace
