#pragma once
// Which runs a study has, and what each of them changes.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "study/results.hpp"
#include "study/study.hpp"
#include "study/subject_files.hpp"

namespace handspan {

/// One run: everything that it is a function of.
struct RunSpec {
  int number = 0;        // from 1
  std::size_t cell = 0;  // whose fixed keys it has
  std::string group;     // the cell that it counts to: the same, or a stage
  int repeat = 0;
  int combination = 0;                                // of the grids, the last one fastest
  std::vector<std::pair<std::size_t, double>> given;  // variations whose value is not drawn
  bool middle = false;                                // nor are the others: middle()
};

/// What a run is made of.
struct RunChanges {
  std::vector<DrawnValue> drawn;   // by variation
  std::vector<KeyChange> changes;  // in turn; those of the cell are among them
};

/// "key=value", as --param has it.
struct ParameterOverride {
  std::string key, value;
};

/// The runs of a study, with all keys resolved in the subject's files. Immutable.
class RunPlan {
 public:
  /// @param cases of the trial, for a study without an n
  /// @throws ConfigError for keys that lead nowhere, with their place in the study
  RunPlan(const StudyConfig& study, SubjectFiles files,
          const std::vector<ParameterOverride>& overrides, int cases);

  const std::vector<RunSpec>& runs() const { return runs_; }
  std::uint64_t seed(const RunSpec& run) const {
    return study_->seed + static_cast<std::uint64_t>(run.repeat);
  }
  /// @throws ConfigError with the variation's place: a number to be added to what is none
  RunChanges changes(const RunSpec& run) const;
  const SubjectFiles& files() const { return files_; }
  const std::vector<std::string>& cells() const { return cells_; }
  /// The run that a stage asks for. @throws InputError for a cell or variation that is not there
  RunSpec spec(const RunRequest& request, const std::string& stage, int number) const;

 private:
  void check_scene() const;
  void add_set(const KeyValues& set, std::vector<KeyChange>& into);

  const StudyConfig* study_;
  SubjectFiles files_;
  std::vector<std::string> cells_;
  std::vector<std::vector<KeyChange>> fixed_;  // by cell
  struct Varied {
    const Variation* variation;
    std::vector<KeyAddress> addresses;  // of its keys
  };
  std::vector<std::vector<Varied>> varied_;  // by cell and variation
  std::vector<std::size_t> grids_;           // variations
  std::vector<RunSpec> runs_;
};

}  // namespace handspan
