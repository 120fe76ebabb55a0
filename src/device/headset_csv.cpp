#include "device/headset_csv.hpp"

#include <fmt/format.h>

// rows are read where they are asked for: no thread
#define CSV_IO_NO_THREAD
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wstringop-truncation"
#include <libfccp/csv.h>
#pragma GCC diagnostic pop

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/escape.hpp"
#include "core/suggest.hpp"
#include "core/text_file.hpp"
#include "device/headset.hpp"

namespace handspan {
namespace {

constexpr std::size_t kSide = 14;  // columns of a side
// a first time beyond this counts from elsewhere, as from 1970 [s]
constexpr double kOwnTime = 1e6;
constexpr double kMostTime = 1e13;  // [s]
// rows further apart are no one recording [s]; rows of one time, as of coarse clocks
constexpr double kMostGap = 60.0;
constexpr int kMostAtOnce = 5;
constexpr std::array kColumns = {
    "t",         "head_x",    "head_y",    "head_z",      "head_qx",   "head_qy",
    "head_qz",   "head_qw",   "l_source",  "l_x",         "l_y",       "l_z",
    "l_qx",      "l_qy",      "l_qz",      "l_qw",        "l_trigger", "l_squeeze",
    "l_stick_x", "l_stick_y", "l_primary", "l_secondary", "r_source",  "r_x",
    "r_y",       "r_z",       "r_qx",      "r_qy",        "r_qz",      "r_qw",
    "r_trigger", "r_squeeze", "r_stick_x", "r_stick_y",   "r_primary", "r_secondary"};
constexpr std::size_t kHeadColumn = 1, kLeftColumn = 8, kRightColumn = kLeftColumn + kSide;
static_assert(kColumns.size() == kRightColumn + kSide);

using Row = std::array<char*, kColumns.size()>;
using CsvRows = io::CSVReader<kColumns.size(), io::trim_chars<' ', '\t', '\r'>,
                              io::no_quote_escape<','>, io::throw_on_overflow>;

template <std::size_t... I>
void read_header(CsvRows& reader, std::index_sequence<I...>) {
  reader.read_header(io::ignore_extra_column | io::ignore_missing_column, kColumns[I]...);
}

template <std::size_t... I>
bool read_row(CsvRows& reader, Row& row, std::index_sequence<I...>) {
  return reader.read_row(row[I]...);
}

constexpr auto kAll = std::make_index_sequence<kColumns.size()>();

class Table {
 public:
  Table(std::string_view text, const std::string& name, std::string_view device)
      : file_(name), reader_(name, text.data(), text.data() + text.size()), device_(device) {
    read_header(reader_, kAll);
    if (!reader_.has_column(kColumns[0])) throw lacks(kColumns[0]);
    for (std::size_t side : {kLeftColumn, kRightColumn})
      has_[side == kRightColumn] = check_side(side);
    if (!has_[0] && !has_[1])
      throw InputError(
          fmt::format("{}:1: there is neither a left nor a right side; a recording of a headset "
                      "has the columns "
                      "l_source, l_x ... l_qw or r_source, r_x ... r_qw",
                      file_));
    has_head_ = reader_.has_column(kColumns[kHeadColumn]);
  }

  std::vector<Input> read() {
    std::vector<Input> samples;
    char nothing[] = "";
    Row row;
    row.fill(nothing);
    while (read_row(reader_, row, kAll)) {
      samples.push_back(sample(row));
      // columns that are missing stay empty
      row.fill(nothing);
    }
    if (samples.empty()) throw InputError(fmt::format("{}: there are no rows", file_));
    return samples;
  }

 private:
  InputError lacks(const char* column) const {
    return InputError(fmt::format(
        "{}:1: there is no column '{}'; a recording of a headset has t [s], and l_source, l_x ... "
        "l_qw or r_source, r_x ... r_qw",
        file_, column));
  }

  // a side is there as a whole or not at all
  bool check_side(std::size_t side) const {
    bool any = false, all = true;
    for (std::size_t c = side; c < side + 8; ++c) {
      any = any || reader_.has_column(kColumns[c]);
      all = all && reader_.has_column(kColumns[c]);
    }
    for (std::size_t c = side; any && !all && c < side + 8; ++c)
      if (!reader_.has_column(kColumns[c])) throw lacks(kColumns[c]);
    return any;
  }

  double number(const Row& row, std::size_t column) const {
    const std::string_view text = row[column];
    if (text.empty()) return std::numeric_limits<double>::quiet_NaN();
    double value = 0.0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc() || end != text.data() + text.size())
      throw InputError(fmt::format("{}:{}: {} is '{}'; it must be a number or empty", file_,
                                   reader_.get_file_line(), kColumns[column],
                                   shown(std::string(text))));
    return value;
  }

  void pose(const Row& row, std::size_t first, std::size_t index, TrackedAs as,
            DeviceSample& sample) const {
    Eigen::Matrix<double, 7, 1> v;
    for (Eigen::Index i = 0; i < 7; ++i) v[i] = number(row, first + static_cast<std::size_t>(i));
    sample.set_pose(index, as, v.head<3>(), Eigen::Quaterniond(v[6], v[3], v[4], v[5]));
  }

  TrackedAs source(const Row& row, std::size_t side) const {
    const std::string_view text = row[side];
    if (text == "controller") return TrackedAs::kController;
    if (text == "hand") return TrackedAs::kHand;
    if (text == "none" || text.empty()) return TrackedAs::kNone;
    throw InputError(fmt::format("{}:{}: {} is '{}'; it must be controller, hand or none", file_,
                                 reader_.get_file_line(), kColumns[side],
                                 shown(std::string(text))));
  }

  // as it is played [s]
  double time(const Row& row) {
    const double t = number(row, 0);
    const auto bad = [&](const std::string& cause, const char* hint) {
      return InputError(fmt::format("{}:{}: {}; {}", file_, reader_.get_file_line(), cause, hint));
    };
    if (!std::isfinite(t) || std::abs(t) > kMostTime)
      throw bad(fmt::format("t is '{}'", shown(row[0])), "it must be a time [s]");
    if (!before_) {
      if (std::abs(t) > kOwnTime) zero_ = t;
    } else {
      const double dt = t - *before_;
      at_once_ = dt == 0.0 ? at_once_ + 1 : 1;
      if (dt < 0.0)
        throw bad(fmt::format("t is {}, {:.6g} s before that of the row before", row[0], -dt),
                  "times must rise: sort the rows, or cut the recording here");
      if (dt > kMostGap)
        throw bad(fmt::format("t is {}, {:.6g} s after that of the row before", row[0], dt),
                  "t is in seconds, and a gap at most 60 s: correct the unit, or cut the recording "
                  "here");
      if (at_once_ > kMostAtOnce)
        throw bad(fmt::format("{} rows in a row are of t = {}", at_once_, row[0]),
                  "times must rise: give each row the time of its frame");
    }
    before_ = t;
    return t - zero_;
  }

  Input sample(const Row& row) {
    const DeviceLayout& layout = headset_layout();
    DeviceSample sample(device_, layout);
    sample.set_stamp(std::llround(time(row) * 1e9));
    for (std::size_t s = 0; s < 2; ++s) {
      const std::size_t side = s == 0 ? kLeftColumn : kRightColumn;
      const TrackedAs as = has_[s] ? source(row, side) : TrackedAs::kNone;
      if (as != TrackedAs::kNone) pose(row, side + 1, s, as, sample);
      // WebXR's stick_y is negative when it is pushed away
      for (std::size_t a = 0; a < 4; ++a)
        sample.set_axis(4 * s + a, (a == 3 ? -1.0 : 1.0) * number(row, side + 8 + a));
      for (std::size_t b = 0; b < 2; ++b)
        if (const double v = number(row, side + 12 + b); std::isfinite(v))
          sample.set_button(3 * s + b, v > 0.5);
    }
    if (has_head_) pose(row, kHeadColumn, 2, TrackedAs::kHead, sample);
    return sample.input();
  }

  std::string file_;  // its name, for messages
  CsvRows reader_;
  std::string device_;
  std::array<bool, 2> has_{};
  bool has_head_ = false;
  double zero_ = 0.0;             // the time that is played as 0 [s]
  std::optional<double> before_;  // t of the row before [s]
  int at_once_ = 1;               // rows that have it
};

// A table as spreadsheets save it where numbers have decimal commas: none of its columns would be
// found. Its header tells, which has no numbers.
void refuse_semicolons(std::string_view text, const std::string& name) {
  const std::string_view header = text.substr(0, text.find('\n'));
  if (header.find(';') == std::string_view::npos || header.find(',') != std::string_view::npos)
    return;
  const auto digit = [&](std::size_t i) {
    return i < text.size() && text[i] >= '0' && text[i] <= '9';
  };
  std::size_t comma = text.find(',', header.size());
  while (comma != std::string_view::npos && !(digit(comma - 1) && digit(comma + 1)))
    comma = text.find(',', comma + 1);
  if (comma == std::string_view::npos)
    throw InputError(
        fmt::format("{}:1: semicolons are between the columns; write commas: sed 's/;/,/g' {} > "
                    "OTHER.csv",
                    name, shell_word(name)));
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(comma), '\n');
  throw InputError(
      fmt::format("{}:{}: numbers have decimal commas, and semicolons are between the columns; "
                  "write decimal points and commas: sed 's/,/./g; s/;/,/g' {} > OTHER.csv",
                  name, line, shell_word(name)));
}

}  // namespace

std::vector<Input> parse_headset_csv(std::string_view text, const std::string& name,
                                     std::string_view device) {
  refuse_semicolons(text, name);
  try {
    return Table(text, name, device).read();
  } catch (const io::error::base& error) {
    // its text has place and cause
    throw InputError(fmt::format(
        "{}; give a recording of a headset as comma-separated values, with decimal points",
        error.what()));
  }
}

std::vector<Input> read_headset_csv(const std::filesystem::path& file, std::string_view device) {
  return parse_headset_csv(read_text_file(file), file.string(), device);
}

}  // namespace handspan
