#include "record/hdf5_file.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>

#include "core/error.hpp"

namespace handspan {
namespace {

// an identifier of HDF5's, closed by its kind
class Id {
 public:
  Id(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Id() {
    if (id_ >= 0) close_(id_);
  }
  Id(const Id&) = delete;
  Id& operator=(const Id&) = delete;
  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor)

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

constexpr std::size_t kChunkRows = 16;  // of bytes
constexpr unsigned kDeflate = 4;

}  // namespace

struct Hdf5File::Impl {
  void require(bool good, const std::string& what) const {
    if (good) return;
    throw InputError(
        fmt::format("{}: {} cannot be written; see that the folder is there, may be "
                    "written to and has space",
                    path.string(), what));
  }
  void must_be_there(bool good, const std::string& what) const {
    if (good) return;
    throw InputError(
        fmt::format("{}: it has no {}; only a data set that this program wrote can be added to",
                    path.string(), what));
  }
  bool has(const std::string& what) const {
    // each part of the path: HDF5 takes a missing one on the way for an error
    for (std::size_t at = what.find('/', 1);; at = what.find('/', at + 1)) {
      const std::string part = what.substr(0, at);
      if (part != "/" && H5Lexists(file, part.c_str(), H5P_DEFAULT) <= 0) return false;
      if (at == std::string::npos) return true;
    }
  }
  void remove(const std::string& what) const {
    if (has(what)) H5Ldelete(file, what.c_str(), H5P_DEFAULT);
  }
  void write(const std::string& what, const void* values, std::span<const hsize_t> size,
             hid_t file_type, hid_t memory_type, bool packed = false) const {
    remove(what);
    const Id space(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), H5Sclose);
    const Id how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const bool empty = std::ranges::count(size, hsize_t{0}) > 0;
    if (packed && !empty) {
      const hsize_t chunk[2] = {std::min<hsize_t>(kChunkRows, size[0]), size[1]};
      H5Pset_chunk(how, 2, chunk);
      H5Pset_deflate(how, kDeflate);
    }
    const Id set(H5Dcreate2(file, what.c_str(), file_type, space, H5P_DEFAULT, how, H5P_DEFAULT),
                 H5Dclose);
    require(set >= 0, what);
    require(empty || H5Dwrite(set, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0, what);
  }
  void attribute(const std::string& what, const std::string& name, hid_t space, hid_t file_type,
                 hid_t memory_type, const void* value) const {
    const Id object(H5Oopen(file, what.c_str(), H5P_DEFAULT), H5Oclose);
    if (H5Aexists(object, name.c_str()) > 0) H5Adelete(object, name.c_str());
    const Id id(H5Acreate2(object, name.c_str(), file_type, space, H5P_DEFAULT, H5P_DEFAULT),
                H5Aclose);
    require(id >= 0 && H5Awrite(id, memory_type, value) >= 0, what + "." + name);
  }

  std::filesystem::path path;
  hid_t file = -1;
};

Hdf5File::Hdf5File(const std::filesystem::path& file, Open how) : impl_(std::make_unique<Impl>()) {
  impl_->path = file;
  // errors are ours to tell
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  if (how == Open::kNew) {
    impl_->file = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    impl_->require(impl_->file >= 0, "the file");
    return;
  }
  impl_->file = H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  if (impl_->file < 0)
    throw InputError(fmt::format(
        "{}: it is not an HDF5 file that may be written to; name one that this program wrote",
        file.string()));
}

Hdf5File::~Hdf5File() {
  if (impl_->file >= 0) H5Fclose(impl_->file);
}

void Hdf5File::group(const std::string& path) {
  if (impl_->has(path)) return;
  const Id id(H5Gcreate2(impl_->file, path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
              H5Gclose);
  impl_->require(id >= 0, path);
}

void Hdf5File::matrix(const std::string& path, std::span<const double> values,
                      std::size_t columns) {
  const hsize_t size[] = {columns == 0 ? 0 : values.size() / columns, columns};
  impl_->write(path, values.data(), size, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE);
}

void Hdf5File::vector(const std::string& path, std::span<const double> values) {
  const hsize_t size[] = {values.size()};
  impl_->write(path, values.data(), size, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE);
}

void Hdf5File::vector(const std::string& path, std::span<const std::int64_t> values) {
  const hsize_t size[] = {values.size()};
  impl_->write(path, values.data(), size, H5T_STD_I64LE, H5T_NATIVE_INT64);
}

void Hdf5File::bytes(const std::string& path, std::span<const std::byte> values,
                     std::size_t columns) {
  const hsize_t size[] = {columns == 0 ? 0 : values.size() / columns, columns};
  impl_->write(path, values.data(), size, H5T_STD_U8LE, H5T_NATIVE_UINT8, true);
}

void Hdf5File::words(const std::string& path, const std::vector<std::string>& values) {
  // of one size, as robomimic has them
  std::size_t longest = 1;
  for (const auto& word : values) longest = std::max(longest, word.size());
  std::string all(longest * values.size(), '\0');
  for (std::size_t i = 0; i < values.size(); ++i)
    std::ranges::copy(values[i], all.begin() + static_cast<std::ptrdiff_t>(i * longest));
  const Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, longest);
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  const hsize_t size[] = {values.size()};
  impl_->write(path, all.data(), size, type, type);
}

void Hdf5File::attribute(const std::string& path, const std::string& name,
                         const std::string& value) {
  // of any length, which Python reads as text and not as bytes
  const Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  const Id space(H5Screate(H5S_SCALAR), H5Sclose);
  const char* text = value.c_str();
  impl_->attribute(path, name, space, type, type, &text);
}

void Hdf5File::attribute(const std::string& path, const std::string& name, std::int64_t value) {
  const Id space(H5Screate(H5S_SCALAR), H5Sclose);
  impl_->attribute(path, name, space, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
}

void Hdf5File::attribute(const std::string& path, const std::string& name,
                         std::span<const double> values) {
  const hsize_t size[] = {values.size()};
  const Id space(H5Screate_simple(1, size, nullptr), H5Sclose);
  impl_->attribute(path, name, space, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.data());
}

bool Hdf5File::has(const std::string& path) const { return impl_->has(path); }

std::vector<std::string> Hdf5File::names(const std::string& group) const {
  std::vector<std::string> found;
  if (!impl_->has(group)) return found;
  const auto note = [](hid_t, const char* name, const H5L_info_t*, void* to) -> herr_t {
    static_cast<std::vector<std::string>*>(to)->emplace_back(name);
    return 0;
  };
  H5Literate_by_name(impl_->file, group.c_str(), H5_INDEX_NAME, H5_ITER_INC, nullptr, note, &found,
                     H5P_DEFAULT);
  return found;
}

std::vector<double> Hdf5File::numbers(const std::string& path) const {
  const Id set(H5Dopen2(impl_->file, path.c_str(), H5P_DEFAULT), H5Dclose);
  impl_->must_be_there(set >= 0, path);
  const Id space(H5Dget_space(set), H5Sclose);
  const hssize_t n = H5Sget_simple_extent_npoints(space);
  std::vector<double> values(static_cast<std::size_t>(std::max<hssize_t>(0, n)));
  impl_->must_be_there(values.empty() || H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL,
                                                 H5P_DEFAULT, values.data()) >= 0,
                       path);
  return values;
}

std::vector<std::string> Hdf5File::read_words(const std::string& path) const {
  const Id set(H5Dopen2(impl_->file, path.c_str(), H5P_DEFAULT), H5Dclose);
  impl_->must_be_there(set >= 0, path);
  const Id type(H5Dget_type(set), H5Tclose), space(H5Dget_space(set), H5Sclose);
  impl_->must_be_there(H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) <= 0, path);
  const auto n =
      static_cast<std::size_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space)));
  const std::size_t length = H5Tget_size(type);
  std::string all(n * length, '\0');
  impl_->must_be_there(n == 0 || H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) >= 0,
                       path);
  std::vector<std::string> values;
  for (std::size_t i = 0; i < n; ++i) {
    std::string word = all.substr(i * length, length);
    word.resize(std::min(word.find('\0'), word.size()));
    values.push_back(std::move(word));
  }
  return values;
}

std::string Hdf5File::text_attribute(const std::string& path, const std::string& name) const {
  const Id id(H5Aopen_by_name(impl_->file, path.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
              H5Aclose);
  impl_->must_be_there(id >= 0, path + "." + name);
  const Id type(H5Aget_type(id), H5Tclose);
  char* text = nullptr;
  impl_->must_be_there(H5Tis_variable_str(type) > 0 && H5Aread(id, type, &text) >= 0 && text,
                       path + "." + name);
  std::string value = text;
  H5free_memory(text);
  return value;
}

std::vector<double> Hdf5File::numbers_attribute(const std::string& path,
                                                const std::string& name) const {
  const Id id(H5Aopen_by_name(impl_->file, path.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
              H5Aclose);
  impl_->must_be_there(id >= 0, path + "." + name);
  const Id space(H5Aget_space(id), H5Sclose);
  std::vector<double> values(
      static_cast<std::size_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space))));
  impl_->must_be_there(H5Aread(id, H5T_NATIVE_DOUBLE, values.data()) >= 0, path + "." + name);
  return values;
}

void Hdf5File::close() {
  const bool flushed = H5Fflush(impl_->file, H5F_SCOPE_GLOBAL) >= 0;
  const bool closed = H5Fclose(impl_->file) >= 0;
  impl_->file = -1;
  impl_->require(flushed && closed, "the file");
}

}  // namespace handspan
