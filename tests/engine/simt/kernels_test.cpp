// SPDX-License-Identifier: Apache-2.0
// Every CUDA kernel of the catalog, executed thread by thread: in five orders of its threads the outputs are those of
// the op's reference, and the same bits. Mutations prove that this can fail. Not shown: memory ordering, nvcc's code,
// speed.
#include <cuda_fp8.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <ranges>
#include <set>
#include <span>

#include "engine/cuda/fp8.h"
#include "engine/cuda/kernels.h"
#include "engine/ops/ops.h"
#include "engine/simt/device.h"
#include "engine/simt/grid.h"
#include "tests/engine/simt/larger_shapes.h"
#include "tests/support/fp8.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor

/// As tests/engine/cuda/kernels_on_host_test.cpp allows.
double tolerance(DType dtype) {
  switch (dtype) {
    case DType::float64: return 1e-11;
    case DType::float32: return 2e-5;
    case DType::bfloat16: return 1.0 / 128;
    case DType::float16: return 1.0 / 1024;
    default: return 0;
  }
}

std::vector<TensorType> types_of(const std::vector<Tensor>& tensors) {
  std::vector<TensorType> types;
  for (const Tensor& tensor : tensors) types.push_back(tensor.type());
  return types;
}

struct Outcome {
  bool taken = false;  ///< a kernel is listed for these types
  std::string kernel, error;
  std::vector<Tensor> outputs;
};

/// Where tensors begin: at an aligned address, or an element behind one, where nothing may be read in vectors.
enum class Begin : uint8_t { aligned, an_element_behind };

Tensor placed(Tensor tensor, Begin begin) {
  if (begin == Begin::aligned) return tensor;
  const int64_t bytes = tensor.storage()->size_bytes(), element = size_bytes(tensor.dtype());
  auto storage = Storage::allocate_host(bytes + element);
  CHECK(storage.ok());
  std::memcpy((*storage)->data() + element, tensor.storage()->data(), static_cast<size_t>(bytes));
  return Tensor(*storage, tensor.type(), tensor.offset_elements() + 1);
}

/// One op on the emulated GPU. Outputs and scratch hold rubbish before.
Outcome run(const Op& op, const std::vector<Tensor>& inputs, const Attributes& attributes, Begin begin) {
  constexpr int kMultiprocessors = 2, kAlignment = 256, kRubbish = 0x5a;
  Outcome outcome;
  const auto input_types = types_of(inputs);
  const auto output_types = op.infer(input_types, attributes);
  if (!output_types.ok()) return outcome;
  const auto empty = [](const TensorType& type) { return type.elements() == 0; };
  if (std::ranges::any_of(input_types, empty) || std::ranges::all_of(*output_types, empty))
    return outcome;  // the backend's own business
  Node node;
  node.op = &op;
  node.attributes = attributes;
  const Call call{node.attributes, input_types, *output_types};
  const auto all = cuda::kernels();
  const auto kernel =
      std::ranges::find_if(all, [&](const cuda::Kernel& k) { return k.op == op.name && k.takes(node, call); });
  if (kernel == all.end()) return outcome;
  outcome.taken = true;
  simt::Device::the().reset(simt::Pace::at_once);  // a fault would end all that comes behind it
  cuda::Context context;
  context.info.device = {"emu", 0};
  context.info.model = "emulated GPU";
  context.launcher.multiprocessors = kMultiprocessors;
  for (size_t j = 0; j < output_types->size(); ++j) {
    const bool in_place = j < op.in_place.size() && op.in_place[j] >= 0;
    outcome.outputs.push_back(in_place ? inputs[static_cast<size_t>(op.in_place[j])]
                                       : placed(test::make_tensor((*output_types)[j]), begin));
    Storage& storage = *outcome.outputs.back().storage();
    if (!in_place) std::memset(storage.data(), kRubbish, static_cast<size_t>(storage.size_bytes()));
  }
  const int64_t bytes = kernel->workspace_bytes == nullptr ? 0 : kernel->workspace_bytes(context, node, call);
  std::vector<std::byte> workspace(static_cast<size_t>(bytes + kAlignment), std::byte{kRubbish});
  auto* const aligned =
      workspace.data() + (kAlignment - reinterpret_cast<uintptr_t>(workspace.data()) % kAlignment) % kAlignment;
  auto prepared = kernel->prepare(
      context, {node, {&node.attributes, inputs, outcome.outputs}, aligned, std::vector<bool>(inputs.size(), false)});
  if (!prepared.ok()) {
    outcome.error = prepared.error().message;
    return outcome;
  }
  outcome.kernel = (*prepared)->kernel_name();
  (*prepared)->run();
  if (const auto error = context.first_error()) outcome.error = error->message;
  return outcome;
}

/// Empty: `got` is `wanted` within `factor` tolerances.
std::string difference(const Tensor& got, const Tensor& wanted, double factor) {
  const std::vector<double> a = test::values(got), b = test::values(wanted);
  double largest = 1;
  for (const double value : b) largest = std::max(largest, std::isfinite(value) ? std::abs(value) : 0);
  for (size_t i = 0; i < a.size(); ++i) {
    const bool same = std::isfinite(b[i]) ? std::abs(a[i] - b[i]) <= factor * tolerance(wanted.dtype()) * largest
                                          : a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]));
    if (!same) return fmt::format("element {} is {}, not {}", i, a[i], b[i]);
  }
  return {};
}

struct Findings {
  int cases = 0, outputs = 0;
  std::vector<std::string> wrong;
};

/// One example in these orders. `factor`: of the tolerance.
void check(const test::OpExample& example, DType dtype, double factor, Findings& findings, Begin begin = Begin::aligned,
           std::span<const simt::Order> orders = simt::kOrders) {
  const Op& op = *find_op(example.op);
  const auto make = [&] {
    std::vector<Tensor> operands = test::make_operands(example, dtype);
    for (Tensor& operand : operands) operand = placed(operand, begin);
    return operands;
  };
  std::vector<Tensor> wanted;
  std::vector<std::vector<double>> first;
  for (const simt::Order order : orders) {
    simt::settings().order = order;
    const Outcome outcome = run(op, make(), example.attributes, begin);
    if (!outcome.taken) return;
    const auto where = [&](size_t output) {
      return fmt::format("{}: {}, {} [{}] order {} output {}", op.name, example.label, name(dtype), outcome.kernel,
                         static_cast<int>(order), output);
    };
    if (wanted.empty()) {
      wanted = test::run_reference(op, make(), example.attributes);
      ++findings.cases;
    }
    if (!outcome.error.empty()) findings.wrong.push_back(where(0) + ": " + outcome.error);
    for (size_t j = 0; j < outcome.outputs.size(); ++j) {
      ++findings.outputs;
      if (const std::string words = difference(outcome.outputs[j], wanted[j], factor); !words.empty()) {
        findings.wrong.push_back(where(j) + ": " + words);
      }
      std::vector<double> values = test::values(outcome.outputs[j]);
      if (first.size() == j) {
        first.push_back(std::move(values));
      } else if (std::memcmp(values.data(), first[j].data(), values.size() * sizeof(double)) != 0) {
        findings.wrong.push_back(where(j) + ": other bits than in the first order");
      }
    }
  }
}

std::set<std::string_view> ops_with_kernels() {
  std::set<std::string_view> listed;
  for (const cuda::Kernel& kernel : cuda::kernels()) listed.insert(kernel.op);
  listed.erase("load_batch");  // these two have streams and events of their own: device_test.cpp
  listed.erase("round_trip");
  return listed;
}

void expect_none_wrong(const Findings& findings) {
  const std::span few = std::span(findings.wrong).first(std::min<size_t>(20, findings.wrong.size()));
  EXPECT_TRUE(findings.wrong.empty()) << findings.wrong.size() << " of " << findings.outputs << " outputs:\n"
                                      << fmt::format("{}", fmt::join(few, "\n"));
}

/// As sums in f32 over thousands of elements are off.
constexpr double kLargerFactor = 4;

class CudaKernelsBySimt : public testing::TestWithParam<DType> {
 protected:
  ~CudaKernelsBySimt() override { simt::settings() = {}; }
};

TEST_P(CudaKernelsBySimt, AgreeWithTheReferenceInEveryOrderOfTheirThreads) {
  Findings findings;
  for (const std::string_view op : ops_with_kernels()) {
    const int before = findings.cases;
    for (const test::OpExample& example : test::examples_of(op)) {
      if (op == "softmax_cross_entropy_grad" && size_bytes(GetParam()) == 2) continue;  // its dloss is f32
      check(example, GetParam(), 1, findings);
    }
    EXPECT_TRUE(GetParam() != DType::float32 || findings.cases > before)
        << op << " has a kernel that takes none of its examples";
  }
  for (const test::OpExample& example : test::larger_shapes(GetParam())) {
    const int before = findings.cases;
    check(example, GetParam(), kLargerFactor, findings);
    EXPECT_GT(findings.cases, before) << example.op << ": " << example.label;
  }
  expect_none_wrong(findings);
  EXPECT_GT(findings.cases, 1000);
}

TEST_P(CudaKernelsBySimt, AgreeWhereNoTensorBeginsAtAnAlignedAddress) {
  Findings findings;
  for (const test::OpExample& example : test::larger_shapes(GetParam())) {
    check(example, GetParam(), kLargerFactor, findings, Begin::an_element_behind, std::span(simt::kOrders).last(1));
  }
  expect_none_wrong(findings);
  EXPECT_EQ(findings.cases, static_cast<int>(test::larger_shapes(GetParam()).size()));
}

TEST_P(CudaKernelsBySimt, InfinitiesAndNaNGoWhereTheReferenceLetsThemGo) {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  struct Special {
    const char* words;
    std::function<double(int64_t, double)> value;  ///< of an element of the second line
  };
  const Special specials[] = {
      {"one that is -infinity", [](int64_t i, double was) { return i == 7 ? kNone : was; }},
      {"most are -infinity", [](int64_t i, double was) { return i == 33 ? was : kNone; }},
      {"all are -infinity", [](int64_t, double) { return kNone; }},
      {"one that is infinite", [](int64_t i, double was) { return i == 21 ? -kNone : was; }},
      {"one that is NaN",
       [](int64_t i, double was) { return i == 39 ? std::numeric_limits<double>::quiet_NaN() : was; }},
  };
  simt::settings().order = simt::Order::shuffled;
  for (const char* const name : {"softmax", "log_softmax", "reduce_max", "reduce_min", "sum", "sum_of_squares"}) {
    const Op& op = *find_op(name);
    const bool reduces = op.name != "softmax" && op.name != "log_softmax";
    const Attributes attributes =
        reduces ? Attributes{{"axes", std::vector<int64_t>{1}}} : Attributes{{"axis", int64_t{-1}}};
    for (const int64_t length : {40, 41, 400, 4000, 20'000, 20'001}) {
      for (const Special& special : specials) {
        const auto operand = [&] {
          Tensor x = test::make_tensor(TensorType::contiguous(GetParam(), {3, length}));
          fill(x, {Fill::Kind::uniform, -1, 1}, 1, 0);
          for (int64_t i = 0; i < length; ++i) x.set_flat(length + i, special.value(i, x.get_flat(length + i)));
          return x;
        };
        const Outcome outcome = run(op, {operand()}, attributes, Begin::aligned);
        ASSERT_TRUE(outcome.taken && outcome.error.empty()) << op.name << ": " << outcome.error;
        const std::string words =
            difference(outcome.outputs[0], test::run_reference(op, {operand()}, attributes)[0], kLargerFactor);
        EXPECT_TRUE(words.empty()) << op.name << " of " << length << ", " << special.words << ": " << words;
      }
    }
  }
}

/// Notes the names of kernels.
class Names : public simt::Watcher {
 public:
  Names() { simt::Device::the().watch(this); }
  ~Names() override { simt::Device::the().watch(nullptr); }
  void begun(uint32_t) override {}
  void done(const simt::CallDone&) override {}
  void done(const simt::KernelDone& kernel) override { names.emplace(kernel.name); }
  void done(const simt::CopyDone&) override {}
  void done(const simt::MemsetDone&) override {}
  void done(const simt::WaitDone&) override {}
  void made_stream(int) override {}
  void made_node(uint64_t, uint64_t) override {}
  bool any_has(const std::string& all_of_these) const {
    return std::ranges::any_of(names, [&](const std::string& name) {
      size_t at = 0;
      for (const auto part : std::views::split(all_of_these, '*')) {
        at = name.find(std::string_view(part.begin(), part.end()), at);
        if (at == std::string::npos) return false;
      }
      return true;
    });
  }
  std::set<std::string> names;
};

/// Kernels with several ways: in vectors and one by one, in registers, streamed, in tiles. `*`: anything, T the type, W
/// elements of 16 bytes.
constexpr const char* kWays[] = {
    "staged_kernel<*VectorElement<T,",
    "staged_kernel<*AnyLanes",
    "elements_kernel<*AnyElement<float>",
    "lane_lines_kernel<*SoftmaxLine<T, W>, 8>",
    "lane_lines_kernel<*SoftmaxLine<T, W>, 32>",
    "lane_lines_kernel<*SoftmaxLine<T, 1>, 32>",
    "block_lines_kernel<*SoftmaxLine<T, W>, false>",
    "block_lines_kernel<*SoftmaxLine<T, W>, true>",
    "block_lines_kernel<*SoftmaxLine<T, 1>, false>",
    "block_lines_kernel<*SoftmaxLine<T, 1>, true>",
    "lane_lines_kernel<*SoftmaxGradLine<T, W>, 8>",
    "lane_lines_kernel<*SoftmaxGradLine<T, W>, 32>",
    "lane_lines_kernel<*SoftmaxGradLine<T, 1>, 32>",
    "block_lines_kernel<*SoftmaxGradLine<T, W>, false>",
    "block_lines_kernel<*SoftmaxGradLine<T, W>, true>",
    "block_lines_kernel<*SoftmaxGradLine<T, 1>, false>",
    "block_lines_kernel<*SoftmaxGradLine<T, 1>, true>",
    "lane_lines_kernel<*DenseNormLine<T, W>, 8>",
    "lane_lines_kernel<*DenseNormLine<T, W>, 32>",
    "lane_lines_kernel<*DenseNormLine<T, 1>, 32>",
    "block_lines_kernel<*DenseNormLine<T, W>, false>",
    "block_lines_kernel<*DenseNormLine<T, W>, true>",
    "block_lines_kernel<*DenseNormLine<T, 1>, false>",
    "block_lines_kernel<*DenseNormLine<T, 1>, true>",
    "lane_lines_kernel<*DenseNormGradLine<T, W>, 8>",
    "lane_lines_kernel<*DenseNormGradLine<T, W>, 32>",
    "lane_lines_kernel<*DenseNormGradLine<T, 1>, 32>",
    "block_lines_kernel<*DenseNormGradLine<T, W>, false>",
    "block_lines_kernel<*DenseNormGradLine<T, W>, true>",
    "block_lines_kernel<*DenseNormGradLine<T, 1>, false>",
    "block_lines_kernel<*DenseNormGradLine<T, 1>, true>",
    "elements_kernel<*VectorReduce<T, W,",
    "elements_kernel<*VectorReduce<T, 1,",
    "warp_rows_kernel<*VectorReduce<T, W,",
    "block_rows_kernel<*VectorReduce<T, W,",
    "block_rows_kernel<*VectorReduce<T, 1,",
    "elements_kernel<*JoinParts<",
    "warp_rows_kernel<*JoinParts<",
    "turn_kernel<U, W>",
    "turn_kernel<U, 1>",
    "staged_kernel<*CopyElement<uint4>",
    "staged_kernel<*CopyElement<U>",
    "forward_tiles_kernel<T, 1>",
    "forward_tiles_kernel<T, 2>",
    "query_tiles_kernel<T, 1>",
    "query_tiles_kernel<T, 2>",
    "key_tiles_kernel<T, 1>",
    "key_tiles_kernel<T, 2>",
    "attention_kernel<float, *forward>",
    "attention_kernel<float, *queries>",
    "attention_kernel<float, *keys>",
};

TEST_P(CudaKernelsBySimt, EveryWayOfAKernelIsTakenByAShape) {
  if (GetParam() == DType::float64) GTEST_SKIP() << "doubles have one way";
  const bool wide = GetParam() == DType::float32;
  const std::string type = wide ? "float" : GetParam() == DType::bfloat16 ? "__nv_bfloat16" : "__half";
  const auto replace = [](std::string& text, std::string_view what, const std::string& with) {
    if (const size_t at = text.find(what); at != std::string::npos) text.replace(at, what.size(), with);
  };
  Names seen;
  for (const Begin begin : {Begin::aligned, Begin::an_element_behind}) {
    for (const test::OpExample& example : test::larger_shapes(GetParam())) {
      const auto operands = [&] {
        std::vector<Tensor> all = test::make_operands(example, GetParam());
        for (Tensor& one : all) one = placed(one, begin);
        return all;
      };
      run(*find_op(example.op), operands(), example.attributes, begin);
    }
  }
  for (std::string way : kWays) {
    replace(way, "<T,", "<" + type + ",");
    replace(way, "<U", wide ? "<unsigned int" : "<short unsigned int");
    replace(way, ", W", wide ? ", 4" : ", 8");
    EXPECT_TRUE(seen.any_has(way)) << way << " is run by no shape";
  }
  if (HasFailure()) ADD_FAILURE() << fmt::format("{}", fmt::join(seen.names, "\n"));
}

INSTANTIATE_TEST_SUITE_P(Float, CudaKernelsBySimt,
                         testing::Values(DType::float64, DType::float32, DType::bfloat16, DType::float16),
                         [](const auto& test) { return std::string(name(test.param)); });

// ---- mutations
// -------------------------------------------------------------------------------------------------------------------

class CudaKernelMutations : public testing::Test {
 protected:
  ~CudaKernelMutations() override { simt::settings() = {}; }
  /// Whether one of the larger shapes comes out wrong.
  static bool is_noticed() {
    Findings findings;
    for (const test::OpExample& example : test::larger_shapes(DType::float32)) {
      check(example, DType::float32, kLargerFactor, findings);
      if (!findings.wrong.empty()) return true;
    }
    return false;
  }
};

TEST_F(CudaKernelMutations, NoBarrierOfAnyKernelCanBeLeftOut) {
  simt::barriers().clear();
  ASSERT_FALSE(is_noticed());
  const std::vector<simt::Barrier> met = simt::barriers();
  int of_blocks = 0;
  for (const simt::Barrier& barrier : met) {
    if (!barrier.of_block) continue;  // a shuffle left out is another number, not a race
    ++of_blocks;
    simt::settings().dropped = barrier.site;
    EXPECT_TRUE(is_noticed()) << "nobody misses the barrier at " << barrier.site.file << ":" << barrier.site.line;
    simt::settings().dropped = {};
  }
  EXPECT_GE(of_blocks, 5);
}

TEST_F(CudaKernelMutations, AMissingThreadOrBlockIsSeenInEveryKernel) {
  simt::settings().one_missing = true;
  for (const test::OpExample& example : test::larger_shapes(DType::float32)) {
    Findings findings;
    check(example, DType::float32, kLargerFactor, findings);
    EXPECT_FALSE(findings.wrong.empty()) << example.op << ": " << example.label;
  }
}

// ---- what the headers of engine/simt/cuda say
// -----------------------------------------------------------------------------------

TEST(SimtHeaders, RoundTo8BitsAsTheDefinitionDoes) {
  for (const auto& [kind, format] : {std::pair{test::Fp8Kind::e4m3, __NV_E4M3}, {test::Fp8Kind::e5m2, __NV_E5M2}}) {
    for (int i = -70'000; i <= 70'000; i += 7) {
      const float x = static_cast<float>(i) * (i % 2 == 0 ? 1.0F : 1.0F / 4096);
      const uint8_t code = __nv_cvt_float_to_fp8(x, __NV_SATFINITE, format);
      ASSERT_EQ(test::fp8_value(code, kind), test::fp8_rounded(static_cast<double>(x), kind)) << x;
    }
    EXPECT_TRUE(std::isnan(test::fp8_value(__nv_cvt_float_to_fp8(NAN, __NV_SATFINITE, format), kind)));
  }
}

}  // namespace
