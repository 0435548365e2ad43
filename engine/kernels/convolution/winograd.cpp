// SPDX-License-Identifier: Apache-2.0
// Which convolutions go by Winograd's minimal filtering, on which threads, and how much faster it is.
#include "engine/kernels/convolution/winograd.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "engine/kernels/convolution/winograd_choice.h"
#include "engine/kernels/convolution/winograd_expectation.h"
#include "engine/kernels/core/kernels.h"
#include "engine/kernels/core/on_copies.h"
#include "engine/kernels/core/parallel.h"
#include "engine/kernels/core/shortest_run.h"
#include "engine/kernels/core/vector_unit.h"
#include "engine/kernels/core/whole_lines.h"
#include "engine/kernels/gemm/matmul_choice.h"

namespace engine::cpu {
namespace {

bool is_by_input(const Node& node) { return node.op->name == "conv2d_grad_input"; }

bool is_constant(const PrepareRequest& request) {
  return request.inputs_constant.size() > 1 && request.inputs_constant[1];
}

/// Operands of conv2d (x, weight, perhaps bias; y) and conv2d_grad_input (dy, weight; dx) by their roles.
template <class Operand>
struct Roles {
  const Operand &x, &weight, &y;
  Roles(bool by_input, std::span<const Operand> inputs, std::span<const Operand> outputs)
      : x(by_input ? outputs[0] : inputs[0]), weight(inputs[1]), y(by_input ? inputs[0] : outputs[0]) {}
};

int64_t images_workspace(Context& context, const Node& node, const Call& call) {
  const bool by_input = is_by_input(node);
  const Roles<TensorType> r(by_input, call.inputs, call.outputs);
  int64_t bytes = kNoKernel;
  for (const bool constant : {true, false}) {
    if (const auto s = choose_winograd(context, by_input, node.attributes, r.x, r.weight, r.y, constant))
      bytes = std::max(bytes, winograd_workspace(context, *s, constant));
  }
  return bytes;
}

std::unique_ptr<PreparedOp> prepare_images_finished(Context& context, const PrepareRequest& request, Finish finish) {
  const bool by_input = is_by_input(request.node), constant = is_constant(request);
  const auto &in = request.arguments.inputs, &out = request.arguments.outputs;
  const Roles<Tensor> r(by_input, in, out);
  const auto s =
      choose_winograd(context, by_input, request.node.attributes, r.x.type(), r.weight.type(), r.y.type(), constant);
  const bool has_bias = in.size() > 2;
  if (!s || (has_bias && (in[2].dtype() != DType::float32 || !is_contiguous(in[2].shape(), in[2].strides()))))
    return nullptr;
  return Winograd::make(context, *s,
                        {.x = in[0],
                         .weight = in[1],
                         .y = out[0],
                         .bias = has_bias ? in[2].data_as<const float>() : nullptr,
                         .by_input = by_input,
                         .constant_weights = constant},
                        request.workspace, std::move(finish));
}

std::unique_ptr<PreparedOp> prepare_images(Context& context, const PrepareRequest& request) {
  return prepare_images_finished(context, request, {});
}

std::unique_ptr<PreparedOp> prepare(Context& context, const PrepareRequest& request) {
  return prepare_images_or_copies(context, request, prepare_images);
}
int64_t workspace(Context& context, const Node& node, const Call& call) {
  return workspace_of_images_or_copies(context, node, call, images_workspace);
}

bool is_dense_batch(const TensorType& y) { return y == TensorType::channels_last(y.dtype, y.shape); }

}  // namespace

int64_t winograd_bytes(int64_t elements) {
  return static_cast<int64_t>(whole_lines(static_cast<size_t>(elements) * sizeof(float)));
}

WinogradImages winograd_images(const Tensor& t) {
  return {.image = t.strides()[0], .row = t.strides()[2], .pixel = t.strides()[3]};
}

std::unique_ptr<PreparedOp> prepare_images_or_copies(Context& context, const PrepareRequest& request,
                                                     PrepareKernel kernel) {
  if (auto op = kernel(context, request)) return op;
  return prepare_on_copies(context, request, kChannelsLast, kernel);
}

int64_t workspace_of_images_or_copies(Context& context, const Node& node, const Call& call, KernelWorkspace of_images) {
  return std::max<int64_t>(
      {0, of_images(context, node, call), workspace_on_copies(context, node, call, kChannelsLast, of_images)});
}

std::optional<loops::WinogradShape> choose_winograd(const Context& context, bool by_input, const Attributes& attributes,
                                                    const TensorType& x, const TensorType& weight, const TensorType& y,
                                                    bool constant_weights) {
  const BackendOptions& options = context.options;
  if (options.winograd == WinogradUse::never) return std::nullopt;
  const auto s = winograd_rule::shape_of(by_input, attributes, x, weight, y);
  if (!s || options.winograd == WinogradUse::always) return s;
  const int64_t lanes = winograd_loops().lanes;
  return winograd_pays(winograd_ratio(*s, lanes, context.threads, constant_weights), options.winograd_timings, lanes)
             ? s
             : std::nullopt;
}

int64_t winograd_workspace(const Context& context, const loops::WinogradShape& s, bool constant_weights) {
  const loops::WinogradCut cut(s, winograd_loops().lanes, context.threads);
  return cut.scratches() * winograd_bytes(cut.scratch(s)) + (constant_weights ? 0 : winograd_bytes(cut.weights(s)));
}

Winograd::Winograd(const loops::WinogradShape& shape, Operands operands, std::byte* workspace, int threads,
                   Finish finish)
    : operands_(std::move(operands)),
      call_{.shape = shape,
            .cut = loops::WinogradCut(shape, loops_.lanes, threads),
            .x_layout = winograd_images(operands_.x),
            .y_layout = winograd_images(operands_.y),
            .x = operands_.x.data_as<const float>(),
            .u = nullptr,
            .bias = operands_.bias,
            .y = operands_.y.data_as<float>()},
      threads_(threads),
      finish_(std::move(finish)) {
  if (workspace == nullptr) return;  // prepared without one, to see whether it would be
  if (!operands_.constant_weights) {
    u_ = reinterpret_cast<float*>(workspace);
    workspace += winograd_bytes(call_.cut.weights(shape));
  }
  scratch_ = reinterpret_cast<float*>(workspace);
}

std::unique_ptr<Winograd> Winograd::make(Context& context, const loops::WinogradShape& shape, Operands operands,
                                         std::byte* workspace, Finish finish) {
  auto op = std::unique_ptr<Winograd>(
      new Winograd(shape, std::move(operands), workspace, context.threads, std::move(finish)));
  if (op->operands_.constant_weights) {
    op->kept_ = keep(context, winograd_bytes(op->call_.cut.weights(shape)));
    if (op->kept_ == nullptr) return nullptr;
    op->u_ = reinterpret_cast<float*>(op->kept_->data());
  }
  op->call_.u = op->u_;
  return op;
}

void Winograd::take_weights(const float* factor) {
  const Tensor& weight = operands_.weight;
  const Strides& t = weight.strides();
  WinogradWeights of{.data = weight.data_as<const float>(), .output = t[0], .input = t[1], .row = t[2], .column = t[3]};
  if (operands_.by_input) {  // from the last position back
    of = {.data = of.data + 2 * (t[2] + t[3]), .output = t[1], .input = t[0], .row = -t[2], .column = -t[3]};
  }
  const loops::WinogradShape& s = call_.shape;
  parallel_parts(threads_, s.inputs, 1, loops::kWinogradPoints * s.inputs * call_.cut.outputs,
                 [&](int64_t begin, int64_t end) {
                   loops_.weights(s, call_.cut, of, factor, {begin, end}, u_);
                 });
  taken_ = true;
}

void Winograd::convolve() const {
  const loops::WinogradShape& s = call_.shape;
  const loops::WinogradCut& cut = call_.cut;
  const int64_t each = winograd_bytes(cut.scratch(s)) / static_cast<int64_t>(sizeof(float));
  const auto work_of = [&](int64_t tiles) {
    return streaming_work(static_cast<double>(loops::kWinogradPoints * tiles) * static_cast<double>(s.inputs) *
                          static_cast<double>(cut.outputs));
  };
  const auto finish = [&](loops::Range tiles) {
    if (finish_)
      loops::winograd_stretches(s, tiles,
                                [&](int64_t first, int64_t count) { finish_(first * s.outputs, count * s.outputs); });
  };
  if (!cut.joint)
    return parallel_for(threads_, cut.units, work_of(s.tiles()), [&](int64_t index) {
      const loops::Range unit = cut.unit(s, index);
      loops_.unit(call_, unit, scratch_ + team_member() * each);
      finish(unit);
    });
  for (int64_t index = 0; index < cut.units; ++index) {
    const loops::Range unit = cut.unit(s, index);
    const int64_t work = work_of(unit.size());
    const auto share = [&](int64_t count, const auto& part) {
      parallel_parts(threads_, count, 1, work, [&](int64_t begin, int64_t end) { part(loops::Range{begin, end}); });
    };
    const auto tiles_of = [&](loops::Range share_of_unit) {
      return loops::Range{unit.begin + share_of_unit.begin, unit.begin + share_of_unit.end};
    };
    share(unit.size(), [&](loops::Range part) { loops_.transform(call_, unit, tiles_of(part), scratch_); });
    share(loops::kWinogradPoints * cut.panels(),
          [&](loops::Range products) { loops_.multiply(call_, unit, products, scratch_); });
    share(unit.size(), [&](loops::Range part) {
      loops_.results(call_, unit, tiles_of(part), scratch_);
      finish(tiles_of(part));
    });
  }
}

void Winograd::run() {
  if (kept_ == nullptr || !taken_) take_weights(nullptr);
  convolve();
}

KernelFacts Winograd::facts_of_kind() {
  return {.name = fmt::format("own gemm by Winograd's F({0}x{0}, 3x3) ({1})", loops::kWinogradTile, vector_unit()),
          .winograd_tile = static_cast<int>(loops::kWinogradTile),
          .own_gemm = true};
}

double Winograd::spared_flops() const { return winograd_rule::spared_flops(call_.shape, operands_.by_input); }

std::unique_ptr<PreparedOp> prepare_finished_winograd(Context& context, const PrepareRequest& request, Finish finish) {
  if (request.node.op->name != "conv2d" || !is_dense_batch(request.arguments.outputs[0].type())) return nullptr;
  return prepare_images_finished(context, request, std::move(finish));
}

std::span<const Kernel> winograd_kernels() {
  static constexpr Kernel kKernels[] = {
      {"conv2d", prepare, workspace},
      {"conv2d_grad_input", prepare, workspace},
      {"conv2d_grad_weight", prepare_winograd_gradient, winograd_gradient_workspace},
  };
  return kKernels;
}

Shortcut winograd_shortcut(Context& context, const Node& node, const Call& call, bool constant_weights,
                           bool on_copies) {
  const bool by_input = is_by_input(node), by_weight = node.op->name == "conv2d_grad_weight";
  if (!by_input && !by_weight && node.op->name != "conv2d") return {};
  std::vector<TensorType> inputs(call.inputs.begin(), call.inputs.end()),
      outputs(call.outputs.begin(), call.outputs.end());
  // Of 16 bits what oneDNN does not take is computed on f32 copies.
  const DType dtype = outputs[0].dtype;
  const OperandCopies widened{.widens = true, .layout = CopyLayout::as_it_lies};
  const bool widens = is_16_bit_float(dtype);
  if (widens && dtype == DType::bfloat16 && context.dnnl != nullptr && dnnl_has_bf16()) return {};
  if (widens)
    for (auto* list : {&inputs, &outputs})
      for (TensorType& type : *list) type = copied(type, widened);
  const auto chosen = [&] {
    if (by_weight) return choose_winograd_gradient(context, node.attributes, inputs[1], outputs[0], inputs[0]);
    const Roles<TensorType> r(by_input, inputs, outputs);
    return choose_winograd(context, by_input, node.attributes, r.x, r.weight, r.y, constant_weights);
  };
  auto s = chosen();
  const bool copies = !s && on_copies;
  if (copies) {
    for (TensorType* type : {&inputs[0], by_weight ? &inputs[1] : &outputs[0]}) *type = copied(*type, kChannelsLast);
    s = chosen();
  }
  if (!s) return {};
  KernelFacts facts = Winograd::facts_of_kind();
  if (copies) facts = facts_on_copies(kChannelsLast, dtype, std::move(facts));
  if (widens) facts = facts_on_copies(widened, dtype, std::move(facts));
  return {std::move(facts), winograd_rule::spared_flops(*s, by_input)};
}

namespace {

/// One image and its convolution.
class Timed {
 public:
  Timed(int64_t channels, int64_t extent)
      : image_(TensorType::channels_last(DType::float32, {1, channels, extent, extent})),
        kernels_(TensorType::contiguous(DType::float32, {channels, channels, 3, 3})) {
    static constexpr Op kTimed{.name = "conv2d", .formula = "", .infer = nullptr, .cost = nullptr};
    node_.op = &kTimed;
    node_.attributes.set("padding", std::vector<int64_t>{1, 1, 1, 1});
  }
  /// Has run once; null without memory.
  std::function<void()> way(WinogradUse use) {
    const auto context = std::make_shared<Context>(BackendOptions{.threads = 1, .winograd = use});
    const std::vector<TensorType> inputs{image_, kernels_}, outputs{image_};
    const auto x = Tensor::empty(image_), w = Tensor::empty(kernels_), y = Tensor::empty(image_);
    const auto scratch = Storage::allocate_host(
        std::max<int64_t>(64, op_workspace(*context, node_, {node_.attributes, inputs, outputs})));
    if (!x || !w || !y || !scratch) return nullptr;
    for (const Tensor& t : {*x, *w}) std::fill_n(Tensor(t).data_as<float>(), t.type().elements(), 1.0F);
    PrepareRequest request{.node = node_,
                           .arguments = {.attributes = &node_.attributes, .inputs = {*x, *w}, .outputs = {*y}},
                           .workspace = (*scratch)->data(),
                           .inputs_constant = {false, true}};
    auto made = prepare_op(*context, request);
    if (!made) return nullptr;
    const std::shared_ptr<PreparedOp> op = *std::move(made);
    op->run();
    return [context, op, scratch = *scratch, x = *x, w = *w, y = *y] { op->run(); };
  }

 private:
  TensorType image_, kernels_;
  Node node_;
};

}  // namespace

std::vector<WinogradTiming> measure_winograd(int* left_out) {
  // ResNet's, then of VGG those that are none of them.
  constexpr std::pair<int64_t, int64_t> kShapes[] = {{64, 56},  {128, 28}, {256, 14}, {512, 7},
                                                     {64, 224}, {256, 56}, {512, 28}};
  set_calling_thread_count(1);
  std::vector<WinogradTiming> timings;
  for (const auto& [channels, extent] : kShapes) {
    Timed timed(channels, extent);
    const std::function<void()> ways[] = {timed.way(WinogradUse::never), timed.way(WinogradUse::always)};
    if (!ways[0] || !ways[1]) continue;  // no memory: not measured
    const ShortestRuns runs = shortest_runs(ways);
    if (runs.settled) timings.push_back({channels, extent, runs.ns[0], runs.ns[1]});
    else if (left_out != nullptr) ++*left_out;
  }
  return timings;
}

}  // namespace engine::cpu
