// SPDX-License-Identifier: Apache-2.0
// Which device ran each op and holds each tensor, of a run on several.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/capture/capture.h"

namespace profiler {

/// By the rule of eager sessions: leaves lie on the device of the run, and an op runs where its operands with axes lie.
/// A copy (to_device) belongs to the device it starts from, its result to the one it names. Where a file names no
/// device, or one too many, the result stays where the copy starts.
class OpDevices {
 public:
  static constexpr size_t kMostDevices = 64;
  explicit OpDevices(const Capture&);
  /// That of the run first, then in the order they are named.
  const std::vector<std::string>& names() const { return names_; }
  bool several() const { return names_.size() > 1; }
  uint32_t number_of_op(OpId op) const { return of_op_[op]; }
  uint32_t number_of_tensor(TensorId tensor) const { return of_tensor_[tensor]; }
  const std::string& of_op(OpId op) const { return names_[of_op_[op]]; }
  const std::string& of_tensor(TensorId tensor) const { return names_[of_tensor_[tensor]]; }
  /// Those that any of the ops ran on: "cpu, sim:0".
  std::string of_ops(const std::vector<OpId>& ops) const;

 private:
  uint32_t number(const std::string* name, uint32_t otherwise);
  std::vector<std::string> names_;
  std::vector<uint32_t> of_op_, of_tensor_;  // indices into names_
};

/// The GPU of this number in the capture's own counting; null: none is recorded.
const GpuDevice* gpu_device(const Capture&, int32_t number);

/// "Times and bytes of cpu, sim:0, sim:1 are added up here; ..."; empty: one device did all.
std::string several_devices_words(const Capture&);

}  // namespace profiler
