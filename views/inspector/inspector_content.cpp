// SPDX-License-Identifier: GPL-3.0-or-later
// Collects what is known about an op, a layer, a tensor, a range, or the whole run.
#include "views/inspector/inspector_content.h"

#include <QObject>
#include <algorithm>
#include <cmath>
#include <limits>

#include "profiler/analysis/base/groups.h"
#include "profiler/analysis/bytes_apart.h"
#include "profiler/analysis/findings/findings.h"
#include "profiler/analysis/footprint.h"
#include "profiler/analysis/known_bytes.h"
#include "profiler/analysis/roof_words.h"
#include "profiler/analysis/step_shares.h"
#include "profiler/analysis/traffic.h"
#include "profiler/analysis/verdict/verdict_text.h"
#include "profiler/analysis/winograd_ops.h"
#include "profiler/base/statistics.h"
#include "profiler/base/words.h"
#include "profiler/capture/timed_steps.h"
#include "views/base/paint.h"
#include "views/base/phase.h"
#include "views/base/plain_text.h"
#include "views/base/range_statistics.h"
#include "views/base/theme.h"
#include "views/inspector/activity_content.h"

namespace views {

namespace {

using profiler::Analyzed;
using profiler::Capture;
using profiler::OpId;
using profiler::Origin;
using profiler::Quantity;
using profiler::TensorId;

constexpr size_t kLongList = 12;

QString text(std::string_view s) { return QString::fromUtf8(s.data(), static_cast<qsizetype>(s.size())); }
QString op_name(const Capture& c, OpId op) {
  return op < c.ops().size() ? text(c.name(c.ops()[op].name)) : QStringLiteral("–");
}
QString shape_text(const std::vector<int64_t>& extents) {
  if (extents.empty()) return QObject::tr("scalar");
  QStringList parts;
  for (const int64_t e : extents) parts << QString::number(e);
  return parts.join(QStringLiteral("×"));
}

double total(const profiler::RoleBytes& bytes) {
  double sum = 0;
  for (const double b : bytes) sum += b;
  return sum;
}

InspectorRow row(const QString& label, const QString& value, std::optional<Origin> origin = {},
                 const QString& definition = {}, const QString& formula = {}) {
  Tip tip;
  tip.title = label;
  tip.value = value;
  tip.definition = definition;
  tip.formula = formula;
  tip.origin = origin;
  return {label, {{value, definition.isEmpty() ? QString() : tip.html(), origin}}, {}, {}, {}};
}

InspectorSection verdict_section(const Analyzed& a, OpId op) {
  const profiler::Verdict& v = a.verdicts[op];
  InspectorSection s;
  s.title = text(profiler::headline(v));
  s.bound = v.bound;
  s.rows.push_back(row(QObject::tr("Confidence"),
                       v.bound == profiler::Bound::unknown || v.bound == profiler::Bound::inconsistent
                           ? QObject::tr("–")  // there is no class to be sure of
                       : v.firm              ? QObject::tr("firm")
                       : v.runner_up.empty() ? QObject::tr("not firm")
                                             : QObject::tr("not firm; else %1").arg(text(v.runner_up)),
                       {},
                       QObject::tr("Firm: the same class when every roof, time and byte count is "
                                   "moved within its error band. Otherwise the "
                                   "class it would change to is named.")));
  s.rows.push_back(row(QObject::tr("Of its roof"), quantity(v.utilisation, Quantity::percent_of), Origin::modelled,
                       QObject::tr("How much of the binding limit (bandwidth or arithmetic) the op reaches.")));
  if (!std::isnan(v.next_speedup))
    s.rows.push_back(row(QObject::tr("Speed-up without it"),
                         v.next_speedup > 1 ? QObject::tr("at most %1").arg(quantity(v.next_speedup, Quantity::ratio))
                                            : QObject::tr("– (the next limit is as near)"),
                         Origin::modelled,
                         QObject::tr("Time divided by the second highest limit: the largest gain of removing the first "
                                     "one."),
                         QObject::tr("time / second limit")));
  if (!v.causes.empty()) s.sentences << text(profiler::cause_text(v));
  const std::vector<profiler::RunFinding> findings = profiler::findings(a);
  for (size_t i = 0; i < findings.size(); ++i) {
    if (std::find(findings[i].ops.begin(), findings[i].ops.end(), op) == findings[i].ops.end()) continue;
    s.sentences << QObject::tr("Finding %1 (view Findings): %2%3")
                       .arg(i + 1)
                       .arg(text(findings[i].advice),
                            findings[i].change ? QObject::tr(" Try it: %1").arg(text(findings[i].change->flag()))
                                               : QString());
  }
  for (const std::string& why : profiler::verdict_text(v)) s.sentences << QStringLiteral("• ") + text(why);
  return s;
}

InspectorSection time_section(const Analyzed& a, const profiler::OpRecord& op) {
  InspectorSection s{QObject::tr("Time"), {}, {}, {}, {}};
  const profiler::Spread& t = a.times[op.id].ns;
  if (op.view) {
    s.sentences << QObject::tr("A view: shares its input's bytes, runs nothing, moves nothing.");
    return s;
  }
  if (t.samples == 0) {
    s.sentences << QObject::tr("– never traced, so its time is unknown.");
    return s;
  }
  const bool ours = a.capture->run().source.empty();
  s.rows.push_back(
      row(ours ? QObject::tr("Median") : QObject::tr("Mean"), quantity(t.median, Quantity::duration_ns),
          a.capture->time_origin(),
          (ours ? QObject::tr("Median over %1 traced steps.") : QObject::tr("All of %1 traced steps, by their number."))
              .arg(t.samples)));
  if (t.samples > 1)
    s.rows.push_back(
        row(t.samples < profiler::kSamplesOfAnInterval ? QObject::tr("All within") : QObject::tr("95 % interval"),
            QObject::tr("%1 … %2").arg(quantity(t.low, Quantity::duration_ns), quantity(t.high, Quantity::duration_ns)),
            a.capture->time_origin(),
            t.samples < profiler::kSamplesOfAnInterval
                ? QObject::tr("Shortest and longest; fewer than %1 steps carry no 95 % interval.")
                      .arg(profiler::kSamplesOfAnInterval)
                : QObject::tr("Of the median, by order statistics (no distribution assumed).")));
  const double step =
      ours ? profiler::median(profiler::timed_steps_ns(*a.capture)) : profiler::mean_step_ns(*a.capture);
  if (step > 0)
    s.rows.push_back(row(
        ours ? QObject::tr("Share of the median step") : QObject::tr("Share of the mean step"),
        quantity(t.median / step, Quantity::percent_of), a.capture->time_origin(),
        ours
            ? QObject::tr("Median of the op by median of the step.")
            : QObject::tr(
                  "Mean of the op by mean of the step. Ops of several threads or GPUs may take more than all of it.")));
  s.rows.push_back(row(QObject::tr("Work"), quantity(op.flops, Quantity::flops), Origin::exact,
                       QObject::tr("FLOPs of one run, counted from shapes; a multiply-add is 2.")));
  if (op.flops > 0 && t.median > 0 && a.capture->rates_known())
    s.rows.push_back(row(QObject::tr("Rate"), quantity(a.capture->rate(op.flops, t.median), Quantity::flop_per_s),
                         a.capture->time_origin(), QObject::tr("Exact FLOPs by measured median time.")));
  return s;
}

/// Bytes as they are known best, which is what verdicts use; how far the model is from them is said.
InspectorSection link_section(const Analyzed& a, const profiler::Scope& scope) {
  const std::vector<OpId> ops = profiler::ops_of(*a.capture, scope);
  const Origin best = profiler::best_origin(a, ops);
  InspectorSection s{
      QObject::tr("Bytes per link"), {QObject::tr("compulsory"), text(profiler::name(best))}, {}, {}, {}};
  const profiler::Traffic t = profiler::traffic(*a.capture, a.model, scope);
  for (const auto& link : t.links) {
    const QString name =
        link.outer.empty() ? text(link.inner) : QObject::tr("%1 – %2").arg(text(link.outer), text(link.inner));
    double known = best == Origin::modelled ? link.modelled_total() : 0;
    for (const OpId op : ops) known += best == Origin::modelled ? 0 : profiler::known_bytes(a, best, op, link.outer);
    Tip tip;
    tip.title = name;
    tip.definition =
        QObject::tr("Compulsory: every operand byte once per op (exact). Modelled: read %1, written %2.")
            .arg(link.modelled_known ? quantity(total(link.modelled_read), Quantity::bytes) : QStringLiteral("–"),
                 link.modelled_known ? quantity(total(link.modelled_written), Quantity::bytes) : QStringLiteral("–"));
    tip.note = text(t.method);
    s.rows.push_back(
        {name,
         {{quantity(link.compulsory_total(), Quantity::bytes), tip.html(), Origin::exact},
          {best == Origin::modelled && !link.modelled_known ? QStringLiteral("–") : quantity(known, Quantity::bytes),
           tip.html(), best}},
         {},
         {},
         {}});
  }
  if (const auto apart = profiler::bytes_apart(a, ops); !apart.empty())
    s.sentences << text(profiler::bytes_apart_words(*a.capture, apart));
  if (best == Origin::modelled && !profiler::last_cache_words(a.model).empty())
    s.sentences << QObject::tr("Modelled with %1.").arg(text(profiler::last_cache_words(a.model)));
  if (!t.links.empty() && !t.links.front().modelled_known)
    s.sentences
        << (a.capture->run().source.empty()
                ? QObject::tr("Modelled bytes are unknown: %1.").arg(quoted_commands(text(a.model.unknown_reason)))
                : QObject::tr("Modelled bytes are unknown: the caches of its machine are not in the trace."));
  return s;
}

InspectorSection role_section(const Capture& c, const std::vector<const profiler::OpRecord*>& ops) {
  InspectorSection s{
      QObject::tr("Compulsory bytes by role"), {QObject::tr("read"), QObject::tr("written")}, {}, {}, {}};
  profiler::RoleBytes read{}, written{};
  for (const auto* op : ops)
    for (const auto& operand : c.operands(*op)) {
      read[static_cast<size_t>(operand.role)] += static_cast<double>(operand.read_bytes);
      written[static_cast<size_t>(operand.role)] += static_cast<double>(operand.written_bytes);
    }
  for (size_t r = 0; r < engine::kRoleCount; ++r) {
    if (read[r] + written[r] == 0) continue;
    s.rows.push_back({role_title(static_cast<engine::Role>(r)),
                      {{quantity(read[r], Quantity::bytes), {}, Origin::exact},
                       {quantity(written[r], Quantity::bytes), {}, Origin::exact}},
                      {},
                      {},
                      {}});
  }
  return s;
}

InspectorSection operand_section(const Capture& c, const profiler::OpRecord& op) {
  InspectorSection s{QObject::tr("Tensors touched"), {}, {}, {}, {}};
  for (const auto& operand : c.operands(op)) {
    if (operand.tensor >= c.tensors().size()) continue;
    const auto& t = c.tensors()[operand.tensor];
    InspectorRow r;
    r.label = (operand.output ? QStringLiteral("→ ") : QStringLiteral("← ")) + text(c.name(t.name));
    r.values.push_back({QStringLiteral("%1 %2").arg(text(engine::name(t.dtype)), shape_text(t.shape)), {}, {}});
    r.tensor = operand.tensor;
    r.tip = QObject::tr("%1 %2: reads %3, writes %4. Click to select the tensor.")
                .arg(role_title(operand.role), operand.output ? QObject::tr("(output)") : QObject::tr("(input)"),
                     quantity(static_cast<double>(operand.read_bytes), Quantity::bytes),
                     quantity(static_cast<double>(operand.written_bytes), Quantity::bytes));
    s.rows.push_back(std::move(r));
  }
  return s;
}

/// Members of a fused op; and of any op, which of the values it reads came from other ops, and whether the two are
/// fused.
InspectorSection fusion_section(const Capture& c, OpId id) {
  const auto members = c.fused_members(id);
  InspectorSection s{
      members.empty() ? QObject::tr("Fusion") : QObject::tr("Fused from %1 ops").arg(members.size()), {}, {}, {}, {}};
  for (const auto& member : members) {
    s.rows.push_back(row(text(c.name(member.name)), quantity(member.flops, Quantity::flops), Origin::exact,
                         QObject::tr("A member of this op, by its name without fusion; what it hands on to the next "
                                     "stays in the first cache level.")));
  }
  for (const auto& pair : c.fusion().pairs) {
    if (pair.consumer_op != id || pair.outcome == engine::FusionOutcome::fused) continue;
    const auto words = engine::explanation(pair.outcome);
    InspectorRow r;
    r.label = QObject::tr("← %1").arg(text(c.name(pair.producer)));
    r.values.push_back(
        {pair.outcome == engine::FusionOutcome::possible ? QObject::tr("could be fused") : QObject::tr("not fused"),
         {},
         {}});
    r.op = pair.producer_op;
    r.tip = QObject::tr("%1 written, %2 read again: %3.")
                .arg(quantity(static_cast<double>(pair.written_bytes), Quantity::bytes),
                     quantity(static_cast<double>(pair.read_bytes), Quantity::bytes), text(words));
    s.rows.push_back(std::move(r));
  }
  return s;
}

void inspect_op(const Analyzed& a, OpId id, InspectorContent& out) {
  const Capture& c = *a.capture;
  const auto& op = c.ops()[id];
  if (out.title.isEmpty()) {
    out.title = op_name(c, id);
    out.subtitle = QStringLiteral("%1 · %2").arg(text(c.name(op.type)), phase_words(c, op.phase));
  } else {
    out.sections.push_back({QObject::tr("Op %1").arg(op_name(c, id)), {}, {}, {}, {}});
  }
  if (!op.view && id < a.verdicts.size()) out.sections.push_back(verdict_section(a, id));
  out.sections.push_back(time_section(a, op));
  if (!op.view) out.sections.push_back(link_section(a, {.op = id, .layer = {}}));
  if (!op.view) out.sections.push_back(role_section(c, {&op}));
  out.sections.push_back(operand_section(c, op));
  if (InspectorSection fusion = fusion_section(c, id); !fusion.rows.empty()) out.sections.push_back(std::move(fusion));
  InspectorSection made{QObject::tr("Made by"), {}, {}, {}, {}};
  made.rows.push_back(
      row(QObject::tr("Layer"), c.name(op.layer).empty() ? QStringLiteral("–") : text(c.name(op.layer))));
  made.rows.push_back(row(QObject::tr("Kernel"), text(c.name(op.kernel)), {},
                          QObject::tr("The code that computed it, as the library names it.")));
  out.sections.push_back(std::move(made));
}

void inspect_layer(const Analyzed& a, const QString& layer, InspectorContent& out) {
  const Capture& c = *a.capture;
  const std::string path = layer.toStdString();
  std::vector<const profiler::OpRecord*> ops;
  double ns = 0, flops = 0;
  for (const auto& op : c.ops()) {
    const auto at = c.name(op.layer);
    if (op.view || !at.starts_with(path) || (at.size() > path.size() && at[path.size()] != '.')) continue;
    ops.push_back(&op);
    if (a.times[op.id].ns.samples > 0) ns += a.times[op.id].ns.median;
    flops += op.flops;
  }
  out.title = layer;
  out.subtitle = QObject::tr("layer, %1").arg(text(profiler::counted(ops.size(), "op")));
  InspectorSection time{QObject::tr("Time"), {}, {}, {}, {}};
  time.rows.push_back(row(QObject::tr("Sum of its ops"), quantity(ns, Quantity::duration_ns), c.time_origin(),
                          QObject::tr("Sum of the medians of its ops.")));
  time.rows.push_back(
      row(QObject::tr("Work"), quantity(flops, Quantity::flops), Origin::exact, QObject::tr("FLOPs per step.")));
  if (ns > 0 && c.rates_known())
    time.rows.push_back(row(QObject::tr("Rate"), quantity(c.rate(flops, ns), Quantity::flop_per_s), c.time_origin(),
                            QObject::tr("Work by time.")));
  out.sections.push_back(std::move(time));
  out.sections.push_back(link_section(a, {.op = {}, .layer = path}));
  out.sections.push_back(role_section(c, ops));
  std::stable_sort(ops.begin(), ops.end(),
                   [&](const auto* x, const auto* y) { return a.times[x->id].ns.median > a.times[y->id].ns.median; });
  InspectorSection list{QObject::tr("Its ops by time"), {}, {}, {}, {}};
  for (size_t i = 0; i < std::min(ops.size(), kLongList); ++i) {
    InspectorRow r;
    r.label = op_name(c, ops[i]->id);
    r.values.push_back({a.times[ops[i]->id].ns.samples > 0
                            ? quantity(a.times[ops[i]->id].ns.median, Quantity::duration_ns)
                            : QStringLiteral("–"),
                        {},
                        c.time_origin()});
    r.op = ops[i]->id;
    list.rows.push_back(std::move(r));
  }
  if (ops.size() > kLongList) list.sentences << QObject::tr("and %1 more").arg(ops.size() - kLongList);
  out.sections.push_back(std::move(list));
}

InspectorSection users_section(const Capture& c, TensorId id, bool writers) {
  InspectorSection s{writers ? QObject::tr("Written by") : QObject::tr("Read by"), {}, {}, {}, {}};
  size_t more = 0;
  for (const auto& operand : c.operands()) {
    if (operand.tensor != id || operand.op >= c.ops().size()) continue;
    const int64_t bytes = writers ? operand.written_bytes : operand.read_bytes;
    if (bytes == 0) continue;
    if (s.rows.size() >= kLongList) {
      ++more;
      continue;
    }
    InspectorRow r;
    r.label = op_name(c, operand.op);
    r.values.push_back({quantity(static_cast<double>(bytes), Quantity::bytes), {}, Origin::exact});
    r.op = operand.op;
    s.rows.push_back(std::move(r));
  }
  if (more > 0) s.sentences << QObject::tr("and %1 more").arg(more);
  if (s.rows.empty())
    s.sentences << (writers ? QObject::tr("no op: given from outside the step") : QObject::tr("no op"));
  return s;
}

void inspect_tensor(const Analyzed& a, TensorId id, InspectorContent& out) {
  const Capture& c = *a.capture;
  const auto& t = c.tensors()[id];
  out.title = text(c.name(t.name));
  out.subtitle = QObject::tr("tensor, %1").arg(role_title(t.role));
  InspectorSection s{QObject::tr("Tensor"), {}, {}, {}, {}};
  s.rows.push_back(
      row(QObject::tr("Type"), QStringLiteral("%1 %2").arg(text(engine::name(t.dtype)), shape_text(t.shape))));
  s.rows.push_back(row(QObject::tr("Strides"), shape_text(t.strides), {},
                       QObject::tr("Elements to the next index along each axis; 0 repeats the axis.")));
  s.rows.push_back(row(QObject::tr("Size"), quantity(static_cast<double>(t.size_bytes), Quantity::bytes), Origin::exact,
                       QObject::tr("Bytes it occupies.")));
  if (t.alias_of != profiler::kNoTensor && t.alias_of < c.tensors().size()) {
    InspectorRow r = row(QObject::tr("Shares bytes of"), text(c.name(c.tensors()[t.alias_of].name)));
    r.tensor = t.alias_of;
    s.rows.push_back(std::move(r));
  }
  if (t.persistent) {
    s.rows.push_back(row(QObject::tr("Lives"), QObject::tr("across steps")));
  } else {
    for (const bool first : {true, false}) {
      const OpId op = first ? t.first_op : t.last_op;
      InspectorRow r = row(first ? QObject::tr("Lives from") : QObject::tr("to"), op_name(c, op));
      if (op < c.ops().size()) r.op = op;
      s.rows.push_back(std::move(r));
    }
  }
  out.sections.push_back(std::move(s));
  out.sections.push_back(users_section(c, id, true));
  out.sections.push_back(users_section(c, id, false));
}

InspectorSection range_section(const Analyzed& a, const TimeRange& range) {
  const Capture& c = *a.capture;
  const RangeStatistics r = range_statistics(a, range.begin_ns, range.end_ns);
  const auto ns = [](int64_t t) { return quantity(static_cast<double>(t), Quantity::duration_ns); };
  InspectorSection s{QObject::tr("Selected time: %1").arg(ns(r.range_ns)), {}, {}, {}, {}};
  s.rows.push_back(row(QObject::tr("Busy"), ns(r.busy_ns), c.time_origin(),
                       QObject::tr("Union of all ops inside: overlaps count once.")));
  s.rows.push_back(row(QObject::tr("Idle between ops"), ns(r.idle_in_steps_ns), c.time_origin(),
                       QObject::tr("Inside a traced step, but no op runs: dispatch.")));
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
  InspectorSection s{QObject::tr("Run"), {}, {}, {}, {}};
  for (const auto& [key, value] : run.arguments) s.rows.push_back(row(text(key), text(value)));
  s.rows.push_back(row(QObject::tr("device"),
                       run.threads > 0
                           ? text(run.device + ", " + profiler::counted(static_cast<uint64_t>(run.threads), "thread"))
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
  if (const profiler::StepParts parts = profiler::step_parts(a); parts.known()) {
    InspectorSection step{QObject::tr("Time per step"), {}, {}, {}, {}};
    const auto add = [&](const QString& label, double ns, const QString& definition) {
      step.rows.push_back(row(label, quantity(ns, Quantity::duration_ns), c.time_origin(), definition));
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
  InspectorSection m{QObject::tr("Model"), {}, {}, {}, {}};
  size_t views = 0;
  for (const auto& op : c.ops()) views += op.view ? 1 : 0;
  m.rows.push_back(row(
      QObject::tr("Ops"),
      c.ops().empty() ? QStringLiteral("–")
      : views == 0    ? QString::number(c.ops().size())
                   : QObject::tr("%1 and %2").arg(c.ops().size() - views).arg(text(profiler::counted(views, "view"))),
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
  InspectorSection machine{QObject::tr("Machine"), {}, {}, {}, {}};
  if (!c.machine().info.model.empty() || run.source.empty())
    machine.rows.push_back(row(QObject::tr("Processor"), text(c.machine().info.model), Origin::specified,
                               QObject::tr("As the processor reports it.")));
  if (!c.rates_known()) machine.sentences << text(profiler::no_roofs_words(c));
  else if (!c.machine().probed())
    machine.sentences << QObject::tr(
        c.run().source.empty() ? "Roofs unknown: this machine was not probed before the run. Run: tensortide probe"
                               : "Roofs unknown: the trace does not hold those of its machine.");
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

}  // namespace

InspectorContent inspect(const Analyzed& a, const SelectionState& state) {
  InspectorContent out;
  const Capture& c = *a.capture;
  if (state.tensor && *state.tensor < c.tensors().size()) inspect_tensor(a, *state.tensor, out);
  if (state.activity && *state.activity < c.activities().size()) {
    // A run of an op is titled by its op.
    if (c.activities().kind[*state.activity] == profiler::ActivityKind::op && state.op && *state.op < c.ops().size()) {
      inspect_op(a, *state.op, out);
      out.subtitle += QStringLiteral(" · ") + activity_words(c, *state.activity);
      out.sections.insert(out.sections.begin(), activity_section(a, *state.activity));
    } else if (state.layer && !state.op && !state.tensor) {
      inspect_layer(a, *state.layer, out);
      out.sections.insert(out.sections.begin(), activity_section(a, *state.activity));
    } else {
      out.title = activity_name(c, *state.activity);
      out.subtitle = activity_words(c, *state.activity);
      out.sections.push_back(activity_section(a, *state.activity));
      if (state.op && *state.op < c.ops().size()) inspect_op(a, *state.op, out);
    }
  } else if (state.op && *state.op < c.ops().size()) {
    inspect_op(a, *state.op, out);
  }
  if (state.layer && !state.op && !state.tensor && !state.activity) inspect_layer(a, *state.layer, out);
  if (state.range) {
    if (out.title.isEmpty()) {
      out.title = state.range_name.isEmpty() ? QObject::tr("Time range") : state.range_name;
      if (!state.range_name.isEmpty()) out.subtitle = QObject::tr("a stretch of time");
    }
    out.sections.push_back(range_section(a, *state.range));
  }
  if (out.title.isEmpty()) inspect_run(a, out);
  return out;
}

}  // namespace views
