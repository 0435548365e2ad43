// SPDX-License-Identifier: Apache-2.0
// Runs that name further devices: the workbench makes them, and steps run eagerly unasked.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/base/workbench.h"

namespace {

app::RunRequest request_of(engine::Arguments settings) {
  app::RunRequest request;
  request.workload = "devices";
  request.settings = std::move(settings);
  request.threads = 1;
  request.warmup_steps = 0;
  request.steps = 2;
  request.probe = false;
  return request;
}

TEST(RunOnSeveralDevices, MakesThemAndRunsEagerly) {
  const auto capture = app::record(request_of({{"mode", "inference"}}), {}, false);
  ASSERT_TRUE(capture.ok()) << capture.error().message;
  EXPECT_EQ((*capture)->run().arguments.at("graph"), "eager");
  EXPECT_FALSE((*capture)->gpu().copies.empty());
}

TEST(RunOnSeveralDevices, OneDeviceIsPlanned) {
  const auto capture = app::record(request_of({{"first", "none"}, {"second", "none"}}), {}, false);
  ASSERT_TRUE(capture.ok()) << capture.error().message;
  EXPECT_FALSE((*capture)->run().arguments.contains("graph"));
  EXPECT_TRUE((*capture)->gpu().copies.empty());
}

TEST(RunOnSeveralDevices, SaysWhatItCannotDo) {
  const auto nameless = app::record(request_of({{"first", "simm:0"}}), {}, false);
  ASSERT_FALSE(nameless.ok());
  EXPECT_NE(nameless.error().message.find("simm:0"), std::string::npos) << nameless.error().message;
  auto fused = request_of({});
  fused.run["fuse"] = "on";
  const auto planned = app::record(fused, {}, false);
  ASSERT_FALSE(planned.ok());
  EXPECT_NE(planned.error().message.find("to_device"), std::string::npos) << planned.error().message;
}

/// A given count is the device's own; further devices share what the run may use.
TEST(RunOnSeveralDevices, ThreadsAreThoseThatWereAskedFor) {
  auto request = request_of({});
  request.workload = "mlp";
  request.settings = {{"input", "16"}, {"hidden", "16"}};
  request.device = "sim:0";
  for (const int threads : {1, 2, 3}) {
    request.threads = threads;
    const auto capture = app::record(request, {}, false);
    ASSERT_TRUE(capture.ok()) << capture.error().message;
    EXPECT_EQ((*capture)->run().threads, threads);
  }
}

TEST(RunOnSeveralDevices, ThreadsOfDevicesAreNotHeldOnOneProcessor) {
  auto request = request_of({{"mode", "inference"}});
  request.run["pin"] = "on";
  const auto refused = app::record(request, {}, false);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("[--pin] on: the simulated devices"), std::string::npos);
  request.run["pin"] = "auto";
  const auto capture = app::record(request, {}, false);
  ASSERT_TRUE(capture.ok()) << capture.error().message;
  const auto& notes = (*capture)->honesty().notes;
  EXPECT_TRUE(std::ranges::any_of(notes, [](const std::string& n) { return n.starts_with("Threads stay on no"); }));
}

}  // namespace
