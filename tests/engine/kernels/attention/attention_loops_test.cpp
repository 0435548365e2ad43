// SPDX-License-Identifier: Apache-2.0
// Attention and its gradient do what is said of them: their own code, with own products, compiled over a memory that
// notes each access.
#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "engine/kernels/attention/attention-inl.h"
#include "engine/kernels/core/describe_access.h"
#include "engine/kernels/core/silent_sink_access.h"
#include "engine/kernels/gemm/products-inl.h"
#include "engine/ops/ops.h"
#include "tests/engine/kernels/core/noted_kernels.h"

namespace engine {
namespace {

struct Case {
  const char* label;
  int64_t batch, heads, kv_heads, queries, keys, features, value_features;
  bool causal = false;
  Shape mask = {};           ///< none where empty
  bool flags = false;        ///< of bool
  bool in_sequence = false;  ///< heads lie side by side within a row
};

std::vector<Case> cases() {
  return {{.label = "packed keys",
           .batch = 2,
           .heads = 2,
           .kv_heads = 2,
           .queries = 15,
           .keys = 70,
           .features = 3,
           .value_features = 5},
          {.label = "several blocks, causal",
           .batch = 1,
           .heads = 2,
           .kv_heads = 1,
           .queries = 86,
           .keys = 1030,
           .features = 4,
           .value_features = 20,
           .causal = true},
          {.label = "few queries",
           .batch = 1,
           .heads = 4,
           .kv_heads = 2,
           .queries = 3,
           .keys = 40,
           .features = 8,
           .value_features = 6},
          {.label = "one query",
           .batch = 2,
           .heads = 2,
           .kv_heads = 1,
           .queries = 1,
           .keys = 1025,
           .features = 5,
           .value_features = 4},
          {.label = "a block of one query",
           .batch = 1,
           .heads = 1,
           .kv_heads = 1,
           .queries = 85,
           .keys = 9,
           .features = 1,
           .value_features = 1},
          {.label = "queries without keys",
           .batch = 1,
           .heads = 1,
           .kv_heads = 1,
           .queries = 20,
           .keys = 7,
           .features = 4,
           .value_features = 3,
           .causal = true},
          {.label = "a number per head and key",
           .batch = 2,
           .heads = 2,
           .kv_heads = 2,
           .queries = 16,
           .keys = 33,
           .features = 4,
           .value_features = 4,
           .mask = {2, 1, 33}},
          {.label = "keys left out",
           .batch = 2,
           .heads = 1,
           .kv_heads = 1,
           .queries = 5,
           .keys = 19,
           .features = 4,
           .value_features = 4,
           .causal = true,
           .mask = {2, 1, 5, 19},
           .flags = true},
          {.label = "heads within rows",
           .batch = 2,
           .heads = 3,
           .kv_heads = 3,
           .queries = 14,
           .keys = 14,
           .features = 6,
           .value_features = 6,
           .in_sequence = true}};
}

/// As if others had their scratch, too.
constexpr int kThreads = 2;

/// A tensor of four axes, or a mask.
struct Numbers {
  Numbers(Shape shape, bool in_sequence, int step)
      : type(TensorType::contiguous(DType::float32, std::move(shape))), at(static_cast<size_t>(type.elements())) {
    const Shape& s = type.shape;
    if (in_sequence) type.strides = {s[2] * s[1] * s[3], s[3], s[1] * s[3], 1};
    for (size_t i = 0; i < at.size(); ++i) at[i] = static_cast<float>(static_cast<int>(i) * step % 31) / 16 - 1;
  }
  access::Operand operand() const { return {type, reinterpret_cast<uint64_t>(at.data()), 0}; }
  template <class T>
  cpu::Heads<T> heads(T* data) const {
    const Strides& s = type.strides;
    return {data, s[0], s[1], type.shape[2] == 1 ? type.shape[3] : s[2]};
  }
  double operator()(int64_t b, int64_t h, int64_t i, int64_t e) const {
    const Strides& s = type.strides;
    return at[static_cast<size_t>(b * s[0] + h * s[1] + i * s[2] + e * s[3])];
  }

  TensorType type;
  std::vector<float> at;
};

/// As Products, by own loops that note.
struct OwnProducts {
  const cpu::GemmLoops<float>& loops;
  float* scratch;
  void operator()(bool ta, bool tb, int64_t m, int64_t n, int64_t k, double alpha, const cpu::Rows<const float>& a,
                  const cpu::Rows<const float>& b, bool add, const cpu::Rows<float>& c) const {
    const cpu::GemmMatrix<float> x{a.data, a.stride, 1}, y{b.data, b.stride, 1};
    cpu::own_product<test::NotedScalars>(loops,
                                         {.a = ta ? x.transposed() : x,
                                          .b = tb ? y.transposed() : y,
                                          .bias = nullptr,
                                          .c = c.data,
                                          .c_row = c.stride,
                                          .m = m,
                                          .n = n,
                                          .k = k,
                                          .accumulate = add},
                                         static_cast<float>(alpha), scratch);
  }
};

/// The operands of one case, and where its kernel keeps things.
struct Problem {
  Problem(const Case& c, const test::NotedKernels& kernels)
      : own(kernels),
        shape{.batch = c.batch,
              .heads = c.heads,
              .kv_heads = c.kv_heads,
              .queries = c.queries,
              .keys = c.keys,
              .features = c.features,
              .value_features = c.value_features,
              .causal = c.causal,
              .masked = !c.mask.empty()},
        q({c.batch, c.heads, c.queries, c.features}, c.in_sequence, 7),
        k({c.batch, c.kv_heads, c.keys, c.features}, c.in_sequence, 11),
        v({c.batch, c.kv_heads, c.keys, c.value_features}, c.in_sequence, 13),
        y({c.batch, c.heads, c.queries, c.value_features}, c.in_sequence, 0),
        bias(c.mask, false, 5),
        flags(bias.at.size()),
        sums(static_cast<size_t>(c.batch * c.heads * c.queries)),
        room(kRoom) {
    for (size_t i = 0; i < flags.size(); ++i) flags[i] = i % 3 != 1;  // the first key of each row is left
    if (shape.masked) {
      mask = {c.flags ? static_cast<const void*>(flags.data()) : bias.at.data(), c.flags, {0, 0, 0, 0}};
      for (size_t axis = 4 - c.mask.size(), i = 0; axis < 4; ++axis, ++i)
        mask.strides[axis] = c.mask[i] == 1 ? 0 : bias.type.strides[i];
    }
    scratch = room.data() + (64 - reinterpret_cast<uint64_t>(room.data()) % 64) % 64 / sizeof(float);
    node.attributes.set("causal", static_cast<int64_t>(c.causal));
  }

  access::Operand mask_operand() const {
    access::Operand o = bias.operand();
    if (!mask.flags) return o;
    o.type.dtype = DType::boolean;
    o.address = reinterpret_cast<uint64_t>(flags.data());
    return o;
  }
  access::Operand sums_operand() const {
    return {TensorType::contiguous(DType::float32, {shape.batch, shape.heads, shape.queries}),
            reinterpret_cast<uint64_t>(sums.data()), 0};
  }
  double scale() const { return 1 / std::sqrt(static_cast<double>(shape.features)); }
  /// Weight of a key, beside the others of its query; 0 where it is not seen.
  double exponential(int64_t b, int64_t h, int64_t i, int64_t j) const {
    if (j >= shape.visible(i)) return 0;
    const auto at =
        static_cast<size_t>(b * mask.strides[0] + h * mask.strides[1] + i * mask.strides[2] + j * mask.strides[3]);
    if (mask.flags && flags[at] == 0) return 0;
    double score = 0;
    for (int64_t e = 0; e < shape.features; ++e) score += q(b, h, i, e) * k(b, h / shape.share(), j, e);
    return std::exp(score * scale() + (shape.masked && !mask.flags ? static_cast<double>(bias.at[at]) : 0));
  }
  /// Holds what was noted against the description.
  void expect_described(const char* op, std::vector<access::Operand> inputs, std::vector<access::Operand> outputs) {
    if (shape.masked) inputs.push_back(mask_operand());
    node.op = find_op(op);
    test::Said said;
    EXPECT_EQ(access::describe({.node = node,
                                .inputs = std::move(inputs),
                                .outputs = std::move(outputs),
                                .workspace_address = reinterpret_cast<uint64_t>(scratch),
                                .vector_bytes = static_cast<int>(own.vector_bytes),
                                .own_products = true,
                                .threads = kThreads},
                               said),
              access::Fidelity::loops);
    test::expect_same(said.accesses, test::noted());
  }

  static constexpr size_t kRoom = 1 << 20;
  const test::NotedKernels& own;
  loops::AttentionShape shape;
  Numbers q, k, v, y, bias;
  std::vector<uint8_t> flags;
  std::vector<float> sums, room;
  float* scratch = nullptr;
  cpu::AttentionMask mask;
  Node node;
};

void check_forward(Problem& p) {
  if (p.shape.queries >= loops::kFewestQueriesToPack) p.shape.panel = p.own.gemm.tile_columns;
  const loops::AttentionScratch places = loops::attention_scratch(p.shape, p.own.gemm.workspace_elements);
  ASSERT_LT(static_cast<size_t>(kThreads * places.all) + (1 << 18), Problem::kRoom);
  const OwnProducts products{p.own.gemm, p.scratch + kThreads * places.all};
  const cpu::AttentionArguments<float> arguments{p.q.heads<const float>(p.q.at.data()),
                                                 p.k.heads<const float>(p.k.at.data()),
                                                 p.v.heads<const float>(p.v.at.data()),
                                                 p.mask,
                                                 p.y.heads<float>(p.y.at.data()),
                                                 p.sums.data(),
                                                 false};
  cpu::AttentionParts<float, test::NotedScalars, OwnProducts> parts(p.shape, p.scale(), arguments, p.own.lines,
                                                                    p.own.gemm, products, places, p.scratch);
  test::noted().clear();
  loops::attention(p.shape, {0, p.shape.batch * p.shape.heads * p.shape.query_blocks()}, parts);
  p.expect_described("attention", {p.q.operand(), p.k.operand(), p.v.operand()}, {p.y.operand(), p.sums_operand()});
  for (int64_t b = 0; b < p.shape.batch; ++b) {
    for (int64_t h = 0; h < p.shape.heads; ++h) {
      for (int64_t i = 0; i < p.shape.queries; i += 1 + p.shape.queries / 7) {
        double all = 0, y = 0;
        for (int64_t j = 0; j < p.shape.keys; ++j) {
          const double weight = p.exponential(b, h, i, j);
          all += weight;
          y += weight * p.v(b, h / p.shape.share(), j, 0);
        }
        ASSERT_NEAR(p.y(b, h, i, 0), all > 0 ? y / all : 0, 1e-5) << b << " " << h << " " << i;
        ASSERT_NEAR(p.sums[static_cast<size_t>((b * p.shape.heads + h) * p.shape.queries + i)],
                    all > 0 ? std::log(all) : 0, 1e-5);
      }
    }
  }
}

/// With y and the log sums of the forward pass; dy is all ones, of which the scores' gradients are known: dv is what
/// the keys weigh.
void check_gradient(Problem& p) {
  p.shape.panel = 0;
  Numbers dy = p.y, dq = p.q, dk = p.k, dv = p.v;
  std::ranges::fill(dy.at, 1.0f);
  const OwnProducts products{p.own.gemm, p.scratch + kThreads * loops::kAttentionGradientScratch};
  const int64_t s = p.shape.queries;
  const cpu::AttentionGradientArguments<float> arguments{p.q.heads<const float>(p.q.at.data()),
                                                         p.k.heads<const float>(p.k.at.data()),
                                                         p.v.heads<const float>(p.v.at.data()),
                                                         p.mask,
                                                         dy.heads<const float>(dy.at.data()),
                                                         p.y.heads<const float>(p.y.at.data()),
                                                         dq.heads<float>(dq.at.data()),
                                                         dk.heads<float>(dk.at.data()),
                                                         dv.heads<float>(dv.at.data()),
                                                         p.sums.data(),
                                                         false,
                                                         {p.shape.heads * s, s, 1}};
  cpu::AttentionGradientParts<float, test::NotedScalars, OwnProducts> parts(p.shape, p.scale(), arguments, p.own.lines,
                                                                            products, p.scratch);
  test::noted().clear();
  loops::attention_gradient(p.shape, {0, p.shape.batch * p.shape.kv_heads}, parts);
  p.expect_described("attention_grad",
                     {dy.operand(), p.q.operand(), p.k.operand(), p.v.operand(), p.y.operand(), p.sums_operand()},
                     {dq.operand(), dk.operand(), dv.operand()});
  for (int64_t b = 0; b < p.shape.batch; ++b) {
    for (int64_t j = 0; j < p.shape.keys; j += 1 + p.shape.keys / 5) {
      double weights = 0;
      for (int64_t h = 0; h < p.shape.share(); ++h) {
        for (int64_t i = 0; i < s; ++i) {
          const double mine = p.exponential(b, h, i, j);
          if (mine > 0)
            weights +=
                mine / std::exp(static_cast<double>(p.sums[static_cast<size_t>((b * p.shape.heads + h) * s + i)]));
        }
      }
      ASSERT_NEAR(dv(b, 0, j, 0), weights, 1e-4 * (1 + weights)) << b << " " << j;
    }
  }
}

TEST(AttentionLoops, BothDirectionsGoThroughTheirBlocksAsIsSaid) {
  for (const test::NotedKernels& own : test::noted_kernels()) {
    for (const Case& c : cases()) {
      SCOPED_TRACE(testing::Message() << "vectors of " << own.vector_bytes << ", " << c.label);
      Problem p(c, own);
      check_forward(p);
      if (HasFatalFailure()) return;
      check_gradient(p);
      if (HasFatalFailure()) return;
    }
  }
}

/// Of `queries` queries on `keys` keys of `features`; what is said is not kept.
access::Fidelity fidelity(const char* op, int64_t queries, int64_t keys, int64_t features, bool own_products,
                          DType dtype = DType::float32) {
  SilentSink nobody = SilentSink::impatient();
  Node node;
  node.op = find_op(op);
  const access::Operand q{TensorType::contiguous(dtype, {1, 1, queries, features})},
      k{TensorType::contiguous(dtype, {1, 1, keys, features})},
      sums{TensorType::contiguous(DType::float32, {1, 1, queries})};
  const bool gradient = node.op->name == "attention_grad";
  return access::describe({.node = node,
                           .inputs = gradient ? std::vector{q, q, k, k, q, sums} : std::vector{q, k, k},
                           .outputs = gradient ? std::vector{q, k, k} : std::vector{q, sums},
                           .own_products = own_products},
                          nobody);
}

TEST(AttentionLoops, ProductsOfLibrariesAreLabelled) {
  using access::Fidelity;
  EXPECT_EQ(fidelity("attention", loops::kFewestQueriesToPack, 100, 64, false), Fidelity::loops)
      << "own products on packed keys";
  EXPECT_EQ(fidelity("attention", loops::kFewestQueriesToPack - 1, 100, 64, false), Fidelity::modelled);
  EXPECT_EQ(fidelity("attention", loops::kFewestQueriesToPack - 1, 100, 64, true), Fidelity::loops);
  EXPECT_EQ(fidelity("attention_grad", 100, 100, 64, false), Fidelity::modelled);
  EXPECT_EQ(fidelity("attention_grad", 100, 100, 64, true), Fidelity::loops);
}

/// One thread's places are described, however many others have theirs: 4 MiB each here.
TEST(AttentionLoops, ManyThreadsLeaveItDescribed) {
  test::Said said;
  Node node;
  node.op = find_op("attention");
  const access::Operand few{TensorType::contiguous(DType::float32, {1, 1, 16, 128}), 1 << 20},
      many{TensorType::contiguous(DType::float32, {1, 1, 8192, 128}), 1 << 24},
      sums{TensorType::contiguous(DType::float32, {1, 1, 16}), 1 << 16};
  EXPECT_EQ(access::describe({.node = node,
                              .inputs = {few, many, many},
                              .outputs = {few, sums},
                              .workspace_address = 1 << 28,
                              .threads = 256},
                             said),
            access::Fidelity::loops);
}

/// q, k, v and y of bf16, widened in the workspace: the f32 op's accesses between conversions.
TEST(AttentionLoops, SixteenBitFloatsAreWidenedFirst) {
  const int64_t rows = 16, features = 8, elements = rows * features;  // whole lines
  Node node;
  node.op = find_op("attention");
  const auto operands = [&](DType dtype, uint64_t first, int64_t apart) {
    std::vector<access::Operand> four;
    for (int i = 0; i < 4; ++i)
      four.push_back(
          {TensorType::contiguous(dtype, {1, 1, rows, features}), first + static_cast<uint64_t>(i * apart), 1});
    return four;
  };
  const access::Operand sums{TensorType::contiguous(DType::float32, {1, 1, rows}), 0x900000, 2};
  const auto said = [&](std::vector<access::Operand> four, uint64_t workspace) {
    test::Said to;
    EXPECT_EQ(access::describe({.node = node,
                                .inputs = {four[0], four[1], four[2]},
                                .outputs = {four[3], sums},
                                .workspace_address = workspace},
                               to),
              access::Fidelity::loops);
    return to.accesses;
  };
  constexpr uint64_t kWorkspace = 0x1000000, kNarrow = 0x10000;
  std::vector<test::Access> expected;
  const auto convert = [&](uint64_t from, int64_t from_bytes, uint64_t to, int64_t to_bytes, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      expected.push_back({from + static_cast<uint64_t>(i * from_bytes), from_bytes, false});
      expected.push_back({to + static_cast<uint64_t>(i * to_bytes), to_bytes, true});
    }
  };
  convert(kNarrow, 2, kWorkspace, 4, 3 * elements);
  const std::vector<test::Access> inside =
      said(operands(DType::float32, kWorkspace, 4 * elements), kWorkspace + 16 * elements);
  expected.insert(expected.end(), inside.begin(), inside.end());
  convert(kWorkspace + 12 * elements, 4, kNarrow + 6 * elements, 2, elements);
  test::expect_same(said(operands(DType::bfloat16, kNarrow, 2 * elements), kWorkspace), expected);
}

TEST(AttentionLoops, PackedKeysLieWithinTheWorkspace) {
  constexpr auto kRoom = static_cast<int64_t>(access::kWorkspaceBytes);
  EXPECT_EQ(fidelity("attention", 100, kRoom / 4 / 128 - 8192, 128, false), access::Fidelity::loops);
  EXPECT_EQ(fidelity("attention", 100, kRoom / 4 / 128, 128, false), access::Fidelity::assumed);
}

}  // namespace
}  // namespace engine
