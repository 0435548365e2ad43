// SPDX-License-Identifier: Apache-2.0
// Commands, their events, and the device's clock beside ours.
#include "engine/opencl/queue.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/base/clock.h"

namespace engine::opencl {
namespace {

int64_t time_of(const Api& api, cl_event event, cl_profiling_info what) {
  cl_ulong time = 0;
  return api.get_event_profiling_info(event, what, sizeof time, &time, nullptr) == CL_SUCCESS
             ? static_cast<int64_t>(time)
             : 0;
}

bool is_done(const Api& api, cl_event event) {
  cl_int status = CL_QUEUED;
  return api.get_event_info(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr) != CL_SUCCESS ||
         status <= CL_COMPLETE;  // below: it failed
}

std::array<int64_t, 3> whole(const std::array<size_t, 3>& extents) {
  return {static_cast<int64_t>(extents[0]), static_cast<int64_t>(extents[1]), static_cast<int64_t>(extents[2])};
}

}  // namespace

Result<std::unique_ptr<Queue>> Queue::make(const Api& api, const FoundDevice& device,
                                           std::shared_ptr<_cl_context> context) {
  std::unique_ptr<Queue> queue(new Queue(api, device, std::move(context)));
  cl_int code = CL_SUCCESS;
  queue->queue_ = api.create_command_queue(queue->context_.get(), device.device, CL_QUEUE_PROFILING_ENABLE, &code);
  if (queue->queue_ == nullptr || code != CL_SUCCESS) {
    return refused_error(
        fmt::format("[opencl] no queue with times could be made on {}: {}", device.info.model, error_words(code)));
  }
  CommandLog& log = CommandLog::the();
  log.joined(*queue, {queue->device_, device.info.model, device.info.memory_bytes, device.info.cores});
  if (log.wanted()) log.add({}, queue->read_clock());
  return queue;
}

Queue::~Queue() {
  if (queue_ == nullptr) return;
  static_cast<void>(api_.finish(queue_));
  hand_over();
  CommandLog::the().left(*this);
  static_cast<void>(api_.release_command_queue(queue_));
}

template <class Submit>
cl_int Queue::noted(Command command, Submit submit) {
  CommandLog& log = CommandLog::the();
  if (!log.wanted()) return submit(nullptr);
  command.device = device_;
  command.op = log.op();
  command.step = log.step();
  command.thread = static_cast<uint32_t>(syscall(SYS_gettid));
  command.call_start_ns = now_ns();
  cl_event event = nullptr;
  command.result = submit(&event);
  command.call_end_ns = now_ns();
  const cl_int result = command.result;
  const std::lock_guard lock(mutex_);
  pending_.emplace_back(std::move(command), event);
  return result;
}

cl_int Queue::run(const Launch& launch) {
  std::array<size_t, 3> all{};
  for (size_t i = 0; i < all.size(); ++i) all[i] = launch.groups[i] * launch.items[i];
  return noted({.kind = CommandKind::kernel,
                .name = launch.name,
                .call = "clEnqueueNDRangeKernel",
                .groups = whole(launch.groups),
                .items = whole(launch.items)},
               [&](cl_event* event) {
                 return api_.enqueue_nd_range_kernel(queue_, launch.kernel.get(), 3, nullptr, all.data(),
                                                     launch.items.data(), 0, nullptr, event);
               });
}

cl_int Queue::write(const Place& to, const void* from, int64_t size_bytes) {
  return noted({.kind = CommandKind::to_device, .call = "clEnqueueWriteBuffer", .size_bytes = size_bytes},
               [&](cl_event* event) {
                 return api_.enqueue_write_buffer(queue_, to.buffer, CL_TRUE, static_cast<size_t>(to.offset_bytes),
                                                  static_cast<size_t>(size_bytes), from, 0, nullptr, event);
               });
}

cl_int Queue::read(void* to, const Place& from, int64_t size_bytes) {
  return noted({.kind = CommandKind::to_host, .call = "clEnqueueReadBuffer", .size_bytes = size_bytes},
               [&](cl_event* event) {
                 return api_.enqueue_read_buffer(queue_, from.buffer, CL_TRUE, static_cast<size_t>(from.offset_bytes),
                                                 static_cast<size_t>(size_bytes), to, 0, nullptr, event);
               });
}

cl_int Queue::copy(const Place& to, const Place& from, int64_t size_bytes) {
  return noted({.kind = CommandKind::within_device, .call = "clEnqueueCopyBuffer", .size_bytes = size_bytes},
               [&](cl_event* event) {
                 return api_.enqueue_copy_buffer(queue_, from.buffer, to.buffer, static_cast<size_t>(from.offset_bytes),
                                                 static_cast<size_t>(to.offset_bytes), static_cast<size_t>(size_bytes),
                                                 0, nullptr, event);
               });
}

cl_int Queue::finish() {
  CommandLog& log = CommandLog::the();
  if (!log.wanted()) return api_.finish(queue_);
  Command wait{.kind = CommandKind::wait,
               .call = "clFinish",
               .device = device_,
               .op = log.op(),
               .step = log.step(),
               .thread = static_cast<uint32_t>(syscall(SYS_gettid))};
  wait.call_start_ns = now_ns();
  wait.result = api_.finish(queue_);
  wait.call_end_ns = now_ns();
  const cl_int result = wait.result;
  log.add(std::move(wait));
  return result;
}

/// A marker is stamped by the driver as it is queued, between two looks at our clock.
ClockReading Queue::read_clock() {
  constexpr int kTries = 8;
  ClockReading best{.device = device_};
  for (int i = 0; i < kTries; ++i) {
    cl_event event = nullptr;
    const int64_t before = now_ns();
    const cl_int code = api_.enqueue_marker(queue_, 0, nullptr, &event);
    const int64_t width = now_ns() - before;
    if (code != CL_SUCCESS) continue;
    static_cast<void>(api_.finish(queue_));
    const int64_t stamp = time_of(api_, event, CL_PROFILING_COMMAND_QUEUED);
    static_cast<void>(api_.release_event(event));
    if (stamp > 0 && (best.device_ns == 0 || width < best.width_ns)) best = {device_, stamp, before + width / 2, width};
  }
  return best;
}

void Queue::hand_over() {
  std::vector<std::pair<Command, cl_event>> pending;
  {
    const std::lock_guard lock(mutex_);
    pending.swap(pending_);
  }
  if (pending.empty()) return;
  std::vector<Command> done;
  std::vector<std::pair<Command, cl_event>> still;
  for (auto& [command, event] : pending) {
    if (event != nullptr && !is_done(api_, event)) {
      still.emplace_back(std::move(command), event);
      continue;
    }
    if (event != nullptr) {
      command.start_ns = time_of(api_, event, CL_PROFILING_COMMAND_START);
      command.end_ns = time_of(api_, event, CL_PROFILING_COMMAND_END);
      static_cast<void>(api_.release_event(event));
    }
    done.push_back(std::move(command));
  }
  CommandLog::the().add(std::move(done), read_clock());
  const std::lock_guard lock(mutex_);
  still.insert(still.end(), std::make_move_iterator(pending_.begin()), std::make_move_iterator(pending_.end()));
  pending_ = std::move(still);
}

}  // namespace engine::opencl
