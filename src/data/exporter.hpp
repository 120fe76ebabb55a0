#pragma once
// A format in which logs are given to other programs, by its name: `handspan export LOG --to NAME`.
//
//   class Lines : public Exporter { ... write(request) ... };
//   parts.of<ExporterRegistry>().add("lines", dataset_object<DatasetConfig>("Lines"), "words",
//   make);
//
// The keys of its schema are its options: `--set KEY=VALUE`, or the option of that name.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/registry.hpp"
#include "log/log_file.hpp"

namespace handspan {

/// What is to be written, and to where.
struct ExportRequest {
  std::vector<std::filesystem::path> logs;  // one, unless the format takes several
  std::filesystem::path out;                // a file or a folder, as the format has it
  const Parts& parts;                       // what the apps in the logs are made of
  // what is under way and how much of it is done (0 to 1); may be empty
  std::function<void(const std::string& what, double share)> progress = {};
};

/// Something about what was written, for other programs (`--json`).
using ExportFact = std::variant<std::int64_t, double, std::string, std::vector<std::string>>;

struct ExportReport {
  std::string summary;               // one line for a person
  std::vector<std::string> remarks;  // what was left out and why
  std::vector<std::pair<std::string, ExportFact>> facts;
};

/// One format. It is made for one export and used once.
class Exporter {
 public:
  static constexpr char kKind[] = "exporter";
  virtual ~Exporter() = default;
  /// The name of the output when none is asked for, of the name of the (first) log without its
  /// extension: a folder of that name.
  virtual std::string default_output(const std::string& log) const { return log; }
  /// Whether it makes one output of several logs.
  virtual bool takes_several() const { return false; }
  /// Writes `request.out`. A file that is there was found to be one of handspan's, or --force was
  /// said; of a folder's files it sees to that itself (core/files_read.hpp, core/overwritten.hpp).
  /// @throws InputError when a log cannot be read, the output cannot be written, or nothing is left
  /// to be written
  virtual ExportReport write(const ExportRequest& request) = 0;
};

using ExporterRegistry = Registry<Exporter>;

/// A log, opened; what is wrong with it is a remark. @throws InputError when it cannot be read
LogFile open_for_export(const std::filesystem::path& file, ExportReport& report);

}  // namespace handspan
