#include "mujoco/picture.hpp"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <png.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "core/error.hpp"
#include "mujoco/mujoco_plant_impl.hpp"

namespace handspan {
namespace {

// Half the diagonal of the floor as it is drawn, and a little [m].
constexpr float kShadowReach = 9.0F;
constexpr float kBelow = 0.001F;  // [m]

// One display a process: terminating it unloads the driver, which leaks on some versions of Mesa.
EGLDisplay shared_display() {
  static const EGLDisplay display = [] {
    const auto get = reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(
        eglGetProcAddress("eglGetPlatformDisplayEXT"));
    for (const EGLenum platform :
         {EGLenum(EGL_PLATFORM_DEVICE_EXT), EGLenum(EGL_PLATFORM_SURFACELESS_MESA)}) {
      if (!get) break;
      void* native = EGL_DEFAULT_DISPLAY;
      if (platform == EGL_PLATFORM_DEVICE_EXT) {
        const auto query =
            reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(eglGetProcAddress("eglQueryDevicesEXT"));
        EGLDeviceEXT device = nullptr;
        EGLint count = 0;
        if (!query || !query(1, &device, &count) || count == 0) continue;
        native = device;
      }
      const EGLDisplay found = get(platform, native, nullptr);
      if (found != EGL_NO_DISPLAY && eglInitialize(found, nullptr, nullptr)) return found;
    }
    const EGLDisplay fallback = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    return fallback != EGL_NO_DISPLAY && eglInitialize(fallback, nullptr, nullptr) ? fallback
                                                                                   : EGL_NO_DISPLAY;
  }();
  return display;
}

class GlContext {
 public:
  GlContext() : display_(shared_display()) {
    if (display_ == EGL_NO_DISPLAY)
      throw std::runtime_error(
          "no EGL display for the picture; install libegl1 and libgl1-mesa-dri");
    const EGLint wanted[] = {EGL_SURFACE_TYPE,
                             EGL_PBUFFER_BIT,
                             EGL_RENDERABLE_TYPE,
                             EGL_OPENGL_BIT,
                             EGL_RED_SIZE,
                             8,
                             EGL_GREEN_SIZE,
                             8,
                             EGL_BLUE_SIZE,
                             8,
                             EGL_DEPTH_SIZE,
                             24,
                             EGL_NONE};
    EGLConfig config = nullptr;
    EGLint count = 0;
    eglBindAPI(EGL_OPENGL_API);
    if (!eglChooseConfig(display_, wanted, &config, 1, &count) || count == 0)
      throw std::runtime_error("EGL has no configuration with OpenGL for the picture");
    context_ = eglCreateContext(display_, config, EGL_NO_CONTEXT, nullptr);
    if (context_ == EGL_NO_CONTEXT ||
        !eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_))
      throw std::runtime_error(
          fmt::format("EGL gives no OpenGL context for the picture (error {:#x})", eglGetError()));
  }
  ~GlContext() {
    eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(display_, context_);
  }
  GlContext(const GlContext&) = delete;
  GlContext& operator=(const GlContext&) = delete;

 private:
  EGLDisplay display_;
  EGLContext context_ = EGL_NO_CONTEXT;
};

View choose_view(const Scene& scene, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& view : scene.views) {
    if (view.name == name || name.empty()) return view;
    names.push_back(view.name);
  }
  if (!name.empty())
    throw InputError(
        fmt::format("the scene has no view '{}'; it has {}", name,
                    names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
  return {"overview", {2.2, -2.2, 1.8}, {0.3, 0.0, 0.5}};
}

void write_png(const std::vector<unsigned char>& rgb, int width, int height,
               const std::filesystem::path& file) {
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGB;
  // MuJoCo's rows go up, a PNG's down
  // not by the file's name: libpng removes what it cannot write, a device too
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(std::fopen(file.c_str(), "wb"),
                                                            &std::fclose);
  if (!out) throw std::runtime_error(fmt::format("{}: {}", file.string(), std::strerror(errno)));
  if (!png_image_write_to_stdio(&image, out.get(), 0, rgb.data(), -3 * width, nullptr))
    throw std::runtime_error(fmt::format("{}: {}", file.string(), image.message));
  if (std::fflush(out.get()) != 0)
    throw std::runtime_error(fmt::format("{}: {}", file.string(), std::strerror(errno)));
}

}  // namespace

void write_picture(const Scene& scene, const std::vector<std::string>& robots,
                   std::span<const std::byte> state, const PictureOptions& options,
                   const std::filesystem::path& file) {
  MujocoPlant plant(scene, robots);
  plant.restore(state);
  write_picture(plant, options, file);
}

void write_picture(const World& world, const PictureOptions& options,
                   const std::filesystem::path& file) {
  const auto* plant = dynamic_cast<const MujocoPlant*>(&world);
  if (plant == nullptr)
    throw InputError(
        "a picture is drawn of a world that MuJoCo simulates, and another plant simulates this "
        "one; leave the picture out");
  const auto [width, height] = options.size;
  if (width < 16 || height < 16 || width > 3840 || height > 2160)
    throw InputError(fmt::format("a picture of {} x {} pixels; it must be 16 x 16 to 3840 x 2160",
                                 width, height));
  const auto& impl = plant->impl();
  const View view = choose_view(impl.scene, options.view);

  const GlContext gl;
  mjvScene scene;
  mjvCamera camera;
  mjvOption visible;
  mjrContext context;
  mjv_defaultScene(&scene);
  mjv_makeScene(impl.model.get(), &scene, 2000);
  mjv_defaultCamera(&camera);
  mjv_defaultOption(&visible);
  mjr_defaultContext(&context);
  mjr_makeContext(impl.model.get(), &context, mjFONTSCALE_150);
  // the sun's shadows reach as far as the floor is drawn: beyond them it is dotted
  context.shadowClip = kShadowReach;
  mjr_setBuffer(mjFB_OFFSCREEN, &context);
  mjr_resizeOffscreen(width, height, &context);

  const Eigen::Vector3d look = view.target - view.eye;
  Eigen::Vector3d::Map(camera.lookat) = view.target;
  camera.distance = look.norm();
  camera.azimuth = std::atan2(look[1], look[0]) * 180.0 / std::numbers::pi;
  camera.elevation =
      std::asin(std::clamp(look[2] / look.norm(), -1.0, 1.0)) * 180.0 / std::numbers::pi;
  // a copy, so that drawing never touches the state of a run
  const MjDataPtr data(mj_copyData(nullptr, impl.model.get(), impl.data.get()));
  mj_kinematics(impl.model.get(), data.get());
  mj_camlight(impl.model.get(), data.get());
  mjv_updateScene(impl.model.get(), data.get(), &visible, nullptr, &camera, mjCAT_ALL, &scene);
  // faces that lie in the ground's plane would flicker with it
  const int ground = mj_name2id(impl.model.get(), mjOBJ_GEOM, kGround);
  for (int g = 0; g < scene.ngeom; ++g)
    if (ground >= 0 && scene.geoms[g].objtype == mjOBJ_GEOM && scene.geoms[g].objid == ground)
      scene.geoms[g].pos[2] -= kBelow;
  const mjrRect viewport = {0, 0, width, height};
  mjr_render(viewport, &scene, &context);
  std::vector<unsigned char> rgb(static_cast<std::size_t>(3 * width * height));
  mjr_readPixels(rgb.data(), nullptr, viewport, &context);
  mjr_freeContext(&context);
  mjv_freeScene(&scene);
  write_png(rgb, width, height, file);
}

}  // namespace handspan
