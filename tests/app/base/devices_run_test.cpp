// SPDX-License-Identifier: Apache-2.0
// Runs that name further devices: the workbench makes them, and steps run eagerly unasked.
#include <gtest/gtest.h>

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

}  // namespace
