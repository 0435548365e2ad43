// SPDX-License-Identifier: Apache-2.0
// CapturedStep: one step of a capture as the accesses of its ops, rebuilt from op names, shapes, strides, attributes
// and addresses. It needs neither workload nor device.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernels/core/describe_access.h"
#include "profiler/capture/capture.h"
#include "profiler/memory/cache_state.h"

namespace profiler {

class CapturedStep {
 public:
  /// Streams name capture tensors that own bytes; packed panels of a kernel are the tensor panels(). Refused where the
  /// tensors do not fit below `address_limit`, or the run was not on a processor with caches (GPUs, the null device).
  static engine::Result<CapturedStep> make(std::shared_ptr<const Capture>, uint64_t address_limit);

  const Capture& capture() const { return *capture_; }
  /// Why an op's accesses are unknown; empty: they are described.
  const std::string& objection(OpId op) const { return objections_[op]; }
  /// Says what one op accesses, see describe_as_run(); views access nothing. CHECKs that there is no objection.
  engine::access::Fidelity describe(OpId op, engine::AccessSink& sink) const;
  /// The call itself, for descriptions with tensor numbers of one's own.
  const engine::access::OpCall& call(OpId op) const { return calls_[op]; }

  TensorId panels() const { return static_cast<TensorId>(capture_->tensors().size()); }
  uint32_t tensor_count() const { return panels() + 1; }
  uint64_t panels_address() const { return panels_address_; }
  /// Where a tensor that owns bytes lies.
  uint64_t address(TensorId tensor) const { return addresses_[tensor]; }

 private:
  CapturedStep() = default;
  std::string rebuild(const OpRecord&, bool packs_before);
  uint64_t place_beyond(double bytes);
  uint64_t place_kept_copy(const engine::OperandCopies&, const engine::TensorType&);
  bool place_winograd_weights(engine::access::OpCall&);

  std::shared_ptr<const Capture> capture_;
  std::vector<uint64_t> addresses_;                   // by tensor, of its owner's bytes
  std::vector<engine::access::Operand> operands_;     // by tensor, where its element 0 lies
  std::vector<std::unique_ptr<engine::Node>> nodes_;  // by op
  std::vector<engine::access::OpCall> calls_;
  std::vector<std::string> objections_;
  uint64_t panels_address_ = 0;
  uint64_t beyond_panels_ = 0, address_limit_ = 0;  // where weights go that a kernel keeps in a form of its own
};

/// Whose bytes lie where at one moment of a step: what write-backs are charged to. Tensors of the arena take each
/// other's place.
class TensorOwners {
 public:
  explicit TensorOwners(const CapturedStep&);
  /// From now on the bytes of this op's outputs are theirs; true: something changed.
  bool produce(OpId);
  std::vector<TensorRange> ranges() const;

 private:
  void assign(uint64_t begin, uint64_t end, TensorId);
  const CapturedStep& step_;
  struct Piece {
    uint64_t end;
    TensorId tensor;
  };
  std::map<uint64_t, Piece> pieces_;
};

/// Describes a call as the kernel of these facts runs it. Its stores go past the caches where the kernel's do. Library
/// kernels and reference code are `modelled` at best.
engine::access::Fidelity describe_as_run(const engine::access::OpCall&, const engine::KernelFacts& kernel,
                                         engine::AccessSink&);

/// How access_note() begins where they are modelled: read again from captures, whose notes are kept as words.
inline constexpr std::string_view kModelledAccesses = "accesses modelled";
/// "accesses by the loops of our kernel": how the accesses of an op are known, for people. Facts of captures have no
/// name: it is the op's.
std::string access_note(engine::access::Fidelity, const engine::KernelFacts& kernel, std::string_view kernel_name);

}  // namespace profiler
