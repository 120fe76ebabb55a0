#include "record/parquet_file.hpp"

#include <arrow/api.h>
#include <arrow/io/file.h>
#include <fmt/format.h>
#include <parquet/arrow/writer.h>

#include "core/error.hpp"

namespace handspan {
namespace {

constexpr std::int64_t kGroup = 65536;  // rows

void require(const std::filesystem::path& file, const arrow::Status& status) {
  if (!status.ok())
    throw InputError(
        fmt::format("{}: it cannot be written ({}); see that the folder is there, may be written "
                    "to and has space",
                    file.string(), status.message()));
}

template <class T>
struct Filler;

// what a builder of Arrow's takes, and its type
template <>
struct Filler<std::int64_t> {
  using Builder = arrow::Int64Builder;
  static auto type() { return arrow::int64(); }
};
template <>
struct Filler<double> {
  using Builder = arrow::DoubleBuilder;
  static auto type() { return arrow::float64(); }
};
template <>
struct Filler<float> {
  using Builder = arrow::FloatBuilder;
  static auto type() { return arrow::float32(); }
};
template <>
struct Filler<bool> {
  using Builder = arrow::BooleanBuilder;
  static auto type() { return arrow::boolean(); }
};
template <>
struct Filler<std::string> {
  using Builder = arrow::StringBuilder;
  static auto type() { return arrow::utf8(); }
};

template <class T>
arrow::Status fill(const std::vector<T>& values, std::shared_ptr<arrow::Array>& array) {
  typename Filler<T>::Builder builder;
  for (const auto& value : values) ARROW_RETURN_NOT_OK(builder.Append(value));
  return builder.Finish(&array);
}

template <class T>
arrow::Status fill(const std::vector<std::vector<T>>& rows, std::shared_ptr<arrow::Array>& array) {
  auto values = std::make_shared<typename Filler<T>::Builder>();
  arrow::ListBuilder builder(arrow::default_memory_pool(), values);
  for (const auto& row : rows) {
    ARROW_RETURN_NOT_OK(builder.Append());
    for (const auto& value : row) ARROW_RETURN_NOT_OK(values->Append(value));
  }
  return builder.Finish(&array);
}

arrow::Status fill(const ParquetVectors& vectors, std::shared_ptr<arrow::Array>& array) {
  auto values = std::make_shared<arrow::FloatBuilder>();
  const auto size = static_cast<std::int32_t>(vectors.size);
  arrow::FixedSizeListBuilder builder(arrow::default_memory_pool(), values, size);
  for (std::size_t at = 0; at < vectors.values.size(); at += vectors.size) {
    ARROW_RETURN_NOT_OK(builder.Append());
    ARROW_RETURN_NOT_OK(values->AppendValues(vectors.values.data() + at, size));
  }
  return builder.Finish(&array);
}

arrow::Status write(const std::filesystem::path& file, const arrow::Table& table) {
  ARROW_ASSIGN_OR_RAISE(auto out, arrow::io::FileOutputStream::Open(file.string()));
  const auto with =
      parquet::WriterProperties::Builder().compression(parquet::Compression::ZSTD)->build();
  const auto schema = parquet::ArrowWriterProperties::Builder().store_schema()->build();
  ARROW_RETURN_NOT_OK(
      parquet::arrow::WriteTable(table, arrow::default_memory_pool(), out, kGroup, with, schema));
  return out->Close();
}

}  // namespace

std::size_t rows_of(const ParquetColumn& column) {
  if (const auto* vectors = std::get_if<ParquetVectors>(&column.values))
    return vectors->size == 0 ? 0 : vectors->values.size() / vectors->size;
  return std::visit(
      [](const auto& values) -> std::size_t {
        if constexpr (requires { values.begin(); })
          return values.size();
        else
          return 0;
      },
      column.values);
}

void write_parquet(const std::filesystem::path& file, const std::vector<ParquetColumn>& columns,
                   const std::map<std::string, std::string>& about) {
  std::vector<std::shared_ptr<arrow::Field>> fields;
  std::vector<std::shared_ptr<arrow::Array>> arrays;
  for (const ParquetColumn& column : columns) {
    std::shared_ptr<arrow::Array> array;
    std::visit([&](const auto& values) { require(file, fill(values, array)); }, column.values);
    fields.push_back(arrow::field(column.name, array->type()));
    arrays.push_back(std::move(array));
  }
  auto schema = arrow::schema(fields);
  if (!about.empty()) {
    auto metadata = std::make_shared<arrow::KeyValueMetadata>();
    for (const auto& [key, value] : about) metadata->Append(key, value);
    schema = schema->WithMetadata(metadata);
  }
  require(file, write(file, *arrow::Table::Make(schema, arrays)));
}

}  // namespace handspan
