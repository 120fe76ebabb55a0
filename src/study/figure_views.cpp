#include "study/figure_views.hpp"

#include <cmath>

#include "core/object.hpp"

namespace handspan {

using Json = nlohmann::json;

Schema<FigureView> figure_view_schema() {
  return choice<FigureView>({{"above", FigureView::kAbove},
                             {"beside", FigureView::kBeside},
                             {"front", FigureView::kFront},
                             {"slanted", FigureView::kSlanted}});
}

const char* name_of(FigureView view) {
  constexpr const char* kNames[] = {"above", "beside", "front", "slanted"};
  return kNames[static_cast<std::size_t>(view)];
}

Eigen::Vector2d on_paper(FigureView view, const Eigen::Vector3d& p_W) {
  switch (view) {
    case FigureView::kAbove:
      return p_W.head<2>();
    case FigureView::kBeside:
      return {p_W.x(), p_W.z()};
    case FigureView::kFront:
      return {p_W.y(), p_W.z()};
    case FigureView::kSlanted:
      break;
  }
  // seen from (1, -1, 1): x goes down to the right, y up to the right
  const double c = std::sqrt(0.5), s = std::sqrt(1.0 / 6.0);
  return {c * (p_W.x() + p_W.y()), s * (p_W.y() - p_W.x()) + 2.0 * s * p_W.z()};
}

std::array<std::string, 2> paper_axes(FigureView view, const std::string& unit) {
  switch (view) {
    case FigureView::kAbove:
      return {"x [" + unit + "]", "y [" + unit + "]"};
    case FigureView::kBeside:
      return {"x [" + unit + "]", "z [" + unit + "]"};
    case FigureView::kFront:
      return {"y [" + unit + "]", "z [" + unit + "]"};
    case FigureView::kSlanted:
      break;
  }
  return {"", ""};
}

Schema<FigureBox> figure_box_schema() {
  return object<FigureBox>("Box", "drawn by its edges")
      .required("middle", &FigureBox::middle, vector<3>("m"), "in the world, or in the body")
      .required("size", &FigureBox::size, vector<3>("m"))
      .optional("text", &FigureBox::text, text(), "beside it");
}

Json edges_on_paper(FigureView view, const std::vector<FigureBox>& boxes, FigureExtent& wide,
                    FigureExtent& high) {
  Json edges = Json::array();
  int line = 0;
  for (const FigureBox& box : boxes)
    for (int corner = 0; corner < 8; ++corner)
      for (int axis = 0; axis < 3; ++axis) {
        if ((corner >> axis) & 1) continue;
        for (int end = 0; end < 2; ++end) {
          Eigen::Vector3d p_W = box.middle;
          for (int k = 0; k < 3; ++k) {
            const bool up = k == axis ? end == 1 : ((corner >> k) & 1) != 0;
            p_W[k] += (up ? 0.5 : -0.5) * box.size[k];
          }
          const Eigen::Vector2d p = 1000.0 * on_paper(view, p_W);
          wide.add(p.x());
          high.add(p.y());
          edges.push_back(
              {{"x", p.x()}, {"y", p.y()}, {"line", line}, {"i", end}, {"text", box.text}});
        }
        ++line;
      }
  return edges;
}

Json edges_layer(Json edges, const Json& x, const Json& y) {
  return {{"data", {{"values", std::move(edges)}}},
          {"mark", {{"type", "line"}, {"strokeWidth", 1}, {"color", "var(--fig-soft)"}}},
          {"encoding",
           {{"x", x},
            {"y", y},
            {"detail", {{"field", "line"}}},
            {"order", {{"field", "i"}}},
            {"tooltip", tooltip({{"text", "what"}})}}}};
}

}  // namespace handspan
