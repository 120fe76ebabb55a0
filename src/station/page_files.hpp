#pragma once
// Which file a request's path means: of the page, a recording or its picture. A path never leaves
// its folder.
#include <filesystem>
#include <string>
#include <string_view>

#include "station/records.hpp"

namespace handspan {

struct PageAnswer {
  int status = 200;
  std::filesystem::path file;  // empty: the text instead
  std::string text;
  std::string_view type = "text/plain; charset=utf-8";
  bool download = false;  // as a file of that name
};

class PageFiles {
 public:
  /// @param page folder of index.html; when that is not there, "/" tells how to build it
  PageFiles(std::filesystem::path page, const Records& records)
      : page_(std::move(page)), records_(records) {}

  /// @param target of the request: "/assets/main.js?x=1". 404 when nothing is meant by it, 400 when
  /// it is none. Does not look at methods.
  /// @param may_see recordings and their pictures; else 403 of all of theirs, there or not
  PageAnswer answer(std::string_view target, bool may_see) const;

 private:
  std::filesystem::path page_;
  const Records& records_;
};

/// By the ending of a name; "application/octet-stream" when it is not known.
std::string_view content_type(const std::filesystem::path& file);

}  // namespace handspan
