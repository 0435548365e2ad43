// SPDX-License-Identifier: Apache-2.0
// Traffic of scopes: nothing is lost or counted twice between ops, layers, roles and tensors.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "profiler/analysis/traffic.h"
#include "profiler/capture/capture.h"
#include "profiler/memory/traffic_model.h"
#include "tests/support/op_lab.h"
#include "tests/support/sample_capture.h"

namespace profiler {
namespace {

using tests::OpLab;

double sum(const RoleBytes& bytes) { return std::accumulate(bytes.begin(), bytes.end(), 0.0); }

TEST(Traffic, OpsAndTensorsAddUpToTheTotalAtEveryLink) {
  const auto capture = tests::sample_capture();
  const TrafficModel model = model_traffic(*capture);
  const Traffic whole = traffic(*capture, model, {});
  ASSERT_EQ(whole.links.size(), model.links.size());
  for (size_t l = 0; l < whole.links.size(); ++l) {
    double by_op = 0, by_tensor = 0, compulsory_by_op = 0, compulsory_by_tensor = 0;
    for (const OpRecord& op : capture->ops()) {
      const Traffic one = traffic(*capture, model, {.op = op.id, .layer = {}});
      by_op += one.links[l].modelled_total();
      compulsory_by_op += one.links[l].compulsory_total();
    }
    for (const TensorTraffic& t : whole.tensors[l]) {
      by_tensor += t.modelled_read + t.modelled_written;
      compulsory_by_tensor += t.compulsory_read + t.compulsory_written;
    }
    const double total = whole.links[l].modelled_total();
    EXPECT_GT(total, 0);
    EXPECT_NEAR(by_op, total, 1e-9 * total) << whole.links[l].outer;
    EXPECT_NEAR(by_tensor, total, 1e-9 * total) << whole.links[l].outer;
    EXPECT_DOUBLE_EQ(compulsory_by_op, whole.links[l].compulsory_total());
    EXPECT_DOUBLE_EQ(compulsory_by_tensor, whole.links[l].compulsory_total());
  }
}

TEST(Traffic, CompulsoryIsEveryOperandByteOnceAtEveryLink) {
  OpLab lab;
  const auto w = lab.tensor(400, {.role = engine::Role::weight});
  lab.op("multiply", {lab.tensor(1000), w}, {lab.tensor(1000, {.role = engine::Role::gradient})});
  const auto capture = lab.finish();
  const Traffic t = traffic(*capture, model_traffic(*capture), {});
  for (const LinkTraffic& link : t.links) {
    EXPECT_DOUBLE_EQ(link.compulsory_read[static_cast<size_t>(engine::Role::weight)], 400);
    EXPECT_DOUBLE_EQ(link.compulsory_read[static_cast<size_t>(engine::Role::activation)], 1000);
    EXPECT_DOUBLE_EQ(link.compulsory_written[static_cast<size_t>(engine::Role::gradient)], 1000);
    EXPECT_DOUBLE_EQ(link.compulsory_total(), 2400);
    EXPECT_FALSE(link.measured_known);
  }
  EXPECT_FALSE(t.measured_reason.empty());
  EXPECT_DOUBLE_EQ(t.working_set_bytes, 2400);
}

TEST(Traffic, LayersContainWhatIsInsideThem) {
  OpLab lab;
  lab.op("relu", {lab.tensor(100)}, {lab.tensor(100)}, 0, 1e6, 0, "block1");
  lab.op("relu", {lab.tensor(100)}, {lab.tensor(100)}, 0, 1e6, 0, "block1.inner");
  lab.op("relu", {lab.tensor(100)}, {lab.tensor(100)}, 0, 1e6, 0, "block10");
  const auto capture = lab.finish();
  const TrafficModel model = model_traffic(*capture);
  const auto bytes = [&](const char* layer) {
    return traffic(*capture, model, {.op = {}, .layer = layer}).links[0].compulsory_total();
  };
  EXPECT_DOUBLE_EQ(bytes("block1"), 400);
  EXPECT_DOUBLE_EQ(bytes("block1.inner"), 200);
  EXPECT_DOUBLE_EQ(bytes("block10"), 200);
  EXPECT_DOUBLE_EQ(bytes("block"), 0) << "a prefix of a name is no layer";
}

TEST(Traffic, TensorsAreRankedWithTheirReadsAndWrites) {
  OpLab lab;
  const auto big = lab.tensor(100 * OpLab::kMiB), small = lab.tensor(50 * OpLab::kMiB);
  lab.op("relu", {small}, {big});
  lab.op("sum", {big}, {});
  lab.op("sum", {big}, {});
  const auto capture = lab.finish();
  const Traffic t = traffic(*capture, model_traffic(*capture), {});
  ASSERT_EQ(t.tensors[0].size(), 2u);
  EXPECT_EQ(t.tensors[0][0].tensor, big);
  EXPECT_EQ(t.tensors[0][0].reads, 2);
  EXPECT_EQ(t.tensors[0][0].writes, 1);
  EXPECT_EQ(t.tensors[0][1].tensor, small);
  EXPECT_DOUBLE_EQ(t.working_set_bytes, 150.0 * OpLab::kMiB);
}

TEST(Traffic, ViewsAndTheirRootAreOneTensor) {
  OpLab lab;
  const auto root = lab.tensor(4096);
  const auto view = lab.tensor(4096, {.alias_of = root});
  lab.op("reshape", {root}, {view}, 0, 0);
  lab.op("sum", {root}, {});
  lab.op("sum", {view}, {});
  const auto capture = lab.finish();
  const Traffic t = traffic(*capture, model_traffic(*capture), {});
  ASSERT_EQ(t.tensors[0].size(), 1u);
  EXPECT_EQ(t.tensors[0][0].tensor, root);
  EXPECT_EQ(t.tensors[0][0].reads, 2);
  EXPECT_DOUBLE_EQ(t.working_set_bytes, 4096);
}

TEST(Traffic, UnknownModelStillHasExactCompulsoryBytes) {
  OpLab lab;
  lab.builder().machine().probed_at.clear();
  lab.op("relu", {lab.tensor(100)}, {lab.tensor(100)});
  const auto capture = lab.finish();
  const Traffic t = traffic(*capture, model_traffic(*capture), {});
  EXPECT_DOUBLE_EQ(t.links[0].compulsory_total(), 200);
  EXPECT_FALSE(t.links[0].modelled_known);
  EXPECT_TRUE(std::isnan(t.links[0].modelled_total()));
  EXPECT_NE(t.method.find("tensortide probe"), std::string::npos);
  EXPECT_EQ(sum(t.links[0].measured_read), 0);
}

}  // namespace
}  // namespace profiler
