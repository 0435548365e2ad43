// SPDX-License-Identifier: GPL-3.0-or-later
// Where the boxes and wires of a network lie: layers in rows from the first op to the last, passes in columns beside
// one another. No Qt beyond plain rectangles.
#pragma once

#include <QPointF>
#include <QRectF>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "profiler/analysis/network.h"

namespace views {

inline constexpr uint32_t kNoBox = std::numeric_limits<uint32_t>::max();

/// Sizes in units of the scene: pixels at zoom 1.
struct NetworkMetrics {
  double line = 16;      ///< height of a line of text
  double character = 8;  ///< usual width of a character
  friend bool operator==(const NetworkMetrics&, const NetworkMetrics&) = default;
};

/// What is to be laid out.
struct NetworkWish {
  std::vector<bool> open;                                        ///< by layer
  std::array<bool, profiler::kPasses> passes{true, true, true};  ///< columns
  NetworkMetrics metrics;
};

/// A closed layer, an open layer around its boxes, or an op; in the column of one pass.
struct NetworkBox {
  enum class Kind : uint8_t { op, closed, open } kind = Kind::op;
  uint32_t id = 0;     ///< OpId, or index of the layer
  uint8_t pass = 0;    ///< column
  uint16_t depth = 0;  ///< open layers around it
  uint32_t parent = kNoBox;
  uint32_t end = 0;  ///< boxes in front of this one and behind its own lie inside: children follow their parent
  QRectF rect;
  bool layer() const { return kind != Kind::op; }
};

/// The edges between two boxes that are visible.
struct NetworkWire {
  uint32_t from = kNoBox, to = kNoBox;
  uint32_t edges = 0;  ///< how many it stands for
  uint32_t edge = 0;   ///< the one with most bytes: into Network::edges
  double bytes = 0;    ///< sum
  uint32_t first_point = 0, points = 0;
  QRectF bounds;
  bool across = false;  ///< from one column to another: a curve of four points
};

struct NetworkColumn {
  uint8_t pass = 0;
  QRectF rect;
};

struct NetworkLayout {
  std::vector<NetworkBox> boxes;
  std::vector<NetworkWire> wires;
  std::vector<QPointF> points;
  std::vector<NetworkColumn> columns;
  QRectF bounds;
  /// [pass] by layer and by op: their boxes; kNoBox: inside a closed layer, or not in this picture.
  std::array<std::vector<uint32_t>, profiler::kPasses> box_of_layer;
  std::vector<uint32_t> box_of_op;

  /// The innermost box at a point; kNoBox: none.
  uint32_t box_at(QPointF) const;
  /// The wire nearest to a point, at most so far away; kNoBox: none.
  uint32_t wire_at(QPointF, double distance) const;
};

/// Lays out what is visible alone. Within a layer: rank by the longest path (backward edges count in reverse, so that a
/// layer has the same row in all columns), order by barycentres, places by the least squared distance to neighbours.
/// Ranks and order in a layer do not depend on which layers in it are open. nullptr: stopped.
std::shared_ptr<const NetworkLayout> layout_network(const profiler::Network&, const profiler::Capture&,
                                                    const NetworkWish&, const std::atomic<bool>* stop = nullptr);

/// Layers that are open at first: all are closed, but where a layer holds all others it is open.
std::vector<bool> first_open(const profiler::Network&);

/// The box that shows an op, or a layer: its own or that of the closed layer around it; kNoBox: its pass is not shown.
uint32_t shown_box(const profiler::Network&, const profiler::Capture&, const NetworkLayout&, profiler::OpId);
std::vector<uint32_t> shown_layer_boxes(const profiler::Network&, const NetworkLayout&, uint32_t layer);

}  // namespace views
