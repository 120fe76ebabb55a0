#include "record/hdf5_file.hpp"

#include <fmt/format.h>
#include <hdf5.h>

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

}  // namespace

struct Hdf5File::Impl {
  void require(bool good, const std::string& what) const {
    if (good) return;
    throw InputError(
        fmt::format("{}: {} cannot be written; see that the folder is there, may be "
                    "written to and has space",
                    path.string(), what));
  }
  std::filesystem::path path;
  hid_t file = -1;
};

Hdf5File::Hdf5File(const std::filesystem::path& file) : impl_(std::make_unique<Impl>()) {
  impl_->path = file;
  // errors are ours to tell
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  impl_->file = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  impl_->require(impl_->file >= 0, "the file");
}

Hdf5File::~Hdf5File() {
  if (impl_->file >= 0) H5Fclose(impl_->file);
}

void Hdf5File::group(const std::string& path) {
  const Id id(H5Gcreate2(impl_->file, path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
              H5Gclose);
  impl_->require(id >= 0, path);
}

void Hdf5File::matrix(const std::string& path, std::span<const double> values,
                      std::size_t columns) {
  const hsize_t size[2] = {columns == 0 ? 0 : values.size() / columns, columns};
  const Id space(H5Screate_simple(columns == 1 ? 1 : 2, size, nullptr), H5Sclose);
  const Id set(H5Dcreate2(impl_->file, path.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT,
                          H5P_DEFAULT, H5P_DEFAULT),
               H5Dclose);
  impl_->require(set >= 0, path);
  impl_->require(values.empty() || H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                                            values.data()) >= 0,
                 path);
}

void Hdf5File::attribute(const std::string& path, const std::string& name,
                         const std::string& value) {
  const Id object(H5Oopen(impl_->file, path.c_str(), H5P_DEFAULT), H5Oclose);
  const Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, value.empty() ? 1 : value.size());
  H5Tset_cset(type, H5T_CSET_UTF8);
  const Id space(H5Screate(H5S_SCALAR), H5Sclose);
  const Id attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
                     H5Aclose);
  impl_->require(attribute >= 0 && H5Awrite(attribute, type, value.c_str()) >= 0,
                 path + "." + name);
}

void Hdf5File::attribute(const std::string& path, const std::string& name, std::int64_t value) {
  const Id object(H5Oopen(impl_->file, path.c_str(), H5P_DEFAULT), H5Oclose);
  const Id space(H5Screate(H5S_SCALAR), H5Sclose);
  const Id attribute(
      H5Acreate2(object, name.c_str(), H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  impl_->require(attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT64, &value) >= 0,
                 path + "." + name);
}

void Hdf5File::close() {
  const bool flushed = H5Fflush(impl_->file, H5F_SCOPE_GLOBAL) >= 0;
  const bool closed = H5Fclose(impl_->file) >= 0;
  impl_->file = -1;
  impl_->require(flushed && closed, "the file");
}

}  // namespace handspan
