#pragma once
// Scenes and robot folders of a test's own: text in, scene or message out.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/error.hpp"
#include "core/text_file.hpp"
#include "scene/load_scene.hpp"
#include "scene/robot_folder.hpp"
#include "scene/scene.hpp"

namespace handspan::test {

inline const std::filesystem::path kSource = HANDSPAN_SOURCE_DIR;

/// The scene of this text, read as if it were in scenes/; without a ground unless it names one.
inline Scene scene_of(const std::string& text) {
  const bool named = text.find("ground:") != std::string::npos;
  return parse_scene("name: t\n" + text + (named ? "" : "\nground: none\n"),
                     kSource / "scenes" / "t.yaml");
}

/// What loading says; places start with "t.yaml", the text's first line is line 2. "no error" when
/// all is well.
inline std::string scene_error(const std::string& text) {
  std::string message = "no error";
  try {
    scene_of(text);
  } catch (const InputError& error) {
    message = error.what();
  }
  const std::string folder = (kSource / "scenes").string() + "/";
  for (std::size_t at; (at = message.find(folder)) != std::string::npos;)
    message.erase(at, folder.size());
  return message;
}

/// A folder that is removed at the end of a test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::temp_directory_path() /
            (std::string("handspan_") + test->test_suite_name() + "_" + test->name());
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
  }

 private:
  std::filesystem::path path_;
};

/// `text` with the first `from` replaced; the test fails when it is not there.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "no '" << from << "' in the text";
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

}  // namespace handspan::test
