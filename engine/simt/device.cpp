// SPDX-License-Identifier: Apache-2.0
// Streams do what they are given in their order, on threads of their own or when somebody waits.
#include "engine/simt/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/clock.h"

namespace engine::simt {
namespace {

constexpr size_t kAlignment = 256;  // as cudaMalloc's
constexpr int kPoison = 0xff;       // NaN in every format, -1 in every whole number

void* make_block(size_t bytes) {
  const size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  void* const data = std::aligned_alloc(kAlignment, rounded);
  if (data != nullptr) std::memset(data, kPoison, bytes);
  return data;
}

uintptr_t address(const void* data) { return reinterpret_cast<uintptr_t>(data); }

}  // namespace

Device& Device::the() {
  static Device device;
  return device;
}

Device::~Device() {
  std::vector<int> left;
  for (const auto& [stream, unused] : streams_) left.push_back(stream);
  for (const int stream : left) destroy_stream(stream);
}

void Device::reset(Pace pace) {
  const std::lock_guard lock(mutex_);
  CHECK(streams_.empty());
  pace_ = pace;
  ledger_ = {};
  host_ = {};
  fault_.clear();
}

std::string Device::fault() const {
  const std::lock_guard lock(mutex_);
  return fault_;
}

void Device::watch(Watcher* watcher) { watcher_.store(watcher); }

void Device::complain(std::string what) {
  if (fault_.empty()) fault_ = std::move(what);
}

Entry Device::entry(int stream, std::string name) {
  Stream& s = streams_.at(stream);
  s.reached.note(host_);
  s.reached.note(stream, s.issued + 1);
  return {std::move(name), stream, s.issued + 1, s.reached};
}

int Device::make_stream() {
  std::unique_lock lock(mutex_);
  const int stream = ++last_stream_;
  Stream& made = streams_[stream];
  try {
    if (pace_ == Pace::beside) made.thread = std::thread([this, stream] { work(stream); });
  } catch (const std::system_error&) {  // a limit of processes or of memory
    streams_.erase(stream);
    return 0;
  }
  lock.unlock();
  if (Watcher* const watching = watcher()) watching->made_stream(stream);
  return stream;
}

void Device::destroy_stream(int stream) {
  std::unique_lock lock(mutex_);
  const auto at = streams_.find(stream);
  if (at == streams_.end()) return complain(fmt::format("stream {} is destroyed, which there is none of", stream));
  reach(stream, at->second.issued, lock);
  at->second.ending = true;
  moved_.notify_all();
  std::thread thread = std::move(at->second.thread);
  lock.unlock();
  if (thread.joinable()) thread.join();
  lock.lock();
  streams_.erase(stream);
  moved_.notify_all();
}

bool Device::enqueue(int stream, Operation operation) {
  Stream& s = streams_.at(stream);
  if (!operation.uses.empty()) {
    if (std::string wrong = ledger_.use(entry(stream, operation.name), operation.uses); !wrong.empty())
      complain(std::move(wrong));
  }
  if (!fault_.empty()) return false;
  s.reached.note(host_);
  s.reached.note(stream, ++s.issued);
  s.queue.push_back({s.issued, std::move(operation)});
  return true;
}

bool Device::submit(int stream, Operation operation) {
  std::unique_lock lock(mutex_);
  if (stream == 0) {
    perform(stream, {0, std::move(operation)}, lock);
    return fault_.empty();
  }
  if (!streams_.contains(stream))
    complain(fmt::format("{} is given stream {}, which there is none of", operation.name, stream));
  if (!fault_.empty()) return false;
  Stream& s = streams_.at(stream);
  if (s.noting != nullptr) {
    const uint64_t node = operation.node = ++last_node_;
    s.noting->nodes.push_back(std::move(operation));
    lock.unlock();
    if (Watcher* const watching = watcher()) watching->made_node(node, 0);
    return true;
  }
  if (!enqueue(stream, std::move(operation))) return false;
  if (pace_ == Pace::at_once) reach(stream, s.issued, lock);
  moved_.notify_all();
  return fault_.empty();
}

std::vector<Use> Device::uses_of(std::span<const uintptr_t> pointers, std::span<const uintptr_t> words) const {
  std::vector<Use> uses;
  const std::lock_guard lock(mutex_);
  const auto add = [&](uintptr_t word) {
    const Use range = ledger_.all_around(word);
    const bool known = std::ranges::any_of(uses, [&](const Use& use) { return use.begin == range.begin; });
    if (range.end > range.begin && !known) uses.push_back(range);
  };
  for (const uintptr_t pointer : pointers) add(pointer);
  for (const uintptr_t word : words) {  // an old address behind a byte of a member is rarely a multiple of 4
    if (word % 4 == 0 && ledger_.is_live(word)) add(word);
  }
  return uses;
}

bool Device::is_page_locked(const void* data) const {
  const std::lock_guard lock(mutex_);
  const auto at = std::ranges::find_if(host_blocks_, [&](const auto& block) {
    return address(data) >= address(block.first) && address(data) < address(block.first) + block.second;
  });
  return at != host_blocks_.end();
}

// ---- memory
// ----------------------------------------------------------------------------------------------------------------------

void* Device::allocate(int stream, size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (!fault_.empty() || !streams_.contains(stream)) return nullptr;
  if (bytes > static_cast<size_t>(kMemoryBytes - ledger_.live_bytes())) return nullptr;
  void* const data = make_block(bytes);
  if (data == nullptr) return nullptr;
  const Entry by = entry(stream, fmt::format("cudaMallocAsync of {} bytes", bytes));
  ledger_.add(address(data), bytes, false, by);
  Stream& s = streams_.at(stream);
  s.queue.push_back(
      {++s.issued, {by.name, std::make_shared<const Work>(FreeWork{nullptr}), {}, 0, 0, 0}});  // its place in the order
  moved_.notify_all();
  return data;
}

bool Device::free(int stream, void* data) {
  {
    std::unique_lock lock(mutex_);
    if (!streams_.contains(stream)) return false;
    const bool ours = ledger_.all_around(address(data)).begin == address(data) && ledger_.is_live(address(data));
    if (std::string wrong = ledger_.remove(entry(stream, "cudaFreeAsync"), address(data)); !wrong.empty())
      complain(std::move(wrong));
    if (!fault_.empty()) {  // nothing more is done: what goes on ends, then the memory is given back
      reach_all(lock);
      if (ours) std::free(data);
      return false;
    }
  }
  return submit(stream,
                {"cudaFreeAsync", std::make_shared<const Work>(FreeWork{static_cast<std::byte*>(data)}), {}, 0, 0, 0});
}

void* Device::allocate_host(size_t bytes) {
  void* const data = make_block(bytes);
  const std::lock_guard lock(mutex_);
  if (data == nullptr) return nullptr;
  ledger_.add(address(data), bytes, true, {fmt::format("cudaHostAlloc of {} bytes", bytes), 0, 0, {}});
  host_blocks_[data] = bytes;
  return data;
}

bool Device::free_host(void* data) {
  std::unique_lock lock(mutex_);
  std::string wrong = ledger_.remove({"cudaFreeHost", 0, 0, host_}, address(data));
  const bool well = wrong.empty();
  if (!well) {
    complain(std::move(wrong));
    reach_all(lock);  // who still uses it ends
  }
  if (host_blocks_.erase(data) > 0) std::free(data);
  return well;
}

int64_t Device::free_bytes() const {
  const std::lock_guard lock(mutex_);
  return kMemoryBytes - ledger_.live_bytes();
}

// ---- order
// -----------------------------------------------------------------------------------------------------------------------

Event Device::make_event() {
  const std::lock_guard lock(mutex_);
  return {++last_event_, 0, 0, {}};
}

bool Device::record(Event& event, int stream) {
  const std::lock_guard lock(mutex_);
  if (!streams_.contains(stream))
    complain(fmt::format("event {} is recorded on stream {}, which there is none of", event.id, stream));
  if (!fault_.empty()) return false;
  Stream& s = streams_.at(stream);
  s.reached.note(host_);
  event.stream = stream;
  event.number = s.issued;
  event.reached = s.reached;
  return true;
}

bool Device::wait(int stream, const Event& event) {
  std::unique_lock lock(mutex_);
  if (!streams_.contains(stream))
    complain(fmt::format("stream {}, which there is none of, waits for event {}", stream, event.id));
  if (!fault_.empty()) return false;
  if (event.number == 0) return true;  // never recorded, or behind nothing
  enqueue(stream,
          {"cudaStreamWaitEvent", std::make_shared<const Work>(WaitWork{event.stream, event.number}), {}, 0, 0, 0});
  Stream& s = streams_.at(stream);
  s.reached.note(event.reached);
  if (pace_ == Pace::at_once) reach(stream, s.issued, lock);
  moved_.notify_all();
  return true;
}

bool Device::synchronize(const Event& event) {
  std::unique_lock lock(mutex_);
  reach(event.stream, event.number, lock);
  host_.note(event.reached);
  return fault_.empty();
}

bool Device::synchronize(int stream) {
  std::unique_lock lock(mutex_);
  if (stream == 0) return fault_.empty();  // it does all at once
  const auto at = streams_.find(stream);
  if (at == streams_.end()) {
    complain(fmt::format("stream {} is waited for, which there is none of", stream));
    return false;
  }
  const Reached reached = at->second.reached;
  reach(stream, at->second.issued, lock);
  host_.note(reached);
  return fault_.empty();
}

bool Device::synchronize() {
  std::vector<int> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [stream, unused] : streams_) all.push_back(stream);
  }
  bool well = true;
  for (const int stream : all) well = synchronize(stream) && well;
  return well;
}

void Device::reach(int stream, uint64_t number, std::unique_lock<std::mutex>& lock) {
  const auto there = [&] {
    const auto at = streams_.find(stream);
    return at == streams_.end() || at->second.finished >= number;
  };
  if (pace_ == Pace::beside) return moved_.wait(lock, there);
  while (!there()) {
    Stream& s = streams_.at(stream);
    if (s.at_work) {  // on another thread of the host
      moved_.wait(lock);
      continue;
    }
    const Queued next = std::move(s.queue.front());
    s.queue.pop_front();
    s.at_work = true;
    perform(stream, next, lock);
    s.at_work = false;
    s.finished = next.number;
    moved_.notify_all();
  }
}

void Device::reach_all(std::unique_lock<std::mutex>& lock) {
  std::vector<std::pair<int, uint64_t>> all;  // streams come and go while the lock is open
  for (const auto& [stream, unused] : streams_) all.emplace_back(stream, streams_.at(stream).issued);
  for (const auto& [stream, number] : all) reach(stream, number, lock);
}

void Device::work(int stream) {
  std::unique_lock lock(mutex_);
  while (true) {
    Stream& s = streams_.at(stream);  // stays where it is while others come and go
    moved_.wait(lock, [&] { return !s.queue.empty() || s.ending; });
    if (s.queue.empty()) return;
    const Queued next = std::move(s.queue.front());
    s.queue.pop_front();
    perform(stream, next, lock);
    s.finished = next.number;
    moved_.notify_all();
  }
}

void Device::perform(int stream, const Queued& next, std::unique_lock<std::mutex>& lock) {
  const Operation& operation = next.operation;
  if (const auto* wait = std::get_if<WaitWork>(operation.work.get())) return reach(wait->stream, wait->number, lock);
  if (!fault_.empty() && !std::holds_alternative<FreeWork>(*operation.work))
    return;  // a GPU that failed does nothing more
  lock.unlock();
  std::string wrong;
  WorkDone done{stream, operation.correlation, engine::now_ns(), 0, operation.graph, operation.node};
  Watcher* const watching = watcher();
  if (const auto* kernel = std::get_if<KernelWork>(operation.work.get())) {
    wrong = run_grid(kernel->launch);
    done.end_ns = engine::now_ns();
    if (watching != nullptr)
      watching->done(KernelDone{done, kernel->name, kernel->launch.blocks, kernel->launch.threads});
  } else if (const auto* copy = std::get_if<CopyWork>(operation.work.get())) {
    std::memmove(copy->to, copy->from, copy->bytes);
    done.end_ns = engine::now_ns();
    if (watching != nullptr) watching->done(CopyDone{done, copy->way, copy->pinned, copy->bytes});
  } else if (const auto* set = std::get_if<MemsetWork>(operation.work.get())) {
    std::memset(set->to, set->value, set->bytes);
    done.end_ns = engine::now_ns();
    if (watching != nullptr) watching->done(MemsetDone{done, set->value, set->bytes});
  } else if (const auto* freed = std::get_if<FreeWork>(operation.work.get())) {
    std::free(freed->data);
  }
  lock.lock();
  if (!wrong.empty()) complain(fmt::format("{}: {}", operation.name, wrong));
}

// ---- graphs
// ----------------------------------------------------------------------------------------------------------------------

bool Device::begin_graph(int stream) {
  const std::lock_guard lock(mutex_);
  if (!fault_.empty() || !streams_.contains(stream) || streams_.at(stream).noting != nullptr) return false;
  streams_.at(stream).noting = std::make_unique<Graph>();
  return true;
}

bool Device::is_noting(int stream) const {
  const std::lock_guard lock(mutex_);
  return streams_.contains(stream) && streams_.at(stream).noting != nullptr;
}

std::unique_ptr<Graph> Device::end_graph(int stream) {
  const std::lock_guard lock(mutex_);
  if (!streams_.contains(stream)) return nullptr;
  return std::exchange(streams_.at(stream).noting, nullptr);
}

std::unique_ptr<Graph> Device::instantiate(const Graph& graph) {
  auto made = std::make_unique<Graph>(graph);
  std::vector<std::pair<uint64_t, uint64_t>> nodes;
  {
    const std::lock_guard lock(mutex_);
    for (Operation& operation : made->nodes) {
      nodes.emplace_back(++last_node_, operation.node);
      operation.node = last_node_;
    }
  }
  if (Watcher* const watching = watcher()) {
    for (const auto& [node, original] : nodes) watching->made_node(node, original);
  }
  return made;
}

bool Device::launch(const Graph& graph, int stream, uint32_t correlation, uint32_t id) {
  for (Operation operation : graph.nodes) {
    operation.correlation = correlation;
    operation.graph = id;
    if (!submit(stream, std::move(operation))) return false;
  }
  return true;
}

}  // namespace engine::simt
