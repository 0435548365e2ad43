// SPDX-License-Identifier: Apache-2.0
// Compiles a learner's source, confined, into the two programs that are run: timed, and noting its accesses.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/base/kernel_catalog.h"
#include "app/base/kernel_fault.h"
#include "engine/base/result.h"

namespace app {

inline constexpr size_t kMostSourceBytes = 1 << 20;

struct Compiler {
  std::filesystem::path path;
  std::string version;  ///< "g++ (Debian 12.2.0-14) 12.2.0"
};
/// "g++" or "clang++"; empty: the first of both that is there. Refused where there is none.
engine::Result<Compiler> find_compiler(const std::string& name, bool trusted);

struct KernelSource {
  std::string name;  ///< of the file, safe for a command line: "mine.cpp"
  std::string text;
  std::string line(int number) const;
};
/// Refused: no regular file, more than kMostSourceBytes.
engine::Result<KernelSource> read_source(const std::filesystem::path&);

struct KernelBuild {
  std::filesystem::path folder, program;
  std::optional<KernelFault> fault = {};  ///< set: there is no program
};
struct BuildRequest {
  const KernelKind* kind = nullptr;
  Compiler compiler;
  int optimize = 3;
  double most_s = 20;
  bool trusted = false;
};
/// In `folder`, which is made. `notes`: the program that notes accesses.
engine::Result<KernelBuild> build_kernel(const KernelSource&, const BuildRequest&, bool notes,
                                         const std::filesystem::path& folder, const std::atomic<bool>& stop);

/// The first of these addresses of code that lies in a line of the source; 0: none does.
int line_of(const KernelBuild&, const KernelSource&, const std::vector<uint64_t>& addresses, bool trusted);

}  // namespace app
