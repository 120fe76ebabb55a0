#include "scene/surroundings.hpp"

#include <algorithm>

#include "scene/scene.hpp"

namespace handspan {

void add_surroundings(mjSpec* spec, bool ground) {
  mjsBody* world = mjs_findBody(spec, "world");
  mjsTexture* texture = mjs_addTexture(spec, nullptr);
  mjs_setName(texture->element, "floor");
  texture->type = mjTEXTURE_2D;
  texture->builtin = mjBUILTIN_CHECKER;
  texture->width = texture->height = 256;
  const double light[3] = {0.86, 0.87, 0.89}, dark[3] = {0.80, 0.81, 0.84};
  std::copy_n(light, 3, texture->rgb1);
  std::copy_n(dark, 3, texture->rgb2);
  mjsTexture* sky = mjs_addTexture(spec, nullptr);
  mjs_setName(sky->element, "sky");
  sky->type = mjTEXTURE_SKYBOX;
  sky->builtin = mjBUILTIN_GRADIENT;
  sky->width = 64;
  sky->height = 6 * 64;
  const double top[3] = {0.93, 0.95, 0.98}, bottom[3] = {0.80, 0.83, 0.88};
  std::copy_n(top, 3, sky->rgb1);
  std::copy_n(bottom, 3, sky->rgb2);
  mjsMaterial* material = mjs_addMaterial(spec, nullptr);
  mjs_setName(material->element, "floor");
  mjs_setInStringVec(material->textures, mjTEXROLE_RGB, "floor");
  material->texuniform = 1;
  material->texrepeat[0] = material->texrepeat[1] = 1;
  if (ground)
    mjs_setString(mjs_asGeom(mjs_findElement(spec, mjOBJ_GEOM, kGround))->material, "floor");
  mjsLight* sun = mjs_addLight(world, nullptr);
  const double from[3] = {1.5, -2.0, 4.5}, direction[3] = {-0.35, 0.45, -1.0};
  std::copy_n(from, 3, sun->pos);
  std::copy_n(direction, 3, sun->dir);
  sun->type = mjLIGHT_DIRECTIONAL;
  sun->castshadow = 1;
  for (float& c : sun->diffuse) c = 0.55F;
  spec->visual.global.offwidth = 3840;
  spec->visual.global.offheight = 2160;
  spec->visual.quality.shadowsize = 8192;
  for (float& c : spec->visual.headlight.ambient) c = 0.35F;
  for (float& c : spec->visual.headlight.diffuse) c = 0.35F;
  spec->visual.map.znear = 0.02F;
}

}  // namespace handspan
