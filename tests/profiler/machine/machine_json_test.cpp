// SPDX-License-Identifier: Apache-2.0
// A machine survives JSON exactly; what is no machine is refused by the name of the field.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/support/sample_capture.h"

namespace profiler {
namespace {

Machine sample() { return tests::sample_capture()->machine(); }

TEST(MachineJson, RoundTripKeepsEveryField) {
  const std::string text = machine_to_json(sample());
  const auto back = machine_from_json(text);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(machine_to_json(*back), text);
  EXPECT_EQ(back->info.caches.at(2).shared_by_cores, 2);
  EXPECT_EQ(back->levels.at(2).effective_size_bytes, 4 << 20);
  EXPECT_EQ(back->compute.size(), 4u);
  EXPECT_EQ(back->bandwidth.size(), 32u);
  EXPECT_EQ(back->bandwidth.at(5).mix, AccessMix::write);
  EXPECT_EQ(back->bandwidth.at(5).bytes_per_s.high, sample().bandwidth.at(5).bytes_per_s.high);
  EXPECT_EQ(back->probed_at, sample().probed_at);
}

TEST(MachineJson, KeepsWhatTheProbeMet) {
  Machine machine = sample();
  machine.foreign_load_ratio = 0.123;
  machine.unfinished = {"L2 read, 1 thread"};
  machine.unfinished_choices = {"convolutions by Winograd's filtering"};
  machine.unmeasured = {{"L3", 2, "memory is full"}};
  machine.unsettled_shapes = 7;
  machine.kept = {{"time stamp", "2026-01-01T00:00:00+0000"}};
  const auto back = machine_from_json(machine_to_json(machine));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->foreign_load_ratio, 0.123);
  EXPECT_EQ(back->unfinished, machine.unfinished);
  EXPECT_EQ(back->unfinished_choices, machine.unfinished_choices);
  EXPECT_EQ(back->unmeasured.at(0).why, "memory is full");
  EXPECT_EQ(back->unsettled_shapes, 7);
  EXPECT_EQ(back->kept.at(0).probed_at, machine.kept[0].probed_at);
  EXPECT_TRUE(std::isnan(machine_from_json(machine_to_json(Machine{}))->foreign_load_ratio));
}

TEST(MachineJson, NamesTheFieldThatIsWrong) {
  const auto refused = [](auto spoil) {
    auto json = nlohmann::json::parse(machine_to_json(sample()));
    spoil(json);
    const auto result = machine_from_json(json.dump());
    return result.ok() ? std::string("accepted") : result.error().message;
  };
  using nlohmann::json;
  EXPECT_NE(refused([](json& j) { j["levels"][1].erase("name"); }).find("levels[].name"), std::string::npos);
  EXPECT_NE(refused([](json& j) { j["info"]["cores"] = "two"; }).find("info.cores"), std::string::npos);
  EXPECT_NE(refused([](json& j) { j["info"]["cores"] = 1e300; }).find("info.cores"), std::string::npos);
  EXPECT_NE(refused([](json& j) { j["compute"][0]["dtype"] = "f31"; }).find("compute[].dtype"), std::string::npos);
  EXPECT_NE(refused([](json& j) { j["bandwidth"] = 5; }).find("bandwidth"), std::string::npos);
  EXPECT_NE(refused([](json& j) { j["schema"] = 3; }).find("was written by a newer version (machine format 3;"),
            std::string::npos);
  EXPECT_NE(refused([](json& j) { j["schema"] = "new"; }).find("no known format"), std::string::npos);
  for (const char* text : {"", "[]", "null", "{", "{\"schema\":1", "\xff"}) {
    EXPECT_FALSE(machine_from_json(text).ok()) << text;
  }
}

}  // namespace
}  // namespace profiler
