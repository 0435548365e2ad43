// SPDX-License-Identifier: GPL-3.0-or-later
// Network: what is open, selected and searched; the picture itself is NetworkArea's.
#include "views/network/network_view.h"

#include <QAction>
#include <QKeyEvent>
#include <algorithm>

#include "profiler/analysis/step_shares.h"
#include "profiler/capture/only_planned.h"
#include "views/base/paint.h"
#include "views/base/phase.h"
#include "views/base/plain_text.h"
#include "views/widgets/action_keys.h"
#include "views/widgets/flow_layout.h"

namespace views {
namespace {

using profiler::kNoNetworkLayer;
using profiler::kPasses;
using profiler::Quantity;

constexpr int kToolbarHeight = 40;
constexpr int kAllPasses = 3;  // of the switch, behind the passes themselves

QString ops_words(size_t count) { return count == 1 ? QObject::tr("1 op") : QObject::tr("%1 ops").arg(count); }

/// Whether a layer or op, by its own name or by its path, is what is searched.
bool matches(const QString& wanted, std::string_view name, std::string_view path) {
  const bool of_path = wanted.contains(QLatin1Char('.')) || wanted.contains(QLatin1Char('/'));
  return text(of_path ? path : name).contains(wanted, Qt::CaseInsensitive);
}

/// "Reads f32 8×3×32×32 (input)", one line per operand.
QStringList operand_lines(const profiler::Capture& capture, const profiler::OpRecord& op) {
  constexpr size_t kMost = 6;
  const auto operands = capture.operands(op);
  QStringList lines;
  for (const profiler::OperandRecord& operand : operands.first(std::min(operands.size(), kMost))) {
    const QString shape = shape_words(capture.tensors()[operand.tensor]);
    lines << (operand.output ? QObject::tr("Writes %1 (%2)") : QObject::tr("Reads %1 (%2)"))
                 .arg(shape, role_title(operand.role));
  }
  if (operands.size() > kMost) lines << QObject::tr("… and %1 more").arg(operands.size() - kMost);
  return lines;
}

}  // namespace

NetworkView::NetworkView(Document& document, QWidget* parent)
    : View(document, parent),
      toolbar_(new QWidget(this)),
      open_all_(new QPushButton(tr("Open all"), this)),
      close_all_(new QPushButton(tr("Close all"), this)),
      tape_button_(new QPushButton(tr("Tape"), this)),
      find_(new FindBox(this)),
      found_(new QLabel(this)),
      area_(new NetworkArea(this)),
      tape_(new TapePanel(document, this)) {
  setWindowTitle(tr("Network"));
  setAccessibleName(tr("Network: layers, ops and the tensors between them"));
  setFocusProxy(area_);
  area_->setAccessibleName(tr("Network picture"));
  area_->tip = [this](uint32_t box, uint32_t wire) { return tip_of(box, wire); };
  add_tools();
  add_actions();
  connect(area_, &NetworkArea::box_pressed, this, &NetworkView::on_box_pressed);
  connect(area_, &NetworkArea::box_toggled, this, &NetworkView::toggle);
  connect(area_, &NetworkArea::wire_pressed, this, &NetworkView::on_wire_pressed);
  connect(area_, &NetworkArea::ground_pressed, this, [this] {
    if (!this->document().selection().state().empty()) this->document().selection().clear();
  });
  connect(&worker_, &NetworkWorker::laid_out, this, &NetworkView::on_laid_out);
  connect(&document, &Document::replaced, this, &NetworkView::on_replaced);
  connect(&document.selection(), &Selection::changed, this, &NetworkView::follow_selection);
  set_theme(Theme::light());
  on_replaced();
}

void NetworkView::add_tools() {
  auto* row = new FlowLayout(toolbar_);
  watch_bar(toolbar_, kToolbarHeight, [this] { place_parts(); });
  row->setContentsMargins(2 * kGrid, 4, kGrid, 4);
  row->setSpacing(kGrid);
  passes_ = new Switch(tr("Passes"), {tr("Forward"), tr("Backward"), tr("Update"), tr("All")});
  passes_->set_current(kAllPasses);
  passes_->button(kAllPasses)->setToolTip(tr("The passes of a step beside one another, each layer in one row"));
  colors_ = new Switch(tr("Colour"), {tr("Time"), tr("Bytes"), tr("Limit"), tr("Precision"), tr("FLOPs")});
  colors_->button(0)->setToolTip(tr("Time of each box per step"));
  colors_->button(1)->setToolTip(tr("Bytes of each box to and from the outermost memory"));
  colors_->button(2)->setToolTip(tr("What limits most of the time of each box"));
  colors_->button(3)->setToolTip(tr("The data type that most operand bytes of each box have"));
  colors_->button(4)->setToolTip(tr("FLOPs of each box per step"));
  open_all_->setToolTip(tr("Open all layers"));
  close_all_->setToolTip(tr("Close all layers"));
  tape_button_->setCheckable(true);
  tape_button_->setToolTip(tr("Steps through the ops: what each stores and frees, and what the backward pass needs"));
  tape_->hide();
  connect(tape_button_, &QPushButton::toggled, this, [this](bool on) {
    tape_->setVisible(on);
    if (on) tape_->follow();
    place_parts();
  });
  find_->setPlaceholderText(tr("Find op or layer  ( / )"));
  find_->setAccessibleName(tr("Find an op or a layer"));
  find_->setToolTip(tr("Enter: next match, Shift+Enter: previous, Esc: back to the network"));
  found_->setAccessibleName(tr("Matches"));
  row->add(passes_);
  row->add(colors_);
  row->add(open_all_);
  row->add(close_all_);
  row->add(tape_button_);
  row->add(find_, 1);
  row->add(found_);
  connect(passes_, &Switch::chosen, this, [this](int) { lay_out({}); });
  connect(colors_, &Switch::chosen, this,
          [this](int choice) { area_->set_colors(static_cast<NetworkColors>(choice)); });
  connect(open_all_, &QPushButton::clicked, this, [this] { set_all_open(true); });
  connect(close_all_, &QPushButton::clicked, this, [this] { set_all_open(false); });
  connect(find_, &QLineEdit::textChanged, this, [this] { count_matches(); });
  connect(find_, &FindBox::stepped, this, &NetworkView::find);
  connect(find_, &FindBox::left, area_, qOverload<>(&QWidget::setFocus));
}

void NetworkView::add_actions() {
  const auto add = [this](const char* name, const QString& words, const QList<QKeySequence>& keys,
                          std::function<void()> run,
                          QWidget* owner) { add_command(*this, *owner, name, words, keys, std::move(run)); };
  add(
      "network.zoom_in", tr("Zoom in"), {Qt::Key_W, Qt::Key_Plus}, [this] { area_->zoom(1.25); }, area_);
  add(
      "network.zoom_out", tr("Zoom out"), {Qt::Key_S, Qt::Key_Minus}, [this] { area_->zoom(0.8); }, area_);
  add(
      "network.pan_left", tr("Pan left"), {Qt::Key_A}, [this] { area_->pan(-0.15, 0); }, area_);
  add(
      "network.pan_right", tr("Pan right"), {Qt::Key_D}, [this] { area_->pan(0.15, 0); }, area_);
  add(
      "network.page_up", tr("Page up"), {Qt::Key_PageUp}, [this] { area_->pan(0, -0.8); }, area_);
  add(
      "network.page_down", tr("Page down"), {Qt::Key_PageDown}, [this] { area_->pan(0, 0.8); }, area_);
  add(
      "network.left", tr("Box at the left"), {Qt::Key_Left}, [this] { go_beside(-1, 0); }, area_);
  add(
      "network.right", tr("Box at the right"), {Qt::Key_Right}, [this] { go_beside(1, 0); }, area_);
  add(
      "network.up", tr("Box above"), {Qt::Key_Up}, [this] { go_beside(0, -1); }, area_);
  add(
      "network.down", tr("Box below"), {Qt::Key_Down}, [this] { go_beside(0, 1); }, area_);
  add(
      "network.open", tr("Open or close the layer"), {Qt::Key_Return, Qt::Key_Enter, Qt::Key_Space},
      [this] {
        if (const auto boxes = selected_boxes(); !boxes.empty()) toggle(boxes.front());
      },
      area_);
  add(
      "network.fit_all", tr("Fit all"), {Qt::Key_Home}, [this] { area_->fit_all(); }, area_);
  add(
      "network.fit_selection", tr("Fit selection"), {Qt::Key_F}, [this] { area_->fit(selected_boxes()); }, area_);
  add(
      "network.find", tr("Find in the network"), {Qt::Key_Slash, QKeySequence::Find}, [this] { find_->open(); }, this);
  add(
      "network.find_next", tr("Next match"), {Qt::Key_F3}, [this] { find(1); }, this);
  add(
      "network.find_previous", tr("Previous match"), {QKeySequence(Qt::SHIFT | Qt::Key_F3)}, [this] { find(-1); },
      this);
}

void NetworkView::set_theme(const Theme& theme) {
  theme_ = &theme;
  area_->set_theme(theme);
  tape_->set_theme(theme);
}

QSize NetworkView::minimumSizeHint() const {
  const int line = QFontMetrics(data_font()).height();
  const int tape = tape_->isVisibleTo(this) ? tape_->minimumSizeHint().height() : 0;
  return document().loaded() ? QSize(24 * line, toolbar_->height() + 14 * line + tape) : QSize();
}

void NetworkView::resizeEvent(QResizeEvent* event) {
  View::resizeEvent(event);
  place_parts();
}

void NetworkView::place_parts() {
  const int bar = bar_height(*toolbar_, width(), kToolbarHeight);
  toolbar_->setGeometry(0, 0, width(), bar);
  const int room = std::max(0, height() - bar);
  const int tape = tape_->isVisibleTo(this) ? std::clamp(room * 2 / 5, tape_->minimumSizeHint().height(), 260) : 0;
  area_->setGeometry(0, bar, width(), std::max(0, room - tape));
  tape_->setGeometry(0, bar + room - tape, width(), tape);
  updateGeometry();
}

void NetworkView::on_replaced() {
  worker_.cancel();
  area_->set_scene(nullptr, nullptr, nullptr);
  picture_ = {};
  open_.clear(), layer_by_path_.clear(), hits_.clear();
  find_->clear();  // it was asked of another capture
  found_->clear();
  area_->setAccessibleDescription({});
  toolbar_->setEnabled(false);
  if (!document().loaded()) {
    area_->set_message(
        tr("No capture on the table"),
        tr("Run a workload or open a .tide file: then this shows its layers and the tensors between them."));
  } else if (const QString why = nothing(); !why.isEmpty()) {
    area_->set_message(tr("No network in this capture"), why);
  } else {
    const auto ops = document().capture().ops().size();
    area_->set_message(tr("Laying out %L1 ops…").arg(ops), {});
    passes_->set_current(kAllPasses);
    lay_out({});
  }
  updateGeometry();
}

QString NetworkView::nothing() const {
  return document().loaded() ? QString::fromStdString(profiler::no_network_words(document().capture())) : QString();
}

void NetworkView::lay_out(After after) {
  if (!document().loaded() || !nothing().isEmpty()) return;
  after_ = std::move(after);
  NetworkWish wish;
  wish.open = open_;
  const int chosen = passes_->current();
  for (size_t pass = 0; pass < kPasses; ++pass)
    wish.passes[pass] = chosen == kAllPasses || chosen == static_cast<int>(pass);
  wish.metrics = area_->scene().metrics;
  worker_.start(document().shared(), picture_.network, std::move(wish));
}

void NetworkView::on_laid_out(const NetworkPicture& picture) {
  if (picture.layout == nullptr) return;
  const bool fresh = picture_.network != picture.network;
  const NetworkPicture before = std::exchange(picture_, picture);  // the area draws it until it has the new one
  open_ = picture.open;
  const profiler::Network& net = *picture_.network;
  area_->set_scene(&document().capture(), &net, picture_.layout.get());
  if (fresh) {
    for (uint32_t l = 0; l < net.layers.size(); ++l) layer_by_path_.emplace(net.layers[l].path, l);
    const auto passes = std::ranges::count_if(net.ops_in, [](size_t ops) { return ops > 0; });
    for (size_t pass = 0; pass < kPasses; ++pass)
      passes_->button(static_cast<int>(pass))->setEnabled(net.ops_in[pass] > 0);
    passes_->setVisible(passes > 1);
    offer_colors();
    toolbar_->setEnabled(true);
    open_all_->setEnabled(!net.layers.empty());
    close_all_->setEnabled(!net.layers.empty());
  }
  mark_selection();
  count_matches();
  const After after = std::exchange(after_, {});
  if (after.then == After::Then::go) {
    area_->show_boxes(boxes_of(after.hit), true);
  } else if (after.then == After::Then::keep && after.layer < net.layers.size() &&
             picture_.layout->box_of_layer[after.pass][after.layer] != kNoBox) {
    NetworkWindow window = area_->scene().window;
    const uint32_t box = picture_.layout->box_of_layer[after.pass][after.layer];
    window.origin = picture_.layout->boxes[box].rect.topLeft() - after.screen / window.zoom;
    area_->set_window(window);
  } else {
    area_->fit_first();
  }
}

/// What was not run has neither times nor limits.
void NetworkView::offer_colors() {
  const bool planned = profiler::only_planned(document().capture());
  for (const NetworkColors of_run : {NetworkColors::time, NetworkColors::verdict})
    colors_->button(static_cast<int>(of_run))->setEnabled(!planned);
  if (planned == planned_) return;
  planned_ = planned;
  const NetworkColors first = planned ? NetworkColors::bytes : NetworkColors::time;
  colors_->set_current(static_cast<int>(first));
  area_->set_colors(first);
  colors_->button(1)->setToolTip(planned ? tr("Compulsory bytes of each box: every operand byte of every op once")
                                         : tr("Bytes of each box to and from the outermost memory"));
}

void NetworkView::toggle(uint32_t box) {
  if (picture_.layout == nullptr || box >= picture_.layout->boxes.size()) return;
  const NetworkBox& b = picture_.layout->boxes[box];
  if (!b.layer()) return;
  open_[b.id] = !open_[b.id];
  lay_out({.then = After::Then::keep,
           .layer = b.id,
           .pass = b.pass,
           .screen = area_->box_on_screen(box).topLeft(),
           .hit = {}});
}

void NetworkView::set_all_open(bool open) {
  if (picture_.network == nullptr) return;
  if (open) open_.assign(open_.size(), true);
  else open_ = first_open(*picture_.network);
  lay_out({});
}

std::optional<NetworkView::Hit> NetworkView::selected_hit() const {
  const SelectionState& state = document().selection().state();
  if (state.op) return Hit{false, *state.op};
  if (!state.layer) return {};
  const auto at = layer_by_path_.find(state.layer->toStdString());
  return at != layer_by_path_.end() ? std::optional(Hit{true, at->second}) : std::nullopt;
}

std::vector<uint32_t> NetworkView::boxes_of(const Hit& hit) const {
  if (picture_.layout == nullptr) return {};
  if (hit.layer) return shown_layer_boxes(*picture_.network, *picture_.layout, hit.id);
  const uint32_t box = shown_box(*picture_.network, document().capture(), *picture_.layout, hit.id);
  return box != kNoBox ? std::vector{box} : std::vector<uint32_t>();
}

std::vector<uint32_t> NetworkView::selected_boxes() const {
  const auto hit = selected_hit();
  return hit ? boxes_of(*hit) : std::vector<uint32_t>();
}

void NetworkView::mark_selection() {
  const std::vector<uint32_t> boxes = selected_boxes();
  const profiler::Network& net = *picture_.network;
  QString words = tr("%1 in %2, %3")
                      .arg(ops_words(net.ops.size()),
                           net.layers.size() == 1 ? tr("1 layer") : tr("%1 layers").arg(net.layers.size()),
                           net.edges.size() == 1 ? tr("1 edge") : tr("%1 edges").arg(net.edges.size()));
  if (!boxes.empty()) {
    const NetworkBox& box = picture_.layout->boxes[boxes.front()];
    words += tr("; selected: %1, %2").arg(box_name(area_->scene(), box), box_value(area_->scene(), box));
    if (box.layer()) words += box.kind == NetworkBox::Kind::open ? tr(", open") : tr(", closed");
  }
  area_->setAccessibleDescription(words);
  area_->set_selected(boxes, document().selection().state().tensor);
}

void NetworkView::follow_selection() {
  if (picture_.layout == nullptr) return;
  mark_selection();
  say_matches();
  if (!own_selection_) area_->show_boxes(selected_boxes(), false);
}

void NetworkView::on_box_pressed(uint32_t box) {
  const NetworkBox& b = picture_.layout->boxes[box];
  own_selection_ = true;
  if (b.layer()) document().selection().select_layer(QString::fromStdString(picture_.network->layers[b.id].path));
  else document().selection().select_op(b.id);
  own_selection_ = false;
}

void NetworkView::on_wire_pressed(uint32_t wire) {
  own_selection_ = true;
  document().selection().select_tensor(picture_.network->edges[picture_.layout->wires[wire].edge].tensor);
  own_selection_ = false;
}

void NetworkView::go_beside(int across, int down) {
  const auto boxes = selected_boxes();
  const uint32_t next = area_->beside(boxes.empty() ? kNoBox : boxes.front(), across, down);
  if (next == kNoBox) return;
  on_box_pressed(next);
  area_->show_boxes({next}, false);
}

void NetworkView::count_matches() {
  hits_.clear();
  std::vector<bool> found;
  const QString wanted = find_->text().trimmed();
  if (picture_.layout != nullptr && !wanted.isEmpty()) {
    const profiler::Capture& capture = document().capture();
    const profiler::Network& net = *picture_.network;
    uint32_t layer = 0;
    for (const profiler::OpRecord& op : capture.ops()) {  // in the order of the step, layers before their ops
      for (; layer < net.layers.size() && net.layers[layer].first_op <= op.id; ++layer)
        if (matches(wanted, net.layers[layer].name, net.layers[layer].path)) hits_.push_back({true, layer});
      if (matches(wanted, profiler::op_label(capture, op), capture.name(op.name))) hits_.push_back({false, op.id});
    }
    found.assign(picture_.layout->boxes.size(), false);
    for (const Hit& hit : hits_)
      for (const uint32_t box : boxes_of(hit)) found[box] = true;
  }
  area_->set_found(std::move(found));
  say_matches();
}

/// "3 of 83": which of the matches is selected.
void NetworkView::say_matches() {
  if (picture_.layout == nullptr || find_->text().trimmed().isEmpty()) return found_->clear();
  const auto selected = selected_hit();
  const auto at = selected ? std::ranges::find(hits_, *selected) : hits_.end();
  found_->setText(hits_.empty()       ? tr("no match")
                  : at == hits_.end() ? tr("%L1 found").arg(hits_.size())
                                      : tr("%L1 of %L2").arg(at - hits_.begin() + 1).arg(hits_.size()));
}

void NetworkView::find(int direction) {
  if (hits_.empty()) return;
  const auto selected = selected_hit();
  const auto at = selected ? std::ranges::find(hits_, *selected) : hits_.end();
  const auto count = static_cast<ptrdiff_t>(hits_.size());
  const ptrdiff_t now = at != hits_.end() ? at - hits_.begin() : direction > 0 ? -1 : 0;
  go_to(hits_[static_cast<size_t>((now + direction + count) % count)]);
}

/// Opens what is around it, shows its pass, selects it.
void NetworkView::go_to(const Hit& hit) {
  const profiler::Network& net = *picture_.network;
  const uint32_t inner = hit.layer ? net.layers[hit.id].parent : net.layer_of[hit.id];
  bool changed = false;
  for (uint32_t l = inner; l != kNoNetworkLayer; l = net.layers[l].parent) {
    changed = changed || !open_[l];
    open_[l] = true;
  }
  const int chosen = passes_->current();
  const bool hidden =
      chosen != kAllPasses && (hit.layer ? net.layers[hit.id].passes[static_cast<size_t>(chosen)].ops == 0
                                         : static_cast<int>(document().capture().ops()[hit.id].phase) != chosen);
  if (hidden) passes_->set_current(kAllPasses);
  own_selection_ = true;
  if (hit.layer) document().selection().select_layer(QString::fromStdString(net.layers[hit.id].path));
  else document().selection().select_op(hit.id);
  own_selection_ = false;
  if (changed || hidden)
    lay_out({.then = After::Then::go, .layer = kNoNetworkLayer, .pass = 0, .screen = {}, .hit = hit});
  else area_->show_boxes(boxes_of(hit), true);
}

QString NetworkView::tip_of(uint32_t box, uint32_t wire) const {
  if (picture_.layout == nullptr) return {};
  return wire != kNoBox ? wire_tip(picture_.layout->wires[wire]) : box_tip(picture_.layout->boxes[box]);
}

QString NetworkView::box_tip(const NetworkBox& box) const {
  const profiler::Network& net = *picture_.network;
  const profiler::Capture& capture = document().capture();
  const profiler::NetworkFigures& figures = figures_of(net, box);
  const auto phase = static_cast<engine::Phase>(box.pass);
  QStringList lines;
  lines << tr("%1, %2").arg(phase_words(capture, phase),
                            box.layer() ? ops_words(figures.ops) : text(capture.name(capture.ops()[box.id].type)));
  const bool planned = profiler::only_planned(capture);
  if (!planned)
    lines << tr("Time: %1, %2 of the step")
                 .arg(quantity(figures.time_ns, Quantity::duration_ns),
                      quantity(figures.time_ns * profiler::share_per_ns(document().analyzed()), Quantity::percent_of));
  if (planned) lines << tr("Compulsory bytes: %1").arg(quantity(figures.bytes, Quantity::bytes));
  else if (!net.link.empty())
    lines << tr("Bytes through %1: %2 (%3)")
                 .arg(text(net.link), quantity(figures.bytes, Quantity::bytes), origin_text(net.bytes_origin));
  lines << tr("FLOPs: %1").arg(quantity(figures.flops, Quantity::flops));
  if (!planned) lines << tr("Limit: %1").arg(bound_title(figures.bound));
  if (figures.dtype) lines << tr("Data type: %1").arg(text(engine::name(*figures.dtype)));
  if (box.layer() && net.layers[box.id].weight_bytes > 0)
    lines << tr("Weights: %1").arg(quantity(net.layers[box.id].weight_bytes, Quantity::bytes));
  if (!box.layer()) lines << operand_lines(capture, capture.ops()[box.id]);
  const QString title =
      box.layer() ? QString::fromStdString(net.layers[box.id].path) : text(capture.name(capture.ops()[box.id].name));
  return Tip{title,
             lines.join(QLatin1Char('\n')),
             box.layer() ? tr("A layer with all layers inside it. Double click opens or closes it.")
                         : tr("One op of the step."),
             {},
             planned ? profiler::Origin::exact : capture.time_origin(),
             {}}
      .html();
}

QString NetworkView::wire_tip(const NetworkWire& wire) const {
  const profiler::Network& net = *picture_.network;
  const profiler::Capture& capture = document().capture();
  const auto end = [&](uint32_t box) { return box_name(area_->scene(), picture_.layout->boxes[box]); };
  const profiler::NetworkEdge& largest = net.edges[wire.edge];
  const profiler::TensorRecord& tensor = capture.tensors()[largest.tensor];
  QStringList shape;
  for (const int64_t extent : tensor.shape) shape << QString::number(extent);
  QStringList lines{
      tr("%1 read").arg(quantity(wire.bytes, Quantity::bytes)),
      wire.edges == 1
          ? text(capture.name(tensor.name))
          : tr("%1 tensors; the largest is %2").arg(QString::number(wire.edges), text(capture.name(tensor.name))),
      tr("%1 %2, %3")
          .arg(text(engine::name(tensor.dtype)), shape.isEmpty() ? tr("scalar") : shape.join(QStringLiteral("×")),
               role_title(largest.role))};
  return Tip{tr("%1 → %2").arg(end(wire.from), end(wire.to)),
             lines.join(QLatin1Char('\n')),
             tr("Bytes that the second reads of what the first wrote, each operand once. Views move nothing: 0 B."),
             {},
             profiler::Origin::exact,
             {}}
      .html();
}

void NetworkView::render_picture(QPainter& p, const QRectF& rect, const Theme& theme) { area_->render(p, rect, theme); }

profiler::Table NetworkView::data() const {
  return document().loaded() ? profiler::network_table(document().analyzed()) : profiler::Table();
}

}  // namespace views
