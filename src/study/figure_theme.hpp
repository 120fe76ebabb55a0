#pragma once
// How figures of a report look: colours that follow the reader's light or dark, one for each cell
// throughout the report, axes, and marks that several kinds of figures have.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "study/results.hpp"

namespace handspan {

/// CSS: the colours by name, for light and dark; on paper they are those of light.
std::string figure_style();
/// A picture with the colours of light in place of their names, on white: a file of its own.
std::string with_light_colours(const std::string& svg);

/// A specification as it is drawn: with the schema's name and the common settings.
nlohmann::json themed(nlohmann::json spec);
nlohmann::json figure_settings();

/// "var(--c3)": the i-th of the colours that tell things apart.
std::string figure_colour(std::size_t i);
/// "colour by cell", the same throughout a report, with a legend when there are several.
/// @param shown those of the figure
nlohmann::json cell_colours(const Results& results, const std::vector<std::string>& shown,
                            const std::string& field = "cell");

/// The fill of a mark that is hollow where "good" is false. @param colour of cell_colours()
nlohmann::json filled_if_good(nlohmann::json colour);

/// A quantitative channel of a field, with its axis's title. @param zero whether 0 is in sight
nlohmann::json quantity(const std::string& field, const std::string& title, bool zero = false);
/// One by name, in the order given.
nlohmann::json category(const std::string& field, const std::vector<std::string>& order);
/// What is shown under the pointer: fields with titles.
nlohmann::json tooltip(const std::vector<std::pair<std::string, std::string>>& fields);

/// Dragging moves the picture, and Shift with the wheel zooms.
nlohmann::json zoom_params();

/// Panels side by side, two in a row; of one panel, that panel.
nlohmann::json panels(std::vector<nlohmann::json> views, int columns = 2);

/// From the least to the largest with a little room on both sides.
struct FigureExtent {
  double low = 0.0, high = 0.0;
  bool any = false;
  void add(double x);
  double size() const { return high - low; }
  FigureExtent with_room(double share = 0.06) const;
};

/// Sets scales of x and y of equal lengths on the page, so that circles are round.
/// @param encoding its channels x and y get domains; @param view gets width and height, no more
/// than `most` each [px]
void equal_axes(const FigureExtent& x, const FigureExtent& y, double most,
                nlohmann::json& x_channel, nlohmann::json& y_channel, nlohmann::json& view);

}  // namespace handspan
