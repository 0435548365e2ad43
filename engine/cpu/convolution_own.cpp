// SPDX-License-Identifier: Apache-2.0
// conv2d and conv3d by our own products, where oneDNN is left out or does not compute (f64): a tile of pixels of y is the product of the
// columns of the image (im2col) and the weights. Images of any layout; 1x1 kernels read the image itself.
#include "engine/cpu/convolution_own.h"

#include <fmt/format.h>

#include "engine/cpu/elementwise_simd.h"
#include "engine/cpu/kernels.h"
#include "engine/cpu/parallel.h"

namespace engine::cpu {
namespace {

/// How the elements of one thread's scratch, and of what all share, are cut. The same for preparing and for the workspace.
template <class T>
struct ForwardParts {
  int64_t tile = 0;     ///< pixels
  int64_t span = 0;     ///< pixels that tiles may lie among: of all images or of one
  int64_t weights = 0;  ///< shared: the weights as [group][tap][input][output]
  int64_t gemm = 0, staged = 0, each = 0;  ///< per thread: where its parts begin behind the columns, and their end

  ForwardParts(const ConvolutionGeometry& g, bool across, int threads) {
    const int64_t k = g.inputs * g.taps(), spans = across ? 1 : g.batch;
    span = across ? g.batch * g.pixels() : g.pixels();
    tile = tile_of_pixels<T>(span, k, (threads + spans * g.groups - 1) / (spans * g.groups));
    weights = in_lines(g.groups * k * g.outputs);
    const GemmLoops<T> loops = gemm_loops_of<T>();
    gemm = in_lines(tile * k);
    const int64_t needed = std::max({loops.workspace_elements(tile, g.outputs, k), loops.workspace_elements(g.outputs, tile, k), k});
    staged = gemm + in_lines(needed);
    each = staged + in_lines(tile * g.outputs);
  }
};

template <class T>
class OwnConvolution final : public PreparedOp {
 public:
  OwnConvolution(const PrepareRequest& request, const ConvolutionGeometry& geometry, int threads)
      : g_(geometry),
        x_(Images<const T>::of(request.arguments.inputs[0])),
        y_(Images<T>::of(request.arguments.outputs[0])),
        weight_(request.arguments.inputs[1]),
        bias_(request.arguments.inputs.size() > 2 ? request.arguments.inputs[2].data_as<const T>() : nullptr),
        by_pixel_(y_.channel == 1 || y_.step != 1),
        reads_image_(g_.is_pointwise() && x_.step > 0),
        across_(by_pixel_ && y_.across && (!reads_image_ || x_.across)),
        packs_(g_.taps() > 1),
        packs_once_(request.inputs_constant.size() > 1 && request.inputs_constant[1]),
        parts_(g_, across_, threads),
        shared_(reinterpret_cast<T*>(request.workspace)),
        scratch_(shared_ + parts_.weights),
        threads_(threads) {
    if (!packs_ || !packs_once_) return;
    auto own = Storage::allocate_host(parts_.weights * static_cast<int64_t>(sizeof(T)));
    if (!own) throw std::bad_alloc();
    own_ = *own;
    shared_ = reinterpret_cast<T*>(own_->data());
  }

  void run() override {
    if (!packs_once_ || !is_packed_) take_weights();
    is_packed_ = true;
    const int64_t tiles = (parts_.span + parts_.tile - 1) / parts_.tile, spans = across_ ? 1 : g_.batch;
    const bool pays = g_.multiply_adds() >= static_cast<double>(kMultiplyAddGrain);
    parallel_parts(threads_, spans * g_.groups * tiles, 1, pays ? kStreamingGrain : 0, [&](int64_t begin, int64_t end) {
      T* scratch = scratch_ + team_member() * parts_.each;
      for (int64_t unit = begin; unit < end; ++unit) {
        const int64_t first = unit % tiles * parts_.tile, group = unit / tiles % g_.groups, span = unit / tiles / g_.groups;
        part(span * parts_.span, first, std::min(parts_.tile, parts_.span - first), group, scratch);
      }
    });
  }
  std::string kernel_name() const override { return own_convolution_name(reads_image_); }

 private:
  void take_weights() {
    const Strides& s = weight_.strides();
    bool finite = true;
    if (packs_) finite = pack_weights(g_, weight_, /*outputs_last=*/true, shared_, threads_);
    else if (g_.meets_padding()) finite = all_finite<T>({weight_.data_as<const T>(), s[0], s[1]}, g_.groups * g_.outputs, g_.inputs);
    skips_padding_ = !finite && g_.meets_padding();
  }

  /// [tap and input, output] of a group.
  GemmMatrix<T> weights(int64_t group) const {
    if (packs_) return {shared_ + group * g_.inputs * g_.taps() * g_.outputs, g_.outputs, 1};
    const Strides& s = weight_.strides();
    return {weight_.data_as<const T>() + group * g_.outputs * s[0], s[1], s[0]};
  }

  /// Pixels [first, first + count) behind pixel `from` of all images, of one group of y.
  void part(int64_t from, int64_t first, int64_t count, int64_t group, T* scratch) const {
    if (skips_padding_) return part_inside(from, first, count, group, scratch);
    const int64_t k = g_.inputs * g_.taps(), image = from / g_.pixels();
    GemmMatrix<T> columns;  // [pixel, tap and input]
    if (reads_image_) {
      columns = {x_.data + image * x_.batch + first * x_.step + group * g_.inputs * x_.channel, x_.step, x_.channel};
    } else {
      fill_columns(g_, x_, {.first = from + first, .count = count, .channel = group * g_.inputs, .channels = g_.inputs, .by_pixel = by_pixel_}, scratch);
      columns = by_pixel_ ? GemmMatrix<T>{scratch, k, 1} : GemmMatrix<T>{scratch, 1, count};
    }
    const T* bias = bias_ != nullptr ? bias_ + group * g_.outputs : nullptr;
    T* const y = y_.data + image * y_.batch + group * g_.outputs * y_.channel;
    GemmProblem<T> p{.a = columns, .b = weights(group), .bias = bias, .c = y + first * y_.step, .c_row = y_.step, .m = count, .n = g_.outputs, .k = k};
    if (!by_pixel_) {  // channels of y are rows
      p.a = p.b.transposed();
      p.b = columns.transposed();
      p.c_row = y_.channel;
      std::swap(p.m, p.n);
      p.accumulate = bias != nullptr;
      p.bias = nullptr;
      for (int64_t o = 0; o < p.m && bias != nullptr; ++o) std::fill_n(p.c + o * p.c_row, count, bias[o]);
      multiply(p, scratch);
    } else if (y_.step > 0 && y_.channel == 1) {
      multiply(p, scratch);
    } else {
      p.c = scratch + parts_.staged;
      p.c_row = g_.outputs;
      multiply(p, scratch);
      for (int64_t i = 0; i < count; ++i) {
        T* const to = y + offset_of(first + i);
        for (int64_t o = 0; o < g_.outputs; ++o) to[o * y_.channel] = p.c[i * g_.outputs + o];
      }
    }
  }

  /// The same tap by tap, without the zeros that columns hold outside of the image: infinity times these would be NaN where nothing is added.
  void part_inside(int64_t from, int64_t first, int64_t count, int64_t group, T* scratch) const {
    const int64_t outputs = g_.outputs;
    const ColumnTile tile{.first = from + first, .count = count, .channel = group * g_.inputs, .channels = g_.inputs};
    T* const y = y_.data + from / g_.pixels() * y_.batch + group * outputs * y_.channel;
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t o = 0; o < outputs; ++o) y[offset_of(first + i) + o * y_.channel] = bias_ != nullptr ? bias_[group * outputs + o] : T{0};
    }
    std::vector<int64_t> pixels;
    T* const sums = scratch + parts_.staged;
    for (int64_t tap = 0; tap < g_.taps(); ++tap) {
      const int64_t inside = fill_rows_inside(g_, x_, tile, tap, scratch, pixels);
      if (inside == 0) continue;
      multiply({.a = {scratch, g_.inputs, 1}, .b = weights(group).from(tap * g_.inputs, 0), .bias = nullptr, .c = sums, .c_row = outputs, .m = inside, .n = outputs,
                .k = g_.inputs},
               scratch);
      for (int64_t i = 0; i < inside; ++i) {
        T* const to = y + offset_of(first + pixels[static_cast<size_t>(i)]);
        for (int64_t o = 0; o < outputs; ++o) to[o * y_.channel] += sums[i * outputs + o];
      }
    }
  }

  /// Elements from the first pixel of y to another.
  int64_t offset_of(int64_t pixel) const {
    if (y_.step > 0) return pixel * y_.step;
    return pixel / (g_.out[1] * g_.out[2]) * y_.pixel[0] + pixel / g_.out[2] % g_.out[1] * y_.pixel[1] + pixel % g_.out[2] * y_.pixel[2];
  }

  void multiply(const GemmProblem<T>& p, T* scratch) const {
    if (p.m == 1 && !p.accumulate && (p.b.row == 1 || p.b.column == 1)) loops_.vector_times_matrix(p, scratch + parts_.gemm);
    else loops_.multiply(p, scratch + parts_.gemm);
  }

  ConvolutionGeometry g_;
  Images<const T> x_;
  Images<T> y_;
  Tensor weight_;
  const T* bias_;
  bool by_pixel_;     ///< pixels of y are rows of the product
  bool reads_image_;  ///< no columns are made
  bool across_;       ///< tiles may reach from one image into the next
  bool packs_, packs_once_, is_packed_ = false;
  bool skips_padding_ = false;  ///< for weights that are not finite
  ForwardParts<T> parts_;
  T *shared_, *scratch_;
  std::shared_ptr<Storage> own_;  ///< packed weights that do not change
  GemmLoops<T> loops_ = gemm_loops_of<T>();
  int threads_;
};

template <class T>
int64_t workspace_bytes(const ConvolutionGeometry& g, int threads) {
  const ForwardParts<T> by_image(g, false, threads), across(g, true, threads);
  return (across.weights + threads * std::max(by_image.each, across.each)) * static_cast<int64_t>(sizeof(T));
}

std::unique_ptr<PreparedOp> prepare_forward(Context& context, const PrepareRequest& request) {
  const auto &in = request.arguments.inputs, &out = request.arguments.outputs;
  const DType dtype = out[0].dtype();
  if (!own_convolution_takes(context, in, out) || (in.size() > 2 && !is_contiguous(in[2].shape(), in[2].strides()))) return nullptr;
  const auto g = ConvolutionGeometry::of(request.node.attributes, in[0].type(), in[1].type(), out[0].type());
  if (auto op = prepare_depthwise(request, g, ConvolutionPass::forward, context.threads)) return op;
  if (dtype == DType::float32) return std::make_unique<OwnConvolution<float>>(request, g, context.threads);
  return std::make_unique<OwnConvolution<double>>(request, g, context.threads);
}

int64_t forward_workspace(Context& context, const Node& node, const Call& call) {
  const DType dtype = call.outputs[0].dtype;
  if (!own_convolution_computes(context, dtype)) return 0;
  const auto g = ConvolutionGeometry::of(node.attributes, call.inputs[0], call.inputs[1], call.outputs[0]);
  return dtype == DType::float32 ? workspace_bytes<float>(g, context.threads) : workspace_bytes<double>(g, context.threads);
}

}  // namespace

bool own_convolution_computes(const Context& context, DType dtype) {
  if (dtype == DType::float32) return context.dnnl == nullptr;
  return dtype == DType::float64 && gemm_loops_f64().multiply != nullptr;
}

std::string own_convolution_name(bool reads_image) {
  return fmt::format("own gemm{} ({})", reads_image ? "" : " over columns of the image", vector_unit());
}

bool own_convolution_takes(const Context& context, const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs) {
  const DType dtype = outputs[0].dtype();
  return own_convolution_computes(context, dtype) && std::ranges::all_of(inputs, [&](const Tensor& t) { return t.dtype() == dtype; });
}

std::span<const Kernel> own_convolution_kernels() {
  static constexpr Kernel kKernels[] = {
      {"conv2d", prepare_forward, forward_workspace},
      {"conv2d_grad_input", prepare_own_convolution_grad_input, own_convolution_grad_input_workspace},
      {"conv2d_grad_weight", prepare_own_convolution_grad_weight, own_convolution_grad_weight_workspace},
      {"conv3d", prepare_forward, forward_workspace},
      {"conv3d_grad_input", prepare_own_convolution_grad_input, own_convolution_grad_input_workspace},
      {"conv3d_grad_weight", prepare_own_convolution_grad_weight, own_convolution_grad_weight_workspace},
  };
  return kKernels;
}

}  // namespace engine::cpu
