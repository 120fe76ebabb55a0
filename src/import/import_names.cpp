#include "import/import_names.hpp"

#include <fmt/format.h>

#include <cctype>
#include <map>
#include <set>

namespace handspan {
namespace {

// A name as a scene takes it: runs of other letters become one _.
std::string plain_name(const std::string& name, const char* kind) {
  std::string out;
  bool any = false;
  for (const char c : name) {
    const bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0;
    any = any || letter;
    if (letter || c == '_' || c == '-' || c == '.')
      out += c;
    else if (!out.ends_with('_'))
      out += '_';
  }
  return any ? out : kind;
}

}  // namespace

void make_names_plain(ImportedRobot& robot, ModelDescription& description) {
  std::map<std::string, std::string> bodies, frames;
  const auto make_plain = [&](std::string& name, const char* kind, std::set<std::string>& taken,
                              std::map<std::string, std::string>* renamed) {
    std::string plain = plain_name(name, kind);
    if (plain == name) return;
    const std::string stem = plain;
    for (int k = 2; !taken.insert(plain).second; ++k) plain = fmt::format("{}_{}", stem, k);
    robot.notes.push_back(
        fmt::format("the {} '{}' is called '{}': a scene takes letters, digits, "
                    "'_', '-' and '.'",
                    kind, name, plain));
    if (renamed) (*renamed)[name] = plain;
    name = plain;
  };
  // bodies are frames too
  std::set<std::string> places, shapes;
  for (const auto& body : description.bodies) {
    places.insert(body.name);
    for (const auto& shape : body.shapes) shapes.insert(shape.name);
  }
  for (const auto& frame : description.frames) places.insert(frame.name);
  for (auto& body : description.bodies) {
    make_plain(body.name, "body", places, &bodies);
    for (auto& shape : body.shapes) make_plain(shape.name, "shape", shapes, nullptr);
  }
  for (auto& frame : description.frames) make_plain(frame.name, "frame", places, &frames);
  const auto follow = [](std::string& name, const std::map<std::string, std::string>& renamed) {
    if (const auto found = renamed.find(name); found != renamed.end()) name = found->second;
  };
  for (auto& [a, b] : robot.ignored_pairs) {
    follow(a, bodies);
    follow(b, bodies);
  }
  for (auto& repair : robot.repairs) follow(repair.body, bodies);
  if (robot.mount) follow(*robot.mount, frames);
}

}  // namespace handspan
