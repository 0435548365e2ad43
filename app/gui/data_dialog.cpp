// SPDX-License-Identifier: GPL-3.0-or-later
// DataDialog.
#include "app/gui/data_dialog.h"

#include <QClipboard>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

#include "profiler/base/row_origin.h"
#include "views/base/plain_text.h"
#include "views/base/save_file.h"
#include "views/widgets/table_order.h"

namespace app::gui {

int TableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(table_.rows.size());
}
int TableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(table_.columns.size());
}

QVariant TableModel::data(const QModelIndex& index, int role) const {
  const auto& column = table_.columns[static_cast<size_t>(index.column())];
  if (role == Qt::DisplayRole)
    return QString::fromStdString(profiler::format_cell(
        table_.rows[static_cast<size_t>(index.row())][static_cast<size_t>(index.column())], column.quantity));
  if (role == Qt::TextAlignmentRole)
    return QVariant(column.quantity == profiler::Quantity::text ? Qt::AlignLeft | Qt::AlignVCenter
                                                                : Qt::AlignRight | Qt::AlignVCenter);
  return {};
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation == Qt::Vertical) return {};
  const auto& column = table_.columns[static_cast<size_t>(section)];
  if (role == Qt::DisplayRole) return views::displayed(views::translated(column.title));
  if (role == Qt::ToolTipRole)
    return views::plain_tip(QStringLiteral("%1 (%2)").arg(
        views::translated(column.help), QString::fromUtf8(profiler::origin_name(table_, column).data())));
  return {};
}

QString save_csv(const profiler::Table& table, const QString& file) {
  const QString why = views::save_file(file, QByteArray::fromStdString(profiler::to_csv(table)));
  return why.isEmpty() ? QObject::tr("Saved to %1").arg(file)
                       : QObject::tr("%1 could not be written: %2").arg(file, why);
}

void show_data(QWidget* window, const QString& title, profiler::Table table, const QString& folder) {
  auto* dialog = new QDialog(window);
  dialog->setObjectName(QStringLiteral("data"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(title);
  dialog->resize(960, 560);
  auto* model = new TableModel(std::move(table), dialog);
  auto* view = new QTableView(dialog);
  view->setModel(model);
  view->setAlternatingRowColors(true);
  view->setShowGrid(false);
  view->setSelectionBehavior(QAbstractItemView::SelectRows);
  view->verticalHeader()->hide();
  view->verticalHeader()->setDefaultSectionSize(view->fontMetrics().height() + 6);
  view->horizontalHeader()->setResizeContentsPrecision(50);
  view->resizeColumnsToContents();
  for (int c = 0; c < model->columnCount(); ++c) view->setColumnWidth(c, std::min(view->columnWidth(c), 260));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
  auto* copy = buttons->addButton(QObject::tr("Copy as CSV"), QDialogButtonBox::ActionRole);
  auto* save = buttons->addButton(QObject::tr("Save as CSV…"), QDialogButtonBox::ActionRole);
  auto* problem = new QLabel(dialog);
  problem->setWordWrap(true);
  problem->hide();
  QObject::connect(copy, &QPushButton::clicked, dialog, [model] {
    QGuiApplication::clipboard()->setText(QString::fromStdString(profiler::to_csv(model->table())));
  });
  QObject::connect(save, &QPushButton::clicked, dialog, [model, dialog, problem, folder] {
    const QString file = QFileDialog::getSaveFileName(
        dialog, QObject::tr("Save as CSV"),
        QDir(folder).filePath(QString::fromStdString(model->table().name) + QStringLiteral(".csv")),
        QObject::tr("CSV (*.csv)"));
    if (file.isEmpty()) return;
    problem->setText(views::displayed_text(save_csv(model->table(), file)));
    problem->show();
  });
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
  auto* column = new QVBoxLayout(dialog);
  column->addWidget(new QLabel(
      model->rowCount() == 1 ? QObject::tr("1 row") : QObject::tr("%1 rows").arg(model->rowCount()), dialog));
  column->addWidget(view);
  column->addWidget(problem);
  column->addWidget(buttons);
  dialog->show();
}

}  // namespace app::gui
