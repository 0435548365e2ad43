// SPDX-License-Identifier: Apache-2.0
// The chain to a traced GPU with a module of our own: the first broken link is the last one walked, and is what
// `doctor` names.
#include "app/base/gpu_chain.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "profiler/record/catalog.h"

namespace {

using profiler::ChainLink;

struct World {
  engine::DriverState driver = engine::DriverState::ready;
  std::vector<ChainLink> cupti;
};
World& world() {
  static World w;
  return w;
}

engine::ModuleProbe probe() {
  const bool ready = world().driver == engine::DriverState::ready;
  engine::ModuleProbe p;
  p.state = world().driver;
  p.why = ready ? "NVIDIA driver 580.1, 1 GPU" : "no NVIDIA driver here";
  p.remedy = ready ? "" : "install the NVIDIA driver";
  if (ready) p.devices.resize(1);
  return p;
}

std::vector<ChainLink> examine(bool) { return world().cupti; }

engine::Result<app::LoadedModule> module(bool with_cupti = true) {
  static const profiler::GpuModule gpu{.examine = examine, .start_trace = nullptr};
  static engine::ModuleEntry entry, blind;
  entry.probe = blind.probe = probe;
  entry.collector = &gpu;
  return app::LoadedModule{"/somewhere/tensortide_cuda.so", with_cupti ? &entry : &blind};
}

/// What doctor says of a source, for a chain.
profiler::Availability availability(const char* source, const std::vector<ChainLink>& chain) {
  return profiler::find_collector(source)->check([&chain] { return chain; });
}

TEST(GpuChain, EachBrokenLinkIsNamedAndEndsTheWalk) {
  auto chain = app::chain_of(*app::module_of("cuda"), engine::refused_error("this build has no CUDA module"), true);
  ASSERT_EQ(chain.size(), 1u);
  EXPECT_EQ(availability("cupti", chain).why, "module: this build has no CUDA module");
  EXPECT_NE(availability("cupti", chain).remedy, "");

  world() = {.driver = engine::DriverState::no_driver, .cupti = {}};
  chain = app::chain_of(*app::module_of("cuda"), module(), true);
  ASSERT_EQ(chain.size(), 2u);
  EXPECT_TRUE(chain[0].works);
  EXPECT_EQ(availability("cupti", chain).why, "driver and device: no NVIDIA driver here");
  EXPECT_EQ(availability("cupti", chain).remedy, "install the NVIDIA driver");

  world() = {};
  chain = app::chain_of(*app::module_of("cuda"), module(false), true);
  EXPECT_EQ(availability("cupti", chain).why, "CUPTI: this module was built without CUPTI");

  world().cupti = {{.name = "CUPTI", .works = true, .found = "13.0", .remedy = ""},
                   {.name = "attaching",
                    .works = false,
                    .found = "another profiler (nsys) is attached",
                    .remedy = "run without it"}};
  chain = app::chain_of(*app::module_of("cuda"), module(), true);
  EXPECT_EQ(availability("cupti", chain).why, "attaching: another profiler (nsys) is attached");
}

TEST(GpuChain, TracingNeedsNoPermissionCountersDo) {
  world() = {.driver = engine::DriverState::ready,
             .cupti = {{.name = "CUPTI", .works = true, .found = "13.0", .remedy = ""},
                       {.name = "permission for counters",
                        .works = false,
                        .found = "administrators only",
                        .remedy = "sudo tee ...",
                        .for_counters_only = true}}};
  const auto chain = app::chain_of(*app::module_of("cuda"), module(), true);
  EXPECT_TRUE(availability("cupti", chain).available) << availability("cupti", chain).why;
  EXPECT_FALSE(availability("counters", chain).available);
  EXPECT_EQ(availability("counters", chain).why, "permission for counters: administrators only");
  EXPECT_EQ(availability("counters", chain).remedy, "sudo tee ...");
}

TEST(GpuChain, TheProcessorIsNotTraced) {
  const auto refused = app::start_gpu_trace("cpu");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, engine::ErrorKind::usage);
  EXPECT_NE(refused.error().message.find("--device cpu does none of its work on one"), std::string::npos);
}

}  // namespace
