// SPDX-License-Identifier: GPL-3.0-or-later
// Prediction: what a learner said before the run, which views draw among what was measured.
#pragma once

#include <QObject>
#include <QPainter>
#include <QPointF>
#include <optional>
#include <vector>

#include "views/base/theme.h"

namespace views {

class Document;

class Prediction : public QObject {
  Q_OBJECT

 public:
  /// That of a document: made when somebody first asks for it, and gone with it.
  static Prediction& of(Document&);

  struct Said {
    std::optional<QPointF> point;  ///< on the roofline: FLOP per byte, GFLOP/s
    /// Of a sweep: places of its axis, and predicted / measured there.
    std::vector<QPointF> curve;
    std::optional<double> mark;  ///< of a sweep: where on its axis
    bool empty() const { return !point && curve.empty() && !mark; }
  };
  const Said& said() const { return said_; }
  void set(Said);

 signals:
  void changed();

 private:
  using QObject::QObject;
  Said said_;
};

/// Colour of all that is predicted: none that data have.
QColor prediction_colour(const Theme&);
/// A diamond with a name beside it, inside `rect`.
void draw_prediction_mark(QPainter&, QPointF centre, const QString& name, const QRectF& rect, const Theme&);

}  // namespace views
