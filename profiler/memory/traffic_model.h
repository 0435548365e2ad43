// SPDX-License-Identifier: Apache-2.0
// Traffic model: bytes that cross each link of the memory hierarchy, per op and operand, in the
// steady state.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "profiler/capture/capture.h"
#include "profiler/memory/op_access.h"

namespace profiler {

using RoleBytes = std::array<double, engine::kRoleCount>;  ///< indexed by Role

/// Modelled traffic of all ops of a step. Links are ordered DRAM side first: DRAM->L3, L3->L2, L2->L1, L1->core.
///
/// Model: one LRU stack over byte ranges per level. Views and in-place outputs are their root tensor's bytes. Tensors
/// that share an arena address share cache lines. A stack has the level's effective size times the instances that the
/// threads of the op use. An op streams its operands in lockstep, batch norm its inputs twice. A byte hits when fewer
/// distinct bytes than the capacity were touched since its last use. Stores allocate (a missing line is read first)
/// unless the kernel's facts have streaming stores. Dirty bytes cross a link when they are evicted; the operand that
/// wrote them is charged. Two passes over the step: the first warms the hierarchy, the second is counted. GEMMs also
/// re-read operands, at least to the I/O lower bound 2 macs / sqrt(S) of a memory of S elements. Source: Smith, Lowery,
/// van de Geijn 2019, arXiv 1702.02017. Convolutions with window reuse R: 2 macs / sqrt(R S) (Chen, Han, Wang 2020,
/// arXiv 1911.05662). On the link L1->core S is the vector register file. A chain of loads fetches a line per load
/// wherever its lines exceed a cache. Winograd's filtering reads the transformed weights in place of those of the graph
/// (transformed_weights()). Where each step makes them, it reads the graph's and writes them first.
struct TrafficModel {
  struct OpLevel {
    RoleBytes read{}, written{};
    /// Part of `read`: lines fetched only because they are about to be overwritten.
    double write_allocate = 0;
    /// Reuse distance or footprint within +-30 % of the inner level's capacity, or between its probed and its specified
    /// size: the error band doubles.
    bool near_capacity = false;
    /// Part of what crosses whose reuse distance lies there: it may as well stay in the inner level.
    double may_stay_bytes = 0;
    /// A product's bytes at their I/O lower bound: real tiles move as much or more.
    bool lower_bound = false;
    double read_total() const;
    double written_total() const;
    double total() const { return read_total() + written_total(); }
  };
  struct OperandLevel {
    double read = 0, written = 0;
  };
  std::vector<std::string> links;  ///< outer level of each link: "DRAM" "L3" "L2" "L1"
  std::vector<std::string> inner;  ///< inner level of each link: "L3" "L2" "L1" "core"
  /// Of the inner level, all instances in use; core: the vector register file.
  std::vector<double> capacity_bytes;
  /// The same, of those that an op's threads use (threads_of()): less where it runs on fewer than the run has.
  /// [op][link]
  std::vector<std::vector<double>> op_capacity_bytes;
  std::vector<bool> shared;                               ///< outer level serves all of the run's threads together
  std::vector<double> error_band;                         ///< relative, per link; doubled where OpLevel::near_capacity
  std::vector<std::vector<OpLevel>> op_levels;            ///< [op][link]
  std::vector<std::vector<OperandLevel>> operand_levels;  ///< [operand][link]
  std::vector<double> op_footprint_bytes;                 ///< [op] distinct bytes it touches
  std::vector<std::optional<TransformedWeights>> transformed;  ///< [op] by Winograd's filtering
  std::vector<Origin>
      capacity_origin;  ///< per link, of the inner level's size: what the probe saw of it, or what the system claims
  bool known = false;   ///< false: effective sizes unknown, all modelled bytes are NaN
  std::string unknown_reason;  ///< with the remedy, where there is one; empty when known
  std::string method;          ///< one sentence: policy, sizes, error band
};
TrafficModel model_traffic(const Capture&);

}  // namespace profiler
