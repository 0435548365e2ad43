// SPDX-License-Identifier: Apache-2.0
// The parts of group norm and its gradient (group_norm_loops.h), over memory that is plain (group_norm.cpp) or, in a
// test, notes each access.
#pragma once

#include <cmath>
#include <cstddef>

#include "engine/kernels/core/parallel.h"
#include "engine/kernels/core/rows_simd.h"
#include "engine/kernels/norms/batch_norm_simd.h"
#include "engine/kernels/norms/group_norm_loops.h"
#include "engine/kernels/norms/norms_simd.h"

namespace engine::cpu {

template <class T>
struct GroupNormLoops {
  RowLoops<T> lines;
  NormLoops<T> norms;
  BatchNormLoops<T> rows;
};

/// What both directions have in common.
template <class T, class M>
class GroupNormParts {
 protected:
  GroupNormParts(const loops::GroupLayout& layout, const GroupNormLoops<T>& loops, int threads)
      : l_(layout), loops_(loops), threads_(threads) {}

  double values() const { return static_cast<double>(l_.per_group() * l_.pixels); }  ///< of a group
  /// sample(number, room), rooms(elements) for those of one thread, or else group(number). `together`: the threads
  /// share each sample.
  template <class Rooms, class Sample, class Group>
  void over_parts(const Rooms& rooms, int64_t elements, bool together, const Sample& sample, const Group& group) const {
    const int64_t work = l_.batch * l_.plane();
    if (!l_.channels_last) return parallel_for(threads_, l_.batch * l_.groups, work, group);
    parallel_parts(together ? 1 : threads_, l_.batch, 1, work, [&](int64_t begin, int64_t end) {
      const auto room = rooms(elements);
      for (int64_t n = begin; n < end; ++n) sample(n, &room[0]);
    });
  }

  const loops::GroupLayout& l_;
  const GroupNormLoops<T>& loops_;
  const int threads_;
};

/// (x, scale, [bias]) -> y, mean, inv_std.
template <class T>
struct GroupNormArguments {
  const T *x, *scale, *bias;  ///< bias: perhaps null
  T *y, *mean, *inv_std;
  double epsilon = 1e-5;
};

template <class T, class M>
class GroupNormForward : public GroupNormParts<T, M> {
 public:
  GroupNormForward(const loops::GroupLayout& layout, const GroupNormLoops<T>& loops, int threads,
                   const GroupNormArguments<T>& arguments)
      : GroupNormParts<T, M>(layout, loops, threads), a_(arguments) {}

  /// rooms(count): so many doubles for what is kept at a sample with channels last: sums of its blocks, then vectors by
  /// channel.
  template <class Rooms>
  void run(const Rooms& rooms) const {
    const int64_t blocks = this->l_.sample().blocks();
    // Whole samples where they share out well: a thread then has its sample's pixels near it in all three passes.
    const bool together = this->l_.batch % this->threads_ != 0 && this->l_.batch < 4 * this->threads_ && blocks > 1;
    const auto of_sample = [this, together](int64_t n, double* room) {
      Sample sample(*this, n, together ? this->threads_ : 1, room);
      loops::group_norm_sample(sample);
    };
    const int64_t scratch = together ? blocks : 1;
    this->over_parts(rooms, (2 * blocks + 2 * scratch + 3) * this->l_.channels, together, of_sample,
                     [this](int64_t group) {
                       Lines lines{.op = *this, .group = group};
                       loops::group_norm_rows(this->l_, lines);
                     });
  }

 private:
  double inverse_of(double variance) const { return 1 / std::sqrt(variance + a_.epsilon); }

  /// The parts of one group.
  struct Lines {
    const GroupNormForward& op;
    int64_t group;
    int64_t per_group = op.l_.per_group(), length = per_group * op.l_.pixels,
            first_channel = group % op.l_.groups * per_group;
    const T* x = op.a_.x + group * length;
    T* y = op.a_.y + group * length;
    T mean = 0;
    double inverse = 0;

    void sum() { mean = static_cast<T>(op.loops_.lines.sum(x, length) / op.values()); }
    void squares() {
      const MeanAndVariance own =
          mean_and_variance(static_cast<double>(mean), op.loops_.norms.moments(x, length, mean), op.values());
      mean = static_cast<T>(own.mean);
      inverse = op.inverse_of(own.variance);
    }
    void normalize(int64_t c) const {
      const int64_t line = c * op.l_.pixels, channel = first_channel + c;
      const T factor = static_cast<T>(inverse * static_cast<double>(M::load(op.a_.scale + channel))),
              offset = op.a_.bias == nullptr ? T{0} : M::load(op.a_.bias + channel);
      op.loops_.norms.affine(x + line, op.l_.pixels, mean, factor, offset, y + line);
    }
    void keep() const {
      M::store(mean, op.a_.mean + group);
      M::store(static_cast<T>(inverse), op.a_.inv_std + group);
    }
  };

  /// The parts of one sample. The squares are taken about the means of the groups, in a pass of their own, as are the
  /// means' distances from those.
  struct Sample {
    Sample(const GroupNormForward& of, int64_t number, int64_t its_threads, double* room)
        : op(of),
          n(number),
          threads(its_threads),
          channels(op.l_.channels),
          rows(op.l_.sample()),
          sums(room),
          mean(reinterpret_cast<T*>(sums + 2 * channels * rows.blocks())),
          factor(mean + channels),
          offset(factor + channels),
          scratch(offset + channels) {}
    const GroupNormForward& op;
    int64_t n, threads, channels;
    loops::ChannelRows rows;
    double* sums;                         ///< by block: by channel, then their squares
    T *mean, *factor, *offset, *scratch;  ///< scratch: of one block, or of each where threads share the sample

    void clear() const { M::fill(mean, channels, T{0}); }
    template <class Part>
    void by_blocks(const Part& part) const {
      parallel_for(static_cast<int>(threads), rows.blocks(), op.l_.plane(), part);
    }
    int64_t first_of(loops::Range pixels) const { return n * op.l_.plane() + pixels.begin * channels; }
    void sum(int64_t block) const {
      const loops::Range pixels = rows.block(block);
      double* own = sums + block * 2 * channels;
      M::fill(own, 2 * channels, 0.0);
      op.loops_.rows.moments(op.a_.x + first_of(pixels), pixels.size(), channels, mean,
                             scratch + (threads > 1 ? block * 2 * channels : 0), own);
    }
    double total(int64_t begin, int64_t end) const {
      double sum = 0;
      for (int64_t block = 0; block < rows.blocks(); ++block) {
        for (int64_t c = begin; c < end; ++c) sum += M::load(sums + block * 2 * channels + c);
      }
      return sum;
    }
    void means() const {
      over_groups([this](int64_t, int64_t begin, int64_t end) {
        const T own = static_cast<T>(total(begin, end) / op.values());
        for (int64_t c = begin; c < end; ++c) M::store(own, mean + c);
      });
    }
    void factors() const {
      over_groups([this](int64_t group, int64_t begin, int64_t end) {
        const Moments total{this->total(begin, end), this->total(channels + begin, channels + end)};
        const MeanAndVariance own = mean_and_variance(static_cast<double>(M::load(mean + begin)), total, op.values());
        const double inverse = op.inverse_of(own.variance);
        M::store(static_cast<T>(own.mean), op.a_.mean + n * op.l_.groups + group);
        M::store(static_cast<T>(inverse), op.a_.inv_std + n * op.l_.groups + group);
        for (int64_t c = begin; c < end; ++c) {
          M::store(static_cast<T>(own.mean), mean + c);
          M::store(static_cast<T>(inverse * static_cast<double>(M::load(op.a_.scale + c))), factor + c);
          M::store(op.a_.bias == nullptr ? T{0} : M::load(op.a_.bias + c), offset + c);
        }
      });
    }
    void normalize(int64_t block) const {
      const loops::Range pixels = rows.block(block);
      op.loops_.rows.normalize(op.a_.x + first_of(pixels), pixels.size(), channels, mean, factor, offset,
                               op.a_.y + first_of(pixels));
    }
    template <class Body>
    void over_groups(const Body& body) const {
      const int64_t per_group = op.l_.per_group();
      for (int64_t g = 0; g < op.l_.groups; ++g) body(g, g * per_group, (g + 1) * per_group);
    }
  };

  const GroupNormArguments<T>& a_;
};

/// (dy, x, mean, inv_std, scale) -> dx, dscale, dbias.
template <class T>
struct GroupNormGradientArguments {
  const T *dy, *x, *mean, *inv_std, *scale;
  T *dx, *dscale, *dbias;
  double* sums;  ///< two by sample and channel
};

/// With S = sum dy, P = sum dy (x - mean) by channel and their sums over a group of n values, s = sum scale S and p =
/// sum scale P: dx = inv (scale dy - s / n - (x - mean) inv^2 p / n).
template <class T, class M>
class GroupNormGradient : public GroupNormParts<T, M> {
 public:
  GroupNormGradient(const loops::GroupLayout& layout, const GroupNormLoops<T>& loops, int threads,
                    const GroupNormGradientArguments<T>& arguments)
      : GroupNormParts<T, M>(layout, loops, threads), a_(arguments) {}

  /// rooms(count): so many elements for the vectors by channel that are kept at a sample with channels last.
  template <class Rooms>
  void run(const Rooms& rooms) const {
    const auto of_sample = [this](int64_t n, T* kept) {
      Sample sample(*this, n, kept);
      loops::group_norm_gradient_sample(this->l_, sample);
    };
    this->over_parts(rooms, 6 * this->l_.channels, false, of_sample, [this](int64_t group) {
      Lines lines{.op = *this, .number = group};
      loops::group_norm_gradient_rows(this->l_, lines);
    });
    for (int64_t c = 0; c < this->l_.channels; ++c) {
      double scale = 0, bias = 0;
      for (int64_t n = 0; n < this->l_.batch; ++n) {
        bias += M::load(sums_of(n) + c);
        const double product = M::load(sums_of(n) + this->l_.channels + c);
        scale += product * inverse(n, c / this->l_.per_group());
      }
      M::store(static_cast<T>(scale), a_.dscale + c);
      M::store(static_cast<T>(bias), a_.dbias + c);
    }
  }

 private:
  /// S of all channels of a sample, then P.
  double* sums_of(int64_t n) const { return a_.sums + n * 2 * this->l_.channels; }
  double inverse(int64_t n, int64_t group) const {
    return static_cast<double>(M::load(a_.inv_std + n * this->l_.groups + group));
  }
  double scale(int64_t c) const { return static_cast<double>(M::load(a_.scale + c)); }

  struct Group {
    double inverse, shift, slope;  ///< dx = inverse scale dy - shift - (x - mean) slope
  };
  Group group_of(int64_t n, int64_t g) const {
    const loops::GroupLayout& l = this->l_;
    const double *s = sums_of(n), *p = s + l.channels;
    double sum = 0, product = 0;
    for (int64_t c = g * l.per_group(); c < (g + 1) * l.per_group(); ++c) {
      const double of_channel = scale(c);
      sum += of_channel * M::load(s + c);
      product += of_channel * M::load(p + c);
    }
    const double inv = inverse(n, g);
    return {inv, inv * sum / this->values(), inv * inv * inv * product / this->values()};
  }

  /// The parts of one group.
  struct Lines {
    const GroupNormGradient& op;
    int64_t number;
    T mean = M::load(op.a_.mean + number);
    int64_t sample = number / op.l_.groups, own_group = number % op.l_.groups, per_group = op.l_.per_group();
    Group group = {};

    int64_t channel(int64_t c) const { return own_group * per_group + c; }
    int64_t line(int64_t c) const { return (number * per_group + c) * op.l_.pixels; }
    void sum(int64_t c) const {
      double sums[2];
      op.loops_.norms.channel_sums(op.a_.dy + line(c), op.a_.x + line(c), op.l_.pixels, mean, sums);
      M::store(sums[0], op.sums_of(sample) + channel(c));
      M::store(sums[1], op.sums_of(sample) + op.l_.channels + channel(c));
    }
    void join() { group = op.group_of(sample, own_group); }
    void gradient(int64_t c) const {
      op.loops_.norms.channel_gradient(op.a_.dy + line(c), op.a_.x + line(c), op.l_.pixels, mean,
                                       static_cast<T>(group.inverse * op.scale(channel(c))),
                                       static_cast<T>(group.shift), static_cast<T>(group.slope), op.a_.dx + line(c));
    }
  };

  /// The parts of one sample.
  struct Sample : loops::Computes {
    Sample(const GroupNormGradient& of, int64_t number, T* kept)
        : op(of),
          n(number),
          channels(op.l_.channels),
          mean(kept),
          factor(mean + channels),
          shift(factor + channels),
          slope(shift + channels),
          scratch(slope + channels) {}
    const GroupNormGradient& op;
    int64_t n, channels;
    T *mean, *factor, *shift, *slope, *scratch;

    void clear() const {
      M::fill(mean, 6 * channels, T{0});
      for (int64_t c = 0; c < channels; ++c)
        M::store(M::load(op.a_.mean + n * op.l_.groups + c / op.l_.per_group()), mean + c);
      M::fill(op.sums_of(n), 2 * channels, 0.0);
    }
    void sum() const {
      const int64_t at = n * op.l_.plane();
      op.loops_.rows.gradient_sums(op.a_.dy + at, op.a_.x + at, op.l_.pixels, channels, mean, scratch, op.sums_of(n));
    }
    void factors(int64_t g) const {
      const int64_t per_group = op.l_.per_group();
      const Group group = op.group_of(n, g);
      for (int64_t c = g * per_group; c < (g + 1) * per_group; ++c) {
        M::store(static_cast<T>(group.inverse * op.scale(c)), factor + c);
        M::store(static_cast<T>(group.shift), shift + c);
        M::store(static_cast<T>(group.slope), slope + c);
      }
    }
    void gradient(int64_t pixel) const {
      const int64_t line = n * op.l_.plane() + pixel * channels;
      op.loops_.norms.channels_gradient(op.a_.dy + line, op.a_.x + line, channels, mean, factor, shift, slope,
                                        op.a_.dx + line);
    }
  };

  const GroupNormGradientArguments<T>& a_;
};

}  // namespace engine::cpu
