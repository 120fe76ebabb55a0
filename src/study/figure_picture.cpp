#include "study/figure_picture.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/escape.hpp"
#include "core/text_file.hpp"
#include "study/figure_rows.hpp"

namespace handspan {
namespace {

struct PictureFileConfig : FigureConfig {
  std::filesystem::path file;
};

// by its name; "": no picture that pages show
std::string media_type(const std::filesystem::path& file) {
  const std::string end = file.extension().string();
  if (end == ".png") return "image/png";
  if (end == ".jpg" || end == ".jpeg") return "image/jpeg";
  if (end == ".svg") return "image/svg+xml";
  return "";
}

// RFC 4648, section 4
std::string base64(const std::string& bytes) {
  constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three = (three << 8U) | (k < n ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= n ? kLetters[(three >> (18U - 6U * k)) & 63U] : '=';
  }
  return text;
}

class PictureFigure : public StudyFigure {
 public:
  explicit PictureFigure(const PictureFileConfig& config) : config_(config) {}

  const FigureConfig& config() const override { return config_; }
  std::vector<FigureName> names() const override { return {}; }

  Drawing draw(const FigureContext&) const override {
    const std::string text = base64(read_text_file(config_.file));
    Drawing drawing;
    drawing.html = fmt::format("<img class=picture alt=\"{}\" src=\"data:{};base64,{}\">\n",
                               escaped(config_.title), media_type(config_.file), text);
    return drawing;
  }

 private:
  PictureFileConfig config_;
};

}  // namespace

void register_picture_figure(FigureRegistry& registry) {
  using C = PictureFileConfig;
  const auto schema =
      figure_object<C>("Picture")
          .required("file", &C::file, file(), "PNG, JPEG or SVG; it is embedded in the report")
          .check([](const C& c) -> std::optional<Fault> {
            if (!media_type(c.file).empty()) return std::nullopt;
            return Fault{"is no picture that a report shows", "give a .png, .jpg or .svg", "file"};
          });
  registry.add("picture", schema, "a picture from a file",
               [](const C& config) { return std::make_unique<PictureFigure>(config); });
}

}  // namespace handspan
