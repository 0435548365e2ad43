// SPDX-License-Identifier: GPL-3.0-or-later
// A change of a run in words.
#include "views/base/change_words.h"

#include <QObject>

#include "views/base/plain_text.h"

namespace views {

QString change_words(const profiler::RunChange& change) {
  QString what = displayed(QString::fromStdString(change.option));
  if (change.option == "fuse") what = QObject::tr("fusion");
  if (change.option == "dtype") what = QObject::tr("data type");
  what.replace(QLatin1Char('_'), QLatin1Char(' ')).replace(QLatin1Char('-'), QLatin1Char(' '));
  return QObject::tr("%1 %2").arg(what, displayed(QString::fromStdString(change.value)));
}

}  // namespace views
