// SPDX-License-Identifier: GPL-3.0-or-later
// Notes as JSON: read as if written by a stranger, replaced as a whole.
#include "views/timeline/timeline_notes.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <QStandardPaths>
#include <algorithm>

namespace views {

namespace {

constexpr qsizetype kMostEntries = 10000;
constexpr qint64 kMostBytes = 16 << 20;

QJsonArray to_array(const auto& texts) {
  QJsonArray array;
  for (const std::string& text : texts) array.append(QString::fromStdString(text));
  return array;
}

/// At most kMostEntries texts of an array; what is no text is left out.
std::vector<std::string> texts_of(const QJsonValue& value) {
  std::vector<std::string> texts;
  for (const QJsonValue& v : value.toArray()) {
    if (v.isString() && static_cast<qsizetype>(texts.size()) < kMostEntries)
      texts.push_back(v.toString().toStdString());
  }
  return texts;
}

/// Times go as text: a JSON number is a double and loses nanoseconds after 104 days.
int64_t time_of(const QJsonValue& value, bool& good) {
  bool number = false;
  const int64_t t = value.toString().toLongLong(&number);
  good = good && number && t >= 0;
  return t;
}

}  // namespace

bool TimelineArrangement::is_pinned(const std::string& key) const {
  return std::find(pinned.begin(), pinned.end(), key) != pinned.end();
}

QString capture_id(const profiler::Capture& capture) {
  QCryptographicHash hash(QCryptographicHash::Sha1);
  const auto add = [&hash](const std::string& text) {
    hash.addData(QByteArray::fromStdString(text));
    hash.addData(QByteArray(1, '\0'));
  };
  add(capture.run().created_at);
  add(capture.run().command);
  add(capture.run().workload);
  for (const int64_t figure :
       {capture.begin_ns(), capture.end_ns(), static_cast<int64_t>(capture.activities().size()),
        static_cast<int64_t>(capture.names().size())})
    add(std::to_string(figure));
  return QString::fromLatin1(hash.result().toHex());
}

QString notes_file(const profiler::Capture& capture) {
  return QStandardPaths::writableLocation(QStandardPaths::AppConfigLocation) +
         QStringLiteral("/timeline/") + capture_id(capture) + QStringLiteral(".json");
}

TimelineNotes load_notes(const QString& path) {
  TimelineNotes notes;
  QFile file(path);
  if (file.size() > kMostBytes || !file.open(QIODevice::ReadOnly)) return notes;
  const QJsonObject root = QJsonDocument::fromJson(file.readAll()).object();
  notes.rows.pinned = texts_of(root[QStringLiteral("pinned_rows")]);
  notes.rows.order = texts_of(root[QStringLiteral("row_order")]);
  for (auto& key : texts_of(root[QStringLiteral("hidden_rows")])) notes.rows.hidden.insert(key);
  for (auto& key : texts_of(root[QStringLiteral("folded_groups")])) notes.rows.folded.insert(key);
  for (const QJsonValue& v : root[QStringLiteral("marks")].toArray()) {
    bool good = static_cast<qsizetype>(notes.marks.size()) < kMostEntries;
    const QJsonObject o = v.toObject();
    const TimelineMark mark{time_of(o[QStringLiteral("begin_ns")], good),
                            time_of(o[QStringLiteral("end_ns")], good),
                            o[QStringLiteral("text")].toString().toStdString()};
    if (good && mark.end_ns >= mark.begin_ns) notes.marks.push_back(mark);
  }
  std::stable_sort(notes.marks.begin(), notes.marks.end(),
                   [](const auto& a, const auto& b) { return a.begin_ns < b.begin_ns; });
  const QJsonObject saved = root[QStringLiteral("views")].toObject();
  for (size_t i = 0; i < notes.views.size(); ++i) {
    const QJsonObject o = saved[QString::number(i)].toObject();
    bool good = !o.isEmpty();
    const SavedWindow w{time_of(o[QStringLiteral("begin_ns")], good),
                        time_of(o[QStringLiteral("end_ns")], good)};
    if (good && w.end_ns > w.begin_ns) notes.views[i] = w;
  }
  return notes;
}

engine::Result<void> save_notes(const TimelineNotes& notes, const QString& path) {
  QJsonObject root;
  root[QStringLiteral("pinned_rows")] = to_array(notes.rows.pinned);
  root[QStringLiteral("row_order")] = to_array(notes.rows.order);
  root[QStringLiteral("hidden_rows")] = to_array(notes.rows.hidden);
  root[QStringLiteral("folded_groups")] = to_array(notes.rows.folded);
  const auto span = [](int64_t begin, int64_t end) {
    return QJsonObject{{QStringLiteral("begin_ns"), QString::number(begin)},
                       {QStringLiteral("end_ns"), QString::number(end)}};
  };
  QJsonArray marks;
  for (const TimelineMark& m : notes.marks) {
    QJsonObject o = span(m.begin_ns, m.end_ns);
    o[QStringLiteral("text")] = QString::fromStdString(m.text);
    marks.append(o);
  }
  root[QStringLiteral("marks")] = marks;
  QJsonObject saved;
  for (size_t i = 0; i < notes.views.size(); ++i)
    if (notes.views[i]) saved[QString::number(i)] = span(notes.views[i]->begin_ns, notes.views[i]->end_ns);
  root[QStringLiteral("views")] = saved;
  QDir().mkpath(QFileInfo(path).path());
  QSaveFile file(path);
  const QByteArray text = QJsonDocument(root).toJson();
  if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size() || !file.commit()) {
    return engine::refused_error(
        QObject::tr("%1: marks and rows cannot be saved: %2").arg(path, file.errorString()).toStdString());
  }
  return {};
}

}  // namespace views
