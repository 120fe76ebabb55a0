#include "study/subjects.hpp"

#include "study/app_subject.hpp"
#include "study/trial_subject.hpp"

namespace handspan {

std::unique_ptr<StudySubject> make_subject(const StudyConfig& study, const SubjectFiles& files,
                                           const Parts& parts, const std::filesystem::path& data) {
  if (study.subject.app) return std::make_unique<AppSubject>(study, files, parts);
  return std::make_unique<TrialSubject>(study, files, parts, data);
}

}  // namespace handspan
