#include "station/page_files.hpp"

#include <array>
#include <optional>
#include <utility>

namespace handspan {
namespace {

constexpr char kNoPage[] = R"(<!doctype html>
<html lang="en"><meta charset="utf-8"><title>handspan</title>
<h1>handspan is running, its page is not built</h1>
<p>The loop runs and answers on <code>/ws</code> (docs/protocol.md). To build the page:
<pre><code>tools/setup
tools/build release</code></pre>
<p>then reload this address.</p></html>
)";

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// without the query, %XX replaced; none: it is not a path
std::optional<std::string> path_of(std::string_view target) {
  target = target.substr(0, target.find_first_of("?#"));
  if (!target.starts_with('/')) return {};
  std::string path;
  for (std::size_t i = 0; i < target.size(); ++i) {
    char c = target[i];
    if (c == '%') {
      const int high = i + 2 < target.size() ? digit(target[i + 1]) : -1;
      const int low = high >= 0 ? digit(target[i + 2]) : -1;
      if (low < 0) return {};
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (static_cast<unsigned char>(c) < 0x20U || c == 0x7F || c == '\\') return {};
    path += c;
  }
  return path;
}

PageAnswer refused(int status, std::string text) { return {status, {}, std::move(text)}; }

}  // namespace

std::string_view content_type(const std::filesystem::path& file) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 17> kTypes = {
      {{".html", "text/html; charset=utf-8"},
       {".js", "text/javascript; charset=utf-8"},
       {".mjs", "text/javascript; charset=utf-8"},
       {".css", "text/css; charset=utf-8"},
       {".json", "application/json"},
       {".map", "application/json"},
       {".webmanifest", "application/manifest+json"},
       {".svg", "image/svg+xml"},
       {".png", "image/png"},
       {".jpg", "image/jpeg"},
       {".ico", "image/x-icon"},
       {".woff2", "font/woff2"},
       {".wasm", "application/wasm"},
       {".glb", "model/gltf-binary"},
       {".txt", "text/plain; charset=utf-8"},
       {".obj", "text/plain; charset=utf-8"},
       {".stl", "model/stl"}}};
  const std::string ending = file.extension().string();
  for (const auto& [known, type] : kTypes)
    if (ending == known) return type;
  return "application/octet-stream";
}

PageAnswer PageFiles::answer(std::string_view target, bool may_see) const {
  const auto path = path_of(target);
  if (!path) return refused(400, "this is not a path\n");
  const std::filesystem::path wanted(*path);
  for (const auto& part : wanted)
    if (part == ".." || (part.string().starts_with('.') && part.string().size() > 1))
      return refused(404, "there is no such file\n");
  for (const std::string prefix : {"/thumbnails/", "/records/"}) {
    if (!path->starts_with(prefix)) continue;
    if (!may_see)
      return refused(403, "recordings are for pages that are paired; open the page and pair it\n");
    const auto file = records_.find(path->substr(prefix.size()));
    const bool picture = prefix == "/thumbnails/";
    if (!file || file->extension() != (picture ? ".png" : ".mcap"))
      return refused(404, "there is no such recording\n");
    return {200, *file, "", content_type(*file), !picture};
  }
  std::error_code error;
  if (*path == "/" && !std::filesystem::is_regular_file(page_ / "index.html", error))
    return {200, {}, kNoPage, "text/html; charset=utf-8", false};
  std::filesystem::path file = page_ / wanted.relative_path();
  if (path->back() == '/') file = file / "index.html";
  // a link inside the folder may not lead out of it
  const auto real = std::filesystem::weakly_canonical(file, error),
             root = std::filesystem::weakly_canonical(page_, error);
  const auto inside = real.lexically_relative(root);
  if (error || inside.empty() || *inside.begin() == ".." ||
      !std::filesystem::is_regular_file(real, error))
    return refused(404, "there is no such file\n");
  return {200, real, "", content_type(real), false};
}

}  // namespace handspan
