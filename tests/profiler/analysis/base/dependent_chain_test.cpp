// SPDX-License-Identifier: Apache-2.0
// Chains as files claim them: of whole numbers, or none.
#include "profiler/analysis/base/dependent_chain.h"

#include <gtest/gtest.h>

#include "profiler/capture/capture_builder.h"

namespace profiler {
namespace {

std::shared_ptr<const Capture> of_one_op(const char* type, const engine::Attributes& attributes) {
  CaptureBuilder b;
  b.machine().info.vector_bits = 256;
  TensorRecord t;
  t.name = b.intern("y"), t.shape = {64}, t.strides = {1}, t.size_bytes = 256;
  OpRecord op;
  op.name = op.type = b.intern(type);
  b.add_op(op, {{.tensor = b.add_tensor(t), .output = true}});
  b.set_attributes(0, attributes);
  return *b.finish();
}

TEST(DependentChain, CountsLoadsAndMultiplyAdds) {
  const auto chase = of_one_op("pointer_chase", {{"accesses", int64_t{100}}});
  EXPECT_EQ(dependent_chain(*chase, chase->ops()[0])->in_a_row, 100);
  const auto adds = of_one_op("multiply_add_chain", {{"rounds", int64_t{10}}, {"chains", int64_t{4}}});
  EXPECT_EQ(dependent_chain(*adds, adds->ops()[0])->in_all, 640);
  EXPECT_EQ(multiply_adds_in_a_row(*adds, adds->ops()[0], 1), 20) << "8 vectors, 4 in flight";
}

TEST(DependentChain, AttributesOfAnotherKindAreNoChain) {
  const auto chase = of_one_op("pointer_chase", {{"accesses", std::string("100")}});
  EXPECT_FALSE(dependent_chain(*chase, chase->ops()[0]));
  const auto adds = of_one_op("multiply_add_chain", {{"rounds", 10.0}, {"chains", std::vector<int64_t>{4}}});
  EXPECT_FALSE(dependent_chain(*adds, adds->ops()[0]));
  EXPECT_EQ(multiply_adds_in_a_row(*adds, adds->ops()[0], 1), 0);
}

}  // namespace
}  // namespace profiler
