#include "data/csv_export.hpp"

#include <fmt/format.h>

#include "data/csv_file.hpp"
#include "data/log_times.hpp"
#include "data/series.hpp"

namespace handspan {
namespace {

constexpr char kHead[] = "tick,time [s],stamp [s],unix [ns]";

std::string text_of(Nanoseconds time) { return fmt::format("{:.9f}", seconds(time)); }

std::string unix_text(const LogTimes& times, Nanoseconds run) {
  const auto unix = times.unix_ns(run);
  return unix ? std::to_string(*unix) : std::string();
}

void write_series(const Series& s, const LogTimes& times, const std::filesystem::path& file) {
  CsvFile csv(file);
  ChannelInfo info;
  info.size = s.columns.size();
  info.labels = s.columns;
  info.unit = s.unit;
  std::string head = kHead;
  for (const auto& column : column_names(info)) head += "," + csv_cell(column);
  csv.line(s.words.empty() ? head : head + ",word");
  const std::size_t n = s.columns.size();
  for (std::size_t row = 0; row < s.ticks.size(); ++row) {
    const Nanoseconds stamp = s.stamps[row];
    std::string line = fmt::format("{},{},{},{}", s.ticks[row], text_of(times.run(s.ticks[row])),
                                   text_of(stamp), unix_text(times, stamp));
    for (std::size_t c = 0; c < n; ++c) line += fmt::format(",{:.17g}", s.values[row * n + c]);
    if (!s.words.empty()) line += "," + csv_cell(s.words[row]);
    csv.line(line);
  }
  csv.close();
}

}  // namespace

int export_csv(const LogFile& log, const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  const LogTimes times(log);
  const auto at = [&](std::int64_t tick) { return text_of(times.run(tick)); };
  int files = 0;
  for (const Series& s : series_of(log)) {
    write_series(s, times, folder / (s.name + ".csv"));
    ++files;
  }
  CsvFile events(folder / "events.csv");
  events.line("tick,time [s],unix [ns],kind,name,text");
  for (const auto& e : log.events())
    events.line(fmt::format("{},{},{},{},{},{}", e.tick, at(e.tick),
                            unix_text(times, times.run(e.tick)), csv_cell(e.kind), csv_cell(e.name),
                            csv_cell(e.text)));
  events.close();
  CsvFile inputs(folder / "inputs.csv");
  inputs.line(fmt::format("{},kind,to,text,numbers", kHead));
  for (const auto& i : log.inputs()) {
    std::string numbers;
    for (const double x : i.input.values())
      numbers += fmt::format("{}{:.17g}", numbers.empty() ? "" : " ", x);
    const Nanoseconds stamp = times.stamp(i);
    inputs.line(fmt::format("{},{},{},{},{},{},{},{}", i.tick, at(i.tick), text_of(stamp),
                            unix_text(times, stamp), name_of(i.input.kind),
                            csv_cell(std::string(i.input.to.view())),
                            csv_cell(std::string(i.input.text.view())), numbers));
  }
  inputs.close();
  CsvFile episodes(folder / "episodes.csv");
  episodes.line("episode,start tick,end tick,start [s],end [s],outcome,task,operator,remark");
  int number = 0;
  for (const auto& e : log.episodes())
    episodes.line(fmt::format("{},{},{},{},{},{},{},{},{}", ++number, e.start, e.end, at(e.start),
                              at(e.end), csv_cell(e.outcome), csv_cell(e.task),
                              csv_cell(e.operator_name), csv_cell(e.remark)));
  episodes.close();
  return files + 3;
}

}  // namespace handspan
