// SPDX-License-Identifier: Apache-2.0
// Shared memory, commands and answers of a kernel's process, and why it ended.
#include "app/base/kernel_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <random>

#include "engine/base/display_text.h"
#include "resources/kernels/tensortide_kernel_shared.h"

namespace app {
namespace {

using engine::Result;
using std::chrono::steady_clock;

constexpr int64_t kPage = 4096, kScratchElements = int64_t{1} << 25;
constexpr double kMemory = 2e9;
constexpr uint32_t kUnwritten = 0x7fc5a5a5;  // a quiet NaN
constexpr size_t kShownBytes = 2000;         // of what a program prints

int64_t whole_pages(int64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

/// A pair of sockets: to write to an end whose other one is closed is no signal then.
struct Channel {
  int reads = -1, writes = -1;
  bool make() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
    reads = ends[0], writes = ends[1];
    return true;
  }
};

void close_all(std::initializer_list<int> descriptors) {
  for (const int descriptor : descriptors) {
    if (descriptor >= 0) close(descriptor);
  }
}

/// Memory of that size that no process can make smaller.
int sealed_memory(int64_t bytes) {
  const int memory = memfd_create("tensortide-kernel", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory < 0) return -1;
  if (ftruncate(memory, bytes) == 0 && fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
    return memory;
  close(memory);
  return -1;
}

}  // namespace

KernelLayout kernel_layout(const KernelKind& kind, const KernelSizes& sizes) {
  KernelLayout layout;
  int64_t at = whole_pages(sizeof(tensortide::Shared));
  for (const KernelOperand& operand : kind.operands) {
    int64_t count = 1;
    for (const int64_t extent : operand.shape(sizes)) count *= extent;
    layout.offsets_bytes.push_back(at);
    layout.counts.push_back(count);
    at += whole_pages(4 * count);
  }
  layout.scratch_offset_bytes = at;
  layout.scratch_count = kScratchElements;
  layout.bytes = at + 4 * kScratchElements;
  return layout;
}

Result<std::unique_ptr<KernelProcess>> KernelProcess::start(const KernelBuild& build, const KernelSource& source,
                                                            const KernelKind& kind, const KernelSizes& sizes,
                                                            const Limits& limits, const std::atomic<bool>& stop) {
  std::unique_ptr<KernelProcess> process(
      new KernelProcess(build, source, kind, kernel_layout(kind, sizes), limits, stop));
  process->sizes_ = sizes;
  const KernelLayout& layout = process->layout_;
  const int memory = sealed_memory(layout.bytes);
  void* const place =
      memory < 0 ? MAP_FAILED
                 : mmap(nullptr, static_cast<size_t>(layout.bytes), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  if (place == MAP_FAILED) {
    close_all({memory});
    return engine::refused_error(
        fmt::format("no memory for the tensors of the kernel ({} bytes): {}", layout.bytes, std::strerror(errno)));
  }
  process->shared_ = static_cast<tensortide::Shared*>(place);
  tensortide::Shared& shared = *process->shared_;
  shared.bytes = static_cast<uint64_t>(layout.bytes);
  shared.scalar = kKernelScalar;
  shared.tensors = static_cast<uint32_t>(kind.operands.size());
  for (size_t i = 0; i < kind.sizes.size(); ++i) shared.sizes[i] = sizes.at(kind.sizes[i].name);
  for (size_t i = 0; i < kind.operands.size(); ++i)
    shared.operands[i] = {static_cast<uint64_t>(layout.offsets_bytes[i]), layout.counts[i]};
  shared.scratch_offset_bytes = static_cast<uint64_t>(layout.scratch_offset_bytes);
  shared.scratch_count = layout.scratch_count;
  Channel commands, answers;
  if (!commands.make() || !answers.make()) {
    close_all({memory, commands.reads, commands.writes});
    return engine::refused_error(fmt::format("cannot make a channel: {}", std::strerror(errno)));
  }
  Confinement confinement{.calls = Confinement::Calls::computing,
                          .folder = build.folder,
                          .memory_bytes = kMemory + static_cast<double>(layout.bytes),
                          .processor_s = 600};
  confinement.descriptors = {commands.reads, answers.writes, memory};
  Result<ConfinedChild> child = ConfinedChild::start(build.program, {}, confinement, limits.trusted);
  close_all({memory, commands.reads, answers.writes});
  process->commands_ = commands.writes;
  process->answers_ = answers.reads;
  if (!child) return child.error();
  fcntl(answers.reads, F_SETFL, O_NONBLOCK);
  process->child_.emplace(*std::move(child));
  return process;
}

KernelProcess::~KernelProcess() {
  if (child_) child_->finish();
  close_all({commands_, answers_});
  if (shared_ != nullptr) munmap(shared_, static_cast<size_t>(layout_.bytes));
}

std::span<float> KernelProcess::operand(size_t index) {
  return {reinterpret_cast<float*>(reinterpret_cast<char*>(shared_) + layout_.offsets_bytes[index]),
          static_cast<size_t>(layout_.counts[index])};
}

void KernelProcess::fill(uint64_t seed) {
  std::mt19937 random(static_cast<uint32_t>(seed));
  for (size_t i = 0; i < kind_.operands.size(); ++i) {
    const bool given = kind_.operands[i].given;
    for (float& element : operand(i))
      element = given ? static_cast<float>(static_cast<double>(random()) / 2147483648.0 - 1)
                      : std::bit_cast<float>(kUnwritten);
  }
}

bool KernelProcess::is_unwritten(float element) { return std::bit_cast<uint32_t>(element) == kUnwritten; }

std::string KernelProcess::printed() const {
  return child_ ? engine::display_text(child_->printed().substr(0, kShownBytes)) : std::string();
}

int64_t KernelProcess::call(uint32_t times, const std::function<void(const NotedAccess&)>& noted) {
  if (fault_ || stop_) return 0;
  const auto start = steady_clock::now();
  const auto end = start + std::chrono::duration<double>(limits_.seconds);
  if (send(commands_, &times, sizeof times, MSG_NOSIGNAL) != static_cast<ssize_t>(sizeof times)) {
    note_end(false, false);
    return 0;
  }
  uint64_t count = 0;
  std::vector<uint64_t> words(8192);
  size_t held = 0;  // bytes of `words` that were read
  for (;;) {
    pollfd ready[2] = {{answers_, POLLIN, 0}, {child_->output(), POLLIN, 0}};
    poll(ready, 2, 20);
    if (ready[1].revents != 0) child_->take_output();
    if (stop_) return 0;
    if (steady_clock::now() > end) {
      note_end(true, false);
      return 0;
    }
    if (ready[0].revents == 0) continue;
    const ssize_t got =
        read(answers_, reinterpret_cast<char*>(words.data()) + held, words.size() * sizeof words[0] - held);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got <= 0) {
      note_end(false, false);
      return 0;
    }
    const auto now = steady_clock::now();
    held += static_cast<size_t>(got);
    const size_t whole = held / sizeof words[0];
    for (size_t i = 0; i < whole; ++i) {
      const uint64_t note = words[i];
      if (note == tensortide::kDone) return std::chrono::nanoseconds(now - start).count();
      const NotedAccess access{.index = static_cast<int64_t>(note & ((uint64_t{1} << 36) - 1)),
                               .tensor = static_cast<uint32_t>(note >> 36 & 0xffff),
                               .width = static_cast<uint32_t>(note >> 52 & 0xff),
                               .stores = (note >> 60 & 1) != 0};
      const bool scratch = access.tensor == kind_.operands.size();
      if (access.tensor > kind_.operands.size() || access.width == 0 ||
          access.index + access.width > (scratch ? layout_.scratch_count : layout_.counts[access.tensor]))
        continue;  // no note of ours
      if (++count > limits_.accesses) {
        note_end(false, true);
        return 0;
      }
      if (noted) noted(access);
    }
    held -= whole * sizeof words[0];
    std::memmove(words.data(), words.data() + whole, held);
  }
}

void KernelProcess::note_end(bool late, bool too_many) {
  KernelFault fault{.kind = KernelFault::Kind::ended, .file = source_.name};
  const std::atomic<bool> never = false;
  if (late || too_many) child_->signal(SIGTERM);  // it notes where it is
  child_->wait(late || too_many ? 0.5 : 2, never);
  const int status = child_->finish();
  const tensortide::Shared& shared = *shared_;
  std::vector<uint64_t> frames(shared.frame, shared.frame + std::min<uint32_t>(shared.frames, tensortide::kMostFrames));
  const auto operand = [&](uint32_t tensor) {
    const bool known = tensor < kind_.operands.size();
    fault.tensor = known ? kind_.operands[tensor].name : "the scratch";
    if (known) fault.shape = kind_.operands[tensor].shape(sizes_);
  };
  if (too_many) {
    fault.kind = KernelFault::Kind::accesses;
    fault.count = static_cast<int64_t>(limits_.accesses);
  } else if (late || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)) {
    fault.kind = KernelFault::Kind::time;
    fault.seconds = limits_.seconds;
  } else if (shared.stop == tensortide::stop_outside) {
    fault.kind = KernelFault::Kind::outside;
    operand(shared.tensor);
    fault.at = shared.index < 0 ? shared.index : std::max(shared.index, shared.count);
    fault.count = shared.count;
    fault.stores = shared.stores != 0;
  } else if (shared.stop == tensortide::stop_scratch) {
    fault.kind = KernelFault::Kind::scratch;
    fault.at = shared.count;
    fault.count = layout_.scratch_count;
  } else if (shared.stop == tensortide::stop_signal || WIFSIGNALED(status)) {
    fault.kind = KernelFault::Kind::signal;
    fault.number = shared.stop == tensortide::stop_signal ? static_cast<int>(shared.signal) : WTERMSIG(status);
  } else {
    fault.number = WEXITSTATUS(status);
  }
  fault.line = line_of(build_, source_, frames, limits_.trusted);
  fault.source = source_.line(fault.line);
  fault.printed = printed();
  fault_ = fault;
}

}  // namespace app
