// SPDX-License-Identifier: Apache-2.0
// Local response normalisation and its gradient: what the parts of response_norm_loops.h access. In the workspace: its
// scratch.
#include "engine/kernels/norms/response_norm_loops.h"

#include "engine/kernels/core/passes_access.h"

namespace engine::access {
namespace {

struct DescribedResponse {
  const OpCall& call;
  AccessSink& sink;

  Passes along(int64_t count) const { return {count, call.vector_bytes, sink}; }
  Line x(int64_t at) const { return neighbours(call.inputs.back(), at); }
  Line dy(int64_t at) const { return neighbours(call.inputs[0], at); }
  Line y(int64_t at) const { return neighbours(call.outputs[0], at); }
  Line scratch(int64_t at) const { return in_workspace(call, at * static_cast<int64_t>(sizeof(float)), sizeof(float)); }

  void zero(int64_t to, int64_t count) { along(count).one_by_one(count, {{scratch(to), kStore}}); }
  void square(int64_t at, int64_t count, int64_t to) { along(count).all({{x(at)}, {scratch(to), kStore}}); }
  void add(int64_t from, int64_t count, int64_t to) {
    along(count).all({{scratch(to)}, {scratch(from)}, {scratch(to), kStore}});
  }
  void normalize(int64_t at, int64_t sums, int64_t count) {
    along(count).all({{x(at)}, {scratch(sums)}, {y(at), kStore}});
  }
  void terms(int64_t at, int64_t sums, int64_t count, int64_t to) {
    along(count).all({{dy(at)}, {x(at)}, {scratch(sums)}, {scratch(to), kStore}});
  }
  void gradient(int64_t at, int64_t sums, int64_t term_sums, int64_t count) {
    along(count).all({{dy(at)}, {x(at)}, {scratch(sums)}, {scratch(term_sums)}, {y(at), kStore}});
  }
};

}  // namespace

bool describe_response_norm(const OpCall& call, AccessSink& sink) {
  const TensorType& y = call.outputs[0].type;
  loops::ResponseShape shape = loops::ResponseShape::of(y.shape, y.strides);
  if (shape.batch == 0 || y.elements() == 0 || y.dtype != DType::float32) return false;
  for (const Operand& o : call.inputs) {
    const loops::ResponseShape other = loops::ResponseShape::of(o.type.shape, o.type.strides);
    if (o.type.dtype != y.dtype || other.batch != shape.batch || other.channels_last != shape.channels_last)
      return false;
  }
  shape.set_size(call.node.attributes.get_int("size", 5));
  shape.gradient = call.inputs.size() == 2;
  if (shape.scratch_elements() > static_cast<int64_t>(call.workspace_bytes / sizeof(float))) return false;
  DescribedResponse parts{call, sink};
  for (int64_t piece = 0; piece < shape.pieces() && !sink.stopped(); ++piece)
    loops::response_piece(shape, piece, parts);
  return true;
}

}  // namespace engine::access
