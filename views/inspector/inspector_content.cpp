// SPDX-License-Identifier: GPL-3.0-or-later
// Collects what is known about an op, a layer or a tensor.
#include "views/inspector/inspector_content.h"

#include <QObject>
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "profiler/analysis/base/groups.h"
#include "profiler/analysis/bytes_apart.h"
#include "profiler/analysis/findings/findings.h"
#include "profiler/analysis/footprint.h"
#include "profiler/analysis/gpu/launches.h"
#include "profiler/analysis/known_bytes.h"
#include "profiler/analysis/roof_words.h"
#include "profiler/analysis/step_shares.h"
#include "profiler/analysis/tensor_values.h"
#include "profiler/analysis/traffic.h"
#include "profiler/analysis/verdict/verdict_text.h"
#include "profiler/analysis/winograd_ops.h"
#include "profiler/base/statistics.h"
#include "profiler/capture/op_devices.h"
#include "profiler/capture/results.h"
#include "profiler/capture/timed_steps.h"
#include "views/base/paint.h"
#include "views/base/phase.h"
#include "views/base/plain_text.h"
#include "views/base/range_statistics.h"
#include "views/base/theme.h"
#include "views/base/value_picture.h"
#include "views/inspector/activity_content.h"
#include "views/inspector/content_rows.h"

namespace views {

namespace {

using content::op_name;
using content::row;
using content::with_bar;
using profiler::Analyzed;
using profiler::Capture;
using profiler::OpId;
using profiler::Origin;
using profiler::Quantity;
using profiler::TensorId;

constexpr size_t kLongList = 12;

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

/// The verdict in a sentence, with a badge where it is not firm; the reasoning is folded.
InspectorSection verdict_section(const Analyzed& a, OpId op) {
  const profiler::Verdict& v = a.verdicts[op];
  InspectorSection s;
  s.title = text(profiler::class_text(v));
  s.title[0] = s.title[0].toUpper();
  if (v.counted) s.title += QObject::tr(" (measured)");
  s.bound = v.bound;
  // Where there is no class there is nothing to be sure of.
  if (!v.firm && v.bound != profiler::Bound::unknown && v.bound != profiler::Bound::inconsistent) {
    s.badge = QObject::tr("likely");
    s.badge_tip = v.runner_up.empty()
                      ? QObject::tr("The class changes within the error bands of roofs, times and bytes.")
                      : QObject::tr("Within the error bands of roofs, times and bytes the limit may be %1 instead.")
                            .arg(text(v.runner_up));
  }
  if (!std::isnan(v.next_speedup))
    s.rows.push_back(row(QObject::tr("Speed-up without it"),
                         v.next_speedup > 1 ? QObject::tr("at most %1").arg(quantity(v.next_speedup, Quantity::ratio))
                                            : QObject::tr("– (the next limit is as near)"),
                         Origin::modelled,
                         QObject::tr("Time divided by the second highest limit: the largest gain of removing the first "
                                     "one."),
                         QObject::tr("time / second limit")));
  const std::vector<profiler::RunFinding> findings = profiler::findings(a);
  for (size_t i = 0; i < findings.size(); ++i) {
    if (std::find(findings[i].ops.begin(), findings[i].ops.end(), op) == findings[i].ops.end()) continue;
    QStringList& to = s.sentences.empty() ? s.sentences : s.why;
    to << QObject::tr("Finding %1: %2").arg(i + 1).arg(text(findings[i].advice));
  }
  if (!v.causes.empty()) s.why << QObject::tr("Cause: %1").arg(text(profiler::cause_text(v)));
  for (const std::string& why : profiler::verdict_text(v)) s.why << text(why);
  s.why_title = QObject::tr("Why?");
  return s;
}

/// The longest op: what bars of time are held against.
double longest_op_ns(const Analyzed& a) {
  double longest = 0;
  for (const auto& t : a.times) longest = std::max(longest, t.ns.samples > 0 ? t.ns.median : 0.0);
  return longest;
}

/// Time, share of the step and share of the roof as bars.
InspectorSection glance_section(const Analyzed& a, const profiler::OpRecord& op) {
  InspectorSection s;
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
  const QString time = quantity(t.median, Quantity::duration_ns);
  s.rows.push_back(with_bar(
      row(ours ? QObject::tr("Median") : QObject::tr("Mean"), time, a.capture->time_origin(),
          (ours ? QObject::tr("Median over %1 traced steps. ")
                : QObject::tr("All of %1 traced steps, by their number. "))
                  .arg(t.samples) +
              QObject::tr("The bar is full for the longest op.")),
      t.median / longest_op_ns(a),
      QObject::tr("%1; the longest op takes %2").arg(time, quantity(longest_op_ns(a), Quantity::duration_ns))));
  const double step =
      ours ? profiler::median(profiler::timed_steps_ns(*a.capture)) : profiler::mean_step_ns(*a.capture);
  if (step > 0) {
    const QString share = quantity(t.median / step, Quantity::percent_of),
                  label = ours ? QObject::tr("Share of the median step") : QObject::tr("Share of the mean step");
    s.rows.push_back(with_bar(
        row(label, share, a.capture->time_origin(),
            ours ? QObject::tr("Median of the op by median of the step.")
                 : QObject::tr("Mean of the op by mean of the step. Ops of several threads or GPUs may take more than "
                               "all of it.")),
        t.median / step, QObject::tr("%1: %2").arg(label, share)));
  }
  if (op.id < a.verdicts.size()) {
    const profiler::Verdict& v = a.verdicts[op.id];
    const QString used = quantity(v.utilisation, Quantity::percent_of);
    s.rows.push_back(
        with_bar(row(QObject::tr("Of its roof"), used, Origin::modelled,
                     QObject::tr("How much of the binding limit (bandwidth or arithmetic) the op reaches.")),
                 v.utilisation, QObject::tr("%1 of its roof").arg(used), v.bound));
  }
  return s;
}

InspectorSection time_section(const Analyzed& a, const profiler::OpRecord& op) {
  InspectorSection s{QObject::tr("Time and work"), {}, {}, {}, {}};
  const profiler::Spread& t = a.times[op.id].ns;
  if (op.view || t.samples == 0) return s;
  if (t.samples > 1)
    s.rows.push_back(
        row(t.samples < profiler::kSamplesOfAnInterval ? QObject::tr("All within") : QObject::tr("95 % interval"),
            QObject::tr("%1 … %2").arg(quantity(t.low, Quantity::duration_ns), quantity(t.high, Quantity::duration_ns)),
            a.capture->time_origin(),
            t.samples < profiler::kSamplesOfAnInterval
                ? QObject::tr("Shortest and longest; fewer than %1 steps carry no 95 % interval.")
                      .arg(profiler::kSamplesOfAnInterval)
                : QObject::tr("Of the median, by order statistics (no distribution assumed).")));
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
  InspectorSection s{QObject::tr("Bytes per link"), {QObject::tr("compulsory"), origin_text(best)}, {}, {}, {}};
  const profiler::Traffic t = profiler::traffic(*a.capture, a.model, scope);
  std::vector<double> moved;  // per link
  double most = 0;            // what a full bar is
  for (const auto& link : t.links) {
    double known = best == Origin::modelled && link.modelled_known ? link.modelled_total()
                   : best == Origin::modelled                      ? std::numeric_limits<double>::quiet_NaN()
                                                                   : 0;
    for (const OpId op : ops) known += best == Origin::modelled ? 0 : profiler::known_bytes(a, best, op, link.outer);
    moved.push_back(known);
    for (const double bytes : {known, link.compulsory_total()}) most = bytes > most ? bytes : most;
  }
  for (const auto& link : t.links) {
    const QString name =
        link.outer.empty() ? text(link.inner) : QObject::tr("%1 – %2").arg(text(link.outer), text(link.inner));
    const double known = moved[static_cast<size_t>(&link - t.links.data())], compulsory = link.compulsory_total();
    const QString least = quantity(compulsory, Quantity::bytes), moves = quantity(known, Quantity::bytes);
    Tip tip;
    tip.title = name;
    tip.definition =
        QObject::tr("Compulsory: every operand byte once per op (exact). Modelled: read %1, written %2.")
            .arg(link.modelled_known ? quantity(total(link.modelled_read), Quantity::bytes) : QStringLiteral("–"),
                 link.modelled_known ? quantity(total(link.modelled_written), Quantity::bytes) : QStringLiteral("–"));
    tip.note = text(t.method);
    InspectorRow r{name, {{least, tip.html(), Origin::exact}, {moves, tip.html(), best}}, {}, {}, {}};
    s.rows.push_back(with_bar(std::move(r), known / most,
                              QObject::tr("%1: %2 %3, %4 compulsory").arg(name, moves, s.columns[1], least), {},
                              compulsory / most));
  }
  if (const auto apart = profiler::bytes_apart(a, ops); !apart.empty())
    s.why << text(profiler::bytes_apart_words(*a.capture, apart));
  if (best == Origin::modelled && !profiler::last_cache_words(a.model).empty())
    s.why << QObject::tr("Modelled with %1.").arg(text(profiler::last_cache_words(a.model)));
  if (!t.links.empty() && !t.links.front().modelled_known)
    s.sentences << (a.capture->run().source.empty()
                        ? QObject::tr("Modelled bytes are unknown: %1.").arg(quoted_commands(a.model.unknown_reason))
                        : QObject::tr("Modelled bytes are unknown: the caches of its machine are not in the trace."));
  s.why_title = QObject::tr("Which bytes?");
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
  out.sections.push_back(glance_section(a, op));
  if (!op.view) out.sections.push_back(link_section(a, {.op = id, .layer = {}}));
  if (!op.view && id < a.verdicts.size()) out.sections.push_back(verdict_section(a, id));
  if (InspectorSection time = time_section(a, op); !time.rows.empty()) out.sections.push_back(std::move(time));
  if (!op.view) out.sections.push_back(role_section(c, {&op}));
  out.sections.push_back(operand_section(c, op));
  if (InspectorSection fusion = fusion_section(c, id); !fusion.rows.empty()) out.sections.push_back(std::move(fusion));
  InspectorSection made{QObject::tr("Made by"), {}, {}, {}, {}};
  made.rows.push_back(
      row(QObject::tr("Layer"), c.name(op.layer).empty() ? QStringLiteral("–") : text(c.name(op.layer))));
  made.rows.push_back(row(QObject::tr("Kernel"), text(c.name(op.kernel)), {},
                          QObject::tr("The code that computed it, as the library names it.")));
  const std::vector<profiler::LaunchRow> launches = profiler::launch_rows(c, id);
  for (const profiler::LaunchRow& launch : std::span(launches).first(std::min(launches.size(), kLongList))) {
    const std::string grid = profiler::extent_words(launch.grid), block = profiler::extent_words(launch.block);
    made.rows.push_back(row(
        text(c.name(launch.kernel)),
        QObject::tr("%1, grid %2, block %3")
            .arg(launch.launches == 1 ? QObject::tr("1 launch") : QObject::tr("%1 launches").arg(launch.launches),
                 grid.empty() ? QStringLiteral("–") : text(grid), block.empty() ? QStringLiteral("–") : text(block)),
        Origin::exact,
        QObject::tr("Launches in the whole capture. Grid: blocks along x, y, z. Block: threads along x, y, z. "
                    "%1 threads per launch.")
            .arg(quantity(launch.threads(), Quantity::count))));
  }
  if (launches.size() > kLongList)
    made.rows.push_back(row(QObject::tr("and %1 more").arg(launches.size() - kLongList), QObject::tr("table launches"),
                            Origin::exact,
                            QObject::tr("The table launches has a row for each kernel, grid and block.")));
  made.rows.push_back(row(QObject::tr("Device"), text(profiler::OpDevices(c).of_op(id)), {},
                          QObject::tr("Where it ran; a copy belongs to the device it starts from.")));
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
  out.subtitle =
      QObject::tr("layer, %1").arg(ops.size() == 1 ? QObject::tr("1 op") : QObject::tr("%1 ops").arg(ops.size()));
  InspectorSection time;
  const bool ours = c.run().source.empty();
  const double step = ours ? profiler::median(profiler::timed_steps_ns(c)) : profiler::mean_step_ns(c);
  time.rows.push_back(row(QObject::tr("Sum of its ops"), quantity(ns, Quantity::duration_ns), c.time_origin(),
                          QObject::tr("Sum of the medians of its ops.")));
  if (step > 0) {
    const QString share = quantity(ns / step, Quantity::percent_of);
    time.rows.push_back(
        with_bar(row(ours ? QObject::tr("Share of the median step") : QObject::tr("Share of the mean step"), share,
                     c.time_origin(),
                     QObject::tr("Its ops' time by that of the step. Ops that run beside each other count each.")),
                 ns / step, QObject::tr("%1 of a step").arg(share)));
  }
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
    const double part = a.times[ops[i]->id].ns.median / ns;
    list.rows.push_back(
        with_bar(std::move(r), part, QObject::tr("%1 of the layer").arg(quantity(part, Quantity::percent_of))));
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

/// What was in it, where values were kept.
std::optional<InspectorSection> values_section(const Capture& c, TensorId id) {
  const auto kept = profiler::tensor_values(c);
  const auto found = std::ranges::find(kept, id, &profiler::ResultRecord::tensor);
  if (found == kept.end()) return std::nullopt;
  const profiler::ResultRecord& r = *found;
  InspectorSection s{QObject::tr("Values"), {}, {}, {}, {}};
  const auto number = [](double value) {
    return std::isnan(value) ? QStringLiteral("–") : QString::number(value, 'g', 6);
  };
  const int64_t nans = profiler::nan_count(r);
  const QString step = QObject::tr("In step %1, behind the timed ones.").arg(r.step + 1);
  s.rows.push_back(row(QObject::tr("Least"), number(r.least), Origin::exact, step));
  s.rows.push_back(row(QObject::tr("Largest"), number(r.most), Origin::exact, step));
  s.rows.push_back(row(QObject::tr("Mean"), number(r.mean), Origin::exact, QObject::tr("Of the finite values.")));
  s.rows.push_back(row(QObject::tr("NaN"), nans < 0 ? QStringLiteral("–") : QString::number(nans), Origin::exact,
                       nans < 0 ? QObject::tr("Unknown: not all values are kept.") : step));
  s.rows.push_back(row(QObject::tr("Not finite"), QString::number(r.not_finite), Origin::exact,
                       QObject::tr("NaN and infinities together.")));
  const ValuePlanes planes = planes_of(c.tensors()[id].shape);
  s.picture = value_picture(r, planes, 0, true);
  s.picture_words = planes.count > 1
                        ? QObject::tr("The first of %1 channels; the view Values has all").arg(planes.count)
                        : QObject::tr("Its values as shades, the least black");
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
  s.rows.push_back(row(QObject::tr("Device"), text(profiler::OpDevices(c).of_tensor(id)), {},
                       QObject::tr("In whose memory it lies.")));
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
  if (auto values = values_section(c, id)) out.sections.push_back(*std::move(values));
  out.sections.push_back(users_section(c, id, true));
  out.sections.push_back(users_section(c, id, false));
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
    out.sections.push_back(content::range_section(a, *state.range));
  }
  if (out.title.isEmpty()) content::inspect_run(a, out);
  return out;
}

}  // namespace views
