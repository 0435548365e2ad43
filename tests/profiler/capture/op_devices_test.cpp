// SPDX-License-Identifier: Apache-2.0
// Devices of ops and tensors, out of captures that say strange things of their copies.
#include "profiler/capture/op_devices.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "profiler/analysis/footprint.h"
#include "profiler/capture/attribute.h"
#include "profiler/capture/capture_builder.h"

namespace profiler {
namespace {

/// Copies that say each of `items` of where they lead; nothing: no attribute at all.
std::shared_ptr<const Capture> of_copies(const std::vector<std::optional<engine::Attributes::Item>>& items) {
  CaptureBuilder b;
  b.run().device = "cpu";
  const auto add = [&](const char* name) {
    TensorRecord t;
    t.name = b.intern(name);
    t.shape = {4}, t.strides = {1}, t.size_bytes = 16;
    t.last_op = static_cast<OpId>(items.size() - 1);
    return b.add_tensor(t);
  };
  for (const auto& item : items) {
    OpRecord op;
    op.name = b.intern(fmt::format("copy {}", b.so_far().ops().size())), op.type = b.intern("to_device");
    const TensorId x = add("x"), y = add("y");
    const OpId id = b.add_op(op, {{.tensor = x}, {.tensor = y, .output = true}});
    if (item) b.set_attributes(id, {{"to", *item}});
  }
  auto capture = b.finish();
  EXPECT_TRUE(capture.ok());
  return *capture;
}

TEST(OpDevices, FollowTheNameThatACopySays) {
  const OpDevices devices(*of_copies({std::string("sim:1"), std::string(), std::string("cpu")}));
  EXPECT_EQ(devices.names(), (std::vector<std::string>{"cpu", "sim:1"}));
  EXPECT_EQ(devices.of_op(0), "cpu");
  EXPECT_EQ(devices.of_tensor(1), "sim:1");
  EXPECT_EQ(devices.of_tensor(3), "cpu");
  EXPECT_EQ(devices.of_tensor(5), "cpu");
}

TEST(OpDevices, ACopyThatNamesNoDeviceStaysWhereItStarts) {
  const auto capture = of_copies({int64_t{5}, 1.5, std::vector<int64_t>{1}, std::string("no device"), std::nullopt});
  const OpDevices devices(*capture);
  EXPECT_FALSE(devices.several());
  EXPECT_EQ(footprint(*capture).points.size(), 5u);
}

TEST(OpDevices, AFileNamesABoundedNumberOfThem) {
  std::vector<std::optional<engine::Attributes::Item>> items;
  for (int i = 1; i <= 300; ++i) items.emplace_back(fmt::format("cuda:{}", i));
  items.emplace_back(std::string("cuda:7"));
  const auto capture = of_copies(items);
  const OpDevices devices(*capture);
  EXPECT_EQ(devices.names().size(), OpDevices::kMostDevices);
  EXPECT_EQ(devices.of_tensor(2 * 299 + 1), "cpu") << "no room for it";
  EXPECT_EQ(devices.of_tensor(2 * 300 + 1), "cuda:7") << "it was named before";
  EXPECT_EQ(footprint(*capture).points.front().by_device.size(), OpDevices::kMostDevices);
  EXPECT_EQ(footprint(*capture).devices, devices.names());
}

TEST(OpAttribute, IsOfTheKindThatIsAskedForOrNone) {
  const auto capture = of_copies({int64_t{5}});
  ASSERT_NE(attribute<int64_t>(*capture, 0, "to"), nullptr);
  EXPECT_EQ(attribute<std::string>(*capture, 0, "to"), nullptr);
  EXPECT_EQ(attribute<int64_t>(*capture, 0, "from"), nullptr);
  EXPECT_EQ(whole_attribute(*capture, 0, "to", 1), 5);
  EXPECT_EQ(whole_attribute(*capture, 0, "from", 1), 1);
}

}  // namespace
}  // namespace profiler
