// SPDX-License-Identifier: GPL-3.0-or-later
// What the traffic picture shows, as numbers: levels, links, the step's ops; no geometry, no widget.
#pragma once

#include <QString>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "profiler/analysis/analyze.h"
#include "profiler/analysis/base/scope.h"
#include "profiler/analysis/traffic.h"
#include "profiler/base/origin.h"
#include "profiler/capture/capture.h"

namespace views {

/// One memory level, or the core (name "core") at the end.
struct TrafficLevel {
  QString name;
  bool beyond = false;  ///< farther than the memory that the ops work in: files, host memory of a GPU's run
  bool cache = false;   ///< between the ops' memory and the core
  double busy_bytes_per_s = std::numeric_limits<double>::quiet_NaN();  ///< beyond: what went in while something did
  profiler::Origin capacity_origin = profiler::Origin::measured;
  double capacity_bytes = 0;   ///< effective, all instances the run uses; NaN: unknown
  double specified_bytes = 0;  ///< what the OS claims for one instance; 0: unknown
  int instances = 1;
  QString share;          ///< who has one of them: "private", "shared by 8", "one per SM"; empty: nothing to say
  double latency_ns = 0;  ///< NaN: unknown
  QString note;
  /// Share of what is asked of this level that it has; NaN: unknown, or no cache.
  double hit_ratio = std::numeric_limits<double>::quiet_NaN();
  profiler::Origin hit_origin = profiler::Origin::modelled;
  /// The tensor most of whose bytes had to be fetched into this level again, having left it since their last use.
  QString most_evicted;  ///< empty: none, or unknown
  double most_evicted_bytes = 0;
};

/// The rows of numbers below the picture.
enum class FigureRow : uint8_t { compulsory, modelled, simulated, measured, amplification, busy, difference };

enum class FlowDirection : uint8_t { read, written };  ///< towards the core; back to memory

/// One link between neighbours.
struct TrafficLinkFigure {
  profiler::LinkTraffic bytes;
  profiler::RoleBytes read{}, written{};  ///< what is drawn: measured, else simulated, modelled, compulsory
  int simulated_missing =
      0;  ///< ops of the scope that simulated_bytes leaves out: then it is a lower bound, and not drawn
  /// Both directions; NaN: unknown (measured: also for some op of the scope).
  double simulated_bytes = std::numeric_limits<double>::quiet_NaN(),
         measured_bytes = std::numeric_limits<double>::quiet_NaN();
  profiler::Origin origin = profiler::Origin::modelled;
  double amplification = 0;     ///< drawn / compulsory; NaN: unknown or nothing compulsory
  double peak_bytes_per_s = 0;  ///< measured bandwidth for this mix of reads and writes; NaN: unknown
  double busy_ratio =
      0;  ///< bytes / (peak * time), beyond the ops' memory the share of a step with something moving; NaN: unknown
  QString how;              ///< beyond: how it was measured
  double untied_bytes = 0;  ///< beyond: of copies of no known tensor; they are among those of the role workspace
  /// The same link of the run compared with; NaN: none, or not known in the same way.
  double other_read = std::numeric_limits<double>::quiet_NaN(),
         other_written = std::numeric_limits<double>::quiet_NaN();
  double other(FlowDirection d) const { return d == FlowDirection::read ? other_read : other_written; }
  /// Drawn bytes less the other run's.
  double difference() const;
  const profiler::RoleBytes& flow(FlowDirection d) const { return d == FlowDirection::read ? read : written; }
};

/// A row that nothing fills yet, and the collector that would.
struct CollectOffer {
  FigureRow row = FigureRow::simulated;
  QString collector, action;  ///< "simulate"; the button's text
  QString refusal;            ///< why it cannot be done here; empty: it can
};

/// One tensor's part of a link, known as what is drawn is.
struct TensorFlow {
  profiler::TensorId tensor = profiler::kNoTensor;
  double read = 0, written = 0;
  double reads = 0, writes = 0;  ///< times per step
};

struct TrafficFigure {
  profiler::Scope scope;
  QString title;       ///< "Whole step of ResNet-50", or the layer's or op's name
  double time_ns = 0;  ///< the median step, where that is the scope; else the sum of its ops' medians; NaN: not timed
  bool time_of_step = false;  ///< the former
  double flops = 0;
  double roof_ratio =
      0;  ///< time the arithmetic would take at the measured peak of each op's dtype / time; NaN: unknown
  double working_set_bytes = 0;
  bool model_known = false;
  bool foreign = false;  ///< of a trace of another tool
  bool gpu = false;      ///< its levels are those of a GPU
  /// Of a trace: why no byte of its ops is known, and what would fill the picture; empty: some are.
  QString no_bytes;
  profiler::Origin time_origin =
      profiler::Origin::measured;    ///< of times, and of what was counted beside them: emulated where the GPU was
  QString no_rates;                  ///< why amounts by time are unknown, as a sentence; empty: they are known
  QString model_unknown;             ///< why modelled bytes are unknown; empty: they are known
  bool forward_known = true;         ///< see phase_known()
  std::vector<TrafficLevel> levels;  ///< farthest first, core last: links.size() + 1
  std::vector<TrafficLinkFigure> links;
  double copied_within = 0;  ///< bytes per step from device memory to device memory, which cross no link that is drawn
  size_t beyond = 0;         ///< so many links, and levels, lie beyond the memory that the ops work in
  size_t ops_over = 0;       ///< the link whose bytes scrubber_ops() are drawn with
  std::vector<FigureRow> rows;       ///< in use, from the top
  std::vector<CollectOffer> offers;  ///< rows in use that have a button; the view fills them in
  QString other_title;               ///< of the run compared with; empty: none
  QString other_reason;              ///< why a difference is unknown
  profiler::Traffic traffic;
  std::vector<std::vector<TensorFlow>> tensors;  ///< by link
  QString simulated_method, simulated_reason;    ///< how it was simulated; why bytes are unknown
  QString apart;  ///< where modelled bytes are far from those drawn: how far, which count and why; empty: they agree
};

double total(const profiler::RoleBytes&);
/// The offer of a row; null: it has none.
const CollectOffer* offer_of(const TrafficFigure&, FigureRow);
/// Rows that no collector filled, and which one would: without refusals.
std::vector<CollectOffer> collect_offers(const TrafficFigure&, const profiler::Analyzed&);
/// The link next to the ops' memory: what ops move, first of all. `links` must not be empty.
inline const TrafficLinkFigure& ops_link(const TrafficFigure& figure) { return figure.links[figure.beyond]; }

/// The first link from the ops' memory inwards over which something is read, as it is there that a step held by its
/// caches moves bytes; the memory's own where nothing is known to be.
size_t first_busy_link(const TrafficFigure&);

/// role_title(); bytes that cross these links with copies of no known tensor are not workspace.
QString role_words(std::span<const TrafficLinkFigure>, engine::Role);

/// Computes all figures for one scope.
TrafficFigure make_traffic_figure(const profiler::Analyzed&, const profiler::Scope&);

/// The same op or layer of another run, by name; nothing: it has none of that name.
std::optional<profiler::Scope> same_scope(const profiler::Capture& from, const profiler::Scope&,
                                          const profiler::Capture& to);
/// Puts the bytes of another run beside those of each link, matched by the names of its levels.
void compare_with(TrafficFigure&, const profiler::Capture& capture, const profiler::Analyzed& other);

/// One op of the step as the scrubber shows it.
struct ScrubberOp {
  profiler::OpId op = profiler::kNoOp;
  double bytes = 0;                              ///< over one link of the step: modelled, else compulsory
  engine::Role role = engine::Role::activation;  ///< the role with most of them
  engine::Phase phase = engine::Phase::forward;
  double time_ns = 0;   ///< NaN: not timed
  bool marked = false;  ///< part of the layer or op looked at (never for the whole step)
};
/// The ops that run (views move nothing), in order, with their bytes over the outermost link over which the step moves
/// any: a step held by its caches moves none over the memory's own.
std::vector<ScrubberOp> scrubber_ops(const profiler::Analyzed&);
/// Sets `marked` for a scope.
void mark_scope(std::vector<ScrubberOp>&, const profiler::Capture&, const profiler::Scope&);

/// "32 KiB", "1.25 MiB": cache sizes, which come in powers of two. "–" for NaN or 0.
QString binary_bytes(double bytes);

}  // namespace views
