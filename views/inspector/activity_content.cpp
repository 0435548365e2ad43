// SPDX-License-Identifier: GPL-3.0-or-later
// Collects what a capture holds of one event.
#include "views/inspector/activity_content.h"

#include <QObject>
#include <cmath>

#include "profiler/capture/correlated.h"
#include "views/base/paint.h"
#include "views/base/phase.h"
#include "views/base/plain_text.h"

namespace views {

namespace {

using profiler::ActivityKind;
using profiler::Capture;
using profiler::Origin;
using profiler::Quantity;

const QString kUnknown = QStringLiteral("–");

QString time_text(int64_t ns) { return quantity(static_cast<double>(ns), Quantity::duration_ns); }

class Rows {
 public:
  explicit Rows(InspectorSection& section) : section_(section) {}
  InspectorRow& add(const QString& label, const QString& value, std::optional<Origin> origin,
                    const QString& definition) {
    Tip tip;
    tip.title = label;
    tip.value = value;
    tip.definition = definition;
    tip.origin = origin;
    section_.rows.push_back({label, {{value, tip.html(), origin}}, {}, {}, {}, {}});
    return section_.rows.back();
  }
  /// A figure that is -1 where nobody recorded it.
  void figure(const QString& label, int64_t value, const QString& definition, Quantity q = Quantity::count) {
    const bool known = value != profiler::kUnknownFigure;
    add(label,
        !known                 ? kUnknown
        : q == Quantity::count ? QString::number(value)
                               : quantity(static_cast<double>(value), q),
        known ? std::optional(Origin::exact) : std::nullopt,
        known ? definition : definition + QLatin1Char(' ') + QObject::tr("The capture does not hold it."));
  }

 private:
  InspectorSection& section_;
};

QString extents(const std::array<int32_t, 3>& size) {
  if (size[0] < 0) return kUnknown;
  QStringList parts;
  for (const int32_t e : size) parts << QString::number(e);
  return parts.join(QStringLiteral(" × "));
}

void add_place(Rows& rows, const profiler::GpuPlace& place) {
  rows.figure(QObject::tr("Stream"), place.stream,
              QObject::tr("Number of the stream it ran on: work of one stream runs in order."));
  rows.figure(QObject::tr("Context"), place.context, QObject::tr("Number of the driver's context."));
}

void add_kernel(Rows& rows, const profiler::KernelRecord& k) {
  const auto shape = [&](const QString& label, const std::array<int32_t, 3>& size, const QString& what) {
    const bool known = size[0] >= 0;
    rows.add(label, extents(size), known ? std::optional(Origin::exact) : std::nullopt,
             known ? what : what + QLatin1Char(' ') + QObject::tr("The capture does not hold it."));
  };
  shape(QObject::tr("Grid"), k.grid, QObject::tr("Blocks along x, y and z."));
  shape(QObject::tr("Block"), k.block, QObject::tr("Threads of a block along x, y and z."));
  if (k.cluster[0] > 0) shape(QObject::tr("Cluster"), k.cluster, QObject::tr("Blocks of a cluster along x, y and z."));
  add_place(rows, k.place);
  rows.figure(QObject::tr("Registers per thread"), k.registers_per_thread,
              QObject::tr("Registers that the compiler gave each thread."));
  const bool shared = k.static_shared_bytes >= 0 && k.dynamic_shared_bytes >= 0;
  rows.figure(QObject::tr("Shared memory per block"),
              shared ? k.static_shared_bytes + k.dynamic_shared_bytes : profiler::kUnknownFigure,
              QObject::tr("Static and dynamic shared memory of a block."), Quantity::bytes);
}

void add_copy(Rows& rows, const Capture& capture, const profiler::CopyRecord& c, int64_t duration_ns) {
  rows.add(QObject::tr("Direction"), text(profiler::name(c.kind)), Origin::exact,
           QObject::tr("From which memory to which."));
  rows.figure(QObject::tr("Bytes"), c.bytes, QObject::tr("Bytes that were copied."), Quantity::bytes);
  if (c.bytes > 0 && duration_ns > 0 && capture.rates_known())
    rows.add(QObject::tr("Rate"),
             quantity(static_cast<double>(c.bytes) / static_cast<double>(duration_ns) * 1e9, Quantity::bytes_per_s),
             Origin::measured, QObject::tr("Bytes by the time of this copy."));
  rows.add(QObject::tr("Memory"),
           QObject::tr("%1 → %2").arg(text(profiler::name(c.source)), text(profiler::name(c.destination))),
           Origin::exact, QObject::tr("Kind of memory at both ends. Copies from pageable memory wait for the host."));
  add_place(rows, c.place);
}

/// The call that launched it and the delay, or what a call launched.
void add_launch(Rows& rows, const Capture& c, uint32_t row) {
  constexpr size_t kMost = 8;
  const auto& a = c.activities();
  const uint64_t correlation = a.correlation[row];
  if (a.kind[row] == ActivityKind::api) {
    size_t more = 0;
    for (const uint32_t other : profiler::rows_with(c, correlation, 64)) {
      if (other == row || a.kind[other] == ActivityKind::api) continue;
      if (++more > kMost) continue;
      const int64_t delay = a.start_ns[other] - a.start_ns[row];
      rows.add(QObject::tr("Launched: %1").arg(activity_name(c, other)), QObject::tr("%1 later").arg(time_text(delay)),
               c.time_origin(), QObject::tr("What this call launched, and how long after the call's begin it began."))
          .activity = other;
    }
    if (more > kMost)
      rows.add(QObject::tr("and further"), QString::number(more - kMost), Origin::exact,
               QObject::tr("One call may launch a graph of many kernels."));
  } else if (const auto call = profiler::launching_call(c, row)) {
    rows.add(QObject::tr("Launch delay"), time_text(a.start_ns[row] - a.start_ns[*call]), c.time_origin(),
             QObject::tr("From the begin of the call that launched it to its own begin."));
    rows.add(QObject::tr("Launched by: %1").arg(activity_name(c, *call)), time_text(a.duration_ns[*call]),
             c.time_origin(), QObject::tr("The call, and how long it took on its thread. Click to select it."))
        .activity = *call;
  } else {
    rows.add(QObject::tr("Launch delay"), kUnknown, {},
             QObject::tr("Unknown: the capture does not hold the call that launched it."));
  }
  rows.add(QObject::tr("Correlation"), correlation == 0 ? kUnknown : QString::number(correlation),
           correlation == 0 ? std::nullopt : std::optional(Origin::exact),
           QObject::tr("The number that joins a call with what it launched."));
}

/// The event of the same kind before (-1) or after (1) one on its track, children of others left out; nothing: none is
/// near.
std::optional<uint32_t> neighbour(const Capture& c, uint32_t row, int direction) {
  constexpr uint32_t kFar = 100000;  // rows that are looked at: enough, and over in a moment
  const auto& a = c.activities();
  const auto end_of = [&](uint32_t r) { return a.start_ns[r] + a.duration_ns[r]; };
  const int64_t begin = a.start_ns[row], end = end_of(row);
  std::optional<uint32_t> found;
  for (uint32_t i = 1; i <= kFar && (direction < 0 ? i <= row : row + i < a.size()); ++i) {
    const uint32_t other = direction < 0 ? row - i : row + i;
    if (a.track[other] != a.track[row] || a.kind[other] != a.kind[row]) continue;
    if (direction > 0) {
      if (a.start_ns[other] >= end) return other;  // parents come before their children
      continue;
    }
    if (end_of(other) > begin || (found && end_of(other) < end_of(*found))) {
      if (found) break;
      continue;
    }
    found = other;
  }
  return found;
}

void add_neighbours(Rows& rows, const Capture& c, uint32_t row) {
  const auto& a = c.activities();
  for (const int direction : {-1, 1}) {
    const auto other = neighbour(c, row, direction);
    if (!other) continue;
    const uint32_t first = direction < 0 ? *other : row, second = direction < 0 ? row : *other;
    const int64_t gap = a.start_ns[second] - a.start_ns[first] - a.duration_ns[first];
    rows.add((direction < 0 ? QObject::tr("Previous: %1") : QObject::tr("Next: %1")).arg(activity_name(c, *other)),
             direction < 0 ? QObject::tr("%1 before").arg(time_text(gap)) : QObject::tr("%1 later").arg(time_text(gap)),
             c.time_origin(),
             QObject::tr("The nearest event of this kind on this track, and the gap between them. Click to select it."))
        .activity = *other;
  }
}

/// The op an event was launched for: its layer, and the work of one run of it.
void add_op(Rows& rows, const Capture& c, const profiler::OpRecord& op) {
  rows.add(QObject::tr("Op: %1").arg(text(c.name(op.name))), phase_words(c, op.phase), {},
           QObject::tr("The op it was launched for. Click to select it."))
      .op = op.id;
  if (const auto layer = c.name(op.layer); !layer.empty())
    rows.add(QObject::tr("Layer"), text(layer), {}, QObject::tr("The layer that wrote the op."));
  const auto work = [&](const QString& label, double amount, Quantity q, const QString& what) {
    const bool known = std::isfinite(amount);
    rows.add(label, known ? quantity(amount, q) : kUnknown, known ? std::optional(Origin::exact) : std::nullopt,
             known ? what : what + QLatin1Char(' ') + QObject::tr("The capture does not hold its shapes."));
  };
  const bool shapes = std::isfinite(op.flops) && op.operand_count > 0;
  double bytes = shapes ? 0 : std::nan("");
  for (const auto& operand : c.operands(op)) bytes += static_cast<double>(operand.read_bytes + operand.written_bytes);
  work(QObject::tr("FLOPs of the op"), op.flops, Quantity::flops,
       QObject::tr("Operations of one run of the op, all its kernels together."));
  work(QObject::tr("Bytes of the op"), bytes, Quantity::bytes,
       QObject::tr("Compulsory bytes: each distinct operand byte of one run moved once."));
}

}  // namespace

QString activity_name(const Capture& c, uint32_t row) {
  const std::string_view whole = c.name(c.activities().name[row]);
  return c.activities().kind[row] == ActivityKind::kernel ? text(profiler::short_kernel_name(whole)) : text(whole);
}

QString activity_words(const Capture& c, uint32_t row) {
  const profiler::Track& track = c.tracks()[c.activities().track[row]];
  const QString kind = text(profiler::name(c.activities().kind[row]));
  return track.group.empty() ? QObject::tr("%1 on %2").arg(kind, text(track.name))
                             : QObject::tr("%1 on %2, %3").arg(kind, text(track.name), text(track.group));
}

InspectorSection activity_section(const profiler::Analyzed& analyzed, uint32_t row) {
  const Capture& c = *analyzed.capture;
  const auto& a = c.activities();
  const ActivityKind kind = a.kind[row];
  const int64_t duration = a.duration_ns[row];
  InspectorSection s{
      kind == ActivityKind::op ? QObject::tr("This run of it") : QObject::tr("This event"), {}, {}, {}, {}};
  Rows rows(s);
  rows.add(QObject::tr("Duration"), time_text(duration), c.time_origin(),
           QObject::tr("From its begin to its end on its track."));
  rows.add(QObject::tr("Begins"), QObject::tr("%1 after the start").arg(time_text(a.start_ns[row] - c.begin_ns())),
           c.time_origin(), QObject::tr("Since the start of the capture."));
  if (a.step[row] != profiler::kNoStep)
    rows.add(QObject::tr("Step"), QString::number(a.step[row]), Origin::exact,
             QObject::tr("Which step of the run it belongs to."));
  rows.add(QObject::tr("Track"), text(c.tracks()[a.track[row]].name), {},
           QObject::tr("The thread, stream or copy engine it ran on."));
  if (const auto* kernel = c.kernel_of(row)) add_kernel(rows, *kernel);
  if (const auto* copy = c.copy_of(row)) add_copy(rows, c, *copy, duration);
  if (const auto* set = c.memset_of(row)) {
    rows.figure(QObject::tr("Bytes"), set->bytes, QObject::tr("Bytes that were set."), Quantity::bytes);
    add_place(rows, set->place);
  }
  if (const auto* wait = c.synchronization_of(row))
    rows.add(QObject::tr("Waits for"), text(profiler::name(wait->kind)), Origin::exact,
             QObject::tr("What the thread or stream waited for."));
  if (const auto* call = c.api_call_of(row))
    rows.add(QObject::tr("Returned"),
             call->return_value == 0 ? QObject::tr("success") : QObject::tr("error %1").arg(call->return_value),
             Origin::exact, QObject::tr("What the call returned."));
  const bool device_work = kind == ActivityKind::kernel || kind == ActivityKind::copy || kind == ActivityKind::memset;
  if (device_work || kind == ActivityKind::api) add_launch(rows, c, row);
  if (kind != ActivityKind::op) {
    if (const auto op = a.op[row]; op < c.ops().size()) {
      add_op(rows, c, c.ops()[op]);
    } else if (device_work) {
      rows.add(QObject::tr("Op"), kUnknown, {},
               QObject::tr("Unknown: it was launched outside all ops, or the capture "
                           "does not hold its op."));
    }
  }
  add_neighbours(rows, c, row);
  if (const QString whole = text(c.name(a.name[row])); whole != activity_name(c, row)) {
    s.why_title = QObject::tr("Whole name");
    s.why = {whole};
  }
  return s;
}

}  // namespace views
