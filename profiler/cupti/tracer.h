// SPDX-License-Identifier: Apache-2.0
// CuptiTracer: activity records of this process, from the first context on, read out by a thread of its own.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "profiler/cupti/buffers.h"
#include "profiler/cupti/cupti_api.h"
#include "profiler/cupti/decode.h"
#include "profiler/gpu/tracer.h"

namespace profiler::cupti {

struct TracerOptions {
  BufferPool::Size buffers{};
  int64_t read_out_ns = 150'000'000;
  size_t most_waiting_events = size_t{8} << 20;  ///< events nobody took are dropped (and counted) beyond that
  std::string warning = {};                      ///< of CuptiLibrary: goes into the capture's notes
};

/// Callbacks enqueue; the thread flushes, decodes, and hands out. None of our locks is held across a call into CUPTI.
class CuptiTracer final : public GpuTracer {
 public:
  /// Subscribes and switches the records on, in CUPTI's order. Refused in words: another profiler is attached, no
  /// driver, ...; what had been switched on by then is undone. At most one at a time: CUPTI's buffer callbacks know of
  /// no object.
  static engine::Result<std::unique_ptr<CuptiTracer>> start(const CuptiApi&, const TracerOptions&);
  ~CuptiTracer() override;

  void push(ExternalKind, uint64_t id) override;
  void pop(ExternalKind) override;
  std::vector<GpuEvents> take() override;
  std::vector<GpuEvents> stop() override;

  const BufferPool& buffers() const { return pool_; }

 private:
  CuptiTracer(const CuptiApi&, const TracerOptions&);
  engine::Result<void> subscribe();
  engine::Result<void> switch_on();
  void switch_off();
  void read_out(uint32_t flush_flag);
  void hand_out(GpuEvents&&);
  ClockPair clock_pair() const;
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  static void callback(void* self, CUpti_CallbackDomain, CUpti_CallbackId, const void* data);
  void note_graph_node(CUpti_CallbackId, const CUpti_GraphData&);
  void note_failure(const CUpti_StateData&);

  CuptiApi api_;
  TracerOptions options_;
  BufferPool pool_;
  Decoder decoder_;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::vector<CUpti_ActivityKind> enabled_;
  std::vector<std::string> notes_;  ///< what could not be switched on, said with the first read-out
  std::atomic<uint64_t> current_op_{kNoOp};
  std::atomic<bool> failed_{false};

  std::mutex small_mutex_;  ///< leaf: failure_ and graph_nodes_
  std::string failure_;
  std::vector<GraphNodeEvent> graph_nodes_;

  std::mutex ready_mutex_;  ///< leaf: ready_, waiting_events_, lost_
  std::vector<GpuEvents> ready_;
  size_t waiting_events_ = 0;

  std::mutex wake_mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;  ///< last: it uses all of the above
};

}  // namespace profiler::cupti
