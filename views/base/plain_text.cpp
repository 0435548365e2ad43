// SPDX-License-Identifier: GPL-3.0-or-later
// Escapes for widgets, and a filter that sets the format of labels when they are first shown.
#include "views/base/plain_text.h"

#include <QApplication>
#include <QEvent>
#include <QLabel>
#include <QRegularExpression>
#include <QTextDocument>

#include "engine/base/display_text.h"
#include "profiler/base/say.h"

namespace views {

QString origin_text(profiler::Origin origin) { return text(profiler::say_marked(profiler::name(origin))); }
namespace {

class PlainLabels : public QObject {
 public:
  using QObject::QObject;
  bool eventFilter(QObject* object, QEvent* event) override {
    if (event->type() == QEvent::Polish) {
      auto* label = qobject_cast<QLabel*>(object);
      if (label != nullptr && label->textFormat() == Qt::AutoText && !label->inherits("QTipLabel"))
        label->setTextFormat(Qt::PlainText);
    }
    return QObject::eventFilter(object, event);
  }
};

}  // namespace

QString displayed(const QString& text) { return QString::fromStdString(engine::display_line(text.toStdString())); }

QString displayed_text(const QString& text) { return QString::fromStdString(engine::display_text(text.toStdString())); }

QString plain_tip(const QString& text) {
  const QString shown = displayed_text(text);
  return Qt::mightBeRichText(shown)
             ? QStringLiteral("<p style='white-space:pre-wrap'>%1</p>").arg(shown.toHtmlEscaped())
             : shown;
}

QString quoted_commands(QString sentence) {
  struct Place {
    const char* command;
    QString menu;
  };
  const Place places[] = {{"tensortide probe --again", QObject::tr("Tools > Measure the roofs")},
                          {"tensortide probe", QObject::tr("Tools > Measure the roofs")},
                          {"tensortide doctor", QObject::tr("Tools > What works on this machine")}};
  for (const Place& place : places) {
    const QString command = QStringLiteral("`%1`").arg(QLatin1String(place.command));
    const QString menu = QStringLiteral("“%1”").arg(place.menu);
    sentence.replace(QStringLiteral("Run ") + command, QObject::tr("Choose %1").arg(menu));
    sentence.replace(QStringLiteral("run ") + command, QObject::tr("choose %1").arg(menu));
    sentence.replace(command, menu);
  }
  return sentence.replace(QRegularExpression(QStringLiteral("`([^`]*)`")), QStringLiteral("“\\1”"));
}

void keep_labels_plain(QApplication& application) { application.installEventFilter(new PlainLabels(&application)); }

}  // namespace views
