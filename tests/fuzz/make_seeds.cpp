// SPDX-License-Identifier: Apache-2.0
// Writes small captures as seeds: make_seeds FOLDER.
#include <cstdio>
#include <filesystem>

#include "profiler/store/capture_file.h"
#include "tests/support/sample_capture.h"
#include "tests/support/sample_gpu_capture.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  for (const auto& [name, capture] :
       {std::pair("cpu.tide", tests::sample_capture()), std::pair("gpu.tide", tests::sample_gpu_capture())}) {
    if (const auto saved = profiler::save_capture(*capture, folder / name); !saved) {
      std::fprintf(stderr, "%s\n", saved.error().message.c_str());
      return 3;
    }
  }
}
