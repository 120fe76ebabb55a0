#pragma once
// The runs of a study as they are done, in a file: a study that was interrupted goes on from there.
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "study/results.hpp"

namespace handspan {

/// 16 hexadecimal digits of a text: different ones for different texts.
std::string fingerprint_of(const std::string& text);

class Journal {
 public:
  /// Opens or begins it. What an interruption cut off is left out.
  /// @param fingerprint of everything that the runs are a function of @param fresh forgets what is
  /// there @throws InputError when it is of another study, another process writes it, or it cannot
  /// be written
  Journal(std::filesystem::path file, const std::string& fingerprint, bool fresh);

  /// By number: what was done before. Numbers, values and failures only; the rest follows from the
  /// plan.
  const std::map<int, RunRecord>& done() const { return done_; }
  /// From any thread; with the system before it returns, so that a process that is killed loses
  /// nothing that it had added.
  void add(const RunRecord& run);
  /// The study is done: the file goes.
  void remove();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::filesystem::path file_;
  std::map<int, RunRecord> done_;
  std::mutex mutex_;
  std::unique_ptr<std::FILE, Close> out_;
};

}  // namespace handspan
