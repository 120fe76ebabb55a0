#include "import/import_srdf.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tinyxml2.h>

#include <algorithm>
#include <set>

#include "core/error.hpp"
#include "core/files_read.hpp"
#include "import/urdf.hpp"

namespace handspan {
namespace {

using tinyxml2::XMLElement;

std::string attribute(const XMLElement* e, const char* name) {
  const char* text = e->Attribute(name);
  return text ? text : "";
}

class SrdfReader {
 public:
  SrdfReader(const std::filesystem::path& file, const ModelDescription& description)
      : file_(file.string()), description_(description) {}

  Srdf read() {
    InputsRead::note(file_);
    tinyxml2::XMLDocument document;
    if (document.LoadFile(file_.c_str()) != tinyxml2::XML_SUCCESS)
      throw ConfigError({{{file_, document.ErrorLineNum(), 0},
                          "",
                          fmt::format("cannot be read ({})", document.ErrorName()),
                          "--srdf names an SRDF file"}});
    const XMLElement* root = document.RootElement();
    if (std::string_view(root->Name()) != "robot")
      throw ConfigError({{{file_, root->GetLineNum(), 0},
                          "",
                          fmt::format("is not an SRDF: its root element is <{}>", root->Name()),
                          "an SRDF's is <robot>"}});
    for (const XMLElement* e = root->FirstChildElement("group"); e;
         e = e->NextSiblingElement("group"))
      elements_[attribute(e, "name")] = e;
    for (const XMLElement* e = root->FirstChildElement(); e; e = e->NextSiblingElement()) {
      const std::string_view kind = e->Name();
      if (kind == "group")
        out_.groups.emplace_back(attribute(e, "name"), joints(e, 0));
      else if (kind == "group_state")
        state(e);
      else if (kind == "disable_collisions")
        disabled(e);
    }
    if (!unknown_.empty())
      out_.notes.push_back(fmt::format("the SRDF names what the robot does not have: {}",
                                       fmt::join(unknown_, ", ")));
    return std::move(out_);
  }

 private:
  // index of the body that carries a link; -1: the world, -2: there is no such link
  int body_of(const std::string& link) {
    if (const int body = description_.body_index(link); body >= 0) return body;
    if (const int frame = description_.frame_index(link); frame >= 0)
      return description_.frames[static_cast<std::size_t>(frame)].body;
    if (link == "world") return -1;
    unknown_.insert(link);
    return -2;
  }

  const BodyDescription& body(int index) const {
    return description_.bodies[static_cast<std::size_t>(index)];
  }

  bool has_joint(const std::string& name) const {
    return std::ranges::any_of(description_.bodies, [&](const BodyDescription& b) {
      return std::ranges::count(b.joints, name, &JointDescription::name) > 0;
    });
  }

  std::vector<std::string> joints(const XMLElement* group, int depth) {
    std::set<std::string> found;
    for (const XMLElement* e = group->FirstChildElement(); e; e = e->NextSiblingElement()) {
      const std::string_view kind = e->Name();
      const std::string name = attribute(e, "name");
      if (kind == "joint") {
        if (has_joint(name)) found.insert(name);
      } else if (kind == "link") {
        // the link's own joint; what is fixed to another body has none
        if (const int b = description_.body_index(name); b >= 0)
          for (const auto& joint : body(b).joints) found.insert(joint.name);
      } else if (kind == "chain") {
        const int base = body_of(attribute(e, "base_link"));
        for (int b = body_of(attribute(e, "tip_link")); b >= 0 && b != base; b = body(b).parent)
          for (const auto& joint : body(b).joints) found.insert(joint.name);
      } else if (kind == "group" && elements_.contains(name) && depth < 8) {
        for (auto& joint : joints(elements_[name], depth + 1)) found.insert(std::move(joint));
      }
    }
    // in the order of the description
    std::vector<std::string> out;
    for (const auto& b : description_.bodies)
      for (const auto& joint : b.joints)
        if (found.contains(joint.name)) out.push_back(joint.name);
    return out;
  }

  void state(const XMLElement* e) {
    SrdfState state{attribute(e, "name"), attribute(e, "group"), {}};
    for (const XMLElement* j = e->FirstChildElement("joint"); j; j = j->NextSiblingElement("joint"))
      if (const auto value = urdf_number(attribute(j, "value")))
        state.q[attribute(j, "name")] = *value;
    out_.states.push_back(std::move(state));
  }

  void disabled(const XMLElement* e) {
    const int a = body_of(attribute(e, "link1")), b = body_of(attribute(e, "link2"));
    if (a < 0 || b < 0 || a == b || body(a).parent == b || body(b).parent == a) return;
    const auto pair = std::pair{body(std::min(a, b)).name, body(std::max(a, b)).name};
    if (!std::ranges::count(out_.disabled, pair)) out_.disabled.push_back(pair);
  }

  std::string file_;
  const ModelDescription& description_;
  Srdf out_;
  std::map<std::string, const XMLElement*> elements_;
  std::set<std::string> unknown_;
};

}  // namespace

std::optional<std::filesystem::path> find_srdf(const std::filesystem::path& robot_file) {
  const auto folder = std::filesystem::absolute(robot_file).parent_path();
  const std::string name = robot_file.stem().string() + ".srdf";
  for (const auto& place : {folder, folder / "srdf", folder / "config",
                            folder.parent_path() / "srdf", folder.parent_path() / "config"})
    if (std::filesystem::is_regular_file(place / name)) return place / name;
  return std::nullopt;
}

Srdf read_srdf(const std::filesystem::path& file, const ModelDescription& description) {
  return SrdfReader(file, description).read();
}

}  // namespace handspan
