#pragma once

// Errors of a person's input: where it is written, what is wrong, and a hint.

#include <stdexcept>
#include <string>
#include <vector>

namespace handspan {

/// A place in a text file. Line and column count from 1; 0 means the file as a whole.
struct Place {
  std::string file;  // as the person named it
  int line = 0;
  int column = 0;

  /// "file:line", or "file" where the line is 0.
  std::string text() const;
};

/// One thing that is wrong. `cause` is said of `key` ("is -100"); where `key` is empty it is a
/// sentence of its own ("unknown key 'stifness'").
struct Issue {
  Place place;
  std::string key;    // such as "tasks[2].stiffness"
  std::string cause;  // such as "is -100"
  std::string hint;   // such as "it must be > 0"; may be empty

  /// One line: "grab.yaml:41: tasks[2].stiffness is -100; it must be > 0".
  std::string text() const;
};

/// What a person gave (an argument, a file, a name) is wrong: exit code 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Everything that is wrong with a file; what() has one line an issue.
class ConfigError : public InputError {
 public:
  /// `issues` is not empty.
  explicit ConfigError(std::vector<Issue> issues);

  const std::vector<Issue>& issues() const { return issues_; }

 private:
  std::vector<Issue> issues_;
};

/// A value as an error message shows it: control characters escaped, cut after 60 bytes at a border
/// of UTF-8 characters, and "..." put there.
std::string shown(const std::string& value);

}  // namespace handspan
