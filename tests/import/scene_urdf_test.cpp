#include "scene/scene_urdf.hpp"
#include "scene/load_scene.hpp"

#include <gtest/gtest.h>
#include <tinyxml2.h>

namespace handspan {
namespace scene_urdf_test {

TEST(SceneUrdf, HasALinkForEveryBodyOfTheTreesScenes) {
  for (const char* name : {"hold", "reach"}) {
    const Scene scene = load_scene(std::filesystem::path(HANDSPAN_SOURCE_DIR) / "scenes" /
                                   (std::string(name) + ".yaml"));
    tinyxml2::XMLDocument document;
    ASSERT_EQ(document.Parse(scene_urdf(scene).c_str()), tinyxml2::XML_SUCCESS);
    std::vector<std::string> links;
    for (const auto* link = document.FirstChildElement("robot")->FirstChildElement("link"); link;
         link = link->NextSiblingElement("link"))
      links.emplace_back(link->Attribute("name"));
    const auto expect = [&](const std::string& body) {
      EXPECT_EQ(std::count(links.begin(), links.end(), body), 1) << name << ": " << body;
    };
    for (const auto& robot : scene.robots)
      for (const auto& body : robot.description.bodies) expect(body.name);
    for (const auto& object : scene.objects) expect(object.name);
    for (const auto& fixture : scene.fixtures) expect(fixture.name);
    for (const auto& belt : scene.belts) expect(belt.body.name);
  }
}

}  // namespace scene_urdf_test
}  // namespace handspan
