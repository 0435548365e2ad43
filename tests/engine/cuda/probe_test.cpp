// SPDX-License-Identifier: Apache-2.0
// The probe names each link that can be missing, with a driver library that breaks there.
#include "engine/cuda/probe.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <set>

namespace {

using engine::DriverState;
using engine::ModuleProbe;
using engine::cuda::ProbeWorld;

/// A world whose driver is the fake one, answering `settings`.
ModuleProbe probe_with(const char* settings, int open_error = 0) {
  setenv("FAKE_CUDA", settings, 1);
  ProbeWorld world;
  world.library = std::string(TENSORTIDE_BINARY_DIR) + "/fake_driver/libcuda.so.1";
  world.version_file = "/nonexistent";
  world.open_error = [open_error](const std::string&) { return open_error; };
  return engine::cuda::probe(world);
}

bool says(const std::string& text, const char* words) { return text.find(words) != std::string::npos; }

TEST(CudaProbe, ListsTheDevicesOfAWorkingDriver) {
  const ModuleProbe probe = probe_with("count=2");
  ASSERT_EQ(probe.state, DriverState::ready) << probe.why;
  EXPECT_TRUE(probe.remedy.empty());
  ASSERT_EQ(probe.devices.size(), 2u);
  EXPECT_EQ(to_string(probe.devices[0].device), "cuda");
  EXPECT_EQ(to_string(probe.devices[1].device), "cuda:1");
  EXPECT_EQ(probe.devices[0].model, "Imaginary GPU");
  EXPECT_EQ(probe.devices[0].memory_bytes, int64_t{1} << 34);
  EXPECT_EQ(probe.devices[0].cores, 132);
  EXPECT_EQ(probe.devices[0].features, std::vector<std::string>{"sm_90"});
  ASSERT_EQ(probe.devices[0].caches.size(), 2u);
  EXPECT_EQ(probe.devices[0].caches[1].size_bytes, 60 << 20);
}

/// Whether convolutions will be cuDNN's is said with the device, before anything runs.
TEST(CudaProbe, SaysWhetherCudnnIsHere) {
  setenv("TENSORTIDE_CUDNN", "none", 1);
  EXPECT_TRUE(says(probe_with("count=1").why, "1 GPU; no cuDNN, convolutions are our own"));
  const std::string fake = TENSORTIDE_BINARY_DIR "/fake_cudnn/libcudnn.so.9";
  if (std::filesystem::exists(fake)) {  // builds without CUDA's headers have none
    setenv("TENSORTIDE_CUDNN", fake.c_str(), 1);
    EXPECT_TRUE(says(probe_with("count=1").why, "1 GPU; cuDNN 9.99.1"));
  }
  unsetenv("TENSORTIDE_CUDNN");
}

TEST(CudaProbe, EveryMissingLinkHasAMessageOfItsOwn) {
  ProbeWorld nothing;
  nothing.library = "libtensortide-no-such-driver.so.1";
  nothing.open_error = [](const std::string&) { return ENOENT; };
  ProbeWorld library_missing = nothing;
  library_missing.open_error = [](const std::string&) { return 0; };
  const std::vector<std::tuple<ModuleProbe, DriverState, const char*>> cases{
      {engine::cuda::probe(nothing), DriverState::no_driver, "no NVIDIA driver on this machine"},
      {engine::cuda::probe(library_missing), DriverState::no_driver, "its library is not here"},
      {probe_with("version=12040"), DriverState::driver_too_old, "runs CUDA 12.4, this build needs 13.0"},
      {probe_with("init=100"), DriverState::no_device, "finds no GPU"},
      {probe_with("init=304", ENOENT), DriverState::no_device, "its device file"},
      {probe_with("major=7 minor=0"), DriverState::no_device, "older than Turing"},
      {probe_with("init=304", EACCES), DriverState::no_permission, "may not open"},
      {probe_with("init=34"), DriverState::no_driver, "stub"},
      {probe_with("init=803"), DriverState::failed, "different versions"},
      {probe_with("init=802"), DriverState::failed, "fabric manager"},
      {probe_with("init=999"), DriverState::failed, "CUDA_ERROR_UNKNOWN (999)"},
      {probe_with("init=777"), DriverState::failed, "error 777"},
  };
  std::set<std::string> messages;
  for (const auto& [probe, state, words] : cases) {
    EXPECT_EQ(probe.state, state) << probe.why;
    EXPECT_TRUE(says(probe.why, words)) << probe.why;
    EXPECT_FALSE(probe.remedy.empty()) << probe.why;
    EXPECT_TRUE(probe.devices.empty());
    EXPECT_TRUE(messages.insert(probe.why).second) << probe.why;
  }
  EXPECT_EQ(probe_with("count=0").state, DriverState::no_device);
  EXPECT_TRUE(says(probe_with("version=12040").remedy, "580"));
}

TEST(CudaProbe, AFileThatIsNoDriverIsToldSo) {
  ProbeWorld world;
  world.library = "libm.so.6";
  const ModuleProbe probe = engine::cuda::probe(world);
  EXPECT_EQ(probe.state, DriverState::driver_too_old);
  EXPECT_TRUE(says(probe.why, "libm.so.6")) << probe.why;
}

TEST(CudaProbe, ReadsTheDriverVersion) {
  using engine::cuda::parse_driver_version;
  EXPECT_EQ(parse_driver_version(
                "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (dvs-builder)\n"
                "GCC version:  gcc version 12.2.0\n"),
            "580.95.05");
  EXPECT_EQ(parse_driver_version("NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.86.10  Thu Jan 23\n"),
            "570.86.10");
  EXPECT_EQ(parse_driver_version("GCC version 12.2.0"), "");
  EXPECT_EQ(parse_driver_version(""), "");
}

}  // namespace
