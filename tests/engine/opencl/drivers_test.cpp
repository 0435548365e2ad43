// SPDX-License-Identifier: Apache-2.0
// Drivers that are absent, broken or odd: each is a sentence that names it, and no crash.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "engine/opencl/backend.h"
#include "engine/ops/ops.h"
#include "engine/runtime/plan.h"

namespace engine::opencl {
namespace {

class OpenclDrivers : public testing::Test {
 protected:
  ~OpenclDrivers() override { unsetenv("FAKE_OPENCL"); }
  static Found of(const char* told) {
    setenv("FAKE_OPENCL", told, 1);
    return find_devices(TENSORTIDE_FAKE_OPENCL);
  }
  static std::shared_ptr<const Graph> of_relu(int64_t elements) {
    GraphBuilder builder;
    const ValueId x = builder.parameter("x", TensorType::contiguous(DType::float32, {elements}), {Fill::Kind::arange});
    builder.mark_output(ops::relu(builder, x));
    return std::make_shared<const Graph>(*builder.finish());
  }
};

TEST_F(OpenclDrivers, ThatCannotBeUsedAreNamedWithWhatHelps) {
  struct Case {
    Found found;
    DriverState state;
    const char* words;
  };
  const Case cases[] = {
      {find_devices("/nonexistent/libOpenCL.so.1"), DriverState::no_driver, "/nonexistent/libOpenCL.so.1"},
      {find_devices("libz.so.1"), DriverState::no_driver, "libz.so.1 has no clGetPlatformIDs"},
      {of("no_platform"), DriverState::no_driver, "no driver"},
      {of("fails"), DriverState::failed, "CL_OUT_OF_HOST_MEMORY (-6)"},
      {of("no_device"), DriverState::no_device, "Fake Platform finds no device"},
      {of("no_compiler"), DriverState::no_device, "Fake Device of Fake Platform has no compiler"},
  };
  std::set<std::string> sentences;
  for (const Case& c : cases) {
    EXPECT_EQ(c.found.probe.state, c.state) << c.found.probe.why;
    EXPECT_NE(c.found.probe.why.find(c.words), std::string::npos) << c.found.probe.why;
    EXPECT_FALSE(c.found.probe.remedy.empty());
    EXPECT_TRUE(c.found.probe.devices.empty());
    EXPECT_TRUE(sentences.insert(c.found.probe.why).second) << c.found.probe.why;
    const auto backend = make_backend_on(c.found, {});
    ASSERT_FALSE(backend.ok());
    EXPECT_EQ(backend.error().kind, ErrorKind::refused);
    EXPECT_NE(backend.error().message.find(c.found.probe.why), std::string::npos);
  }
}

TEST_F(OpenclDrivers, ADeviceIsDescribedByWhatItSays) {
  const Found found = of("works");
  ASSERT_EQ(found.devices.size(), 1u) << found.probe.why;
  const DeviceInfo& info = found.devices[0].info;
  EXPECT_EQ(to_string(info.device), "opencl");
  EXPECT_EQ(info.model, "Fake Device");
  EXPECT_EQ(info.features, (std::vector<std::string>{"accelerator", "f32 alone"}));
  EXPECT_EQ(info.memory_bytes, 1 << 30);
  EXPECT_EQ(info.memory_available_bytes, 0) << "OpenCL tells no free memory: unknown";
  EXPECT_EQ(info.cores, 0) << "it did not say";
  EXPECT_EQ(of("long_name").devices.at(0).info.model, "") << "an absurd length is no name";
}

TEST_F(OpenclDrivers, AnotherDeviceThanThereIsIsRefused) {
  const auto none = make_backend_on(of("works"), {.index = 3});
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().message.find("there is no device 3"), std::string::npos) << none.error().message;
}

TEST_F(OpenclDrivers, AQueueThatCannotBeMadeIsRefused) {
  const auto none = make_backend_on(of("no_queue"), {});
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().message.find("CL_INVALID_QUEUE_PROPERTIES"), std::string::npos) << none.error().message;
}

TEST_F(OpenclDrivers, ABuildThatFailsIsRefusedWithTheCompilersError) {
  const auto backend = make_backend_on(of("build_fails"), {});
  ASSERT_TRUE(backend.ok()) << backend.error().message;
  const auto plan = Plan::make(of_relu(8), **backend);
  ASSERT_FALSE(plan.ok());
  for (const char* words : {"elementwise.cl", "Fake Device", "error: no such thing"})
    EXPECT_NE(plan.error().message.find(words), std::string::npos) << plan.error().message;
}

TEST_F(OpenclDrivers, ACommandThatFailsIsTheBackendsHealth) {
  const auto backend = make_backend_on(of("works"), {});
  ASSERT_TRUE(backend.ok()) << backend.error().message;
  const auto plan = Plan::make(of_relu(8), **backend);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_TRUE(health(**backend).ok());
  (*plan)->run_step(0, nullptr);
  const Result<void> after = health(**backend);
  ASSERT_FALSE(after.ok());
  EXPECT_NE(after.error().message.find("[relu]"), std::string::npos) << after.error().message;
  EXPECT_NE(after.error().message.find("CL_OUT_OF_RESOURCES"), std::string::npos) << after.error().message;
}

TEST_F(OpenclDrivers, ABlockBeyondTheDriversLimitIsRefused) {
  const auto backend = make_backend_on(of("works"), {});
  ASSERT_TRUE(backend.ok());
  EXPECT_TRUE((*backend)->allocate(1 << 20).ok());
  const auto large = (*backend)->allocate((1 << 20) + 1);
  ASSERT_FALSE(large.ok());
  EXPECT_NE(large.error().message.find("Fake Device allows 1"), std::string::npos) << large.error().message;
}

TEST_F(OpenclDrivers, DoublesAreRefusedWhereTheDeviceHasNone) {
  const auto backend = make_backend_on(of("works"), {});
  ASSERT_TRUE(backend.ok());
  GraphBuilder builder;
  const ValueId x = builder.parameter("x", TensorType::contiguous(DType::float64, {3}), {Fill::Kind::arange});
  builder.mark_output(ops::relu(builder, x));
  const auto plan = Plan::make(std::make_shared<const Graph>(*builder.finish()), **backend);
  ASSERT_FALSE(plan.ok());
  EXPECT_NE(plan.error().message.find("has no f64"), std::string::npos) << plan.error().message;
}

}  // namespace
}  // namespace engine::opencl
