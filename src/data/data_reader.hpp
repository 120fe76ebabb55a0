#pragma once
// Where data of others come from, by its name in `from: {type: NAME, ...}` of an import: a table, a
// file of episodes, a folder.
//
//   class Bags : public DataReader { ... };
//   parts.of<DataReaderRegistry>().add("bags", object<BagsConfig>("Bags")..., "words", make);
//
// What a reader cannot read is an InputError with the file, the cause and a hint; it never takes a
// size for granted that a damaged file may state.
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/registry.hpp"
#include "data/import_plan.hpp"

namespace handspan {

/// Some numbers of each row of an episode.
struct DataColumn {
  std::string name;                   // "obs/robot0_eef_pos", "action", "x [mm]"
  std::size_t rows = 0, width = 1;    // numbers a row
  std::string type;                   // for people: "float64", "text"
  bool numbers = true;                // false: it cannot be imported, as text
  std::vector<std::string> elements;  // names of the numbers of a row; none: [0], [1], ...
};

struct DataEpisode {
  std::string name;                          // "demo_3", "episode_003.csv"
  std::string task, outcome, operator_name;  // "" where the file does not say it
};

class DataReader {
 public:
  static constexpr char kKind[] = "reader";
  virtual ~DataReader() = default;

  /// The file or folder, for messages.
  virtual std::string source() const = 0;
  virtual const std::vector<DataEpisode>& episodes() const = 0;
  /// What an episode has. @throws InputError when that cannot be read
  virtual std::vector<DataColumn> columns(std::size_t episode) = 0;
  /// A column's numbers, row by row; NaN where there is none. @throws InputError when it has no
  /// numbers or cannot be read
  virtual std::vector<double> values(std::size_t episode, const std::string& column) = 0;
  /// Where a row is, counted from 0: "demo.csv:13".
  virtual std::string place(std::size_t episode, std::size_t row) const;
  /// Rows a second, where the file says so [Hz].
  virtual std::optional<double> rate() const { return std::nullopt; }
  /// Of a file that handspan wrote: how it is imported. @throws ConfigError when that is damaged
  virtual std::optional<ImportPlan> plan() const { return std::nullopt; }
};

using DataReaderRegistry = Registry<DataReader>;

/// A part of a column: `count` numbers of each row, from `first` on.
struct ColumnPart {
  std::size_t column = 0, first = 0, count = 0;
};

/// The part that a text names: a whole column ("action"), or of one with several numbers a row a
/// range ("action[0:3]"), a number ("action[6]") or an element by its name ("action[gripper]").
/// @throws ConfigError at the text's place: there is no such column or element, with what there is
ColumnPart find_column(const Located<std::string>& text, const std::string& source,
                       const std::vector<DataColumn>& columns);

/// "obs/eef_pos (57 x 3, float64)", a line each.
std::string list_columns(const std::vector<DataColumn>& columns);

}  // namespace handspan
