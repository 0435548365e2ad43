// SPDX-License-Identifier: GPL-3.0-or-later
// PublishedView: controls above, the picture, and what is known of the cell that is selected below.
#include "views/sweep/published_view.h"

#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "views/base/paint.h"
#include "views/base/plain_text.h"
#include "views/sweep/published_paint.h"
#include "views/widgets/flow_layout.h"

namespace views {
namespace {

using profiler::Quantity;
using profiler::ReferenceCell;

constexpr int kDetailLines = 4;

/// "FCN-S, Caffe, i7-3820, 1 thread: 1.32 s. ..."
QString words_of(const ReferenceCell& cell) {
  const auto tr = [](const char* words) { return PublishedView::tr(words); };
  QString line =
      QStringLiteral("%1, %2, %3: ").arg(text(cell.network), text(cell.tool), text(profiler::column_of(cell).title()));
  line += cell.has_time() ? tr("%1 s, %2.").arg(cell.seconds, 0, 'f', 3).arg(text(name(cell.quality)))
                          : text(name(cell.quality)) + QLatin1Char('.');
  if (!cell.raw.empty()) line += tr(" Read as “%1”.").arg(displayed(text(cell.raw)));
  if (cell.repaired) line += tr(" A point or a digit was put back.");
  if (cell.has_time() && !std::isnan(cell.peak_ratio()))
    line += tr(" It implies %1, %2 of the peak of %3.")
                .arg(quantity(cell.flop_per_s, Quantity::flop_per_s), quantity(cell.peak_ratio(), Quantity::percent_of),
                     quantity(cell.peak_flop_per_s, Quantity::flop_per_s));
  if (!cell.why.empty()) line += QLatin1Char(' ') + displayed(text(cell.why));
  return line;
}

}  // namespace

PublishedView::PublishedView(Document& document, QWidget* parent)
    : View(document, parent),
      networks_(new QComboBox(this)),
      platforms_(new QComboBox(this)),
      shape_(new Switch(tr("Picture"), {tr("Cells"), tr("Threads"), tr("Ranking")}, this)),
      paper_(new QLabel(this)),
      details_(new QLabel(this)),
      canvas_(new Canvas(this)) {
  setWindowTitle(tr("A published table"));
  setAccessibleName(tr("Table 7 of Shi et al. 2016"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(kGrid, kGrid, kGrid, kGrid);
  column->setSpacing(kGrid);
  auto* bar = new QWidget(this);
  auto* row = new FlowLayout(bar);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(kGrid);
  networks_->setAccessibleName(tr("Network"));
  networks_->setToolTip(tr("All networks, or one of them"));
  networks_->addItem(tr("All networks"));
  for (const profiler::PublishedNetwork& n : profiler::shi2016_facts().networks) networks_->addItem(text(n.name));
  platforms_->setAccessibleName(tr("Platform"));
  platforms_->setToolTip(tr("Processor or GPU whose tools are ranked"));
  for (const profiler::PublishedColumn& c : profiler::published_columns()) platforms_->addItem(text(c.title()));
  platforms_->setCurrentIndex(platforms_->count() - 2);
  row->add(networks_);
  row->add(shape_);
  row->add(platforms_);
  column->addWidget(bar);
  const profiler::PublishedFacts& facts = profiler::shi2016_facts();
  paper_->setText(tr("Table 7 of %1. Seconds of one training step (specified), read from %2.")
                      .arg(text(facts.paper), text(facts.read_from)));
  for (QLabel* label : {paper_, details_}) {
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    column->addWidget(label);
  }
  details_->setObjectName(QStringLiteral("published.details"));
  details_->setAccessibleName(tr("The selected cell"));
  details_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  details_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  details_->setMinimumHeight(kDetailLines * details_->fontMetrics().lineSpacing());
  canvas_->setAccessibleName(tr("Cells of the table; arrow keys choose one"));
  canvas_->setMinimumHeight(140);
  canvas_->paint = [this](QPainter& p, const QRectF& r) {
    p.setFont(data_font());
    paint(p, r, *theme_);
  };
  canvas_->tip = [this](QPointF at) { return tip_at(at); };
  canvas_->key = [this](int pressed) { return key(pressed); };
  connect(canvas_, &Canvas::pressed, this, &PublishedView::press);
  column->insertWidget(2, canvas_, 1);
  setFocusProxy(canvas_);
  connect(networks_, &QComboBox::currentIndexChanged, this, &PublishedView::change);
  connect(platforms_, &QComboBox::currentIndexChanged, this, &PublishedView::change);
  connect(shape_, &Switch::chosen, this, &PublishedView::change);
  connect(&this->document(), &Document::sweep_changed, this, &PublishedView::read_document);
  connect(&this->document(), &Document::replaced, this, &PublishedView::read_document);
  read_document();
}

void PublishedView::read_document() {
  own_.clear();
  if (document().sweep() != nullptr) own_ = profiler::own_times(*document().sweep());
  if (own_.empty() && document().loaded()) own_ = profiler::own_times(document().analyzed());
  change();
}

void PublishedView::change() {
  // Curves and rankings are of one network.
  if (shape() != Shape::cells && networks_->currentIndex() == 0) {
    const QSignalBlocker silent(networks_);
    networks_->setCurrentIndex(own_.empty() ? 1 : std::max(1, networks_->findText(text(own_.front().network))));
  }
  platforms_->setVisible(shape() == Shape::ranking);
  select(-1);
}

std::string PublishedView::network() const {
  return networks_->currentIndex() == 0 ? std::string() : networks_->currentText().toStdString();
}

QRectF PublishedView::picture(const QRectF& rect) const {
  const double line = QFontMetricsF(data_font()).height() + 4;
  return rect.adjusted(kGrid, line + 2, -kGrid, -2);
}

PublishedGrid PublishedView::grid_on_screen() const {
  return layout_published_grid(network(), picture(canvas_->rect()), data_font());
}

PublishedThreads PublishedView::threads_on_screen() const {
  return layout_published_threads(network(), own_, picture(canvas_->rect()), data_font());
}

std::vector<RankedBar> PublishedView::ranking_on_screen() const {
  const auto column = profiler::published_columns()[static_cast<size_t>(platforms_->currentIndex())];
  return layout_published_ranking(network(), column, picture(canvas_->rect()), data_font());
}

const ReferenceCell* PublishedView::selected_cell() const {
  if (selected_ < 0) return nullptr;
  const auto index = static_cast<size_t>(selected_);
  if (shape() == Shape::ranking) {
    const std::vector<RankedBar> bars = ranking_on_screen();
    return index < bars.size() ? bars[index].ranked.cell : nullptr;
  }
  const std::vector<const ReferenceCell*> cells = profiler::published_cells(network());
  return shape() == Shape::cells && index < cells.size() ? cells[index] : nullptr;
}

void PublishedView::select(int index) {
  selected_ = index;
  if (const ReferenceCell* cell = selected_cell()) {
    details_->setText(words_of(*cell));
  } else {
    QStringList lines;
    for (const profiler::OwnTime& t : own_)
      if (network().empty() || t.network == network()) lines << displayed(text(profiler::own_sentence(t)));
    if (network().empty()) {
      lines << tr("Choose a cell to see how it was read, what it implies, and why it stays out of rankings.");
    } else {
      for (const std::string& sentence : profiler::published_sentences(network())) lines << text(sentence);
    }
    details_->setText(lines.join(QLatin1Char(' ')));
  }
  canvas_->update();
}

void PublishedView::press(QPointF at) {
  if (shape() == Shape::cells) return select(grid_on_screen().box_at(at));
  if (shape() == Shape::threads) {
    const PublishedThreads threads = threads_on_screen();
    const ThreadDot* dot = threads.dot_at(at);
    if (dot != nullptr && dot->cell != nullptr) details_->setText(words_of(*dot->cell));
    return;
  }
  const std::vector<RankedBar> bars = ranking_on_screen();
  const auto found = std::ranges::find_if(bars, [&](const RankedBar& b) { return b.lane.contains(at); });
  select(found == bars.end() ? -1 : static_cast<int>(found - bars.begin()));
}

bool PublishedView::key(int pressed) {
  if (pressed == Qt::Key_Escape && selected_ >= 0) {
    select(-1);
    return true;
  }
  const bool cells = shape() == Shape::cells;
  if (shape() == Shape::threads) return false;
  const int columns = cells ? static_cast<int>(profiler::published_columns().size()) : 1;
  const int count = cells ? static_cast<int>(profiler::published_cells(network()).size())
                          : static_cast<int>(ranking_on_screen().size());
  int step = 0;
  if (pressed == Qt::Key_Down) step = columns;
  if (pressed == Qt::Key_Up) step = -columns;
  if (cells && pressed == Qt::Key_Right) step = 1;
  if (cells && pressed == Qt::Key_Left) step = -1;
  if (step == 0) return false;
  const int next = selected_ < 0 ? 0 : selected_ + step;
  if (next >= 0 && next < count) select(next);
  return true;
}

QString PublishedView::tip_at(QPointF at) const {
  const ReferenceCell* cell = nullptr;
  if (shape() == Shape::cells) {
    const PublishedGrid grid = grid_on_screen();
    if (const int box = grid.box_at(at); box >= 0) cell = grid.boxes[static_cast<size_t>(box)].cell;
  } else if (shape() == Shape::threads) {
    const PublishedThreads threads = threads_on_screen();
    const ThreadDot* dot = threads.dot_at(at);
    if (dot == nullptr) return {};
    if (dot->cell == nullptr)
      return Tip{tr("Measured here"),
                 quantity(dot->speed_up, Quantity::ratio),
                 tr("Time with one thread / time"),
                 {},
                 profiler::Origin::measured,
                 {}}
          .html();
    cell = dot->cell;
  } else {
    for (const RankedBar& b : ranking_on_screen())
      if (b.lane.contains(at)) cell = b.ranked.cell;
  }
  return cell == nullptr ? QString() : plain_tip(words_of(*cell));
}

void PublishedView::paint(QPainter& p, const QRectF& rect, const Theme& theme) const {
  p.fillRect(rect, theme.surface);
  const QRectF area = picture(rect);
  const QFont font = p.font();
  p.setFont(scaled_font(font, 0.92));
  const QRectF legend(area.left(), rect.top() + 2, area.width(), area.top() - rect.top() - 4);
  if (shape() == Shape::threads) {
    draw_text(
        p, legend, Qt::AlignLeft | Qt::AlignVCenter,
        tr("Speed-up over one thread. Dashed, ×: not like for like. Dotted: ideal. At the foot: – gaps, × doubtful."),
        theme.text_secondary);
  } else {
    paint_quality_legend(p, legend, theme);
  }
  p.setFont(font);
  switch (shape()) {
    case Shape::cells: return paint_published_grid(p, layout_published_grid(network(), area, font), selected_, theme);
    case Shape::threads:
      return paint_published_threads(p, layout_published_threads(network(), own_, area, font), theme);
    case Shape::ranking: {
      const auto column = profiler::published_columns()[static_cast<size_t>(platforms_->currentIndex())];
      return paint_published_ranking(p, layout_published_ranking(network(), column, area, font), selected_, theme);
    }
  }
}

void PublishedView::render_picture(QPainter& p, const QRectF& rect, const Theme& theme) {
  p.setFont(data_font());
  const double line = QFontMetricsF(data_font()).height();
  const QRectF head(rect.left() + kGrid, rect.top() + 4, rect.width() - 2 * kGrid, 3 * line);
  p.fillRect(rect, theme.surface);
  p.setPen(theme.text);
  p.drawText(head, Qt::TextWordWrap, paper_->text());
  paint(p, rect.adjusted(0, 3 * line + 4, 0, 0), theme);
}

profiler::Table PublishedView::data() const {
  switch (shape()) {
    case Shape::cells: return profiler::published_grid_table(network(), own_);
    case Shape::threads: return profiler::published_threads_table(network(), own_);
    case Shape::ranking: return profiler::published_ranking_table(network(), own_);
  }
  return {};
}

void PublishedView::set_theme(const Theme& theme) {
  theme_ = &theme;
  canvas_->update();
}

}  // namespace views
