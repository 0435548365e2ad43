// SPDX-License-Identifier: Apache-2.0
// J2: devices as strings.
#include "engine/tensor/device_name.h"

#include <gtest/gtest.h>

namespace engine {
namespace {

TEST(DeviceSemanticsJ2, GoodStringsNameOneDeviceEach) {
  const struct {
    const char* text;
    Device device;
    const char* name;
  } cases[] = {{"cpu", {"cpu", 0}, "cpu"},      {"null", {"null", 0}, "null"},     {"cuda", {"cuda", 0}, "cuda"},
               {"cuda:0", {"cuda", 0}, "cuda"}, {"cuda:1", {"cuda", 1}, "cuda:1"}, {"cuda:15", {"cuda", 15}, "cuda:15"},
               {"sim:0", {"sim", 0}, "sim:0"},  {"sim:7", {"sim", 7}, "sim:7"}};
  for (const auto& c : cases) {
    const Result<Device> device = parse_device(c.text);
    ASSERT_TRUE(device.ok()) << device.error().message;
    EXPECT_EQ(*device, c.device) << c.text;
    EXPECT_EQ(to_string(*device), c.name);
    EXPECT_EQ(*parse_device(to_string(*device)), *device);
  }
  EXPECT_EQ(*parse_device("cuda"), *parse_device("cuda:0"));
}

TEST(DeviceSemanticsJ2, BadStringsAreRefusedWithWhatWouldBeRight) {
  const struct {
    const char *text, *says;
  } cases[] = {
      {"", "did you mean"},   {"gpu", "cuda, cuda:1"}, {"cudaa", "\"cuda\""},    {"CPU", "\"cpu\""},
      {"cuda:", "number"},    {"cuda:x", "number"},    {"cuda:-1", "number"},    {"cuda:1x", "number"},
      {"cuda: 1", "number"},  {"cuda:+1", "number"},   {"cuda:1:2", "number"},   {"cuda:99999999999", "at most"},
      {"cpu:1", "one cpu"},   {"cpu:0", "one cpu"},    {"null:0", "one null"},   {"sim", "sim:0 to sim:7"},
      {"sim:8", "at most 7"}, {"sim:", "number"},      {" cpu", "did you mean"}, {"NVIDIA:0", "cuda, cuda:1"}};
  for (const auto& c : cases) {
    const Result<Device> device = parse_device(c.text);
    ASSERT_FALSE(device.ok()) << c.text;
    EXPECT_EQ(device.error().kind, ErrorKind::usage);
    EXPECT_NE(device.error().message.find(c.says), std::string::npos) << device.error().message;
    EXPECT_NE(device.error().message.find(c.text), std::string::npos) << device.error().message;
  }
}

TEST(DeviceSemanticsJ2, AnotherWordForGpusNamesTheKindThatIsMeant) {
  for (const char* text : {"gpu", "GPU:1", "nvidia", "NVIDIA:0"}) EXPECT_EQ(meant_gpu(text), "cuda") << text;
  for (const char* text : {"", ":", "cuda", "cpu", "gpus"}) EXPECT_EQ(meant_gpu(text), "") << text;
}

TEST(DeviceTraits, AreThoseOfTheKindWhateverTheIndex) {
  EXPECT_TRUE(traits_of("cpu").is_processor && traits_of("cpu").shares_host_memory && !traits_of("cpu").is_gpu);
  EXPECT_TRUE(traits_of("cuda").is_gpu && !traits_of("cuda").shares_host_memory &&
              traits_of("cuda").vendor == Vendor::nvidia);
  EXPECT_EQ(traits_of("cuda:7"), traits_of("cuda"));
  EXPECT_TRUE(traits_of("emu:0").is_gpu && traits_of("emu:0").emulated);
  EXPECT_EQ(traits_of("emu:0").vendor, Vendor::none) << "nobody's trace, counters or data sheet";
  EXPECT_TRUE(traits_of("sim:3").simulated && traits_of("sim:3").shares_host_memory &&
              !traits_of("sim:3").is_processor);
  EXPECT_FALSE(traits_of("null").computes);
  EXPECT_TRUE(traits_of(Device{"emu", 0}).emulated);
  for (const char* imported : {"NVIDIA A100-SXM4-40GB", "GPU", "host", "", "emulator", "cudaa", "cpus"})
    EXPECT_EQ(traits_of(imported), DeviceTraits{}) << imported;
}

TEST(DeviceTraits, AreReadAsTheyWereWritten) {
  for (const char* name : {"cpu", "null", "cuda:1", "sim:0", "emu:0"}) {
    const std::string words = to_words(traits_of(name));
    EXPECT_FALSE(words.empty()) << name << ": an empty text means that a capture has none";
    EXPECT_EQ(traits_from_words(words), traits_of(name)) << words;
  }
  EXPECT_EQ(traits_from_words("gpu of_tomorrow"), (DeviceTraits{.is_gpu = true})) << "words of a later version";
  EXPECT_EQ(traits_from_words("  "), DeviceTraits{});
}

}  // namespace
}  // namespace engine
