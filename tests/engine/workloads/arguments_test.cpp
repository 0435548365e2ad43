// SPDX-License-Identifier: Apache-2.0
// What a user may type for a parameter, and what the refusal says.
#include <gtest/gtest.h>

#include "engine/base/nearest_name.h"
#include "engine/workloads/workload.h"

namespace engine {
namespace {

const Workload& workload(std::string_view name) {
  const Result<const Workload*> found = find_workload(name);
  CHECK(found.ok());
  return **found;
}

/// The refusal of `name` = `value` for ResNet-50; empty when it is taken.
std::string refusal(const std::string& name, const std::string& value, std::string_view of = "resnet50") {
  const Result<Arguments> resolved = resolve(workload(of), {{name, value}});
  if (resolved) return "";
  EXPECT_EQ(resolved.error().kind, ErrorKind::usage);
  return resolved.error().message;
}

TEST(Arguments, FillsInDefaults) {
  const Result<Arguments> resolved = resolve(workload("resnet50"), {});
  ASSERT_TRUE(resolved.ok());
  EXPECT_EQ(integer_argument(*resolved, "batch"), 4);
  EXPECT_EQ(text_argument(*resolved, "mode"), "training");
  EXPECT_EQ(dtype_argument(*resolved), DType::float32);
  EXPECT_DOUBLE_EQ(real_argument(*resolved, "momentum"), 0.9);
  EXPECT_EQ(resolved->size(), workload("resnet50").parameters.size());
}

TEST(Arguments, RefusesWhatIsNoBatchSizeNamingParameterValueAndRange) {
  for (const char* value : {"0", "-1", "abc", "1e3", "4x", "", " 4", "4 ", "+4", "0x10", "4.0", "9223372036854775808",
                            "4611686018427387905", "99999999999999999999999999", "\xff\xfe"}) {
    const std::string message = refusal("batch", value);
    EXPECT_NE(message.find(std::string("batch = \"") + value + '"'), std::string::npos) << value << ": " << message;
    EXPECT_NE(message.find("an integer from 1 to 4611686018427387904"), std::string::npos) << message;
  }
}

TEST(Arguments, TakesAbsurdBatchesForThePlanToRefuse) {
  EXPECT_EQ(refusal("batch", "1099511627776"), "");
  EXPECT_EQ(refusal("batch", "4611686018427387904"), "");
}

TEST(Arguments, ChecksNumbersAgainstTheirRange) {
  EXPECT_EQ(refusal("momentum", "0.5"), "");
  EXPECT_EQ(refusal("learning_rate", "1e-3"), "");
  for (const char* value : {"1.5", "-0.1", "nan", "inf", "1e999", "half", "0.5f"}) {
    EXPECT_NE(refusal("momentum", value).find("a number from 0 to 1"), std::string::npos) << value;
  }
}

TEST(Arguments, SpellsEqualNumbersEqually) {
  const Result<Arguments> resolved = resolve(workload("resnet50"), {{"batch", "007"}, {"momentum", "0.50"}});
  ASSERT_TRUE(resolved.ok());
  EXPECT_EQ(resolved->at("batch"), "7");
  EXPECT_EQ(resolved->at("momentum"), "0.5");
}

TEST(Arguments, SuggestsTheNearestChoice) {
  EXPECT_NE(refusal("mode", "trainig").find("did you mean \"training\"?"), std::string::npos);
  EXPECT_NE(refusal("dtype", "f23").find("did you mean \"f32\"?"), std::string::npos);
  EXPECT_NE(refusal("kernel", "traid", "stream").find("did you mean \"triad\"?"), std::string::npos);
}

TEST(Arguments, OnAndOffAreListedNotGuessed) {
  const std::string message = refusal("overlap", "yes", "data_pipeline");
  EXPECT_EQ(message.find("did you mean"), std::string::npos) << message;
  EXPECT_NE(message.find("on, off"), std::string::npos) << message;
}

TEST(Arguments, SuggestsTheNearestParameter) {
  const std::string message = refusal("bacth", "4");
  EXPECT_NE(message.find("\"bacth\"; did you mean \"batch\"?"), std::string::npos) << message;
  EXPECT_NE(message.find("image_size"), std::string::npos) << message;
}

TEST(Arguments, ChecksLayerWidths) {
  for (const char* value : {"2048", "2048,4096,1024", ""}) EXPECT_EQ(refusal("hidden", value, "mlp"), "") << value;
  for (const char* value : {",", "1,", ",1", "1,,2", "0", "-1", "1, 2", "a", "1x2", "99999999999999999999"}) {
    EXPECT_NE(refusal("hidden", value, "mlp").find("widths separated by commas"), std::string::npos) << value;
  }
}

TEST(Arguments, DoesNotRepeatAPastedFile) {
  const std::string message = refusal("batch", std::string(1 << 20, '7'));
  EXPECT_LT(message.size(), 300u);
  EXPECT_NE(message.find("(1048576 characters)"), std::string::npos) << message;
  EXPECT_LT(refusal(std::string(1 << 20, 'b'), "1").size(), 500u);
}

TEST(NearestName, CountsEditsAndSwapsIgnoringCase) {
  const std::vector<std::string> names{"stream", "gemm", "mlp", "resnet50"};
  EXPECT_EQ(nearest_name("resnet", names), "resnet50");
  EXPECT_EQ(nearest_name("RESNET-50", names), "resnet50");
  EXPECT_EQ(nearest_name("gmem", names), "gemm");
  EXPECT_EQ(nearest_name("steam", names), "stream");
  EXPECT_EQ(nearest_name("mpl", names), "mlp");
  EXPECT_EQ(nearest_name("anything", {}), "");
}

TEST(NearestName, FarFetchedNamesAreNotProposed) {
  const std::vector<std::string> names{"stream", "fusion", "mode", "--fp8", "--batch", "transformer", "f32"};
  for (const char* far : {"ok.din", "foo", "--flg", "", "anything"}) {
    EXPECT_EQ(close_name(far, names), "") << far;
    EXPECT_EQ(did_you_mean(far, names), ".") << far;
  }
  EXPECT_EQ(close_name("steam", names), "stream");
  EXPECT_EQ(close_name("--bacth", names), "--batch");
  EXPECT_EQ(close_name("f23", names), "f32");
  EXPECT_EQ(close_name("transf", names), "transformer");
  EXPECT_EQ(close_name("fusions", names), "fusion");
  EXPECT_EQ(close_name("a", {}), "");
  EXPECT_EQ(did_you_mean("steam", names), "; did you mean \"stream\"?");
}

}  // namespace
}  // namespace engine
