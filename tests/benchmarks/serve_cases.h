// SPDX-License-Identifier: Apache-2.0
// Our side of the comparison: the cases this program can time.
#pragma once

#include <memory>
#include <optional>

#include "engine/runtime/backend.h"
#include "engine/runtime/observer.h"
#include "serve.h"

namespace benchmarks {

/// Two devices over one thread pool: one chooses the library of each matrix product as the program does, one always
/// takes our own kernels. Of one tensor.
inline constexpr int64_t kMostBytes = int64_t{256} << 20;

struct Devices {
  std::unique_ptr<engine::Backend> plan, own, direct;  ///< direct: `plan` without convolutions by Winograd
  int threads = 1;
};
/// `measure`: times the libraries first, as the probe does (about a second); otherwise the rule chooses.
engine::Result<Devices> make_devices(int threads, bool measure);

/// Any case by its name. `devices` outlives what it gives.
///   gemm m n k [rung=plan|own] [dtype=f32|bf16]       c = a b, f32 unless said otherwise, as everywhere here
///   linear batch in out                               weights [out, in] that stay the same
///   conv batch channels out kernel stride image [pass=forward|data|weights]   channels last, padding kernel / 2
///   elementwise bytes [op=relu|add|sigmoid]           of one tensor
///   chain bytes [fuse=on|off]                         sigmoid(relu(2 x + b) + z), as one op or as four
///   softmax rows columns, layer_norm rows columns
///   attention batch heads length depth
///   lstm steps batch inputs hidden
///   net batch [name=resnet50|mlp] [mode=forward|gradients] [fuse=off|on] [winograd=auto|off] [tracing=off|on]
///   overhead [kind=replay|eager|recording]            per addition of 16 floats
///   trace [kind=on|off]                               per op of the null device; off: the whole walk over an op
///   peak                                              per 10^6 multiply-adds (2 flops each) in registers, f32
///   copy bytes                                        plain loads and stores, a tensor of that many bytes
engine::Result<Timed> make_case(Devices& devices, CaseText& text);

// The rooms of make_case(); none: not one of theirs.
std::optional<engine::Result<Timed>> op_case(Devices&, CaseText&);
std::optional<engine::Result<Timed>> net_case(Devices&, CaseText&);
std::optional<engine::Result<Timed>> overhead_case(Devices&, CaseText&);
std::optional<engine::Result<Timed>> hardware_case(Devices&, CaseText&);

/// A plan of the graph, run without an observer; the note names its kernels.
engine::Result<Timed> timed_plan(engine::Graph graph, engine::Backend& backend, engine::Observer* observer = nullptr);

}  // namespace benchmarks
