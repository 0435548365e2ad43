// SPDX-License-Identifier: Apache-2.0
// The one log.
#include "engine/opencl/command_log.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace engine::opencl {

CommandLog& CommandLog::the() {
  static CommandLog log;
  return log;
}

void CommandLog::start() {
  const std::lock_guard lock(mutex_);
  on_ = true;
  stepped_ = false;
}

void CommandLog::stop() {
  const std::lock_guard lock(mutex_);
  on_ = false;
}

void CommandLog::set_step(uint64_t step) {
  const std::lock_guard lock(mutex_);
  step_ = step;
  stepped_ = stepped_ || step != Command::kNone;
}

bool CommandLog::wanted() const {
  const std::lock_guard lock(mutex_);
  return on_ && (!stepped_ || step_ != Command::kNone);
}

CommandLog::Taken CommandLog::take() {
  std::vector<CommandSource*> sources;
  {
    const std::lock_guard lock(mutex_);
    sources = sources_;
  }
  for (CommandSource* const source : sources) source->hand_over();
  const std::lock_guard lock(mutex_);
  return std::exchange(waiting_, {});
}

void CommandLog::joined(CommandSource& source, LoggedDevice device) {
  const std::lock_guard lock(mutex_);
  sources_.push_back(&source);
  waiting_.devices.push_back(std::move(device));
}

void CommandLog::left(CommandSource& source) {
  const std::lock_guard lock(mutex_);
  std::erase(sources_, &source);
}

void CommandLog::add(std::vector<Command> commands, const ClockReading& clock) {
  const std::lock_guard lock(mutex_);
  if (!on_) return;
  if (clock.device_ns > 0) waiting_.clocks.push_back(clock);
  const size_t room = kMost - std::min(kMost, waiting_.commands.size());
  const size_t taken = std::min(room, commands.size());
  waiting_.dropped += static_cast<int64_t>(commands.size() - taken);
  waiting_.commands.insert(waiting_.commands.end(), std::make_move_iterator(commands.begin()),
                           std::make_move_iterator(commands.begin() + static_cast<std::ptrdiff_t>(taken)));
}

void CommandLog::add(Command command) {
  std::vector<Command> one;
  one.push_back(std::move(command));
  add(std::move(one), {});
}

}  // namespace engine::opencl
