// SPDX-License-Identifier: Apache-2.0
// Loading a module: each way in which it can fail has its own words.
#include "app/base/module_loader.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>

namespace {

using app::ModuleSearch;

std::filesystem::path fake(const std::string& name) {
  return std::filesystem::path(TENSORTIDE_BINARY_DIR) / "fake_modules" / (name + ".so");
}

const app::DeviceModule& cuda() { return *app::module_of("cuda"); }

std::string refusal(const ModuleSearch& search) {
  const auto module = app::load_module(cuda(), search);
  EXPECT_FALSE(module.ok());
  return module.ok() ? "" : module.error().message;
}

TEST(ModuleLoader, OpensAModuleAndAsksIt) {
  const auto module = app::load_module(
      cuda(), {.named = "", .places = {"/nonexistent/tensortide_cuda.so", fake("fake_module")}, .built = true});
  ASSERT_TRUE(module.ok()) << module.error().message;
  EXPECT_EQ(module->file, fake("fake_module"));
  unsetenv("FAKE_MODULE");
  const app::ModuleAvailability ready = app::availability_of(cuda(), module);
  EXPECT_TRUE(ready.available);
  ASSERT_EQ(ready.devices.size(), 2u);
  const auto backend = module->entry->make_backend({.index = 1});
  ASSERT_TRUE(backend.ok());
  EXPECT_EQ(to_string((*backend)->info().device), "cuda:1");

  setenv("FAKE_MODULE", "the cable is out", 1);
  const app::ModuleAvailability out = app::availability_of(cuda(), module);
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
      {{.named = "", .places = {"/nonexistent/tensortide_cuda.so"}, .built = true},
       "is missing; it belongs to /nonexistent"},
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
    const app::ModuleAvailability none = app::availability_of(cuda(), app::load_module(cuda(), search));
    EXPECT_FALSE(none.available);
    EXPECT_EQ(none.why, message);
    EXPECT_FALSE(none.remedy.empty());
  }
  std::filesystem::remove(garbage);
}

/// Each row can be looked for, and the program knows the devices that it is for.
TEST(ModuleLoader, EachModuleOfTheListIsOfItsOwnKindOfDevices) {
  std::set<std::string_view> files, variables, kinds;
  for (const app::DeviceModule& module : app::device_modules()) {
    SCOPED_TRACE(module.kind);
    EXPECT_TRUE(engine::traits_of(module.kind).is_gpu);
    EXPECT_TRUE(kinds.insert(module.kind).second && files.insert(module.file).second &&
                variables.insert(module.variable).second);
    EXPECT_FALSE(module.remedy.empty());
    EXPECT_TRUE(module.built || !module.unbuilt.empty());
    engine::DeviceInfo device;
    device.device.kind = module.kind;
    EXPECT_FALSE(module.help(device).empty());
    EXPECT_EQ(app::module_of(std::string(module.kind) + ":3"), &module);
    const std::string named = "/nonexistent/" + std::string(module.file);
    setenv(std::string(module.variable).c_str(), named.c_str(), 1);
    EXPECT_EQ(app::search_of(module).named, named);
    unsetenv(std::string(module.variable).c_str());
    for (const auto& place : app::search_of(module).places) EXPECT_EQ(place.filename(), module.file);
  }
  EXPECT_EQ(app::module_of("cpu"), nullptr);
  EXPECT_EQ(app::module_of("sim:0"), nullptr);
  EXPECT_FALSE(engine::traits_of(app::gpu_module().kind).emulated);
}

}  // namespace
