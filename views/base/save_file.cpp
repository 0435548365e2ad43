// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a file whole or not at all.
#include "views/base/save_file.h"

#include <QFile>
#include <QSaveFile>

#include "profiler/model/whole_file.h"

namespace views {

QString save_file(const QString& path, const QByteArray& bytes) {
  if (const auto free = profiler::check_output(QFile::encodeName(path).toStdString(), {}); !free) {
    return QString::fromStdString(free.error().message).section(QStringLiteral(": "), 1);  // who calls names the file
  }
  QSaveFile file(path);
  // A disk that fills up takes a part first; only the write after it says why. A buffer, and commit(), would forget it ("Unknown error").
  if (!file.open(QIODevice::WriteOnly | QIODevice::Unbuffered)) return file.errorString();
  for (qsizetype done = 0; done < bytes.size();) {
    const qint64 taken = file.write(bytes.constData() + done, bytes.size() - done);
    if (taken <= 0) return file.errorString();
    done += taken;
  }
  return file.commit() ? QString() : file.errorString();
}

}  // namespace views
