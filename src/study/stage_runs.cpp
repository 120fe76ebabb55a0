#include "study/stage_runs.hpp"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/error.hpp"

namespace handspan {
namespace {

using Json = nlohmann::json;

Json json_of(const StageRun& run) {
  Json values = Json::array();
  for (const auto& [name, value] : run.request.values) values.push_back({name, value});
  return {{"run", run.number},
          {"stage", run.stage},
          {"cell", run.request.cell},
          {"repeat", run.request.repeat},
          {"values", values},
          {"group", run.request.group},
          {"middle", run.request.middle}};
}

StageRun run_of(const Json& json) {
  StageRun run;
  run.number = json.at("run").get<int>();
  run.stage = json.at("stage").get<std::string>();
  run.request.cell = json.at("cell").get<std::string>();
  run.request.repeat = json.at("repeat").get<int>();
  for (const Json& value : json.at("values"))
    run.request.values.emplace_back(value.at(0).get<std::string>(), value.at(1).get<double>());
  run.request.group = json.at("group").get<std::string>();
  run.request.middle = json.at("middle").get<bool>();
  return run;
}

}  // namespace

void write_stage_runs(const std::filesystem::path& file, const std::string& fingerprint,
                      const std::vector<StageRun>& runs) {
  std::ofstream out(file, std::ios::binary);
  out << Json{{"study", fingerprint}}.dump() << "\n";
  for (const StageRun& run : runs) out << json_of(run).dump() << "\n";
  out.flush();
  if (!out)
    throw InputError(fmt::format("{}: cannot be written; is the disk full?", file.string()));
}

std::optional<StageRun> read_stage_run(const std::filesystem::path& file,
                                       const std::string& fingerprint, int number) {
  std::ifstream in(file, std::ios::binary);
  try {
    bool head = true;
    for (std::string line; std::getline(in, line); head = false) {
      const Json json = Json::parse(line);
      if (head && json.at("study").get<std::string>() != fingerprint)
        throw InputError(fmt::format(
            "{}: it has the runs of another study, of other parameters or of another build; do "
            "this study again, and then one of its runs",
            file.string()));
      if (!head && json.at("run").get<int>() == number) return run_of(json);
    }
  } catch (const Json::exception&) {
    throw InputError(fmt::format("{}: is damaged; do the study again", file.string()));
  }
  return std::nullopt;
}

}  // namespace handspan
