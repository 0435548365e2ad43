// SPDX-License-Identifier: Apache-2.0
// The process that runs a kernel: maps the tensors, calls it as often as it is told to, and notes where it failed.
#pragma once

#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>

#include "tensortide_kernel.h"
#include "tensortide_kernel_shared.h"

static void call_kernel();

namespace tensortide {

static Shared* shared;

static float* values(uint32_t tensor) {
  return reinterpret_cast<float*>(reinterpret_cast<char*>(shared) + shared->operands[tensor].offset_bytes);
}
static int size(int i) { return static_cast<int>(shared->sizes[i]); }

static _Unwind_Reason_Code add_frame(_Unwind_Context* context, void*) {
  if (shared->frames == kMostFrames) return _URC_END_OF_STACK;
  int before = 0;
  const uint64_t at = _Unwind_GetIPInfo(context, &before);
  shared->frame[shared->frames++] = before != 0 ? at : at - 1;
  return _URC_NO_REASON;
}

[[noreturn]] static void end(Stop why) {
  shared->frames = 0;
  shared->stop = why;
  _Unwind_Backtrace(add_frame, nullptr);
  fflush(stdout);
  _exit(97);
}

static void on_signal(int number, siginfo_t*, void*) {
  shared->signal = static_cast<uint32_t>(number);
  // A second fault, while frames are counted, ends the process.
  signal(number, SIG_DFL);
  shared->frames = 0;
  shared->stop = stop_signal;
  _Unwind_Backtrace(add_frame, nullptr);
  _exit(97);
}

static void catch_signals() {
  static char stack[1 << 16];
  const stack_t other = {stack, 0, sizeof stack};
  sigaltstack(&other, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM};
  for (int number : numbers) sigaction(number, &action, nullptr);
}

static void write_all(const void* from, size_t bytes) {
  const char* at = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t done = write(kAnswers, at, bytes);
    if (done <= 0) _exit(96);
    at += done;
    bytes -= static_cast<size_t>(done);
  }
}

#ifdef TENSORTIDE_NOTES

static uint64_t notes[8192];
uint64_t *next_note = notes, *last_note = notes + 8192;
char note_lock = 0;
static Place places[kMostTensors];
static int64_t scratch_used = 0;

void flush_notes() {
  write_all(notes, static_cast<size_t>(next_note - notes) * sizeof *notes);
  next_note = notes;
}

void outside(const Place& place, int64_t index, int width, bool stores) {
  shared->tensor = place.tensor;
  shared->index = index;
  shared->count = place.count;
  shared->width = static_cast<uint32_t>(width);
  shared->stores = stores ? 1 : 0;
  end(stop_outside);
}

Place take_scratch(int64_t count) {
  const int64_t first = scratch_used;
  if (count < 0 || count > shared->scratch_count - first) {
    shared->count = count;
    end(stop_scratch);
  }
  scratch_used += (count + 15) / 16 * 16;
  float* const data = reinterpret_cast<float*>(reinterpret_cast<char*>(shared) + shared->scratch_offset_bytes);
  return {data + first, first, count, shared->tensors};
}

void give_back(const Place& place) {
  if (place.first + (place.count + 15) / 16 * 16 == scratch_used) scratch_used = place.first;
}

static Input in(uint32_t tensor) { return Input(places[tensor], 0); }
static Output out(uint32_t tensor) { return Output(places[tensor], 0); }

static void prepare() {
  for (uint32_t t = 0; t < shared->tensors; ++t) places[t] = {values(t), 0, shared->operands[t].count, t};
}

#else

static Input in(uint32_t tensor) { return values(tensor); }
static Output out(uint32_t tensor) { return values(tensor); }
static void prepare() {}
static void flush_notes() {}

#endif

static int serve() {
  void* const first = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, kMemory, 0);
  if (first == MAP_FAILED) return 95;
  const uint64_t bytes = static_cast<Shared*>(first)->bytes;
  void* const all = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, kMemory, 0);
  if (all == MAP_FAILED) return 95;
  shared = static_cast<Shared*>(all);
  catch_signals();
  prepare();
  for (uint32_t times = 0; read(kCommands, &times, sizeof times) == static_cast<ssize_t>(sizeof times) && times > 0;) {
    for (uint32_t i = 0; i < times; ++i) call_kernel();
    flush_notes();
    fflush(stdout);
    write_all(&kDone, sizeof kDone);
  }
  return 0;
}

}  // namespace tensortide

int main() { return tensortide::serve(); }
