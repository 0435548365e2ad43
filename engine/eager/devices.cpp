// SPDX-License-Identifier: Apache-2.0
// Devices: which device computes an op whose operands may lie on several.
#include "engine/eager/devices.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/graph/to_device.h"
#include "engine/tensor/device_name.h"

namespace engine::eager {

Result<void> Devices::add(Backend& device) {
  const std::string name = to_string(device.info().device);
  if (find_runner(runners_, name) != nullptr)
    return usage_error(fmt::format("[add_device] the session has {} already", name));
  // One that the processor only plays has a thread of its own, as a real device works beside its host.
  std::unique_ptr<DeviceQueue> queue;
  if (device.info().traits().simulated) {
    queue = DeviceQueue::start(runners_.size() - 1, device.threads());
    if (queue == nullptr)
      return refused_error(fmt::format("[add_device] {}: the system starts no thread for it (ulimit -u)", name));
  }
  further_.push_back(std::make_unique<Place>(device, runners_, runners_.size()));
  runners_.push_back(&further_.back()->runner);
  further_.back()->runner.work_beside(std::move(queue));
  return {};
}

OpRunner& Devices::further_runner(const MemoryPool& other) {
  const auto found = std::ranges::find(further_, &other, [](const auto& place) { return &place->pool; });
  CHECK(found != further_.end());
  return (*found)->runner;
}

Result<Meeting> Devices::meet(const Op& op, std::span<const Slot* const> operands) {
  Meeting meeting;
  size_t decisive = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i]->type->type->shape.empty()) continue;
    OpRunner& there = runner_of(*operands[i]);
    if (meeting.runner == nullptr) {
      meeting.runner = &there;
      decisive = i;
    } else if (meeting.runner != &there) {
      return usage_error(
          fmt::format("[{0}] operand {1} is on {2}, operand {3} on {4}, but an op runs on one device. "
                      "Copy one of them first, such as operand {3} by .to(\"{2}\"). Only 0-d operands "
                      "are fetched automatically",
                      op.name, decisive, meeting.runner->device_name(), i, there.device_name()));
    }
  }
  if (meeting.runner == nullptr) meeting.runner = operands.empty() ? &first_.runner : &runner_of(*operands[0]);
  for (size_t i = 0; i < operands.size(); ++i) {
    if (&runner_of(*operands[i]) == meeting.runner) continue;
    if (std::ranges::find(op.in_place, static_cast<int>(i)) != op.in_place.end()) {
      return usage_error(fmt::format("[{}] overwrites operand {}, which is on {} and not on {}: copy it there first",
                                     op.name, i, runner_of(*operands[i]).device_name(), meeting.runner->device_name()));
    }
    meeting.fetched |= uint64_t{1} << i;
  }
  return meeting;
}

Result<Recipe*> Devices::copying(const Slot& source, const OpRunner& target, Transfer::Reason reason) {
  OpRunner& from = runner_of(source);
  const Attributes attributes = reason == Transfer::Reason::scalar
                                    ? Attributes{{"from", from.device_name()},
                                                 {"to", target.device_name()},
                                                 {"reason", std::string(kScalarReason)}}
                                    : Attributes{{"from", from.device_name()}, {"to", target.device_name()}};
  Recipe* known = from.find(kToDevice, {&source.type, 1}, attributes);
  return known != nullptr ? Result<Recipe*>(known) : from.make(kToDevice, {&source.type, 1}, attributes);
}

}  // namespace engine::eager
