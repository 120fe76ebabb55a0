#include "record/hdf5_file_reader.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cstring>

#include "core/error.hpp"
#include "core/escape.hpp"

namespace handspan {
namespace {

// an identifier of HDF5's, closed by its kind
class OpenId {
 public:
  OpenId(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~OpenId() {
    if (id_ >= 0) close_(id_);
  }
  OpenId(const OpenId&) = delete;
  OpenId& operator=(const OpenId&) = delete;
  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor)

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

constexpr std::size_t kMostItems = 100'000;
constexpr int kMostLevels = 24, kMostDimensions = 8;
// deflate makes of a byte 1032 at most; who says more has a damaged size
constexpr std::uint64_t kMostInflated = 1032;
constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30U;  // of one data set in memory
constexpr std::uint64_t kMostTextBytes = 16U << 20U;

std::string type_name(hid_t type) {
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return fmt::format("{}int{}", H5Tget_sign(type) == H5T_SGN_NONE ? "u" : "",
                         8 * H5Tget_size(type));
    case H5T_FLOAT:
      return fmt::format("float{}", 8 * H5Tget_size(type));
    case H5T_ENUM:
      return "bool";
    case H5T_STRING:
      return "text";
    case H5T_COMPOUND:
      return "compound";
    default:
      return "other";
  }
}

bool is_number(hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  return (kind == H5T_INTEGER || kind == H5T_FLOAT || kind == H5T_ENUM) && H5Tget_size(type) <= 16;
}

std::string joined_path(const std::string& group, const std::string& name) {
  return group == "/" ? "/" + name : group + "/" + name;
}

// the names of a group's own links: of links into other files none
struct Links {
  std::vector<std::string> names;
  static herr_t note(hid_t, const char* name, const H5L_info_t* info, void* to) {
    auto& names = static_cast<Links*>(to)->names;
    if (info->type == H5L_TYPE_HARD) names.emplace_back(name);
    return names.size() > kMostItems ? -1 : 0;
  }
};

}  // namespace

struct Hdf5FileReader::Impl {
  [[noreturn]] void fail(const std::string& what, const std::string& cause) const {
    throw InputError(fmt::format("{}: {} {}", path.string(), printable(what), cause));
  }
  [[noreturn]] void damaged(const std::string& what) const {
    fail(what, "cannot be read; the file is damaged or cut off: get it anew, or leave that out");
  }

  std::vector<std::string> links(const std::string& group) const {
    Links links;
    if (H5Literate_by_name(file, group.c_str(), H5_INDEX_NAME, H5_ITER_INC, nullptr, Links::note,
                           &links, H5P_DEFAULT) < 0)
      damaged(group);
    return links.names;
  }

  bool has(const std::string& what) const {
    // each part of the path: HDF5 takes a missing one on the way for an error
    for (std::size_t at = what.find('/', 1);; at = what.find('/', at + 1)) {
      const std::string part = what.substr(0, at);
      if (part != "/" && H5Lexists(file, part.c_str(), H5P_DEFAULT) <= 0) return false;
      if (at == std::string::npos) return true;
    }
  }

  H5I_type_t kind(const std::string& what) const {
    const OpenId object(H5Oopen(file, what.c_str(), H5P_DEFAULT), H5Oclose);
    return object < 0 ? H5I_BADID : H5Iget_type(object);
  }

  std::vector<std::size_t> shape(hid_t set, const std::string& what) const {
    const OpenId space(H5Dget_space(set), H5Sclose);
    const int n = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    if (n < 0) damaged(what);
    if (n > kMostDimensions)
      fail(what, fmt::format("has {} dimensions, and {} are the most", n, kMostDimensions));
    hsize_t size[kMostDimensions] = {};
    if (n > 0 && H5Sget_simple_extent_dims(space, size, nullptr) < 0) damaged(what);
    return {size, size + n};
  }

  // how many values it has, if the file can hold so many of so many bytes
  std::size_t count(hid_t set, const std::vector<std::size_t>& size, std::size_t each,
                    const std::string& what) const {
    std::uint64_t bytes = std::max<std::size_t>(1, each);
    std::size_t values = 1;
    for (const std::size_t n : size) {
      if (n != 0 && bytes > kMostBytes / n)
        fail(what, "says that it has more than 4 GiB; leave it out, or split it");
      bytes *= n;
      values *= n;
    }
    if (values == 0) return 0;
    const OpenId how(H5Dget_create_plist(set), H5Pclose);
    if (how < 0) damaged(what);
    const H5D_layout_t layout = H5Pget_layout(how);
    if (layout == H5D_VIRTUAL || H5Pget_external_count(how) > 0)
      fail(what,
           "has its numbers in other files, which are not read; write them into one file "
           "(h5repack)");
    const std::uint64_t stored = H5Dget_storage_size(set);
    std::uint64_t most = stored;
    if (layout == H5D_CHUNKED) {
      hsize_t chunk[kMostDimensions + 1] = {};
      const int n = H5Pget_chunk(how, kMostDimensions + 1, chunk);
      if (n < 0) damaged(what);
      std::uint64_t in_chunk = std::max<std::size_t>(1, each);
      for (int d = 0; d < n && d <= kMostDimensions; ++d) {
        if (chunk[d] == 0 || in_chunk > kMostBytes / chunk[d]) damaged(what);
        in_chunk *= chunk[d];
      }
      most = stored > size_of_file ? 0 : stored * kMostInflated;
      if (in_chunk > std::max(most, bytes + (1U << 20U))) damaged(what);
    }
    if (stored > size_of_file || bytes > most) damaged(what);
    return values;
  }

  std::filesystem::path path;
  std::uint64_t size_of_file = 0;
  hid_t file = -1;
};

Hdf5FileReader::Hdf5FileReader(const std::filesystem::path& file)
    : impl_(std::make_unique<Impl>()) {
  impl_->path = file;
  // errors are ours to tell
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error))
    throw InputError(
        fmt::format("{}: there is no such file; give the path of an HDF5 file", file.string()));
  impl_->size_of_file = std::filesystem::file_size(file, error);
  impl_->file = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (impl_->file >= 0) return;
  const bool is = H5Fis_hdf5(file.c_str()) > 0;
  throw InputError(fmt::format(
      "{}: {}", file.string(),
      is ? "it is an HDF5 file that cannot be opened: it is cut off, damaged, of a newer version, "
           "or another program writes it just now; get it anew, or close that program"
         : "it is not an HDF5 file, or its beginning is damaged; give one that ends in .hdf5 or "
           ".h5"));
}

Hdf5FileReader::~Hdf5FileReader() {
  if (impl_->file >= 0) H5Fclose(impl_->file);
}

bool Hdf5FileReader::has(const std::string& path) const { return impl_->has(path); }

std::vector<std::string> Hdf5FileReader::groups(const std::string& group) const {
  std::vector<std::string> found;
  if (!impl_->has(group) || impl_->kind(group) != H5I_GROUP) return found;
  for (const std::string& name : impl_->links(group))
    if (impl_->kind(joined_path(group, name)) == H5I_GROUP) found.push_back(name);
  return found;
}

std::vector<Hdf5Item> Hdf5FileReader::items(const std::string& group) const {
  std::vector<Hdf5Item> all;
  // breadth first, by paths below the group; a group that holds itself ends at the deepest level
  std::vector<std::pair<std::string, int>> open = {{"", 0}};
  for (std::size_t at = 0; at < open.size(); ++at) {
    const auto [below, level] = open[at];
    const std::string here = below.empty() ? group : joined_path(group, below);
    for (const std::string& name : impl_->links(here)) {
      const std::string path = below.empty() ? name : below + "/" + name;
      const std::string whole = joined_path(group, path);
      const OpenId object(H5Oopen(impl_->file, whole.c_str(), H5P_DEFAULT), H5Oclose);
      if (object < 0) impl_->damaged(whole);
      if (open.size() + all.size() > kMostItems)
        impl_->fail(group, "has more than 100,000 data sets and groups; the file is damaged");
      if (H5Iget_type(object) == H5I_GROUP && level < kMostLevels)
        open.emplace_back(path, level + 1);
      if (H5Iget_type(object) != H5I_DATASET) continue;
      const OpenId type(H5Dget_type(object), H5Tclose);
      if (type < 0) impl_->damaged(whole);
      all.push_back({path, impl_->shape(object, whole), is_number(type), type_name(type)});
    }
  }
  std::ranges::sort(all, {}, &Hdf5Item::path);
  return all;
}

Hdf5Numbers Hdf5FileReader::numbers(const std::string& path) const {
  const Impl& i = *impl_;
  if (!i.has(path)) i.fail(path, "is not there; `handspan import-data FILE --list` says what is");
  const OpenId set(H5Dopen2(i.file, path.c_str(), H5P_DEFAULT), H5Dclose);
  if (set < 0) i.damaged(path);
  const OpenId type(H5Dget_type(set), H5Tclose);
  if (type < 0) i.damaged(path);
  if (!is_number(type))
    i.fail(path, fmt::format("is {}, and numbers are asked for; name another", type_name(type)));
  Hdf5Numbers numbers{i.shape(set, path), {}};
  numbers.values.resize(i.count(set, numbers.shape, H5Tget_size(type), path));
  if (!numbers.values.empty() &&
      H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.values.data()) < 0)
    i.fail(path,
           "cannot be read: it is damaged, or packed by a filter that is not here; get it anew, or "
           "unpack it (h5repack -f NONE)");
  return numbers;
}

std::vector<std::string> Hdf5FileReader::words(const std::string& path) const {
  const Impl& i = *impl_;
  if (!i.has(path)) i.fail(path, "is not there; `handspan import-data FILE --list` says what is");
  const OpenId set(H5Dopen2(i.file, path.c_str(), H5P_DEFAULT), H5Dclose);
  if (set < 0) i.damaged(path);
  const OpenId type(H5Dget_type(set), H5Tclose), space(H5Dget_space(set), H5Sclose);
  if (type < 0 || H5Tget_class(type) != H5T_STRING) i.fail(path, "has no words; name another");
  const bool any_length = H5Tis_variable_str(type) > 0;
  const std::size_t length = any_length ? sizeof(char*) : H5Tget_size(type);
  const std::size_t n = i.count(set, i.shape(set, path), any_length ? 1 : length, path);
  std::vector<std::string> words;
  if (n == 0) return words;
  std::vector<char> bytes(n * length);
  if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) < 0) i.damaged(path);
  for (std::size_t w = 0; w < n; ++w) {
    const char* at = bytes.data() + w * length;
    if (!any_length) {
      words.emplace_back(at, strnlen(at, length));
      continue;
    }
    const char* text = nullptr;
    std::memcpy(&text, at, sizeof text);
    words.emplace_back(text == nullptr ? "" : text);
  }
  if (any_length) H5Dvlen_reclaim(type, space, H5P_DEFAULT, bytes.data());
  return words;
}

std::optional<std::string> Hdf5FileReader::text_attribute(const std::string& path,
                                                          const std::string& name) const {
  if (!impl_->has(path) ||
      H5Aexists_by_name(impl_->file, path.c_str(), name.c_str(), H5P_DEFAULT) <= 0)
    return {};
  const OpenId id(
      H5Aopen_by_name(impl_->file, path.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (id < 0) return {};
  const OpenId type(H5Aget_type(id), H5Tclose), space(H5Aget_space(id), H5Sclose);
  if (type < 0 || H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1)
    return {};
  if (H5Tis_variable_str(type) > 0) {
    char* text = nullptr;
    if (H5Aread(id, type, &text) < 0 || text == nullptr) return {};
    std::string value = text;
    H5free_memory(text);
    return value;
  }
  const std::size_t length = H5Tget_size(type);
  if (length > kMostTextBytes) impl_->damaged(path + "." + name);
  std::string value(length, '\0');
  if (H5Aread(id, type, value.data()) < 0) return {};
  value.resize(std::min(value.find('\0'), value.size()));
  return value;
}

std::optional<std::vector<double>> Hdf5FileReader::numbers_attribute(
    const std::string& path, const std::string& name) const {
  if (!impl_->has(path) ||
      H5Aexists_by_name(impl_->file, path.c_str(), name.c_str(), H5P_DEFAULT) <= 0)
    return {};
  const OpenId id(
      H5Aopen_by_name(impl_->file, path.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (id < 0) return {};
  const OpenId type(H5Aget_type(id), H5Tclose), space(H5Aget_space(id), H5Sclose);
  const hssize_t n = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
  if (type < 0 || !is_number(type) || n < 0) return {};
  if (static_cast<std::uint64_t>(n) > impl_->size_of_file) impl_->damaged(path + "." + name);
  std::vector<double> values(static_cast<std::size_t>(n));
  if (H5Aread(id, H5T_NATIVE_DOUBLE, values.data()) < 0) return {};
  return values;
}

}  // namespace handspan
