// Pictures without a display.
#include "mujoco/picture.hpp"

#include <gtest/gtest.h>
#include <png.h>

#include <array>
#include <set>

#include "plant/plant_support.hpp"

namespace handspan {
namespace picture_test {

struct Image {
  int width = 0, height = 0;
  std::vector<unsigned char> rgb;
  std::array<int, 3> at(int x, int y) const {
    const auto i = static_cast<std::size_t>(3 * (y * width + x));
    return {rgb[i], rgb[i + 1], rgb[i + 2]};
  }
};

Image read_png(const std::filesystem::path& file) {
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  Image out;
  EXPECT_TRUE(png_image_begin_read_from_file(&image, file.c_str())) << image.message;
  image.format = PNG_FORMAT_RGB;
  out.width = static_cast<int>(image.width);
  out.height = static_cast<int>(image.height);
  out.rgb.resize(PNG_IMAGE_SIZE(image));
  EXPECT_TRUE(png_image_finish_read(&image, nullptr, out.rgb.data(), 0, nullptr)) << image.message;
  return out;
}

// A red ball above and a green one below the middle of the view, a UR10 on the left.
Scene coloured() {
  return test::scene_of(
      "robots:\n  it: {robot: ur10, pose: upright, base: {position: [0, 1.2, -0.5]}}\n"
      "objects:\n  red:\n    pose: {position: [0, 0, 0.5]}\n    mass: 1\n    shapes: [{type: "
      "sphere, radius: 0.3, rgba: [1, 0, 0, 1]}]\n"
      "  green:\n    pose: {position: [0, 0, -0.5]}\n    mass: 1\n    shapes: [{type: sphere, "
      "radius: 0.3, rgba: [0, 1, 0, 1]}]\n"
      "views:\n  front: {eye: [3, 0, 0], target: [0, 0, 0]}\n  away: {eye: [3, 0, 0.2], target: "
      "[6, 0, 0.8]}\n");
}

TEST(Picture, ShowsTheSceneUprightInTheAskedSize) {
  const test::TemporaryFolder folder;
  const Scene scene = coloured();
  const MujocoPlant plant(scene);
  write_picture(plant, {{320, 200}, "front"}, folder.path() / "p.png");
  const Image image = read_png(folder.path() / "p.png");
  ASSERT_EQ(image.width, 320);
  ASSERT_EQ(image.height, 200);
  const auto [r, g, b] = image.at(160, 60);
  EXPECT_GT(r, 2 * g);  // red above
  EXPECT_GT(r, 2 * b);
  const auto [r2, g2, b2] = image.at(160, 140);
  EXPECT_GT(g2, 2 * r2);
  EXPECT_GT(g2, 2 * b2);
  // the robot stands at +y, which is to the right from +x; away from it the same pixels differ
  write_picture(plant, {{320, 200}, "away"}, folder.path() / "away.png");
  const Image away = read_png(folder.path() / "away.png");
  int changed = 0;
  std::set<std::array<int, 3>> colours;
  for (int y = 60; y < 140; ++y)
    for (int x = 240; x < 310; ++x) {
      changed += image.at(x, y) != away.at(x, y);
      colours.insert(image.at(x, y));
    }
  EXPECT_GT(changed, 300);
  EXPECT_GT(colours.size(), 50U);  // shaded links
}

TEST(Picture, TakesTheFirstViewOrAnOverview) {
  const test::TemporaryFolder folder;
  const Scene scene = coloured();
  const MujocoPlant plant(scene);
  write_picture(plant, {{64, 48}, ""}, folder.path() / "a.png");
  write_picture(plant, {{64, 48}, "front"}, folder.path() / "b.png");
  EXPECT_EQ(read_png(folder.path() / "a.png").rgb, read_png(folder.path() / "b.png").rgb);
  const Scene bare = test::scene_of(
      "objects:\n  it:\n    mass: 1\n    shapes: [{type: sphere, radius: 0.3, rgba: [1, 0, 0, "
      "1]}]\n");
  const MujocoPlant alone(bare);
  write_picture(alone, {{64, 48}, ""}, folder.path() / "c.png");
  EXPECT_EQ(read_png(folder.path() / "c.png").width, 64);
}

TEST(Picture, ChangesNothing) {
  const test::TemporaryFolder folder;
  const Scene scene = coloured();
  MujocoPlant plant(scene);
  test::advance(plant, 10);
  const auto before = plant.snapshot();
  write_picture(plant, {{64, 48}, ""}, folder.path() / "a.png");
  EXPECT_EQ(plant.snapshot(), before);
}

std::string picture_error(const PictureOptions& options, const std::filesystem::path& file) {
  const Scene scene = coloured();
  const MujocoPlant plant(scene);
  try {
    write_picture(plant, options, file);
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "no error";
}

TEST(Picture, NamesWhatItCannotDo) {
  EXPECT_EQ(picture_error({{64, 48}, "back"}, "x.png"),
            "the scene has no view 'back'; it has front, away");
  EXPECT_EQ(picture_error({{8, 48}, ""}, "x.png"),
            "a picture of 8 x 48 pixels; it must be 16 x 16 to 3840 x 2160");
  EXPECT_EQ(picture_error({{64, 2161}, ""}, "x.png"),
            "a picture of 64 x 2161 pixels; it must be 16 x 16 to 3840 x 2160");
  EXPECT_EQ(picture_error({{64, 48}, ""}, "/nonexistent/x.png").rfind("/nonexistent/x.png: ", 0),
            0U);
}

}  // namespace picture_test
}  // namespace handspan
