// SPDX-License-Identifier: Apache-2.0
// The gradients of conv2d and conv3d by our own products: by the input dy times the weights of each tap, added where the tap reads
// (col2im); by the weights dy times the columns of the image. Threads get channels of their own, or images, and never add to one number.
#include "engine/cpu/convolution_own.h"

#include "engine/cpu/parallel.h"

namespace engine::cpu {
namespace {

/// The channels of x that units of work share: `blocks` of them per group.
int64_t blocks_of_channels(const ConvolutionGeometry& g, int64_t units, int threads) {
  return std::clamp<int64_t>((threads + units - 1) / units, 1, g.inputs);
}

/// dy of some pixels as a matrix [pixel, output]: where it lies, or gathered.
template <class T>
GemmMatrix<T> pixels_of(const ConvolutionGeometry& g, const Images<const T>& dy, int64_t image, int64_t first, int64_t count, int64_t group, T* gathered) {
  const T* const from = dy.data + image * dy.batch + group * g.outputs * dy.channel;
  if (dy.step > 0) return {from + first * dy.step, dy.step, dy.channel};
  for (int64_t i = 0; i < count; ++i) {
    const int64_t pixel = first + i;
    const T* at = from + pixel / (g.out[1] * g.out[2]) * dy.pixel[0] + pixel / g.out[2] % g.out[1] * dy.pixel[1] + pixel % g.out[2] * dy.pixel[2];
    for (int64_t o = 0; o < g.outputs; ++o) gathered[i * g.outputs + o] = at[o * dy.channel];
  }
  return {gathered, g.outputs, 1};
}

// ---- by the input -----------------------------------------------------------------------------------------------------------

template <class T>
struct InputParts {
  int64_t blocks = 0, tile = 0;
  int64_t weights = 0;                       ///< shared: [group][tap][output][input]
  int64_t gathered = 0, gemm = 0, each = 0;  ///< behind the columns of one tap

  InputParts(const ConvolutionGeometry& g, int threads) {
    blocks = blocks_of_channels(g, g.batch * g.groups, threads);
    const int64_t channels = (g.inputs + blocks - 1) / blocks;
    tile = tile_of_pixels<T>(g.pixels(), g.inputs + g.outputs, 1);
    weights = in_lines(g.groups * g.taps() * g.outputs * g.inputs);
    gathered = in_lines(tile * channels);
    gemm = gathered + in_lines(tile * g.outputs);
    const GemmLoops<T> loops = gemm_loops_of<T>();
    each = gemm + in_lines(std::max(loops.workspace_elements(tile, channels, g.outputs), loops.workspace_elements(channels, tile, g.outputs)));
  }
};

template <class T>
class GradInput final : public PreparedOp {
 public:
  GradInput(const PrepareRequest& request, const ConvolutionGeometry& geometry, int threads)
      : g_(geometry),
        dy_(Images<const T>::of(request.arguments.inputs[0])),
        dx_(Images<T>::of(request.arguments.outputs[0])),
        weight_(request.arguments.inputs[1]),
        parts_(g_, threads),
        shared_(reinterpret_cast<T*>(request.workspace)),
        scratch_(shared_ + parts_.weights),
        writes_image_(g_.is_pointwise() && dx_.step > 0 && (dx_.channel == 1 || dx_.step == 1)),
        by_pixel_(dx_.channel == 1),
        threads_(threads) {}

  void run() override {
    pack_weights(g_, weight_, /*outputs_last=*/false, shared_, threads_);
    const bool pays = g_.multiply_adds() >= static_cast<double>(kMultiplyAddGrain);
    parallel_parts(threads_, g_.batch * g_.groups * parts_.blocks, 1, pays ? kStreamingGrain : 0, [&](int64_t begin, int64_t end) {
      T* scratch = scratch_ + team_member() * parts_.each;
      for (int64_t unit = begin; unit < end; ++unit) {
        const int64_t block = unit % parts_.blocks, group = unit / parts_.blocks % g_.groups, image = unit / parts_.blocks / g_.groups;
        const int64_t from = g_.inputs * block / parts_.blocks, to = g_.inputs * (block + 1) / parts_.blocks;
        part(image, group, from, to - from, scratch);
      }
    });
  }
  std::string kernel_name() const override { return own_convolution_name(writes_image_); }

 private:
  void clear(int64_t image, int64_t channel, int64_t channels) const {
    T* const to = dx_.data + image * dx_.batch + channel * dx_.channel;
    for (int64_t d = 0; d < g_.in[0]; ++d) {
      for (int64_t h = 0; h < g_.in[1]; ++h) {
        T* const row = to + d * dx_.pixel[0] + h * dx_.pixel[1];
        if (by_pixel_) {
          for (int64_t w = 0; w < g_.in[2]; ++w) std::fill_n(row + w * dx_.pixel[2], channels, T{0});
          continue;
        }
        for (int64_t c = 0; c < channels; ++c) {
          for (int64_t w = 0; w < g_.in[2]; ++w) row[c * dx_.channel + w * dx_.pixel[2]] = 0;
        }
      }
    }
  }

  void part(int64_t image, int64_t group, int64_t channel, int64_t channels, T* scratch) const {
    const int64_t taps = g_.taps(), in_all = group * g_.inputs + channel;
    if (!writes_image_) clear(image, in_all, channels);
    for (int64_t first = 0; first < g_.pixels(); first += parts_.tile) {
      const int64_t count = std::min(parts_.tile, g_.pixels() - first);
      const GemmMatrix<T> dy = pixels_of(g_, dy_, image, first, count, group, scratch + parts_.gathered);
      for (int64_t tap = 0; tap < taps; ++tap) {
        const GemmMatrix<T> weights{shared_ + (group * taps + tap) * g_.outputs * g_.inputs + channel, g_.inputs, 1};  // [output, input]
        GemmProblem<T> p{.a = dy, .b = weights, .bias = nullptr, .c = scratch, .c_row = channels, .m = count, .n = channels, .k = g_.outputs};
        if (writes_image_) {
          p.c = dx_.data + image * dx_.batch + first * dx_.step + in_all * dx_.channel;
          p.c_row = dx_.step;
        }
        if (!by_pixel_) {
          p.a = weights.transposed();
          p.b = dy.transposed();
          std::swap(p.m, p.n);
          p.c_row = writes_image_ ? dx_.channel : count;
        }
        loops_.multiply(p, scratch + parts_.gemm);
        if (writes_image_) continue;
        const ColumnTile tile{.first = image * g_.pixels() + first, .count = count, .channel = in_all, .channels = channels, .by_pixel = by_pixel_};
        add_columns(g_, dx_, tile, tap, scratch);
      }
    }
  }

  ConvolutionGeometry g_;
  Images<const T> dy_;
  Images<T> dx_;
  Tensor weight_;
  InputParts<T> parts_;
  T *shared_, *scratch_;
  bool writes_image_;  ///< products are dx itself
  bool by_pixel_;      ///< pixels are rows of the product
  GemmLoops<T> loops_ = gemm_loops_of<T>();
  int threads_;
};

// ---- by the weights ---------------------------------------------------------------------------------------------------------

template <class T>
struct WeightParts {
  int64_t blocks = 0, tile = 0, span = 0;
  int64_t gathered = 0, inside = 0, sums = 0, gemm = 0, each = 0;  ///< behind the columns

  WeightParts(const ConvolutionGeometry& g, bool across, int threads) {
    blocks = blocks_of_channels(g, g.groups, threads);
    const int64_t row = (g.inputs + blocks - 1) / blocks * g.taps();
    span = across ? g.batch * g.pixels() : g.pixels();
    tile = tile_of_pixels<T>(span, row + g.outputs, 1);
    gathered = in_lines(tile * row);
    inside = gathered + in_lines(tile * g.outputs);
    sums = inside + in_lines(tile * g.outputs);
    gemm = sums + in_lines(g.outputs * row);
    each = gemm + in_lines(gemm_loops_of<T>().workspace_elements(g.outputs, row, tile));
  }
};

template <class T>
class GradWeight final : public PreparedOp {
 public:
  GradWeight(const PrepareRequest& request, const ConvolutionGeometry& geometry, int threads)
      : g_(geometry),
        dy_(Images<const T>::of(request.arguments.inputs[0])),
        x_(Images<const T>::of(request.arguments.inputs[1])),
        dweight_(request.arguments.outputs[0]),
        reads_image_(g_.is_pointwise() && x_.step > 0),
        across_(dy_.across && (!reads_image_ || x_.across)),
        parts_(g_, across_, threads),
        scratch_(reinterpret_cast<T*>(request.workspace)),
        threads_(threads) {}

  void run() override {
    const bool pays = g_.multiply_adds() >= static_cast<double>(kMultiplyAddGrain);
    parallel_parts(threads_, g_.groups * parts_.blocks, 1, pays ? kStreamingGrain : 0, [&](int64_t begin, int64_t end) {
      T* scratch = scratch_ + team_member() * parts_.each;
      for (int64_t unit = begin; unit < end; ++unit) {
        const int64_t block = unit % parts_.blocks, from = g_.inputs * block / parts_.blocks, to = g_.inputs * (block + 1) / parts_.blocks;
        part(unit / parts_.blocks, from, to - from, scratch);
      }
    });
  }
  std::string kernel_name() const override { return own_convolution_name(reads_image_); }

 private:
  /// One group's weights of channels [channel, channel + channels).
  void part(int64_t group, int64_t channel, int64_t channels, T* scratch) const {
    const int64_t row = channels * g_.taps(), in_all = group * g_.inputs + channel, all = g_.batch * g_.pixels();
    T* const sums = scratch + parts_.sums;
    for (int64_t from = 0; from < all; from += parts_.span) {
      const int64_t image = from / g_.pixels();
      for (int64_t first = 0; first < parts_.span; first += parts_.tile) {
        const int64_t count = std::min(parts_.tile, parts_.span - first);
        const GemmMatrix<T> dy = pixels_of(g_, dy_, image, first, count, group, scratch + parts_.gathered);
        GemmMatrix<T> columns{x_.data + image * x_.batch + first * x_.step + in_all * x_.channel, x_.step, x_.channel};
        if (!reads_image_ && !all_finite(dy, count, g_.outputs)) {
          if (from + first == 0) std::fill_n(sums, g_.outputs * row, T{0});
          add_inside(dy, {.first = from + first, .count = count, .channel = in_all, .channels = channels}, scratch);
          continue;
        }
        if (!reads_image_) {
          const bool by_pixel = x_.channel == 1;
          fill_columns(g_, x_, {.first = from + first, .count = count, .channel = in_all, .channels = channels, .by_pixel = by_pixel}, scratch);
          columns = by_pixel ? GemmMatrix<T>{scratch, row, 1} : GemmMatrix<T>{scratch, 1, count};
        }
        loops_.multiply({.a = dy.transposed(), .b = columns, .bias = nullptr, .c = sums, .c_row = row, .m = g_.outputs, .n = row, .k = count,
                         .accumulate = from + first > 0},
                        scratch + parts_.gemm);
      }
    }
    write(group, channel, channels, sums);
  }

  /// Tap by tap, without the zeros that columns hold outside of the image: infinity times these would be NaN where nothing is added.
  void add_inside(const GemmMatrix<T>& dy, const ColumnTile& tile, T* scratch) const {
    std::vector<int64_t> pixels;
    T* const dy_inside = scratch + parts_.inside;
    for (int64_t tap = 0; tap < g_.taps(); ++tap) {
      const int64_t count = fill_rows_inside(g_, x_, tile, tap, scratch, pixels);
      if (count == 0) continue;
      for (int64_t i = 0; i < count; ++i) {
        for (int64_t o = 0; o < g_.outputs; ++o) dy_inside[i * g_.outputs + o] = dy.data[pixels[static_cast<size_t>(i)] * dy.row + o * dy.column];
      }
      loops_.multiply({.a = {dy_inside, 1, g_.outputs}, .b = {scratch, tile.channels, 1}, .bias = nullptr, .c = scratch + parts_.sums + tap * tile.channels,
                       .c_row = tile.channels * g_.taps(), .m = g_.outputs, .n = tile.channels, .k = count, .accumulate = true},
                      scratch + parts_.gemm);
    }
  }

  /// From [output][tap][channel].
  void write(int64_t group, int64_t channel, int64_t channels, const T* sums) const {
    const Strides& s = dweight_.strides();
    for (int64_t o = 0; o < g_.outputs; ++o) {
      T* const to = dweight_.data_as<T>() + (group * g_.outputs + o) * s[0] + channel * s[1];
      for (int64_t tap = 0; tap < g_.taps(); ++tap) {
        T* const at = to + g_.weight_offset(tap, s);
        for (int64_t c = 0; c < channels; ++c) at[c * s[1]] = *sums++;
      }
    }
  }

  ConvolutionGeometry g_;
  Images<const T> dy_, x_;
  Tensor dweight_;
  bool reads_image_;  ///< no columns are made
  bool across_;       ///< tiles may reach from one image into the next
  WeightParts<T> parts_;
  T* scratch_;
  GemmLoops<T> loops_ = gemm_loops_of<T>();
  int threads_;
};

template <template <class> class Op>
std::unique_ptr<PreparedOp> make(Context& context, const PrepareRequest& request, const ConvolutionGeometry& g) {
  if (request.arguments.outputs[0].dtype() == DType::float32) return std::make_unique<Op<float>>(request, g, context.threads);
  return std::make_unique<Op<double>>(request, g, context.threads);
}

template <class T>
int64_t input_bytes(const ConvolutionGeometry& g, int threads) {
  const InputParts<T> parts(g, threads);
  return (parts.weights + threads * parts.each) * static_cast<int64_t>(sizeof(T));
}

template <class T>
int64_t weight_bytes(const ConvolutionGeometry& g, int threads) {
  return threads * std::max(WeightParts<T>(g, false, threads).each, WeightParts<T>(g, true, threads).each) * static_cast<int64_t>(sizeof(T));
}

}  // namespace

// Inputs dy, weight; output dx.
std::unique_ptr<PreparedOp> prepare_own_convolution_grad_input(Context& context, const PrepareRequest& request) {
  const auto &in = request.arguments.inputs, &out = request.arguments.outputs;
  if (!own_convolution_takes(context, in, out)) return nullptr;
  const auto g = ConvolutionGeometry::of(request.node.attributes, out[0].type(), in[1].type(), in[0].type());
  if (auto op = prepare_depthwise(request, g, ConvolutionPass::by_input, context.threads)) return op;
  return make<GradInput>(context, request, g);
}

int64_t own_convolution_grad_input_workspace(Context& context, const Node& node, const Call& call) {
  const DType dtype = call.outputs[0].dtype;
  if (!own_convolution_computes(context, dtype)) return 0;
  const auto g = ConvolutionGeometry::of(node.attributes, call.outputs[0], call.inputs[1], call.inputs[0]);
  return dtype == DType::float32 ? input_bytes<float>(g, context.threads) : input_bytes<double>(g, context.threads);
}

// Inputs dy, x; output dweight.
std::unique_ptr<PreparedOp> prepare_own_convolution_grad_weight(Context& context, const PrepareRequest& request) {
  const auto &in = request.arguments.inputs, &out = request.arguments.outputs;
  if (!own_convolution_takes(context, in, out)) return nullptr;
  const auto g = ConvolutionGeometry::of(request.node.attributes, in[1].type(), out[0].type(), in[0].type());
  if (auto op = prepare_depthwise(request, g, ConvolutionPass::by_weight, context.threads)) return op;
  return make<GradWeight>(context, request, g);
}

int64_t own_convolution_grad_weight_workspace(Context& context, const Node& node, const Call& call) {
  const DType dtype = call.outputs[0].dtype;
  if (!own_convolution_computes(context, dtype)) return 0;
  const auto g = ConvolutionGeometry::of(node.attributes, call.inputs[1], call.outputs[0], call.inputs[0]);
  return dtype == DType::float32 ? weight_bytes<float>(g, context.threads) : weight_bytes<double>(g, context.threads);
}

}  // namespace engine::cpu
