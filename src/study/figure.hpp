#pragma once
// A figure of a study's report: what it shows of the runs, as a specification that Vega-Lite draws.
// Kinds of figures register by name with a schema; a study has figures under `figures`. Colours
// are names of the report's style ("var(--ink)"), so that a figure is right in light and dark.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/registry.hpp"

namespace handspan {

struct StudyOutcome;

/// What a figure is drawn from.
struct FigureContext {
  const StudyOutcome& outcome;
  std::filesystem::path folder;  // of the results, with series/ and logs/ in it; "": no such
};

/// What every figure of a study says of itself.
struct FigureConfig {
  std::string title, doc;
  std::vector<std::string> cells;  // that are shown; empty: all of the study
};

/// A name that a figure takes from the study, for telling before the first run that it is wrong.
struct FigureName {
  enum class Kind { kColumn, kCell, kLog, kSeries } kind = Kind::kColumn;
  std::string key;  // of the figure: "x", "of[1]"
  std::string name;
};

/// A figure as it is drawn.
struct Drawing {
  nlohmann::json spec;    // Vega-Lite 6, without $schema and config; null: nothing for Vega
  std::string html = "";  // in place of it: a table, a picture
  std::string csv;        // what is drawn, by name; "": a picture has none
  std::string note = "";  // what is left out, and why
};

class StudyFigure {
 public:
  static constexpr char kKind[] = "figure";

  virtual ~StudyFigure() = default;
  StudyFigure(const StudyFigure&) = delete;
  StudyFigure& operator=(const StudyFigure&) = delete;
  StudyFigure() = default;

  virtual const FigureConfig& config() const = 0;
  /// Beside config().cells.
  virtual std::vector<FigureName> names() const = 0;
  /// @throws InputError naming what it lacks: rows, finite values, series of one length
  virtual Drawing draw(const FigureContext& context) const = 0;
};

using FigureRegistry = Registry<StudyFigure>;

}  // namespace handspan
