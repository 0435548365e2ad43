// SPDX-License-Identifier: GPL-3.0-or-later
// Paints what is visible of a network: boxes, wires, column titles, legend, minimap.
#pragma once

#include <QPainter>
#include <QString>
#include <optional>
#include <vector>

#include "views/base/theme.h"
#include "views/network/network_layout.h"

namespace views {

enum class NetworkColors : uint8_t { time, bytes, verdict, precision, flops };

/// The part of the scene that is looked at: `origin` is at the top left of the picture.
struct NetworkWindow {
  QPointF origin;
  double zoom = 1;
  QPointF to_screen(QPointF p) const { return (p - origin) * zoom; }
  QPointF to_scene(QPointF p) const { return p / zoom + origin; }
  QRectF to_screen(const QRectF& r) const { return {to_screen(r.topLeft()), r.size() * zoom}; }
};

/// What is painted, and how.
struct NetworkScene {
  const profiler::Capture* capture = nullptr;
  const profiler::Network* network = nullptr;
  const NetworkLayout* layout = nullptr;
  NetworkMetrics metrics;
  NetworkColors colors = NetworkColors::time;
  NetworkWindow window;
  uint32_t hover = kNoBox;                   ///< box under the pointer
  std::vector<uint32_t> selected;            ///< boxes
  std::optional<profiler::TensorId> tensor;  ///< selected: its wires are marked
  std::vector<profiler::OpId> not_finite;    ///< ops that made the first NaN or infinity
  std::vector<bool> found;                   ///< by box: it is, or holds, what is searched; empty: nothing is searched
};

struct NetworkFrame {
  size_t boxes = 0, wires = 0;  ///< painted
};

/// Figures of a box: of the op, or of the layer's ops in the column.
const profiler::NetworkFigures& figures_of(const profiler::Network&, const NetworkBox&);
/// "12.3 ms", "memory", "bf16", "–".
QString box_value(const NetworkScene&, const NetworkBox&);
/// Name of a box without what is around it.
QString box_name(const NetworkScene&, const NetworkBox&);

/// "f32 16×64×56×56".
QString shape_words(const profiler::TensorRecord&);

/// Height of the strip below the picture, and where the minimap lies in a picture (empty: all is in sight).
double network_legend_height(const NetworkMetrics&);
QRectF network_minimap(const NetworkScene&, const QRectF& rect);

NetworkFrame paint_network(QPainter&, const QRectF& rect, const NetworkScene&, const Theme&);

}  // namespace views
