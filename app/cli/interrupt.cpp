// SPDX-License-Identifier: Apache-2.0
// The signal handler and its flag.
#include "app/cli/interrupt.h"

#include <csignal>

namespace app::cli {
namespace {

std::atomic<bool> g_stop{false};  // set by the signal handler, the one place that must be global
bool g_hangup = false;            // SIGHUP was not ignored from the start

extern "C" void on_interrupt(int) {
  g_stop = true;
  // A second signal of either kind ends the process at once: a library that waits for memory, say, never looks at the
  // flag.
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  if (g_hangup) std::signal(SIGHUP, SIG_DFL);
}

}  // namespace

const std::atomic<bool>& stop_on_interrupt() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  // A terminal that closes ends a run as SIGTERM does. Under nohup, which ignores that signal, it goes on.
  g_hangup = g_hangup || std::signal(SIGHUP, on_interrupt) != SIG_IGN;
  if (!g_hangup) std::signal(SIGHUP, SIG_IGN);
  return g_stop;
}

}  // namespace app::cli
