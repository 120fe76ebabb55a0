#pragma once
// Scenes as figures show them: points in space on paper, from above, from beside and slanted.
#include <Eigen/Core>
#include <array>
#include <string>
#include <vector>

#include "core/values.hpp"
#include "study/figure_theme.hpp"

namespace handspan {

enum class FigureView { kAbove, kBeside, kFront, kSlanted };
Schema<FigureView> figure_view_schema();
/// "above", "beside", "front", "slanted".
const char* name_of(FigureView view);

/// Where a point is on paper: above x to the right and y up; beside (along y) x and z; front (along
/// -x) y and z; slanted an isometric projection, z up. @param p_W in any unit @return in the same
Eigen::Vector2d on_paper(FigureView view, const Eigen::Vector3d& p_W);
/// Titles of the two axes; both empty where they are no axes of space.
std::array<std::string, 2> paper_axes(FigureView view, const std::string& unit);

/// A box that is drawn by its edges.
struct FigureBox {
  Eigen::Vector3d middle = Eigen::Vector3d::Zero(), size = Eigen::Vector3d::Zero();  // [m]
  std::string text;
};
Schema<FigureBox> figure_box_schema();
/// The 12 edges as lines on paper, in mm: rows of {"x", "y", "line", "i", "text"}. Grows the
/// extents.
nlohmann::json edges_on_paper(FigureView view, const std::vector<FigureBox>& boxes,
                              FigureExtent& wide, FigureExtent& high);
/// The layer that draws them.
nlohmann::json edges_layer(nlohmann::json edges, const nlohmann::json& x, const nlohmann::json& y);

}  // namespace handspan
