// SPDX-License-Identifier: Apache-2.0
// Real files with random damage: the importer refuses or reads them, and never crashes, hangs or
// asks for absurd memory.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <random>

#include "engine/runtime/plan.h"
#include "tests/engine/onnx/model_maker.h"
#include "tests/engine/onnx/suite_case.h"

namespace engine::onnx {
namespace {

std::string read(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Flips, overwrites, deletes or repeats a few bytes.
void damage(std::string& bytes, std::mt19937& random) {
  const uint32_t changes = 1 + random() % 3;
  for (uint32_t change = 0; change < changes && bytes.size() > 16; ++change) {
    const size_t place = random() % bytes.size();
    switch (random() % 4) {
      case 0:
        bytes[place] = static_cast<char>(bytes[place] ^ (1 << (random() % 8)));
        break;
      case 1:
        bytes[place] = static_cast<char>(random());
        break;
      case 2:
        bytes.erase(place, 1 + random() % 8);
        break;
      default:
        bytes.insert(place, bytes.substr(place, 1 + random() % 8));
    }
  }
}

/// Damages the file `rounds` times; returns how often it still loaded. What loads can be planned or
/// is refused in words.
int survive(const std::string& whole, int rounds, uint32_t seed) {
  const ScratchFolder folder;
  std::mt19937 random(seed);
  int loaded = 0;
  for (int round = 0; round < rounds; ++round) {
    std::string bytes = whole;
    damage(bytes, random);
    const std::filesystem::path file = folder.write("damaged.onnx", bytes);
    const Result<Model> model = load_model(file);
    if (model) {
      ++loaded;
      const Result<MemoryPlan> plan = plan_memory(model->graph);
      EXPECT_TRUE(plan.ok() || !plan.error().message.empty());
    } else {
      EXPECT_EQ(model.error().message.find(file.string()), 0u) << model.error().message;
      EXPECT_LT(model.error().message.size(), 4096u);
    }
  }
  return loaded;
}

int64_t peak_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(Mutation, RealFileBytes) {
  const int64_t before = peak_kib();
  const int loaded =
      survive(read(TENSORTIDE_SOURCE_DIR "/resources/models/light_resnet50.onnx"), 200, 1);
  EXPECT_LT(loaded, 200);                   // the damage is seen
  EXPECT_GT(loaded, 0);                     // and reaches beyond the protobuf parser
  EXPECT_LT(peak_kib() - before, 1 << 20);  // 1 GiB
}

// A small file with raw weights and many attributes: damage hits numbers more often than names.
TEST(Mutation, SmallFileOfNumbers) {
  ModelMaker maker = ModelMaker()
                         .input("x", {2, 2, 8, 8})
                         .floats("w", {4, 1, 3, 3}, std::vector<float>(36, 0.5F))
                         .integers("s", {2}, {2, -1});
  maker.node("Conv", {"x", "w"}, "a")
      .attribute("group", int64_t{2})
      .attribute("pads", {1, 1, 1, 1})
      .attribute("strides", {2, 2});
  maker.node("AveragePool", {"a"}, "b")
      .attribute("kernel_shape", {2, 2})
      .attribute("strides", {2, 2})
      .attribute("ceil_mode", int64_t{1});
  maker.node("MaxPool", {"b"}, "c")
      .attribute("kernel_shape", {2, 2})
      .attribute("auto_pad", std::string("SAME_UPPER"));
  maker.node("Reshape", {"c", "s"}, "d")
      .node("Softmax", {"d"}, "e")
      .attribute("axis", int64_t{1})
      .output("e");
  ASSERT_EQ(maker.refusal(), "");
  const int loaded = survive(maker.model.SerializeAsString(), 600, 2);
  EXPECT_GT(loaded, 20);
  EXPECT_LT(loaded, 600);
}

// The models of the ONNX project's own cases: every operator, branches, loops and sequences. With all inputs told, what the damage
// leaves is computed at import.
TEST(Mutation, ModelsOfTheBackendSuite) {
  const std::filesystem::path suite = "/usr/share/libonnx-testdata/data/node";
  if (!std::filesystem::exists(suite)) GTEST_SKIP() << "the package libonnx-testdata is not installed";
  std::vector<std::filesystem::path> cases(std::filesystem::directory_iterator(suite), {});
  std::ranges::sort(cases);
  const ScratchFolder folder;
  std::mt19937 random(4);
  int loaded = 0, refused = 0;
  for (size_t i = 0; i < cases.size(); i += 3) {
    const Result<SuiteCase> test = read_case(cases[i]);
    if (!test) continue;
    const std::string whole = test->model.SerializeAsString();
    for (int round = 0; round < 4; ++round) {
      std::string bytes = whole;
      damage(bytes, random);
      ImportOptions options;
      for (size_t k = 0; round % 2 == 1 && k < test->inputs.size(); ++k) options.known[test->input_names[k]] = test->inputs[k];
      const Result<Model> model = load_model(folder.write("damaged.onnx", bytes), options);
      ++(model ? loaded : refused);
      if (!model) {
        EXPECT_LT(model.error().message.size(), 8192u);
      }
    }
  }
  EXPECT_GT(loaded, 30);
  EXPECT_GT(refused, 100);
}

TEST(Mutation, TensorFile) {
  const std::string whole =
      read(TENSORTIDE_SOURCE_DIR "/resources/models/light_resnet50_output_0.pb");
  const ScratchFolder folder;
  std::mt19937 random(3);
  int refused = 0;
  for (int round = 0; round < 200; ++round) {
    std::string bytes = whole.substr(0, 40);  // the header, where damage matters
    damage(bytes, random);
    const Result<Tensor> tensor = load_tensor(folder.write("damaged.pb", bytes + whole.substr(40)));
    if (!tensor) ++refused;
  }
  EXPECT_GT(refused, 50);
}

}  // namespace
}  // namespace engine::onnx
