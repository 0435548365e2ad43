// SPDX-License-Identifier: Apache-2.0
// The rungs are what they say: the compiler's output has no vector in the scalar ones and vectors of the stated width
// in the others.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <tuple>
#include <vector>

#include "engine/base/vector_bits.h"
#include "engine/cpu/backend.h"
#include "engine/ops/ladder.h"
#include "engine/runtime/plan.h"
#include "engine/workloads/workload.h"

namespace engine {
namespace {

/// Instructions of each function of an object file, by its full name.
std::map<std::string, std::vector<std::string>> disassemble(const std::string& object) {
  const std::string command = std::string(TENSORTIDE_OBJDUMP) + " -d -C --no-show-raw-insn '" + object + "'";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::map<std::string, std::vector<std::string>> functions;
  std::string line, name;
  std::array<char, 4096> part{};
  while (pipe != nullptr && fgets(part.data(), static_cast<int>(part.size()), pipe.get()) != nullptr) {
    line = part.data();
    if (line.ends_with(">:\n")) name = line.substr(line.find('<') + 1, line.size() - line.find('<') - 4);
    else if (const size_t tab = line.find(":\t"); tab != std::string::npos)
      functions[name].push_back(line.substr(tab + 2));
  }
  return functions;
}

const std::regex kPackedMultiply{R"(^(v?mulp[sd]|vfn?m(add|sub)[0-9]*p[sd])\s)"};
const std::regex kScalarMultiply{R"(^(v?muls[sd]|vfn?m(add|sub)[0-9]*s[sd])\s)"};

std::vector<std::string> those(const std::vector<std::string>& instructions, const std::regex& wanted) {
  std::vector<std::string> found;
  std::ranges::copy_if(instructions, std::back_inserter(found),
                       [&](const std::string& i) { return std::regex_search(i, wanted); });
  return found;
}

class LadderCode : public testing::Test {
 protected:
  void SetUp() override {
#if !defined(__x86_64__) || !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "instructions are looked at in optimised x86-64 code";
#endif
  }
};

TEST_F(LadderCode, ScalarRungsHaveNoVectorMultiply) {
  int loops = 0;
  for (const auto& [name, instructions] : disassemble(TENSORTIDE_LADDER_SCALAR)) {
    const std::vector<std::string> packed = those(instructions, kPackedMultiply);
    EXPECT_TRUE(packed.empty()) << name << ": " << packed.front();
    if (name.find("ScalarLadder<") == std::string::npos || those(instructions, kScalarMultiply).empty()) continue;
    ++loops;
  }
  EXPECT_GE(loops, 4);  // an element and a tile in f32 and f64
}

TEST_F(LadderCode, VectorRungsMultiplyInTheWidthTheyClaim) {
  const auto functions = disassemble(TENSORTIDE_LADDER_SIMD);
  for (const auto& [bits, own, others] : {std::tuple{"128", "%xmm", std::array{"%ymm", "%zmm"}},
                                          {"256", "%ymm", std::array{"%xmm", "%zmm"}},
                                          {"512", "%zmm", std::array{"%xmm", "%ymm"}}}) {
    for (const char* type : {"float", "double"}) {
      const std::string wanted = std::string("ladder::Tiled<") + type + ", " + bits + "ul,";
      int seen = 0;
      for (const auto& [name, instructions] : functions) {
        if (name.find(wanted) == std::string::npos || name.find("N_EMU128") != std::string::npos)
          continue;                                                // emulated vectors have no registers
        if (name.find("::clear(") != std::string::npos) continue;  // multiplies nothing
        const std::vector<std::string> packed = those(instructions, kPackedMultiply);
        EXPECT_FALSE(packed.empty()) << name;
        for (const std::string& instruction : packed) {
          EXPECT_NE(instruction.find(own), std::string::npos) << name << ": " << instruction;
          for (const char* other : others)
            EXPECT_EQ(instruction.find(other), std::string::npos) << name << ": " << instruction;
        }
        ++seen;
      }
      EXPECT_GE(seen, 1) << wanted;
    }
  }
}

std::shared_ptr<const Graph> ladder(const Arguments& given) {
  const Workload* workload = *find_workload("ladder");
  Result<Graph> built = build_graph(*workload, *resolve(*workload, given));
  EXPECT_TRUE(built.ok()) << built.error().message;
  return std::make_shared<const Graph>(std::move(*built));
}

TEST(Ladder, EveryRungGivesTheSameNumbers) {
  for (const std::string product : {"layer", "matmul"}) {
    const std::shared_ptr<const Graph> graph = ladder({{"product", product}, {"size", "150"}, {"tile", "32"}});
    auto backend = cpu::make_backend(2);
    auto plan = Plan::make(graph, **backend);
    ASSERT_TRUE(plan.ok());
    (*plan)->run_step(0, nullptr);
    const Tensor& library = (*plan)->tensor(graph->outputs().back());
    for (const ValueId output : graph->outputs()) {
      const Tensor& mine = (*plan)->tensor(output);
      const double scale = product == "layer" ? 0 : 1;  // sums of products may cancel: relative to the operands
      for (int64_t i = 0; i < mine.type().elements(); ++i) {
        const double wanted = library.get_flat(i);
        ASSERT_NEAR(mine.get_flat(i), wanted, 1e-5 * std::max(scale, std::abs(wanted)))
            << graph->values()[output].name << " " << i;
      }
    }
    const auto rungs = static_cast<size_t>(std::ranges::count_if(
        ops::ladder_rungs(), [](const ops::LadderRung& r) { return r.vector_bits <= vector_bits(); }));
    EXPECT_EQ(graph->outputs().size(), rungs + 1);
  }
}

TEST(Ladder, TheLibraryRungIsALibrary) {
  for (const std::string product : {"layer", "matmul"}) {
    for (const std::string dtype : {"f32", "f64"}) {
      for (const std::string padding : {"0", "3"}) {
        SCOPED_TRACE(product + " " + dtype + " " + padding);
        const std::shared_ptr<const Graph> graph =
            ladder({{"product", product}, {"size", "64"}, {"rung", "library"}, {"dtype", dtype}, {"padding", padding}});
        for (const int threads : {1, 2}) {
          const auto backend = cpu::make_backend(threads);
          auto plan = Plan::make(graph, **backend);
          ASSERT_TRUE(plan.ok());
          std::vector<std::string> products;
          for (NodeId node = 0; node < graph->nodes().size(); ++node) {
            if (graph->nodes()[node].op->name == "matmul") products.push_back((*plan)->kernel_name(node));
          }
          ASSERT_EQ(products.size(), 1u);
          EXPECT_TRUE(products[0].starts_with("oneDNN ") || products[0].starts_with("OpenBLAS ")) << products[0];
        }
      }
    }
  }
}

TEST(Ladder, OneRungAloneAndRefusals) {
  EXPECT_EQ(ladder({{"rung", "naive"}})->nodes().size(), 1u);
  EXPECT_EQ(ladder({{"rung", "library"}})->nodes().size(), 2u);  // product and sigmoid
  GraphBuilder builder;
  const TensorType square = TensorType::contiguous(DType::float32, {4, 4}),
                   tall = TensorType::contiguous(DType::float32, {5, 4});
  const ValueId a = builder.input("a", square, {}), b = builder.input("b", tall, {});
  EXPECT_EQ(ops::ladder_product(builder, a, b, "naive", 8, false), kNoValue);
  EXPECT_EQ(builder.finish().error().message, "[ladder_product] inner dimensions differ: a has k = 4, b has k = 5");
  GraphBuilder second;
  const ValueId c = second.input("c", square, {});
  EXPECT_EQ(ops::ladder_product(second, c, c, "nave", 8, false), kNoValue);
  EXPECT_NE(second.finish().error().message.find("there is no rung \"nave\""), std::string::npos);
}

}  // namespace
}  // namespace engine
