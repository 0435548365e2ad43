// SPDX-License-Identifier: GPL-3.0-or-later
// What is known of a model before it is run, against sums by hand.
#include "app/base/model_preview.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "profiler/capture/only_planned.h"
#include "tests/support/temporary_folder.h"

namespace app {
namespace {

const char* const kNetwork =
    R"({"name": "two", "input": [12], "batch": 4,
        "layers": [{"type": "linear", "units": 16}, {"type": "relu"}, {"type": "linear", "units": 3}]})";

std::string write_network(const std::filesystem::path& folder, const std::string& text) {
  const auto file = folder / "two.json";
  std::ofstream(file) << text;
  return file.string();
}

TEST(ModelPreview, SumsAreThoseOfTheShapes) {
  const tests::TemporaryFolder folder;
  RunRequest request;
  request.workload = write_network(folder.path(), kNetwork);
  request.settings = {{"mode", "inference"}};
  const auto preview = preview_model(request);
  ASSERT_TRUE(preview) << preview.error().message;
  EXPECT_EQ(preview->title, "two");
  EXPECT_EQ(preview->parameters, 12 * 16 + 16 + 16 * 3 + 3);
  EXPECT_EQ(preview->weight_bytes, 4 * preview->parameters);
  // Two products of 2 m n k, what is added and compared once per element.
  EXPECT_GE(preview->flops, 2.0 * 4 * (12 * 16 + 16 * 3));
  EXPECT_LE(preview->flops, 2.0 * 4 * (12 * 16 + 16 * 3) + 3 * 4 * (16 + 3));
  EXPECT_GE(preview->compulsory_bytes, 4.0 * (12 * 4 + 4 * 16 + 4 * 3) + static_cast<double>(preview->weight_bytes));
  EXPECT_GE(preview->memory_bytes, static_cast<double>(preview->weight_bytes));
  EXPECT_TRUE(preview->does_not_fit.empty());
}

TEST(ModelPreview, ItIsNoRun) {
  RunRequest request;
  request.workload = "mlp";
  const auto preview = preview_model(request);
  ASSERT_TRUE(preview) << preview.error().message;
  EXPECT_TRUE(profiler::only_planned(*preview->capture));
  EXPECT_TRUE(preview->capture->steps().empty());
  EXPECT_FALSE(preview->capture->ops().empty());
  EXPECT_EQ(preview->capture->run().command.rfind("tensortide run mlp", 0), 0U) << preview->capture->run().command;
}

TEST(ModelPreview, SettingsChangeWhatIsPlanned) {
  RunRequest request;
  request.workload = "mlp";
  request.settings = {{"batch", "2"}};
  const auto small = preview_model(request);
  request.settings["batch"] = "64";
  const auto large = preview_model(request);
  ASSERT_TRUE(small && large);
  EXPECT_EQ(small->parameters, large->parameters);
  EXPECT_GT(large->flops, 16 * small->flops);
  EXPECT_GT(large->memory_bytes, small->memory_bytes);
}

TEST(ModelPreview, ANetworkThatFitsNowhereIsShownWithTheReason) {
  RunRequest request;
  request.workload = "mlp";
  request.settings = {{"batch", "1000000000"}};
  const auto preview = preview_model(request);
  ASSERT_TRUE(preview) << preview.error().message;
  EXPECT_FALSE(preview->does_not_fit.empty());
}

TEST(ModelPreview, RefusalsAreThoseOfARun) {
  const tests::TemporaryFolder folder;
  for (const char* text : {"{", R"({"name": "x", "input": [3], "batch": 1, "layers": [{"type": "nonsense"}]})"}) {
    RunRequest request;
    request.workload = write_network(folder.path(), text);
    const auto preview = preview_model(request);
    ASSERT_FALSE(preview);
    EXPECT_NE(preview.error().message.find("two.json"), std::string::npos) << preview.error().message;
  }
  RunRequest request;
  request.workload = (folder.path() / "absent.onnx").string();
  EXPECT_FALSE(preview_model(request));
}

}  // namespace
}  // namespace app
