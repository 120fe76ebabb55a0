#include "study/stored_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/error.hpp"
#include "core/files_read.hpp"
#include "core/text_file.hpp"

namespace handspan {
namespace {

namespace fs = std::filesystem;

constexpr char kAgain[] = "do that study again, or copy its folder again";

[[noreturn]] void refuse_result(const fs::path& file, int line, const std::string& key,
                                const std::string& cause, const std::string& hint) {
  throw ConfigError({{{file.string(), line, 0}, key, cause, hint}});
}

void check_folder(const fs::path& folder) {
  std::error_code none;
  if (!fs::is_directory(folder, none))
    refuse_result(folder, 0, "--against", "is no folder",
                  "name the folder that an earlier 'handspan study NAME --out DIR' wrote");
  for (const char* name : {"summary.json", "results.csv"}) {
    if (fs::is_regular_file(folder / name, none)) continue;
    if (fs::exists(folder / "unfinished.jsonl", none))
      refuse_result(folder, 0, "--against", "has a study that was stopped before its end",
                    "do that study to its end first: the same command goes on from there");
    refuse_result(folder, 0, "--against",
                  fmt::format("is no result of a study: it has no {}", name),
                  "name the folder that an earlier 'handspan study NAME --out DIR' wrote");
  }
}

nlohmann::ordered_json parsed(const fs::path& file) {
  const std::string text = read_text_file(file);
  try {
    return nlohmann::ordered_json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size()));
    refuse_result(file, 1 + static_cast<int>(std::count(text.begin(), end, '\n')), "",
                  "the file is no whole JSON: it was cut or edited", kAgain);
  }
}

// RFC 4180, one record after the other
class CsvRecords {
 public:
  explicit CsvRecords(const fs::path& file) : file_(file), in_(file, std::ios::binary) {
    if (!in_) refuse_result(file, 0, "", "the file cannot be read", "see its permissions");
  }

  // none: the end. A quoted cell may have line ends in it.
  std::optional<std::vector<std::string>> next() {
    line_ += lines_;
    lines_ = 0;
    if (in_.peek() == std::char_traits<char>::eof()) return std::nullopt;
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (char c = 0; in_.get(c);) {
      if (c == '\n') ++lines_;
      if (quoted) {
        if (c != '"')
          cells.back() += c;
        else if (in_.peek() == '"')
          cells.back() += static_cast<char>(in_.get());
        else
          quoted = false;
      } else if (c == '"') {
        quoted = true;
      } else if (c == ',') {
        cells.emplace_back();
      } else if (c == '\n') {
        return cells;
      } else if (c != '\r') {
        cells.back() += c;
      }
    }
    refuse_result(file_, line_, "", "the file ends within a line: it was cut", kAgain);
  }

  // where the record that was read last begins
  int line() const { return line_; }
  const fs::path& file() const { return file_; }

 private:
  fs::path file_;
  std::ifstream in_;
  int line_ = 1, lines_ = 0;
};

template <class T>
T whole(const CsvRecords& csv, const std::string& key, const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    refuse_result(csv.file(), csv.line(), key, fmt::format("is '{}', no whole number", shown(text)),
                  kAgain);
  return value;
}

// NaN: the cell is empty
double number_or_none(const CsvRecords& csv, const std::string& key, const std::string& text) {
  if (text.empty()) return NAN;
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    refuse_result(csv.file(), csv.line(), key,
                  fmt::format("is '{}', no finite number", shown(text)),
                  "what did not happen is an empty cell; " + std::string(kAgain));
  return value;
}

// names of the first line must be those that summary.json has
void check_header(const CsvRecords& csv, const std::vector<std::string>& found,
                  const std::vector<std::string>& wanted) {
  for (std::size_t i = 0; i < std::max(found.size(), wanted.size()); ++i) {
    if (i < found.size() && i < wanted.size() && found[i] == wanted[i]) continue;
    if (i < wanted.size())
      refuse_result(csv.file(), 1, fmt::format("column {}", i + 1),
                    fmt::format("is {}, and summary.json beside it has '{}'",
                                i < found.size() ? "'" + shown(found[i]) + "'" : "not there",
                                shown(wanted[i])),
                    "the two files are not of one study: " + std::string(kAgain));
    refuse_result(
        csv.file(), 1, fmt::format("column {}", i + 1),
        fmt::format("is '{}', which summary.json beside it does not have", shown(found[i])),
        "the two files are not of one study: " + std::string(kAgain));
  }
}

void read_runs(const fs::path& file, Results& results, std::size_t runs) {
  CsvRecords csv(file);
  std::vector<std::string> header = {"run", "cell", "repeat", "seed"};
  for (const auto& variation : results.variations) header.push_back(variation.name);
  for (const Column& column : results.columns) header.push_back(column.name);
  if (results.judged) header.emplace_back("good");
  header.emplace_back("failure");
  check_header(csv, csv.next().value_or(std::vector<std::string>{}), header);
  while (const auto cells = csv.next()) {
    if (cells->size() != header.size())
      refuse_result(
          file, csv.line(), "",
          fmt::format("the line has {} cells, and the first line {}", cells->size(), header.size()),
          "the file was cut or edited: " + std::string(kAgain));
    RunRecord run;
    run.number = whole<int>(csv, "run", (*cells)[0]);
    run.cell = (*cells)[1];
    run.repeat = whole<int>(csv, "repeat", (*cells)[2]);
    run.seed = whole<std::uint64_t>(csv, "seed", (*cells)[3]);
    std::size_t at = 4;
    for (std::size_t v = 0; v < results.variations.size(); ++v, ++at) {
      // a drawn value may be a word or a list
      double value = NAN;
      const std::string& text = (*cells)[at];
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      const bool number = error == std::errc() && end == text.data() + text.size();
      run.drawn.push_back({number ? value : NAN, text});
    }
    for (const Column& column : results.columns)
      run.values.push_back(number_or_none(csv, column.name, (*cells)[at++]));
    if (results.judged) run.good = whole<int>(csv, "good", (*cells)[at++]) != 0;
    run.failure = (*cells)[at];
    results.runs.push_back(std::move(run));
  }
  if (results.runs.empty())
    refuse_result(file, 0, "", "there are no runs in it", "name a folder with results");
  if (results.runs.size() != runs)
    refuse_result(file, 0, "",
                  fmt::format("there are {} runs in it, and summary.json beside it says {}",
                              results.runs.size(), runs),
                  "the file was cut or edited: " + std::string(kAgain));
}

}  // namespace

StoredResults read_results(const fs::path& folder, const std::string& study) {
  check_folder(folder);
  const fs::path file = folder / "summary.json";
  const auto json = parsed(file);
  StoredResults stored;
  stored.folder = folder;
  std::size_t runs = 0;
  try {
    if (!json.contains("format"))
      refuse_result(file, 0, "format",
                    "is not there: the file is of an older handspan, or no summary",
                    "do that study again with this version, which compares what it wrote itself");
    if (json.at("format") != kResultsFormat)
      refuse_result(file, 0, "format",
                    fmt::format("is {}, and this handspan reads {}", json.at("format").dump(),
                                kResultsFormat),
                    "do that study again with this version");
    stored.study = json.at("study").get<std::string>();
    if (stored.study != study)
      refuse_result(
          file, 0, "study",
          fmt::format("is '{}', and this is the study '{}'", shown(stored.study), shown(study)),
          "compare results of the same study");
    if (!json.at("complete").get<bool>())
      refuse_result(file, 0, "complete", "is false: that study was stopped",
                    "do it to its end first");
    stored.build = json.at("machine").at("build").get<std::string>();
    for (const auto& [key, value] : json.at("overrides").items())
      stored.overrides.emplace_back(key, value.get<std::string>());
    for (const auto& variation : json.at("variations"))
      stored.results.variations.push_back(
          {variation.at("name").get<std::string>(), variation.at("unit").get<std::string>()});
    for (const auto& column : json.at("columns"))
      stored.results.columns.push_back({column.at("name").get<std::string>(),
                                        column.at("unit").get<std::string>(),
                                        column.at("doc").get<std::string>()});
    for (const auto& cell : json.at("cells")) {
      stored.results.cells.push_back(cell.at("name").get<std::string>());
      stored.results.judged = !cell.at("good").is_null();
    }
    runs = json.at("runs").get<std::size_t>();
  } catch (const nlohmann::json::exception& error) {
    refuse_result(file, 0, "",
                  fmt::format("the file is not as handspan writes it: {}", error.what()), kAgain);
  }
  InputsRead::note(folder / "results.csv");
  read_runs(folder / "results.csv", stored.results, runs);
  return stored;
}

}  // namespace handspan
