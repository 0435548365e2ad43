// SPDX-License-Identifier: Apache-2.0
// The emulated GPU: streams, events, graphs and memory over that of the host. What it does is right or refused; how
// long it takes says nothing of a GPU.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "engine/simt/grid.h"
#include "engine/simt/ledger.h"
#include "engine/simt/watcher.h"
#include "engine/tensor/device.h"

namespace engine::simt {

/// When a stream does what it is given.
enum class Pace : uint8_t {
  beside,   ///< on a thread per stream, while the host goes on
  at_once,  ///< before the call returns
  late,     ///< not before somebody waits for it: what forgot to wait sees what was there before
};

struct KernelWork {
  std::string name;
  Launch launch;
};
struct CopyWork {
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  size_t bytes = 0;
  Way way = Way::host_to_device;
  bool pinned = true;
};
struct MemsetWork {
  std::byte* to = nullptr;
  int value = 0;
  size_t bytes = 0;
};
/// Bytes are given back.
struct FreeWork {
  std::byte* data = nullptr;
};
/// Until another stream has come so far.
struct WaitWork {
  int stream = 0;
  uint64_t number = 0;
};
using Work = std::variant<KernelWork, CopyWork, MemsetWork, FreeWork, WaitWork>;

struct Operation {
  std::string name;
  std::shared_ptr<const Work> work;
  std::vector<Use> uses;
  uint32_t correlation = 0, graph = 0;
  uint64_t node = 0;
};

struct Graph {
  std::vector<Operation> nodes;
};
/// An event's last record.
struct Event {
  int id = 0, stream = 0;
  uint64_t number = 0;  ///< 0: never recorded
  Reached reached;
};

/// What the emulated GPU, "emu:0", says of itself.
DeviceInfo describe();
/// Why engine/cuda finds none of NVIDIA's libraries on it.
inline constexpr const char* kNoLibraries = "the emulated GPU has none";

/// One per process, as a GPU is. All functions may be called from any thread.
class Device {
 public:
  static Device& the();

  static constexpr int kMultiprocessors = 4;  ///< ours: few, so that small grids stride
  static constexpr int64_t kMemoryBytes = int64_t{4} << 30;

  /// Puts everything back to how it was at first; no stream may be left. For tests.
  void reset(Pace pace);
  /// The first rule that was broken, in words; empty: none. From then on the device refuses everything.
  std::string fault() const;
  void watch(Watcher* watcher);
  Watcher* watcher() const { return watcher_.load(); }
  uint32_t next_correlation() { return ++correlation_; }

  int make_stream();  ///< 0: the host gives no thread for it
  void destroy_stream(int stream);
  /// False, with fault(): it breaks a rule. Into the graph where the stream is being noted down. Stream 0, which is
  /// always there, does it at once and asks nobody whose memory it is.
  bool submit(int stream, Operation);
  /// What a kernel may use that is given these pointers, and structs of these words: of the latter those that lie in
  /// memory that is not freed, since what is no member may hold anything.
  std::vector<Use> uses_of(std::span<const uintptr_t> pointers, std::span<const uintptr_t> words) const;
  bool is_page_locked(const void*) const;

  void* allocate(int stream, size_t bytes);  ///< null: there is not as much
  bool free(int stream, void*);
  void* allocate_host(size_t bytes);
  bool free_host(void*);
  int64_t free_bytes() const;

  Event make_event();
  bool record(Event&, int stream);
  bool wait(int stream, const Event&);
  /// These wait on the host's side. False: fault().
  bool synchronize(const Event&);
  bool synchronize(int stream);
  bool synchronize();

  bool begin_graph(int stream);
  bool is_noting(int stream) const;
  std::unique_ptr<Graph> end_graph(int stream);
  /// A copy with nodes of its own, ready to be launched.
  std::unique_ptr<Graph> instantiate(const Graph&);
  bool launch(const Graph&, int stream, uint32_t correlation, uint32_t graph);

 private:
  struct Queued {
    uint64_t number = 0;
    Operation operation;
  };
  struct Stream {
    std::deque<Queued> queue;
    uint64_t issued = 0, finished = 0;
    Reached reached;
    std::unique_ptr<Graph> noting;
    bool ending = false;
    bool at_work = false;  ///< of the other paces: a thread of the host does its first operation
    std::thread thread;    ///< of Pace::beside
  };

  Device() = default;
  ~Device();
  Entry entry(int stream, std::string name);
  bool enqueue(int stream, Operation);
  void complain(std::string what);
  void work(int stream);
  void perform(int stream, const Queued&, std::unique_lock<std::mutex>&);
  /// Has `stream` come to operation `number`, whoever's work that is at this pace.
  void reach(int stream, uint64_t number, std::unique_lock<std::mutex>&);
  void reach_all(std::unique_lock<std::mutex>&);

  mutable std::mutex mutex_;
  std::condition_variable moved_;
  Pace pace_ = Pace::beside;
  std::map<int, Stream> streams_;
  Ledger ledger_;
  Reached host_;  ///< what the host has waited for
  std::string fault_;
  std::map<void*, size_t> host_blocks_;
  int last_stream_ = 12, last_event_ = 0;  // CUDA begins with 13, behind streams of its own
  uint64_t last_node_ = 0;
  std::atomic<uint32_t> correlation_{0};
  std::atomic<Watcher*> watcher_{nullptr};
};

}  // namespace engine::simt
