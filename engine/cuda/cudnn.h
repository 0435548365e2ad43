// SPDX-License-Identifier: Apache-2.0
// cuDNN, opened by name when it is on the machine: the few functions of its convolutions, and convolutions made ready
// with it. Its header is not needed: names, numbers and argument lists below are those of cuDNN 8 and 9 (cudnn_graph.h,
// cudnn_ops.h, cudnn_cnn.h), which tests/engine/cuda/cudnn_test.cpp holds against the real header where there is one.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/base/library_search.h"
#include "engine/cuda/convolution.h"
#include "engine/cuda/kernels.h"

namespace engine::cuda {

namespace cudnn {

using Handle = void*;      ///< cudnnHandle_t
using Descriptor = void*;  ///< of a tensor, a filter or a convolution
using Status = int;        ///< cudnnStatus_t; 0: success

enum DataType : int { kFloat = 0, kDouble = 1, kHalf = 2, kBfloat16 = 9 };
enum Format : int { kChannelsFirst = 0, kChannelsLast = 1 };
enum Math : int { kDefaultMath = 0, kTensorCores = 1, kNoTensorCores = 3 };
inline constexpr int kCrossCorrelation = 1, kDeterministic = 1;

/// cudnnConvolutionFwdAlgoPerf_t and its two likes.
struct Choice {
  int algorithm;
  Status status;
  float time_ms;
  size_t workspace_bytes;
  int determinism, math, reserved[3];
};

/// cudnnGetConvolutionForwardAlgorithm_v7 (x, w, y), ...BackwardData... (w, dy, dx), ...BackwardFilter... (x, dy, dw).
using Choose = Status (*)(Handle, Descriptor, Descriptor, Descriptor convolution, Descriptor, int wanted, int* found,
                          Choice*);
/// cudnnConvolutionForward and its two likes, operands in the same order.
using Convolve = Status (*)(Handle, const void* alpha, Descriptor, const void*, Descriptor, const void*,
                            Descriptor convolution, int algorithm, void* workspace, size_t workspace_bytes,
                            const void* beta, Descriptor, void*);

}  // namespace cudnn

struct CudnnFunctions {
  size_t (*version)() = nullptr;
  const char* (*error_string)(cudnn::Status) = nullptr;
  cudnn::Status (*create)(cudnn::Handle*) = nullptr;
  cudnn::Status (*destroy)(cudnn::Handle) = nullptr;
  cudnn::Status (*set_stream)(cudnn::Handle, cudaStream_t) = nullptr;
  cudnn::Status (*create_tensor)(cudnn::Descriptor*) = nullptr;
  cudnn::Status (*destroy_tensor)(cudnn::Descriptor) = nullptr;
  cudnn::Status (*set_tensor)(cudnn::Descriptor, int type, int axes, const int* extents, const int* strides) = nullptr;
  cudnn::Status (*create_filter)(cudnn::Descriptor*) = nullptr;
  cudnn::Status (*destroy_filter)(cudnn::Descriptor) = nullptr;
  cudnn::Status (*set_filter)(cudnn::Descriptor, int type, int format, int axes, const int* extents) = nullptr;
  cudnn::Status (*create_convolution)(cudnn::Descriptor*) = nullptr;
  cudnn::Status (*destroy_convolution)(cudnn::Descriptor) = nullptr;
  cudnn::Status (*set_convolution)(cudnn::Descriptor, int axes, const int* padding, const int* stride,
                                   const int* dilation, int mode, int type) = nullptr;
  cudnn::Status (*set_math)(cudnn::Descriptor, int math) = nullptr;
  cudnn::Status (*set_groups)(cudnn::Descriptor, int groups) = nullptr;
  cudnn::Choose choose[3] = {};      ///< by Convolve
  cudnn::Convolve convolve[3] = {};  ///< by Convolve
};

class Cudnn {
 public:
  /// See search_cudnn(). Null when it is not there or does not start; `why` then says so.
  static std::shared_ptr<Cudnn> open(cudaStream_t, std::string& why);
  ~Cudnn();
  Cudnn(const Cudnn&) = delete;
  Cudnn& operator=(const Cudnn&) = delete;

  const CudnnFunctions& functions() const { return functions_; }
  cudnn::Handle handle() const { return handle_; }
  /// "cuDNN 9.28.0".
  std::string name() const;
  /// Where it was looked for and what was found; starts nothing.
  static LibraryReport report();

  /// What cudnn_workspace() asked for: the heuristic is asked again when the op is prepared, and may by then want more.
  void reserve(const Convolution&, size_t bytes);
  size_t reserved(const Convolution&) const;  ///< 0: nothing was

 private:
  Cudnn() = default;
  CudnnFunctions functions_;
  cudnn::Handle handle_ = nullptr;
  mutable std::mutex mutex_;
  std::map<std::vector<int64_t>, size_t> reserved_;  ///< by all that tells convolutions apart
};

/// Scratch bytes of prepare_cudnn(); 0 where it will not do it. They are remembered: prepare_cudnn() takes no algorithm
/// that needs more.
int64_t cudnn_workspace(const Context&, const Convolution&);
/// The convolution made ready. Null, with the reason in `why`, where cuDNN cannot: layouts it has no algorithm for,
/// uneven padding, mixed dtypes.
PreparedKernel prepare_cudnn(Context&, const PrepareRequest&, const Convolution&, std::string& why);

}  // namespace engine::cuda
