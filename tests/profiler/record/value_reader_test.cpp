// SPDX-License-Identifier: Apache-2.0
// Values of every tensor of a step, against the same tensors worked out here; a planted NaN at its layer; storages.
#include "profiler/record/value_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "engine/cpu/backend.h"
#include "engine/workloads/workload.h"
#include "profiler/analysis/storage.h"
#include "profiler/analysis/tensor_values.h"
#include "profiler/capture/results.h"
#include "profiler/record/recorder.h"
#include "profiler/store/capture_file.h"
#include "tests/support/capture_difference.h"
#include "tests/support/temporary_folder.h"

namespace profiler {
namespace {

std::shared_ptr<const Capture> recorded(const char* workload, const engine::Arguments& given, bool eager = false,
                                        const std::filesystem::path& output = {}) {
  static const auto backend = engine::cpu::make_backend(1);
  const engine::Workload* found = *engine::find_workload(workload);
  RecordRequest request;
  request.arguments = *engine::resolve(*found, given);
  request.graph = std::make_shared<const engine::Graph>(*engine::build_graph(*found, request.arguments));
  if (eager)
    request.build = [found, arguments = request.arguments](engine::GraphBuilder& b) { found->build(b, arguments); };
  request.backend = backend->get();
  request.workload = workload;
  request.warmup_steps = 1;
  request.steps = 2;
  request.keep_values = true;
  request.output = output;
  const std::atomic<bool> stop = false;
  auto capture = record(request, nullptr, stop);
  EXPECT_TRUE(capture.ok()) << (capture.ok() ? "" : capture.error().message);
  return *capture;
}

const ResultRecord* values_of(const Capture& c, const std::string& tensor) {
  for (const ResultRecord& r : tensor_values(c))
    if (c.name(c.tensors()[r.tensor].name) == tensor) return &r;
  return nullptr;
}

const StoredTensor* stored(const std::vector<StoredTensor>& all, const Capture& c, const std::string& prefix) {
  for (const StoredTensor& t : all)
    if (c.name(c.tensors()[t.tensor].name).starts_with(prefix)) return &t;
  return nullptr;
}

TEST(Values, OfEveryTensorAreThoseOfTheArithmetic) {
  const auto capture = recorded("gemm", {{"m", "5"}, {"n", "4"}, {"k", "3"}, {"dtype", "f64"}});
  EXPECT_EQ(step_results(*capture).size(), 1u);
  ASSERT_EQ(tensor_values(*capture).size(), 3u);
  const ResultRecord *a = values_of(*capture, "a"), *b = values_of(*capture, "b");
  ASSERT_TRUE(a != nullptr && b != nullptr);
  const ResultRecord& c = tensor_values(*capture).back();
  for (int64_t i = 0; i < 5; ++i)
    for (int64_t j = 0; j < 4; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < 3; ++k) sum += kept_value(*a, 3 * i + k) * kept_value(*b, 4 * k + j);
      EXPECT_NEAR(kept_value(c, 4 * i + j), sum, 1e-14);
    }
  const ValueHistogram counts = histogram_of(c);
  EXPECT_EQ(counts.values, 20);
  int64_t sum = 0;
  for (const int64_t count : counts.counts) sum += count;
  EXPECT_EQ(sum, 20);
  EXPECT_GE(counts.counts.front(), 1) << "the least";
  EXPECT_GE(counts.counts.back(), 1) << "the largest";
}

TEST(Values, NameTheLayerThatMadeTheFirstNan) {
  for (const int layer : {1, 3, 6}) {
    const auto capture = recorded("tensors", {{"example", "layers"}, {"bad_layer", std::to_string(layer)}});
    const std::vector<OpId> first = first_not_finite(*capture);
    ASSERT_EQ(first.size(), 1u) << layer;
    EXPECT_EQ(capture->name(capture->ops()[first[0]].layer), "layer" + std::to_string(layer));
    EXPECT_EQ(capture->name(capture->ops()[first[0]].type), "sqrt");
    EXPECT_NE(values_sentences(*capture).front().find("layer" + std::to_string(layer)), std::string::npos);
  }
  const auto good = recorded("tensors", {{"example", "layers"}});
  EXPECT_TRUE(first_not_finite(*good).empty());
  EXPECT_NE(values_sentences(*good).front().find("finite"), std::string::npos);
}

TEST(Values, OfATrainingIncludeWeightsGradientsAndActivations) {
  const auto capture =
      recorded("mlp", {{"mode", "training"}, {"batch", "2"}, {"input", "6"}, {"hidden", "5"}, {"output", "3"}});
  std::array<int, engine::kRoleCount> roles{};
  for (const ResultRecord& r : tensor_values(*capture)) ++roles[static_cast<size_t>(capture->tensors()[r.tensor].role)];
  for (const Role role : {Role::weight, Role::activation, Role::gradient})
    EXPECT_GT(roles[static_cast<size_t>(role)], 0);
  EXPECT_EQ(tensor_values(*capture).size(), capture->tensors().size()) << "each once";
}

TEST(Values, ThatDoNotFitAreSaidAndKeptAsASample) {
  const auto backend = engine::cpu::make_backend(1);
  const engine::Workload* found = *engine::find_workload("gemm");
  const auto arguments = *engine::resolve(*found, {{"m", "100"}, {"n", "100"}, {"k", "100"}});
  const auto graph = std::make_shared<const engine::Graph>(*engine::build_graph(*found, arguments));
  const auto plan = engine::Plan::make(graph, **backend, {.seed = 1});
  ASSERT_TRUE(plan);
  CaptureBuilder builder;
  read_values(**plan, 7, builder, 60000);  // one of three matrices of 40,000 B
  const auto& results = builder.so_far().results();
  ASSERT_EQ(results.size(), 3u);
  EXPECT_TRUE(is_whole(results[0]));
  EXPECT_EQ(kept_count(results[1]), kKeptElements);
  EXPECT_EQ(kept_count(results[2]), kKeptElements);
  ASSERT_FALSE(builder.honesty().notes.empty());
  EXPECT_NE(builder.honesty().notes[0].find("2 tensors that did not fit"), std::string::npos)
      << builder.honesty().notes[0];
}

TEST(Values, OfAnEagerRunAreRefusedInWords) {
  const auto capture = recorded("gemm", {{"m", "5"}, {"n", "4"}, {"k", "3"}}, true);
  EXPECT_TRUE(tensor_values(*capture).empty());
  EXPECT_TRUE(std::ranges::any_of(capture->honesty().notes,
                                  [](const std::string& note) { return note.starts_with("Values were not kept"); }));
}

TEST(Values, ComeBackFromAFile) {
  tests::TemporaryFolder folder;
  const auto capture = recorded("tensors", {{"example", "layers"}, {"bad_layer", "2"}}, false, folder / "a.tide");
  const auto opened = open_capture(folder / "a.tide");
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(tensor_values(**opened).size(), tensor_values(*capture).size());
  EXPECT_EQ(first_not_finite(**opened), first_not_finite(*capture));
  EXPECT_EQ(values_table(**opened).rows, values_table(*capture).rows);
}

TEST(Storage, OfFiftyImagesIsWhatTheBookSays) {
  const auto capture = recorded("tensors", {});
  const auto all = stored_tensors(*capture);
  const StoredTensor* images = stored(all, *capture, "images");
  ASSERT_NE(images, nullptr);
  const TensorRecord& record = capture->tensors()[images->tensor];
  EXPECT_EQ(record.shape, (std::vector<int64_t>{50, 3, 24, 32}));
  EXPECT_EQ(record.strides, (std::vector<int64_t>{2304, 768, 32, 1}));
  EXPECT_EQ(record.size_bytes, 460800);
  const StoredTensor* one = stored(all, *capture, "one_image");
  ASSERT_NE(one, nullptr);
  EXPECT_TRUE(one->view);
  EXPECT_EQ(one->storage, images->tensor);
  EXPECT_EQ(one->offset_elements, 7 * 2304);
  EXPECT_EQ(one->moved_bytes, 0);
  double copied = 0;
  for (const StoredTensor& t : all)
    if (t.made_by != kNoOp && capture->name(capture->ops()[t.made_by].type) == "contiguous") copied += t.moved_bytes;
  EXPECT_EQ(copied, 2 * 460800) << "the reshape of the transposed images, and nothing else";
}

TEST(Storage, OfEveryExampleFollowsItsViews) {
  const engine::Workload* workload = *engine::find_workload("tensors");
  for (const engine::Parameter& parameter : workload->parameters) {
    if (parameter.name != "example") continue;
    for (const std::string& example : parameter.choices) {
      SCOPED_TRACE(example);
      const auto capture = recorded("tensors", {{"example", example}, {"largest", "64"}});
      for (const StoredTensor& t : stored_tensors(*capture)) {
        EXPECT_GE(t.offset_elements, 0);
        if (!t.view) continue;
        EXPECT_EQ(t.moved_bytes, 0);
        EXPECT_NE(t.storage, t.tensor);
      }
      EXPECT_EQ(storage_table(*capture).rows.size(), capture->tensors().size());
    }
  }
}

}  // namespace
}  // namespace profiler
