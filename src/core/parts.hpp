#pragma once

// All that a program may make by name: one registry of each kind of part. Each folder that has
// parts adds its own with one function; skills/built_in.hpp calls all of them. Whoever reads an
// app, a study or a log is given the Parts, so that a program decides what there is:
//
//   Parts parts = built_in_parts();
//   parts.of<TaskRegistry>().add("height", schema, "holds a frame at a height", make);
//   const App app = load_app("app.yaml", parts);

#include <fmt/format.h>

#include <map>
#include <memory>
#include <stdexcept>
#include <typeindex>

namespace handspan {

/// Registries by their type. Add everything before threads read it: as a constant it may be read
/// from any number of threads.
class Parts {
 public:
  Parts() = default;
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;
  Parts(Parts&&) noexcept = default;
  Parts& operator=(Parts&&) noexcept = default;

  /// The registry of that type, such as TaskRegistry; empty when it is first asked for. It stays at
  /// its place in memory, also when the Parts are moved.
  template <class R>
  R& of() {
    std::unique_ptr<Kept>& kept = kept_[typeid(R)];
    if (!kept) kept = std::make_unique<KeptAs<R>>();
    return static_cast<KeptAs<R>&>(*kept).registry;
  }

  /// @throws std::logic_error when nobody registered a part of that kind: the program left out the
  /// function that does
  template <class R>
  const R& of() const {
    const auto found = kept_.find(typeid(R));
    if (found == kept_.end())
      throw std::logic_error(
          fmt::format("no {} was ever registered in these Parts; begin with built_in_parts(), or "
                      "call the register function of the folder that has them",
                      R().kind()));
    return static_cast<const KeptAs<R>&>(*found->second).registry;
  }

 private:
  struct Kept {
    virtual ~Kept() = default;
  };
  template <class R>
  struct KeptAs : Kept {
    R registry;
  };

  std::map<std::type_index, std::unique_ptr<Kept>> kept_;
};

}  // namespace handspan
