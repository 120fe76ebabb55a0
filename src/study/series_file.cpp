#include "study/series_file.hpp"

#include <fmt/format.h>
// rows are read where they are asked for: no thread
#define CSV_IO_NO_THREAD
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wstringop-truncation"
#include <libfccp/csv.h>
#pragma GCC diagnostic pop

#include <charconv>
#include <fstream>

#include "core/error.hpp"
#include "data/csv_file.hpp"

namespace handspan {
namespace {

// in every locale, and nan and inf too
double number_of(const char* text, const std::filesystem::path& file) {
  double value = 0.0;
  const char* end = text + std::char_traits<char>::length(text);
  if (std::from_chars(text, end, value).ptr != end)
    throw InputError(fmt::format("{}: '{}' is not a number", file.string(), shown(text)));
  return value;
}

}  // namespace

std::filesystem::path series_file(const std::filesystem::path& folder, int run) {
  return folder / "series" / fmt::format("run-{:05}.csv", run);
}

void write_series_file(const std::vector<TimeSeries>& series, const std::filesystem::path& file) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary);
  out << "series,unit,time,value\n";
  for (const TimeSeries& s : series) {
    const std::string head = csv_cell(s.name) + "," + csv_cell(s.unit);
    for (std::size_t i = 0; i < s.time.size(); ++i)
      out << fmt::format("{},{},{}\n", head, s.time[i], s.values[i]);
  }
  out.flush();
  if (!out)
    throw InputError(fmt::format("{}: cannot be written; is the disk full?", file.string()));
}

std::vector<TimeSeries> read_series_file(const std::filesystem::path& file) {
  std::vector<TimeSeries> series;
  try {
    io::CSVReader<4, io::trim_chars<>, io::double_quote_escape<',', '"'>> in(file.string());
    in.read_header(io::ignore_extra_column, "series", "unit", "time", "value");
    char *name = nullptr, *unit = nullptr, *time = nullptr, *value = nullptr;
    while (in.read_row(name, unit, time, value)) {
      if (series.empty() || series.back().name != name) series.push_back({name, unit, {}, {}});
      series.back().time.push_back(number_of(time, file));
      series.back().values.push_back(number_of(value, file));
    }
  } catch (const io::error::base& error) {
    throw InputError(fmt::format("{}: cannot be read: {}", file.string(), error.what()));
  }
  return series;
}

}  // namespace handspan
