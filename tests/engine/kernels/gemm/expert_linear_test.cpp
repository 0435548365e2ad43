// SPDX-License-Identifier: Apache-2.0
// expert_linear with choices that the examples do not have: experts that are not there, and all tokens at one.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/cpu/backend.h"
#include "engine/ops/mixed_linear.h"
#include "engine/runtime/plan.h"

namespace engine {
namespace {

constexpr int64_t kTokens = 12, kEach = 2, kExperts = 3, kRows = 40, kLength = 32;

/// y of a plan on `threads` threads whose choices are `chosen`.
Tensor computed(const std::vector<int64_t>& chosen, int threads) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", TensorType::contiguous(DType::float32, {kTokens, kLength}), {}),
                experts = builder.input("experts", TensorType::contiguous(DType::int64, {kTokens, kEach}), {}),
                w = builder.parameter("w", TensorType::contiguous(DType::float32, {kExperts, kRows, kLength}), {});
  builder.mark_output(ops::expert_linear(builder, x, w, experts));
  const auto graph = std::make_shared<const Graph>(*builder.finish());
  const auto backend = *cpu::make_backend(threads);
  const auto plan = *Plan::make(graph, *backend);
  const Tensor given = plan->tensor(*graph->find("x")), weights = plan->tensor(*graph->find("w"));
  for (int64_t i = 0; i < given.type().elements(); ++i) given.set_flat(i, static_cast<double>(i % 7) - 3);
  for (int64_t i = 0; i < weights.type().elements(); ++i) weights.set_flat(i, static_cast<double>(i % 11) - 5);
  for (size_t i = 0; i < chosen.size(); ++i)
    plan->tensor(*graph->find("experts")).set_flat(static_cast<int64_t>(i), static_cast<double>(chosen[i]));
  plan->run_step(0, nullptr);
  return *plan->tensor(graph->outputs()[0]).contiguous();
}

double by_hand(int64_t token, int64_t expert, int64_t row) {
  double sum = 0;
  for (int64_t i = 0; i < kLength; ++i)
    sum += (static_cast<double>((token * kLength + i) % 7) - 3) *
           (static_cast<double>(((expert * kRows + row) * kLength + i) % 11) - 5);
  return sum;
}

void check(const std::vector<int64_t>& chosen) {
  for (const int threads : {1, 2, 3}) {
    const Tensor y = computed(chosen, threads);
    for (int64_t pair = 0; pair < kTokens * kEach; ++pair) {
      const int64_t given = chosen[static_cast<size_t>(pair)], expert = given < 0 ? given + kExperts : given;
      for (int64_t row = 0; row < kRows; ++row) {
        const double value = y.get_flat(pair * kRows + row);
        if (expert < 0 || expert >= kExperts) {
          EXPECT_TRUE(std::isnan(value)) << pair;
        } else {
          EXPECT_EQ(value, by_hand(pair / kEach, expert, row)) << pair << " of " << threads;
        }
      }
    }
  }
}

TEST(ExpertLinear, PairsWhoseExpertIsNotThereHaveNoValue) {
  std::vector<int64_t> chosen(kTokens * kEach);
  for (size_t i = 0; i < chosen.size(); ++i)
    chosen[i] = static_cast<int64_t>(i) % 9 - 4;  // -4 to 4: -4, 3 and 4 are not there
  check(chosen);
  check(std::vector<int64_t>(kTokens * kEach, 7));
}

TEST(ExpertLinear, AllTokensMayMeetOneExpert) {
  check(std::vector<int64_t>(kTokens * kEach, 1));
  check(std::vector<int64_t>(kTokens * kEach, -1));
}

}  // namespace
}  // namespace engine
