// SPDX-License-Identifier: Apache-2.0
// The ONNX project's backend test cases: those of Debian's libonnx-testdata, and newer ones in tests/data/onnx_cases.
// The ones that tests/data/onnx_allow_list.txt names must pass; others that pass are reported with the lines to add.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/engine/onnx/model_maker.h"
#include "tests/engine/onnx/suite_case.h"

namespace engine::onnx {
namespace {

namespace fs = std::filesystem;

const fs::path kSuite = "/usr/share/libonnx-testdata/data", kNewer = TENSORTIDE_TEST_DATA "/onnx_cases";
constexpr const char* kSets[] = {"node", "simple", "pytorch-operator", "pytorch-converted", "newer"};
constexpr int kGroups = 12;  // of the set "node"

/// The listed cases and what the importer has to be told for them.
const std::map<std::string, Told>& allow_list() {
  static const std::map<std::string, Told> list = [] {
    std::ifstream stream(TENSORTIDE_TEST_DATA "/onnx_allow_list.txt");
    std::map<std::string, Told> read;
    for (std::string line; std::getline(stream, line);) {
      if (line.empty() || line[0] == '#') continue;
      std::istringstream words(line);
      std::string name, told = "nothing";
      words >> name >> told;
      const std::optional<Told> known = parse_told(told.empty() ? "nothing" : told);
      EXPECT_TRUE(known.has_value()) << line;
      EXPECT_TRUE(read.emplace(name, known.value_or(Told::nothing)).second) << name << " is listed twice";
    }
    return read;
  }();
  return list;
}

/// Of a set, or of a case in it.
fs::path folder_of(const std::string& name) {
  return name.starts_with("newer") ? kNewer / fs::path(name).lexically_relative("newer") : kSuite / name;
}

std::vector<std::string> cases_of(const std::string& set) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_of(set))) {
    if (entry.is_directory()) names.push_back(set + "/" + entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

char g_case[256];  // what runs, for the handler below

/// A crash ends this group's process: it has to say in which case.
extern "C" void name_the_case(int signal) {
  constexpr char kText[] = "crashed in ";
  if (write(STDERR_FILENO, kText, sizeof kText - 1) < 0 || write(STDERR_FILENO, g_case, std::strlen(g_case)) < 0 ||
      write(STDERR_FILENO, "\n", 1) < 0) {
    _exit(1);
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void watch_for_crashes() {
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS, SIGILL}) {
    struct sigaction now {};
    // Sanitizers have handlers of their own, which say more.
    if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_DFL) std::signal(signal, name_the_case);
  }
}

struct Outcome {
  std::optional<Told> passes_told;  ///< the least that has to be told; nothing: it fails
  std::string why;                  ///< of the last refusal
};

Outcome try_case(Backend& backend, const std::string& name) {
  fmt::format_to_n(g_case, sizeof g_case - 1, "{}", name + std::string(sizeof g_case, '\0'));
  const Result<SuiteCase> test = read_case(folder_of(name));
  if (!test) return {{}, test.error().message};
  Outcome outcome;
  for (const Told told : {Told::nothing, Told::integers, Told::everything}) {
    const Result<void> passed = run_case(backend, *test, told);
    if (passed) return {told, {}};
    outcome.why += fmt::format("\n  told {}: {}", onnx::name(told), passed.error().message);
  }
  return outcome;
}

/// Runs the cases and holds them against the list.
void hold(const std::vector<std::string>& names) {
  watch_for_crashes();
  const std::unique_ptr<Backend> backend = cpu_backend();
  const bool verbose = std::getenv("ONNX_SUITE_VERBOSE") != nullptr;
  size_t passed = 0;
  std::string news;
  for (const std::string& name : names) {
    const Outcome outcome = try_case(*backend, name);
    const auto listed = allow_list().find(name);
    const bool is_listed = listed != allow_list().end();
    if (outcome.passes_told) ++passed;
    if (is_listed) {
      EXPECT_TRUE(outcome.passes_told.has_value()) << name << ": " << outcome.why;
      if (outcome.passes_told) {
        EXPECT_LE(*outcome.passes_told, listed->second) << name;
      }
    }
    if (outcome.passes_told && (!is_listed || *outcome.passes_told < listed->second)) {
      news += name +
              (*outcome.passes_told == Told::nothing ? "" : fmt::format(" {}", onnx::name(*outcome.passes_told))) +
              "\n";
    }
    if (verbose && !outcome.passes_told) fmt::print("FAILS {}: {}\n", name, outcome.why);
  }
  fmt::print("{} of {} cases pass\n", passed, names.size());
  if (!news.empty()) fmt::print("These lines are new in tests/data/onnx_allow_list.txt:\n{}", news);
}

class OnnxSuiteNode : public testing::TestWithParam<int> {};

TEST_P(OnnxSuiteNode, ListedCasesPass) {
  if (!fs::exists(kSuite)) GTEST_SKIP() << "the package libonnx-testdata is not installed";
  const std::vector<std::string> all = cases_of("node");
  std::vector<std::string> group;
  for (size_t i = static_cast<size_t>(GetParam()); i < all.size(); i += kGroups) group.push_back(all[i]);
  hold(group);
}

INSTANTIATE_TEST_SUITE_P(Groups, OnnxSuiteNode, testing::Range(0, kGroups));

TEST(OnnxSuiteNewer, ListedCasesPass) { hold(cases_of("newer")); }

class OnnxSuite : public testing::TestWithParam<const char*> {};

TEST_P(OnnxSuite, ListedCasesPass) {
  if (!fs::exists(kSuite)) GTEST_SKIP() << "the package libonnx-testdata is not installed";
  hold(cases_of(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Sets, OnnxSuite, testing::Values("simple", "pytorch-operator", "pytorch-converted"),
                         [](const auto& set) {
                           std::string text = set.param;
                           std::ranges::replace(text, '-', '_');
                           return text;
                         });

TEST(OnnxSuiteList, NamesExistingCasesAndCounts) {
  if (!fs::exists(kSuite)) GTEST_SKIP() << "the package libonnx-testdata is not installed";
  size_t found = 0;
  for (const char* set : kSets) {
    const std::vector<std::string> names = cases_of(set);
    std::map<Told, size_t> told;
    for (const std::string& name : names) {
      if (const auto listed = allow_list().find(name); listed != allow_list().end()) ++told[listed->second];
    }
    const size_t listed = told[Told::nothing] + told[Told::integers] + told[Told::everything];
    fmt::print("{}: {} of {} cases listed ({:.1f} %), of which {} with integers and {} with everything told\n", set,
               listed, names.size(), 100.0 * static_cast<double>(listed) / static_cast<double>(names.size()),
               told[Told::integers], told[Told::everything]);
    found += listed;
  }
  EXPECT_EQ(found, allow_list().size()) << "a listed case does not exist";
}

}  // namespace
}  // namespace engine::onnx
