// SPDX-License-Identifier: Apache-2.0
// perf_event_open as a group, its answers decoded, its refusals in words.
#include "profiler/record/perf_counters.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <utility>

namespace profiler {

using engine::refused_error;
using engine::Result;

namespace {

constexpr const char* kBareMetal = "run on bare metal, or on a virtual machine whose host passes the counters through";
constexpr double kStreamTolerance = 0.05;            // of the lines of a known stream
constexpr size_t kStreamElements = size_t{4} << 20;  // of each array: 16 MiB of floats
constexpr double kLineBytes = 64;

/// Says it apart to whoever asks for that.
engine::Error refusal(PerfRefusal refused, PerfRefusal* apart) {
  engine::Error error = refused.error();
  if (apart != nullptr) *apart = std::move(refused);
  return error;
}

PerfRefusal refusal_of_open(std::string_view event, int error) {
  const auto of = [&](const std::string& why, const char* remedy = kBareMetal) {
    return PerfRefusal{fmt::format("hardware counters ({}): {}", event, why), remedy};
  };
  std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
  std::string level;
  file >> level;
  switch (error) {
    case EACCES:
    case EPERM:
      return of(fmt::format("the kernel does not allow it (perf_event_paranoid = {})", level.empty() ? "?" : level),
                "sudo sysctl kernel.perf_event_paranoid=1");
    case ENOENT:
    case EOPNOTSUPP:
    case ENODEV: return of("the kernel has no driver for this processor's counters, as in most virtual machines");
    case ENOSYS: return of("the kernel was built without perf events, or a container blocks them");
    default: return of(fmt::format("perf_event_open fails: {}", std::strerror(error)));
  }
}

}  // namespace

engine::Error PerfRefusal::error() const {
  return refused_error(remedy.empty() ? why : fmt::format("{}; {}", why, remedy));
}

PerfSystem PerfSystem::kernel() {
  return {.open = [](perf_event_attr& attr,
                     int group) { return static_cast<int>(syscall(SYS_perf_event_open, &attr, 0, -1, group, 0)); },
          .read = [](int file, void* to, size_t bytes) { return ::read(file, to, bytes); },
          .control = [](int file, unsigned long request) { return ioctl(file, request, PERF_IOC_FLAG_GROUP); },
          .close = [](int file) { ::close(file); }};
}

std::vector<PerfEvent> cache_events() {
  return {{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
          {"lines into L1", PERF_TYPE_RAW, 0x0151, 3},
          {"lines written back from L1", PERF_TYPE_RAW, 0x0451, 1},
          {"lines into L2", PERF_TYPE_RAW, 0x1ff1, 3},
          {"lines written back from L2", PERF_TYPE_RAW, 0x40f0, 1}};
}

Result<PerfCounters> PerfCounters::open(std::vector<PerfEvent> events, PerfSystem system, PerfRefusal* refused) {
  PerfCounters counters;
  counters.system_ = std::move(system);
  counters.events_ = std::move(events);
  for (const PerfEvent& event : counters.events_) {
    perf_event_attr attr{};
    attr.size = sizeof attr;
    attr.type = event.type;
    attr.config = event.config;
    attr.exclude_kernel = 1;
    attr.exclude_hv = 1;
    attr.disabled = counters.files_.empty() ? 1 : 0;  // the group starts and stops with its leader
    attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    const int file = counters.system_.open(attr, counters.files_.empty() ? -1 : counters.files_.front());
    if (file < 0) return refusal(refusal_of_open(event.name, errno), refused);
    counters.files_.push_back(file);
  }
  return counters;
}

PerfCounters::PerfCounters(PerfCounters&& other) noexcept
    : system_(std::move(other.system_)),
      events_(std::move(other.events_)),
      files_(std::exchange(other.files_, {})),
      enabled_before_ns_(other.enabled_before_ns_),
      running_before_ns_(other.running_before_ns_) {}

PerfCounters::~PerfCounters() {
  for (const int file : files_) system_.close(file);
}

Result<std::vector<double>> decode_group(const std::vector<uint64_t>& words, size_t events, PerfRefusal* refused) {
  if (words.size() != 3 + events || words[0] != events) {
    return refusal({fmt::format("hardware counters: the kernel answered {} words on {} events, {} on {} were asked for",
                                words.size(), words.empty() ? 0 : words[0], 3 + events, events),
                    ""},
                   refused);
  }
  const auto enabled = static_cast<double>(words[1]), running = static_cast<double>(words[2]);
  if (running <= 0 || running > enabled) {
    return refusal(
        {fmt::format("hardware counters open but do not count (running {} of {} ns), as in some virtual machines",
                     words[2], words[1]),
         kBareMetal},
        refused);
  }
  std::vector<double> counts;
  for (size_t i = 0; i < events; ++i) counts.push_back(static_cast<double>(words[3 + i]) * enabled / running);
  return counts;
}

engine::Error PerfCounters::refuse(std::string why) { return refusal({std::move(why), kBareMetal}, &refused_); }

Result<std::vector<uint64_t>> PerfCounters::read() {
  std::vector<uint64_t> words(3 + events_.size() + 1);  // one more: an answer that is too long shows
  const ssize_t bytes = system_.read(files_.front(), words.data(), words.size() * sizeof(uint64_t));
  if (bytes < 0) return refuse(fmt::format("hardware counters cannot be read: {}", std::strerror(errno)));
  words.resize(static_cast<size_t>(bytes) / sizeof(uint64_t));
  return words;
}

Result<void> PerfCounters::start() {
  const int leader = files_.front();
  if (system_.control(leader, PERF_EVENT_IOC_RESET) < 0)
    return refuse(fmt::format("hardware counters cannot be started: {}", std::strerror(errno)));
  const Result<std::vector<uint64_t>> before = read();
  if (!before) return before.error();
  enabled_before_ns_ = before->size() > 1 ? (*before)[1] : 0;
  running_before_ns_ = before->size() > 2 ? (*before)[2] : 0;
  if (system_.control(leader, PERF_EVENT_IOC_ENABLE) < 0)
    return refuse(fmt::format("hardware counters cannot be started: {}", std::strerror(errno)));
  return {};
}

Result<std::vector<double>> PerfCounters::stop(bool may_idle) {
  system_.control(files_.front(), PERF_EVENT_IOC_DISABLE);
  Result<std::vector<uint64_t>> words = read();
  if (!words) return words.error();
  if (words->size() > 2) {
    (*words)[1] -= std::min((*words)[1], enabled_before_ns_);
    (*words)[2] -= std::min((*words)[2], running_before_ns_);
    if (may_idle && words->size() == 3 + events_.size() && (*words)[1] == 0)
      return std::vector<double>(events_.size(), 0.0);
  }
  return decode_group(*words, events_.size(), &refused_);
}

Result<std::vector<double>> PerfCounters::count(const std::function<void()>& work) {
  if (Result<void> started = start(); !started) return started.error();
  work();
  return stop();
}

Result<void> check_on_stream(PerfCounters& counters, PerfRefusal* refused) {
  std::vector<float> a(kStreamElements), b(kStreamElements, 1), c(kStreamElements, 2);
  float* const to = a.data();
  const Result<std::vector<double>> counted = counters.count([&] {
    for (size_t i = 0; i < kStreamElements; ++i) to[i] = b[i] + 3 * c[i];
    asm volatile("" : : "r"(to) : "memory");  // the sums are wanted
  });
  if (!counted) return refusal(counters.refused(), refused);
  for (size_t i = 0; i < counted->size(); ++i) {
    const PerfEvent& event = counters.events()[i];
    if (event.stream_arrays == 0) continue;
    const double lines = event.stream_arrays * static_cast<double>(kStreamElements) * sizeof(float) / kLineBytes;
    if (std::abs((*counted)[i] / lines - 1) > kStreamTolerance) {
      return refusal(
          {fmt::format("hardware counters are not to be trusted here: {} counted {:.0f} on a stream of {:.0f} lines",
                       event.name, (*counted)[i], lines),
           kBareMetal},
          refused);
    }
  }
  return {};
}

}  // namespace profiler
