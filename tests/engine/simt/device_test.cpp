// SPDX-License-Identifier: Apache-2.0
// The emulated GPU: streams, events, graphs and memory, the rules it holds its users to, and the CUDA backend on it.
#include "engine/simt/device.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <new>
#include <thread>

#include "engine/cpu/backend.h"
#include "engine/simt/submit.h"
#include "engine/tensor/device_name.h"
#include "tests/engine/simt/emulated.h"

namespace {

using namespace engine;  // NOLINT: a test of this floor
using simt::Pace;

constexpr int kCount = 256;
constexpr size_t kBytes = kCount * sizeof(int);

/// A kernel that begins, and ends some time after it is told to.
struct Hold {
  std::atomic<bool> begun{false}, told{false}, ended{false};
};
__global__ void held_kernel(Hold* hold) {
  hold->begun = true;
  while (!hold->told) std::this_thread::yield();
  for (int i = 0; i < 20; ++i) std::this_thread::yield();
  hold->ended = true;
}

__global__ void add_kernel(int* to, const int* from, int what) { to[threadIdx.x] = from[threadIdx.x] + what; }

cudaError_t add(cudaStream_t stream, int* to, const int* from, int what) {
  return simt::submit<add_kernel>(stream, 1, kCount, to, from, what);
}

/// Two streams, an event, memory on both sides.
class EmulatedGpu : public testing::Test {
 protected:
  void SetUp() override { start(Pace::late); }
  void TearDown() override { end(); }
  void start(Pace pace) {
    end();
    simt::Device::the().reset(pace);
    for (cudaStream_t* stream : {&one_, &two_})
      ASSERT_EQ(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), cudaSuccess);
    ASSERT_EQ(cudaMallocAsync(reinterpret_cast<void**>(&there_), kBytes, one_), cudaSuccess);
    ASSERT_EQ(cudaHostAlloc(reinterpret_cast<void**>(&here_), kBytes, cudaHostAllocDefault), cudaSuccess);
    for (int i = 0; i < kCount; ++i) here_[i] = i;
  }
  void end() {
    if (one_ == nullptr) return;
    static_cast<void>(cudaFreeAsync(there_, one_));
    static_cast<void>(cudaDeviceSynchronize());
    static_cast<void>(cudaFreeHost(here_));
    static_cast<void>(cudaEventDestroy(event_));
    static_cast<void>(cudaStreamDestroy(one_));
    static_cast<void>(cudaStreamDestroy(two_));
    one_ = nullptr;
  }
  static std::string fault() { return simt::Device::the().fault(); }
  cudaError_t up(cudaStream_t stream) { return cudaMemcpyAsync(there_, here_, kBytes, cudaMemcpyHostToDevice, stream); }
  cudaError_t down(cudaStream_t stream) {
    return cudaMemcpyAsync(here_, there_, kBytes, cudaMemcpyDeviceToHost, stream);
  }
  /// `to` goes on behind what `from` has been given.
  void order(cudaStream_t from, cudaStream_t to) {
    EXPECT_EQ(cudaEventRecord(event_, from), cudaSuccess);
    EXPECT_EQ(cudaStreamWaitEvent(to, event_, 0), cudaSuccess);
  }

  cudaStream_t one_ = nullptr, two_ = nullptr;
  cudaEvent_t event_ = nullptr;
  int *there_ = nullptr, *here_ = nullptr;
};

TEST_F(EmulatedGpu, WorkInOrderOverTwoStreamsIsTheSameAtEveryPace) {
  for (const Pace pace : {Pace::at_once, Pace::late, Pace::beside}) {
    start(pace);
    EXPECT_EQ(up(one_), cudaSuccess);
    EXPECT_EQ(add(one_, there_, there_, 1), cudaSuccess);
    order(one_, two_);
    EXPECT_EQ(add(two_, there_, there_, 10), cudaSuccess);
    EXPECT_EQ(down(two_), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(two_), cudaSuccess);
    for (int i = 0; i < kCount; ++i) ASSERT_EQ(here_[i], i + 11);
    EXPECT_EQ(cudaMemsetAsync(there_, 0, kBytes, one_), cudaSuccess) << "the host has waited for the other stream";
    EXPECT_EQ(down(one_), cudaSuccess);
    EXPECT_EQ(cudaEventRecord(event_, one_), cudaSuccess);
    EXPECT_EQ(cudaEventSynchronize(event_), cudaSuccess);
    EXPECT_EQ(here_[5], 0);
    EXPECT_EQ(fault(), "");
  }
}

TEST_F(EmulatedGpu, NothingIsThereBeforeSomebodyHasWaitedForIt) {
  EXPECT_EQ(up(one_), cudaSuccess);
  EXPECT_EQ(add(one_, there_, there_, 1), cudaSuccess);
  EXPECT_EQ(down(one_), cudaSuccess);
  EXPECT_EQ(here_[3], 3) << "late: a reader that does not wait sees what was there before";
  EXPECT_EQ(cudaStreamSynchronize(one_), cudaSuccess);
  EXPECT_EQ(here_[3], 4);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which reserve addresses of their own
TEST_F(EmulatedGpu, AThreadThatTheHostDoesNotGiveIsAnError) {
  start(Pace::beside);
  const auto under_a_limit = [] {
    constexpr int kMost = 64;  // stacks of threads that have ended are used again
    constexpr rlim_t kRoom = rlim_t{4} << 20;
    long pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlimit limit{static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + kRoom, RLIM_INFINITY};
    if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(2);
    for (int i = 0; i < kMost; ++i) {
      cudaStream_t stream = nullptr;
      if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaErrorMemoryAllocation) _exit(0);
    }
    _exit(1);
  };
  EXPECT_EXIT(under_a_limit(), testing::ExitedWithCode(0), "");
}
#endif

TEST_F(EmulatedGpu, TwoThreadsOfTheHostMayWaitForOneStream) {
  Hold* hold = nullptr;
  ASSERT_EQ(cudaHostAlloc(reinterpret_cast<void**>(&hold), sizeof(Hold), cudaHostAllocDefault), cudaSuccess);
  new (hold) Hold;
  ASSERT_EQ(simt::submit<held_kernel>(one_, 1, 1, hold), cudaSuccess) << fault();
  std::thread worker([&] { EXPECT_EQ(cudaStreamSynchronize(one_), cudaSuccess); });  // late: it does the work
  while (!hold->begun) std::this_thread::yield();
  hold->told = true;
  EXPECT_EQ(cudaStreamSynchronize(one_), cudaSuccess);
  EXPECT_TRUE(hold->ended) << "whoever waits does so until the other thread has done it";
  worker.join();
  EXPECT_EQ(fault(), "");
  EXPECT_EQ(cudaFreeHost(hold), cudaSuccess) << fault();
}

TEST_F(EmulatedGpu, StreamZeroIsAlwaysThere) {
  std::vector<int> pageable(kCount, 7);
  EXPECT_EQ(cudaMemcpyAsync(there_, pageable.data(), kBytes, cudaMemcpyHostToDevice, nullptr), cudaSuccess) << fault();
  EXPECT_EQ(add(nullptr, there_, there_, 1), cudaSuccess) << fault();
  EXPECT_EQ(cudaMemcpyAsync(pageable.data(), there_, kBytes, cudaMemcpyDeviceToHost, nullptr), cudaSuccess) << fault();
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess) << fault();
  EXPECT_EQ(pageable[3], 8);
}

TEST_F(EmulatedGpu, AnAccessThatNothingOrdersNamesBothOperations) {
  for (const auto& use : std::vector<std::function<cudaError_t()>>{
           [&] { return add(two_, there_, there_, 1); }, [&] { return down(two_); },
           [&] { return cudaMemsetAsync(there_, 0, 16, two_); }, [&] { return cudaFreeAsync(there_, two_); }}) {
    start(Pace::late);
    EXPECT_EQ(up(one_), cudaSuccess);
    EXPECT_EQ(use(), cudaErrorLaunchFailure);
    EXPECT_NE(fault().find("unordered with"), std::string::npos) << fault();
    EXPECT_NE(fault().find("cudaMemcpyAsync host to device of 1024 bytes on stream"), std::string::npos) << fault();
    EXPECT_EQ(cudaStreamSynchronize(one_), cudaErrorLaunchFailure) << "a GPU that failed says so from then on";
    start(Pace::late);
    EXPECT_EQ(up(one_), cudaSuccess);
    order(one_, two_);
    EXPECT_EQ(use(), cudaSuccess) << fault();
  }
}

TEST_F(EmulatedGpu, AnEventOrdersOnlyWhatWasThereWhenItWasRecorded) {
  EXPECT_EQ(cudaEventRecord(event_, one_), cudaSuccess);
  EXPECT_EQ(up(one_), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(two_, event_, 0), cudaSuccess);
  EXPECT_EQ(down(two_), cudaErrorLaunchFailure);
  EXPECT_NE(fault().find("unordered with"), std::string::npos) << fault();
}

TEST_F(EmulatedGpu, TwoReadersNeedNoOrder) {
  EXPECT_EQ(up(one_), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(one_), cudaSuccess);
  std::vector<int> other(kCount);
  EXPECT_EQ(down(one_), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(other.data(), there_, kBytes, cudaMemcpyDeviceToHost, two_), cudaSuccess) << fault();
  EXPECT_EQ(other[7], 7) << "a copy to pageable memory has ended when the call returns";
  EXPECT_EQ(add(two_, there_, there_, 1), cudaErrorLaunchFailure) << "a writer does";
}

TEST_F(EmulatedGpu, MemoryLivesFromItsAllocationToItsEndInTheOrderOfStreams) {
  int* fresh = nullptr;
  ASSERT_EQ(cudaMallocAsync(reinterpret_cast<void**>(&fresh), kBytes, one_), cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(fresh, 0, kBytes, two_), cudaErrorLaunchFailure)
      << "allocated in the order of another stream";
  EXPECT_NE(fault().find("unordered with cudaMallocAsync"), std::string::npos) << fault();
  static_cast<void>(cudaFreeAsync(fresh, one_));

  start(Pace::late);
  EXPECT_EQ(cudaMemsetAsync(there_, 0, kBytes + 1, one_), cudaErrorLaunchFailure);
  EXPECT_NE(fault().find("goes 1 bytes beyond the end"), std::string::npos) << fault();

  start(Pace::late);
  int* const gone = std::exchange(there_, nullptr);
  EXPECT_EQ(cudaFreeAsync(gone, one_), cudaSuccess);
  EXPECT_EQ(add(one_, gone, gone, 1), cudaErrorLaunchFailure);
  EXPECT_NE(fault().find("has freed"), std::string::npos) << fault();

  start(Pace::late);
  int* const twice = std::exchange(there_, nullptr);
  EXPECT_EQ(cudaFreeAsync(twice, one_), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(twice, one_), cudaErrorLaunchFailure);
  EXPECT_NE(fault().find("has freed already"), std::string::npos) << fault();

  start(Pace::late);
  EXPECT_EQ(up(one_), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(std::exchange(here_, nullptr)), cudaErrorLaunchFailure) << "the copy may still read it";
  EXPECT_NE(fault().find("cudaFreeHost"), std::string::npos) << fault();

  start(Pace::late);
  EXPECT_EQ(cudaMemcpyAsync(here_, here_, 4, cudaMemcpyHostToDevice, one_), cudaSuccess)
      << "page-locked memory is the GPU's, too";
  int outside = 0;
  EXPECT_EQ(cudaMemsetAsync(&outside, 0, 4, one_), cudaErrorLaunchFailure);
  EXPECT_NE(fault().find("no memory of the GPU"), std::string::npos) << fault();
}

TEST_F(EmulatedGpu, MemoryRunsOutAndIsGivenBack) {
  void* all = nullptr;
  EXPECT_EQ(cudaMallocAsync(&all, simt::Device::kMemoryBytes, one_), cudaErrorMemoryAllocation);
  for (const size_t bytes : {SIZE_MAX, SIZE_MAX - 100, SIZE_MAX / 2 + 1, SIZE_MAX / 2})
    EXPECT_EQ(cudaMallocAsync(&all, bytes, one_), cudaErrorMemoryAllocation) << bytes;
  size_t free = 0, total = 0;
  EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  EXPECT_EQ(total - free, kBytes);
}

TEST_F(EmulatedGpu, GraphsAreReplayed) {
  for (const Pace pace : {Pace::at_once, Pace::late, Pace::beside}) {
    start(pace);
    EXPECT_EQ(up(one_), cudaSuccess);
    EXPECT_EQ(cudaStreamBeginCapture(one_, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    EXPECT_EQ(add(one_, there_, there_, 1), cudaSuccess);
    EXPECT_EQ(add(one_, there_, there_, 2), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(one_), cudaErrorStreamCaptureUnsupported);
    void* data = nullptr;
    EXPECT_EQ(cudaMallocAsync(&data, 16, one_), cudaErrorStreamCaptureUnsupported);
    cudaGraph_t noted = nullptr;
    cudaGraphExec_t graph = nullptr;
    size_t nodes = 0;
    EXPECT_EQ(cudaStreamEndCapture(one_, &noted), cudaSuccess);
    EXPECT_EQ(cudaGraphGetNodes(noted, nullptr, &nodes), cudaSuccess);
    EXPECT_EQ(nodes, 2u);
    EXPECT_EQ(cudaGraphInstantiate(&graph, noted, 0), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(noted), cudaSuccess);
    for (int launch = 0; launch < 3; ++launch) EXPECT_EQ(cudaGraphLaunch(graph, one_), cudaSuccess);
    EXPECT_EQ(down(one_), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(one_), cudaSuccess);
    EXPECT_EQ(here_[4], 4 + 3 * 3);
    EXPECT_EQ(cudaGraphExecDestroy(graph), cudaSuccess);
  }
}

// ---- the CUDA backend
// ------------------------------------------------------------------------------------------------------------

void expect_near(const std::vector<std::vector<double>>& here, const std::vector<std::vector<double>>& there) {
  ASSERT_EQ(here.size(), there.size());
  for (size_t v = 0; v < here.size(); ++v) {
    ASSERT_EQ(here[v].size(), there[v].size());
    double difference = 0, norm = 0;
    for (size_t i = 0; i < here[v].size(); ++i) {
      difference += (here[v][i] - there[v][i]) * (here[v][i] - there[v][i]);
      norm += here[v][i] * here[v][i];
    }
    EXPECT_LE(std::sqrt(difference), 2e-3 * std::sqrt(norm) + 1e-5) << "value " << v;  // as tests/gpu/backend_test.cpp
  }
}

struct Network {
  const char* workload;
  Arguments arguments;
  bool replays = true;  ///< none of its ops needs the host
};

class NetworksOnTheEmulatedGpu : public testing::TestWithParam<Network> {};

TEST_P(NetworksOnTheEmulatedGpu, ComputeWhatTheCpuDoesAtEveryPaceAndReplayed) {
  constexpr uint32_t kSteps = 2;
  const auto graph = test::graph_of(GetParam().workload, GetParam().arguments);
  const auto cpu = cpu::make_backend(1);
  ASSERT_TRUE(cpu.ok());
  const auto wanted = test::values_after(**cpu, graph, kSteps);
  std::vector<std::vector<double>> first;
  for (const Pace pace : {Pace::late, Pace::beside}) {
    for (const bool replay : {false, true}) {
      if (replay && !GetParam().replays) continue;
      const auto backend = test::make_emulated(pace);
      const auto found = test::values_after(*backend, graph, kSteps, replay);
      if (first.empty()) first = found;
      EXPECT_EQ(found, first) << "pace and replay change no bit";
    }
  }
  expect_near(wanted, first);
}

INSTANTIATE_TEST_SUITE_P(Workloads, NetworksOnTheEmulatedGpu,
                         testing::Values(Network{"mlp", {{"mode", "training"}}},
                                         Network{"transformer", {{"mode", "training"}}},
                                         Network{"resnet56", {{"mode", "training"}}},
                                         Network{"data_pipeline", {}, false}, Network{"transfer", {}, false}),
                         [](const auto& test) { return std::string(test.param.workload); });

}  // namespace
