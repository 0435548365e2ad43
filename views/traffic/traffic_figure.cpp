// SPDX-License-Identifier: GPL-3.0-or-later
// Joins the traffic analysis with the machine's levels, roofs and the measured times of the scope.
#include "views/traffic/traffic_figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "profiler/analysis/base/groups.h"
#include "profiler/analysis/base/time_origin.h"
#include "profiler/analysis/bytes_apart.h"
#include "profiler/analysis/outer_links.h"
#include "profiler/analysis/roof_words.h"
#include "profiler/analysis/verdict/limits.h"
#include "profiler/base/statistics.h"
#include "profiler/capture/timed_steps.h"
#include "profiler/memory/gpu_sectors.h"
#include "views/base/phase.h"
#include "views/base/plain_text.h"
#include "views/base/theme.h"

namespace views {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

TrafficLevel level_figure(const profiler::Machine& machine, const std::string& name, int threads) {
  TrafficLevel level;
  level.name = text(name);
  level.capacity_bytes = kUnknown;
  level.latency_ns = kUnknown;
  const auto found = std::find_if(machine.levels.begin(), machine.levels.end(),
                                  [&](const profiler::MemoryLevel& l) { return l.name == name; });
  if (found == machine.levels.end()) return level;
  const int shared = std::max(1, found->shared_by_threads);
  level.instances = name == "DRAM" ? 1 : std::max(1, (threads + shared - 1) / shared);
  if (found->effective_size_bytes > 0) {
    level.capacity_bytes = static_cast<double>(found->effective_size_bytes) * level.instances;
    level.capacity_origin = found->size_origin();
  }
  level.specified_bytes = static_cast<double>(found->specified_size_bytes);
  if (found->latency_ns.known()) level.latency_ns = found->latency_ns.median;
  level.note = text(found->note);
  if (level.name != QLatin1String("DRAM") && threads > 1)
    level.share = level.instances >= threads ? QObject::tr("private")
                  : level.instances > 1      ? QObject::tr("%1 threads each").arg(shared)
                                             : QObject::tr("shared by %1").arg(threads);
  return level;
}

constexpr std::array kGpuLevels{"DRAM", "L2", "L1", "core"};

/// A level of a GPU, as its driver describes it: one L2 for all multiprocessors (SM), an L1 with the shared memory and
/// the registers in each of them.
TrafficLevel gpu_level(const profiler::GpuDevice* device, const std::string& name) {
  TrafficLevel level;
  level.name = name == "DRAM" ? QStringLiteral("GPU DRAM")
               : name == "L1" ? QObject::tr("L1, shared")
               : name == "L2" ? QStringLiteral("L2")
                              : QObject::tr("registers");
  level.capacity_bytes = kUnknown;
  level.latency_ns = kUnknown;
  if (name == "L2") level.share = QObject::tr("for all SMs");
  if (name == "L1" || name == "core") level.share = QObject::tr("in each SM");
  if (device == nullptr) return level;
  const int64_t size = name == "DRAM" ? device->memory_bytes : name == "L2" ? device->l2_bytes : 0;
  if (size > 0) {
    level.capacity_bytes = static_cast<double>(size);
    level.capacity_origin = profiler::Origin::specified;
  }
  if (name == "L1") level.note = QObject::tr("Each multiprocessor divides it between L1 cache and shared memory.");
  if ((name == "L1" || name == "core") && device->multiprocessors > 0) level.instances = device->multiprocessors;
  return level;
}

/// The links between a GPU's levels. What ops need at least crosses each of them.
std::vector<profiler::LinkTraffic> gpu_links(const profiler::LinkTraffic& needed) {
  std::vector<profiler::LinkTraffic> links;
  for (size_t i = 0; i + 1 < kGpuLevels.size(); ++i) {
    profiler::LinkTraffic link;
    link.outer = kGpuLevels[i];
    link.inner = kGpuLevels[i + 1];
    link.compulsory_read = needed.compulsory_read;
    link.compulsory_written = needed.compulsory_written;
    link.modelled_known = false;
    links.push_back(std::move(link));
  }
  return links;
}

bool on_gpu(const profiler::Capture& capture) { return capture.device().is_gpu || !capture.gpu().devices.empty(); }

/// What one source says of one link over the scope.
struct KnownFlow {
  profiler::RoleBytes read{}, written{};
  double hits = 0, misses = 0;
  std::vector<TensorFlow> tensors;
  bool known = false;  // of every op
  int ops = 0, missing = 0;
};

KnownFlow known_flow(const profiler::Capture& capture, const profiler::TrafficSource* source,
                     const std::vector<profiler::OpId>& ops, const profiler::LinkTraffic& link) {
  KnownFlow flow;
  if (source == nullptr) return flow;
  const size_t index = source->link_between(link.outer, link.inner);
  if (index == source->links.size()) return flow;
  const auto workspace = static_cast<size_t>(engine::Role::workspace);
  std::map<profiler::TensorId, TensorFlow> tensors;
  for (const profiler::OpId id : ops) {
    if (capture.ops()[id].view) continue;
    const profiler::TrafficRecord* whole = source->of(id, static_cast<uint32_t>(index));
    if (whole == nullptr || !whole->known()) {
      ++flow.missing;
      continue;
    }
    ++flow.ops;
    flow.hits += whole->hits;
    flow.misses += whole->misses;
    double read = whole->read_bytes, written = whole->written_bytes;
    for (const profiler::TrafficRecord& part : source->of(id)) {
      if (part.link != index || part.tensor >= capture.tensors().size() || !part.known()) continue;
      const auto role = static_cast<size_t>(capture.tensors()[part.tensor].role);
      flow.read[role] += part.read_bytes;
      flow.written[role] += part.written_bytes;
      read -= part.read_bytes;
      written -= part.written_bytes;
      TensorFlow& tensor = tensors[part.tensor];
      tensor.tensor = part.tensor;
      tensor.read += part.read_bytes;
      tensor.written += part.written_bytes;
    }
    flow.read[workspace] += std::max(0.0, read);  // of no tensor: panels that kernels pack
    flow.written[workspace] += std::max(0.0, written);
  }
  for (const auto& [id, tensor] : tensors) flow.tensors.push_back(tensor);
  flow.known = flow.ops > 0 && flow.missing == 0;
  return flow;
}

/// How often the ops read and write each tensor is known from the graph.
void count_uses(std::vector<TensorFlow>& flows, const std::vector<profiler::TensorTraffic>& parts) {
  std::map<profiler::TensorId, const profiler::TensorTraffic*> by_id;
  for (const auto& part : parts) by_id[part.tensor] = &part;
  for (TensorFlow& flow : flows) {
    const auto found = by_id.find(flow.tensor);
    if (found != by_id.end()) flow.reads = found->second->reads, flow.writes = found->second->writes;
  }
}

std::vector<TensorFlow> model_tensors(const std::vector<profiler::TensorTraffic>& parts, bool modelled) {
  std::vector<TensorFlow> out;
  for (const auto& part : parts) {
    out.push_back({part.tensor, modelled ? part.modelled_read : part.compulsory_read,
                   modelled ? part.modelled_written : part.compulsory_written, static_cast<double>(part.reads),
                   static_cast<double>(part.writes)});
  }
  return out;
}

TrafficLinkFigure link_figure(const profiler::Machine& machine, const profiler::LinkTraffic& bytes,
                              const KnownFlow& simulated, const KnownFlow& measured, bool core, double time_ns,
                              int threads) {
  TrafficLinkFigure link;
  link.bytes = bytes;
  link.origin = bytes.modelled_known ? profiler::Origin::modelled : profiler::Origin::exact;
  link.read = bytes.modelled_known ? bytes.modelled_read : bytes.compulsory_read;
  link.written = bytes.modelled_known ? bytes.modelled_written : bytes.compulsory_written;
  for (const auto& [flow, origin, sum] : {std::tuple(&simulated, profiler::Origin::simulated, &link.simulated_bytes),
                                          std::tuple(&measured, profiler::Origin::measured, &link.measured_bytes)}) {
    if (flow == &simulated && flow->ops > 0) {
      *sum = total(flow->read) + total(flow->written);
      link.simulated_missing = flow->missing;
    }
    if (!flow->known) continue;
    *sum = total(flow->read) + total(flow->written);
    link.origin = origin;
    link.read = flow->read;
    link.written = flow->written;
  }
  const double compulsory = bytes.compulsory_total(), drawn = total(link.read) + total(link.written);
  const bool known = link.origin != profiler::Origin::exact;
  link.amplification = known && compulsory > 0 ? drawn / compulsory : kUnknown;
  link.peak_bytes_per_s = kUnknown;
  link.busy_ratio = kUnknown;
  if (!known) return link;
  const auto peak =
      profiler::traffic_bandwidth(machine, bytes.outer, core, total(link.read), total(link.written), threads);
  if (!peak) return link;
  link.peak_bytes_per_s = *peak;
  if (time_ns > 0 && *peak > 0) link.busy_ratio = drawn / (*peak * time_ns * 1e-9);
  return link;
}

/// What the levels between memory and core answer themselves, and whose bytes they could not keep.
void add_hits(TrafficFigure& figure, const profiler::Capture& capture) {
  for (size_t i = figure.beyond + 1; i < figure.links.size(); ++i) {  // level i lies between links i - 1 and i
    const bool innermost = i + 1 == figure.links.size();
    const auto& asked = figure.links[i];
    const double requests = total(asked.read) + (innermost ? total(asked.written) : 0.0);
    const double fills = total(figure.links[i - 1].read);
    if (figure.links[i - 1].origin == profiler::Origin::exact) continue;
    // Where look-ups were counted, their share is set already.
    if (requests > 0 && std::isnan(figure.levels[i].hit_ratio))
      figure.levels[i].hit_ratio = std::clamp(1 - fills / requests, 0.0, 1.0);
    const auto& tensors = figure.tensors[i - 1];
    const auto most = std::ranges::max_element(tensors, {}, &TensorFlow::read);
    if (most == tensors.end() || !(most->read > 0)) continue;
    figure.levels[i].most_evicted = text(capture.name(capture.tensors()[most->tensor].name));
    figure.levels[i].most_evicted_bytes = most->read;
  }
}

/// The outermost link of the model over which the whole step moves something; 0 where none does or nothing is known.
size_t step_link(const profiler::TrafficModel& model) {
  for (size_t link = 0; model.known && link < model.links.size(); ++link)
    for (const auto& levels : model.op_levels)
      if (total(levels[link].read) + total(levels[link].written) > 0) return link;
  return 0;
}

/// Files and host memory before the levels that ops work in, where something crosses.
void add_links_beyond(TrafficFigure& figure, const profiler::Capture& capture) {
  std::vector<TrafficLevel> levels;
  std::vector<TrafficLinkFigure> links;
  std::vector<std::vector<TensorFlow>> tensors;
  for (const profiler::OuterLink& outer :
       profiler::outer_links(capture, figure.scope, figure.links.front().bytes.outer)) {
    TrafficLinkFigure link;
    link.bytes = outer.bytes;
    link.read = outer.bytes.measured_read;
    link.written = outer.bytes.measured_written;
    link.origin = figure.time_origin;
    link.measured_bytes = total(link.read) + total(link.written);
    const double compulsory = outer.bytes.compulsory_total();
    link.amplification = compulsory > 0 ? link.measured_bytes / compulsory : kUnknown;
    link.peak_bytes_per_s = kUnknown;
    link.busy_ratio = std::isfinite(outer.busy_ratio) && capture.rates_known() ? outer.busy_ratio : kUnknown;
    link.how = text(outer.how);
    TrafficLevel level;
    level.name = outer.bytes.outer == profiler::kFiles ? QObject::tr("files") : QObject::tr("host");
    level.beyond = true;
    level.capacity_bytes = kUnknown;
    level.latency_ns = kUnknown;
    if (outer.busy_ns > 0) level.busy_bytes_per_s = capture.rate(link.measured_bytes, outer.busy_ns);
    std::vector<TensorFlow> flows;
    for (const profiler::OuterFlow& flow : outer.flows) {
      if (flow.tensor == profiler::kNoTensor) link.untied_bytes += flow.read + flow.written;
      if (flow.tensor < capture.tensors().size())
        flows.push_back({flow.tensor, flow.read, flow.written, flow.reads, flow.writes});
    }
    levels.push_back(std::move(level));
    links.push_back(std::move(link));
    tensors.push_back(std::move(flows));
  }
  figure.beyond = links.size();
  figure.copied_within = profiler::copied_within_devices(capture, figure.scope);
  figure.levels.insert(figure.levels.begin(), levels.begin(), levels.end());
  figure.links.insert(figure.links.begin(), links.begin(), links.end());
  figure.tensors.insert(figure.tensors.begin(), tensors.begin(), tensors.end());
}

}  // namespace

namespace {

/// A GPU's modelled bytes, which are of no tensor: the row has them, the ribbons show what is needed, by role.
void add_sectors(TrafficLinkFigure& link, const KnownFlow& modelled) {
  if (!modelled.known) return;
  link.bytes.modelled_known = true;
  link.bytes.modelled_read = modelled.read;
  link.bytes.modelled_written = modelled.written;
  if (link.origin != profiler::Origin::exact) return;
  const double needed = link.bytes.compulsory_total();
  link.amplification = needed > 0 ? link.bytes.modelled_total() / needed : kUnknown;
}

/// The levels that ops work in, core last, and the links between them, each by the best way its bytes are known.
void add_links(TrafficFigure& figure, const profiler::Analyzed& analyzed, const std::vector<profiler::OpId>& ops) {
  const profiler::Capture& capture = *analyzed.capture;
  const int threads = capture.run().threads;
  const auto& modelled = figure.traffic.links;
  if (modelled.empty()) return;
  // Where not even the least bytes are known there is nothing to tell a GPU's levels apart by.
  const bool levels_apart = figure.gpu && !std::isnan(modelled.front().compulsory_total());
  auto links = levels_apart ? gpu_links(modelled.front()) : figure.gpu ? std::vector{modelled.front()} : modelled;
  if (figure.gpu) links.back().inner = "core", links.back().modelled_known = false;
  const profiler::GpuDevice* device = capture.gpu().devices.empty() ? nullptr : &capture.gpu().devices.front();
  static const profiler::Machine kNoRoofs;  // those measured are the computer's, not the GPU's
  const profiler::Machine& machine = figure.gpu ? kNoRoofs : capture.machine();
  const profiler::TrafficSource *simulation = analyzed.sources.simulated(), *counters = analyzed.sources.measured();
  const auto sectors = levels_apart ? profiler::gpu_sector_traffic(capture) : std::nullopt;
  if (sectors) figure.traffic.method = sectors->method;
  double hits = 0, inner_hits = 0;
  profiler::Origin hit_origin = profiler::Origin::simulated;
  for (size_t i = 0; i < links.size(); ++i) {
    const auto& parts = figure.traffic.tensors[figure.gpu ? 0 : i];
    const KnownFlow simulated = known_flow(capture, figure.gpu ? nullptr : simulation, ops, links[i]),
                    measured = known_flow(capture, counters, ops, links[i]);
    figure.levels.push_back(figure.gpu ? gpu_level(device, links[i].outer)
                                       : level_figure(machine, links[i].outer, threads));
    figure.levels.back().cache = i > 0;
    if (i > 0 && inner_hits > 0) {
      figure.levels.back().hit_ratio = hits / inner_hits;
      figure.levels.back().hit_origin = hit_origin;
    }
    const double time_ns = capture.rates_known() ? figure.time_ns : kUnknown;
    figure.links.push_back(
        link_figure(machine, links[i], simulated, measured, i + 1 == links.size(), time_ns, threads));
    if (sectors) add_sectors(figure.links.back(), known_flow(capture, &*sectors, ops, links[i]));
    const KnownFlow& best = measured.known ? measured : simulated;
    figure.tensors.push_back(best.known ? best.tensors : model_tensors(parts, figure.model_known));
    if (best.known) count_uses(figure.tensors.back(), parts);
    // Look-ups at this link's inner level are the hits of the level that comes next.
    hits = best.hits, inner_hits = best.known ? best.hits + best.misses : 0;
    hit_origin = measured.known ? profiler::Origin::measured : profiler::Origin::simulated;
  }
  TrafficLevel core;
  if (figure.gpu) core = gpu_level(device, "core");
  else core.name = QObject::tr("core"), core.instances = threads;
  core.capacity_bytes = kUnknown;
  core.latency_ns = kUnknown;
  figure.levels.push_back(core);
}

/// See TrafficFigure::no_bytes.
QString no_bytes_words(const TrafficFigure& figure, const profiler::Capture& capture) {
  if (!figure.foreign) return {};
  for (size_t i = figure.beyond; i < figure.links.size(); ++i) {
    if (total(figure.links[i].read) + total(figure.links[i].written) > 0) return {};
  }
  const bool kineto = text(capture.run().source).contains(QStringLiteral("PyTorch"), Qt::CaseInsensitive);
  return kineto ? QObject::tr(
                      "The trace lacks the shapes of its tensors, so the bytes of its ops are unknown. "
                      "PyTorch records them with record_shapes=True.")
                : QObject::tr(
                      "The trace lacks the shapes of its tensors, so the bytes of its ops are unknown. "
                      "Record the same workload here, or with PyTorch's record_shapes=True.");
}

}  // namespace

double TrafficLinkFigure::difference() const { return total(read) + total(written) - other_read - other_written; }

std::optional<profiler::Scope> same_scope(const profiler::Capture& from, const profiler::Scope& scope,
                                          const profiler::Capture& to) {
  profiler::Scope same = scope;
  if (scope.op) {
    const std::string_view wanted = from.name(from.ops()[*scope.op].name);
    const auto found =
        std::ranges::find_if(to.ops(), [&](const profiler::OpRecord& op) { return to.name(op.name) == wanted; });
    if (found == to.ops().end()) return {};
    same.op = found->id;
  }
  if (scope.layer && profiler::ops_of(to, same).empty()) return {};
  return same;
}

void compare_with(TrafficFigure& figure, const profiler::Capture& capture, const profiler::Analyzed& other) {
  figure.rows.push_back(FigureRow::difference);
  figure.other_title =
      displayed(text(other.capture->run().title.empty() ? other.capture->run().workload : other.capture->run().title));
  const auto batch = other.capture->run().arguments.find("batch");
  if (batch != other.capture->run().arguments.end())
    figure.other_title += QObject::tr(", batch %1").arg(QString::fromStdString(batch->second));
  const auto scope = same_scope(capture, figure.scope, *other.capture);
  if (!scope) {
    figure.other_reason = QObject::tr("The other run has no op or layer of this name.");
    return;
  }
  const TrafficFigure theirs = make_traffic_figure(other, *scope);
  for (TrafficLinkFigure& link : figure.links) {
    const auto found = std::ranges::find_if(theirs.links, [&](const TrafficLinkFigure& o) {
      return o.bytes.outer == link.bytes.outer && o.bytes.inner == link.bytes.inner;
    });
    if (found == theirs.links.end()) {
      figure.other_reason = QObject::tr("The other run's machine has no such link.");
    } else if (found->origin != link.origin) {
      figure.other_reason =
          QObject::tr("The bytes of the two runs are known in different ways.%1")
              .arg(theirs.model_unknown == figure.model_unknown
                       ? QString()
                       : QObject::tr(" Of one of them: %1.")
                             .arg(figure.model_unknown.isEmpty() ? theirs.model_unknown : figure.model_unknown));
    } else {
      link.other_read = total(found->read);
      link.other_written = total(found->written);
    }
  }
}

size_t first_busy_link(const TrafficFigure& figure) {
  for (size_t link = figure.beyond; link < figure.links.size(); ++link) {
    if (total(figure.links[link].read) > 0) return link;
  }
  return figure.beyond;
}

QString role_words(std::span<const TrafficLinkFigure> links, engine::Role role) {
  double untied = 0, all = 0;
  for (const TrafficLinkFigure& link : links) {
    const auto r = static_cast<size_t>(engine::Role::workspace);
    untied += link.untied_bytes, all += link.read[r] + link.written[r];
  }
  if (role != engine::Role::workspace || untied == 0) return role_title(role);
  const QString unknown = QObject::tr("tensors unknown");
  return all > untied * (1 + 1e-9) ? QObject::tr("%1, or %2").arg(role_title(role), unknown) : unknown;
}

double total(const profiler::RoleBytes& bytes) { return std::accumulate(bytes.begin(), bytes.end(), 0.0); }

TrafficFigure make_traffic_figure(const profiler::Analyzed& analyzed, const profiler::Scope& scope) {
  const profiler::Capture& capture = *analyzed.capture;
  const profiler::Machine& machine = capture.machine();
  const int threads = capture.run().threads;
  TrafficFigure figure;
  figure.scope = scope;
  figure.traffic = profiler::traffic(capture, analyzed.model, scope);
  figure.working_set_bytes = figure.traffic.working_set_bytes;
  figure.model_known = analyzed.model.known;
  figure.foreign = !analyzed.capture->run().source.empty();
  figure.gpu = on_gpu(capture);
  figure.time_origin = capture.time_origin();
  figure.no_rates = text(profiler::no_rates_words(capture));
  if (figure.gpu && figure.model_known) {  // of the caches of the computer around it
    figure.model_known = false;
    figure.model_unknown = QObject::tr("the caches of a GPU have no model over a step");
  } else if (!figure.model_known) {
    figure.model_unknown = quoted_commands(analyzed.model.unknown_reason);
  }
  figure.forward_known = phase_known(capture, engine::Phase::forward);
  figure.title = scope.op                      ? text(capture.name(capture.ops()[*scope.op].name))
                 : scope.layer                 ? text(*scope.layer)
                 : capture.run().title.empty() ? QObject::tr("Whole step")
                                               : QObject::tr("Whole step of %1").arg(text(capture.run().title));
  bool timed = false, roofs_known = !figure.gpu;
  double ideal_ns = 0;
  for (const profiler::OpId id : profiler::ops_of(capture, scope)) {
    const profiler::OpRecord& op = capture.ops()[id];
    figure.flops += op.flops;
    if (op.flops > 0) {
      const auto roof = machine.compute_roof(profiler::dtype_of(capture, op), threads);
      roofs_known = roofs_known && roof.has_value() && roof->flop_per_s.median > 0;
      if (roofs_known) ideal_ns += op.flops / roof->flop_per_s.median * 1e9;
    }
    const auto& spread = analyzed.times[id].ns;
    if (spread.samples == 0) continue;
    figure.time_ns += spread.median;
    timed = true;
  }
  if (!timed) figure.time_ns = kUnknown;
  // The whole step takes what steps were measured to take, as the figures above the views say it.
  if (const double step_ns = profiler::median(profiler::timed_steps_ns(capture)); scope.all() && timed && step_ns > 0) {
    figure.time_ns = step_ns;
    figure.time_of_step = true;
  }
  if (figure.foreign && !(figure.flops > 0)) figure.flops = kUnknown;  // the trace says of no op what it computes
  figure.roof_ratio = roofs_known && capture.rates_known() && profiler::unbounded_words(analyzed).empty() &&
                              ideal_ns > 0 && figure.time_ns > 0
                          ? ideal_ns / figure.time_ns
                          : kUnknown;
  const std::vector<profiler::OpId> ops = profiler::ops_of(capture, scope);
  add_links(figure, analyzed, ops);
  const profiler::TrafficSource *simulation = analyzed.sources.simulated(), *counters = analyzed.sources.measured();
  if (simulation != nullptr) {
    figure.simulated_method = text(simulation->method);
    figure.simulated_reason = QObject::tr("Unknown: what the ops in view access is not known.");
  } else {
    figure.simulated_reason =
        QObject::tr("Not simulated: the button “Simulate caches” runs this again with a cache simulation.");
  }
  if (counters != nullptr) figure.traffic.measured_reason = counters->method;
  figure.apart = text(profiler::bytes_apart_words(capture, profiler::bytes_apart(analyzed, ops)));
  if (!figure.links.empty()) {
    add_links_beyond(figure, capture);
    figure.ops_over = figure.beyond + (figure.gpu ? 0 : step_link(analyzed.model));
    add_hits(figure, capture);
    figure.no_bytes = no_bytes_words(figure, capture);
    if (figure.apart.isEmpty()) figure.apart = figure.no_bytes;
  }
  figure.rows = {FigureRow::compulsory, FigureRow::modelled,      FigureRow::simulated,
                 FigureRow::measured,   FigureRow::amplification, FigureRow::busy};
  if (figure.gpu || figure.foreign) std::erase(figure.rows, FigureRow::simulated);  // nothing could fill it
  return figure;
}

const CollectOffer* offer_of(const TrafficFigure& figure, FigureRow row) {
  const auto found = std::ranges::find(figure.offers, row, &CollectOffer::row);
  return found == figure.offers.end() ? nullptr : &*found;
}

std::vector<CollectOffer> collect_offers(const TrafficFigure& figure, const profiler::Analyzed& analyzed) {
  std::vector<CollectOffer> offers;
  if (figure.foreign || figure.links.empty() || figure.time_origin == profiler::Origin::emulated) return offers;
  if (!figure.gpu && analyzed.sources.simulated() == nullptr)
    offers.push_back({FigureRow::simulated, QObject::tr("simulate"), QObject::tr("Simulate caches"), {}});
  if (analyzed.sources.measured() == nullptr)
    offers.push_back({FigureRow::measured,
                      figure.gpu ? QObject::tr("counters") : QStringLiteral("perf"),
                      QObject::tr("Measure"),
                      {}});
  return offers;
}

std::vector<ScrubberOp> scrubber_ops(const profiler::Analyzed& analyzed) {
  const profiler::Capture& capture = *analyzed.capture;
  const size_t over = step_link(analyzed.model);
  std::vector<ScrubberOp> out;
  for (const profiler::OpRecord& op : capture.ops()) {
    if (op.view) continue;
    ScrubberOp item;
    item.op = op.id;
    item.phase = op.phase;
    item.time_ns = analyzed.times[op.id].ns.samples > 0 ? analyzed.times[op.id].ns.median : kUnknown;
    profiler::RoleBytes bytes{};
    if (analyzed.model.known && !analyzed.model.links.empty() && !on_gpu(capture)) {
      const auto& level = analyzed.model.op_levels[op.id][over];
      for (size_t r = 0; r < bytes.size(); ++r) bytes[r] = level.read[r] + level.written[r];
    } else {
      for (const auto& operand : capture.operands(op)) {
        bytes[static_cast<size_t>(operand.role)] += static_cast<double>(operand.read_bytes + operand.written_bytes);
      }
    }
    item.bytes = total(bytes);
    item.role = static_cast<engine::Role>(std::max_element(bytes.begin(), bytes.end()) - bytes.begin());
    out.push_back(item);
  }
  return out;
}

void mark_scope(std::vector<ScrubberOp>& ops, const profiler::Capture& capture, const profiler::Scope& scope) {
  std::vector<bool> inside(capture.ops().size(), false);
  if (!scope.all()) {
    for (const profiler::OpId id : profiler::ops_of(capture, scope)) inside[id] = true;
  }
  for (ScrubberOp& item : ops) item.marked = inside[item.op];
}

QString binary_bytes(double bytes) {
  if (!(bytes > 0)) return QStringLiteral("–");
  static constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  const int decimals = bytes >= 99.95 || bytes == std::floor(bytes) ? 0 : bytes >= 9.995 ? 1 : 2;
  return QStringLiteral("%1 %2").arg(bytes, 0, 'f', decimals).arg(QLatin1String(kUnits[unit]));
}

}  // namespace views
