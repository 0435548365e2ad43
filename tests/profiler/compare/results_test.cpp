// SPDX-License-Identifier: Apache-2.0
// Results of two captures: bit for bit, their distance by hand, and why they mean nothing beside each other.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "profiler/capture/capture_builder.h"
#include "profiler/capture/results.h"
#include "profiler/compare/comparison.h"
#include "profiler/compare/words.h"

namespace profiler {
namespace {

using Kind = ResultsCompared::Kind;
using engine::DType;

struct Put {
  std::vector<double> values;
  DType dtype = DType::float32;
  uint32_t step = 0;
  uint64_t seed = 1;
  bool trains = false;
  const char* name = "y";
};

std::shared_ptr<const Capture> capture_of(const Put& put) {
  CaptureBuilder b;
  b.run().seed = put.seed;
  b.run().arguments["batch"] = "2";
  const auto n = static_cast<int64_t>(put.values.size());
  TensorRecord tensor;
  tensor.name = b.intern(put.name), tensor.dtype = put.dtype, tensor.shape = {n}, tensor.strides = {1};
  tensor.persistent = put.trains;
  const TensorId id = b.add_tensor(tensor);
  OpRecord op;
  op.name = b.intern("op"), op.type = b.intern("add");
  b.add_op(op, {{.tensor = id, .output = true, .written_bytes = 4}});
  auto host = engine::Tensor::from_values({n}, put.values, put.dtype);
  ResultRecord result = *summarize_result(*host);
  result.tensor = id;
  result.step = put.step;
  b.add_result(std::move(result));
  return *b.finish();
}

ResultsCompared compared(const Put& before, const Put& after) {
  return compare_results(*capture_of(before), *capture_of(after));
}

TEST(ComparedResults, EqualBitsAreTheSame) {
  const ResultsCompared r = compared({{1, 2, 4}}, {{1, 2, 4}});
  EXPECT_EQ(r.kind, Kind::identical);
  EXPECT_EQ(results_headline(r), "same results");
  EXPECT_EQ(compared({{1, NAN}}, {{1, NAN}}).kind, Kind::identical);
}

TEST(ComparedResults, DistanceIsOverTheLargestValue) {
  const ResultsCompared r = compared({{1, 2, 4}}, {{1, 2.5, 4}});
  EXPECT_EQ(r.kind, Kind::apart);
  EXPECT_DOUBLE_EQ(r.distance, 0.125);
  EXPECT_EQ(r.worst_before, 2);
  EXPECT_EQ(r.worst_after, 2.5);
  EXPECT_NE(results_words(r).find("roundings of f32"), std::string::npos) << results_words(r);
  const ResultsCompared nan = compared({{1, 2}}, {{1, NAN}});
  EXPECT_TRUE(std::isinf(nan.distance));
  EXPECT_EQ(results_headline(nan), "results differ");
}

TEST(ComparedResults, OfTwoDataTypesHaveADistance) {
  const ResultsCompared r = compared({{1, 1.4}}, {{1, 1.4}, DType::float16});
  ASSERT_EQ(r.kind, Kind::apart);
  EXPECT_NEAR(r.distance, (1.400390625 - 1.4) / 1.4, 1e-6);
  EXPECT_EQ(r.rounding, 0x1p-11);
  EXPECT_EQ(r.rounding_of, "f16");
}

TEST(ComparedResults, OfOtherWorkMeanNothing) {
  EXPECT_NE(compared({{1}}, {{1}, DType::float32, 0, 2}).why.find("seeds (1 and 2)"), std::string::npos);
  EXPECT_NE(compared({{1, 2}}, {{1, 2, 3}}).why.find("different tensors"), std::string::npos);
  EXPECT_EQ(compared({{1}}, {{1}, DType::float32, 7}).kind, Kind::identical) << "each step puts out the same";
  Put trains{{1}};
  trains.trains = true;
  Put later = trains;
  later.step = 7;
  EXPECT_NE(compared(trains, later).why.find("different steps (1 and 8)"), std::string::npos);
  Put renamed{{1}};
  renamed.name = "z";
  EXPECT_EQ(compared({{1}}, renamed).kind, Kind::identical) << "one output each";
}

TEST(ComparedResults, LargeOnesAreSampledAndSayIt) {
  std::vector<double> values(100'000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 97);
  Put before{values}, after{values};
  after.values[99'999] = 50;  // a place that is not kept: only the checksum tells
  const auto capture = capture_of(before);
  const ResultRecord& r = capture->results()[0];
  EXPECT_EQ(kept_count(r), kKeptElements);
  for (int64_t i = 0; i < kept_count(r); ++i)
    ASSERT_EQ(kept_value(r, i), values[static_cast<size_t>(kept_place(r, i))]) << i;
  const ResultsCompared c = compare_results(*capture, *capture_of(after));
  EXPECT_EQ(c.kind, Kind::apart);
  EXPECT_EQ(c.distance, 0);
  EXPECT_NE(results_words(c).find("4096 of its 100000 values"), std::string::npos) << results_words(c);
}

/// What lies between the places that were kept.
TEST(ComparedResults, ALargeOrBadElementBetweenTheSamplesIsSeen) {
  std::vector<double> plain(90'300, 1), large = plain, bad = plain;
  for (size_t i = 0; i < plain.size(); ++i) plain[i] = large[i] = bad[i] = 1 + static_cast<double>(i % 7);
  const ResultsCompared same = compared({plain}, {plain});
  EXPECT_EQ(same.kind, Kind::identical);
  const auto found = [&](const std::vector<double>& other, auto&& check) {
    for (size_t at : {1U, 45'001U, 90'298U}) {
      std::vector<double> changed = plain;
      changed[at] = other[0];
      check(compared({plain}, {changed}));
      check(compared({changed}, {plain}));
    }
  };
  found({1e9}, [](const ResultsCompared& r) { EXPECT_GT(r.distance, 0.9) << results_words(r); });
  found({NAN}, [](const ResultsCompared& r) { EXPECT_TRUE(std::isinf(r.distance)) << results_words(r); });
}

TEST(ComparedResults, ImpossibleOnesAreRefused) {
  CaptureBuilder b;
  ResultRecord r;
  r.tensor = 3;
  b.add_result(r);
  EXPECT_FALSE(b.finish());
  CaptureBuilder c;
  r.tensor = kNoTensor, r.elements = 1, r.kept = std::string(3, 'x');
  c.add_result(r);
  EXPECT_FALSE(c.finish());
}

}  // namespace
}  // namespace profiler
