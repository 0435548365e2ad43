// SPDX-License-Identifier: Apache-2.0
// Group normalisation and its gradient. Row-major, a channel is one line and a group some lines behind one another: groups are split
// over the threads. Channels last, a pixel's channels are one line, summed channel by channel as batch norm does: samples are split.
#include "engine/cpu/group_norm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/cpu/batch_norm_simd.h"
#include "engine/cpu/elementwise_simd.h"
#include "engine/cpu/lines_simd.h"
#include "engine/cpu/norms_simd.h"
#include "engine/cpu/parallel.h"

namespace engine::cpu {
namespace {

struct Layout {
  int64_t batch = 0, channels = 0, pixels = 0, groups = 1;
  bool channels_last = false;

  int64_t per_group() const { return channels / groups; }
  double values() const { return static_cast<double>(per_group() * pixels); }  ///< of a group
};

/// batch == 0: neither layout.
Layout layout_of(const TensorType& type, int64_t groups) {
  if ((type.dtype != DType::float32 && type.dtype != DType::float64) || type.rank() < 2) return {};
  Layout layout{.batch = type.shape[0], .channels = type.shape[1], .pixels = type.elements() / (type.shape[0] * type.shape[1]), .groups = groups, .channels_last = false};
  if (is_contiguous(type.shape, type.strides)) return layout;
  if (type.rank() != 4) return {};
  const Strides wanted = channels_last_strides(type.shape);
  for (size_t axis = 0; axis < 4; ++axis) {
    if (type.shape[axis] != 1 && type.strides[axis] != wanted[axis]) return {};
  }
  layout.channels_last = true;
  return layout;
}

template <class T>
class GroupNormOp : public PreparedOp {
 public:
  GroupNormOp(const PrepareRequest& request, const Layout& layout, int threads)
      : in_(request.arguments.inputs), out_(request.arguments.outputs), layout_(layout), threads_(threads),
        name_(fmt::format("own {} ({})", request.node.op->name, vector_unit())) {
    if constexpr (std::is_same_v<T, float>) {
      lines_ = line_loops_f32(), norms_ = norm_loops_f32(), rows_ = batch_norm_loops_f32();
    } else {
      lines_ = line_loops_f64(), norms_ = norm_loops_f64(), rows_ = batch_norm_loops_f64();
    }
  }
  std::string kernel_name() const override { return name_; }

 protected:
  const T* in(size_t i) const { return in_[i].data_as<const T>(); }
  T* out(size_t i) const { return out_[i].data_as<T>(); }
  int64_t plane() const { return layout_.channels * layout_.pixels; }
  int64_t work() const { return layout_.batch * plane(); }

  std::vector<Tensor> in_, out_;
  Layout layout_;
  int threads_;
  std::string name_;
  LineLoops<T> lines_;
  NormLoops<T> norms_;
  BatchNormLoops<T> rows_;
};

/// (x, scale, [bias]) -> y, mean, inv_std.
template <class T>
class Forward final : public GroupNormOp<T> {
 public:
  Forward(const PrepareRequest& request, const Layout& layout, int threads)
      : GroupNormOp<T>(request, layout, threads), epsilon_(request.node.attributes.get_double("epsilon", 1e-5)) {}
  void run() override {
    const Layout& l = this->layout_;
    if (l.channels_last) {
      parallel_for(this->threads_, l.batch, this->work(), [this](int64_t n) { sample(n); });
    } else {
      parallel_for(this->threads_, l.batch * l.groups, this->work(), [this](int64_t group) { lines_of_group(group); });
    }
  }

 private:
  T bias(int64_t c) const { return this->in_.size() > 2 ? this->in(2)[c] : T{0}; }
  double inverse_of(double squares) const { return 1 / std::sqrt(squares / this->layout_.values() + epsilon_); }

  void lines_of_group(int64_t group) const {
    const Layout& l = this->layout_;
    const int64_t length = l.per_group() * l.pixels, first = group % l.groups * l.per_group();
    const T* x = this->in(0) + group * length;
    const T mean = static_cast<T>(this->lines_.sum(x, length) / l.values());
    const double inverse = inverse_of(this->norms_.squares(x, length, mean));
    for (int64_t c = 0; c < l.per_group(); ++c) {
      const T factor = static_cast<T>(inverse * static_cast<double>(this->in(1)[first + c]));
      this->norms_.affine(x + c * l.pixels, l.pixels, mean, factor, bias(first + c), this->out(0) + group * length + c * l.pixels);
    }
    this->out(1)[group] = mean;
    this->out(2)[group] = static_cast<T>(inverse);
  }

  /// The squares are taken about the means of the groups, in a pass of their own.
  void sample(int64_t n) const {
    const Layout& l = this->layout_;
    const auto count = static_cast<size_t>(l.channels);
    const T* x = this->in(0) + n * this->plane();
    std::vector<T> mean(count, T{0}), factor(count), offset(count), scratch(2 * count);
    std::vector<double> sums(2 * count, 0.0), squares(2 * count, 0.0);
    this->rows_.moments(x, l.pixels, l.channels, mean.data(), scratch.data(), sums.data());
    over_groups([&](int64_t group, size_t begin, size_t end) {
      double sum = 0;
      for (size_t c = begin; c < end; ++c) sum += sums[c];
      const T own = static_cast<T>(sum / l.values());
      std::fill(mean.begin() + static_cast<int64_t>(begin), mean.begin() + static_cast<int64_t>(end), own);
      this->out(1)[n * l.groups + group] = own;
    });
    this->rows_.moments(x, l.pixels, l.channels, mean.data(), scratch.data(), squares.data());
    over_groups([&](int64_t group, size_t begin, size_t end) {
      double sum = 0;
      for (size_t c = begin; c < end; ++c) sum += squares[count + c];
      const double inverse = inverse_of(sum);
      this->out(2)[n * l.groups + group] = static_cast<T>(inverse);
      for (size_t c = begin; c < end; ++c) {
        factor[c] = static_cast<T>(inverse * static_cast<double>(this->in(1)[c]));
        offset[c] = bias(static_cast<int64_t>(c));
      }
    });
    this->rows_.normalize(x, l.pixels, l.channels, mean.data(), factor.data(), offset.data(), this->out(0) + n * this->plane());
  }
  template <class Body>
  void over_groups(const Body& body) const {
    const int64_t per_group = this->layout_.per_group();
    for (int64_t g = 0; g < this->layout_.groups; ++g) body(g, static_cast<size_t>(g * per_group), static_cast<size_t>((g + 1) * per_group));
  }

  double epsilon_;
};

/// (dy, x, mean, inv_std, scale) -> dx, dscale, dbias. With S = sum dy, P = sum dy (x - mean) by channel and their sums over a group of n
/// values, s = sum scale S and p = sum scale P: dx = inv (scale dy - s / n - (x - mean) inv^2 p / n).
template <class T>
class Gradient final : public GroupNormOp<T> {
 public:
  Gradient(const PrepareRequest& request, const Layout& layout, int threads)
      : GroupNormOp<T>(request, layout, threads), sums_(reinterpret_cast<double*>(request.workspace)) {}
  void run() override {
    const Layout& l = this->layout_;
    if (l.channels_last) {
      parallel_for(this->threads_, l.batch, this->work(), [this](int64_t n) { sample(n); });
    } else {
      parallel_for(this->threads_, l.batch * l.groups, this->work(), [this](int64_t group) { lines_of_group(group); });
    }
    for (int64_t c = 0; c < l.channels; ++c) {
      double scale = 0, bias = 0;
      for (int64_t n = 0; n < l.batch; ++n) {
        bias += sums_of(n)[c];
        scale += sums_of(n)[l.channels + c] * inverse(n, c / l.per_group());
      }
      this->out(1)[c] = static_cast<T>(scale);
      this->out(2)[c] = static_cast<T>(bias);
    }
  }

 private:
  /// S of all channels of a sample, then P.
  double* sums_of(int64_t n) const { return sums_ + n * 2 * this->layout_.channels; }
  double inverse(int64_t n, int64_t group) const { return static_cast<double>(this->in(3)[n * this->layout_.groups + group]); }
  T scale(int64_t c) const { return this->in(4)[c]; }

  struct Group {
    T mean;
    double inverse, shift, slope;  ///< dx = inverse scale dy - shift - (x - mean) slope
  };
  Group group_of(int64_t n, int64_t g) const {
    const Layout& l = this->layout_;
    const double *s = sums_of(n), *p = s + l.channels;
    double sum = 0, product = 0;
    for (int64_t c = g * l.per_group(); c < (g + 1) * l.per_group(); ++c) {
      sum += static_cast<double>(scale(c)) * s[c];
      product += static_cast<double>(scale(c)) * p[c];
    }
    const double inv = inverse(n, g);
    return {this->in(2)[n * l.groups + g], inv, inv * sum / l.values(), inv * inv * inv * product / l.values()};
  }

  void lines_of_group(int64_t number) const {
    const Layout& l = this->layout_;
    const int64_t n = number / l.groups, g = number % l.groups, first = g * l.per_group();
    const int64_t at = number * l.per_group() * l.pixels;
    const T mean = this->in(2)[number];
    for (int64_t c = 0; c < l.per_group(); ++c) {
      double sums[2];
      this->norms_.channel_sums(this->in(0) + at + c * l.pixels, this->in(1) + at + c * l.pixels, l.pixels, mean, sums);
      sums_of(n)[first + c] = sums[0];
      sums_of(n)[l.channels + first + c] = sums[1];
    }
    const Group group = group_of(n, g);
    for (int64_t c = 0; c < l.per_group(); ++c) {
      const int64_t line = at + c * l.pixels;
      this->norms_.channel_gradient(this->in(0) + line, this->in(1) + line, l.pixels, mean, static_cast<T>(group.inverse * static_cast<double>(scale(first + c))),
                                    static_cast<T>(group.shift), static_cast<T>(group.slope), this->out(0) + line);
    }
  }

  void sample(int64_t n) const {
    const Layout& l = this->layout_;
    const auto count = static_cast<size_t>(l.channels);
    std::vector<T> mean(count), factor(count), shift(count), slope(count), scratch(2 * count);
    const int64_t at = n * this->plane();
    for (int64_t c = 0; c < l.channels; ++c) mean[static_cast<size_t>(c)] = this->in(2)[n * l.groups + c / l.per_group()];
    std::fill_n(sums_of(n), 2 * l.channels, 0.0);
    this->rows_.gradient_sums(this->in(0) + at, this->in(1) + at, l.pixels, l.channels, mean.data(), scratch.data(), sums_of(n));
    for (int64_t g = 0; g < l.groups; ++g) {
      const Group group = group_of(n, g);
      for (int64_t c = g * l.per_group(); c < (g + 1) * l.per_group(); ++c) {
        const auto i = static_cast<size_t>(c);
        factor[i] = static_cast<T>(group.inverse * static_cast<double>(scale(c)));
        shift[i] = static_cast<T>(group.shift);
        slope[i] = static_cast<T>(group.slope);
      }
    }
    for (int64_t pixel = 0; pixel < l.pixels; ++pixel) {
      const int64_t line = at + pixel * l.channels;
      this->norms_.channels_gradient(this->in(0) + line, this->in(1) + line, l.channels, mean.data(), factor.data(), shift.data(), slope.data(), this->out(0) + line);
    }
  }

  double* sums_;
};

bool is_vector(const Tensor& t, DType dtype) { return t.dtype() == dtype && is_contiguous(t.shape(), t.strides()); }

/// `tensors`: how many inputs, from the first on, lie as x does; all others, and all results but the first, are short.
template <template <class> class Op>
std::unique_ptr<PreparedOp> prepare(Context& context, const PrepareRequest& request, size_t tensors) {
  const auto &in = request.arguments.inputs, &out = request.arguments.outputs;
  const int64_t groups = request.node.attributes.get_int("groups", 1);
  const Layout layout = layout_of(out[0].type(), groups);
  const DType dtype = out[0].dtype();
  if (layout.batch == 0 || (dtype == DType::float64 && norm_loops_f64().squares == nullptr)) return nullptr;
  for (size_t i = 0; i < in.size(); ++i) {
    if (i >= tensors && !is_vector(in[i], dtype)) return nullptr;
    if (i < tensors && (in[i].dtype() != dtype || in[i].shape() != out[0].shape() || in[i].strides() != out[0].strides())) return nullptr;
  }
  for (size_t j = 1; j < out.size(); ++j) {
    if (!is_vector(out[j], dtype)) return nullptr;
  }
  if (dtype == DType::float32) return std::make_unique<Op<float>>(request, layout, context.threads);
  return std::make_unique<Op<double>>(request, layout, context.threads);
}

}  // namespace

std::unique_ptr<PreparedOp> prepare_group_norm(Context& context, const PrepareRequest& request) { return prepare<Forward>(context, request, 1); }

std::unique_ptr<PreparedOp> prepare_group_norm_grad(Context& context, const PrepareRequest& request) { return prepare<Gradient>(context, request, 2); }

int64_t group_norm_workspace(Context&, const Node&, const Call& call) {
  const Shape& x = call.inputs[1].shape;
  return 2 * x[0] * x[1] * static_cast<int64_t>(sizeof(double));
}

}  // namespace engine::cpu
