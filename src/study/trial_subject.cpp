#include "study/trial_subject.hpp"

#include <fmt/format.h>

#include <chrono>

#include "core/config.hpp"

namespace handspan {

TrialSubject::TrialSubject(const StudyConfig& study, const SubjectFiles& files, const Parts& parts,
                           std::filesystem::path data)
    : study_(study), files_(files), context_{std::move(data), parts} {}

// the one of the run before, when it is configured the same
Trial& TrialSubject::trial(std::span<const KeyChange> changes) {
  Node configuration = files_.changed(changes).front();
  if (configuration_ && same_content(configuration, *configuration_)) return *trial_;
  const auto part =
      read_tree(configuration, study_.file.string(), context_.parts.of<TrialRegistry>().schema());
  configuration_.reset();
  try {
    trial_ = part.make(context_);
  } catch (const ConfigError&) {
    throw;
  } catch (const InputError& error) {
    throw ConfigError({{study_.subject.place, "subject.trial",
                        "cannot be made: " + std::string(error.what()), ""}});
  }
  configuration_ = std::move(configuration);
  return *trial_;
}

int TrialSubject::cases() { return trial({}).cases(); }

std::vector<Column> TrialSubject::prepare(std::span<const KeyChange> changes, std::uint64_t) {
  return trial(changes).columns();
}

RunOutcome TrialSubject::run(std::span<const KeyChange> changes, int repeat, std::uint64_t seed) {
  Trial& made = trial(changes);
  const auto start = std::chrono::steady_clock::now();
  TrialOutcome outcome = made.run({repeat, seed});
  if (outcome.values.size() != made.columns().size())
    throw std::runtime_error(fmt::format("the trial gave {} numbers and has {} columns",
                                         outcome.values.size(), made.columns().size()));
  RunOutcome result;
  result.values = std::move(outcome.values);
  result.series = std::move(outcome.series);
  result.inner = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace handspan
