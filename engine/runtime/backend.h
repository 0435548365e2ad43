// SPDX-License-Identifier: Apache-2.0
// Backend: what a device does: allocate, copy, and make ops ready to run.
#pragma once

#include <memory>
#include <string>

#include "engine/graph/graph.h"
#include "engine/graph/kernel_facts.h"
#include "engine/runtime/observer.h"
#include "engine/tensor/device.h"

namespace engine {

/// One op made ready: kernel chosen, addresses and library primitives resolved. Running it only computes.
class PreparedOp {
 public:
  virtual ~PreparedOp() = default;
  virtual void run() = 0;
  /// What the kernel is and does. Its name ("oneDNN brgconv:avx512_core", "own relu (AVX2)", "reference") is shown
  /// beside the op and decides nothing.
  virtual KernelFacts facts() const = 0;
  std::string kernel_name() const { return facts().name; }
  CodeKind code() const { return facts().code; }
  /// Whether the first run alone reads input `input`, a constant one: what it was packed into is kept.
  virtual bool reads_once(size_t /*input*/) const { return false; }
  /// FLOPs of the op's definition that this kernel does without (Winograd's convolutions); else 0.
  virtual double spared_flops() const { return 0; }
  /// Reports copies between devices and stages of loaders since the last call. `op`: its number in the plan. Called
  /// after run(), outside the op's own time.
  virtual void report(Observer&, uint32_t /*op*/) {}
  /// Whether report() has anything to tell, ever.
  virtual bool reports() const { return false; }
  /// Whether run() only submits work to the device: it can then be part of what Backend::begin_graph() notes down.
  virtual bool only_submits() const { return true; }
};

/// A kernel that does less arithmetic than its op's definition.
struct Shortcut {
  KernelFacts facts = unknown_facts();  ///< its name is how the kernel's begins; empty: prepare() takes no such kernel
  double spared_flops = 0;              ///< PreparedOp::spared_flops()
};

struct PrepareRequest {
  const Node& node;
  KernelArguments arguments;
  /// workspace: as many bytes as workspace_bytes() asked for, shared by all ops of a plan; may be null when that was 0.
  std::byte* workspace = nullptr;
  /// inputs_constant[i]: input i never changes between steps (inference weights): it may be packed once.
  std::vector<bool> inputs_constant;
  /// Bytes at `workspace`. A backend takes no kernel that wants more: what it asked for may have been less than what it
  /// would use now.
  int64_t workspace_bytes = kAsAskedFor;
  /// Whoever asks has made sure that there is as much as workspace_bytes() says of the same operands.
  static constexpr int64_t kAsAskedFor = -1;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual const DeviceInfo& info() const = 0;
  virtual int threads() const = 0;
  /// Refused with the bytes asked and the bytes there are.
  virtual Result<std::shared_ptr<Storage>> allocate(int64_t size_bytes) = 0;
  /// Copies between tensors of equal shape and dtype; either may live on the host.
  virtual Result<void> copy(const Tensor& from, const Tensor& to) = 0;
  /// Whether this backend has a kernel for the op at these types (the reference counts); the error names op, dtype and
  /// device.
  virtual Result<void> supports(const Node&, const Call&) const = 0;
  /// Scratch bytes the op's kernel wants while it runs.
  virtual int64_t workspace_bytes(const Node&, const Call&) const = 0;
  virtual Result<std::unique_ptr<PreparedOp>> prepare(const PrepareRequest&) = 0;
  /// What prepare() will do of this kind: for those who predict a run. `constant_weights`: input 1 never changes.
  virtual Shortcut shortcut(const Node&, const Call&, bool /*constant_weights*/) const { return {}; }
  /// Waits until all submitted work is done.
  virtual void synchronize() = 0;
  /// From here to end_graph(), work that ops submit is recorded instead of run. The op that end_graph() returns runs
  /// all of it in one launch (a CUDA graph). Refused where the device has nothing of the kind.
  virtual Result<void> begin_graph() {
    return usage_error("[--graph] replay: only GPUs (--device cuda) launch a whole step at once; use --graph static");
  }
  virtual Result<std::unique_ptr<PreparedOp>> end_graph() { return begin_graph().error(); }
};

}  // namespace engine
