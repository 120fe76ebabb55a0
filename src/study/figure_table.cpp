#include "study/figure_table.hpp"

#include <fmt/format.h>

#include "core/escape.hpp"
#include "study/figure_rows.hpp"
#include "study/study_outcome.hpp"
#include "study/study_text.hpp"

namespace handspan {
namespace {

struct TableConfig : FigureConfig {
  std::vector<std::string> of;
  std::vector<StatisticKind> statistics = {StatisticKind::kMean, StatisticKind::kDeviation};
};

class TableFigure : public StudyFigure {
 public:
  explicit TableFigure(const TableConfig& config) : config_(config) {}

  const FigureConfig& config() const override { return config_; }
  std::vector<FigureName> names() const override { return column_names_of("of", config_.of); }

  Drawing draw(const FigureContext& context) const override {
    Drawing drawing;
    drawing.html = "<div class=wide><table><tr><th class=text>";
    drawing.csv = "cell";
    std::vector<FigureRows> rows;
    for (const std::string& column : config_.of) {
      rows.push_back(rows_of(context, {column}, config_.cells));
      for (const StatisticKind kind : config_.statistics) {
        const bool counted = kind == StatisticKind::kShare || kind == StatisticKind::kCount;
        const std::string head =
            fmt::format("{} of {}", name_of(kind), counted ? column : rows.back().titles[0]);
        drawing.html += "<th>" + escaped(head);
        drawing.csv += "," + csv_cell(head);
      }
    }
    drawing.html += "</tr>\n";
    drawing.csv += "\n";
    for (std::size_t c = 0; c < rows.front().cells.size(); ++c) {
      const std::string& cell = rows.front().cells[c];
      drawing.html += "<tr><td class=text>" + escaped(cell);
      drawing.csv += csv_cell(cell);
      for (const FigureRows& column : rows)
        for (const StatisticKind kind : config_.statistics) {
          const double value = estimate(kind, column.samples(0, c)).value;
          // the rows have shown units already
          drawing.html += "<td>" + number_text(value, "");
          drawing.csv += std::isfinite(value) ? fmt::format(",{}", value) : ",";
        }
      drawing.html += "</tr>\n";
      drawing.csv += "\n";
    }
    drawing.html += "</table></div>\n";
    for (const FigureRows& column : rows)
      if (!column.note().empty()) drawing.note += column.columns[0] + ": " + column.note() + " ";
    return drawing;
  }

 private:
  TableConfig config_;
};

}  // namespace

void register_table_figure(FigureRegistry& registry) {
  using C = TableConfig;
  const auto schema =
      figure_object<C>("Table")
          .required("of", &C::of, list(text()).min_size(1), "columns")
          .optional("statistics", &C::statistics, list(statistic_kind_schema()).min_size(1),
                    "of each; left out: mean and deviation");
  registry.add("table", schema, "a line for each cell, statistics of columns beside each other",
               [](const C& config) { return std::make_unique<TableFigure>(config); });
}

}  // namespace handspan
