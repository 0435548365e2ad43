// SPDX-License-Identifier: GPL-3.0-or-later
// SidePanes: a picture and a list beside or below it, with a divider that the user drags; the settings keep where it
// stands.
#pragma once

#include <QLabel>
#include <QRectF>
#include <QSplitter>
#include <array>
#include <functional>
#include <initializer_list>

namespace views {

class SidePanes : public QSplitter {
  Q_OBJECT

 public:
  /// px that the list has of so much room, until the user drags the divider.
  using Usual = std::function<double(const QSizeF& room)>;

  /// `key` names the settings. The list stands under its heading, which is at least `heading_height` px high. No
  /// divider makes the picture smaller than its minimumSize().
  SidePanes(const QString& key, QWidget* picture, QLabel* heading, int heading_height, QWidget* list, Usual beside,
            QWidget* parent);
  /// With this the list stands below the picture in rooms narrower than `width` px.
  void stack_below(double width, Usual below);
  /// Hidden, the picture has all the room.
  void set_side_shown(bool);
  /// The divider's usual place, of which the contents decide, may have changed.
  void refresh() { place(); }

  /// The parts of a picture of this size, divided as on screen.
  struct Parts {
    QRectF picture, heading, list;
  };
  Parts split(const QRectF& room) const;

 protected:
  void resizeEvent(QResizeEvent*) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  bool stacked(const QSizeF& room) const { return below_ && room.width() < stack_width_; }
  QString key_of(bool stacked) const;
  double extent(const QSizeF& room) const;
  void place();
  void keep();

  QString key_;
  QWidget* side_;
  int heading_height_;
  Usual beside_, below_;
  double stack_width_ = 0;
  std::array<double, 2> shares_{};  // of the room for the list, beside and below; 0: the usual one
};

/// Puts rows of controls above what takes the rest of a view. A row is as high as its controls need at its width.
void stack_rows(QWidget* view, std::initializer_list<QWidget*> rows, QWidget* rest);

}  // namespace views
