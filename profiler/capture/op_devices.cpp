// SPDX-License-Identifier: Apache-2.0
// OpDevices: one pass over the ops, in the order they ran.
#include "profiler/capture/op_devices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "engine/graph/to_device.h"
#include "engine/tensor/device_name.h"
#include "profiler/base/say.h"
#include "profiler/capture/attribute.h"

namespace profiler {

uint32_t OpDevices::number(const std::string* name, uint32_t otherwise) {
  if (name == nullptr || name->empty()) return 0;
  const auto found = std::ranges::find(names_, *name);
  if (found != names_.end()) return static_cast<uint32_t>(found - names_.begin());
  if (names_.size() >= kMostDevices || !engine::parse_device(*name).ok()) return otherwise;
  names_.push_back(*name);
  return static_cast<uint32_t>(names_.size() - 1);
}

OpDevices::OpDevices(const Capture& capture) : names_{capture.run().device} {
  of_tensor_.assign(capture.tensors().size(), 0);
  of_op_.assign(capture.ops().size(), 0);
  for (const OpRecord& op : capture.ops()) {
    const auto operands = capture.operands(op);
    const auto known = [&](const OperandRecord& o) { return o.tensor < of_tensor_.size(); };
    uint32_t where = 0;
    bool decided = false, any = false;
    for (const OperandRecord& o : operands) {
      if (o.output || !known(o) || decided) continue;
      decided = !capture.tensors()[o.tensor].shape.empty();
      if (decided || !any) where = of_tensor_[o.tensor];
      any = true;
    }
    of_op_[op.id] = where;
    const bool copies = capture.name(op.type) == engine::kToDevice.name;
    const uint32_t target = copies ? number(attribute<std::string>(capture, op.id, "to"), where) : where;
    for (const OperandRecord& o : operands)
      if (o.output && known(o)) of_tensor_[o.tensor] = target;
  }
}

std::string OpDevices::of_ops(const std::vector<OpId>& ops) const {
  std::set<uint32_t> all;
  for (const OpId op : ops) all.insert(of_op_[op]);
  std::vector<std::string> names;
  for (const uint32_t number : all) names.push_back(names_[number]);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string several_devices_words(const Capture& capture) {
  const OpDevices devices(capture);
  if (!devices.several()) return {};
  return say("This run used {}: sums are over all of them, and each row names its device.",
             fmt::join(devices.names(), ", "));
}

const GpuDevice* gpu_device(const Capture& capture, int32_t number) {
  const auto at = std::ranges::find(capture.gpu().devices, number, &GpuDevice::device);
  return at == capture.gpu().devices.end() ? nullptr : &*at;
}

}  // namespace profiler
