// SPDX-License-Identifier: Apache-2.0
// Our own convolutions and their gradients do what is said of them: their own code, compiled over a memory that notes
// each access.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "engine/kernels/convolution/depthwise_parts.h"
#include "engine/kernels/core/describe_access.h"
#include "engine/ops/ops.h"
#include "tests/engine/kernels/core/noted_kernels.h"

namespace engine {
namespace {

using loops::InArray;
using test::NotedScalars;
enum class Pass { forward, by_input, by_weight };

struct Layer {
  const char* name;
  Shape x, weight;
  int64_t stride, padding, groups;
  bool channels_last;
  int64_t gap = 0;  ///< elements that y has between its rows
  int threads = 1;
  bool constant = false;
};

/// Small whole numbers, where a tensor of that type lies.
template <class T>
struct Array {
  TensorType type;
  std::vector<T> numbers;

  Array(TensorType of, int64_t step) : type(std::move(of)) {
    int64_t last = 0;
    for (size_t axis = 0; axis < type.shape.size(); ++axis) last += (type.shape[axis] - 1) * type.strides[axis];
    numbers.resize(static_cast<size_t>(last) + 1);
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<T>(static_cast<int64_t>(i) * step % 11 - 5);
  }
  access::Operand operand() const { return {type, reinterpret_cast<uint64_t>(numbers.data()), 0}; }
  loops::ImageLayout layout() const { return loops::ImageLayout::of(type.shape, type.strides); }
  size_t index(int64_t n, int64_t c, const loops::Axes3& at) const {
    const Strides& s = type.strides;
    int64_t offset = n * s[0] + c * s[1];
    for (size_t axis = 2; axis < s.size(); ++axis) offset += at[axis + 3 - s.size()] * s[axis];
    return static_cast<size_t>(offset);
  }
};

template <class T>
struct Kernels;
template <>
struct Kernels<float> {
  static cpu::GemmLoops<float> gemm(const test::NotedKernels& own) { return own.gemm; }
  static cpu::DepthwiseLoops<float> depthwise(const test::NotedKernels& own) { return own.depthwise; }
};
template <>
struct Kernels<double> {
  static cpu::GemmLoops<double> gemm(const test::NotedKernels& own) { return own.gemm_f64; }
  static cpu::DepthwiseLoops<double> depthwise(const test::NotedKernels& own) { return own.depthwise_f64; }
};

template <class T>
struct ByWeightParts : cpu::ConvolutionParts<T, NotedScalars> {
  using cpu::ConvolutionParts<T, NotedScalars>::ConvolutionParts;
  int64_t outputs = 0;
  bool adds_inside(const loops::PlacedMatrix& dy, const loops::ColumnTile& tile) const {
    EXPECT_TRUE(cpu::all_finite<NotedScalars>(this->matrix(dy), tile.count, outputs));
    return false;
  }
};

template <class T>
struct Convolution {
  const test::NotedKernels& own;
  const Layer& layer;
  loops::ConvolutionGeometry g;
  Array<T> x, weight, bias, y;
  std::vector<T> room;
  T* workspace = nullptr;

  static TensorType result(const Layer& l) {
    Shape shape{l.x[0], l.weight[0]};
    for (size_t axis = 2; axis < l.x.size(); ++axis)
      shape.push_back((l.x[axis] + 2 * l.padding - l.weight[axis]) / l.stride + 1);
    TensorType type = lie(l, shape);
    if (l.gap > 0) {  // rows of pixels with a gap behind each
      const int64_t row = shape[3] * (l.channels_last ? shape[1] : 1) + l.gap;
      type.strides = l.channels_last ? Strides{row * shape[2], 1, row, shape[1]}
                                     : Strides{row * shape[2] * shape[1], row * shape[2], row, 1};
    }
    return type;
  }
  static TensorType lie(const Layer& l, const Shape& shape) {
    return l.channels_last && shape.size() == 4 ? TensorType::channels_last(DType::float32, shape)
                                                : TensorType::contiguous(DType::float32, shape);
  }
  static TensorType typed(TensorType type) {
    type.dtype = sizeof(T) == sizeof(float) ? DType::float32 : DType::float64;
    return type;
  }

  Convolution(const test::NotedKernels& kernels, const Layer& l)
      : own(kernels),
        layer(l),
        x(typed(lie(l, l.x)), 7),
        weight(typed(TensorType::contiguous(DType::float32, l.weight)), 3),
        bias(typed(TensorType::contiguous(DType::float32, {l.weight[0]})), 5),
        y(typed(result(l)), 4) {
    const std::vector<int64_t> stride(3, l.stride), dilation(3, 1), padding(6, l.padding);
    g = loops::convolution_geometry(l.x, l.weight, y.type.shape, l.groups, stride, dilation, padding);
  }
  void make_room(int64_t elements) {
    room.resize(static_cast<size_t>(elements) + 64);
    workspace = room.data() + (64 - reinterpret_cast<uint64_t>(room.data()) % 64) % 64 / sizeof(T);
  }
  cpu::ConvolutionArrays<T> arrays() {
    cpu::ConvolutionArrays<T> of;
    of.writes(InArray::x, x.numbers.data());
    of.writes(InArray::weight, weight.numbers.data());
    of.reads(InArray::bias, bias.numbers.data());
    of.writes(InArray::y, y.numbers.data());
    return of;
  }

  void pack(const loops::WeightPacking& packing, T* packed) {
    cpu::PackingParts<T, NotedScalars> parts(weight.numbers.data(), packed);
    packing.run({0, packing.rows()}, parts);
    EXPECT_TRUE(parts.finite());
  }
  void forward() {
    const cpu::GemmLoops<T> gemm = Kernels<T>::gemm(own);
    const loops::ForwardShape shape{.g = g,
                                    .x = x.layout(),
                                    .y = y.layout(),
                                    .weight_output = weight.type.strides[0],
                                    .weight_input = weight.type.strides[1],
                                    .has_bias = true};
    const loops::ForwardCut cut(g, shape.across(), sizeof(T), layer.threads, gemm.workspace_elements);
    make_room(cut.weights + cut.each);
    const loops::WeightPacking packing(g, weight.type.strides, true, sizeof(T));
    if (shape.packs()) pack(packing, workspace);
    const cpu::GemmMatrix<T> as_they_lie{weight.numbers.data(), shape.weight_output, shape.weight_input};
    if (!shape.packs() && g.meets_padding()) {
      EXPECT_TRUE(cpu::all_finite<NotedScalars>(as_they_lie, g.groups * g.outputs, g.inputs));
    }
    if (layer.constant) test::noted().clear();  // that was before the step
    cpu::ConvolutionArrays<T> of = arrays();
    of.reads(InArray::packed, workspace);
    of.writes(InArray::scratch, workspace + cut.weights);
    const cpu::ConvolutionParts<T, NotedScalars> parts(of, gemm);
    for (int64_t unit = 0; unit < loops::forward_units(shape, cut); ++unit)
      loops::convolution_forward(shape, cut, loops::forward_unit(shape, cut, unit), parts);
  }
  void by_input() {
    const cpu::GemmLoops<T> gemm = Kernels<T>::gemm(own);
    const loops::ByInputShape shape{.g = g, .dy = y.layout(), .dx = x.layout()};
    const loops::ByInputCut cut(g, sizeof(T), layer.threads, gemm.workspace_elements);
    make_room(cut.weights + cut.each);
    pack(loops::WeightPacking(g, weight.type.strides, false, sizeof(T)), workspace);
    cpu::ConvolutionArrays<T> of = arrays();
    of.reads(InArray::packed, workspace);
    of.writes(InArray::scratch, workspace + cut.weights);
    const cpu::ConvolutionParts<T, NotedScalars> parts(of, gemm);
    for (int64_t unit = 0; unit < cut.units(g); ++unit) loops::convolution_by_input(shape, cut, unit, parts);
  }
  void by_weight() {
    const cpu::GemmLoops<T> gemm = Kernels<T>::gemm(own);
    const loops::ByWeightShape shape{.g = g, .dy = y.layout(), .x = x.layout(), .weight = weight.type.strides};
    const loops::ByWeightCut cut(g, shape.across(), sizeof(T), layer.threads, gemm.workspace_elements);
    make_room(cut.each);
    cpu::ConvolutionArrays<T> of = arrays();
    of.writes(InArray::scratch, workspace);
    ByWeightParts<T> parts(of, gemm);
    parts.outputs = g.outputs;
    for (int64_t unit = 0; unit < cut.units(g); ++unit) loops::convolution_by_weight(shape, cut, unit, parts);
  }
  void depthwise(Pass pass) {
    const cpu::DepthwiseLoops<T> kernels = Kernels<T>::depthwise(own);
    const int64_t near = loops::in_lines(g.taps() * g.groups);
    make_room(near + 2 * near);
    if (pass == Pass::by_weight) {
      cpu::DepthwiseWeightParts<T, NotedScalars> parts(kernels, g, x.numbers.data(), y.numbers.data(), workspace,
                                                       reinterpret_cast<double*>(workspace + near),
                                                       weight.numbers.data());
      const auto channels = loops::DepthwiseChannels::of(g, layer.threads);
      for (int64_t part = 0; part < channels.parts; ++part)
        loops::depthwise_by_weight(g, x.layout(), y.layout(), weight.type.strides, channels.part(part), parts);
      return;
    }
    cpu::PackingParts<T, NotedScalars> packing(weight.numbers.data(), workspace);
    loops::pack_depthwise(g, weight.type.strides, packing);
    const bool forwards = pass == Pass::forward;
    const loops::DepthwiseShape shape{
        .g = g, .from = (forwards ? x : y).layout(), .to = (forwards ? y : x).layout(), .forward = forwards};
    cpu::DepthwiseParts<T> parts(kernels, g, (forwards ? x : y).numbers.data(), workspace,
                                 forwards ? bias.numbers.data() : nullptr, (forwards ? y : x).numbers.data());
    loops::depthwise_pixels(shape, {0, shape.pixels()}, parts);
  }

  /// What the pass should make, element by element of the result's array; others are 0.
  std::vector<double> sums(Pass pass) const {
    const Array<T>& made = pass == Pass::forward ? y : pass == Pass::by_input ? x : weight;
    std::vector<double> wanted(made.numbers.size());
    for (int64_t n = 0; n < g.batch; ++n) {
      for (int64_t o = 0; o < g.groups * g.outputs; ++o) {
        for (int64_t pixel = 0; pixel < g.pixels(); ++pixel) {
          const loops::Axes3 at = loops::pixel_of(g.out, pixel);
          const size_t in_y = y.index(n, o, at);
          if (pass == Pass::forward) wanted[in_y] += static_cast<double>(bias.numbers[static_cast<size_t>(o)]);
          for (int64_t tap = 0; tap < g.taps(); ++tap) {
            loops::Axes3 from;
            for (int64_t c = 0; c < g.inputs && loops::reads(g, at, g.position(tap), from); ++c) {
              const size_t in_x = x.index(n, o / g.outputs * g.inputs + c, from),
                           in_w = weight.index(o, c, g.position(tap));
              const double a = x.numbers[in_x], b = weight.numbers[in_w], d = y.numbers[in_y];
              if (pass == Pass::forward) wanted[in_y] += a * b;
              else if (pass == Pass::by_input) wanted[in_x] += d * b;
              else wanted[in_w] += d * a;
            }
          }
        }
      }
    }
    return wanted;
  }
};

/// Runs a pass by its own code, and holds its accesses against its description and its result against plain sums.
template <class T>
void check(const test::NotedKernels& own, const Layer& l, Pass pass) {
  if (Kernels<T>::gemm(own).multiply == nullptr) return;
  SCOPED_TRACE(testing::Message() << l.name
                                  << (pass == Pass::forward    ? ""
                                      : pass == Pass::by_input ? " by input"
                                                               : " by weight")
                                  << ", vectors of " << own.vector_bytes << ", numbers of " << sizeof(T) << " bytes, "
                                  << l.threads << " threads");
  Convolution<T> c(own, l);
  const bool depthwise = loops::is_depthwise(c.g, c.x.layout(), c.y.layout());
  const std::vector<double> wanted = c.sums(pass);
  test::noted().clear();
  if (depthwise) c.depthwise(pass);
  else if (pass == Pass::forward) c.forward();
  else if (pass == Pass::by_input) c.by_input();
  else c.by_weight();

  Node node;
  const std::string op = l.x.size() == 5 ? "conv3d" : "conv2d";
  node.op = find_op(op + (pass == Pass::forward ? "" : pass == Pass::by_input ? "_grad_input" : "_grad_weight"));
  const size_t axes = l.x.size() - 2;
  node.attributes = {{"stride", std::vector<int64_t>(axes, l.stride)},
                     {"padding", std::vector<int64_t>(2 * axes, l.padding)},
                     {"dilation", std::vector<int64_t>(axes, 1)},
                     {"groups", l.groups}};
  access::OpCall call{.node = node,
                      .inputs = {c.x.operand(), c.weight.operand(), c.bias.operand()},
                      .outputs = {c.y.operand()},
                      .workspace_address = reinterpret_cast<uint64_t>(c.workspace),
                      .vector_bytes = static_cast<int>(own.vector_bytes),
                      .own_convolution = true,
                      .threads = l.threads,
                      .constant_weights = l.constant};
  if (pass == Pass::by_input) call.inputs = {c.y.operand(), c.weight.operand()}, call.outputs = {c.x.operand()};
  if (pass == Pass::by_weight) call.inputs = {c.y.operand(), c.x.operand()}, call.outputs = {c.weight.operand()};
  if (l.constant && c.g.taps() > 1)
    call.inputs[1].address = reinterpret_cast<uint64_t>(c.workspace);  // where they lie packed
  test::Said said;
  EXPECT_EQ(access::describe(call, said), access::Fidelity::loops);
  test::expect_same(said.accesses, test::noted());

  const std::vector<T>& made = (pass == Pass::forward ? c.y : pass == Pass::by_input ? c.x : c.weight).numbers;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (l.gap > 0 && pass == Pass::forward && wanted[i] == 0) continue;  // a gap
    ASSERT_EQ(made[i], wanted[i]) << i;
  }
}

constexpr Pass kPasses[] = {Pass::forward, Pass::by_input, Pass::by_weight};

TEST(ConvolutionOwnLoops, ProductsAccessWhatIsSaidInItsOrder) {
  const Layer layers[] = {{"3x3", {2, 5, 14, 13}, {37, 5, 3, 3}, 1, 1, 1, true},
                          {"3x3 for three threads", {1, 20, 9, 9}, {18, 20, 3, 3}, 1, 1, 1, true, 0, 3},
                          {"channels first, groups", {2, 6, 15, 11}, {8, 3, 3, 3}, 2, 1, 2, false},
                          {"channels first, five threads", {2, 3, 8, 8}, {10, 3, 5, 5}, 1, 2, 1, false, 0, 5},
                          {"1x1", {2, 24, 5, 5}, {40, 24, 1, 1}, 1, 0, 1, true},
                          {"1x1, channels first", {2, 24, 5, 5}, {40, 24, 1, 1}, 1, 0, 1, false},
                          {"1x1 beside the image", {1, 12, 4, 4}, {9, 12, 1, 1}, 1, 1, 1, true},
                          {"one pixel", {1, 16, 3, 3}, {70, 16, 3, 3}, 1, 0, 1, true},
                          {"one output", {1, 16, 6, 6}, {1, 16, 3, 3}, 1, 1, 1, false},
                          {"gaps in y", {2, 4, 6, 7}, {9, 4, 3, 3}, 1, 1, 1, true, 9},
                          {"gaps in y, channels first", {2, 4, 6, 7}, {9, 4, 3, 3}, 1, 1, 1, false, 3},
                          {"volumes", {1, 4, 5, 6, 4}, {7, 4, 3, 3, 3}, 1, 1, 1, false, 0, 2}};
  for (const test::NotedKernels& own : test::noted_kernels()) {
    for (const Layer& l : layers) {
      for (const Pass pass : kPasses) {
        check<float>(own, l, pass);
        check<double>(own, l, pass);
      }
    }
  }
}

/// More tiles than one: their columns, or the rows of a product, limit the pixels of each.
TEST(ConvolutionOwnLoops, LargeLayersAccessWhatIsSaidInItsOrder) {
  for (const test::NotedKernels& own : test::noted_kernels()) {
    for (const Layer& l : {Layer{"many channels", {1, 104, 17, 18}, {6, 104, 3, 3}, 1, 1, 1, true},
                           Layer{"many pixels", {2, 6, 20, 20}, {18, 6, 3, 3}, 1, 1, 1, true}}) {
      for (const Pass pass : kPasses) check<float>(own, l, pass);
    }
  }
}

TEST(ConvolutionOwnLoops, WeightsPackedBeforeAreReadAsTheyWere) {
  for (const test::NotedKernels& own : test::noted_kernels()) {
    check<float>(own, {"3x3", {1, 6, 7, 7}, {21, 6, 3, 3}, 1, 1, 1, true, 0, 1, true}, Pass::forward);
    check<float>(own, {"1x1", {1, 6, 7, 7}, {21, 6, 1, 1}, 1, 0, 1, true, 0, 1, true}, Pass::forward);
  }
}

/// Their f32 copies are convolved: each element is read once, and written once.
TEST(ConvolutionOwnLoops, SixteenBitFloatsAreWidenedBefore) {
  Node node;
  node.op = find_op("conv2d");
  node.attributes = {{"padding", std::vector<int64_t>(4, 1)}};
  const TensorType image = TensorType::channels_last(DType::bfloat16, {1, 8, 5, 5});
  constexpr uint32_t kX = 0, kWeight = 1, kY = 2, kWorkspace = 3;
  const access::OpCall call{
      .node = node,
      .inputs = {{image, 1 << 20, kX}, {TensorType::contiguous(DType::bfloat16, {8, 8, 3, 3}), 2 << 20, kWeight}},
      .outputs = {{image, 3 << 20, kY}},
      .workspace_address = 4 << 20,
      .workspace_tensor = kWorkspace,
      .own_convolution = true};
  struct Bytes final : AccessSink {
    std::array<int64_t, 4> loaded{}, stored{};
    using AccessSink::group;
    void group(int64_t iterations, std::span<const AccessStream> streams) override {
      for (const AccessStream& s : streams)
        (s.kind == AccessKind::load ? loaded : stored)[s.tensor] += iterations * s.bytes;
    }
  } heard;
  EXPECT_EQ(access::describe(call, heard), access::Fidelity::loops);
  EXPECT_EQ(heard.loaded, (std::array<int64_t, 4>{8 * 25 * 2, 8 * 72 * 2, 0, heard.loaded[kWorkspace]}));
  EXPECT_EQ(heard.stored, (std::array<int64_t, 4>{0, 0, 8 * 25 * 2, heard.stored[kWorkspace]}));
  EXPECT_GT(heard.stored[kWorkspace], 25 * 72 * 4) << "columns";
}

TEST(ConvolutionOwnLoops, DepthwiseLoopsAccessWhatIsSaidInTheirOrder) {
  for (const test::NotedKernels& own : test::noted_kernels()) {
    for (const Layer& l :
         {Layer{"3x3", {2, 37, 6, 5}, {37, 1, 3, 3}, 1, 1, 37, true},
          Layer{"stride 2", {1, 70, 9, 9}, {70, 1, 5, 5}, 2, 2, 70, true},
          Layer{"three threads", {1, 70, 9, 9}, {70, 1, 3, 3}, 1, 1, 70, true, 0, 3},
          Layer{"few channels for four threads", {2, 20, 9, 9}, {20, 1, 3, 3}, 1, 1, 20, true, 0, 4}}) {
      for (const Pass pass : kPasses) {
        check<float>(own, l, pass);
        check<double>(own, l, pass);
      }
    }
  }
}

/// Threads share the channels of the gradient by the weights, in whole lines of a cache; each goes through all pixels.
TEST(ConvolutionOwnLoops, ThreadsShareTheChannelsOfDepthwiseGradients) {
  loops::ConvolutionGeometry g;
  g.batch = 4, g.groups = 70, g.kernel = {1, 3, 3}, g.out = {1, 9, 9};
  const auto parts = [&](int64_t threads) {
    std::vector<std::pair<int64_t, int64_t>> cut;
    const auto channels = loops::DepthwiseChannels::of(g, threads);
    for (int64_t part = 0; part < channels.parts; ++part)
      cut.emplace_back(channels.part(part).begin, channels.part(part).end);
    return cut;
  };
  using Cut = std::vector<std::pair<int64_t, int64_t>>;
  EXPECT_EQ(parts(1), (Cut{{0, 70}}));
  EXPECT_EQ(parts(3), (Cut{{0, 16}, {16, 48}, {48, 70}}));
  EXPECT_EQ(parts(8), (Cut{{0, 16}, {16, 32}, {32, 48}, {48, 64}, {64, 70}}));
  g.batch = 1, g.groups = 20, g.out = {1, 3, 3};
  EXPECT_EQ(parts(3), (Cut{{0, 20}})) << "little to be done";
}

}  // namespace
}  // namespace engine
