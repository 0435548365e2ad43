// SPDX-License-Identifier: GPL-3.0-or-later
// Virtual children of the timeline: one per shown row.
#include "views/timeline/timeline_accessible.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QPointer>
#include <map>

#include "views/timeline/timeline_area.h"

namespace views {

namespace {

class RowAccessible : public QAccessibleInterface {
 public:
  RowAccessible(TimelineArea* area, int index) : area_(area), index_(index) {}
  bool isValid() const override { return row() != nullptr; }
  QObject* object() const override { return nullptr; }
  QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(area_); }
  QAccessibleInterface* child(int) const override { return nullptr; }
  QAccessibleInterface* childAt(int, int) const override { return nullptr; }
  int childCount() const override { return 0; }
  int indexOfChild(const QAccessibleInterface*) const override { return -1; }
  void setText(QAccessible::Text, const QString&) override {}
  QAccessible::Role role() const override { return QAccessible::ListItem; }
  QRect rect() const override {
    const TimelineRow* r = row();
    if (r == nullptr) return {};
    const auto& scene = area_->scene();
    const QPoint corner(0, scene.geometry.row_y(*r, scene.scroll_y));
    return {area_->viewport()->mapToGlobal(corner), QSize(scene.geometry.width, r->height)};
  }
  QAccessible::State state() const override {
    QAccessible::State state;
    state.selectable = state.focusable = true;
    state.selected = holds_current();
    state.focused = row() != nullptr && row_key(*area_->scene().model, *row()) == area_->scene().row_cursor;
    return state;
  }
  QString text(QAccessible::Text what) const override {
    const TimelineRow* r = row();
    if (r == nullptr) return {};
    const TimelineModel& model = *area_->scene().model;
    const auto i = static_cast<size_t>(r->index);
    if (r->kind == TimelineRow::Kind::group) {
      return what == QAccessible::Name ? QString::fromStdString(row_key(model, *r)) : QString();
    }
    const bool chart = r->kind == TimelineRow::Kind::counter;
    switch (what) {
      case QAccessible::Name: return QString::fromStdString(chart ? model.counters[i].title : model.lanes[i].title);
      case QAccessible::Description:
        return chart ? QString::fromStdString(model.counters[i].help + (model.counters[i].roof_help.empty()
                                                                            ? ""
                                                                            : " " + model.counters[i].roof_help))
                     : QObject::tr("%1. %2").arg(model.lanes[i].lane.size() == 1
                                                     ? QObject::tr("1 bar")
                                                     : QObject::tr("%L1 bars").arg(model.lanes[i].lane.size()),
                                                 QString::fromStdString(model.lanes[i].help));
      case QAccessible::Value: return holds_current() ? area_->current_text() : QString();
      default: return {};
    }
  }

 private:
  const TimelineRow* row() const {
    if (area_ == nullptr || area_->scene().model == nullptr) return nullptr;
    const auto& rows = area_->scene().geometry.rows;
    return index_ < static_cast<int>(rows.size()) ? &rows[static_cast<size_t>(index_)] : nullptr;
  }
  bool holds_current() const {
    const TimelineRow* r = row();
    return r != nullptr && r->kind == TimelineRow::Kind::lane && area_->current() && area_->current()->lane == r->index;
  }
  QPointer<TimelineArea> area_;
  int index_;
};

class AreaAccessible : public QAccessibleWidget {
 public:
  explicit AreaAccessible(TimelineArea* area)
      : QAccessibleWidget(area, QAccessible::List, area->accessibleName()), area_(area) {}
  ~AreaAccessible() override {
    for (const auto& [index, id] : ids_) QAccessible::deleteAccessibleInterface(id);
  }
  int childCount() const override {
    return area_->scene().model == nullptr ? 0 : static_cast<int>(area_->scene().geometry.rows.size());
  }
  QAccessibleInterface* child(int index) const override {
    if (index < 0 || index >= childCount()) return nullptr;
    auto at = ids_.find(index);
    if (at == ids_.end()) {
      at = ids_.emplace(index, QAccessible::registerAccessibleInterface(new RowAccessible(area_, index))).first;
    }
    return QAccessible::accessibleInterface(at->second);
  }
  int indexOfChild(const QAccessibleInterface* child) const override {
    for (const auto& [index, id] : ids_)
      if (QAccessible::accessibleInterface(id) == child) return index;
    return -1;
  }
  QAccessibleInterface* childAt(int x, int y) const override {
    for (int i = 0; i < childCount(); ++i)
      if (QAccessibleInterface* c = child(i); c->rect().contains(x, y)) return c;
    return nullptr;
  }
  QString text(QAccessible::Text what) const override {
    return what == QAccessible::Value ? area_->current_text() : QAccessibleWidget::text(what);
  }

 private:
  TimelineArea* area_;
  mutable std::map<int, QAccessible::Id> ids_;
};

QAccessibleInterface* make_interface(const QString&, QObject* object) {
  auto* area = qobject_cast<TimelineArea*>(object);
  return area != nullptr ? new AreaAccessible(area) : nullptr;
}

}  // namespace

void install_timeline_accessibility() { QAccessible::installFactory(make_interface); }

}  // namespace views
