// SPDX-License-Identifier: Apache-2.0
// A request as words: what is usual is left out, what was asked is kept, and nothing that only this process knows.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/base/workbench.h"

namespace app {
namespace {

using Words = std::vector<std::string>;

TEST(RunWords, TheUsualIsLeftOut) {
  RunRequest request;
  request.workload = "mlp";
  request.output = "a.tide";
  request.command = "tensortide run mlp";
  request.probe = false;
  EXPECT_EQ(words_of(request), Words{"mlp"});
}

TEST(RunWords, EverySettingIsSaid) {
  RunRequest request;
  request.workload = "my net.json";
  request.preset = "small";
  request.settings = {{"batch", "4"}, {"hidden", "8,8"}, {"mode", "training"}};
  request.device = "sim:1";
  request.run = {{"graph", "eager"},       {"without", "onednn"}, {"tf32", "on"}, {"deterministic", "on"},
                 {"transfer", "pageable"}, {"fuse", "on"},        {"fp8", "e5m2"}};
  request.threads = 2, request.steps = 5, request.warmup_steps = 0, request.seed = 7;
  request.collect = {"simulate", "perf", "pm_sampling"};
  request.simulate_seconds = 30;
  request.roofs = "roofs.json";
  EXPECT_EQ(words_of(request), (Words{"my net.json",
                                      "--preset",
                                      "small",
                                      "--device",
                                      "sim:1",
                                      "--batch",
                                      "4",
                                      "--mode",
                                      "training",
                                      "--graph",
                                      "eager",
                                      "--fuse",
                                      "on",
                                      "--without",
                                      "onednn",
                                      "--tf32",
                                      "on",
                                      "--fp8",
                                      "e5m2",
                                      "--deterministic",
                                      "on",
                                      "--transfer",
                                      "pageable",
                                      "--collect",
                                      "ops,perf,simulate,pm_sampling",
                                      "--threads",
                                      "2",
                                      "--steps",
                                      "5",
                                      "--warmup",
                                      "0",
                                      "--seed",
                                      "7",
                                      "--simulate-limit",
                                      "30",
                                      "--set",
                                      "hidden=8,8",
                                      "--roofs",
                                      "roofs.json"}));
  request.collect.erase("simulate");
  EXPECT_EQ(std::ranges::count(words_of(request), "--simulate-limit"), 0)
      << "it says nothing where nothing is simulated";
  request.run["graph"] = "replay";
  const Words words = words_of(request);
  EXPECT_NE(std::ranges::find(words, "replay"), words.end());
}

}  // namespace
}  // namespace app
