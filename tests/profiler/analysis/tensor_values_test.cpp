// SPDX-License-Identifier: Apache-2.0
// Where NaN begins, among tensors whose values are known and others; who made a tensor; and kinds of storage.
#include "profiler/analysis/tensor_values.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "profiler/analysis/storage.h"
#include "profiler/capture/capture_builder.h"
#include "profiler/capture/results.h"

namespace profiler {
namespace {

/// x -> f -> a -> g -> b, with values of those that are asked for.
struct TwoOps {
  CaptureBuilder builder;
  TensorId x, a, b;

  TensorId tensor(const char* name, TensorId of = kNoTensor) {
    TensorRecord t;
    t.name = builder.intern(name), t.shape = {2}, t.strides = {1}, t.size_bytes = 8, t.alias_of = of;
    return builder.add_tensor(t);
  }
  void op(const char* name, TensorId in, TensorId out) {
    OpRecord record;
    record.name = builder.intern(name), record.type = builder.intern("relu");
    builder.add_op(record, {{.tensor = in, .read_bytes = 8}, {.tensor = out, .output = true, .written_bytes = 8}});
  }
  TwoOps() {
    x = tensor("x"), a = tensor("a"), b = tensor("b");
    op("f", x, a), op("g", a, b);
    builder.add_step({.index = 0, .start_ns = 0, .duration_ns = 10});
  }
  void value(TensorId id, bool bad) {
    auto made = engine::Tensor::empty(engine::TensorType::contiguous(engine::DType::float32, {2}));
    made->set_flat(0, 1), made->set_flat(1, bad ? std::numeric_limits<double>::quiet_NaN() : 2);
    auto record = summarize_result(*made);
    record->tensor = id, record->step = 1;  // behind the recorded one
    builder.add_result(*std::move(record));
  }
};

bool says(const std::vector<std::string>& sentences, std::string_view part) {
  for (const std::string& s : sentences)
    if (s.find(part) != std::string::npos) return true;
  return false;
}

TEST(TensorValues, NanBeginsWhereAllOperandsAreKnownToBeFinite) {
  TwoOps net;
  net.value(net.x, false), net.value(net.a, true), net.value(net.b, true);
  const auto capture = *net.builder.finish();
  ASSERT_EQ(tensor_values(*capture).size(), 3u);
  EXPECT_EQ(first_not_finite(*capture), std::vector<OpId>{0});
  EXPECT_TRUE(says(values_sentences(*capture), "first appears in op f"));
}

TEST(TensorValues, AnOperandThatWasNotReadMayHoldIt) {
  TwoOps net;
  net.value(net.x, false), net.value(net.b, true);  // a is not known
  const auto capture = *net.builder.finish();
  EXPECT_TRUE(first_not_finite(*capture).empty()) << "a may have it already";
  EXPECT_TRUE(says(values_sentences(*capture), "is unknown"));
  EXPECT_FALSE(says(values_sentences(*capture), "before the step"));
}

TEST(TensorValues, WhatWasThereBeforeIsSaidSo) {
  TwoOps net;
  net.value(net.x, true), net.value(net.a, true), net.value(net.b, true);
  const auto capture = *net.builder.finish();
  EXPECT_TRUE(first_not_finite(*capture).empty());
  EXPECT_TRUE(says(values_sentences(*capture), "before the step"));
}

TEST(TensorValues, MakersAreTheFirstOpsThatPutATensorOut) {
  TwoOps net;
  net.op("again", net.b, net.a);
  EXPECT_EQ(makers(**net.builder.finish()), (std::vector<OpId>{kNoOp, 0, 1}));
}

TEST(StorageTable, AResultInPlaceHasNoBytesOfItsOwn) {
  TwoOps net;
  const TensorId over = net.tensor("over", net.x);
  net.op("update", net.a, over);
  std::map<std::string, std::string> kinds;
  for (const auto& row : storage_table(**net.builder.finish()).rows)
    kinds[std::get<std::string>(row[0])] = std::get<std::string>(row[2]);
  EXPECT_EQ(kinds["over"], "in place");
  EXPECT_EQ(kinds["x"], "own");
  EXPECT_EQ(kinds["a"], "own");
}

}  // namespace
}  // namespace profiler
