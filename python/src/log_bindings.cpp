// Logs for Python: what a log says of itself, and channels as arrays. An array is the memory that
// the reader filled, which lives as long as the array.
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "bindings.hpp"
#include "data/series.hpp"
#include "log/log_file.hpp"

namespace nb = nanobind;

namespace handspan {
namespace {

template <class T>
using Array = nb::ndarray<nb::numpy, T>;

// The elements of a vector that lives in `owner`.
template <class T>
Array<T> array_of(std::vector<T>& values, std::initializer_list<std::size_t> shape,
                  nb::handle owner) {
  return Array<T>(values.data(), shape, owner);
}

// Numbers and what has one integer are one column, which Python calls an array of one dimension.
bool is_scalar(ChannelType type) { return type == ChannelType::kNumber || !holds_doubles(type); }

nb::object values_of(nb::handle_t<Series> self) {
  auto& s = nb::cast<Series&>(self);
  const std::size_t rows = s.ticks.size();
  if (is_scalar(s.type)) return nb::cast(array_of(s.values, {rows}, self));
  return nb::cast(array_of(s.values, {rows, s.columns.size()}, self));
}

std::vector<Series> read(const LogFile& log, const std::vector<std::string>& only) {
  const nb::gil_scoped_release others_run;
  return series_of(log, only);
}

}  // namespace

void bind_log(nb::module_& module) {
  nb::class_<ChannelInfo>(module, "ChannelInfo", "What is known of a channel without its values.")
      .def_ro("name", &ChannelInfo::name)
      .def_prop_ro("type", [](const ChannelInfo& info) { return name_of(info.type); })
      .def_ro("unit", &ChannelInfo::unit)
      .def_ro("doc", &ChannelInfo::doc)
      .def_ro("size", &ChannelInfo::size)
      .def_ro("choices", &ChannelInfo::choices)
      .def_ro("labels", &ChannelInfo::labels)
      .def_ro("frame", &ChannelInfo::frame)
      .def_prop_ro("columns", &column_names, "Heads of a table's columns, with units.")
      .def("__repr__", [](const ChannelInfo& info) {
        return "<channel " + info.name + ": " + name_of(info.type) +
               (info.unit.empty() ? "" : " [" + info.unit + "]") + ">";
      });
  nb::class_<Series>(module, "Series", "The values of a channel as they were recorded.")
      .def_ro("name", &Series::name)
      .def_prop_ro("type", [](const Series& s) { return name_of(s.type); })
      .def_ro("unit", &Series::unit)
      .def_ro("columns", &Series::columns)
      .def_ro("words", &Series::words)
      .def_ro("choices", &Series::choices)
      .def_prop_ro(
          "ticks",
          [](nb::handle_t<Series> self) {
            auto& s = nb::cast<Series&>(self);
            return array_of(s.ticks, {s.ticks.size()}, self);
          },
          "(n) of the loop, rising.")
      .def_prop_ro(
          "stamps",
          [](nb::handle_t<Series> self) {
            auto& s = nb::cast<Series&>(self);
            return array_of(s.stamps, {s.stamps.size()}, self);
          },
          "(n) when the values were true [ns].")
      .def_prop_ro("values", &values_of, "(n) of what is one number, else (n, columns).");
  nb::class_<Episode>(module, "Episode", "One demonstration of a log.")
      .def_ro("start", &Episode::start, "its first tick")
      .def_ro("end", &Episode::end, "its last tick")
      .def_ro("task", &Episode::task)
      .def_ro("outcome", &Episode::outcome)
      .def_ro("remark", &Episode::remark)
      .def_ro("operator", &Episode::operator_name);
  nb::class_<LoggedEvent>(module, "LoggedEvent", "Something that happened, in words.")
      .def_ro("tick", &LoggedEvent::tick)
      .def_ro("kind", &LoggedEvent::kind)
      .def_ro("name", &LoggedEvent::name)
      .def_ro("text", &LoggedEvent::text);
  nb::class_<LogFile>(module, "LogFile", "A log of a session.")
      .def(
          "__init__",
          [](LogFile* self, const std::filesystem::path& file) {
            const nb::gil_scoped_release others_run;
            new (self) LogFile(file, McapReader::Open::kBySummary);
          },
          nb::arg("file"))
      .def_prop_ro("about", nb::overload_cast<>(&LogFile::about, nb::const_))
      .def_prop_ro("base_period", &LogFile::base_period, "of a tick [ns]")
      .def_prop_ro("first_tick", &LogFile::first_tick)
      .def_prop_ro("ticks", &LogFile::ticks, "up to which it tells everything")
      .def_prop_ro("damage", [](const LogFile& log) { return log.reader().damage(); })
      .def("episodes", &LogFile::episodes, nb::call_guard<nb::gil_scoped_release>())
      .def("events", &LogFile::events, nb::call_guard<nb::gil_scoped_release>())
      .def("channels", &channels_of, nb::call_guard<nb::gil_scoped_release>())
      .def("read", &read, nb::arg("names") = std::vector<std::string>(),
           "Channels by name, in one pass; none named: all.");
  module.def(
      "check_log", [](const std::filesystem::path& file) { return LogFile(file).damage(); },
      nb::arg("file"), nb::call_guard<nb::gil_scoped_release>(),
      "Reads all of it: what is wrong with it and what is lost, a line each; empty when whole.");
}

}  // namespace handspan
