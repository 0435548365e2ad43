// SPDX-License-Identifier: GPL-3.0-or-later
// Turns InspectorContent into labels.
#include "views/inspector/inspector.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QScrollBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <vector>

#include "views/base/op_name.h"
#include "views/base/paint.h"
#include "views/base/plain_text.h"
#include "views/widgets/selectable_text.h"

namespace views {

namespace {

constexpr qsizetype kWrapFrom = 18;
constexpr QChar kBreakHere(0x200B);  // a space without width

/// Paths and keys of settings break behind dots, slashes and underscores. For labels that nobody can copy from.
QString breakable(QString text) {
  for (const char c : {'.', '/', '_'}) text.replace(QLatin1Char(c), QLatin1Char(c) + QString(kBreakHere));
  return text;
}

/// A small square with the look of an origin, left of a figure.
class OriginMark : public QWidget {
 public:
  OriginMark(profiler::Origin origin, const QColor& color, QWidget* parent)
      : QWidget(parent), origin_(origin), color_(color) {
    setFixedSize(8, 8);
    setToolTip(origin_text(origin));
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    draw_swatch(painter, QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), color_, origin_);
  }

 private:
  profiler::Origin origin_;
  QColor color_;
};

/// How much of something a figure is; a tick marks what it is held against.
class FigureBar : public QWidget {
 public:
  FigureBar(const InspectorBar& bar, const Theme& theme, QWidget* parent) : QWidget(parent), bar_(bar), theme_(theme) {
    setFixedHeight(kGrid);
    setAccessibleName(bar.words);
    setToolTip(plain_tip(bar.words));
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    const QRectF track = QRectF(rect()).adjusted(0, 1, 0, -1);
    draw_bar(painter, track, bar_.ratio, bar_.bound ? theme_.bound(*bar_.bound) : theme_.measure, theme_);
    if (!bar_.tick || std::isnan(*bar_.tick)) return;
    const double x = std::clamp(*bar_.tick, 0.0, 1.0) * (width() - 2);
    painter.fillRect(QRectF(x, 0, 2, height()), theme_.text);
  }

 private:
  InspectorBar bar_;
  const Theme& theme_;
};

/// What one cannot be sure of: a word in a frame.
QLabel* badge_label(const QString& text, const QString& tip, const Theme& theme, QWidget* parent) {
  auto* badge = new QLabel(parent);
  badge->setObjectName(QStringLiteral("inspector.badge"));
  badge->setTextFormat(Qt::PlainText);
  badge->setText(text);
  badge->setToolTip(plain_tip(tip));
  badge->setAccessibleName(text);
  badge->setAccessibleDescription(tip);
  badge->setMargin(2);
  badge->setFrameShape(QFrame::Box);
  QPalette p = badge->palette();
  p.setColor(QPalette::WindowText, theme.warning);
  badge->setPalette(p);
  return badge;
}

/// The op an event belongs to.
std::optional<profiler::OpId> op_of(const profiler::Capture& capture, uint32_t activity) {
  const profiler::OpId op = capture.activities().op[activity];
  return op < capture.ops().size() ? std::optional(op) : std::nullopt;
}

QLabel* plain_label(const QString& text, const QColor& color, QWidget* parent) {
  auto* label = new QLabel(parent);
  label->setTextFormat(Qt::PlainText);
  label->setText(text);
  QPalette p = label->palette();
  p.setColor(QPalette::WindowText, color);
  label->setPalette(p);
  return label;
}

/// A label that shortens its text in the middle to the room it has, with the whole text as tooltip.
class ElidedLink : public QPushButton {
 public:
  ElidedLink(const QString& text, const QColor& color, QWidget* parent)
      : QPushButton(parent), full_(text), color_(color) {
    setFlat(true);
    setCursor(Qt::PointingHandCursor);
    setAccessibleName(text);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  }
  QSize sizeHint() const override { return {fontMetrics().horizontalAdvance(full_), fontMetrics().height() + 4}; }
  QSize minimumSizeHint() const override { return {40, fontMetrics().height() + 4}; }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    QFont f = font();
    f.setUnderline(underMouse() || hasFocus());
    painter.setFont(f);
    draw_name(painter, rect(), full_, color_);
  }

 private:
  QString full_;
  QColor color_;
};

}  // namespace

Inspector::Inspector(Document& document, QWidget* parent)
    : QScrollArea(parent), document_(document), theme_(&Theme::light()) {
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setAccessibleName(tr("Inspector"));
  connect(&document, &Document::replaced, this, &Inspector::rebuild);
  connect(&document.selection(), &Selection::changed, this, &Inspector::rebuild);
  rebuild();
}

QSize Inspector::sizeHint() const { return {280, 400}; }

void Inspector::set_theme(const Theme& theme) {
  theme_ = &theme;
  rebuild();
}

QWidget* Inspector::row_label(const InspectorRow& row, QWidget* parent) {
  if (!row.op && !row.tensor && !row.activity) {
    auto* label = plain_label(breakable(row.label), theme_->text_secondary, parent);
    label->setToolTip(plain_tip(row.tip));
    label->setWordWrap(true);  // before the figure beside it is cut
    return label;
  }
  auto* link = new ElidedLink(row.label, theme_->accent, parent);
  link->setToolTip(plain_tip(row.tip.isEmpty() ? row.label : row.label + QLatin1Char('\n') + row.tip));
  connect(link, &QPushButton::clicked, this, [this, op = row.op, tensor = row.tensor, activity = row.activity] {
    // Queued: selecting rebuilds this very widget.
    QMetaObject::invokeMethod(
        this,
        [this, op, tensor, activity] {
          if (activity) return document_.selection().select_activity(*activity, op_of(document_.capture(), *activity));
          if (op) document_.selection().select_op(*op);
          if (tensor) document_.selection().select_tensor(*tensor);
        },
        Qt::QueuedConnection);
  });
  return link;
}

QWidget* Inspector::section_widget(const InspectorSection& section, QWidget* parent) {
  auto* box = new QWidget(parent);
  auto* grid = new QGridLayout(box);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setHorizontalSpacing(kGrid / 2);
  grid->setVerticalSpacing(2);
  grid->setColumnStretch(0, 1);
  int line = 0;
  const int width = 1 + 2 * static_cast<int>(std::max<qsizetype>(1, section.columns.size()));
  if (!section.title.isEmpty()) grid->addWidget(title_widget(section, box), line++, 0, 1, width);
  for (qsizetype c = 0; c < section.columns.size(); ++c) {
    auto* head = plain_label(section.columns[c], theme_->text_secondary, box);
    grid->addWidget(head, line, 2 + 2 * static_cast<int>(c), Qt::AlignRight);
  }
  if (!section.columns.isEmpty()) ++line;
  for (const auto& row : section.rows) {
    // long names to go to need the line for themselves
    if (row.activity || (row.op && row.label.size() > kWrapFrom && row.values.size() == 1))
      grid->addWidget(row_label(row, box), line++, 0, 1, width);
    else grid->addWidget(row_label(row, box), line, 0);
    for (size_t v = 0; v < row.values.size(); ++v) {
      const auto& value = row.values[v];
      const int column = 1 + 2 * static_cast<int>(v);
      if (value.origin)
        grid->addWidget(new OriginMark(*value.origin, theme_->text_secondary, box), line, column, Qt::AlignVCenter);
      QWidget* shown = nullptr;
      if (row.values.size() == 1 && value.text.size() > kWrapFrom) {
        shown = new SelectableText(value.text, data_font(), theme_->text, box);
      } else {
        auto* label = plain_label(value.text, theme_->text, box);
        label->setFont(data_font());
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        label->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        label->setWordWrap(row.values.size() == 1 && value.text.count(QLatin1Char(' ')) > 1);  // words, no figure
        shown = label;
      }
      shown->setToolTip(value.tip);  // rich text that Tip::html() has made safe
      grid->addWidget(shown, line, value.origin ? column + 1 : column, 1,
                      value.origin ? 1 : 2);  // without a mark there is its room
    }
    ++line;
    if (row.bar) grid->addWidget(new FigureBar(*row.bar, *theme_, box), line++, 0, 1, width);
  }
  for (const QString& sentence : section.sentences) grid->addWidget(sentence_label(sentence, box), line++, 0, 1, width);
  if (!section.picture.isNull()) {
    auto* picture = new QLabel(box);
    constexpr int kSide = 180;
    const bool small = section.picture.width() < kSide && section.picture.height() < kSide;
    picture->setPixmap(
        QPixmap::fromImage(section.picture)
            .scaled(kSide, kSide, Qt::KeepAspectRatio, small ? Qt::FastTransformation : Qt::SmoothTransformation));
    picture->setAccessibleName(section.picture_words);
    picture->setToolTip(plain_tip(section.picture_words));
    grid->addWidget(picture, line++, 0, 1, width, Qt::AlignLeft);
  }
  if (!section.why.isEmpty()) grid->addWidget(fold_widget(section, box), line++, 0, 1, width);
  return box;
}

QWidget* Inspector::title_widget(const InspectorSection& section, QWidget* parent) {
  auto* box = new QWidget(parent);
  auto* line = new QHBoxLayout(box);
  line->setContentsMargins(0, 0, 0, 0);
  line->setSpacing(kGrid / 2);
  auto* title = plain_label(section.title, theme_->text, box);
  title->setFont(scaled_font(data_font(), 1.0, true));
  title->setWordWrap(true);
  if (section.bound) {
    title->setTextFormat(Qt::RichText);
    title->setText(QStringLiteral("<span style='color:%1'>%2</span> %3")
                       .arg(theme_->bound(*section.bound).name(), mark_text(mark_of(*section.bound)),
                            section.title.toHtmlEscaped()));
  }
  line->addWidget(title, 1);
  if (!section.badge.isEmpty())
    line->addWidget(badge_label(section.badge, section.badge_tip, *theme_, box), 0, Qt::AlignTop);
  return box;
}

QLabel* Inspector::sentence_label(const QString& sentence, QWidget* parent) {
  auto* label = plain_label(quoted_commands(sentence), theme_->text, parent);
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return label;
}

/// Prose that is out of the way until it is asked for; what is open stays open from selection to selection.
QWidget* Inspector::fold_widget(const InspectorSection& section, QWidget* parent) {
  auto* box = new QWidget(parent);
  auto* column = new QVBoxLayout(box);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(kGrid / 2);
  auto* button = new QToolButton(box);
  button->setObjectName(QStringLiteral("inspector.why"));
  button->setText(section.why_title);
  button->setAccessibleName(section.title.isEmpty() ? section.why_title
                                                    : QStringLiteral("%1 %2").arg(section.why_title, section.title));
  button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  button->setAutoRaise(true);
  button->setCheckable(true);
  button->setFocusPolicy(Qt::StrongFocus);
  column->addWidget(button, 0, Qt::AlignLeft);
  auto* prose = new QWidget(box);
  auto* lines = new QVBoxLayout(prose);
  lines->setContentsMargins(kGrid, 0, 0, 0);
  lines->setSpacing(kGrid / 2);
  for (const QString& sentence : section.why) lines->addWidget(sentence_label(sentence, prose));
  column->addWidget(prose);
  const auto show = [button, prose](bool open) {
    button->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
    prose->setVisible(open);
  };
  connect(button, &QToolButton::toggled, this, [this, show, key = section.why_title](bool open) {
    if (open) open_.insert(key);
    else open_.erase(key);
    show(open);
  });
  button->setChecked(open_.contains(section.why_title));
  show(button->isChecked());
  return box;
}

/// What the marks beside the figures mean, of those that are there; null: none is.
QWidget* Inspector::legend_widget(QWidget* parent) {
  using profiler::Origin;
  struct Look {
    std::vector<Origin> of;
    QString words;
  };
  const Look looks[] = {{{Origin::exact, Origin::measured}, tr("exact or measured")},
                        {{Origin::simulated}, tr("simulated")},
                        {{Origin::modelled}, tr("modelled")},
                        {{Origin::specified}, tr("specified: claimed, not measured")},
                        {{Origin::emulated}, tr("emulated: of an emulation, not of a GPU")}};
  QWidget* box = nullptr;
  QVBoxLayout* lines = nullptr;
  for (const Look& look : looks) {
    const bool used = std::ranges::any_of(content_.sections, [&](const InspectorSection& section) {
      return std::ranges::any_of(section.rows, [&](const InspectorRow& row) {
        return std::ranges::any_of(row.values, [&](const auto& value) {
          return value.origin && std::ranges::find(look.of, *value.origin) != look.of.end();
        });
      });
    });
    if (!used) continue;
    if (box == nullptr) {
      box = new QWidget(parent);
      box->setObjectName(QStringLiteral("inspector.legend"));
      lines = new QVBoxLayout(box);
      lines->setContentsMargins(0, 0, 0, 0);
      lines->setSpacing(2);
    }
    auto* line = new QHBoxLayout;
    line->setSpacing(kGrid / 2);
    line->addWidget(new OriginMark(look.of.front(), theme_->text_secondary, box));
    auto* words = plain_label(look.words, theme_->text_secondary, box);
    words->setWordWrap(true);
    line->addWidget(words, 1);
    lines->addLayout(line);
  }
  const bool ticks = std::ranges::any_of(content_.sections, [](const InspectorSection& section) {
    return std::ranges::any_of(section.rows, [](const InspectorRow& row) { return row.bar && row.bar->tick; });
  });
  if (lines != nullptr && ticks)
    lines->addWidget(plain_label(tr("▏ in a bar: compulsory bytes"), theme_->text_secondary, box));
  return box;
}

void Inspector::rebuild() {
  const bool same_place = widget() != nullptr;
  const QString before = content_.title;
  content_ = document_.loaded() ? inspect(document_.analyzed(), document_.selection().state()) : InspectorContent{};
  const int scroll = same_place && before == content_.title ? verticalScrollBar()->value() : 0;
  auto* all = new QWidget;
  all->setMinimumWidth(1);  // as wide as the panel, never wider: labels wrap or shorten
  auto* column = new QVBoxLayout(all);
  column->setContentsMargins(kGrid + 4, kGrid, kGrid, kGrid);
  column->setSpacing(2 * kGrid);
  if (document_.loaded()) {
    auto* head = new QWidget(all);
    auto* lines = new QVBoxLayout(head);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setSpacing(0);
    auto* title = plain_label(breakable(content_.title), theme_->text, head);
    title->setWordWrap(true);
    title->setFont(scaled_font(data_font(), 1.15, true));
    lines->addWidget(title);
    auto* subtitle = plain_label(content_.subtitle, theme_->text_secondary, head);
    subtitle->setWordWrap(true);
    lines->addWidget(subtitle);
    column->addWidget(head);
    for (const auto& section : content_.sections) column->addWidget(section_widget(section, all));
    if (QWidget* legend = legend_widget(all)) column->addWidget(legend);
  } else {
    auto* hint = plain_label(tr("Open a capture or run a workload: what you select in a view is explained here."),
                             theme_->text_secondary, all);
    hint->setWordWrap(true);
    column->addWidget(hint);
  }
  column->addStretch(1);
  setWidget(all);
  verticalScrollBar()->setValue(scroll);
}

}  // namespace views
