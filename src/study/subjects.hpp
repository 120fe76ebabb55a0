#pragma once
// Which subject a study has: an app or a trial.
#include <filesystem>
#include <memory>

#include "study/study.hpp"
#include "study/subject.hpp"

namespace handspan {

/// One for each worker. Of what the plan has, the files are kept by reference; so are the study and
/// the parts that its app or trial is made of.
std::unique_ptr<StudySubject> make_subject(const StudyConfig& study, const SubjectFiles& files,
                                           const Parts& parts, const std::filesystem::path& data);

}  // namespace handspan
