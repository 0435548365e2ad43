// SPDX-License-Identifier: GPL-3.0-or-later
// Reads Qt's groups of one shape each, drops defaults and empty groups, joins neighbours that look alike.
#include "views/report/compact_svg.h"

#include <QXmlStreamReader>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace views {

namespace {

using Attribute = std::pair<QLatin1String, QLatin1String>;
/// What an SVG means without being told, or what every text says for itself.
constexpr std::array<Attribute, 8> kNeedless{{{QLatin1String("fill-opacity"), QLatin1String("1")},
                                              {QLatin1String("stroke-opacity"), QLatin1String("1")},
                                              {QLatin1String("stroke-width"), QLatin1String("1")},
                                              {QLatin1String("font-weight"), QLatin1String("400")},
                                              {QLatin1String("font-style"), QLatin1String("normal")},
                                              {QLatin1String("vector-effect"), QLatin1String("none")},
                                              {QLatin1String("fill-rule"), QLatin1String("evenodd")},
                                              {QLatin1String("transform"), QLatin1String("matrix(1,0,0,1,0,0)")}}};

bool needless(const QXmlStreamAttribute& a) {
  for (const auto& [name, value] : kNeedless) {
    if (a.qualifiedName() == name && a.value() == value) return true;
  }
  return false;
}

/// Numbers of coordinates with two decimals: a hundredth of a pixel.
QString rounded(QStringView text) {
  QString out;
  const std::string all = text.toString().toStdString();
  for (size_t i = 0; i < all.size();) {
    const char c = all[i];
    char* end = nullptr;
    const bool starts = (c >= '0' && c <= '9') || c == '-' || c == '.';
    const double value = starts ? std::strtod(all.c_str() + i, &end) : 0;
    if (!starts || end == all.c_str() + i) {
      out += QLatin1Char(c);
      ++i;
      continue;
    }
    out += QString::number(std::round(value * 100) / 100, 'g', 10);
    i = static_cast<size_t>(end - all.c_str());
  }
  return out;
}

bool is_coordinate(QStringView name) {
  static const QStringList names{QStringLiteral("x"),      QStringLiteral("y"),      QStringLiteral("width"),
                                 QStringLiteral("height"), QStringLiteral("cx"),     QStringLiteral("cy"),
                                 QStringLiteral("r"),      QStringLiteral("rx"),     QStringLiteral("ry"),
                                 QStringLiteral("d"),      QStringLiteral("points"), QStringLiteral("font-size")};
  return names.contains(name.toString());
}

class Compactor {
 public:
  Compactor(const QByteArray& document, const QString& name) : reader_(document), name_(name) {}
  std::string run();

 private:
  void start();
  void start_group();
  void end_group();
  void start_shape();
  QString attributes(bool group) const;
  void flush_group();

  QXmlStreamReader reader_;
  const QString name_;
  QString out_, open_style_, group_style_, shapes_;
  int depth_ = 0;          // of groups
  bool scaled_ = false;    // coordinates of this group are not pixels
  bool faint_ = false;     // this group has an opacity that its shapes must not inherit
  bool open_ = false;      // a group has been written and not closed
  bool text_ = false;      // within <text>
  int ignored_ = 0;        // within <title>, <desc>
  bool defining_ = false;  // within <defs>: copied
};

QString Compactor::attributes(bool group) const {
  QString text;
  bool no_stroke = false;
  for (const QXmlStreamAttribute& a : reader_.attributes())
    no_stroke = no_stroke || (a.qualifiedName() == QLatin1String("stroke") && a.value() == QLatin1String("none"));
  for (const QXmlStreamAttribute& a : reader_.attributes()) {
    const QStringView name = a.qualifiedName();
    const bool opacity = name.endsWith(QLatin1String("-opacity"));
    if (needless(a) && (group || !faint_ || !opacity)) continue;
    if (group && name.startsWith(QLatin1String("font-"))) continue;  // texts have their own
    if (name.startsWith(QLatin1String("font-family"))) continue;     // the page's style names it
    if (no_stroke && name.startsWith(QLatin1String("stroke-"))) continue;
    QString value = !scaled_ && is_coordinate(name) ? rounded(a.value()) : a.value().toString();
    if (name == QLatin1String("id")) value.prepend(name_ + QLatin1Char('-'));
    value.replace(QLatin1String("url(#"), QStringLiteral("url(#%1-").arg(name_));
    text += QLatin1Char(' ') + name.toString() + QStringLiteral("=\"") + value.toHtmlEscaped() + QLatin1Char('"');
  }
  return text;
}

void Compactor::flush_group() {
  if (std::exchange(open_, false)) out_ += QStringLiteral("</g>\n");
}

void Compactor::start_group() {
  ++depth_;
  if (depth_ == 1) {
    // Qt's root group; fill-rule is inherited from here
    out_ += QStringLiteral(
        "<g fill=\"none\" stroke=\"black\" fill-rule=\"evenodd\" stroke-linecap=\"square\" "
        "stroke-linejoin=\"bevel\">\n");
    return;
  }
  const QStringView transform = reader_.attributes().value(QLatin1String("transform"));
  scaled_ = !transform.isEmpty() && !transform.startsWith(QLatin1String("matrix(1,0,0,1,"));
  group_style_ = attributes(true);
  faint_ = group_style_.contains(QLatin1String("-opacity="));
  shapes_.clear();
}

void Compactor::end_group() {
  --depth_;
  scaled_ = false;
  if (depth_ == 0) {
    flush_group();
    out_ += QStringLiteral("</g>\n");
    return;
  }
  if (shapes_.isEmpty()) return;
  if (!open_ || open_style_ != group_style_) {
    flush_group();
    out_ += QStringLiteral("<g%1>\n").arg(group_style_);
    open_ = true;
    open_style_ = group_style_;
  }
  out_ += shapes_;
}

void Compactor::start_shape() {
  text_ = reader_.name() == QLatin1String("text");
  shapes_ += QLatin1Char('<') + reader_.name().toString() + attributes(false) + QLatin1String(text_ ? ">" : "/>\n");
}

void Compactor::start() {
  const QStringView name = reader_.name();
  if (ignored_ > 0 || name == QLatin1String("title") || name == QLatin1String("desc")) {
    ++ignored_;
  } else if (defining_ || name == QLatin1String("defs")) {
    defining_ = true;
    out_ += QLatin1Char('<') + name.toString() + attributes(false) + QLatin1Char('>');
  } else if (name == QLatin1String("svg")) {
    const QString box = reader_.attributes().value(QLatin1String("viewBox")).toString();
    out_ +=
        QStringLiteral(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" viewBox=\"%1\">\n")
            .arg(box.toHtmlEscaped());
  } else if (name == QLatin1String("g")) {
    start_group();
  } else {
    start_shape();
  }
}

std::string Compactor::run() {
  while (!reader_.atEnd()) {
    switch (reader_.readNext()) {
      case QXmlStreamReader::StartElement: start(); break;
      case QXmlStreamReader::Characters:
        if (text_) shapes_ += reader_.text().toString().toHtmlEscaped();
        break;
      case QXmlStreamReader::EndElement:
        if (ignored_ > 0) {
          --ignored_;
        } else if (defining_) {
          defining_ = reader_.name() != QLatin1String("defs");
          out_ += QStringLiteral("</%1>").arg(reader_.name());
        } else if (reader_.name() == QLatin1String("g")) {
          end_group();
        } else if (reader_.name() == QLatin1String("svg")) {
          out_ += QStringLiteral("</svg>");
        } else if (std::exchange(text_, false)) {
          shapes_ += QStringLiteral("</text>\n");
        }
        break;
      default: break;
    }
  }
  return reader_.hasError() ? std::string() : out_.toStdString();
}

}  // namespace

std::string compact_svg(const QByteArray& document, const QString& name) { return Compactor(document, name).run(); }

}  // namespace views
