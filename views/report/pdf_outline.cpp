// SPDX-License-Identifier: GPL-3.0-or-later
// An outline as an incremental update: the objects that are new or changed, a cross-reference section, a trailer.
#include "views/report/pdf_outline.h"

#include <QList>
#include <QRegularExpression>
#include <map>
#include <optional>

namespace views {

namespace {

/// What of a file is needed to add to it.
struct Parsed {
  qint64 xref = 0;  ///< offset of its cross-reference table
  int size = 0, root = 0, info = 0;
  QByteArray catalog;  ///< the dictionary, without the brackets around it
  QList<int> pages;    ///< objects
};

std::optional<int> number_after(const QByteArray& text, const QByteArray& key) {
  const qsizetype at = text.indexOf(key);
  if (at < 0) return std::nullopt;
  const QByteArray rest = text.mid(at + key.size(), 24).simplified();
  bool fine = false;
  const int value = rest.left(rest.indexOf(' ') < 0 ? rest.size() : rest.indexOf(' ')).toInt(&fine);
  return fine ? std::optional(value) : std::nullopt;
}

/// The text of an object, found by the table; empty: it is not there.
QByteArray object_of(const QByteArray& pdf, qint64 xref, int number) {
  constexpr int kEntry = 20;
  static constexpr char kFirstEntry[] = "0000000000 65535 f";  // of every table: object 0 is free
  const qsizetype head = pdf.indexOf(kFirstEntry, xref);
  if (head < 0) return {};
  bool fine = false;
  const qint64 at = pdf.mid(head + static_cast<qsizetype>(number) * kEntry, 10).toLongLong(&fine);
  const qsizetype end = fine ? pdf.indexOf("endobj", at) : -1;
  const QByteArray begin = QByteArray::number(number) + " 0 obj";
  return end > at && pdf.mid(at, begin.size()) == begin ? pdf.mid(at + begin.size(), end - at - begin.size())
                                                        : QByteArray();
}

std::optional<Parsed> parse(const QByteArray& pdf) {
  const qsizetype start = pdf.lastIndexOf("startxref"), trailer = pdf.lastIndexOf("trailer");
  if (start < 0 || trailer < 0) return std::nullopt;
  const QByteArray words = pdf.mid(trailer, start - trailer);
  const auto xref = number_after(pdf.mid(start), "startxref"), size = number_after(words, "/Size"),
             root = number_after(words, "/Root"), info = number_after(words, "/Info");
  if (!xref || !size || !root || !info) return std::nullopt;
  Parsed found{*xref, *size, *root, *info, {}, {}};
  const QByteArray catalog = object_of(pdf, found.xref, found.root);
  const qsizetype open = catalog.indexOf("<<"), close = catalog.lastIndexOf(">>");
  const auto pages = number_after(catalog, "/Pages");
  if (open < 0 || close < open || !pages || catalog.contains("/Outlines")) return std::nullopt;
  found.catalog = catalog.mid(open + 2, close - open - 2);
  const QByteArray tree = object_of(pdf, found.xref, *pages);
  const qsizetype kids = tree.indexOf("/Kids"), end = tree.indexOf(']', kids);
  if (kids < 0 || end < 0) return std::nullopt;
  static const QRegularExpression reference(QStringLiteral("(\\d+) 0 R"));
  auto matches = reference.globalMatch(QString::fromLatin1(tree.mid(kids, end - kids)));
  while (matches.hasNext()) found.pages << matches.next().captured(1).toInt();
  return found;
}

/// A text string in UTF-16 with a mark: any title.
QByteArray text_string(const QString& text) {
  QByteArray hex = "<FEFF";
  for (const QChar c : text) hex += QByteArray::number(c.unicode(), 16).rightJustified(4, '0').toUpper();
  return hex + '>';
}

/// Where an entry of the outline is in its tree, as indexes; -1: none.
struct Place {
  int parent = -1, before = -1, after = -1, first = -1, last = -1, children = 0;
};

std::vector<Place> places_of(const std::vector<Bookmark>& marks) {
  std::vector<Place> places(marks.size());
  int parent = -1;
  std::map<int, int> last;  // by parent
  for (int i = 0; i < static_cast<int>(marks.size()); ++i) {
    Place& own = places[static_cast<size_t>(i)];
    const bool child = marks[static_cast<size_t>(i)].child && parent >= 0;
    if (!child) parent = i;
    own.parent = child ? parent : -1;
    if (const auto before = last.find(own.parent); before != last.end()) {
      own.before = before->second;
      places[static_cast<size_t>(own.before)].after = i;
    }
    last[own.parent] = i;
    if (!child) continue;
    Place& above = places[static_cast<size_t>(parent)];
    if (above.first < 0) above.first = i;
    above.last = i;
    ++above.children;
  }
  return places;
}

}  // namespace

QByteArray with_outline(const QByteArray& pdf, const std::vector<Bookmark>& marks, double page_height_pt) {
  const std::optional<Parsed> found = parse(pdf);
  if (!found || marks.empty()) return pdf;
  const std::vector<Place> places = places_of(marks);
  const int outline = found->size;
  const auto reference = [&](int mark) { return QByteArray::number(outline + 1 + mark) + " 0 R"; };
  std::map<int, QByteArray> objects;
  int first = -1, last = -1, top = 0;
  for (int i = 0; i < static_cast<int>(marks.size()); ++i) {
    const Bookmark& mark = marks[static_cast<size_t>(i)];
    const Place& place = places[static_cast<size_t>(i)];
    if (mark.page < 1 || mark.page > found->pages.size()) return pdf;
    if (place.parent < 0) {
      first = first < 0 ? i : first;
      last = i;
      ++top;
    }
    QByteArray text = "<< /Title " + text_string(mark.title) + " /Parent " +
                      (place.parent < 0 ? QByteArray::number(outline) + " 0 R" : reference(place.parent)) + " /Dest [" +
                      QByteArray::number(found->pages[mark.page - 1]) + " 0 R /XYZ null " +
                      QByteArray::number(page_height_pt - mark.top_pt, 'f', 1) + " null]";
    if (place.before >= 0) text += " /Prev " + reference(place.before);
    if (place.after >= 0) text += " /Next " + reference(place.after);
    if (place.first >= 0) {
      text += " /First " + reference(place.first) + " /Last " + reference(place.last) + " /Count " +
              QByteArray::number(place.children);
    }
    objects[outline + 1 + i] = text + " >>";
  }
  objects[outline] = "<< /Type /Outlines /First " + reference(first) + " /Last " + reference(last) + " /Count " +
                     QByteArray::number(static_cast<qsizetype>(marks.size())) + " >>";
  objects[found->root] = "<<" + found->catalog + "/Outlines " + QByteArray::number(outline) +
                         " 0 R\n/PageMode /UseOutlines\n/Lang (en)\n/ViewerPreferences << /DisplayDocTitle true >>\n>>";
  QByteArray result = pdf, table = "xref\n";
  if (!result.endsWith('\n')) result += '\n';
  for (const auto& [number, text] : objects) {
    table +=
        QByteArray::number(number) + " 1\n" + QByteArray::number(result.size()).rightJustified(10, '0') + " 00000 n \n";
    result += QByteArray::number(number) + " 0 obj\n" + text + "\nendobj\n";
  }
  const qsizetype at = result.size();
  result += table + "trailer\n<<\n/Size " + QByteArray::number(outline + 1 + static_cast<qsizetype>(marks.size())) +
            "\n/Root " + QByteArray::number(found->root) + " 0 R\n/Info " + QByteArray::number(found->info) +
            " 0 R\n/Prev " + QByteArray::number(found->xref) + "\n>>\nstartxref\n" + QByteArray::number(at) +
            "\n%%EOF\n";
  return result;
}

}  // namespace views
