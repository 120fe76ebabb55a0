// One file, since it is one function for each element of the format.
#include "import/urdf.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "core/error.hpp"
#include "core/files_read.hpp"
#include "core/text_checks.hpp"

namespace handspan {
namespace {

using tinyxml2::XMLElement;
using Rgba = std::array<float, 4>;

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> out;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    const auto end = std::min(text.find_first_of(kBlanks), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

constexpr const char* kNumberHint = "write a finite decimal number with a point, such as 0.5";

// One pass over the document; faults are gathered, so that a person sees all of them at once.
class UrdfReader {
 public:
  UrdfReader(std::string file, std::vector<Issue>& issues) : issues_(issues) {
    robot_.file = std::move(file);
  }

  UrdfRobot read(std::string_view xml) {
    tinyxml2::XMLDocument document;
    if (document.Parse(xml.data(), xml.size()) != tinyxml2::XML_SUCCESS) {
      issue(document.ErrorLineNum(), "",
            fmt::format("is not well-formed XML ({})", document.ErrorName()),
            "an editor that knows XML shows the place");
      throw ConfigError(issues_);
    }
    const XMLElement* root = document.RootElement();
    if (root == nullptr || std::string_view(root->Name()) != "robot") {
      issue(root ? root->GetLineNum() : 0, "",
            fmt::format("is not a URDF: its root element is <{}>", root ? root->Name() : ""),
            "a URDF's is <robot>; MJCF files end in .xml and start with <mujoco>");
      throw ConfigError(issues_);
    }
    refuse_xacro(*root);
    robot_.line = root->GetLineNum();
    if (const char* text = root->Attribute("name"); text && !trimmed(text).empty())
      robot_.name = name(root, "<robot>");
    for (const XMLElement* e = root->FirstChildElement("material"); e;
         e = e->NextSiblingElement("material"))
      if (const auto rgba = color(e); rgba && e->Attribute("name"))
        colors_[e->Attribute("name")] = *rgba;
    for (const XMLElement* e = root->FirstChildElement(); e; e = e->NextSiblingElement()) {
      const std::string_view kind = e->Name();
      if (kind == "link")
        read_link(e);
      else if (kind == "joint")
        read_joint(e);
      else if (kind != "material")
        ++ignored_[std::string(kind)];
    }
    for (const auto& [kind, count] : ignored_)
      robot_.notes.push_back(fmt::format("<{}> is not read ({} times)", kind, count));
    if (drawn_ > 0)
      robot_.notes.push_back(
          "<visual> gives colours alone: pictures and the page draw the shapes that collide" +
          (bare_.empty() ? std::string()
                         : fmt::format("; without <collision>, hence neither drawn nor hit by "
                                       "anything: {}",
                                       fmt::join(bare_, ", "))));
    if (commas_ > 0)
      robot_.notes.push_back(
          fmt::format("commas between numbers are taken for blanks ({} times)", commas_));
    return std::move(robot_);
  }

 private:
  // a program that writes a URDF: what its elements lack, it would fill in
  void refuse_xacro(const XMLElement& root) const {
    for (const XMLElement* e = root.FirstChildElement(); e; e = e->NextSiblingElement())
      if (std::string_view(e->Name()).starts_with("xacro:"))
        throw ConfigError({{{robot_.file, e->GetLineNum(), 0},
                            "",
                            fmt::format("is not yet a URDF: it has <{}>", e->Name()),
                            "make one of it with xacro: `pip install xacrodoc`, then `xacrodoc "
                            "FILE.xacro -o robot.urdf`, and import that"}});
  }

  void issue(int line, std::string key, std::string cause, std::string hint) {
    issues_.push_back({{robot_.file, line, 0}, std::move(key), std::move(cause), std::move(hint)});
  }

  std::string name(const XMLElement* e, const std::string& key) {
    const char* text = e->Attribute("name");
    if (text == nullptr || trimmed(text).empty()) {
      issue(e->GetLineNum(), key, text ? "has an empty name" : "has no name",
            "give it name=\"...\"");
      return {};
    }
    for (const char* c = text; *c != '\0'; ++c)
      if (static_cast<unsigned char>(*c) < 0x20U) {
        issue(e->GetLineNum(), key,
              fmt::format("has a control character in its name '{}'", shown(text)), "remove it");
        break;
      }
    return text;
  }

  std::optional<double> number(const XMLElement* e, const char* attribute, const std::string& key) {
    const char* text = e->Attribute(attribute);
    if (text == nullptr) return {};
    const auto value = urdf_number(text);
    if (!value)
      issue(e->GetLineNum(), key, fmt::format("has {} '{}'", attribute, shown(text)), kNumberHint);
    return value ? value : 0.0;
  }

  double required(const XMLElement* e, const char* attribute, const std::string& key) {
    const auto value = number(e, attribute, key);
    if (!value)
      issue(e->GetLineNum(), key, fmt::format("has no {}", attribute),
            fmt::format("give it {}=\"...\"", attribute));
    return value.value_or(0.0);
  }

  template <int n>
  std::optional<Eigen::Matrix<double, n, 1>> vector(const XMLElement* e, const char* attribute,
                                                    const std::string& key) {
    const char* text = e->Attribute(attribute);
    if (text == nullptr) return {};
    Eigen::Matrix<double, n, 1> out = Eigen::Matrix<double, n, 1>::Zero();
    const auto parts = words(text);
    if (parts.size() != n) {
      issue(e->GetLineNum(), key, fmt::format("has {} '{}'", attribute, shown(text)),
            fmt::format("write {} numbers with blanks between", n));
      return out;
    }
    for (int i = 0; i < n; ++i) {
      std::string_view part = parts[static_cast<std::size_t>(i)];
      // "1, 2 3" has one reading; "1,2" has two, and is refused
      if (part.ends_with(',') && i + 1 < n) {
        part.remove_suffix(1);
        ++commas_;
      }
      const auto value = urdf_number(part);
      if (!value) {
        issue(e->GetLineNum(), key, fmt::format("has {} '{}'", attribute, shown(text)),
              kNumberHint);
        return out;
      }
      out[i] = *value;
    }
    return out;
  }

  // the only child of that kind, if any
  const XMLElement* child(const XMLElement* e, const char* kind, const std::string& key) {
    const XMLElement* first = e->FirstChildElement(kind);
    if (first && first->NextSiblingElement(kind))
      issue(first->NextSiblingElement(kind)->GetLineNum(), key, fmt::format("has two <{}>", kind),
            "keep one");
    return first;
  }

  void note_others(const XMLElement* e, std::initializer_list<std::string_view> known) {
    for (const XMLElement* c = e->FirstChildElement(); c; c = c->NextSiblingElement())
      if (std::find(known.begin(), known.end(), c->Name()) == known.end())
        ++ignored_[fmt::format("{}/{}", e->Name(), c->Name())];
  }

  Placement origin(const XMLElement* e, const std::string& key) {
    Placement X;
    const XMLElement* o = child(e, "origin", key);
    if (o == nullptr) return X;
    X.p = vector<3>(o, "xyz", key + " origin").value_or(Eigen::Vector3d::Zero());
    if (const auto rpy = vector<3>(o, "rpy", key + " origin")) {
      using Eigen::AngleAxisd;
      X.q = (AngleAxisd((*rpy)[2], Eigen::Vector3d::UnitZ()) *
             AngleAxisd((*rpy)[1], Eigen::Vector3d::UnitY()) *
             AngleAxisd((*rpy)[0], Eigen::Vector3d::UnitX()))
                .normalized();
    }
    return X;
  }

  std::optional<Rgba> color(const XMLElement* material) {
    const XMLElement* c = material->FirstChildElement("color");
    if (c == nullptr) return {};
    const auto rgba = vector<4>(c, "rgba", "<color>");
    if (!rgba) return {};
    return Rgba{static_cast<float>((*rgba)[0]), static_cast<float>((*rgba)[1]),
                static_cast<float>((*rgba)[2]), static_cast<float>((*rgba)[3])};
  }

  void read_link(const XMLElement* e) {
    UrdfLink link;
    link.line = e->GetLineNum();
    link.name = name(e, "<link>");
    const std::string key = "link '" + link.name + "'";
    if (const XMLElement* i = child(e, "inertial", key)) link.inertial = read_inertial(i, key);
    for (const XMLElement* c = e->FirstChildElement("collision"); c;
         c = c->NextSiblingElement("collision"))
      link.collisions.push_back(read_collision(c, key));
    for (const XMLElement* v = e->FirstChildElement("visual"); v;
         v = v->NextSiblingElement("visual")) {
      const XMLElement* material = v->FirstChildElement("material");
      if (material == nullptr || link.rgba) continue;
      link.rgba = color(material);
      const char* global = material->Attribute("name");
      if (!link.rgba && global && colors_.contains(global)) link.rgba = colors_[global];
    }
    if (e->FirstChildElement("visual") != nullptr) {
      ++drawn_;
      if (link.collisions.empty()) bare_.push_back(link.name);
    }
    note_others(e, {"inertial", "collision", "visual"});
    robot_.links.push_back(std::move(link));
  }

  UrdfInertial read_inertial(const XMLElement* e, const std::string& key) {
    UrdfInertial inertial;
    inertial.line = e->GetLineNum();
    inertial.X_LC = origin(e, key + " inertial");
    if (const XMLElement* m = child(e, "mass", key))
      inertial.mass = required(m, "value", key + " mass");
    else
      issue(inertial.line, key, "has an <inertial> without <mass>",
            "give it <mass value=\"...\"/>");
    const XMLElement* i = child(e, "inertia", key);
    if (i == nullptr) {
      inertial.has_tensor = false;
      return inertial;
    }
    const std::string owner = key + " inertia";
    const double xx = required(i, "ixx", owner), xy = required(i, "ixy", owner),
                 xz = required(i, "ixz", owner);
    const double yy = required(i, "iyy", owner), yz = required(i, "iyz", owner),
                 zz = required(i, "izz", owner);
    inertial.I_C << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    return inertial;
  }

  UrdfCollision read_collision(const XMLElement* e, const std::string& link) {
    UrdfCollision collision;
    collision.line = e->GetLineNum();
    if (const char* given = e->Attribute("name")) collision.name = given;
    const std::string key = link + " collision";
    collision.X_LG = origin(e, key);
    note_others(e, {"origin", "geometry"});
    const XMLElement* geometry = child(e, "geometry", key);
    const XMLElement* g = geometry ? geometry->FirstChildElement() : nullptr;
    if (g == nullptr) {
      issue(collision.line, key, "has no shape in <geometry>",
            "give it <box>, <sphere>, <cylinder> or <mesh>");
      return collision;
    }
    read_geometry(g, key, collision.geometry);
    return collision;
  }

  void read_geometry(const XMLElement* g, const std::string& key, UrdfGeometry& out) {
    const std::string_view kind = g->Name();
    int sizes = 2;
    if (kind == "box") {
      out.type = UrdfGeometryType::kBox;
      const auto size = vector<3>(g, "size", key);
      if (!size) issue(g->GetLineNum(), key, "has a box without size", "give it size=\"x y z\"");
      out.size = size.value_or(Eigen::Vector3d::Ones());
      sizes = 3;
    } else if (kind == "sphere") {
      out.type = UrdfGeometryType::kSphere;
      out.size[0] = required(g, "radius", key + " sphere");
      sizes = 1;
    } else if (kind == "cylinder" || kind == "capsule") {
      out.type = kind == "capsule" ? UrdfGeometryType::kCapsule : UrdfGeometryType::kCylinder;
      out.size[0] = required(g, "radius", fmt::format("{} {}", key, kind));
      out.size[1] = required(g, "length", fmt::format("{} {}", key, kind));
    } else if (kind == "mesh") {
      out.type = UrdfGeometryType::kMesh;
      const char* file = g->Attribute("filename");
      if (file == nullptr || trimmed(file).empty())
        issue(g->GetLineNum(), key, "has a mesh without filename", "name its file");
      else
        out.mesh = file;
      out.scale = vector<3>(g, "scale", key).value_or(Eigen::Vector3d::Ones());
      if ((out.scale.array() == 0.0).any())
        issue(g->GetLineNum(), key, "has a mesh scale of 0", "give three numbers that are not 0");
      return;
    } else {
      issue(g->GetLineNum(), key, fmt::format("has the unknown shape <{}>", kind),
            "use box, sphere, cylinder, capsule or mesh");
      return;
    }
    // left out when the link is built (urdf_repair.hpp)
    if (kind == "sphere" && out.size[0] == 0.0) return;
    for (int i = 0; i < sizes; ++i)
      if (!(out.size[i] > 0.0)) {
        issue(g->GetLineNum(), key, fmt::format("has a {} of size {}", kind, out.size[i]),
              "each size must be > 0");
        break;
      }
  }

  std::string link_of(const XMLElement* joint, const char* end, const std::string& key) {
    const XMLElement* e = child(joint, end, key);
    const char* text = e ? e->Attribute("link") : nullptr;
    if (text != nullptr && !trimmed(text).empty()) return text;
    issue(joint->GetLineNum(), key, fmt::format("has no {} link", end),
          fmt::format("give it <{} link=\"...\"/>", end));
    return {};
  }

  void read_joint(const XMLElement* e) {
    UrdfJoint joint;
    joint.line = e->GetLineNum();
    joint.name = name(e, "<joint>");
    const std::string key = "joint '" + joint.name + "'";
    static const std::map<std::string_view, UrdfJointType> kTypes = {
        {"revolute", UrdfJointType::kRevolute},   {"continuous", UrdfJointType::kContinuous},
        {"prismatic", UrdfJointType::kPrismatic}, {"fixed", UrdfJointType::kFixed},
        {"floating", UrdfJointType::kFloating},   {"planar", UrdfJointType::kPlanar}};
    const char* type = e->Attribute("type");
    if (type && kTypes.contains(type))
      joint.type = kTypes.at(type);
    else
      issue(joint.line, key,
            type ? fmt::format("has the unknown type '{}'", shown(type)) : "has no type",
            "use revolute, continuous, prismatic, fixed, floating or planar");
    joint.parent = link_of(e, "parent", key);
    joint.child = link_of(e, "child", key);
    joint.X_PJ = origin(e, key);
    if (const XMLElement* a = child(e, "axis", key)) {
      joint.axis_line = a->GetLineNum();
      joint.axis = vector<3>(a, "xyz", key + " axis");
    }
    if (const XMLElement* l = child(e, "limit", key)) {
      joint.limit = UrdfLimit{
          l->GetLineNum(), number(l, "lower", key + " limit"), number(l, "upper", key + " limit"),
          number(l, "effort", key + " limit"), number(l, "velocity", key + " limit")};
    }
    if (const XMLElement* m = child(e, "mimic", key)) {
      const char* master = m->Attribute("joint");
      if (master == nullptr || trimmed(master).empty())
        issue(m->GetLineNum(), key, "mimics no joint", "give it <mimic joint=\"...\"/>");
      joint.mimic = UrdfMimic{m->GetLineNum(), master ? master : "",
                              number(m, "multiplier", key + " mimic").value_or(1.0),
                              number(m, "offset", key + " mimic").value_or(0.0)};
    }
    if (const XMLElement* d = child(e, "dynamics", key)) {
      joint.damping = number(d, "damping", key + " dynamics").value_or(0.0);
      joint.friction = number(d, "friction", key + " dynamics").value_or(0.0);
      for (const auto& [what, value] :
           {std::pair{"damping", joint.damping}, {"friction", joint.friction}})
        if (value < 0.0)
          issue(d->GetLineNum(), key, fmt::format("has {} {}", what, value),
                "it must not be negative");
    }
    note_others(e, {"parent", "child", "origin", "axis", "limit", "mimic", "dynamics"});
    robot_.joints.push_back(std::move(joint));
  }

  UrdfRobot robot_;
  std::vector<Issue>& issues_;
  std::map<std::string, Rgba> colors_;
  std::map<std::string, int> ignored_;
  int drawn_ = 0;                  // links with <visual>
  std::vector<std::string> bare_;  // those of them without <collision>
  int commas_ = 0;
};

}  // namespace

std::optional<double> urdf_number(std::string_view text) {
  text = trimmed(text);
  // from_chars knows no plus sign
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

UrdfRobot parse_urdf(std::string_view xml, const std::string& file) {
  std::vector<Issue> issues;
  UrdfRobot robot = parse_urdf(xml, file, issues);
  if (!issues.empty()) throw ConfigError(std::move(issues));
  return robot;
}

UrdfRobot parse_urdf(std::string_view xml, const std::string& file, std::vector<Issue>& issues) {
  if (const auto valid = valid_utf8_prefix(xml); valid < xml.size()) {
    const int line = 1 + static_cast<int>(std::count(
                             xml.begin(), xml.begin() + static_cast<std::ptrdiff_t>(valid), '\n'));
    throw ConfigError({{{file, line, 0}, "", "is not UTF-8", "save it in that encoding"}});
  }
  return UrdfReader(file, issues).read(xml);
}

UrdfRobot read_urdf(const std::filesystem::path& file) {
  std::vector<Issue> issues;
  UrdfRobot robot = read_urdf(file, issues);
  if (!issues.empty()) throw ConfigError(std::move(issues));
  return robot;
}

UrdfRobot read_urdf(const std::filesystem::path& file, std::vector<Issue>& issues) {
  InputsRead::note(file);
  std::ifstream in(file, std::ios::binary);
  if (!in || !std::filesystem::is_regular_file(file))
    throw ConfigError(
        {{{file.string(), 0, 0}, "", "cannot be read", "give the path of a URDF file"}});
  std::stringstream text;
  text << in.rdbuf();
  return parse_urdf(text.str(), file.string(), issues);
}

}  // namespace handspan
