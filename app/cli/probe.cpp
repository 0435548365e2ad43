// SPDX-License-Identifier: Apache-2.0
// tensortide probe: measures this machine's roofs and shows them with their spread.
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/output.h"
#include "profiler/model/roofs_trust.h"
#include "profiler/record/probe.h"

namespace app::cli {
namespace {

using engine::Result;
using profiler::format_quantity;
using profiler::Machine;
using profiler::Measured;
using profiler::Quantity;

std::atomic<bool> g_stop{false};  // set by the signal handler
extern "C" void on_probe_interrupt(int) { g_stop = true; }

struct Options {
  bool json = false, again = false;
};

std::string with_spread(const Measured& m, Quantity quantity) {
  if (!m.known()) return "–";
  return fmt::format("{:>14}   {} to {} in {} runs", format_quantity(m.median, quantity), format_quantity(m.low, quantity),
                     format_quantity(m.high, quantity), m.samples);
}

void print_machine(const Machine& machine) {
  fmt::print("{}\nmeasured {} in {:.1f} s; {} cores, {} memory\n\n", machine.info.model, machine.probed_at, machine.probe_seconds,
             machine.info.cores, format_quantity(static_cast<double>(machine.info.memory_bytes), Quantity::bytes));
  fmt::print("Arithmetic (measured)\n");
  for (const profiler::ComputeRoof& roof : machine.compute) {
    fmt::print("  {:5} {} thread{} {}   {}\n", name(roof.dtype), roof.threads, roof.threads == 1 ? " " : "s",
               with_spread(roof.flop_per_s, Quantity::flop_per_s), roof.method);
  }
  fmt::print("\nMemory levels\n");
  for (const profiler::MemoryLevel& level : machine.levels) {
    const std::string claimed =
        level.specified_size_bytes > 0 ? format_quantity(static_cast<double>(level.specified_size_bytes), Quantity::bytes) : "–";
    const std::string effective =
        level.effective_size_bytes > 0 ? format_quantity(static_cast<double>(level.effective_size_bytes), Quantity::bytes) : "–";
    fmt::print("  {:5} effective {:>8} (measured), claimed {:>8} (specified), latency {} {}\n", level.name, effective, claimed,
               level.latency_ns.known() ? format_quantity(level.latency_ns.median, Quantity::duration_ns) : "–",
               level.note.empty() ? "" : "- " + level.note);
  }
  fmt::print("\nBandwidth (measured, bytes the code names; _past: stores past the caches)\n");
  for (const profiler::BandwidthRoof& roof : machine.bandwidth) {
    fmt::print("  {:5} {:10} {} thread{} {}\n", roof.level, name(roof.mix), roof.threads, roof.threads == 1 ? " " : "s",
               with_spread(roof.bytes_per_s, Quantity::bytes_per_s));
  }
  fmt::print("\nLatency of a dependent load (measured)\n");
  for (const profiler::LatencyPoint& point : machine.latency) {
    fmt::print("  {:>8} {}\n", format_quantity(static_cast<double>(point.working_set_bytes), Quantity::bytes),
               with_spread(point.latency_ns, Quantity::duration_ns));
  }
  fmt::print("\nMatrix products c[m,n] = a[m,k] b[k,n] (measured, shortest run); the fastest library serves shapes near these\n");
  if (machine.matmul.empty()) fmt::print("  – not measured: `tensortide probe --again` measures them; until then a rule chooses\n");
  for (const engine::MatmulTiming& t : machine.matmul) {
    fmt::print("  {:5} {:>4} x {:4} x {:4} {} thread{}", name(t.dtype), t.m, t.n, t.k, t.threads, t.threads == 1 ? " " : "s");
    const double flops = 2.0 * static_cast<double>(t.m) * static_cast<double>(t.n) * static_cast<double>(t.k);
    for (const engine::MatmulLibrary library : engine::kMatmulLibraryList) {
      const double rate = flops / t.ns(library) * 1e9;
      fmt::print("   {} {:>12}{}", name(library), std::isnan(rate) ? "–" : format_quantity(rate, Quantity::flop_per_s), library == t.fastest() ? " *" : "  ");
    }
    fmt::print("\n");
  }
  for (const std::string& note : machine.notes) fmt::print("\nNote: {}\n", note);
  if (const std::string weakness = profiler::roofs_weakness(machine); !weakness.empty()) fmt::print("\nWeak: {}\n", weakness);
  fmt::print("\nOne time stamp {}; one empty parallel region {}\n",
                 machine.timer_ns > 0 ? fmt::format("{:.1f} ns", machine.timer_ns) : "–",
                 machine.fork_join_ns > 0 ? format_quantity(machine.fork_join_ns, Quantity::duration_ns) : "–");
}

int probe(const Options& options) {
  std::optional<Machine> machine;
  if (!options.again) machine = profiler::cached_probe();
  // Weak ones are remembered, so that a run need not wait for them again, but nobody who asks for a probe asks for those.
  if (!machine || !profiler::roofs_weakness(*machine).empty()) {
    std::signal(SIGINT, on_probe_interrupt);
    const bool terminal = isatty(STDERR_FILENO) != 0;
    profiler::ProbeOptions probe_options;
    probe_options.cancelled = [] { return g_stop.load(); };
    probe_options.progress = [&](double fraction, const std::string& what) {
      if (terminal) tell("\rmeasuring: {:3.0f} % {}\033[K", 100 * fraction, what);
    };
    Result<Machine> measured = profiler::probe_machine(probe_options);
    if (terminal) tell("\r\033[K");
    if (!measured) return report(measured.error());
    if (Result<void> saved = profiler::save_probe(*measured); !saved) {
      tell("tensortide: measured, but not remembered: {}\n", saved.error().message);
    }
    machine = *std::move(measured);
  }
  if (options.json) {
    print_json(nlohmann::json::parse(profiler::machine_to_json(*machine)));
  } else {
    print_machine(*machine);
    if (!options.again) fmt::print("Remembered in {}; `tensortide probe --again` measures anew.\n", profiler::probe_cache_path().string());
  }
  return kDone;
}

}  // namespace

Handler add_probe(CLI::App& verb) {
  auto o = std::make_shared<Options>();
  verb.add_flag("--again", o->again, "measure anew even when sound figures are remembered");
  verb.add_flag("--json", o->json, "print one JSON document");
  verb.footer("Example: tensortide probe --json\n"
              "Figures measured on a busy machine, or not all within its time, are remembered as weak: every view and summary that uses them says so,\n"
              "the next probe measures anew, and so does a run once they are ten minutes old.");
  return [o] { return probe(*o); };
}

}  // namespace app::cli
