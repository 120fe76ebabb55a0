#include "scene/surroundings.hpp"

#include <gtest/gtest.h>

#include "scene/scene.hpp"

namespace handspan {
namespace surroundings_test {

MjModelPtr compiled(bool ground, bool with) {
  const MjSpecPtr spec = make_spec();
  if (ground) {
    mjsGeom* plane = mjs_addGeom(mjs_findBody(spec.get(), "world"), nullptr);
    mjs_setName(plane->element, kGround);
    plane->type = mjGEOM_PLANE;
    plane->size[2] = 1.0;
  }
  if (with) add_surroundings(spec.get(), ground);
  return compile_spec(spec.get(), "a scene");
}

TEST(Surroundings, NothingOfThemCanBeMetOrMoves) {
  for (const bool ground : {false, true}) {
    const MjModelPtr bare = compiled(ground, false), with = compiled(ground, true);
    EXPECT_EQ(with->ngeom, bare->ngeom);
    EXPECT_EQ(with->nbody, bare->nbody);
    EXPECT_EQ(with->nv, bare->nv);
    EXPECT_EQ(with->nlight, 1);
    EXPECT_EQ(with->ntex, 2);
  }
}

TEST(Surroundings, TheGroundWearsTheFloorWhereThereIsOne) {
  const MjModelPtr with = compiled(true, true);
  const int floor = mj_name2id(with.get(), mjOBJ_MATERIAL, "floor");
  ASSERT_GE(floor, 0);
  EXPECT_EQ(with->geom_matid[mj_name2id(with.get(), mjOBJ_GEOM, kGround)], floor);
  EXPECT_NO_THROW(compiled(false, true));
}

TEST(Surroundings, PicturesMayBeOf3840By2160) {
  const MjModelPtr with = compiled(true, true);
  EXPECT_EQ(with->vis.global.offwidth, 3840);
  EXPECT_EQ(with->vis.global.offheight, 2160);
}

}  // namespace surroundings_test
}  // namespace handspan
