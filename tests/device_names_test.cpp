// SPDX-License-Identifier: Apache-2.0
// A device's name decides nothing: this holds the sources against comparing it. What a device is are its traits
// (engine/tensor/device.h), one row per kind in engine/tensor/device.cpp.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

namespace {

namespace devices_fs = std::filesystem;

/// The kinds themselves, and what has the same words for other things.
const std::set<std::string> kNoDevices{"engine/tensor/device.cpp",
                                       "profiler/capture/facts_from_name.cpp",  // a kernel's name
                                       "profiler/record/host_load.cpp",         // a line of /proc/stat
                                       "profiler/import/lane_roles.cpp",        // names of processes in traces
                                       "app/base/playground.cpp"};              // words that a learner writes

/// Text compared with a kind of devices, or searched for one.
bool decides_by_device_name(const std::string& line) {
  static const std::regex pattern(
      R"re([!=]=\s*"(cpu|null|cuda|opencl|sim|emu)(:[^"]*)?"|"(cpu|null|cuda|opencl|sim|emu)(:[^"]*)?"\s*[!=]=|\b(starts_with|ends_with|contains|find|rfind|compare)\(([^()"]*,\s*)?"(cpu|null|cuda|opencl|sim|emu)(:[^"]*)?")re");
  return line.find('"') != std::string::npos && std::regex_search(line, pattern);
}

TEST(DeviceNames, DecideNothing) {
  const devices_fs::path root = TENSORTIDE_SOURCE_DIR;
  int lines = 0;
  for (const char* folder : {"engine", "profiler", "views", "app"}) {
    for (const auto& entry : devices_fs::recursive_directory_iterator(root / folder)) {
      const std::string path = devices_fs::relative(entry.path(), root).generic_string();
      const auto kind = entry.path().extension();
      if ((kind != ".cpp" && kind != ".h" && kind != ".cu" && kind != ".cuh") || kNoDevices.contains(path)) continue;
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line); ++lines) {
        if (decides_by_device_name(line)) ADD_FAILURE() << path << ": ask the device's traits instead: " << line;
      }
    }
  }
  EXPECT_GT(lines, 50000) << "nothing was looked at";
}

TEST(DeviceNames, AComparisonIsFoundHoweverItIsWritten) {
  for (const char* line : std::array{R"(if (request.device == "cpu") return;)",
                                     R"(if (!capture.run().device.starts_with("cuda")) return {};)",
                                     R"(return "null" != kind;)", R"(std::ranges::find(absent, "cuda", &Absent::name))",
                                     R"(if (name.starts_with("sim:")) go();)", R"(device == "emu:0" ? a : b)"})
    EXPECT_TRUE(decides_by_device_name(line)) << line;
  for (const char* line : std::array{R"(info.device = {"cuda", index};)", R"(std::string device = "cpu";)",
                                     R"(device == v.end() ? "cpu" : device->second)",
                                     R"(name.starts_with("cudaMemcpy"))", R"({.name = "cpu", .needs_index = false})"})
    EXPECT_FALSE(decides_by_device_name(line)) << line;
}

}  // namespace
