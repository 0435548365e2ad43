// SPDX-License-Identifier: Apache-2.0
// Which bytes each op of a graph touches, and in which order: loops without their arithmetic. Nothing is computed; a
// run never asks.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/graph/graph.h"
#include "engine/kernels/core/access.h"
#include "engine/tensor/operand_copies.h"

namespace engine::access {

/// A tensor where it lies.
struct Operand {
  TensorType type;
  uint64_t address = 0;  ///< of element (0, ..., 0)
  uint32_t tensor = 0;
};

/// How many bytes from OpCall::workspace_address on a description may name: packed panels and what kernels keep between
/// products.
inline constexpr uint64_t kWorkspaceBytes = uint64_t{256} << 20;

struct OpCall {
  const Node& node;
  std::vector<Operand> inputs, outputs;
  uint64_t workspace_address = 0;  ///< packed panels, and what is kept for a moment
  uint64_t workspace_bytes = kWorkspaceBytes;
  uint32_t workspace_tensor = 0;
  int vector_bytes = 64;                          ///< of the vector registers
  int64_t first_level_bytes = int64_t{32} << 10;  ///< of the first cache level, within which libraries choose tiles
  /// m, where a convolution is by Winograd's F(m x m, 3 x 3); 0: direct sums. Its transformed weights, (m + 2)^2 per
  /// pair of channels, lie at winograd_weights where they are constant.
  int winograd_tile = 0;
  uint64_t winograd_weights = 0;
  bool by_images = true;  ///< a folded convolution that may go image by image does (goes_by_images(); threads may have
                          ///< spoken against it)
  bool plain_weights = true;  ///< a convolution's gradient that may be a product over plain weights is
                              ///< (convolution_rule::is_product(); likewise)
  bool own_products = false;  ///< products inside of attention and recurrent layers are by own loops; else they are
                              ///< modelled as a library's
  bool packed_steps =
      false;  ///< a recurrent layer's products with states are of weights that a library packed once for all steps,
  bool packed_inputs = false;              ///< or those with x; one step at a time, then
  std::vector<uint64_t> kept_copies = {};  ///< per input: address of a copy that was made before the step; 0, or beyond
                                           ///< the last: none, what has to be is copied in the step
  OperandCopies copies = {};  ///< on which the kernel that ran computed, in the workspace (describe_on_copies());
                              ///< whether it widens, the catalog knows of most ops
  bool own_convolution =
      false;        ///< a convolution is by our own products or depthwise loops (KernelFacts::own_convolution)
  int threads = 1;  ///< that ran: tiles of own convolutions and gradients of maxima are cut for so many, and each has
                    ///< scratch of its own
  bool constant_weights =
      false;  ///< weights of convolutions were packed before the step: they are read, in blocks, and not packed again
};

/// How a description relates to what runs.
enum class Fidelity : uint8_t {
  loops,     ///< the loops of our kernels
  modelled,  ///< tiles as libraries make them, sizes assumed; indices, which nobody knows before the run: evenly
             ///< spread; what the reference computes
  assumed,   ///< every operand once, in the order of memory
};
std::string_view name(Fidelity);

/// Says what one op accesses, as one thread would. Views access nothing.
Fidelity describe(const OpCall&, AccessSink&);

/// One operand of a walk over a common shape: byte strides per axis (0: broadcast).
struct WalkOperand {
  uint64_t address = 0;
  std::vector<int64_t> strides;
  uint32_t tensor = 0;
  uint16_t bytes = 4;
  AccessKind kind = AccessKind::load;
};
/// All elements of `shape`, the operands in lockstep, in the order in which the last one lies in memory; at most 16
/// operands.
void walk(const Shape& shape, const std::vector<WalkOperand>& operands, AccessSink&);
/// The same tile by tile where operands lie across each other (loops::tiled()), as elementwise ops and copies go.
void walk_tiles(const Shape& shape, const std::vector<WalkOperand>& operands, AccessSink&);
/// `operand` as part of a walk over `shape`, to which its shape broadcasts (aligned at the last axis).
WalkOperand part_of_walk(const Operand& operand, const Shape& shape, AccessKind kind);
/// Every element once.
void walk_alone(const Operand&, AccessKind, AccessSink&);

/// A product of two matrices inside of another op.
struct InnerProduct {
  uint64_t scratch = 0;     ///< address of its panels
  bool accumulate = false;  ///< onto what c holds
  bool scaled = false;      ///< own loops make a times a number first (engine/kernels/gemm/inner_product_loops.h)
};
/// By own tiles, or as a library would: OpCall::own_products.
void describe_product(const OpCall&, const Operand& a, const Operand& b, const Operand& c, const InnerProduct&,
                      AccessSink&);
/// By own tiles in any case; never scaled.
void describe_tiles(const OpCall&, const Operand& a, const Operand& b, const Operand& c, const InnerProduct&,
                    AccessSink&);
/// Elements of the panels that an own product takes; columns of one.
int64_t panel_elements(const OpCall&, int64_t element_bytes, int64_t m, int64_t n, int64_t k);
int64_t panel_columns(const OpCall&, int64_t element_bytes);

/// Gradients of 3x3 convolutions over few pixels (convolution_rule.h), whose weights stay as they lie. False: not of
/// that kind.
bool describe_convolution_product(const OpCall&, bool of_input, const Operand& x, const Operand& w, const Operand& y,
                                  AccessSink&);

/// Operands copied into the workspace, as the kernel does, `describe` on those, and the results copied back: of ops
/// that the catalog (describe_access.cpp) says so of, and where OpCall::copies does. False: there are none, they do not
/// fit, or `describe` says so.
bool describe_on_copies(const OpCall&, const OperandCopies&, bool (*describe)(const OpCall&, AccessSink&), AccessSink&);

// One function per family; false: not for these types, so that the op is `assumed`.
bool describe_matrix_product(const OpCall&, AccessSink&);
bool describe_convolution(const OpCall&, AccessSink&);
/// By our own products over columns of the image, or by depthwise loops: OpCall::own_convolution.
bool describe_own_convolution(const OpCall&, AccessSink&);
/// By our own Winograd's minimal filtering: OpCall::winograd_tile is not 0, and OpCall::own_products.
bool describe_winograd(const OpCall&, AccessSink&);
/// Told of pixels of y that lie side by side, `count` from `first` on of those of all images, once they are written:
/// whole rows, or a part of one.
using FinishedPixels = std::function<void(int64_t first, int64_t count)>;
bool describe_winograd(const OpCall&, AccessSink&, const FinishedPixels&);
bool describe_ladder(const OpCall&, AccessSink&);
bool describe_softmax(const OpCall&, AccessSink&);
bool describe_cross_entropy(const OpCall&, AccessSink&);
bool describe_cross_entropy_grad(const OpCall&, AccessSink&);
bool describe_norm(const OpCall&, AccessSink&);
bool describe_norm_grad(const OpCall&, AccessSink&);
bool describe_pooling(const OpCall&, AccessSink&);
bool describe_pooling_by_rows(const OpCall&, AccessSink&);
bool describe_gather(const OpCall&, AccessSink&);
bool describe_batch_norm_training(const OpCall&, AccessSink&);
bool describe_batch_norm_inference(const OpCall&, AccessSink&);
bool describe_batch_norm_grad(const OpCall&, AccessSink&);
bool describe_batch_norm_by_sweeps(const OpCall&, AccessSink&);
bool describe_average_pooling_grad(const OpCall&, AccessSink&);
bool describe_max_pooling_grad(const OpCall&, AccessSink&);
bool describe_volume_pooling(const OpCall&, AccessSink&);
bool describe_average_volume_pooling_grad(const OpCall&, AccessSink&);
bool describe_max_volume_pooling_grad(const OpCall&, AccessSink&);
bool describe_pooling_grad_by_rows(const OpCall&, AccessSink&);
bool describe_gather_grad(const OpCall&, AccessSink&);
bool describe_reduction(const OpCall&, AccessSink&);
bool describe_reduction_by_walk(const OpCall&, AccessSink&);
bool describe_group_norm(const OpCall&, AccessSink&);
bool describe_group_norm_grad(const OpCall&, AccessSink&);
bool describe_group_norm_by_sweeps(const OpCall&, AccessSink&);
bool describe_chase(const OpCall&, AccessSink&);
bool describe_concat(const OpCall&, AccessSink&);
bool describe_slice_grad(const OpCall&, AccessSink&);
bool describe_write_slice(const OpCall&, AccessSink&);
bool describe_arg(const OpCall&, AccessSink&);
bool describe_hardmax(const OpCall&, AccessSink&);
bool describe_one_hot(const OpCall&, AccessSink&);
bool describe_embedding_bag(const OpCall&, AccessSink&);
bool describe_gather_elements(const OpCall&, AccessSink&);
bool describe_scatter_elements(const OpCall&, AccessSink&);
bool describe_scatter_nd(const OpCall&, AccessSink&);
bool describe_triangle(const OpCall&, AccessSink&);
bool describe_pad(const OpCall&, AccessSink&);
bool describe_tile(const OpCall&, AccessSink&);
bool describe_nearest_resize(const OpCall&, AccessSink&);
bool describe_resize(const OpCall&, AccessSink&);
bool describe_resize_grad(const OpCall&, AccessSink&);
bool describe_response_norm(const OpCall&, AccessSink&);
bool describe_cumulative_sum(const OpCall&, AccessSink&);
bool describe_dynamic_quantization(const OpCall&, AccessSink&);
bool describe_clip(const OpCall&, AccessSink&);
bool describe_once(const OpCall&, AccessSink&);
bool describe_round_trip(const OpCall&, AccessSink&);
/// Matrices of as many experts as can be named.
bool describe_experts(const OpCall&, AccessSink&);
bool describe_recurrent(const OpCall&, AccessSink&);
bool describe_recurrent_grad(const OpCall&, AccessSink&);
bool describe_attention(const OpCall&, AccessSink&);
bool describe_attention_grad(const OpCall&, AccessSink&);
/// Whether no library's product is in it.
bool is_own_attention(const OpCall&);
/// Fused ops. `begins_with_call`: the first member is not elementwise and writes the result, over which the others then
/// go.
Fidelity describe_fused(const OpCall&, bool begins_with_call, AccessSink&);

}  // namespace engine::access
