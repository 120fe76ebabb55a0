#include "import/urdf_mesh.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <set>

#include "scene/mesh_file.hpp"
#include "support/scenes.hpp"

namespace handspan {
namespace urdf_mesh_test {

using test::TemporaryFolder;

std::string error_of(const auto& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

// an environment variable for the time of a test
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;

 private:
  const char* name_;
};

TEST(ResolveMesh, PathsAreFromTheUrdfsFolder) {
  const TemporaryFolder folder;
  folder.write("robot/meshes/a b.stl", "x");
  const auto file = folder.path() / "robot/meshes/a b.stl";
  const MeshPaths paths{folder.path() / "robot/arm.urdf", {}};
  EXPECT_EQ(resolve_mesh("meshes/a b.stl", paths), file);
  EXPECT_EQ(resolve_mesh(file.string(), paths), file);
  EXPECT_EQ(resolve_mesh("file://" + file.string(), paths), file);
  EXPECT_EQ(resolve_mesh("meshes/a%20b.stl", paths), file);
  EXPECT_EQ(error_of([&] { resolve_mesh("meshes/c.stl", paths); }),
            "the mesh 'meshes/c.stl' is not there: no file " +
                (folder.path() / "robot/meshes/c.stl").string());
  // a folder is no mesh; what is not there is named as it is written
  EXPECT_NE(error_of([&] { resolve_mesh("meshes", paths); }), "no error");
  EXPECT_NE(error_of([&] { resolve_mesh("meshes/c%20d.stl", paths); }).find("'meshes/c%20d.stl'"),
            std::string::npos);
  EXPECT_EQ(error_of([&] { resolve_mesh("http://x/a.stl", paths); }),
            "the mesh 'http://x/a.stl' is neither a path nor package:// nor file://; download it "
            "first");
}

TEST(ResolveMesh, ANameAsItIsWrittenComesBeforeItsEscapes) {
  const TemporaryFolder folder;
  folder.write("a%20b.stl", "as it is written");
  folder.write("a b.stl", "decoded");
  const MeshPaths paths{folder.path() / "arm.urdf", {}};
  EXPECT_EQ(resolve_mesh("a%20b.stl", paths).filename(), "a%20b.stl");
  folder.write("100%.stl", "");
  EXPECT_EQ(resolve_mesh("100%.stl", paths).filename(), "100%.stl");
  EXPECT_EQ(resolve_mesh("100%25.stl", paths).filename(), "100%.stl");
  for (const char* odd : {"%", "%2", "%zz.stl", "a%00b.stl", "%2"})
    EXPECT_NE(error_of([&] { resolve_mesh(odd, paths); }), "no error") << odd;
}

TEST(ResolveMesh, PackagesAreLookedForInTheirOrder) {
  const TemporaryFolder folder;
  const auto root = folder.path();
  folder.write("given/m.stl", "");
  folder.write("ws/arm_description/m.stl", "");
  folder.write("ws/arm_description/urdf/arm.urdf", "");
  folder.write("ros/arm_description/m.stl", "");
  folder.write("ros/arm_description/other.stl", "");
  folder.write("ament/share/arm_description/last.stl", "");
  const Variable ros("ROS_PACKAGE_PATH",
                     "::" + (root / "missing").string() + ":" + (root / "ros").string());
  const Variable ament("AMENT_PREFIX_PATH", (root / "ament").string());
  MeshPaths paths{root / "ws/arm_description/urdf/arm.urdf", {}};
  const auto found = [&](const std::string& uri) { return resolve_mesh(uri, paths).string(); };
  EXPECT_EQ(found("package://arm_description/m.stl"), (root / "ws/arm_description/m.stl").string());
  EXPECT_EQ(found("package://arm_description/other.stl"),
            (root / "ros/arm_description/other.stl").string());
  EXPECT_EQ(found("package://arm_description/last.stl"),
            (root / "ament/share/arm_description/last.stl").string());
  EXPECT_EQ(error_of([&] { found("package://arm_description/none.stl"); }),
            "the mesh 'package://arm_description/none.stl' is not there: the package has no such "
            "file; say where the package is: --package arm_description=DIR, or ROS_PACKAGE_PATH");
  EXPECT_EQ(error_of([&] { found("package://elsewhere/m.stl"); }),
            "the mesh 'package://elsewhere/m.stl' is not there: no folder 'elsewhere' was found; "
            "say where the package is: --package elsewhere=DIR, or ROS_PACKAGE_PATH");
  for (const char* uri : {"package://arm_description", "package:///m.stl", "package://"})
    EXPECT_NE(error_of([&] { found(uri); }).find("names no file of a package"), std::string::npos)
        << uri;
  // what is given is the package, and nothing else is looked at
  paths.packages["arm_description"] = root / "given";
  EXPECT_EQ(found("package://arm_description/m.stl"), (root / "given/m.stl").string());
  EXPECT_NE(error_of([&] { found("package://arm_description/other.stl"); }), "no error");
}

std::string tetrahedron_obj() {
  return "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
}

// a binary STL, whose corners stand in it once a triangle
std::string tetrahedron_stl() {
  const std::array<std::array<float, 3>, 4> p = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  const std::array<std::array<std::size_t, 3>, 4> faces = {
      {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
  std::string out(80, ' ');
  const auto put = [&](const auto& value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  put(std::uint32_t{4});
  for (const auto& face : faces) {
    put(std::array<float, 3>{0, 0, 0});
    for (const std::size_t corner : face) put(p[corner]);
    put(std::uint16_t{0});
  }
  return out;
}

std::set<std::array<double, 3>> corners_of(const MeshSurface& mesh) {
  std::set<std::array<double, 3>> corners;
  for (const auto& v : mesh.vertices) corners.insert({v[0], v[1], v[2]});
  return corners;
}

TEST(LoadMesh, EqualVerticesAreThereOnceAndTheScaleIsApplied) {
  const TemporaryFolder folder;
  folder.write("a.obj", tetrahedron_obj());
  folder.write("a.stl", tetrahedron_stl());
  const std::set<std::array<double, 3>> expected = {
      {0, 0, 0}, {0.5, 0, 0}, {0, -2.0, 0}, {0, 0, 0.001}};
  for (const char* name : {"a.obj", "a.stl"}) {
    const MeshSurface mesh = load_mesh(folder.path() / name, {0.5, -2.0, 0.001});
    EXPECT_EQ(mesh.vertices.size(), 4U) << name;
    EXPECT_EQ(mesh.triangles.size(), 4U) << name;
    EXPECT_EQ(corners_of(mesh), expected) << name;
    std::set<std::set<int>> faces;
    for (const auto& t : mesh.triangles) faces.insert({t.begin(), t.end()});
    EXPECT_EQ(faces.size(), 4U) << name;  // each of three corners out of four
  }
}

// millimetres, a node that is moved, and y up: the last is not applied
TEST(LoadMesh, AColladaFilesUnitAndNodesAreAppliedAndItsUpAxisIsNot) {
  const TemporaryFolder folder;
  folder.write("a.dae", R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="0.001" name="millimeter"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="12">0 0 0 1000 0 0 0 1000 0 0 0 1000</float_array>
<technique_common><accessor source="#pa" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><translate>0 0 2000</translate><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>
)");
  const MeshSurface mesh = load_mesh(folder.path() / "a.dae", Eigen::Vector3d::Ones());
  ASSERT_EQ(mesh.vertices.size(), 4U);
  EXPECT_EQ(mesh.triangles.size(), 4U);
  double highest = 0.0, widest = 0.0;
  for (const auto& v : mesh.vertices) {
    highest = std::max(highest, v.z());
    widest = std::max(widest, v.y());
  }
  EXPECT_NEAR(highest, 3.0, 1e-6);
  EXPECT_NEAR(widest, 1.0, 1e-6);
}

TEST(LoadMesh, WhatIsNoMeshIsAnErrorWithTheFile) {
  const TemporaryFolder folder;
  folder.write("a.stl", "no mesh at all");
  folder.write("b.obj", "# nothing\n");
  const auto load = [&](const char* name) {
    return error_of([&] { load_mesh(folder.path() / name, Eigen::Vector3d::Ones()); });
  };
  for (const char* name : {"a.stl", "b.obj", "missing.stl"})
    EXPECT_NE(load(name).find("the mesh " + (folder.path() / name).string()), std::string::npos)
        << load(name);
  // a truncated file
  const std::string whole = tetrahedron_stl();
  folder.write("c.stl", whole.substr(0, whole.size() - 60));
  EXPECT_NE(load("c.stl"), "no error");
}

}  // namespace urdf_mesh_test
}  // namespace handspan
