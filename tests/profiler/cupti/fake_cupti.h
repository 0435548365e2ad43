// SPDX-License-Identifier: Apache-2.0
// FakeCupti: a CuptiApi of our own: delivers buffers that a test wrote, refuses what the test wants refused, counts
// every call.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/profiler/cupti/records.h"

namespace profiler::cupti {

/// One at a time: CUPTI's functions carry no object.
class FakeCupti {
 public:
  FakeCupti() { current() = this; }
  ~FakeCupti() { current() = nullptr; }
  FakeCupti(const FakeCupti&) = delete;
  FakeCupti& operator=(const FakeCupti&) = delete;

  CuptiApi api() {
    CuptiApi api;
    api.activity_get_next_record = real_cupti()->api.activity_get_next_record;
    api.get_callback_name = real_cupti()->api.get_callback_name;
    api.get_result_string = real_cupti()->api.get_result_string;
    api.get_timestamp = [](uint64_t* now) {
      *now = static_cast<uint64_t>(current()->now_ns.fetch_add(10));
      return CUPTI_SUCCESS;
    };
    api.subscribe_v2 = [](CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback, void* data,
                          CUpti_SubscriberParams* params) {
      *handle = reinterpret_cast<CUpti_SubscriberHandle>(current());
      current()->callback_ = callback;
      current()->callback_data_ = data;
      std::snprintf(params->oldSubscriberName, params->oldSubscriberSize, "%s", current()->other_subscriber.c_str());
      return current()->called("subscribe");
    };
    api.unsubscribe = [](CUpti_SubscriberHandle) { return current()->called("unsubscribe"); };
    api.enable_callback = [](uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain, CUpti_CallbackId) {
      return current()->called("enable_callback");
    };
    api.set_thread_id_type = [](CUpti_ActivityThreadIdType) { return current()->called("set_thread_id_type"); };
    api.activity_set_attribute = [](CUpti_ActivityAttribute, size_t*, void*) {
      return current()->called("set_attribute");
    };
    api.activity_register_callbacks = [](CUpti_BuffersCallbackRequestFunc request,
                                         CUpti_BuffersCallbackCompleteFunc complete) {
      current()->request_ = request;
      current()->complete_ = complete;
      return current()->called("register_callbacks");
    };
    api.activity_enable = [](CUpti_ActivityKind kind) { return current()->enable(kind); };
    api.activity_enable_and_dump = [](CUpti_ActivityKind kind) { return current()->enable(kind); };
    api.activity_disable = [](CUpti_ActivityKind kind) {
      current()->enabled.erase(kind);
      return current()->called("disable");
    };
    api.activity_enable_runtime_api = [](CUpti_CallbackId call, uint8_t on) {
      current()->runtime_calls[call] = on != 0;
      return current()->called("enable_runtime_api");
    };
    api.activity_enable_driver_api = [](CUpti_CallbackId call, uint8_t on) {
      current()->driver_calls[call] = on != 0;
      return current()->called("enable_driver_api");
    };
    api.activity_enable_all_sync_records = [](uint8_t) { return current()->called("enable_all_sync_records"); };
    api.activity_flush_all = [](uint32_t flag) { return current()->flush(flag); };
    api.activity_get_num_dropped_records = [](CUcontext, uint32_t, size_t* dropped) {
      *dropped = current()->dropped_.exchange(0);
      return current()->called("get_num_dropped");
    };
    api.activity_push_external_correlation_id = [](CUpti_ExternalCorrelationKind kind, uint64_t id) {
      current()->stacks[kind].push_back(id);
      return current()->called("push");
    };
    api.activity_pop_external_correlation_id = [](CUpti_ExternalCorrelationKind kind, uint64_t* id) {
      auto& stack = current()->stacks[kind];
      if (stack.empty()) return CUPTI_ERROR_QUEUE_EMPTY;
      *id = stack.back();
      stack.pop_back();
      return current()->called("pop");
    };
    api.get_graph_node_id = [](CUgraphNode node, uint64_t* id) {
      *id = reinterpret_cast<uint64_t>(node);
      return CUPTI_SUCCESS;
    };
    return api;
  }

  /// Delivered at the next flush.
  void write(const Records& records) {
    const std::lock_guard lock(mutex_);
    script_.push_back(records);
  }
  /// As the application's thread does it: asks for a buffer, fills it, gives it back. False: there was none, records
  /// are dropped.
  bool deliver(const Records& records) {
    uint8_t* buffer = nullptr;
    size_t size = 0, most = 1;
    request_(&buffer, &size, &most);
    if (buffer == nullptr) {
      dropped_ += records.count();
      return false;
    }
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer) % 8, 0u);
    EXPECT_LE(records.bytes().size(), size);
    for (size_t i = 0; i < records.bytes().size(); ++i) EXPECT_EQ(buffer[i], 0) << "a buffer that was not zeroed";
    std::memcpy(buffer, records.bytes().data(), records.bytes().size());
    complete_(nullptr, 0, buffer, size, records.bytes().size());
    return true;
  }
  void fail(CUptiResult result, const char* message) {
    CUpti_StateData data{};
    data.notification.result = result;
    data.notification.message = message;
    callback_(callback_data_, CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_FATAL_ERROR, &data);
  }
  void graph_node(uint64_t node, uint64_t original) {
    CUpti_GraphData graph{};
    graph.node = reinterpret_cast<CUgraphNode>(node);
    graph.originalNode = reinterpret_cast<CUgraphNode>(original);
    CUpti_ResourceData data{};
    data.resourceDescriptor = &graph;
    callback_(callback_data_, CUPTI_CB_DOMAIN_RESOURCE,
              original == 0 ? CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED : CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, &data);
  }
  int calls(const std::string& function) {
    const std::lock_guard lock(mutex_);
    return calls_[function];
  }
  int all_calls() {
    const std::lock_guard lock(mutex_);
    int sum = 0;
    for (const auto& [name, count] : calls_) sum += count;
    return sum;
  }

  std::function<void()> during_flush;  ///< called once from within a flush, as CUPTI's own callbacks are
  std::string other_subscriber;
  std::map<std::string, CUptiResult> refuse;  ///< what functions answer; set before the tracer starts
  std::map<CUpti_ActivityKind, CUptiResult> refuse_kind;
  std::set<CUpti_ActivityKind> enabled;
  std::map<CUpti_CallbackId, bool> runtime_calls, driver_calls;  ///< those that were switched on or off one by one
  std::map<CUpti_ExternalCorrelationKind, std::vector<uint64_t>> stacks;
  std::atomic<int64_t> now_ns{1'790'000'000'000'000'000};

 private:
  static FakeCupti*& current() {
    static FakeCupti* fake = nullptr;
    return fake;
  }
  CUptiResult called(const std::string& function) {
    const std::lock_guard lock(mutex_);
    ++calls_[function];
    const auto refused = refuse.find(function);
    return refused == refuse.end() ? CUPTI_SUCCESS : refused->second;
  }
  CUptiResult enable(CUpti_ActivityKind kind) {
    if (refuse_kind.contains(kind)) return refuse_kind[kind];
    enabled.insert(kind);
    return called("enable");
  }
  /// CUPTI calls back for buffers from within a flush.
  CUptiResult flush(uint32_t) {
    if (const auto now = std::exchange(during_flush, {})) now();
    while (true) {
      Records next;
      {
        const std::lock_guard lock(mutex_);
        if (script_.empty()) break;
        next = script_.front();
        script_.pop_front();
      }
      deliver(next);
    }
    return called("flush");
  }

  std::mutex mutex_;
  std::deque<Records> script_;
  std::map<std::string, int> calls_;
  std::atomic<size_t> dropped_{0};
  CUpti_CallbackFunc callback_ = nullptr;
  void* callback_data_ = nullptr;
  CUpti_BuffersCallbackRequestFunc request_ = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete_ = nullptr;
};

}  // namespace profiler::cupti
