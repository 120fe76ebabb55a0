#pragma once
// A registered trial as a study's subject.
#include <optional>

#include "study/subject.hpp"

namespace handspan {

class TrialSubject : public StudySubject {
 public:
  /// All references outlive it.
  TrialSubject(const StudyConfig& study, const SubjectFiles& files, const Parts& parts,
               std::filesystem::path data);

  std::vector<Column> prepare(std::span<const KeyChange> changes, std::uint64_t seed) override;
  RunOutcome run(std::span<const KeyChange> changes, int repeat, std::uint64_t seed) override;
  /// Of its data, with the study's own configuration. @throws as prepare()
  int cases();

 private:
  Trial& trial(std::span<const KeyChange> changes);

  const StudyConfig& study_;
  const SubjectFiles& files_;
  TrialContext context_;
  std::unique_ptr<Trial> trial_;
  std::optional<Node> configuration_;  // of trial_
};

}  // namespace handspan
