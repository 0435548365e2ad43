// SPDX-License-Identifier: Apache-2.0
// What our own convolutions share beside their loops (convolution_own_loops.h, depthwise_loops.h): columns of an image
// (im2col) are made a tile of pixels at a time, so that no more than a cache's worth of them exists.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/kernels/convolution/convolution_loops.h"
#include "engine/kernels/core/context.h"
#include "engine/runtime/backend.h"

namespace engine::cpu {

using loops::ColumnTile;
using loops::ConvolutionGeometry;
using loops::in_lines;

ConvolutionGeometry convolution_geometry(const Attributes&, const TensorType& x, const TensorType& weight,
                                         const TensorType& y);

inline loops::ImageLayout layout_of(const Tensor& images) {
  return loops::ImageLayout::of(images.shape(), images.strides());
}

/// For one tap alone: x [rows][channel] of those pixels that find it inside of x, and which of the tile they are; their
/// number.
template <class T>
int64_t fill_rows_inside(const ConvolutionGeometry&, const loops::ImageLayout&, const T* x, const ColumnTile&,
                         int64_t tap, T* rows, std::vector<int64_t>& pixels);

/// Weights as loops::WeightPacking says. Whether all of them are finite.
template <class T>
bool pack_weights(const ConvolutionGeometry&, const Tensor& weight, bool outputs_last, T* packed, int threads);

/// f32 and f64.
bool own_convolution_computes(DType);
/// That, and oneDNN, which comes first, does not compute it.
bool own_convolution_is_asked(Context&, const Node&, const Call&);
/// own_convolution_is_asked(), without which there is no workspace, and all operands are of one type.
bool own_convolution_takes(Context&, const PrepareRequest&);
KernelFacts own_convolution_facts(bool reads_image);

enum class ConvolutionPass { forward, by_input, by_weight };
/// A group per channel; else null. Where channels do not lie side by side the images are copied so. Takes of the
/// workspace what the copies and packed weights take.
std::unique_ptr<PreparedOp> prepare_depthwise(Context&, const PrepareRequest&, const ConvolutionGeometry&,
                                              ConvolutionPass);
/// Of such convolutions; 0 for others.
int64_t depthwise_workspace(Context&, const Node&, const Call&, const ConvolutionGeometry&);

// The gradients; forward is in convolution_own.cpp, which lists all of them.
std::unique_ptr<PreparedOp> prepare_own_convolution_grad_input(Context&, const PrepareRequest&);
int64_t own_convolution_grad_input_workspace(Context&, const Node&, const Call&);
std::unique_ptr<PreparedOp> prepare_own_convolution_grad_weight(Context&, const PrepareRequest&);
int64_t own_convolution_grad_weight_workspace(Context&, const Node&, const Call&);

}  // namespace engine::cpu
