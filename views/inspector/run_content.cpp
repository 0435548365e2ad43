// SPDX-License-Identifier: GPL-3.0-or-later
// Collects what is known about the whole run, and about a range of time; rows of the inspector.
#include <QObject>
#include <limits>

#include "profiler/analysis/footprint.h"
#include "profiler/analysis/roof_words.h"
#include "profiler/analysis/step_shares.h"
#include "profiler/analysis/winograd_ops.h"
#include "profiler/analysis/work_shares.h"
#include "profiler/capture/accelerator.h"
#include "profiler/capture/results.h"
#include "views/base/plain_text.h"
#include "views/base/range_statistics.h"
#include "views/base/theme.h"
#include "views/base/value_picture.h"
#include "views/inspector/content_rows.h"

namespace views::content {

using profiler::Analyzed;
using profiler::Capture;
using profiler::Origin;
using profiler::Quantity;
using profiler::TensorId;

constexpr size_t kShownResults = 3;

InspectorRow row(const QString& label, const QString& value, std::optional<Origin> origin, const QString& definition,
                 const QString& formula) {
  Tip tip;
  tip.title = label;
  tip.value = value;
  tip.definition = definition;
  tip.formula = formula;
  tip.origin = origin;
  return {label, {{value, definition.isEmpty() ? QString() : tip.html(), origin}}, {}, {}, {}};
}

InspectorRow with_bar(InspectorRow r, double ratio, const QString& words, std::optional<profiler::Bound> bound,
                      std::optional<double> tick) {
  r.bar = InspectorBar{ratio, tick, bound, words};
  return r;
}

InspectorSection range_section(const Analyzed& a, const TimeRange& range) {
  const Capture& c = *a.capture;
  const RangeStatistics r = range_statistics(a, range.begin_ns, range.end_ns);
  const auto ns = [](int64_t t) { return quantity(static_cast<double>(t), Quantity::duration_ns); };
  InspectorSection s{QObject::tr("Selected time: %1").arg(ns(r.range_ns)), {}, {}, {}, {}};
  const auto part = [&](InspectorRow of, int64_t time) {
    const double ratio = static_cast<double>(time) / static_cast<double>(r.range_ns);
    return with_bar(std::move(of), ratio,
                    QObject::tr("%1 of the selected time").arg(quantity(ratio, Quantity::percent_of)));
  };
  s.rows.push_back(part(row(QObject::tr("Busy"), ns(r.busy_ns), c.time_origin(),
                            QObject::tr("Union of all ops inside: overlaps count once.")),
                        r.busy_ns));
  s.rows.push_back(part(row(QObject::tr("Idle between ops"), ns(r.idle_in_steps_ns), c.time_origin(),
                            QObject::tr("Inside a traced step, but no op runs: dispatch.")),
                        r.idle_in_steps_ns));
  if (r.idle_untraced_ns > 0)
    s.rows.push_back(
        row(QObject::tr("In untraced steps"), ns(r.idle_untraced_ns), c.time_origin(),
            QObject::tr("Steps run without tracing, to measure what profiling costs: their ops are unknown.")));
  s.rows.push_back(
      row(QObject::tr("Between steps"), ns(r.idle_between_ns), c.time_origin(), QObject::tr("Outside all steps.")));
  s.rows.push_back(row(QObject::tr("Ops"), QString::number(r.op_count), Origin::exact,
                       QObject::tr("Runs of ops that overlap the range.")));
  s.rows.push_back(row(QObject::tr("Work"), quantity(r.flops, Quantity::flops), Origin::exact,
                       QObject::tr("FLOPs, in proportion to the part inside.")));
  s.rows.push_back(row(QObject::tr("DRAM traffic"), quantity(r.dram_bytes, Quantity::bytes), r.dram_origin,
                       QObject::tr("Bytes of these ops, in proportion: measured before simulated before modelled, of "
                                   "one origin for all.")));
  for (const auto& top : r.top) {
    InspectorRow t;
    t.label = op_name(c, top.op);
    t.values.push_back(
        {top.count > 1 ? QObject::tr("%1 in %2 runs").arg(ns(top.time_ns)).arg(top.count) : ns(top.time_ns),
         {},
         c.time_origin()});
    t.op = top.op;
    s.rows.push_back(std::move(t));
  }
  return s;
}

void inspect_run(const Analyzed& a, InspectorContent& out) {
  const Capture& c = *a.capture;
  const auto& run = c.run();
  out.title = displayed(text(run.title.empty() ? run.workload : run.title));
  out.subtitle = QObject::tr("the whole run");
  if (const profiler::StepParts parts = profiler::step_parts(a); parts.known()) {
    InspectorSection step{QObject::tr("Time per step"), {}, {}, {}, {}};
    const auto add = [&](const QString& label, double ns, const QString& definition) {
      const QString share = quantity(ns / parts.step_ns, Quantity::percent_of);
      step.rows.push_back(with_bar(row(label, quantity(ns, Quantity::duration_ns), c.time_origin(), definition),
                                   ns / parts.step_ns, QObject::tr("%1: %2 of the median step").arg(label, share)));
    };
    add(QObject::tr("In ops"), parts.ops_ns, QObject::tr("The medians of all ops, summed."));
    add(QObject::tr("Between ops"), parts.between_ns, QObject::tr("Time outside all ops: dispatch and time stamps."));
    if (parts.has_rest())
      add(QObject::tr("Step-to-step variation"), parts.rest_ns,
          QObject::tr("Medians do not add up when steps vary. This row is the difference."));
    add(QObject::tr("Median step"), parts.step_ns,
        QObject::tr("Median over the timed steps; the rows above add up to it."));
    out.sections.push_back(std::move(step));
  }
  InspectorSection s{QObject::tr("Run"), {}, {}, {}, {}};
  for (const auto& [key, value] : run.arguments) s.rows.push_back(row(text(key), text(value)));
  s.rows.push_back(
      row(QObject::tr("device"),
          run.threads > 0
              ? (run.threads == 1 ? QObject::tr("%1, 1 thread").arg(text(run.device))
                                  : QObject::tr("%1, %2 threads").arg(text(run.device), QString::number(run.threads)))
              : text(run.device)));
  s.rows.push_back(row(QObject::tr("recorded"),
                       run.created_at.empty()
                           ? QStringLiteral("–")
                           : text(run.created_at).left(16).replace(QLatin1Char('T'), QLatin1Char(' ')),
                       {},
                       run.created_at.empty() ? QObject::tr("Unknown: the clock of the trace is not that of a "
                                                            "calendar.")
                                              : QObject::tr("Begun at %1.").arg(text(run.created_at))));
  out.sections.push_back(std::move(s));
  InspectorSection m{QObject::tr("Model"), {}, {}, {}, {}};
  size_t views = 0;
  for (const auto& op : c.ops()) views += op.view ? 1 : 0;
  m.rows.push_back(row(QObject::tr("Ops"),
                       c.ops().empty() ? QStringLiteral("–")
                       : views == 0
                           ? QString::number(c.ops().size())
                           : (views == 1 ? QObject::tr("%1 and 1 view").arg(c.ops().size() - views)
                                         : QObject::tr("%1 and %2 views").arg(c.ops().size() - views).arg(views)),
                       Origin::exact, QObject::tr("Ops of one step; views share bytes and run nothing.")));
  if (const size_t winograds = profiler::winograd_ops(c).count(); winograds > 0)
    m.rows.push_back(
        row(QObject::tr("By Winograd's filtering"), QString::number(winograds), Origin::exact,
            QObject::tr("Convolutions computed by Winograd's minimal filtering; their FLOPs are those it does.")));
  // A trace of another tool says nothing of its tensors.
  const double unknown = run.source.empty() ? 0 : std::numeric_limits<double>::quiet_NaN();
  m.rows.push_back(row(QObject::tr("Parameters"),
                       quantity(static_cast<double>(run.parameter_count) + unknown, Quantity::count), Origin::exact,
                       QObject::tr("Elements of all learned tensors.")));
  m.rows.push_back(row(QObject::tr("Activations"), quantity(profiler::activation_count(c), Quantity::count),
                       Origin::exact, QObject::tr("Elements that the forward ops of a step write.")));
  const profiler::Footprint kept = profiler::footprint(c);
  profiler::RoleBytes by_role{};
  for (const TensorId t : kept.at_peak)  // what is kept is there, too
    if (c.tensors()[t].persistent)
      by_role[static_cast<size_t>(c.tensors()[t].role)] += static_cast<double>(c.tensors()[t].size_bytes);
  for (size_t r = 0; r < engine::kRoleCount; ++r)
    if (by_role[r] > 0)
      m.rows.push_back(row(QObject::tr("%1, kept").arg(role_title(static_cast<engine::Role>(r))),
                           quantity(by_role[r], Quantity::bytes), Origin::exact,
                           QObject::tr("Bytes of this role that live across steps; of all roles %1.")
                               .arg(quantity(kept.persistent_bytes, Quantity::bytes))));
  if (!(kept.persistent_bytes > 0))
    m.rows.push_back(row(QObject::tr("Kept across steps"), quantity(kept.persistent_bytes, Quantity::bytes),
                         Origin::exact, QObject::tr("Bytes that live across steps.")));
  m.rows.push_back(row(
      run.eager() ? QObject::tr("Pool, reserved") : QObject::tr("Arena"),
      quantity(static_cast<double>(run.arena_bytes) + unknown, Quantity::bytes), Origin::exact,
      (run.eager()
           ? QObject::tr("Memory that the pool of this eager run took from the device, in segments; the values of a "
                         "step are %1 together.")
           : QObject::tr(
                 "Memory for everything made within a step, planned ahead with reuse; without reuse it would be %1."))
          .arg(quantity(static_cast<double>(run.arena_bytes_without_reuse), Quantity::bytes))));
  out.sections.push_back(std::move(m));
  InspectorSection results{QObject::tr("Results"), {}, {}, {}, {}};
  const auto put_out = profiler::step_results(c);
  for (size_t i = 0; i < put_out.size() && i < kShownResults; ++i) {
    const profiler::ResultRecord& r = put_out[i];
    results.rows.push_back(
        row(text(profiler::result_name(c, r)), QStringLiteral("%1").arg(r.checksum, 16, 16, QLatin1Char('0')),
            Origin::exact,
            QObject::tr("Checksum after step %1 of %2 values with norm %3. Equal checksums: equal results.")
                .arg(r.step + 1)
                .arg(r.elements)
                .arg(r.norm)));
  }
  if (const profiler::ResultRecord* image = image_result(c)) {
    const ValuePlanes planes = planes_of(c.tensors()[image->tensor].shape);
    results.picture = value_picture(*image, planes, 0, true);
    results.picture_words =
        QObject::tr("The image that the step put out, %1 × %2 pixels").arg(planes.width).arg(planes.height);
  }
  // An image is looked for at the top, beside the timeline.
  if (!results.picture.isNull()) out.sections.insert(out.sections.begin(), std::move(results));
  else if (!results.rows.empty()) out.sections.push_back(std::move(results));
  InspectorSection machine{QObject::tr("Machine"), {}, {}, {}, {}};
  if (!c.machine().info.model.empty() || run.source.empty())
    machine.rows.push_back(row(QObject::tr("Processor"), text(c.machine().info.model), Origin::specified,
                               QObject::tr("As the processor reports it.")));
  if (!c.rates_known()) machine.sentences << text(profiler::no_roofs_words(c));
  else if (const std::string_view kind = profiler::unprobed_kind(c); !kind.empty())
    machine.sentences << QObject::tr("Roofs of %1 are not measured.").arg(text(std::string(kind)));
  else if (!c.machine().probed())
    machine.sentences
        << (c.run().source.empty()
                ? QObject::tr(
                      "Roofs unknown: they were not measured before the run. Tools > Measure the roofs does it.")
            : profiler::no_roofs_words(c).empty()
                ? QObject::tr("Roofs as specified: those of the GPU's data sheet.")
                : QObject::tr("Roofs unknown: the trace does not hold those of its machine."));
  for (const auto& level : c.machine().levels)
    machine.rows.push_back(
        row(text(level.name),
            level.effective_size_bytes > 0
                ? quantity(static_cast<double>(level.effective_size_bytes), Quantity::capacity_bytes)
                : QStringLiteral("–"),
            level.size_origin(),
            QObject::tr(
                "Effective size: measured where the probe saw the level end, else as claimed. The system claims %1. %2")
                .arg(quantity(static_cast<double>(level.specified_size_bytes), Quantity::capacity_bytes),
                     text(level.note))));
  machine.sentences << QObject::tr("Click an op, a tensor, a layer or drag a range in any view to inspect it.");
  out.sections.push_back(std::move(machine));
}

}  // namespace views::content
