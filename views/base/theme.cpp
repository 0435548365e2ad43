// SPDX-License-Identifier: GPL-3.0-or-later
// The two themes: colours from the Okabe-Ito set, shifted until each keeps 3:1 contrast and stays apart for
// colour-blind eyes.
#include "views/base/theme.h"

#include <QApplication>
#include <QFontDatabase>
#include <QFontMetricsF>
#include <algorithm>
#include <array>

namespace views {
namespace {

QColor rgb(uint32_t value) { return QColor::fromRgb(value); }

// Okabe, Ito: "Color Universal Design", 2008: blue 0072B2, orange E69F00, bluish green 009E73, reddish purple CC79A7,
// sky blue 56B4E9, vermillion D55E00, yellow F0E442. Order of the rows: Role, Bound, Phase as the enumerations have it.
// tests/views/base/theme_test.cpp holds contrast (WCAG 2.1, 1.4.11) and distances under Machado's simulated
// deficiencies.
struct Ink {
  std::array<uint32_t, engine::kRoleCount> role;
  std::array<uint32_t, profiler::kBoundCount> bound;
  std::array<uint32_t, 3> phase;
  std::array<uint32_t, 4> level;
};

constexpr Ink kLightInk = {{0x2F93C8, 0x00568F, 0xC47A00, 0x008A63, 0xBE5A94, 0x454B54},
                           {0x808892, 0x9E1B32, 0x454B54, 0x9C8412, 0x00568F, 0xB34700, 0x008A63, 0xC2549A, 0x2F93C8,
                            0x00568F, 0x9C8412, 0x2F93C8, 0xC2549A, 0x6B4C9A},
                           {0x6C88A8, 0xA07F5A, 0x5F7F63},
                           {0x8B7CBF, 0x6A58A6, 0x4C3B8C, 0x2E1F66}};
constexpr Ink kDarkInk = {{0x7CCBF5, 0x3E8FD6, 0xF2A922, 0x1FB98B, 0xD277A9, 0xC9CED6},
                          {0x808892, 0xFF8FA3, 0xC9CED6, 0xE8D94A, 0x3E8FD6, 0xF0742E, 0x1FB98B, 0xCF6BA6, 0x7CCBF5,
                           0x3E8FD6, 0xE8D94A, 0x7CCBF5, 0xCF6BA6, 0xB9A3E3},
                          {0x7F9DBF, 0xB8956C, 0x7FA684},
                          {0x8576C4, 0xA092D6, 0xBDB2E6, 0xDCD6F5}};

const Ink& ink(ThemeKind kind) { return kind == ThemeKind::dark ? kDarkInk : kLightInk; }

Theme make_light() {
  Theme t;
  t.kind = ThemeKind::light;
  t.background = rgb(0xF6F7F9);
  t.surface = rgb(0xFFFFFF);
  t.surface_alternate = rgb(0xF0F2F5);
  t.border = rgb(0xC9CFD8);
  t.grid = rgb(0xE4E7EC);
  t.text = rgb(0x1F2328);
  t.text_secondary = rgb(0x57606A);
  t.accent = rgb(0x0B5CAD);
  t.accent_text = rgb(0xFFFFFF);
  t.selection = rgb(0xD6E6F7);
  t.warning = rgb(0x8A5C00);
  t.error = rgb(0xB42318);
  return t;
}

Theme make_dark() {
  Theme t;
  t.kind = ThemeKind::dark;
  t.background = rgb(0x16181C);
  t.surface = rgb(0x1D2025);
  t.surface_alternate = rgb(0x262A31);
  t.border = rgb(0x3F4651);
  t.grid = rgb(0x2C313A);
  t.text = rgb(0xE6E8EB);
  t.text_secondary = rgb(0xA3ABB6);
  t.accent = rgb(0x5AA9F0);
  t.accent_text = rgb(0x0E1116);
  t.selection = rgb(0x1F3B57);
  t.warning = rgb(0xE0A83A);
  t.error = rgb(0xFF7B72);
  return t;
}

bool has_tabular_digits(const QFont& font) {
  const QFontMetricsF metrics(font);
  const qreal zero = metrics.horizontalAdvance(QLatin1Char('0'));
  for (char digit = '1'; digit <= '9'; ++digit) {
    if (std::abs(metrics.horizontalAdvance(QLatin1Char(digit)) - zero) > 0.01) return false;
  }
  return true;
}

}  // namespace

const Theme& Theme::light() {
  static const Theme theme = make_light();
  return theme;
}

const Theme& Theme::dark() {
  static const Theme theme = make_dark();
  return theme;
}

QColor Theme::role(engine::Role r) const { return rgb(ink(kind).role[static_cast<size_t>(r)]); }
QColor Theme::bound(profiler::Bound b) const { return rgb(ink(kind).bound[static_cast<size_t>(b)]); }
QColor Theme::phase(engine::Phase p) const { return rgb(ink(kind).phase[static_cast<size_t>(p)]); }

QColor Theme::level(int index) const {
  const auto& levels = ink(kind).level;
  return rgb(levels[static_cast<size_t>(std::clamp(index, 0, static_cast<int>(levels.size()) - 1))]);
}

QPalette Theme::palette() const {
  QPalette p(background);
  p.setColor(QPalette::Window, background);
  p.setColor(QPalette::Base, surface);
  p.setColor(QPalette::AlternateBase, surface_alternate);
  p.setColor(QPalette::Button, surface_alternate);
  p.setColor(QPalette::ToolTipBase, surface);
  for (auto part : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::ToolTipText}) {
    p.setColor(part, text);
  }
  p.setColor(QPalette::BrightText, error);
  p.setColor(QPalette::PlaceholderText, text_secondary);
  p.setColor(QPalette::Highlight, accent);
  p.setColor(QPalette::HighlightedText, accent_text);
  p.setColor(QPalette::Link, accent);
  p.setColor(QPalette::LinkVisited, accent);
  p.setColor(QPalette::Light, surface);
  p.setColor(QPalette::Midlight, grid);
  p.setColor(QPalette::Mid, border);
  p.setColor(QPalette::Dark, border);
  const QColor faint = kind == ThemeKind::dark ? rgb(0x6F7782) : rgb(0x8A929C);
  for (auto part : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::PlaceholderText}) {
    p.setColor(QPalette::Disabled, part, faint);
  }
  p.setColor(QPalette::Disabled, QPalette::Highlight, border);
  return p;
}

QBrush origin_brush(profiler::Origin origin, const QColor& colour) {
  QColor faint = colour;
  switch (origin) {
    case profiler::Origin::exact:
    case profiler::Origin::measured: return QBrush(colour);
    case profiler::Origin::simulated: return QBrush(colour, Qt::BDiagPattern);
    case profiler::Origin::modelled: faint.setAlphaF(0.35f); return QBrush(faint);
    case profiler::Origin::specified:
    case profiler::Origin::emulated: break;
  }
  faint.setAlphaF(0.12f);
  return QBrush(faint);
}

QPen origin_pen(profiler::Origin origin, const QColor& colour, qreal width) {
  QPen pen(colour, width);
  pen.setJoinStyle(Qt::MiterJoin);
  if (origin == profiler::Origin::specified) pen.setStyle(Qt::DashLine);
  if (origin == profiler::Origin::emulated) pen.setStyle(Qt::DotLine);
  return pen;
}

QFont data_font() {
  QFont font = QApplication::font();
  if (has_tabular_digits(font)) return font;
  QFont fixed(QStringLiteral("DejaVu Sans"), font.pointSize());  // digits of one width
  return has_tabular_digits(fixed) ? fixed : QFontDatabase::systemFont(QFontDatabase::FixedFont);
}

QString role_title(engine::Role role) {
  switch (role) {
    case engine::Role::input: return QStringLiteral("inputs");
    case engine::Role::weight: return QStringLiteral("weights");
    case engine::Role::activation: return QStringLiteral("activations");
    case engine::Role::gradient: return QStringLiteral("gradients");
    case engine::Role::optimizer_state: return QStringLiteral("optimiser state");
    case engine::Role::workspace: return QStringLiteral("workspace");
  }
  return {};
}

QString bound_title(profiler::Bound bound) {
  switch (bound) {
    case profiler::Bound::unknown: return QStringLiteral("unknown");
    case profiler::Bound::inconsistent: return QStringLiteral("inconsistent");
    case profiler::Bound::too_short: return QStringLiteral("too short to say");
    case profiler::Bound::dispatch: return QStringLiteral("dispatch");
    case profiler::Bound::compute: return QStringLiteral("compute");
    case profiler::Bound::memory: return QStringLiteral("memory");
    case profiler::Bound::balanced: return QStringLiteral("balanced");
    case profiler::Bound::latency: return QStringLiteral("latency");
    case profiler::Bound::overhead: return QStringLiteral("overhead");
    case profiler::Bound::transfer: return QStringLiteral("transfer");
    case profiler::Bound::launch: return QStringLiteral("launch");
    case profiler::Bound::parallelism: return QStringLiteral("grid too small");
    case profiler::Bound::communication: return QStringLiteral("communication");
    case profiler::Bound::waiting: return QStringLiteral("waiting");
  }
  return {};
}

QString phase_title(engine::Phase phase) {
  switch (phase) {
    case engine::Phase::forward: return QStringLiteral("forward");
    case engine::Phase::backward: return QStringLiteral("backward");
    case engine::Phase::update: return QStringLiteral("update");
  }
  return {};
}

}  // namespace views
