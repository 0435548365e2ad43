// SPDX-License-Identifier: Apache-2.0
// Fused loops where memory does not begin with a whole vector, and on every vector unit with numbers that are not
// numbers: always what the ops alone give, bit for bit.
#include "engine/kernels/fusion/fused_loop.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "engine/cpu/backend.h"
#include "engine/graph/builder.h"
#include "engine/kernels/core/vector_unit.h"
#include "engine/ops/fusion.h"
#include "engine/ops/math.h"
#include "engine/ops/ops.h"
#include "engine/runtime/plan.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor

constexpr Fill kDraw{Fill::Kind::uniform, -1, 1};

TensorType floats(int64_t n) { return TensorType::contiguous(DType::float32, {n}); }

/// Of `n` elements at `skipped` elements behind a line of memory.
Tensor misaligned(int64_t n, int64_t skipped) {
  auto storage = Storage::allocate_host((n + skipped) * 4);
  CHECK(storage.ok());
  return Tensor(*storage, floats(n), skipped);
}

/// relu(2 x + z) past the caches, its operands and result up to a vector away from where one begins.
TEST(FusedLoop, StreamsFromAnyAddressOn) {
  constexpr int64_t n = cpu::kStreamingFromBytes / 4 + 77;
  GraphBuilder builder;
  const ValueId x = builder.input("x", floats(n), kDraw), z = builder.input("z", floats(n), kDraw);
  builder.mark_output(ops::relu(builder, ops::add(builder, ops::scale(builder, x, 2), z)));
  const Graph fused = fuse(*builder.finish());
  ASSERT_EQ(fused.nodes().size(), 1u);
  const FusedProgram program = fused.nodes()[0].op->program(fused.nodes()[0].attributes);
  for (const int64_t skipped : {0, 1, 15}) {
    const Tensor a = misaligned(n, 3), b = misaligned(n, skipped), y = misaligned(n, skipped);
    for (int64_t i = 0; i < n; ++i) {
      a.data_as<float>()[i] = static_cast<float>(i % 1001 - 500);
      b.data_as<float>()[i] = static_cast<float>(i % 777 - 300);
      y.data_as<float>()[i] = -1;
    }
    const auto loop = cpu::FusedLoop::make(program, 0, {a, b}, {}, y, 1);
    ASSERT_TRUE(loop);
    EXPECT_NE(loop->description().find("in registers, non-temporal stores"), std::string::npos) << loop->description();
    loop->run();
    int64_t wrong = 0;
    for (int64_t i = 0; i < n; ++i)
      wrong += y.data_as<float>()[i] == std::max(0.0f, 2 * a.data_as<float>()[i] + b.data_as<float>()[i]) ? 0 : 1;
    EXPECT_EQ(wrong, 0) << "result " << skipped << " elements behind a line";
  }
}

std::vector<float> computed(const Graph& graph, const std::vector<float>& x) {
  auto backend = *cpu::make_backend(1);
  auto plan = *Plan::make(std::make_shared<const Graph>(graph), *backend);
  std::memcpy(plan->tensor(graph.nodes()[0].inputs[0]).data(), x.data(), x.size() * sizeof(float));
  plan->run_step(0, nullptr);
  const float* y = plan->tensor(graph.outputs()[0]).data_as<float>();
  return {y, y + x.size()};
}

TEST(FusedLoop, KeepsWhatIsNotANumberOnEveryVectorUnit) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kSpecial[] = {0,      -0.0f, kInfinity, -kInfinity, kNan,  1,      -1,    0.7f,
                                -88.5f, 88.5f, 1e-40f,    -1e-40f,    3e38f, -3e38f, -87.2f};
  std::vector<float> x(300);
  for (size_t i = 0; i < x.size(); ++i) x[i] = kSpecial[i % std::size(kSpecial)];
  GraphBuilder builder;
  const ValueId in = builder.input("x", floats(300), kDraw), relu = ops::relu(builder, in);
  builder.mark_output(ops::add(builder, ops::tanh(builder, relu), ops::sigmoid(builder, ops::silu(builder, relu))));
  const Graph graph = *builder.finish(), fused = fuse(graph);
  ASSERT_EQ(fused.nodes().size(), 1u);
  std::set<std::string> units;
  for (int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
    const std::string unit = hwy::TargetName(rest & -rest);
    hwy::DisableTargets(~(rest & -rest));
    if (cpu::vector_unit() == unit) {  // else the compiler left it out
      units.insert(unit);
      const std::vector<float> alone = computed(graph, x), joined = computed(fused, x);
      EXPECT_EQ(std::memcmp(alone.data(), joined.data(), alone.size() * sizeof(float)), 0) << unit;
      for (size_t i = 0; i < x.size(); ++i)
        EXPECT_EQ(std::isnan(joined[i]), std::isnan(x[i])) << unit << ", x = " << x[i] << ": " << joined[i];
    }
    hwy::DisableTargets(0);
  }
  EXPECT_GE(units.size(), 2u);
}

}  // namespace
