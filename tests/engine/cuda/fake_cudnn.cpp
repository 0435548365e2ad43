// SPDX-License-Identifier: Apache-2.0
// A libcudnn.so.9 that convolves host memory with plain loops from what its descriptors say, as strict as the real one
// about layouts. FAKE_CUDNN=none: it has no algorithm; FAKE_CUDNN=fma: the first that multiplies matrices does without
// tensor cores; FAKE_CUDNN=more: that one wants more scratch than without it.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "engine/cuda/cudnn.h"

namespace {

using namespace engine::cuda::cudnn;  // NOLINT: its names, from the other side
constexpr int kBadParam = 2000, kNotSupported = 3000;

/// A tensor or a filter with up to five axes, or a convolution with up to three.
struct Made {
  int type = 0, axes = 0, format = 0;
  std::array<int, 5> extents{}, strides{};
  std::array<int, 3> padding{}, stride{}, dilation{};
  int groups = 1, math = 0;
};
Made& as(void* descriptor) { return *static_cast<Made*>(descriptor); }

double load(const Made& m, const void* base, int64_t at) {
  switch (m.type) {
    case kDouble: return static_cast<const double*>(base)[at];
    case kHalf: return static_cast<double>(__half2float(static_cast<const __half*>(base)[at]));
    case kBfloat16: return static_cast<double>(__bfloat162float(static_cast<const __nv_bfloat16*>(base)[at]));
    default: return static_cast<double>(static_cast<const float*>(base)[at]);
  }
}
void store(const Made& m, void* base, int64_t at, double value) {
  switch (m.type) {
    case kDouble: static_cast<double*>(base)[at] = value; return;
    case kHalf: static_cast<__half*>(base)[at] = __double2half(value); return;
    case kBfloat16: static_cast<__nv_bfloat16*>(base)[at] = __double2bfloat16(value); return;
    default: static_cast<float*>(base)[at] = static_cast<float>(value); return;
  }
}

/// Strides of a dense tensor of this format.
std::array<int, 5> dense(const Made& m) {
  std::array<int, 5> strides{};
  int next = 1;
  const auto take = [&](int axis) {
    strides[static_cast<size_t>(axis)] = next, next *= m.extents[static_cast<size_t>(axis)];
  };
  if (m.format == kChannelsLast) take(1);
  for (int axis = m.axes - 1; axis >= 2; --axis) take(axis);
  if (m.format == kChannelsFirst) take(1);
  take(0);
  return strides;
}

/// As the real one: both tensors dense in the filter's format, and extents that fit each other.
bool fits(const Made& x, const Made& w, const Made& y, const Made& c) {
  if (x.type != w.type || y.type != w.type || x.axes != w.axes || y.axes != w.axes || x.axes < 4) return false;
  for (const Made* tensor : {&x, &y}) {
    Made wanted = *tensor;
    wanted.format = w.format;
    if (dense(wanted) != tensor->strides) return false;
  }
  for (int i = 0; i < x.axes - 2; ++i) {
    const auto a = static_cast<size_t>(i);
    const int out =
        (x.extents[a + 2] + 2 * c.padding[a] - c.dilation[a] * (w.extents[a + 2] - 1) - 1) / c.stride[a] + 1;
    if (out != y.extents[a + 2]) return false;
  }
  return x.extents[0] == y.extents[0] && x.extents[1] == w.extents[1] * c.groups && y.extents[1] == w.extents[0] &&
         w.extents[0] % c.groups == 0;
}

Status choose(const Made& x, const Made& w, const Made& y, const Made& c, int* found, Choice* named) {
  const char* words = std::getenv("FAKE_CUDNN");
  const bool fma = words != nullptr && std::string_view(words) == "fma",
             more = words != nullptr && std::string_view(words) == "more";
  *found = 0;
  if (!fits(x, w, y, c)) return kBadParam;
  if (words != nullptr && std::string_view(words) == "none") return kNotSupported;
  named[(*found)++] = {.algorithm = 6,
                       .status = 0,
                       .time_ms = 1,
                       .workspace_bytes = 0,
                       .determinism = kDeterministic,
                       .math = 0,
                       .reserved = {}};  // Winograd
  named[(*found)++] = {.algorithm = 1,
                       .status = kNotSupported,
                       .time_ms = -1,
                       .workspace_bytes = 0,
                       .determinism = 0,
                       .math = 0,
                       .reserved = {}};
  named[(*found)++] = {.algorithm = 0,
                       .status = 0,
                       .time_ms = 1,
                       .workspace_bytes = more ? size_t{5000} : size_t{1000},
                       .determinism = 0,
                       .math = fma ? int{kNoTensorCores} : c.math,
                       .reserved = {}};
  named[(*found)++] = {.algorithm = 1,
                       .status = 0,
                       .time_ms = 2,
                       .workspace_bytes = 2000,
                       .determinism = kDeterministic,
                       .math = c.math,
                       .reserved = {}};
  return 0;
}

/// Calls use(x offset, w offset, y offset) for every product of the convolution.
template <class Use>
void each_product(const Made& x, const Made& w, const Made& y, const Made& c, const Use& use) {
  const std::array<int, 5> ws = dense(w);
  const int spatial = x.axes - 2;
  int outputs = 1, taps = 1;
  for (int i = 0; i < spatial; ++i)
    outputs *= y.extents[static_cast<size_t>(2 + i)], taps *= w.extents[static_cast<size_t>(2 + i)];
  const int per_group = w.extents[0] / c.groups;
  for (int n = 0; n < y.extents[0]; ++n) {
    for (int k = 0; k < w.extents[0]; ++k) {
      for (int o = 0; o < outputs; ++o) {
        for (int t = 0; t < taps; ++t) {
          int64_t xo = int64_t{n} * x.strides[0], yo = int64_t{n} * y.strides[0] + int64_t{k} * y.strides[1],
                  wo = int64_t{k} * ws[0];
          int rest_o = o, rest_t = t;
          bool inside = true;
          for (int i = spatial - 1; i >= 0; --i) {
            const auto a = static_cast<size_t>(i);
            const int at_o = rest_o % y.extents[a + 2], at_t = rest_t % w.extents[a + 2];
            rest_o /= y.extents[a + 2], rest_t /= w.extents[a + 2];
            const int at = at_o * c.stride[a] + at_t * c.dilation[a] - c.padding[a];
            inside = inside && at >= 0 && at < x.extents[a + 2];
            xo += int64_t{at} * x.strides[a + 2], yo += int64_t{at_o} * y.strides[a + 2],
                wo += int64_t{at_t} * ws[a + 2];
          }
          for (int ch = 0; inside && ch < w.extents[1]; ++ch)
            use(xo + int64_t{k / per_group * w.extents[1] + ch} * x.strides[1], wo + int64_t{ch} * ws[1], yo);
        }
      }
    }
  }
}

/// The sums are kept in doubles until the end.
template <class Use>
void add_up(const Made& result, void* out, const void* beta, const Use& use) {
  const double kept = result.type == kDouble ? *static_cast<const double*>(beta)
                                             : static_cast<double>(*static_cast<const float*>(beta));
  int64_t count = 1;
  for (int i = 0; i < result.axes; ++i) count *= result.extents[static_cast<size_t>(i)];
  std::vector<double> sums(static_cast<size_t>(count), 0);
  for (int64_t i = 0; kept != 0 && i < count; ++i) sums[static_cast<size_t>(i)] = kept * load(result, out, i);
  use(sums);
  for (int64_t i = 0; i < count; ++i) store(result, out, i, sums[static_cast<size_t>(i)]);
}

Status touch(void* workspace, size_t bytes) {
  if (bytes != 1000 && bytes != 2000) return kBadParam;
  std::memset(workspace, 0xee, bytes);
  return 0;
}

}  // namespace

extern "C" {
size_t cudnnGetVersion() { return 99901; }
const char* cudnnGetErrorString(Status status) {
  return status == kBadParam ? "CUDNN_STATUS_BAD_PARAM" : "CUDNN_STATUS_NOT_SUPPORTED";
}
Status cudnnCreate(Handle* handle) { return *handle = new int(0), 0; }
Status cudnnDestroy(Handle handle) { return delete static_cast<int*>(handle), 0; }
Status cudnnSetStream(Handle, cudaStream_t) { return 0; }

Status cudnnCreateTensorDescriptor(Descriptor* d) { return *d = new Made(), 0; }
Status cudnnDestroyTensorDescriptor(Descriptor d) { return delete &as(d), 0; }
Status cudnnSetTensorNdDescriptor(Descriptor d, int type, int axes, const int* extents, const int* strides) {
  if (axes < 4 || axes > 5) return kBadParam;
  as(d).type = type, as(d).axes = axes;
  std::copy_n(extents, axes, as(d).extents.begin());
  std::copy_n(strides, axes, as(d).strides.begin());
  return 0;
}
Status cudnnCreateFilterDescriptor(Descriptor* d) { return *d = new Made(), 0; }
Status cudnnDestroyFilterDescriptor(Descriptor d) { return delete &as(d), 0; }
Status cudnnSetFilterNdDescriptor(Descriptor d, int type, int format, int axes, const int* extents) {
  as(d).type = type, as(d).axes = axes, as(d).format = format;
  std::copy_n(extents, axes, as(d).extents.begin());
  return 0;
}
Status cudnnCreateConvolutionDescriptor(Descriptor* d) { return *d = new Made(), 0; }
Status cudnnDestroyConvolutionDescriptor(Descriptor d) { return delete &as(d), 0; }
Status cudnnSetConvolutionNdDescriptor(Descriptor d, int axes, const int* padding, const int* stride,
                                       const int* dilation, int mode, int type) {
  if (mode != kCrossCorrelation || (type != kFloat && type != kDouble)) return kBadParam;
  as(d).axes = axes;
  std::copy_n(padding, axes, as(d).padding.begin());
  std::copy_n(stride, axes, as(d).stride.begin());
  std::copy_n(dilation, axes, as(d).dilation.begin());
  return 0;
}
Status cudnnSetConvolutionMathType(Descriptor d, int math) { return as(d).math = math, 0; }
Status cudnnSetConvolutionGroupCount(Descriptor d, int groups) { return as(d).groups = groups, 0; }

Status cudnnGetConvolutionForwardAlgorithm_v7(Handle, Descriptor x, Descriptor w, Descriptor c, Descriptor y, int,
                                              int* found, Choice* named) {
  return choose(as(x), as(w), as(y), as(c), found, named);
}
Status cudnnGetConvolutionBackwardDataAlgorithm_v7(Handle, Descriptor w, Descriptor y, Descriptor c, Descriptor x, int,
                                                   int* found, Choice* named) {
  return choose(as(x), as(w), as(y), as(c), found, named);
}
Status cudnnGetConvolutionBackwardFilterAlgorithm_v7(Handle, Descriptor x, Descriptor y, Descriptor c, Descriptor w,
                                                     int, int* found, Choice* named) {
  return choose(as(x), as(w), as(y), as(c), found, named);
}

Status cudnnConvolutionForward(Handle, const void*, Descriptor xd, const void* x, Descriptor wd, const void* w,
                               Descriptor c, int, void* workspace, size_t bytes, const void* beta, Descriptor yd,
                               void* y) {
  add_up(as(yd), y, beta, [&](std::vector<double>& sums) {
    each_product(as(xd), as(wd), as(yd), as(c), [&](int64_t xo, int64_t wo, int64_t yo) {
      sums[static_cast<size_t>(yo)] += load(as(xd), x, xo) * load(as(wd), w, wo);
    });
  });
  return touch(workspace, bytes);
}
Status cudnnConvolutionBackwardData(Handle, const void*, Descriptor wd, const void* w, Descriptor yd, const void* y,
                                    Descriptor c, int, void* workspace, size_t bytes, const void* beta, Descriptor xd,
                                    void* x) {
  add_up(as(xd), x, beta, [&](std::vector<double>& sums) {
    each_product(as(xd), as(wd), as(yd), as(c), [&](int64_t xo, int64_t wo, int64_t yo) {
      sums[static_cast<size_t>(xo)] += load(as(yd), y, yo) * load(as(wd), w, wo);
    });
  });
  return touch(workspace, bytes);
}
Status cudnnConvolutionBackwardFilter(Handle, const void*, Descriptor xd, const void* x, Descriptor yd, const void* y,
                                      Descriptor c, int, void* workspace, size_t bytes, const void* beta, Descriptor wd,
                                      void* w) {
  add_up(as(wd), w, beta, [&](std::vector<double>& sums) {
    each_product(as(xd), as(wd), as(yd), as(c), [&](int64_t xo, int64_t wo, int64_t yo) {
      sums[static_cast<size_t>(wo)] += load(as(xd), x, xo) * load(as(yd), y, yo);
    });
  });
  return touch(workspace, bytes);
}
}
