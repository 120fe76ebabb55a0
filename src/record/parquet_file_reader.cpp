#include "record/parquet_file_reader.hpp"

#include <arrow/api.h>
#include <arrow/io/file.h>
#include <fmt/format.h>
#include <parquet/arrow/reader.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/suggest.hpp"

namespace handspan {
namespace {

// what is packed best is a column of one value; more than this of a small file is a damaged size
constexpr std::int64_t kLeastMemory = std::int64_t{64} << 20U, kMostMemory = std::int64_t{4} << 30U,
                       kMostPacked = 256;

// Arrow's memory, up to a bound: a damaged size does not take all there is.
class BoundedPool : public arrow::MemoryPool {
 public:
  explicit BoundedPool(std::int64_t most) : most_(most) {}
  using arrow::MemoryPool::Allocate;
  using arrow::MemoryPool::Free;
  using arrow::MemoryPool::Reallocate;

  arrow::Status Allocate(std::int64_t size, std::int64_t alignment, std::uint8_t** out) override {
    ARROW_RETURN_NOT_OK(room(size));
    return pool_->Allocate(size, alignment, out);
  }
  arrow::Status Reallocate(std::int64_t old_size, std::int64_t new_size, std::int64_t alignment,
                           std::uint8_t** ptr) override {
    ARROW_RETURN_NOT_OK(room(new_size - old_size));
    return pool_->Reallocate(old_size, new_size, alignment, ptr);
  }
  void Free(std::uint8_t* buffer, std::int64_t size, std::int64_t alignment) override {
    pool_->Free(buffer, size, alignment);
  }
  std::int64_t bytes_allocated() const override { return pool_->bytes_allocated(); }
  std::int64_t total_bytes_allocated() const override { return pool_->total_bytes_allocated(); }
  std::int64_t num_allocations() const override { return pool_->num_allocations(); }
  std::string backend_name() const override { return pool_->backend_name(); }

 private:
  arrow::Status room(std::int64_t more) const {
    if (more > most_ || pool_->bytes_allocated() > most_ - std::max<std::int64_t>(0, more))
      return arrow::Status::OutOfMemory("a size in it is larger than the file can hold");
    return arrow::Status::OK();
  }

  std::unique_ptr<arrow::MemoryPool> pool_ = arrow::MemoryPool::CreateDefault();
  std::int64_t most_;
};

bool is_number(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL:
    case arrow::Type::INT8:
    case arrow::Type::INT16:
    case arrow::Type::INT32:
    case arrow::Type::INT64:
    case arrow::Type::UINT8:
    case arrow::Type::UINT16:
    case arrow::Type::UINT32:
    case arrow::Type::UINT64:
    case arrow::Type::FLOAT:
    case arrow::Type::DOUBLE:
      return true;
    default:
      return false;
  }
}

bool is_text(const arrow::DataType& type) {
  return type.id() == arrow::Type::STRING || type.id() == arrow::Type::LARGE_STRING;
}

const arrow::DataType* item_of(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST:
    case arrow::Type::FIXED_SIZE_LIST:
      return type.field(0)->type().get();
    default:
      return nullptr;
  }
}

template <class Array>
void append_as(const arrow::Array& array, std::vector<double>& to) {
  const auto& values = static_cast<const Array&>(array);
  for (std::int64_t i = 0; i < values.length(); ++i)
    to.push_back(values.IsNull(i) ? std::numeric_limits<double>::quiet_NaN()
                                  : static_cast<double>(values.Value(i)));
}

void append(const arrow::Array& array, std::vector<double>& to) {
  switch (array.type_id()) {
    case arrow::Type::BOOL:
      return append_as<arrow::BooleanArray>(array, to);
    case arrow::Type::INT8:
      return append_as<arrow::Int8Array>(array, to);
    case arrow::Type::INT16:
      return append_as<arrow::Int16Array>(array, to);
    case arrow::Type::INT32:
      return append_as<arrow::Int32Array>(array, to);
    case arrow::Type::INT64:
      return append_as<arrow::Int64Array>(array, to);
    case arrow::Type::UINT8:
      return append_as<arrow::UInt8Array>(array, to);
    case arrow::Type::UINT16:
      return append_as<arrow::UInt16Array>(array, to);
    case arrow::Type::UINT32:
      return append_as<arrow::UInt32Array>(array, to);
    case arrow::Type::UINT64:
      return append_as<arrow::UInt64Array>(array, to);
    case arrow::Type::FLOAT:
      return append_as<arrow::FloatArray>(array, to);
    case arrow::Type::DOUBLE:
      return append_as<arrow::DoubleArray>(array, to);
    default:
      return;
  }
}

void append(const arrow::Array& array, std::vector<std::string>& to) {
  const auto all = [&](const auto& texts) {
    for (std::int64_t i = 0; i < texts.length(); ++i)
      to.push_back(texts.IsNull(i) ? std::string() : texts.GetString(i));
  };
  if (array.type_id() == arrow::Type::STRING) all(static_cast<const arrow::StringArray&>(array));
  if (array.type_id() == arrow::Type::LARGE_STRING)
    all(static_cast<const arrow::LargeStringArray&>(array));
}

// the items of each row of an array of lists: visit(row, items), items null where there is no list
void each_list(const arrow::Array& array, const auto& visit) {
  const auto all = [&](const auto& lists) {
    for (std::int64_t i = 0; i < lists.length(); ++i)
      visit(i, lists.IsNull(i) ? nullptr : lists.value_slice(i));
  };
  if (array.type_id() == arrow::Type::LIST) all(static_cast<const arrow::ListArray&>(array));
  if (array.type_id() == arrow::Type::LARGE_LIST)
    all(static_cast<const arrow::LargeListArray&>(array));
  if (array.type_id() == arrow::Type::FIXED_SIZE_LIST)
    all(static_cast<const arrow::FixedSizeListArray&>(array));
}

}  // namespace

struct ParquetFileReader::Impl {
  [[noreturn]] void damaged(const std::string& what, const arrow::Status& status) const {
    std::string why = status.message();
    std::ranges::replace(why, '\n', ' ');
    throw InputError(
        fmt::format("{}: {} cannot be read ({}); the file is damaged, cut off or of a "
                    "newer version: get it anew",
                    path.string(), what, shown(why)));
  }

  const ParquetField& find(const std::string& name, int& index) const {
    std::vector<std::string> names;
    for (const ParquetField& field : fields) names.push_back(field.name);
    const auto found = std::ranges::find(names, name);
    if (found == names.end())
      throw InputError(fmt::format("{}: there is no column '{}'; {}", path.string(), shown(name),
                                   did_you_mean(name, names, "it has")));
    index = static_cast<int>(found - names.begin());
    return fields[static_cast<std::size_t>(index)];
  }

  std::shared_ptr<arrow::ChunkedArray> column(const std::string& name, int index) const {
    std::shared_ptr<arrow::ChunkedArray> column;
    arrow::Status status = reader->ReadColumn(index, &column);
    // offsets of lists and texts lie within what they point into
    if (status.ok()) status = column->ValidateFull();
    if (status.ok() && column->length() != static_cast<std::int64_t>(rows))
      status = arrow::Status::Invalid("it has other rows than the file says");
    if (!status.ok()) damaged("the column '" + shown(name) + "'", status);
    return column;
  }

  std::filesystem::path path;
  std::unique_ptr<arrow::MemoryPool> pool;
  std::unique_ptr<parquet::arrow::FileReader> reader;
  std::vector<ParquetField> fields;
  std::size_t rows = 0;
};

ParquetFileReader::ParquetFileReader(const std::filesystem::path& file)
    : impl_(std::make_unique<Impl>()) {
  Impl& i = *impl_;
  i.path = file;
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error))
    throw InputError(
        fmt::format("{}: there is no such file; give the path of a Parquet file", file.string()));
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(file, error));
  i.pool = std::make_unique<BoundedPool>(
      std::clamp(bytes > kMostMemory / kMostPacked ? kMostMemory : bytes * kMostPacked,
                 kLeastMemory, kMostMemory));
  const auto open = [&]() -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(auto in, arrow::io::ReadableFile::Open(file.string(), i.pool.get()));
    parquet::arrow::FileReaderBuilder builder;
    ARROW_RETURN_NOT_OK(builder.Open(in, parquet::ReaderProperties(i.pool.get())));
    ARROW_RETURN_NOT_OK(builder.memory_pool(i.pool.get())->Build(&i.reader));
    std::shared_ptr<arrow::Schema> schema;
    ARROW_RETURN_NOT_OK(i.reader->GetSchema(&schema));
    for (const auto& field : schema->fields()) {
      const arrow::DataType& type = *field->type();
      const arrow::DataType* item = item_of(type);
      const arrow::DataType& value = item == nullptr ? type : *item;
      i.fields.push_back({field->name(), type.ToString(), is_number(value), is_text(value)});
    }
    return arrow::Status::OK();
  };
  arrow::Status status;
  try {
    status = open();
    if (status.ok()) {
      const std::int64_t rows = i.reader->parquet_reader()->metadata()->num_rows();
      if (rows < 0) status = arrow::Status::Invalid("it has fewer than no rows");
      i.rows = static_cast<std::size_t>(std::max<std::int64_t>(0, rows));
    }
  } catch (const std::exception& failure) {
    status = arrow::Status::Invalid(failure.what());
  }
  if (!status.ok()) i.damaged("it", status);
}

ParquetFileReader::~ParquetFileReader() = default;

std::size_t ParquetFileReader::rows() const { return impl_->rows; }
const std::vector<ParquetField>& ParquetFileReader::fields() const { return impl_->fields; }
bool ParquetFileReader::has(const std::string& field) const {
  return std::ranges::count(impl_->fields, field, &ParquetField::name) > 0;
}

ParquetNumbers ParquetFileReader::numbers(const std::string& name) const {
  const Impl& i = *impl_;
  int index = 0;
  const ParquetField& field = i.find(name, index);
  if (!field.numbers)
    throw InputError(
        fmt::format("{}: the column '{}' is {}, and numbers are asked for; name another",
                    i.path.string(), shown(name), shown(field.type)));
  ParquetNumbers numbers;
  try {
    const auto column = i.column(name, index);
    if (is_number(*column->type())) {
      for (const auto& chunk : column->chunks()) append(*chunk, numbers.values);
      return numbers;
    }
    std::size_t row = 0;
    for (const auto& chunk : column->chunks())
      each_list(*chunk, [&](std::int64_t, const std::shared_ptr<arrow::Array>& items) {
        const std::size_t width = items ? static_cast<std::size_t>(items->length()) : 0;
        if (row == 0) numbers.width = width;
        if (width != numbers.width || width == 0)
          throw InputError(fmt::format(
              "{}: the column '{}' has {} numbers in row {}, and {} in the first; give each row as "
              "many",
              i.path.string(), shown(name), width, row, numbers.width));
        append(*items, numbers.values);
        ++row;
      });
  } catch (const InputError&) {
    throw;
  } catch (const std::exception& failure) {
    i.damaged("the column '" + shown(name) + "'", arrow::Status::Invalid(failure.what()));
  }
  return numbers;
}

std::vector<std::vector<std::string>> ParquetFileReader::words(const std::string& name) const {
  const Impl& i = *impl_;
  int index = 0;
  const ParquetField& field = i.find(name, index);
  if (!field.words)
    throw InputError(fmt::format("{}: the column '{}' is {}, and words are asked for; name another",
                                 i.path.string(), shown(name), shown(field.type)));
  std::vector<std::vector<std::string>> rows;
  try {
    const auto column = i.column(name, index);
    for (const auto& chunk : column->chunks()) {
      if (is_text(*chunk->type())) {
        std::vector<std::string> all;
        append(*chunk, all);
        for (std::string& word : all) rows.push_back({std::move(word)});
        continue;
      }
      each_list(*chunk, [&](std::int64_t, const std::shared_ptr<arrow::Array>& items) {
        rows.emplace_back();
        if (items) append(*items, rows.back());
      });
    }
  } catch (const std::exception& failure) {
    i.damaged("the column '" + shown(name) + "'", arrow::Status::Invalid(failure.what()));
  }
  return rows;
}

}  // namespace handspan
