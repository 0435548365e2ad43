// SPDX-License-Identifier: GPL-3.0-or-later
// The two themes. Colours of data started from the Okabe-Ito set and were moved until each keeps 3:1 contrast to every
// background and stays apart from its family for colour-blind eyes.
#include "views/base/theme.h"

#include <QApplication>
#include <QFontDatabase>
#include <QFontMetricsF>
#include <algorithm>
#include <array>
#include <cmath>

namespace views {
namespace {

QColor rgb(uint32_t value) { return QColor::fromRgb(value); }

// Okabe, Ito: "Color Universal Design", 2008. Order of the rows: Role, Bound, Phase as the enumerations have it.
// tests/views/base/theme_test.cpp holds contrast (WCAG 2.1, 1.4.11) and distances under Machado's simulated
// deficiencies: the least distance of two in CIELAB is 20 for roles, 25 for phases and 11 for the 14 verdicts.
struct Ink {
  std::array<uint32_t, engine::kRoleCount> role;
  std::array<uint32_t, profiler::kBoundCount> bound;
  std::array<uint32_t, 3> phase;
  std::array<uint32_t, 4> level;
};

constexpr Ink kLightInk = {{0x2F95BA, 0x0956C4, 0xCD6922, 0x093F0E, 0x6A224D, 0x948882},
                           {0x988380, 0xAA2257, 0x2D392D, 0x896E43, 0x00648F, 0xB46F16, 0x074410, 0xB367C5, 0x2E989F,
                            0x7F4FBE, 0x8F580B, 0x377CE4, 0xE3406F, 0x720508},
                           {0x4A8DDB, 0xAC8135, 0x0D582D},
                           {0x7A8794, 0x5D6975, 0x414B55, 0x242B32}};
constexpr Ink kDarkInk = {{0x0D7CAA, 0x01AAFF, 0xD4B52E, 0x20FBA8, 0xD4486E, 0x8BA2AA},
                          {0x6E8177, 0xD92D67, 0xB39C9D, 0xFFE156, 0x747FD9, 0xD79225, 0x96E0A7, 0xC04797, 0x61F4E2,
                           0x3288FE, 0xC4EF83, 0x6DC2CD, 0xE493FF, 0xE07A52},
                          {0x4173C3, 0xBD7B3E, 0x76F0BF},
                          {0x6C7884, 0x88939E, 0xA4AEB8, 0xE9EEF3}};

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
  t.accent = rgb(0x4B2E83);
  t.accent_text = rgb(0xFFFFFF);
  t.selection = rgb(0xE6DFF5);
  t.input_border = rgb(0x7B8490);
  t.measure = rgb(0x4F7382);
  t.slower = rgb(0xC2410C);
  t.faster = rgb(0x00786E);
  t.unknown_phase = rgb(0x888988);
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
  t.accent = rgb(0xD3C2FF);
  t.accent_text = rgb(0x0E1116);
  t.selection = rgb(0x382F56);
  t.input_border = rgb(0x7F8896);
  t.measure = rgb(0x86AAB9);
  t.slower = rgb(0xF0863C);
  t.faster = rgb(0x2CC9B4);
  t.unknown_phase = rgb(0x7B7174);
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
  p.setColor(QPalette::Dark, input_border);  // what WindowStyle draws around inputs
  const QColor faint = kind == ThemeKind::dark ? rgb(0x6F7782) : rgb(0x8A929C);
  for (auto part : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::PlaceholderText}) {
    p.setColor(QPalette::Disabled, part, faint);
  }
  p.setColor(QPalette::Disabled, QPalette::Highlight, border);
  return p;
}

Mark mark_of(profiler::Bound bound) {
  constexpr std::array<Mark, profiler::kBoundCount> kMarks = {
      Mark::dash,   Mark::cross,   Mark::ring,          Mark::triangle_right, Mark::circle,
      Mark::square, Mark::diamond, Mark::triangle,      Mark::corner,         Mark::plus,
      Mark::star,   Mark::frame,   Mark::triangle_down, Mark::hourglass};
  return kMarks[static_cast<size_t>(bound)];
}

Mark mark_of(engine::Role role) {
  constexpr std::array<Mark, engine::kRoleCount> kMarks = {Mark::triangle_right, Mark::square,  Mark::circle,
                                                           Mark::triangle_down,  Mark::diamond, Mark::frame};
  return kMarks[static_cast<size_t>(role)];
}

Mark mark_of(engine::Phase phase) {
  constexpr std::array<Mark, 3> kMarks = {Mark::triangle_right, Mark::triangle_left, Mark::diamond};
  return kMarks[static_cast<size_t>(phase)];
}

QColor label_on(const QColor& fill) {
  const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
  const double luminance =
      0.2126 * linear(fill.redF()) + 0.7152 * linear(fill.greenF()) + 0.0722 * linear(fill.blueF());
  // where both have the same contrast, it is sqrt(21) = 4.58
  return (luminance + 0.05) * (luminance + 0.05) > 1.05 * 0.05 ? QColor(Qt::black) : QColor(Qt::white);
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
    case engine::Role::input: return QObject::tr("inputs");
    case engine::Role::weight: return QObject::tr("weights");
    case engine::Role::activation: return QObject::tr("activations");
    case engine::Role::gradient: return QObject::tr("gradients");
    case engine::Role::optimizer_state: return QObject::tr("optimiser state");
    case engine::Role::workspace: return QObject::tr("workspace");
  }
  return {};
}

QString bound_title(profiler::Bound bound) {
  switch (bound) {
    case profiler::Bound::unknown: return QObject::tr("unknown");
    case profiler::Bound::inconsistent: return QObject::tr("inconsistent");
    case profiler::Bound::too_short: return QObject::tr("too short to say");
    case profiler::Bound::dispatch: return QObject::tr("dispatch");
    case profiler::Bound::compute: return QObject::tr("compute");
    case profiler::Bound::memory: return QObject::tr("memory");
    case profiler::Bound::balanced: return QObject::tr("balanced");
    case profiler::Bound::latency: return QObject::tr("latency");
    case profiler::Bound::overhead: return QObject::tr("kernel inefficiency");
    case profiler::Bound::transfer: return QObject::tr("transfer");
    case profiler::Bound::launch: return QObject::tr("launch");
    case profiler::Bound::parallelism: return QObject::tr("grid too small");
    case profiler::Bound::communication: return QObject::tr("communication");
    case profiler::Bound::waiting: return QObject::tr("waiting");
  }
  return {};
}

QString phase_title(engine::Phase phase) {
  switch (phase) {
    case engine::Phase::forward: return QObject::tr("forward");
    case engine::Phase::backward: return QObject::tr("backward");
    case engine::Phase::update: return QObject::tr("update");
  }
  return {};
}

}  // namespace views
