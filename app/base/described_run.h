// SPDX-License-Identifier: Apache-2.0
// DescribedRun: one step of a workload as the accesses of its ops, at the addresses the memory plan gives; nothing runs.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "app/base/workbench.h"
#include "engine/access/describe.h"
#include "engine/runtime/plan.h"
#include "profiler/memory/cache_state.h"

namespace app {

class DescribedRun {
 public:
  /// Tensors are the values that own bytes (views are their owners'), then the workspace. Refused where all of it does not fit below
  /// `address_limit`.
  static engine::Result<DescribedRun> make(const RunRequest&, uint64_t address_limit);

  struct Tensor {
    std::string name;
    engine::Role role = engine::Role::workspace;
    int64_t size_bytes = 0;
  };
  const std::string& title() const { return title_; }
  const std::vector<Tensor>& tensors() const { return tensors_; }
  const std::vector<profiler::TensorRange>& ranges() const { return ranges_; }
  size_t op_count() const { return calls_.size(); }
  /// "naive/ladder_product"; empty for views, which access nothing.
  std::string op_name(size_t op) const;
  /// What one op accesses.
  void op(size_t op, engine::AccessSink& sink) const { engine::access::describe(calls_[op], sink); }
  /// What one step accesses, op by op. `stop`, if given, is asked between ops.
  void step(engine::AccessSink&, const std::atomic<bool>* stop = nullptr) const;
  /// Ops by how their accesses are known (indexed by Fidelity), views left out.
  std::array<int, 3> fidelities() const;

 private:
  std::string title_;
  std::shared_ptr<const engine::Graph> graph_;
  std::vector<Tensor> tensors_;
  std::vector<profiler::TensorRange> ranges_;
  std::vector<engine::access::OpCall> calls_;
};

}  // namespace app
