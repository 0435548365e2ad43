// SPDX-License-Identifier: Apache-2.0
// Switching stacks: a few instructions on x86-64, ucontext elsewhere.
#include "engine/simt/fibres.h"

#include <sys/mman.h>

#include <cstdlib>

#include "engine/base/check.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace engine::simt {
namespace {

constexpr size_t kPage = 4096, kStackBytes = size_t{256} << 10;  // its lowest page is a guard

}  // namespace

#if defined(__x86_64__)
// void engine_simt_switch(void** save, void* load): what a call must keep is pushed, the rest is the caller's matter.
extern "C" void engine_simt_switch(void** save, void* load) __attribute__((visibility("hidden")));
asm(R"(
.text
.globl engine_simt_switch
.hidden engine_simt_switch
.type engine_simt_switch,@function
engine_simt_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size engine_simt_switch,.-engine_simt_switch
)");

namespace {

void switch_to(void*& from, void*& to) { engine_simt_switch(&from, to); }

void prepare(void*& stack_pointer, std::byte* bottom, void (*main)()) {
  constexpr int kKept = 6;
  auto* top = reinterpret_cast<void**>(bottom + kStackBytes - 64);
  *--top = nullptr;  // main is entered as by a call: the stack is off a multiple of 16 by 8
  *--top = reinterpret_cast<void*>(main);
  for (int i = 0; i < kKept; ++i) *--top = nullptr;
  stack_pointer = top;
}
void release(void*&) {}

}  // namespace
#else
namespace {

ucontext_t* context_of(void*& stack_pointer) {
  if (stack_pointer == nullptr) stack_pointer = new ucontext_t{};
  return static_cast<ucontext_t*>(stack_pointer);
}
void switch_to(void*& from, void*& to) { CHECK(swapcontext(context_of(from), context_of(to)) == 0); }
void prepare(void*& stack_pointer, std::byte* bottom, void (*main)()) {
  ucontext_t* const context = context_of(stack_pointer);
  CHECK(getcontext(context) == 0);
  context->uc_stack.ss_sp = bottom;
  context->uc_stack.ss_size = kStackBytes;
  context->uc_link = nullptr;
  makecontext(context, main, 0);
}
void release(void*& stack_pointer) { delete static_cast<ucontext_t*>(stack_pointer); }

}  // namespace
#endif

Fibres::Fibres(unsigned count, void (*main)()) : main_(main), count_(count), fibres_(count) {
  void* const memory = mmap(nullptr, count * (kStackBytes + kPage), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(memory != MAP_FAILED);
  memory_ = static_cast<std::byte*>(memory);
  for (unsigned i = count; i-- > 0;) {
    CHECK(mprotect(memory_ + i * (kStackBytes + kPage), kPage, PROT_NONE) == 0);
    free_.push_back(i);
  }
}

Fibres::~Fibres() {
  for (Fibre& fibre : fibres_) {
    release(fibre.stack_pointer);
#if defined(__SANITIZE_THREAD__)
    if (fibre.sanitizer_thread != nullptr) __tsan_destroy_fiber(fibre.sanitizer_thread);
#endif
  }
  release(host_.stack_pointer);
  munmap(memory_, count_ * (kStackBytes + kPage));
}

std::byte* Fibres::bottom(unsigned fibre) const { return memory_ + fibre * (kStackBytes + kPage) + kPage; }

unsigned Fibres::acquire() {
  CHECK(!free_.empty());
  const unsigned fibre = free_.back();
  free_.pop_back();
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(bottom(fibre),
                                kStackBytes);  // frames that finish() or abandon() left have not returned
#endif
  prepare(fibres_[fibre].stack_pointer, bottom(fibre), main_);
  fibres_[fibre].sanitizer_stack = nullptr;
#if defined(__SANITIZE_THREAD__)
  if (fibres_[fibre].sanitizer_thread == nullptr) fibres_[fibre].sanitizer_thread = __tsan_create_fiber(0);
#endif
  return fibre;
}

void Fibres::enter(unsigned fibre) {
  current_ = fibre;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&host_.sanitizer_stack, bottom(fibre), kStackBytes);
#endif
#if defined(__SANITIZE_THREAD__)
  host_.sanitizer_thread = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(fibres_[fibre].sanitizer_thread, 0);
#endif
  switch_to(host_.stack_pointer, fibres_[fibre].stack_pointer);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(host_.sanitizer_stack, nullptr, nullptr);
#endif
}

void Fibres::begin() {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, &host_bottom_, &host_bytes_);
#endif
}

void Fibres::leave() {
  Fibre& own = fibres_[current_];
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&own.sanitizer_stack, host_bottom_, host_bytes_);
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(host_.sanitizer_thread, 0);
#endif
  switch_to(own.stack_pointer, host_.stack_pointer);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(own.sanitizer_stack, &host_bottom_, &host_bytes_);
#endif
}

void Fibres::finish() {
  Fibre& own = fibres_[current_];
  free_.push_back(current_);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(nullptr, host_bottom_, host_bytes_);
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(host_.sanitizer_thread, 0);
#endif
  switch_to(own.stack_pointer, host_.stack_pointer);
  std::abort();  // nobody enters it again before acquire() has made it new
}

void Fibres::abandon(unsigned fibre) { free_.push_back(fibre); }

}  // namespace engine::simt
