// One file, since it is many small schemas, one for each type of value.
#include "core/values.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>
#include <string_view>
#include <system_error>

#include "core/escape.hpp"
#include "core/files_read.hpp"
#include "core/suggest.hpp"
#include "core/tree_edit.hpp"

namespace handspan {
namespace {

// value [unit] = value [written] * factor / divisor; two terms, so that 12 mm is the double nearest
// 0.012
struct Conversion {
  std::string_view unit;
  std::string_view written;
  double factor;
  double divisor;
};

constexpr std::array kConversions{
    Conversion{"rad", "deg", std::numbers::pi, 180.0},
    Conversion{"rad/s", "deg/s", std::numbers::pi, 180.0},
    Conversion{"rad/s^2", "deg/s^2", std::numbers::pi, 180.0},
    Conversion{"rad/s^3", "deg/s^3", std::numbers::pi, 180.0},
    Conversion{"m", "mm", 1.0, 1000.0},
    Conversion{"m", "cm", 1.0, 100.0},
    Conversion{"m/s", "mm/s", 1.0, 1000.0},
    Conversion{"m/s", "cm/s", 1.0, 100.0},
    Conversion{"s", "ms", 1.0, 1000.0},
    Conversion{"s", "us", 1.0, 1e6},
    Conversion{"kg", "g", 1.0, 1000.0},
    Conversion{"Hz", "kHz", 1000.0, 1.0},
};

// SI units that numbers of the tree are in, besides those of the table above
constexpr std::array<std::string_view, 16> kUnits{
    "1/s", "1/s^2",  "N",     "N m",   "N m s/rad", "N m/rad", "N m/s", "N/m",
    "N/s", "kg m^2", "m/s^2", "m/s^3", "m^2/rad^2", "pixel",   "N s",   "W"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// a leading '+', which from_chars refuses, before a digit or a point
std::string_view without_plus(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && (is_digit(text[1]) || text[1] == '.')) {
    text.remove_prefix(1);
  }
  return text;
}

// The number that a text begins with, by the core schema of YAML 1.2 (section 10.3.2): 12, -1.5e3,
// .5, 5., 0x1f and 0o17, the last two without a sign.
struct NumberPrefix {
  double value = 0.0;
  std::string_view rest;  // what follows it
  bool based = false;     // written with 0x or 0o: it is `whole`, exactly
  std::uint64_t whole = 0;
  std::errc error{};  // invalid_argument: there is none
};

NumberPrefix number_prefix(std::string_view text) {
  NumberPrefix number;
  if (text.starts_with("0x") || text.starts_with("0o")) {
    const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(),
                                              number.whole, text[1] == 'x' ? 16 : 8);
    if (error != std::errc::invalid_argument) {
      number.value = static_cast<double>(number.whole);
      number.rest = text.substr(static_cast<std::size_t>(end - text.data()));
      number.based = true;
      number.error = error;
      return number;
    }
  }
  const std::string_view digits = without_plus(text);
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number.value);
  number.rest = digits.substr(static_cast<std::size_t>(end - digits.data()));
  // from_chars reads inf and nan too, which YAML writes otherwise
  number.error = std::isfinite(number.value) ? error : std::errc::invalid_argument;
  return number;
}

// what is wrong with a scalar, as cause and hint; empty cause for nothing
struct Problem {
  std::string cause;
  std::string hint;
};

std::string a_number(const std::string& unit) {
  return unit.empty() ? "it must be a number" : fmt::format("it must be a number in {}", unit);
}

// "1,5" or "-0,25": digits, one comma, digits
bool has_decimal_comma(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos || comma + 1 >= text.size()) return false;
  return is_digit(text[comma + 1]) && text.find(',', comma + 1) == std::string_view::npos;
}

// `text` begins with a number of `used` characters that is followed by `suffix`
std::optional<double> with_unit(double value, std::string_view suffix, const std::string& unit,
                                const Node& node, Problem& problem) {
  const std::size_t start = suffix.find_first_not_of(' ');
  const std::string_view written = suffix.substr(start == std::string_view::npos ? 0 : start);
  if (!unit.empty() && written == unit) return value;
  std::vector<std::string> admitted;
  if (!unit.empty()) admitted.push_back(unit);
  for (const Conversion& conversion : kConversions) {
    if (conversion.unit != unit) continue;
    if (conversion.written == written) return value * conversion.factor / conversion.divisor;
    admitted.emplace_back(conversion.written);
  }
  problem.cause = node.predicate();
  if (has_decimal_comma(node.scalar())) {
    problem.hint = "write a decimal point, not a comma";
  } else if (written == "\xC2\xB0" && unit == "rad") {
    problem.hint = fmt::format("write '{} deg'", value);
  } else if (unit.empty()) {
    problem.hint = "it must be a number without a unit";
  } else {
    problem.hint = std::string("it must be a number in ") + (admitted.size() > 1 ? "one of " : "") +
                   joined(admitted);
  }
  return std::nullopt;
}

// ", which is infinite" for .inf in YAML's spellings and in those of other programs, likewise for
// .nan; "" for all else
std::string not_finite(std::string_view text) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  if (!text.empty() && text[0] == '.') text.remove_prefix(1);
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (lower == "inf" || lower == "infinity") return ", which is infinite";
  return lower == "nan" ? ", which is not a number" : "";
}

std::optional<double> parse_number(const Node& node, const std::string& unit, Problem& problem);

// The hint for numbers in the notation of YAML 1.1 or of a programming language: 1_000, 0b101,
// -0x10, 0x10 with a unit; "" where it is none of them.
std::string written_otherwise(const std::string& scalar, const std::string& unit) {
  const auto reads = [&](const std::string& text) {
    Problem unused;
    return parse_number(scalar_node(text, {}), unit, unused).has_value();
  };
  if (std::string plain = scalar; std::erase(plain, '_') > 0 && reads(plain))
    return "write " + plain;
  const bool negative = scalar.starts_with('-');
  const std::string_view unsigned_text =
      std::string_view(scalar).substr(negative || scalar.starts_with('+') ? 1 : 0);
  NumberPrefix number = number_prefix(unsigned_text);
  if (unsigned_text.starts_with("0b")) {
    const char* const last = unsigned_text.data() + unsigned_text.size();
    const auto [end, error] = std::from_chars(unsigned_text.data() + 2, last, number.whole, 2);
    number.value = static_cast<double>(number.whole);
    number.rest = unsigned_text.substr(static_cast<std::size_t>(end - unsigned_text.data()));
    number.based = true;
    number.error = error;
  }
  if (!number.based || number.error != std::errc()) return "";
  const std::string plain = fmt::format("{}{}{}", negative ? "-" : "", number.whole, number.rest);
  return reads(plain) ? "write " + plain : "";
}

std::optional<double> parse_number(const Node& node, const std::string& unit, Problem& problem) {
  problem = {node.predicate(), a_number(unit)};
  if (node.kind() != Node::Kind::kScalar) return std::nullopt;
  const std::string& scalar = node.scalar();
  if (const std::string is = not_finite(scalar); !is.empty()) {
    problem = {problem.cause + is, "it must be finite"};
    return std::nullopt;
  }
  const NumberPrefix number = number_prefix(scalar);
  if (number.error == std::errc::invalid_argument) return std::nullopt;
  if (number.error == std::errc::result_out_of_range) {
    problem.hint =
        number.based ? "it must fit 64 bits" : "it must be a number that a double can hold";
    return std::nullopt;
  }
  if (node.quoted()) {
    problem.hint = "write the number without quotes";
    return std::nullopt;
  }
  if (number.rest.empty()) return number.value;
  if (!number.based)
    if (const auto value = with_unit(number.value, number.rest, unit, node, problem)) return value;
  if (std::string hint = written_otherwise(scalar, unit); !hint.empty())
    problem.hint = std::move(hint);
  return std::nullopt;
}

std::optional<double> read_number(const Node& node, Reader& reader, const std::string& unit) {
  Problem problem;
  const auto value = parse_number(node, unit, problem);
  if (!value) reader.report(node.place(), std::move(problem.cause), std::move(problem.hint));
  return value;
}

// the SI unit of what follows a number's digits; nullopt when no number has such a unit
std::optional<std::string> unit_of(std::string_view suffix) {
  const std::size_t start = suffix.find_first_not_of(' ');
  if (start == std::string_view::npos) return "";
  suffix.remove_prefix(start);
  for (const Conversion& conversion : kConversions)
    if (conversion.written == suffix || conversion.unit == suffix)
      return std::string(conversion.unit);
  for (const std::string_view unit : kUnits)
    if (unit == suffix) return std::string(unit);
  return std::nullopt;
}

std::optional<WrittenNumber> parse_number_with_unit(const Node& node, Problem& problem) {
  // no unit has a '_', and numbers with it are told what they are to be
  std::string plain = node.scalar();
  std::erase(plain, '_');
  const NumberPrefix written = number_prefix(plain);
  const auto unit = unit_of(written.rest);
  const auto number = parse_number(node, unit.value_or(""), problem);
  if (number) return WrittenNumber{*number, *unit};
  if (!unit && written.error != std::errc::invalid_argument && !has_decimal_comma(node.scalar()) &&
      !problem.hint.starts_with("write "))
    problem.hint = "it must be a number, in a unit such as m, mm, deg or m/s";
  return std::nullopt;
}

std::optional<WrittenNumber> read_number_with_unit(const Node& node, Reader& reader) {
  Problem problem;
  const auto value = parse_number_with_unit(node, problem);
  if (!value) reader.report(node.place(), std::move(problem.cause), std::move(problem.hint));
  return value;
}

// every whole number in base 10 that fits; in other forms (1e3, 1000.0) those below 2^53,
// of which the double is that number
std::optional<std::int64_t> parse_integer(std::string_view text, std::errc& error) {
  const std::string_view digits = without_plus(text);
  std::int64_t value = 0;
  const char* const last = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), last, value);
  error = result.ec == std::errc() && result.ptr != last ? std::errc::invalid_argument : result.ec;
  if (error == std::errc()) return value;
  const NumberPrefix number = number_prefix(text);
  if (!number.rest.empty() || number.error == std::errc::invalid_argument) return std::nullopt;
  if (number.based) {
    error = number.whole > INT64_MAX ? std::errc::result_out_of_range : number.error;
    if (error != std::errc()) return std::nullopt;
    return static_cast<std::int64_t>(number.whole);
  }
  if (number.error != std::errc() || std::abs(number.value) >= 0x1p53 ||
      std::trunc(number.value) != number.value)
    return std::nullopt;
  error = {};
  return static_cast<std::int64_t>(number.value);
}

std::optional<std::int64_t> read_integer(const Node& node, Reader& reader) {
  std::errc error{};
  std::string hint = "it must be a whole number";
  if (node.kind() == Node::Kind::kScalar && !node.quoted()) {
    if (const auto value = parse_integer(node.scalar(), error)) return value;
    if (std::string written = written_otherwise(node.scalar(), ""); !written.empty())
      hint = std::move(written);
  }
  // 1e18 is whole, and the double of 9007199254740993.0 is another number
  if (error == std::errc::invalid_argument && hint.starts_with("it")) {
    const NumberPrefix number = number_prefix(node.scalar());
    if (number.error == std::errc() && number.rest.empty() && std::abs(number.value) >= 0x1p53)
      hint = "write it without a point or an exponent";
  }
  if (error == std::errc::result_out_of_range) hint = "it must fit 64 bits";
  reader.report(node.place(), node.predicate(), std::move(hint));
  return std::nullopt;
}

std::optional<bool> read_boolean(const Node& node, Reader& reader) {
  if (node.kind() == Node::Kind::kScalar && !node.quoted()) {
    if (node.scalar() == "true") return true;
    if (node.scalar() == "false") return false;
  }
  reader.report(node.place(), node.predicate(), "it must be true or false");
  return std::nullopt;
}

std::optional<std::string> read_text(const Node& node, Reader& reader) {
  if (node.kind() == Node::Kind::kScalar && !node.scalar().empty()) return node.scalar();
  reader.report(node.place(),
                node.kind() == Node::Kind::kScalar ? "is an empty text" : node.predicate(),
                "it must be a text");
  return std::nullopt;
}

std::optional<Rate> read_rate(const Node& node, Reader& reader) {
  try {
    const std::string& scalar = node.scalar();
    if (const std::size_t slash = scalar.find('/'); slash != std::string::npos) {
      std::errc error{};
      const auto num = parse_integer(std::string_view(scalar).substr(0, slash), error);
      const auto den = parse_integer(std::string_view(scalar).substr(slash + 1), error);
      if (num && den) return Rate::of(*num, *den);
    }
    const auto value = read_number(node, reader, "Hz");
    if (!value) return std::nullopt;
    return Rate::hz(*value);
  } catch (const InputError& error) {
    reader.report(node.place(), node.predicate(), error.what());
    return std::nullopt;
  }
}

Schema<std::filesystem::path> existing(bool folder_is_meant) {
  Description description;
  description.type = folder_is_meant ? "folder" : "file";
  return {
      [folder_is_meant](const Node& node, Reader& reader) -> std::optional<std::filesystem::path> {
        const auto name = read_text(node, reader);
        if (!name) return std::nullopt;
        const std::filesystem::path path = (reader.folder() / *name).lexically_normal();
        std::error_code error;
        const std::filesystem::file_status status = std::filesystem::status(path, error);
        // a path is said whole
        const std::string is = fmt::format("is '{}'", printable(*name));
        if (!std::filesystem::exists(status)) {
          reader.report(node.place(), is,
                        fmt::format("there is no {} '{}'", folder_is_meant ? "folder" : "file",
                                    printable(path.string())));
          return std::nullopt;
        }
        if (std::filesystem::is_directory(status) != folder_is_meant) {
          reader.report(node.place(), is,
                        folder_is_meant ? "it must be a folder, not a file"
                                        : "it must be a file, not a folder");
          return std::nullopt;
        }
        if (!folder_is_meant) FilesRead::note(path);
        return path;
      },
      std::move(description)};
}

template <class T>
Schema<T> scalar(std::optional<T> (*read)(const Node&, Reader&), const char* type) {
  Description description;
  description.type = type;
  return {read, std::move(description)};
}

}  // namespace

Schema<double> number(const std::string& unit) {
  Description description;
  description.type = "number";
  description.unit = unit;
  return {[unit](const Node& node, Reader& reader) { return read_number(node, reader, unit); },
          std::move(description)};
}

Schema<WrittenNumber> number_with_unit() {
  return scalar(&read_number_with_unit, "number with or without a unit");
}

std::optional<WrittenNumber> parse_number_with_unit(const std::string& text) {
  Problem problem;
  return parse_number_with_unit(scalar_node(text, {}), problem);
}

Schema<std::int64_t> integer() { return scalar(&read_integer, "whole number"); }

Schema<bool> boolean() { return scalar(&read_boolean, "true or false"); }

Schema<std::string> text() { return scalar(&read_text, "text"); }

Schema<Rate> rate() {
  Description description;
  description.type = "rate";
  description.unit = "Hz";
  return {&read_rate, std::move(description)};
}

Schema<std::filesystem::path> file() { return existing(false); }

Schema<std::filesystem::path> folder() { return existing(true); }

Schema<Eigen::VectorXd> dynamic_vector(const std::string& unit) {
  Description description;
  description.type = schema_detail::numbers_type(-1);
  description.unit = unit;
  return {[unit](const Node& node, Reader& reader) {
            return schema_detail::read_numbers(node, reader, unit, -1);
          },
          std::move(description)};
}

Schema<Eigen::Matrix3d> matrix3() {
  Description description;
  description.type = "list of 3 rows of 3 numbers";
  return {[](const Node& node, Reader& reader) -> std::optional<Eigen::Matrix3d> {
            if (node.kind() != Node::Kind::kList || node.items().size() != 3) {
              reader.report(node.place(),
                            node.kind() == Node::Kind::kList
                                ? schema_detail::size_predicate(node.items().size())
                                : node.predicate(),
                            "it must be a list of 3 rows of 3 numbers");
              return std::nullopt;
            }
            Eigen::Matrix3d M;
            bool good = true;
            for (int i = 0; i < 3; ++i) {
              const auto step = reader.enter(static_cast<std::size_t>(i));
              const auto row = schema_detail::read_numbers(
                  node.items()[static_cast<std::size_t>(i)], reader, "", 3);
              if (row) M.row(i) = row->transpose();
              good = good && row;
            }
            if (!good) return std::nullopt;
            return M;
          },
          std::move(description)};
}

Schema<Eigen::Quaterniond> quaternion() {
  Description description;
  description.type = "quaternion [x, y, z, w]";
  return {[](const Node& node, Reader& reader) -> std::optional<Eigen::Quaterniond> {
            const auto xyzw = schema_detail::read_numbers(node, reader, "", 4);
            if (!xyzw) return std::nullopt;
            const double norm = xyzw->norm();
            if (std::abs(norm - 1.0) > 1e-6) {
              reader.report(node.place(), fmt::format("has the norm {:.7g}", norm),
                            "a rotation's [x, y, z, w] has the norm 1");
              return std::nullopt;
            }
            const Eigen::Vector4d unit = *xyzw / norm;
            return Eigen::Quaterniond(unit[3], unit[0], unit[1], unit[2]);
          },
          std::move(description)};
}

namespace {

// Who writes one angle for a list of them, as `rpy: 180`, is shown how it is written; a number
// beyond a turn is taken for degrees.
std::string angles_example(const Node& node, Eigen::Index size) {
  Problem unused;
  const auto value = parse_number(node, "rad", unused);
  const bool degrees = !value || std::abs(*value) > 2.0 * std::numbers::pi;
  const std::string angle = !value    ? "90 deg"
                            : degrees ? fmt::format("{} deg", *value)
                                      : node.scalar();
  return size == 3
             ? fmt::format(", in rad or with their unit, such as [0, 0, {}]", angle)
             : fmt::format(", in rad or with their unit, such as [{}, 0], one a joint", angle);
}

}  // namespace

namespace schema_detail {

std::string numbers_type(Eigen::Index size) {
  return size < 0 ? "list of numbers" : fmt::format("list of {} numbers", size);
}

std::optional<Eigen::VectorXd> read_numbers(const Node& node, Reader& reader,
                                            const std::string& unit, Eigen::Index size) {
  const auto& items = node.items();
  const auto count = static_cast<Eigen::Index>(items.size());
  if (node.kind() != Node::Kind::kList || (size >= 0 && count != size)) {
    const bool list = node.kind() == Node::Kind::kList;
    std::string hint = "it must be a " + numbers_type(size);
    if (!list && unit == "rad") hint += angles_example(node, size);
    reader.report(node.place(), list ? size_predicate(items.size()) : node.predicate(),
                  std::move(hint));
    return std::nullopt;
  }
  Eigen::VectorXd values(count);
  bool good = true;
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto step = reader.enter(static_cast<std::size_t>(i));
    const auto value = read_number(items[static_cast<std::size_t>(i)], reader, unit);
    if (value) values[i] = *value;
    good = good && value;
  }
  if (!good) return std::nullopt;
  return values;
}

}  // namespace schema_detail
}  // namespace handspan
