// SPDX-License-Identifier: Apache-2.0
// Output, files of others and JSON pass through one function each; this holds the sources against that, so that no new
// verb or reader goes around it: app/cli/command.h (show, tell), engine/base/read_file.h, engine/base/json_text.h.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

/// Calls f(path from the root, line) for each line of the sources of some folders that is no comment.
void each_line(const std::vector<std::string>& folders,
               const std::function<void(const std::string&, const std::string&)>& f) {
  const fs::path root = TENSORTIDE_SOURCE_DIR;
  for (const std::string& folder : folders) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
      std::ifstream in(entry.path());
      const std::string path = fs::relative(entry.path(), root).generic_string();
      for (std::string line; std::getline(in, line);) {
        const size_t code = line.find_first_not_of(' ');
        if (code != std::string::npos && line.compare(code, 2, "//") != 0) f(path, line);
      }
    }
  }
}

/// Lines with one of `words`, save in `allowed` files (with why).
void expect_none(const std::vector<std::string>& folders, const std::vector<std::string>& words,
                 const std::set<std::string>& allowed, const char* instead) {
  int lines = 0;
  each_line(folders, [&](const std::string& path, const std::string& line) {
    ++lines;
    const bool found = std::any_of(words.begin(), words.end(),
                                   [&](const std::string& word) { return line.find(word) != std::string::npos; });
    if (found && !allowed.contains(path)) ADD_FAILURE() << path << ": use " << instead << ": " << line;
  });
  EXPECT_GT(lines, 100) << "nothing was looked at";
}

TEST(Funnels, TheCommandLinePrintsThroughShowAndTell) {
  expect_none({"app/cli", "app/base"},
              {"fmt::print(", "std::cout <<", "std::cerr", "printf(", " puts(", "fputs(", "::puts(", "fwrite("},
              {"app/cli/command.h"}, "show() or tell()");
}

TEST(Funnels, JsonOfOthersIsParsedWithABoundOnItsDepth) {
  expect_none(
      {"engine", "profiler", "views", "app"}, {"json::parse("},
      {"engine/netfile/network_file.cpp",    // looks at the depth itself, for a message with line and column
       "engine/files/safetensors.cpp",       // looks at the depth itself, and for keys that are there twice
       "profiler/predict/modelled_gpu.cpp",  // the next three parse what this program holds or wrote a line before
       "profiler/analysis/base/verdict_rules.cpp", "profiler/machine/gpu_data_sheet.cpp", "app/cli/probe.cpp",
       "app/cli/output.cpp", "app/cli/query.cpp"},
      "engine::parse_json()");
}

TEST(Funnels, FilesOfOthersAreOpenedAsRegularFiles) {
  expect_none(
      {"engine", "profiler", "views", "app"}, {"std::ifstream", "std::fstream", "gzopen("},
      {// files of the kernel
       "engine/base/clock.cpp", "engine/base/memory.cpp", "engine/base/memory_limits.cpp", "engine/cuda/probe.cpp",
       "profiler/record/probe_cache.cpp", "profiler/record/power.cpp", "profiler/record/counter_run.cpp",
       "profiler/record/perf_counters.cpp", "profiler/record/host_load.cpp", "profiler/cupti/examine.cpp",
       "profiler/cupti/counter_refusals.cpp", "app/base/child_run.cpp", "profiler/record/resident_memory.cpp",
       // look at the kind of file themselves
       "profiler/store/capture_open.cpp", "profiler/store/capture_target.cpp",
       // a file that this program wrote for itself
       "app/base/input_files.cpp"},
      "engine::read_file() or engine::RegularFile");
}

}  // namespace
