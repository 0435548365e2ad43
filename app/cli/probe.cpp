// SPDX-License-Identifier: Apache-2.0
// tensortide probe: measures this machine's roofs and shows them with their spread.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>

#include "app/cli/argument_checks.h"
#include "app/cli/command.h"
#include "app/cli/foreign.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/run_options.h"
#include "profiler/base/words.h"
#include "profiler/machine/probe_figures.h"
#include "profiler/machine/probe_notes.h"
#include "profiler/machine/roofs_trust.h"
#include "profiler/record/disk_rate.h"
#include "profiler/record/probe.h"

namespace app::cli {
namespace {

using engine::Result;
using profiler::format_quantity;
using profiler::Machine;
using profiler::Measured;
using profiler::Quantity;

struct ProbeArguments {
  bool json = false, again = false, forget = false;
  int threads = 0;
  int disk_mib = 256;
  std::string progress = "text", disk;
};

/// Behind a figure that an earlier probe measured better.
std::string kept_mark(const Machine& machine, const std::string& figure) {
  const auto found = std::ranges::find(machine.kept, figure, &profiler::KeptReading::figure);
  return found == machine.kept.end() ? std::string() : fmt::format("   kept from {}", found->probed_at);
}

std::string with_spread(const Measured& m, Quantity quantity) {
  if (!m.known()) return "–";
  return fmt::format("{:>14}   {} to {} in {}", format_quantity(m.median, quantity), format_quantity(m.low, quantity),
                     format_quantity(m.high, quantity), profiler::counted(static_cast<uint64_t>(m.samples), "run"));
}

void print_machine(const Machine& machine) {
  show("{}\nmeasured {} in {:.1f} s; {} cores, {} memory\n\n", machine.info.model, machine.probed_at,
       machine.probe_seconds, machine.info.cores,
       format_quantity(static_cast<double>(machine.info.memory_bytes), Quantity::capacity_bytes));
  if (!machine.kept.empty()) {
    show(
        "This probe and an earlier one had background load, which only lowers a roof. So the "
        "better reading of each "
        "figure counts: {} from earlier probes (\"kept from\")\n\n",
        profiler::counted(machine.kept.size(), "figure"));
  }
  show("Arithmetic (measured)\n");
  for (const profiler::ComputeRoof& roof : machine.compute) {
    show("  {:5} {} thread{} {}   {}{}\n", name(roof.dtype), roof.threads, roof.threads == 1 ? " " : "s",
         with_spread(roof.flop_per_s, Quantity::flop_per_s), roof.method, kept_mark(machine, figure_name(roof)));
  }
  show("\nMemory levels\n");
  for (const profiler::MemoryLevel& level : machine.levels) {
    const std::string claimed =
        level.specified_size_bytes > 0
            ? format_quantity(static_cast<double>(level.specified_size_bytes), Quantity::capacity_bytes)
            : "–";
    const std::string effective =
        level.effective_size_bytes > 0
            ? format_quantity(static_cast<double>(level.effective_size_bytes), Quantity::capacity_bytes)
            : "–";
    show("  {:5} effective {:>8} ({}), claimed {:>8} (specified), latency {} {}\n", level.name, effective,
         name(level.size_origin()), claimed,
         level.latency_ns.known() ? format_quantity(level.latency_ns.median, Quantity::duration_ns) : "–",
         level.note.empty() ? "" : "- " + level.note);
  }
  show("\nBandwidth (measured, bytes the code names; _past: stores past the caches)\n");
  for (const profiler::BandwidthRoof& roof : machine.bandwidth) {
    show("  {:5} {:10} {} thread{} {}{}\n", roof.level, name(roof.mix), roof.threads, roof.threads == 1 ? " " : "s",
         with_spread(roof.bytes_per_s, Quantity::bytes_per_s), kept_mark(machine, figure_name(roof)));
  }
  show("\nLatency of a dependent load (measured)\n");
  for (const profiler::LatencyPoint& point : machine.latency) {
    show("  {:>8} {}{}\n", format_quantity(static_cast<double>(point.working_set_bytes), Quantity::capacity_bytes),
         with_spread(point.latency_ns, Quantity::duration_ns), kept_mark(machine, figure_name(point)));
  }
  show(
      "\nMatrix multiplications c[m,n] = a[m,k] b[k,n] (measured, shortest run); the fastest "
      "library serves shapes "
      "near these\n");
  if (machine.matmul.empty())
    show("  – not measured: `tensortide probe --again` measures them; until then a rule chooses\n");
  for (const engine::MatmulTiming& t : machine.matmul) {
    show("  {:5} {:>4} x {:4} x {:4} {} thread{}", name(t.dtype), t.m, t.n, t.k, t.threads, t.threads == 1 ? " " : "s");
    const double flops = 2.0 * static_cast<double>(t.m) * static_cast<double>(t.n) * static_cast<double>(t.k);
    for (const engine::MatmulLibrary library : engine::kMatmulLibraryList) {
      const double rate = flops / t.ns(library) * 1e9;
      show("   {} {:>12}{}", name(library), std::isnan(rate) ? "–" : format_quantity(rate, Quantity::flop_per_s),
           library == t.fastest() ? " *" : "  ");
    }
    show("{}\n", kept_mark(machine, profiler::figure_name(t)));
  }
  show(
      "\n3x3 convolutions of one image, one thread (measured, shortest run); with --winograd auto each convolution "
      "takes "
      "the way expected to be faster\n");
  if (machine.winograd.empty())
    show(
        "  – not measured: `tensortide probe --again` measures them; until then the times of another machine decide\n");
  for (const engine::WinogradTiming& t : machine.winograd) {
    const bool faster = t.winograd_ns < t.direct_ns;  // false where one is unknown
    show("  {0:4} channels of {1:3} x {1:3}   direct sums {2:>9}{3}   Winograd's filtering {4:>9}{5}{6}\n", t.channels,
         t.extent, format_quantity(t.direct_ns, Quantity::duration_ns), faster ? "  " : " *",
         std::isnan(t.winograd_ns) ? "–" : format_quantity(t.winograd_ns, Quantity::duration_ns), faster ? " *" : "",
         kept_mark(machine, profiler::figure_name(t)));
  }
  Machine unmarked = machine;
  unmarked.kept.clear();  // which stand beside their figures
  for (const std::string& note : profiler::probe_notes(unmarked)) show("\nNote: {}\n", note);
  if (const std::string weakness = profiler::roofs_weakness(machine); !weakness.empty())
    show("\nLow confidence: {}\n", weakness);
  show("\nOne multiply-add that the next one waits for {}{}\n",
       machine.multiply_add_ns > 0 ? fmt::format("{:.3g} ns", machine.multiply_add_ns) : "–",
       kept_mark(machine, profiler::kMultiplyAddFigure));
  show("One time stamp {}{}; one empty parallel region {}{}\n",
       machine.timer_ns > 0 ? fmt::format("{:.1f} ns", machine.timer_ns) : "–",
       kept_mark(machine, profiler::kTimerFigure),
       machine.fork_join_ns > 0 ? format_quantity(machine.fork_join_ns, Quantity::duration_ns) : "–",
       kept_mark(machine, profiler::kForkJoinFigure));
}

/// Measures; what then counts, which is remembered where it can be. `forget`: that is what was measured, whatever was
/// remembered.
Result<Machine> measure(profiler::ProbeOptions options, bool forget, bool json_progress) {
  const bool terminal = isatty(STDERR_FILENO) != 0 && !json_progress;
  options.cancelled = [&stop = stop_on_interrupt()] { return stop.load(); };
  options.progress = [&](double fraction, const std::string& what) {
    if (terminal) tell_in_place("measuring: {:3.0f} % {}", 100 * fraction, what);
    if (json_progress) tell_line({{"stage", "measuring " + what}, {"fraction", json_number(fraction)}});
  };
  Result<Machine> measured = profiler::probe_machine(options);
  if (terminal) tell_in_place("");
  if (!measured) return measured;
  if (forget) {
    if (Result<void> saved = profiler::save_probe(*measured); !saved)
      tell("tensortide: measured, but not remembered: {}\n", saved.error().message);
    return measured;
  }
  profiler::ProbeOutcome outcome = profiler::remember_probe(*std::move(measured));
  if (!outcome.not_remembered.empty()) {
    tell("tensortide: measured, but not remembered: {}{}\n", outcome.not_remembered,
         outcome.worse ? "; `tensortide probe --forget` puts a new probe in their place all the same" : "");
  }
  return std::move(outcome.machine);
}

/// DRAM's read bandwidth with all threads, as remembered; unknown: this machine was not probed.
Measured dram_read() {
  const std::optional<Machine> machine = profiler::cached_probe();
  Measured found;
  int threads = 0;
  for (const profiler::BandwidthRoof& roof : machine ? machine->bandwidth : std::vector<profiler::BandwidthRoof>()) {
    if (roof.level != "DRAM" || roof.mix != profiler::AccessMix::read || roof.threads < threads) continue;
    found = roof.bytes_per_s;
    threads = roof.threads;
  }
  return found;
}

/// --disk: what the disk gives that nothing holds, beside what memory gives.
int probe_disk(const ProbeArguments& options) {
  const Result<profiler::DiskRate> disk =
      profiler::measure_disk(options.disk, int64_t{options.disk_mib} << 20, stop_on_interrupt());
  if (!disk) return report_error(disk.error(), options.progress);
  const Measured memory = dram_read();
  const double ratio =
      memory.known() ? memory.median / disk->read_bytes_per_s.median : std::numeric_limits<double>::quiet_NaN();
  if (options.json) {
    print_json({{"read_bytes_per_s", json_figure(disk->read_bytes_per_s.median, profiler::Origin::measured)},
                {"low_bytes_per_s", json_number(disk->read_bytes_per_s.low)},
                {"high_bytes_per_s", json_number(disk->read_bytes_per_s.high)},
                {"file_bytes", disk->file_bytes},
                {"block_bytes", disk->block_bytes},
                {"dram_over_disk_ratio", json_number(ratio)}});
    return kDone;
  }
  show("Disk, read past the page cache (measured, {} in blocks of {})\n  {}\n",
       format_quantity(static_cast<double>(disk->file_bytes), Quantity::capacity_bytes),
       format_quantity(static_cast<double>(disk->block_bytes), Quantity::capacity_bytes),
       with_spread(disk->read_bytes_per_s, Quantity::bytes_per_s));
  if (memory.known()) {
    show("DRAM gives {}, {} times as much (measured by the probe).\n",
         format_quantity(memory.median, Quantity::bytes_per_s), fmt::format("{:.3g}", ratio));
  } else {
    show("DRAM's bandwidth is unknown: `tensortide probe` measures it.\n");
  }
  return kDone;
}

int probe(const ProbeArguments& options) {
  if (!options.disk.empty()) return probe_disk(options);
  const bool json_progress = options.progress == "json";
  // Weak ones are remembered, so that a run need not wait for them again, but nobody who asks for a probe asks for
  // those.
  const auto sound = [](const std::optional<Machine>& machine) {
    return machine && profiler::roofs_weakness(*machine).empty() && !profiler::lacks_peaks(*machine);
  };
  const auto has = [&](const Machine& machine) {
    return options.threads == 0 || std::ranges::any_of(machine.compute, [&](const profiler::ComputeRoof& roof) {
             return roof.threads == options.threads;
           });
  };
  std::optional<Machine> machine = profiler::cached_probe();
  bool measured_now = false;
  const bool again = options.again || options.forget;
  if (again || !sound(machine) || !has(*machine)) {
    const std::atomic<bool>& stop = stop_on_interrupt();
    const profiler::ProbeLock lock = profiler::ProbeLock::take(
        [](const std::string& sentence) { tell("tensortide: {}\n", sentence); }, [&stop] { return stop.load(); });
    if (lock.waited()) machine = profiler::cached_probe();  // what another process measured meanwhile is as good
    if (options.forget || !sound(machine) || (again && !lock.waited())) {
      profiler::ProbeOptions all;
      all.earlier = machine && !options.forget ? &*machine : nullptr;
      Result<Machine> measured = measure(all, options.forget, json_progress);
      if (!measured) return report_error(measured.error(), options.progress);
      machine = *std::move(measured);
      measured_now = true;
    }
    if (!has(*machine)) {
      profiler::ProbeOptions more;
      more.levels_of = &*machine;
      more.threads = options.threads;
      more.add_threads = true;
      Result<Machine> measured = measure(more, options.forget, json_progress);
      if (!measured) return report_error(measured.error(), options.progress);
      machine = *std::move(measured);
      measured_now = true;
    }
  }
  if (options.json) {
    print_json(nlohmann::json::parse(profiler::machine_to_json(*machine)));
  } else {
    if (!measured_now)
      show("Nothing was measured now: these are the stored roofs of {}. `tensortide probe --again` measures again.\n",
           machine->probed_at);
    print_machine(*machine);
    if (!again) show("Remembered in {}.\n", engine::display_line(profiler::probe_cache_path().native()));
  }
  return kDone;
}

}  // namespace

Handler add_probe(CLI::App& verb) {
  auto o = std::make_shared<ProbeArguments>();
  verb.add_flag("--again", o->again, "Measure again even if valid roofs are stored");
  verb.add_flag("--forget", o->forget, "Measure again and keep only this probe, even if its confidence is low");
  verb.add_option("--threads", o->threads, "Also measure for this number of threads (1 and all cores always are)")
      ->transform(whole_number(0, 4096))
      ->option_text("N");
  verb.add_option("--disk", o->disk, "Measure only how fast the disk of this folder is read, uncached")
      ->option_text("FOLDER");
  verb.add_option("--disk-size", o->disk_mib, "Size of the test file for that in MiB (default 256)")
      ->transform(whole_number(1, 1 << 20))
      ->capture_default_str()
      ->option_text("MIB");
  add_progress_option(verb, o->progress);
  verb.add_flag("--json", o->json, "Print one JSON document")->group("Output");
  verb.footer("Example: tensortide probe --json");
  return [o] { return probe(*o); };
}

}  // namespace app::cli
