#include "data/exporter.hpp"

#include <fmt/format.h>

namespace handspan {

LogFile open_for_export(const std::filesystem::path& file, ExportReport& report) {
  LogFile log(file);
  if (!log.damage().empty())
    report.remarks.push_back(fmt::format("{}: {}", file.string(), log.damage()));
  return log;
}

}  // namespace handspan
