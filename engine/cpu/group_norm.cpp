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
#include "engine/loops/group_norm.h"

namespace engine::cpu {
namespace {

using Layout = loops::GroupLayout;

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
  int64_t plane() const { return layout_.plane(); }
  int64_t work() const { return layout_.batch * plane(); }
  double values() const { return static_cast<double>(layout_.per_group() * layout_.pixels); }  ///< of a group

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
      parallel_for(this->threads_, l.batch, this->work(), [this](int64_t n) {
        Sample sample{*this, n};
        loops::group_norm_sample(sample);
      });
    } else {
      parallel_for(this->threads_, l.batch * l.groups, this->work(), [this](int64_t group) {
        Lines lines{.op = *this, .group = group};
        loops::group_norm_lines(this->layout_, lines);
      });
    }
  }

 private:
  double inverse_of(double squares) const { return 1 / std::sqrt(squares / this->values() + epsilon_); }

  /// The parts of one group.
  struct Lines {
    const Forward& op;
    int64_t group;
    int64_t per_group = op.layout_.per_group(), length = per_group * op.layout_.pixels, first_channel = group % op.layout_.groups * per_group;
    const T *x = op.in(0) + group * length, *scale = op.in(1) + first_channel, *bias = op.in_.size() > 2 ? op.in(2) + first_channel : nullptr;
    T* y = op.out(0) + group * length;
    T mean = 0;
    double inverse = 0;

    void sum() { mean = static_cast<T>(op.lines_.sum(x, length) / op.values()); }
    void squares() { inverse = op.inverse_of(op.norms_.squares(x, length, mean)); }
    void normalize(int64_t c) const {
      const int64_t line = c * op.layout_.pixels;
      op.norms_.affine(x + line, op.layout_.pixels, mean, static_cast<T>(inverse * static_cast<double>(scale[c])), bias == nullptr ? T{0} : bias[c], y + line);
    }
    void keep() const {
      op.out(1)[group] = mean;
      op.out(2)[group] = static_cast<T>(inverse);
    }
  };

  /// The parts of one sample. The squares are taken about the means of the groups, in a pass of their own.
  struct Sample {
    const Forward& op;
    int64_t n;
    std::vector<T> mean = {}, factor = {}, offset = {}, scratch = {};
    std::vector<double> sums = {}, sums_of_squares = {};

    const T* x() const { return op.in(0) + n * op.plane(); }
    void clear() {
      const auto count = static_cast<size_t>(op.layout_.channels);
      mean.resize(count), factor.resize(count), offset.resize(count), scratch.resize(2 * count);
      sums.resize(2 * count), sums_of_squares.resize(2 * count);
    }
    void sum() { op.rows_.moments(x(), op.layout_.pixels, op.layout_.channels, mean.data(), scratch.data(), sums.data()); }
    void means() {
      over_groups([this](int64_t group, size_t begin, size_t end) {
        double total = 0;
        for (size_t c = begin; c < end; ++c) total += sums[c];
        const T own = static_cast<T>(total / op.values());
        for (size_t c = begin; c < end; ++c) mean[c] = own;
        op.out(1)[n * op.layout_.groups + group] = own;
      });
    }
    void squares() { op.rows_.moments(x(), op.layout_.pixels, op.layout_.channels, mean.data(), scratch.data(), sums_of_squares.data()); }
    void factors() {
      over_groups([this](int64_t group, size_t begin, size_t end) {
        double total = 0;
        for (size_t c = begin; c < end; ++c) total += sums_of_squares[mean.size() + c];
        const double inverse = op.inverse_of(total);
        op.out(2)[n * op.layout_.groups + group] = static_cast<T>(inverse);
        for (size_t c = begin; c < end; ++c) {
          factor[c] = static_cast<T>(inverse * static_cast<double>(op.in(1)[c]));
          offset[c] = op.in_.size() > 2 ? op.in(2)[c] : T{0};
        }
      });
    }
    void normalize() const { op.rows_.normalize(x(), op.layout_.pixels, op.layout_.channels, mean.data(), factor.data(), offset.data(), op.out(0) + n * op.plane()); }
    template <class Body>
    void over_groups(const Body& body) const {
      const int64_t per_group = op.layout_.per_group();
      for (int64_t g = 0; g < op.layout_.groups; ++g) body(g, static_cast<size_t>(g * per_group), static_cast<size_t>((g + 1) * per_group));
    }
  };

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
      parallel_for(this->threads_, l.batch, this->work(), [this](int64_t n) {
        Sample sample{{}, *this, n};
        loops::group_norm_gradient_sample(this->layout_, sample);
      });
    } else {
      parallel_for(this->threads_, l.batch * l.groups, this->work(), [this](int64_t group) {
        Lines lines{.op = *this, .number = group, .mean = this->in(2)[group]};
        loops::group_norm_gradient_lines(this->layout_, lines);
      });
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
    return {inv, inv * sum / this->values(), inv * inv * inv * product / this->values()};
  }

  /// The parts of one group.
  struct Lines {
    const Gradient& op;
    int64_t number;
    T mean;
    int64_t sample = number / op.layout_.groups, own_group = number % op.layout_.groups, per_group = op.layout_.per_group();
    Group group = {};

    int64_t channel(int64_t c) const { return own_group * per_group + c; }
    int64_t line(int64_t c) const { return (number * per_group + c) * op.layout_.pixels; }
    void sum(int64_t c) const {
      double sums[2];
      op.norms_.channel_sums(op.in(0) + line(c), op.in(1) + line(c), op.layout_.pixels, mean, sums);
      op.sums_of(sample)[channel(c)] = sums[0];
      op.sums_of(sample)[op.layout_.channels + channel(c)] = sums[1];
    }
    void join() { group = op.group_of(sample, own_group); }
    void gradient(int64_t c) const {
      op.norms_.channel_gradient(op.in(0) + line(c), op.in(1) + line(c), op.layout_.pixels, mean, static_cast<T>(group.inverse * static_cast<double>(op.scale(channel(c)))),
                                 static_cast<T>(group.shift), static_cast<T>(group.slope), op.out(0) + line(c));
    }
  };

  /// The parts of one sample.
  struct Sample : loops::Computes {
    const Gradient& op;
    int64_t n;
    std::vector<T> mean = {}, factor = {}, shift = {}, slope = {}, scratch = {};

    void clear() {
      const Layout& l = op.layout_;
      const auto count = static_cast<size_t>(l.channels);
      mean.resize(count), factor.resize(count), shift.resize(count), slope.resize(count), scratch.resize(2 * count);
      for (int64_t c = 0; c < l.channels; ++c) mean[static_cast<size_t>(c)] = op.in(2)[n * l.groups + c / l.per_group()];
      std::fill_n(op.sums_of(n), 2 * l.channels, 0.0);
    }
    void sum() {
      const int64_t at = n * op.plane();
      op.rows_.gradient_sums(op.in(0) + at, op.in(1) + at, op.layout_.pixels, op.layout_.channels, mean.data(), scratch.data(), op.sums_of(n));
    }
    void factors(int64_t g) {
      const int64_t per_group = op.layout_.per_group();
      const Group group = op.group_of(n, g);
      for (int64_t c = g * per_group; c < (g + 1) * per_group; ++c) {
        const auto i = static_cast<size_t>(c);
        factor[i] = static_cast<T>(group.inverse * static_cast<double>(op.scale(c)));
        shift[i] = static_cast<T>(group.shift);
        slope[i] = static_cast<T>(group.slope);
      }
    }
    void gradient(int64_t pixel) const {
      const int64_t line = n * op.plane() + pixel * op.layout_.channels;
      op.norms_.channels_gradient(op.in(0) + line, op.in(1) + line, op.layout_.channels, mean.data(), factor.data(), shift.data(), slope.data(), op.out(0) + line);
    }
  };

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
