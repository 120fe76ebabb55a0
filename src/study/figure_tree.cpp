#include "study/figure_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/error.hpp"
#include "study/figure_rows.hpp"
#include "study/figure_theme.hpp"
#include "study/study_outcome.hpp"

namespace handspan {
namespace {

using Json = nlohmann::json;

struct TreeConfig : FigureConfig {
  std::vector<std::string> by;
  bool by_cell = true;
};

constexpr std::size_t kMostBranches = 12;  // of a node: columns of measured values make no tree

struct TreeNode {
  std::string text;
  std::size_t count = 0;
  std::string cell;  // "": of several
  std::vector<TreeNode> below;
  double x = 0.0;  // its place across, a leaf being 1 wide
};

class TreeFigure : public StudyFigure {
 public:
  explicit TreeFigure(const TreeConfig& config) : config_(config) {}

  const FigureConfig& config() const override { return config_; }
  std::vector<FigureName> names() const override { return column_names_of("by", config_.by); }

  Drawing draw(const FigureContext& context) const override {
    const FigureRows rows = rows_of(context, config_.by, config_.cells);
    std::vector<const FigureRow*> all;
    for (const FigureRow& row : rows.rows) all.push_back(&row);
    TreeNode root{"all", all.size(), "", {}, 0.0};
    if (config_.by_cell && rows.cells.size() > 1) {
      for (std::size_t c = 0; c < rows.cells.size(); ++c) {
        std::vector<const FigureRow*> own;
        for (const FigureRow* row : all)
          if (row->cell == c) own.push_back(row);
        if (own.empty()) continue;
        TreeNode node{rows.cells[c], own.size(), rows.cells[c], {}, 0.0};
        divide(rows, own, 0, node);
        root.below.push_back(std::move(node));
      }
    } else {
      divide(rows, all, 0, root);
    }
    double width = 0.0;
    place(root, width);
    Drawing drawing;
    drawing.note = rows.note();
    drawing.csv = "level,node,runs,share of all\n";
    Json lines = Json::array(), nodes = Json::array();
    int levels = 0;
    add(root, nullptr, 0, root.count, lines, nodes, levels, drawing.csv);
    drawing.spec = spec_of(context, rows, lines, nodes, width, levels);
    return drawing;
  }

 private:
  void divide(const FigureRows& rows, const std::vector<const FigureRow*>& some, std::size_t level,
              TreeNode& node) const {
    if (level == config_.by.size()) return;
    std::map<double, std::vector<const FigureRow*>> by;
    for (const FigureRow* row : some) by[row->values[level]].push_back(row);
    if (by.size() > kMostBranches)
      throw InputError(fmt::format("'{}' has {} values, and a tree divides by at most {}",
                                   config_.by[level], by.size(), kMostBranches));
    const bool flag = std::ranges::all_of(
        by, [](const auto& entry) { return entry.first == 0.0 || entry.first == 1.0; });
    for (const auto& [value, own] : by) {
      const std::string& unit = rows.units[level];
      TreeNode below{flag ? fmt::format("{}{}", value == 0.0 ? "not " : "", config_.by[level])
                          : fmt::format("{} = {:.4g}{}{}", config_.by[level], value,
                                        unit.empty() ? "" : " ", unit),
                     own.size(),
                     node.cell,
                     {},
                     0.0};
      divide(rows, own, level + 1, below);
      node.below.push_back(std::move(below));
    }
  }

  // leaves beside each other, what is above them over their middle
  static void place(TreeNode& node, double& width) {
    if (node.below.empty()) {
      node.x = width;
      width += 1.0;
      return;
    }
    for (TreeNode& below : node.below) place(below, width);
    node.x = 0.5 * (node.below.front().x + node.below.back().x);
  }

  static void add(const TreeNode& node, const TreeNode* above, int level, std::size_t all,
                  Json& lines, Json& nodes, int& levels, std::string& csv) {
    levels = std::max(levels, level);
    const double share = static_cast<double>(node.count) / static_cast<double>(all);
    if (above != nullptr)
      lines.push_back(
          {{"x", above->x}, {"x2", node.x}, {"y", level - 1}, {"y2", level}, {"runs", node.count}});
    nodes.push_back({{"x", node.x},
                     {"y", level},
                     {"text", node.text},
                     {"runs", node.count},
                     {"count", fmt::format("{} ({:.0f} %)", node.count, 100.0 * share)},
                     {"cell", node.cell}});
    csv += fmt::format("{},{},{},{}\n", level, csv_cell(node.text), node.count, share);
    for (const TreeNode& below : node.below)
      add(below, &node, level + 1, all, lines, nodes, levels, csv);
  }

  static Json spec_of(const FigureContext& context, const FigureRows& rows, const Json& lines,
                      const Json& nodes, double width, int levels) {
    // from left to right, since texts are wide
    Json x = {{"field", "y"},
              {"type", "quantitative"},
              {"axis", nullptr},
              {"scale", {{"domain", {-0.05, levels + 0.8}}, {"nice", false}}}};
    Json y = {
        {"field", "x"},
        {"type", "quantitative"},
        {"axis", nullptr},
        {"scale",
         {{"domain", {-0.6, std::max(width - 0.4, 0.6)}}, {"reverse", true}, {"nice", false}}}};
    Json colour = cell_colours(context.outcome.results, rows.cells);
    colour["legend"] = nullptr;
    colour = {{"condition",
               {{"test", "datum.cell !== ''"},
                {"field", "cell"},
                {"type", "nominal"},
                {"scale", colour["scale"]},
                {"legend", nullptr}}},
              {"value", "var(--fig-soft)"}};
    const Json thickness = {{"field", "runs"},
                            {"type", "quantitative"},
                            {"legend", nullptr},
                            {"scale", {{"domainMin", 0}, {"range", {1, 14}}}}};
    const Json area = {{"field", "runs"},
                       {"type", "quantitative"},
                       {"legend", nullptr},
                       {"scale", {{"domainMin", 0}, {"range", {30, 500}}}}};
    return {{"width", 230 * (levels + 1)},
            {"height", std::max(60.0, 46.0 * width)},
            {"layer",
             {{{"data", {{"values", lines}}},
               {"mark", {{"type", "rule"}, {"opacity", 0.35}, {"color", "var(--fig-soft)"}}},
               {"encoding",
                {{"x", x},
                 {"y", y},
                 {"x2", {{"field", "y2"}}},
                 {"y2", {{"field", "x2"}}},
                 {"size", thickness}}}},
              {{"data", {{"values", nodes}}},
               {"mark", {{"type", "point"}, {"filled", true}, {"opacity", 1}}},
               {"encoding",
                {{"x", x},
                 {"y", y},
                 {"size", area},
                 {"color", colour},
                 {"tooltip", tooltip({{"text", "runs with"}, {"count", "runs"}})}}}},
              {{"data", {{"values", nodes}}},
               {"mark", {{"type", "text"}, {"align", "left"}, {"dx", 16}, {"dy", -7}}},
               {"encoding", {{"x", x}, {"y", y}, {"text", {{"field", "text"}}}}}},
              {{"data", {{"values", nodes}}},
               {"mark",
                {{"type", "text"},
                 {"align", "left"},
                 {"dx", 16},
                 {"dy", 7},
                 {"color", "var(--fig-soft)"}}},
               {"encoding", {{"x", x}, {"y", y}, {"text", {{"field", "count"}}}}}}}},
            {"resolve", {{"scale", {{"size", "independent"}}}}}};
  }

  TreeConfig config_;
};

}  // namespace

void register_tree_figure(FigureRegistry& registry) {
  using C = TreeConfig;
  const auto schema =
      figure_object<C>("Tree")
          .required("by", &C::by, list(text()).min_size(1),
                    "columns with few values, such as flags and good: a level each")
          .optional("by_cell", &C::by_cell, boolean(), "the cells are the first level");
  registry.add("tree", schema, "how runs divide by columns, level by level, with their counts",
               [](const C& config) { return std::make_unique<TreeFigure>(config); });
}

}  // namespace handspan
