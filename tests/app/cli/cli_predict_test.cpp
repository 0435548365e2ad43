// SPDX-License-Identifier: Apache-2.0
// tensortide predict as a user meets it: all modelled devices, one of them op by op, a capture, and what it refuses.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>

#include "tests/app/cli/process.h"

namespace {

using nlohmann::json;
using test::tensortide;

std::map<std::string, json> rows_by(const json& table, const char* key) {
  std::map<std::string, json> rows;
  for (const json& row : table["rows"]) rows[row[key].get<std::string>()] = row;
  return rows;
}

TEST(Predict, EveryModelledDeviceOfAWorkload) {
  const test::Outcome ran = tensortide("predict gemm --set m=4096 --set n=4096 --set k=4096 --json");
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const auto rows = rows_by(test::parsed(ran.out), "device");
  ASSERT_GE(rows.size(), 9u);
  for (const auto& [key, row] : rows) {
    // 2 x 4096^3 FLOPs at the data sheet's peak, and at a third of it.
    const double roof_ns = 2.0 * std::pow(4096.0, 3) / row["peak_flop_per_s"].get<double>() * 1e9;
    EXPECT_GT(row["step_ns"].get<double>(), 0.95 * roof_ns) << key;
    EXPECT_LT(row["step_ns"].get<double>(), 3 * roof_ns) << key;
    EXPECT_EQ(row["limit"], "arithmetic") << key;
    EXPECT_GT(row["error_ratio"].get<double>(), 0.05) << key;
    EXPECT_EQ(row["checked"], key == "gtx-1080" ? "no" : "yes");
  }
  EXPECT_LT(rows.at("v100")["step_ns"].get<double>(), rows.at("t4")["step_ns"].get<double>());
}

TEST(Predict, OneDeviceOpByOp) {
  const test::Outcome ran = tensortide("predict mlp --batch 64 --on V100 --by op --json");
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const json document = test::parsed(ran.out);
  double sum = 0;
  for (const json& row : document["rows"]) {
    ASSERT_TRUE(row["time_ns"].is_number()) << row;
    sum += row["time_ns"].get<double>();
  }
  EXPECT_NEAR(document["step"]["step_ns"].get<double>(), sum, 1e-6 * sum);
  EXPECT_EQ(document["step"]["device"], "v100");
  EXPECT_EQ(document["step"]["origin"], "modelled");
  const test::Outcome text = tensortide("predict mlp --batch 64 --on v100");
  EXPECT_NE(text.out.find("Tesla V100 SXM2: a step would take"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("modelled, +-"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("Specified: 15.7 TFLOP/s"), std::string::npos) << text.out;
}

TEST(Predict, ACaptureSaysTheSameAsItsWorkload) {
  const std::string file = (test::fresh_folder() / "m.tide").string();
  ASSERT_EQ(tensortide(fmt::format("run mlp --device null --batch 8 --steps 2 --no-probe -o {}", file)).exit_code, 0);
  const test::Outcome captured = tensortide(fmt::format("predict {} --on p100 --json", file)), planned = tensortide("predict mlp --batch 8 --on p100 --json");
  ASSERT_EQ(captured.exit_code, 0) << captured.err;
  EXPECT_EQ(test::parsed(captured.out)["step"], test::parsed(planned.out)["step"]);
}

TEST(Predict, WhatIsNotModelledIsUnknownWithItsReason) {
  const test::Outcome ran = tensortide("predict gemm --dtype bf16 --on v100 --by op --json");
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const json document = test::parsed(ran.out);
  EXPECT_EQ(document["step"]["unknown_ops_count"], 1);
  EXPECT_TRUE(document["step"]["step_ns"].is_null());
  EXPECT_TRUE(document["rows"][0]["time_ns"].is_null());
  EXPECT_NE(document["rows"][0]["how"].get<std::string>().find("products of f32 alone"), std::string::npos);
}

TEST(Predict, RefusesWhatItDoesNotKnow) {
  const test::Outcome device = tensortide("predict mlp --on v10");
  EXPECT_EQ(device.exit_code, 2);
  EXPECT_NE(device.err.find("did you mean \"v100\"?"), std::string::npos) << device.err;
  EXPECT_EQ(tensortide("predict nonsense --on v100").exit_code, 2);
  EXPECT_EQ(tensortide("predict missing.tide --on v100").exit_code, 3);
}

}  // namespace
