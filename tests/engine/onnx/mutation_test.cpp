// SPDX-License-Identifier: Apache-2.0
// Real files with random damage: the importer refuses or reads them, and never crashes, hangs or
// asks for absurd memory.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <random>

#include "engine/onnx/save.h"
#include "engine/runtime/plan.h"
#include "engine/workloads/workload.h"
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
      case 0: bytes[place] = static_cast<char>(bytes[place] ^ (1 << (random() % 8))); break;
      case 1: bytes[place] = static_cast<char>(random()); break;
      case 2: bytes.erase(place, 1 + random() % 8); break;
      default: bytes.insert(place, bytes.substr(place, 1 + random() % 8));
    }
  }
}

constexpr size_t kGroups = 8;

Tensor copy_of(const Tensor& tensor) {
  const Result<Tensor> copy = Tensor::empty(TensorType::contiguous(tensor.dtype(), tensor.shape()));
  CHECK(copy.ok());
  copy_elements(tensor, *copy);
  return *copy;
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
  const int loaded = survive(read(TENSORTIDE_SOURCE_DIR "/resources/models/light_resnet50.onnx"), 200, 1);
  EXPECT_LT(loaded, 200);                   // the damage is seen
  EXPECT_GT(loaded, 0);                     // and reaches beyond the protobuf parser
  EXPECT_LT(peak_kib() - before, 1 << 20);  // 1 GiB
}

// A training step in our own domain, whose metadata and attributes become ops as they stand.
TEST(Mutation, OwnFileOfATrainingStep) {
  const Workload& workload = **find_workload("mlp");
  Arguments settings = workload.small;
  settings["mode"] = "training";
  const Result<SavedModel> saved = save_model(*build_graph(workload, *resolve(workload, settings)), "mlp", 1);
  ASSERT_TRUE(saved.ok());
  const int loaded = survive(saved->bytes, 400, 4);
  EXPECT_GT(loaded, 20);
  EXPECT_LT(loaded, 400);
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
  maker.node("MaxPool", {"b"}, "c").attribute("kernel_shape", {2, 2}).attribute("auto_pad", std::string("SAME_UPPER"));
  maker.node("Reshape", {"c", "s"}, "d").node("Softmax", {"d"}, "e").attribute("axis", int64_t{1}).output("e");
  ASSERT_EQ(maker.refusal(), "");
  const int loaded = survive(maker.model.SerializeAsString(), 600, 2);
  EXPECT_GT(loaded, 20);
  EXPECT_LT(loaded, 600);
}

// The models of the ONNX project's own cases: every operator, branches, loops and sequences. With all inputs told, what
// the damage leaves is computed at import.
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
      for (size_t k = 0; round % 2 == 1 && k < test->inputs.size(); ++k)
        options.known[test->input_names[k]] = test->inputs[k];
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

/// Numbers that divide by zero, overflow or ask for all memory.
int64_t wild_number(std::mt19937& random) {
  constexpr int64_t kWild[] = {-1,
                               0,
                               1,
                               2,
                               3,
                               -7,
                               100,
                               1 << 16,
                               int64_t{1} << 31,
                               int64_t{1} << 40,
                               int64_t{1} << 62,
                               std::numeric_limits<int64_t>::max(),
                               std::numeric_limits<int64_t>::min()};
  return kWild[random() % std::size(kWild)];
}

/// Replaces one number of a node's attributes, of a shape or of a known tensor.
void make_wild(SuiteCase& test, std::mt19937& random) {
  ::onnx::GraphProto& graph = *test.model.mutable_graph();
  if (graph.node_size() == 0) return;
  ::onnx::NodeProto& node = *graph.mutable_node(static_cast<int>(random() % static_cast<uint32_t>(graph.node_size())));
  const uint32_t choice = random() % 8;
  if (choice < 5 && node.attribute_size() > 0) {
    ::onnx::AttributeProto& attribute =
        *node.mutable_attribute(static_cast<int>(random() % static_cast<uint32_t>(node.attribute_size())));
    if (attribute.has_i()) attribute.set_i(wild_number(random));
    if (attribute.has_f()) attribute.set_f(random() % 2 == 0 ? static_cast<float>(wild_number(random)) : std::nanf(""));
    if (attribute.ints_size() > 0)
      attribute.set_ints(static_cast<int>(random() % static_cast<uint32_t>(attribute.ints_size())),
                         wild_number(random));
    if (attribute.ints_size() > 0 && random() % 4 == 0) attribute.add_ints(wild_number(random));
    if (attribute.has_s() && !attribute.s().empty())
      (*attribute.mutable_s())[random() % attribute.s().size()] = static_cast<char>(',' + random() % 80);
    return;
  }
  if (choice == 5 && node.input_size() > 0) {
    node.mutable_input()->SwapElements(0, node.input_size() - 1);
    return;
  }
  if (test.inputs.empty()) return;
  Item& item = test.inputs[random() % test.inputs.size()];
  if (item.tensors.empty()) return;
  Tensor& tensor = item.tensors[random() % item.tensors.size()];
  const int64_t count = tensor.type().elements();
  if (choice == 6 && count > 0)
    tensor.set_flat(static_cast<int64_t>(random() % static_cast<uint64_t>(count)),
                    static_cast<double>(wild_number(random)));
  if (choice == 7) {
    const Result<Tensor> flat = tensor.reshape({-1});
    if (flat) tensor = *flat;
  }
}

/// Plans, and runs what is small: bad indices and extents must do no harm in kernels either.
void run_if_small(Backend& backend, Model model, const std::vector<Tensor>& fed) {
  const Result<MemoryPlan> plan = plan_memory(model.graph);
  if (!plan || plan->total_bytes > 16e6 || model.graph.flops() > 1e8) return;
  for (size_t i = 0; i < fed.size(); ++i) {
    if (i >= model.inputs.size() || model.graph.value(model.inputs[i]).type.shape != fed[i].shape()) return;
  }
  const Result<std::vector<Tensor>> outputs = run_model(backend, std::move(model), fed);
  EXPECT_TRUE(outputs.ok() || !outputs.error().message.empty());
}

class WildNumbers : public testing::TestWithParam<size_t> {};

TEST_P(WildNumbers, InModelsOfTheBackendSuite) {
  const std::filesystem::path suite = "/usr/share/libonnx-testdata/data/node";
  if (!std::filesystem::exists(suite)) GTEST_SKIP() << "the package libonnx-testdata is not installed";
  std::vector<std::filesystem::path> cases(std::filesystem::directory_iterator(suite), {});
  std::ranges::sort(cases);
  const std::unique_ptr<Backend> backend = cpu_backend();
  const ScratchFolder folder;
  std::mt19937 random(static_cast<uint32_t>(GetParam()));
  int loaded = 0;
  const char* rounds = std::getenv("ONNX_WILD_ROUNDS");
  for (size_t i = GetParam(); i < cases.size(); i += kGroups) {
    Result<SuiteCase> read = read_case(cases[i]);
    if (!read) continue;
    for (int round = 0; round < (rounds == nullptr ? 4 : std::atoi(rounds)); ++round) {
      SCOPED_TRACE(cases[i].filename().string());
      if (std::getenv("ONNX_SUITE_VERBOSE") != nullptr)
        fmt::print(stderr, "{} {}\n", cases[i].filename().string(), round);
      SuiteCase test = *read;
      for (Item& item : test.inputs) {
        for (Tensor& tensor : item.tensors) tensor = copy_of(tensor);
      }
      make_wild(test, random);
      ImportOptions options;
      std::vector<Tensor> fed;
      for (size_t k = 0; k < test.inputs.size(); ++k) {
        const bool integers = test.inputs[k].tensors.size() == 1 && test.inputs[k].tensors[0].dtype() == DType::int64;
        const bool tell = round % 2 == 1 || (round % 4 == 0 && integers) || test.inputs[k].is_sequence ||
                          test.inputs[k].tensors.size() != 1;
        if (tell) options.known[test.input_names[k]] = test.inputs[k];
        else fed.push_back(test.inputs[k].tensors[0]);
      }
      Result<Model> model = load_model(folder.write("wild.onnx", test.model.SerializeAsString()), options);
      if (!model) {
        EXPECT_LT(model.error().message.size(), 8192u);
        continue;
      }
      ++loaded;
      run_if_small(*backend, std::move(*model), fed);
    }
  }
  EXPECT_GT(loaded, 20);
}

INSTANTIATE_TEST_SUITE_P(Groups, WildNumbers, testing::Range(size_t{0}, kGroups));

TEST(Mutation, TensorFile) {
  const std::string whole = read(TENSORTIDE_SOURCE_DIR "/resources/models/light_resnet50_output_0.pb");
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
