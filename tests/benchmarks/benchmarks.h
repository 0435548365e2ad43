// SPDX-License-Identifier: Apache-2.0
// The benchmarks of this program.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace benchmarks {

/// Runs steps of a workload: `WORKLOAD [name=value...] [--threads N] [--steps N] [--ops]
/// [--cpu-time] [--ask]`. Returns the exit code.
/// --ops: time per op and kernel. --cpu-time: CPU time of the process instead of wall time. --ask:
/// runs one step per line read from standard input and prints its milliseconds.
int step(std::span<const std::string> arguments);

/// Tracing cost of one op [ns, bytes] beside the same loop untraced. Returns 1 when the goals (50
/// ns, 40 B) are missed.
int tracing();
/// `[FILE.csv] [--small] [--steps N]`: loss curves of FCN-R on drawn digits in every precision, with their spread over
/// seeds.
int training_curves(std::span<const std::string> arguments);
/// `[FILE.csv]`: time and memory of a Jacobian against its inputs (forward mode) and outputs (reverse mode).
int jacobians(std::span<const std::string> arguments);

/// `[KERNEL | --distances [KERNEL] | --haystack]`: accesses per second of the cache simulator, and what two slices
/// gain; --distances: of stack distances, of all lines and of a hundredth of them, with the error; --haystack: its
/// example at full size, 1 where the counts differ from the published ones.
int cache(std::span<const std::string> arguments);
/// `[--threads N] [--product layer|matmul] [--rounds N] [SIZE ...]`: GFLOP/s of every rung of the ladder and of the
/// libraries, in turn.
int ladder(std::span<const std::string> arguments);

/// What one tiny op costs [ns]: plan replay, eager, eager recording. Returns 1 when the goals (200 ns,
/// 400 ns) are missed.
int eager();

/// Imports a foreign trace: MB/s of its unpacked bytes on one core, and peak memory. Returns 1 when the goals (150
/// MB/s, twice the raw file) are missed.
int import_speed(const std::string& file);

/// `--threads N [--rule]`: the comparison's child (serve.h, serve_cases.h). --rule: the rule chooses the libraries of
/// matrix products; otherwise they are measured first, as the probe does.
int serve_comparison(std::span<const std::string> arguments);

/// Writes a whole file. Returns the exit code.
int write_text(const std::string& path, const std::string& text);

/// Middle value; NaN for none.
double median(std::vector<double> values);

}  // namespace benchmarks
