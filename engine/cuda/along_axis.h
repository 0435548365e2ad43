// SPDX-License-Identifier: Apache-2.0
// Work along one axis on the GPU: softmax and its kin, the greatest element, running sums; softmax with cross entropy.
#pragma once

#include "engine/cuda/data.h"
#include "engine/cuda/elementwise.h"
#include "engine/cuda/launch.h"

namespace engine::cuda {

enum class Along : uint8_t {
  softmax,
  softmax_grad,
  log_softmax,
  log_softmax_grad,
  hardmax,
  argmax,
  argmin,
  cumulative_sum
};

struct AlongAxis {
  Along kind = Along::softmax;
  Arithmetic arithmetic = Arithmetic::float32;
  Data y, a, b;   ///< b: y of the forward op, where it is a gradient
  Walk<3> lines;  ///< [0] = y, [1] = a, [2] = b: where each line begins
  int64_t length = 1;
  int64_t step[3] = {};                     ///< from element to element of a line
  bool last = false;                        ///< argmax, argmin: of equals the last
  bool exclusive = false, reverse = false;  ///< cumulative_sum
};
cudaError_t launch(const Launcher&, const AlongAxis&);

struct CrossEntropy {
  bool wide = false;  ///< in double
  Data scores, labels, loss, probabilities;
  int64_t batch = 0, classes = 0;
  int64_t score_strides[2] = {}, probability_strides[2] = {}, label_stride = 0;
  void* row_losses = nullptr;  ///< one per sample, in float or double
};
cudaError_t launch(const Launcher&, const CrossEntropy&);

/// dlogits = dloss / batch * (probabilities - one_hot(labels)).
struct CrossEntropyGrad {
  bool wide = false;
  Data dloss, probabilities, labels, result;
  int64_t batch = 0, classes = 0;
  int64_t probability_strides[2] = {}, result_strides[2] = {}, label_stride = 0;
};
cudaError_t launch(const Launcher&, const CrossEntropyGrad&);

}  // namespace engine::cuda
