// SPDX-License-Identifier: Apache-2.0
// Names of kernels are for people: this holds the sources against deciding anything by them. What is known of a kernel
// are its facts (engine/graph/kernel_facts.h); what older captures told by names is read in one file.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

namespace {

namespace fs = std::filesystem;

const std::set<std::string> kReaders{
    "profiler/capture/facts_from_name.cpp",
    "engine/workloads/stream.cpp"};  // a parameter of STREAM's: copy, scale, add, triad

/// A kernel's name, however it is got, and then a search in it or a comparison with words; or a search for words that
/// kernels' names begin with.
const std::regex& search() {
  static const std::string name =
      R"((?:\bkernel(?:_name)?|\bkernel_name\([^()]*\)|\.kernel\)|(?:\bfacts|\bkernel|\bfacts\([^()]*(?:\([^()]*\))?[^()]*\))\.name))";
  static const std::regex pattern(
      name +
      R"(\s*(?:\.(?:find|rfind|starts_with|ends_with|contains|compare|substr)\(|[!=]=\s*"[^"])|(?:find|starts_with|ends_with|contains|says)\("(?:own|oneDNN|OpenBLAS|LAPACK|cuBLAS|cuDNN|reference)\b)");
  return pattern;
}

bool decides_by_name(const std::string& line) {
  const auto has = [&](const char* word) { return line.find(word) != std::string::npos; };
  return (has("kernel") || has("facts") || has("(\"")) &&
         std::regex_search(line, search());  // most lines are none of it, and regular expressions are slow
}

TEST(KernelNames, NobodySearchesThem) {
  const fs::path root = TENSORTIDE_SOURCE_DIR;
  int lines = 0;
  for (const char* folder : {"engine", "profiler", "views", "app"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string path = fs::relative(entry.path(), root).generic_string();
      if ((entry.path().extension() != ".cpp" && entry.path().extension() != ".h") || kReaders.contains(path)) continue;
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line); ++lines) {
        if (decides_by_name(line)) ADD_FAILURE() << path << ": ask the kernel's facts instead: " << line;
      }
    }
  }
  EXPECT_GT(lines, 50000) << "nothing was looked at";
}

TEST(KernelNames, ASearchIsFoundHoweverTheNameIsGot) {
  for (const char* line :
       std::array{R"(if (kernel.find(name) != std::string_view::npos) return true;)",
                  R"(OperandCopies copies{.widens = kernel.starts_with("f32 via workspace")};)",
                  R"(return kernel == "OpenBLAS sgemm";)", R"(capture.name(op.kernel) == "reference";)",
                  R"(if (c.name(c.ops()[op].kernel).contains("one thread")) return;)",
                  R"((*prepared)->kernel_name().ends_with(" tf32"))", R"(capture.facts(op.id).name.find("one thread"))",
                  R"(facts.name.starts_with(x))", R"(op->facts().name == "reference")",
                  R"(return says("own gemm") && !is_library(kernel);)"})
    EXPECT_TRUE(decides_by_name(line)) << line;
  for (const char* line :
       std::array{R"(kernels_.find({rank, device});)", R"(if (kernel.op == node.op->name) return &kernel;)",
                  R"(if (a.name(from.kernel) != b.name(to.kernel)) note();)",
                  R"(made.rows.push_back(row(text(c.name(op.kernel))));)",
                  R"(if (kernel.code == engine::CodeKind::reference) return false;)", R"(attributes.find("kernel"))"})
    EXPECT_FALSE(decides_by_name(line)) << line;
}

}  // namespace
