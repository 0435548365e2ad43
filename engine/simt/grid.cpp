// SPDX-License-Identifier: Apache-2.0
// The scheduler of a block: threads run until they wait; warps and blocks go on when all of them are there.
#include "engine/simt/grid.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <numeric>
#include <random>
#include <set>

#include "engine/base/check.h"
#include "engine/simt/fibres.h"

namespace engine::simt {

Index thread_index, block_index, block_extent, grid_extent;

Settings& settings() {
  static Settings all;
  return all;
}

std::vector<Barrier>& barriers() {
  static std::vector<Barrier> met;
  return met;
}

namespace {

std::string words(Site site) { return fmt::format("{}:{}", site.file, site.line); }

/// The thread_local memory of the library with the kernels, as this thread of the host has it: their shared memory.
struct SharedMemory {
  void* begin = nullptr;
  size_t bytes = 0;
};
thread_local char shared_memory_is_here;

SharedMemory find_shared_memory() {
  struct Search {
    const char* inside;
    SharedMemory found;
  } search{&shared_memory_is_here, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* library, size_t, void* data) {
        auto* wanted = static_cast<Search*>(data);
        const auto* begin = static_cast<const char*>(library->dlpi_tls_data);
        if (begin == nullptr) return 0;
        for (int i = 0; i < library->dlpi_phnum; ++i) {
          const auto& segment = library->dlpi_phdr[i];
          if (segment.p_type != PT_TLS || wanted->inside < begin || wanted->inside >= begin + segment.p_memsz) continue;
          wanted->found = {library->dlpi_tls_data, segment.p_memsz};
          return 1;
        }
        return 0;
      },
      &search);
  return search.found;
}

enum class State : uint8_t { ready, at_warp, at_block, done };

struct Thread {
  State state = State::ready;
  bool started = false;
  unsigned fibre = 0;
  Site site;
  uint32_t meetings = 0;  ///< of its warp so far
  uint64_t bits[2] = {};  ///< given to the last two: who is behind still reads the last but one
};

class Block {
 public:
  Block() : fibres_(kMostThreads, &Block::main) {}

  std::string run(const Launch& launch);
  void wait(State state, Site site);
  void meet(uint64_t bits, Site site);
  uint64_t bits_of(unsigned lane) const;
  void complain(std::string what) {
    if (complaint_.empty()) complaint_ = std::move(what);
  }

  static Block& the() {
    static Block block;
    return block;
  }

 private:
  static void main();
  void run_block();
  bool turn(unsigned begin, unsigned end);
  bool release_warp(unsigned first);
  bool release_block();
  /// Lets those go that wait in [begin, end) for `state`, where all that are left do.
  bool release(unsigned begin, unsigned end, State state, const char* who);
  void give_up();

  Fibres fibres_;
  std::vector<Thread> threads_;
  const Launch* launch_ = nullptr;
  unsigned current_ = 0;
  std::mt19937 random_;
  std::vector<unsigned> turns_;
  std::string complaint_;
};

void Block::main() {
  Block& block = the();
  block.fibres_.begin();
  block.launch_->kernel();
  block.threads_[block.current_].state = State::done;
  block.fibres_.finish();
}

void Block::wait(State state, Site site) {
  if (site == settings().dropped) return;
  const auto known = std::ranges::find(barriers(), site, &Barrier::site);
  if (known == barriers().end()) {
    barriers().push_back({site, state == State::at_block, 1});
  } else {
    ++known->waits;
  }
  Thread& own = threads_[current_];
  own.state = state;
  own.site = site;
  fibres_.leave();
}

void Block::meet(uint64_t bits, Site site) {
  Thread& own = threads_[current_];
  ++own.meetings;
  own.bits[own.meetings % 2] = bits;
  wait(State::at_warp, site);
}

uint64_t Block::bits_of(unsigned lane) const {
  const Thread& own = threads_[current_];
  const unsigned from = current_ / kWarpThreads * kWarpThreads + lane;
  return (from < threads_.size() ? threads_[from] : own).bits[own.meetings % 2];
}

bool Block::turn(unsigned begin, unsigned end) {
  const Order order = settings().order;
  turns_.resize(end - begin);
  std::iota(turns_.begin(), turns_.end(), begin);
  if (order == Order::reverse || order == Order::warp_by_warp_reverse) std::ranges::reverse(turns_);
  if (order == Order::shuffled) std::ranges::shuffle(turns_, random_);
  bool any = false;
  for (const unsigned i : turns_) {
    Thread& thread = threads_[i];
    if (thread.state != State::ready) continue;
    if (!thread.started) thread.fibre = fibres_.acquire();
    thread.started = true;
    current_ = i;
    thread_index = {i, 0, 0};
    fibres_.enter(thread.fibre);
    any = true;
  }
  return any;
}

bool Block::release(unsigned begin, unsigned end, State state, const char* who) {
  unsigned waiting = 0, gone = 0;
  const Thread* first = nullptr;
  for (unsigned i = begin; i < end; ++i) {
    const Thread& thread = threads_[i];
    if (thread.state == State::done) {
      ++gone;
    } else if (thread.state != state) {
      return false;
    } else if (++waiting; first == nullptr) {
      first = &thread;
    } else if (first->site != thread.site) {
      complain(fmt::format("threads of one {} wait at {} and at {}", who, words(first->site), words(thread.site)));
    }
  }
  if (waiting == 0) return false;
  if (gone > 0)
    complain(fmt::format("{} threads of a {} wait at {} for {} that have left the kernel", waiting, who,
                         words(first->site), gone));
  for (unsigned i = begin; i < end; ++i) {
    if (threads_[i].state == state) threads_[i].state = State::ready;
  }
  return true;
}

bool Block::release_warp(unsigned first) {
  return release(first, std::min(first + kWarpThreads, static_cast<unsigned>(threads_.size())), State::at_warp, "warp");
}
bool Block::release_block() { return release(0, static_cast<unsigned>(threads_.size()), State::at_block, "block"); }

/// Nobody can go on.
void Block::give_up() {
  std::set<std::string> sites;
  for (Thread& thread : threads_) {
    if (thread.state == State::done) continue;
    sites.insert(words(thread.site));
    fibres_.abandon(thread.fibre);
  }
  complain(fmt::format("threads of a block wait for each other for ever at {}", fmt::join(sites, ", ")));
}

void Block::run_block() {
  const Order order = settings().order;
  const auto count = static_cast<unsigned>(threads_.size()), warps = (count + kWarpThreads - 1) / kWarpThreads;
  const bool by_warp = order == Order::warp_by_warp || order == Order::warp_by_warp_reverse;
  while (true) {
    bool progress = false;
    if (!by_warp) progress = turn(0, count);
    for (unsigned w = 0; w < warps; ++w) {
      const unsigned first = kWarpThreads * (order == Order::warp_by_warp_reverse ? warps - 1 - w : w);
      if (!by_warp) {
        progress = release_warp(first) || progress;
        continue;
      }
      while (turn(first, std::min(first + kWarpThreads, count)) || release_warp(first)) progress = true;
    }
    progress = release_block() || progress;
    if (std::ranges::all_of(threads_, [](const Thread& thread) { return thread.state == State::done; })) return;
    if (!progress) return give_up();
  }
}

std::string Block::run(const Launch& launch) {
  launch_ = &launch;
  complaint_.clear();
  random_.seed(1);
  const Settings& how = settings();
  const unsigned blocks = launch.blocks - (how.one_missing && launch.blocks > 1 ? 1 : 0);
  const SharedMemory shared = find_shared_memory();
  grid_extent = {launch.blocks, 1, 1};
  block_extent = {launch.threads, 1, 1};
  for (unsigned b = 0; b < blocks && complaint_.empty(); ++b) {
    const bool backwards = how.order == Order::reverse || how.order == Order::warp_by_warp_reverse;
    block_index = {backwards ? blocks - 1 - b : b, 0, 0};
    if (how.poison && shared.begin != nullptr) std::memset(shared.begin, 0xff, shared.bytes);
    threads_.assign(launch.threads, {});
    if (how.one_missing && launch.blocks == 1) threads_[0].state = State::done;
    run_block();
  }
  launch_ = nullptr;
  return std::move(complaint_);
}

}  // namespace

void sync_block(Site site) { Block::the().wait(State::at_block, site); }
void sync_warp(uint32_t, Site site) { Block::the().wait(State::at_warp, site); }
void meet_warp(uint32_t, uint64_t bits, Site site) { Block::the().meet(bits, site); }
uint64_t lane_bits(unsigned lane) { return Block::the().bits_of(lane); }
bool refuses_address(const void* address, size_t bytes) {
  const auto place = reinterpret_cast<uintptr_t>(address);
  if (place % bytes == 0) return false;
  Block::the().complain(fmt::format("{} bytes at once are {} bytes off their alignment", bytes, place % bytes));
  return true;
}
unsigned own_lane() { return thread_index.x % kWarpThreads; }

std::string run_grid(const Launch& launch) {
  if (launch.blocks == 0 || launch.threads == 0 || launch.threads > kMostThreads) {
    return fmt::format("{} blocks of {} threads cannot be launched", launch.blocks, launch.threads);
  }
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  return Block::the().run(launch);
}

}  // namespace engine::simt
