// The format `json_lines` of export: after a first line that says what the columns are, one line
// of JSON for each row of a demonstration, with what was measured and what was asked for.
#include <handspan/core/error.hpp>
#include <handspan/core/overwritten.hpp>
#include <handspan/data/dataset_exporter.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>

using namespace handspan;

namespace {

struct JsonLinesConfig : DatasetConfig {
  std::int64_t digits = 9;
};

class JsonLines : public DatasetWriter {
 public:
  JsonLines(const std::filesystem::path& file, int digits)
      : file_(file), out_(file, std::ios::binary), digits_(digits) {}

  void add(Demonstration&& demo, const DemonstrationLayout& layout) override {
    if (demonstrations_++ == 0) {
      std::vector<std::string> names;
      for (const auto& o : layout.observations) names.push_back('"' + o.name + '"');
      std::vector<std::string> columns;
      for (const auto& column : layout.action_columns) columns.push_back('"' + column + '"');
      // by the first key handspan knows the file as its own, and may write over it
      out_ << fmt::format("{{\"{}\": \"json_lines\", \"observations\": [{}], \"action\": [{}]}}\n",
                          kWriterKey, fmt::join(names, ", "), fmt::join(columns, ", "));
    }
    for (std::size_t k = 0; k < demo.rows; ++k) {
      out_ << fmt::format("{{\"demonstration\": {}, \"time\": {:.9f}", demonstrations_ - 1,
                          demo.time[k]);
      for (std::size_t o = 0; o < layout.observations.size(); ++o)
        list(layout.observations[o].name, demo.observations[o], k,
             layout.observations[o].columns.size());
      list("action", demo.actions, k, layout.action_columns.size());
      out_ << "}\n";
    }
  }

  void close() override {
    out_.close();
    if (!out_)
      throw InputError(fmt::format(
          "{}: it cannot be written; see that its folder is there and has space", file_.string()));
  }

 private:
  void list(const std::string& name, const std::vector<double>& values, std::size_t row,
            std::size_t columns) {
    out_ << fmt::format(", \"{}\": [", name);
    for (std::size_t c = 0; c < columns; ++c)
      out_ << fmt::format("{}{:.{}g}", c == 0 ? "" : ", ", values[row * columns + c], digits_);
    out_ << "]";
  }

  std::filesystem::path file_;
  std::ofstream out_;
  int digits_;
  int demonstrations_ = 0;
};

class JsonLinesExporter : public Exporter {
 public:
  explicit JsonLinesExporter(const JsonLinesConfig& config) : config_(config) {}

  std::string default_output(const std::string& log) const override { return log + ".jsonl"; }
  bool takes_several() const override { return true; }
  ExportReport write(const ExportRequest& request) override {
    return export_dataset(request, config_, false, [&] {
      return std::make_unique<JsonLines>(request.out, static_cast<int>(config_.digits));
    });
  }

 private:
  JsonLinesConfig config_;
};

}  // namespace

void register_exporter(Parts& parts) {
  parts.of<ExporterRegistry>().add(
      "json_lines",
      dataset_object<JsonLinesConfig>("JsonLines")
          .optional("digits", &JsonLinesConfig::digits, integer().min(1).max(17), "of each number"),
      "a line of JSON for each row of a demonstration",
      [](const JsonLinesConfig& config) { return std::make_unique<JsonLinesExporter>(config); });
}
