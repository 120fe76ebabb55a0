#include "study/figure_theme.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>

namespace handspan {
namespace {

using Json = nlohmann::json;

struct NamedColour {
  const char* name;
  const char* light;
  const char* dark;
};

// Okabe and Ito's order of hues in the report's own tones: neighbours differ for the colour-blind
constexpr std::array<NamedColour, 10> kHues = {{{"c0", "#1f5fa8", "#6ba9ee"},
                                                {"c1", "#c8591a", "#f0935a"},
                                                {"c2", "#2c8a5b", "#5ecb8f"},
                                                {"c3", "#8a4fa3", "#c792e0"},
                                                {"c4", "#b08a00", "#dcb840"},
                                                {"c5", "#4d6a7a", "#93b2c4"},
                                                {"c6", "#b3345a", "#ee7f9f"},
                                                {"c7", "#5b8f00", "#a5d14c"},
                                                {"c8", "#007f8c", "#4fc3cf"},
                                                {"c9", "#7a5230", "#c79b74"}}};
constexpr std::array<NamedColour, 4> kTones = {{{"fig-ink", "#1d2530", "#e3e7ec"},
                                                {"fig-soft", "#5c6775", "#9aa5b1"},
                                                {"fig-line", "#dde2e8", "#2d353f"},
                                                {"fig-paper", "#ffffff", "#14181d"}}};

template <class F>
void for_each_colour(F f) {
  for (const auto& colour : kHues) f(colour);
  for (const auto& colour : kTones) f(colour);
}

}  // namespace

std::string figure_style() {
  std::string light, dark;
  for_each_colour([&](const NamedColour& c) {
    light += fmt::format("--{}: {}; ", c.name, c.light);
    dark += fmt::format("--{}: {}; ", c.name, c.dark);
  });
  return ":root { " + light + "}\n@media screen and (prefers-color-scheme: dark) { :root { " +
         dark + "} }\n";
}

std::string with_light_colours(const std::string& svg) {
  std::map<std::string, std::string, std::less<>> light;
  for_each_colour([&](const NamedColour& c) { light[fmt::format("var(--{})", c.name)] = c.light; });
  // once through: a picture may have some megabytes and a name at each mark
  std::string all;
  all.reserve(svg.size());
  for (std::size_t at = 0; at < svg.size();) {
    const std::size_t name = std::min(svg.find("var(--", at), svg.size());
    all.append(svg, at, name - at);
    if (name == svg.size()) break;
    const std::size_t end = std::min(svg.find(')', name), svg.size() - 1) + 1;
    const auto known = light.find(std::string_view(svg).substr(name, end - name));
    all += known == light.end() ? svg.substr(name, end - name) : known->second;
    at = end;
  }
  const std::size_t inside = all.find('>');
  if (inside != std::string::npos)
    all.insert(inside + 1, "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>");
  return all;
}

Json figure_settings() {
  const char* const ink = "var(--fig-ink)";
  const char* const soft = "var(--fig-soft)";
  const char* const line = "var(--fig-line)";
  Json range = Json::array();
  for (std::size_t i = 0; i < kHues.size(); ++i) range.push_back(figure_colour(i));
  return {
      {"background", nullptr},
      {"aria", false},
      {"font", "system-ui, \"Segoe UI\", Roboto, \"Helvetica Neue\", Arial, sans-serif"},
      {"padding", 4},
      {"view", {{"stroke", nullptr}}},
      {"axis",
       {{"labelColor", ink},
        {"titleColor", ink},
        {"tickColor", soft},
        {"domainColor", soft},
        {"gridColor", line},
        {"labelFontSize", 11},
        {"titleFontSize", 12},
        {"titleFontWeight", "normal"},
        {"titlePadding", 6},
        {"tickCount", 6}}},
      {"axisBand", {{"grid", false}, {"labelLimit", 140}}},
      {"axisXBand", {{"labelAngle", -25}}},
      {"legend",
       {{"labelColor", ink},
        {"titleColor", soft},
        {"labelFontSize", 11},
        {"titleFontSize", 11},
        {"titleFontWeight", "normal"},
        {"orient", "bottom"},
        {"columns", 4},
        {"labelLimit", 200},
        {"symbolOpacity", 1}}},
      {"title", {{"color", ink}, {"fontSize", 12}, {"fontWeight", "normal"}, {"anchor", "start"}}},
      {"header", {{"labelColor", ink}, {"titleColor", ink}}},
      {"text", {{"color", ink}, {"fontSize", 11}}},
      {"rule", {{"color", ink}}},
      {"range", {{"category", range}}},
  };
}

Json themed(Json spec) {
  spec["$schema"] = "https://vega.github.io/schema/vega-lite/v6.json";
  spec["config"] = figure_settings();
  return spec;
}

std::string figure_colour(std::size_t i) {
  return fmt::format("var(--{})", kHues[i % kHues.size()].name);
}

Json cell_colours(const Results& results, const std::vector<std::string>& shown,
                  const std::string& field) {
  const std::vector<std::string> all = groups_of(results);
  Json domain = Json::array(), range = Json::array();
  for (const std::string& cell : shown) {
    const auto at = std::ranges::find(all, cell) - all.begin();
    domain.push_back(cell);
    range.push_back(figure_colour(static_cast<std::size_t>(at)));
  }
  Json colours = {{"field", field},
                  {"type", "nominal"},
                  {"title", nullptr},
                  {"scale", {{"domain", domain}, {"range", range}}}};
  if (shown.size() < 2) colours["legend"] = nullptr;
  return colours;
}

// with the legend of the colour itself: one that is null takes the other away as well
Json filled_if_good(Json colour) {
  colour["test"] = "datum.good";
  return {{"condition", std::move(colour)}, {"value", "transparent"}};
}

Json quantity(const std::string& field, const std::string& title, bool zero) {
  Json channel = {{"field", field}, {"type", "quantitative"}, {"scale", {{"zero", zero}}}};
  channel["title"] = title.empty() ? Json(nullptr) : Json(title);
  return channel;
}

Json category(const std::string& field, const std::vector<std::string>& order) {
  return {{"field", field},
          {"type", "nominal"},
          {"title", nullptr},
          {"sort", order},
          {"scale", {{"domain", order}}}};
}

Json tooltip(const std::vector<std::pair<std::string, std::string>>& fields) {
  Json shown = Json::array();
  for (const auto& [field, title] : fields) shown.push_back({{"field", field}, {"title", title}});
  return shown;
}

Json zoom_params() {
  return Json::array({{{"name", "zoom"},
                       {"select", {{"type", "interval"}, {"zoom", "wheel![event.shiftKey]"}}},
                       {"bind", "scales"}}});
}

Json panels(std::vector<Json> views, int columns) {
  if (views.size() == 1) return std::move(views.front());
  Json all = Json::array();
  for (Json& view : views) all.push_back(std::move(view));
  return {{"concat", std::move(all)}, {"columns", columns}, {"spacing", 24}};
}

void FigureExtent::add(double x) {
  if (!std::isfinite(x)) return;
  low = any ? std::min(low, x) : x;
  high = any ? std::max(high, x) : x;
  any = true;
}

FigureExtent FigureExtent::with_room(double share) const {
  double room = share * size();
  if (room <= 0.0) room = low == 0.0 ? 1.0 : 0.05 * std::abs(low);
  return {low - room, high + room, any};
}

void equal_axes(const FigureExtent& x, const FigureExtent& y, double most, Json& x_channel,
                Json& y_channel, Json& view) {
  FigureExtent wide = x.with_room(), high = y.with_room();
  // a figure is not narrower than its labels need
  const auto widen = [](FigureExtent& e, double least) {
    const double more = std::max(0.0, least - e.size());
    e.low -= 0.5 * more;
    e.high += 0.5 * more;
  };
  const double longest = std::max(wide.size(), high.size());
  widen(wide, 0.4 * longest);
  widen(high, 0.25 * longest);
  const double scale = most / longest;  // [px] a unit
  const double width = std::round(scale * wide.size()), height = std::round(scale * high.size());
  view["width"] = width;
  view["height"] = height;
  // so many that a label of five letters has room; a slanted view has no axes
  const auto ticks = [](Json& channel, double length, double each) {
    if (!channel.contains("axis") || channel["axis"].is_object())
      channel["axis"]["tickCount"] = std::clamp(static_cast<int>(length / each), 2, 10);
  };
  ticks(x_channel, width, 55.0);
  ticks(y_channel, height, 35.0);
  x_channel["scale"] = {{"domain", {wide.low, wide.high}}, {"nice", false}, {"zero", false}};
  y_channel["scale"] = {{"domain", {high.low, high.high}}, {"nice", false}, {"zero", false}};
}

}  // namespace handspan
