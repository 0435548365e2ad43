// SPDX-License-Identifier: Apache-2.0
// DescribedRun: one step of a workload as the accesses of its ops, at the addresses the memory plan gives; nothing
// runs.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "app/base/workbench.h"
#include "profiler/memory/captured_access.h"

namespace app {

class DescribedRun {
 public:
  /// Tensors are the values that own bytes (views are their owners'), then packed panels, then what the arena still
  /// holds when it is written back. Refused where all of it does not fit below `address_limit`.
  static engine::Result<DescribedRun> make(const RunRequest&, uint64_t address_limit);

  struct Tensor {
    std::string name;
    engine::Role role = engine::Role::workspace;
    int64_t size_bytes = 0;
  };
  const profiler::CapturedStep& captured() const { return step_; }
  const std::string& title() const { return title_; }
  const std::vector<Tensor>& tensors() const { return tensors_; }
  const std::vector<profiler::TensorRange>& ranges() const { return ranges_; }
  size_t op_count() const { return step_.capture().ops().size(); }
  /// "naive/ladder_product"; empty for views, which access nothing.
  std::string op_name(size_t op) const;
  std::string_view op_type(size_t op) const { return step_.capture().name(step_.capture().ops()[op].type); }
  /// What one op accesses.
  engine::access::Fidelity op(size_t op, engine::AccessSink& sink) const {
    return step_.describe(static_cast<profiler::OpId>(op), sink);
  }
  /// What one step accesses, op by op.
  void step(engine::AccessSink&) const;
  struct HowKnown {
    std::array<int, 3> ops{};          ///< indexed by Fidelity; views left out
    std::vector<std::string> assumed;  ///< names of those with every operand once
    int products = 0;  ///< of those by our own loops: matrix multiplications, for which a run may choose a library
  };
  HowKnown how_known() const;

 private:
  explicit DescribedRun(profiler::CapturedStep step) : step_(std::move(step)) {}

  std::string title_;
  profiler::CapturedStep step_;
  std::vector<Tensor> tensors_;
  std::vector<profiler::TensorRange> ranges_;
};

}  // namespace app
