// SPDX-License-Identifier: Apache-2.0
// Loading a module: each way in which it can fail has its own words.
#include "app/base/module_loader.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>

namespace {

using app::ModuleSearch;

std::filesystem::path fake(const std::string& name) { return std::filesystem::path(TENSORTIDE_BINARY_DIR) / "fake_modules" / (name + ".so"); }

std::string refusal(const ModuleSearch& search) {
  const auto module = app::load_module(search);
  EXPECT_FALSE(module.ok());
  return module.ok() ? "" : module.error().message;
}

TEST(ModuleLoader, OpensAModuleAndAsksIt) {
  const auto module = app::load_module({.named = "", .places = {"/nonexistent/tensortide_cuda.so", fake("fake_module")}, .built = true});
  ASSERT_TRUE(module.ok()) << module.error().message;
  EXPECT_EQ(module->file, fake("fake_module"));
  unsetenv("FAKE_MODULE");
  const app::CudaAvailability ready = app::cuda_availability_of(module);
  EXPECT_TRUE(ready.available);
  ASSERT_EQ(ready.devices.size(), 2u);
  const auto backend = module->entry->make_backend({.index = 1});
  ASSERT_TRUE(backend.ok());
  EXPECT_EQ(to_string((*backend)->info().device), "cuda:1");

  setenv("FAKE_MODULE", "the cable is out", 1);
  const app::CudaAvailability out = app::cuda_availability_of(module);
  EXPECT_FALSE(out.available);
  EXPECT_EQ(out.why, "the cable is out");
  EXPECT_EQ(out.remedy, "plug it in");
  EXPECT_TRUE(out.devices.empty());
  unsetenv("FAKE_MODULE");
}

TEST(ModuleLoader, EachFailureHasItsOwnMessage) {
  const std::filesystem::path garbage = std::filesystem::path(testing::TempDir()) / "tensortide_garbage.so";
  std::ofstream(garbage) << "no library";
  const std::vector<std::pair<ModuleSearch, const char*>> cases{
      {{.named = "", .places = {"/nonexistent/tensortide_cuda.so"}, .built = false}, "this build has no CUDA module"},
      {{.named = "", .places = {"/nonexistent/tensortide_cuda.so"}, .built = true}, "is missing; it belongs to /nonexistent"},
      {{.named = "/nonexistent/mine.so", .places = {}, .built = true}, "/nonexistent/mine.so does not exist"},
      {{.named = garbage, .places = {}, .built = true}, "does not load"},
      {{.named = fake("fake_module_no_entry"), .places = {}, .built = true}, "is no module of Tensortide"},
      {{.named = fake("fake_module_other_abi"), .places = {}, .built = true}, "ABI 999"},
      {{.named = fake("fake_module_other_version"), .places = {}, .built = true}, "version 0.0.1"},
  };
  std::set<std::string> messages;
  for (const auto& [search, words] : cases) {
    const std::string message = refusal(search);
    EXPECT_NE(message.find(words), std::string::npos) << message;
    EXPECT_TRUE(messages.insert(message).second) << message;
    const app::CudaAvailability none = app::cuda_availability_of(app::load_module(search));
    EXPECT_FALSE(none.available);
    EXPECT_EQ(none.why, message);
    EXPECT_FALSE(none.remedy.empty());
  }
  std::filesystem::remove(garbage);
}

}  // namespace
