#pragma once
// An app as a study's subject. The scene is compiled once and gets other numbers for each run; what
// is not a number of its bodies and contacts is compiled anew. Both give the same bits.
#include <functional>
#include <optional>
#include <stdexcept>

#include "session/session.hpp"
#include "study/subject.hpp"

namespace handspan {

class AppSubject : public StudySubject {
 public:
  /// All references outlive it.
  AppSubject(const StudyConfig& study, const SubjectFiles& files, const Parts& parts);

  std::vector<Column> prepare(std::span<const KeyChange> changes, std::uint64_t seed) override;
  RunOutcome run(std::span<const KeyChange> changes, int repeat, std::uint64_t seed) override;

  /// For tests: whether runs compile everything anew, and how often one did.
  void always_compile(bool always) { always_compile_ = always; }
  int compiled() const { return compiled_; }

 private:
  std::string structure_of(std::span<const KeyChange> changes) const;
  void load(std::span<const KeyChange> changes, std::uint64_t seed);
  std::unique_ptr<Session> session();

  const StudyConfig& study_;
  const SubjectFiles& files_;
  const Parts& parts_;
  std::optional<App> app_;        // at one place: the simulation refers to its scene
  std::unique_ptr<Plant> plant_;  // a MujocoPlant of app_->scene; none: a session makes its own
  std::string structure_;         // of what it was compiled of
  bool always_compile_ = false;
  int compiled_ = 0;
};

/// What run() throws when the simulation diverged: when, and what.
class DivergedRun : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One run of a session made for it, from its first tick to where the metrics, the app or `longest`
/// end it.
class AppRun {
 public:
  /// @throws ConfigError with a metric's place: what it looks at is not there
  AppRun(const StudyConfig& study, Session& session);
  ~AppRun();
  AppRun(const AppRun&) = delete;
  AppRun& operator=(const AppRun&) = delete;

  std::vector<Column> columns() const;
  /// @param between called about four times a second of wall time with the simulated time
  RunOutcome run(const std::function<void(Nanoseconds)>& between = {});

 private:
  class Sampler;

  const StudyConfig& study_;
  Session& session_;
  std::vector<std::unique_ptr<Metric>> metrics_;
  std::unique_ptr<Sampler> sampler_;  // of time series
};

/// The trees of an app's files with a run's changes and seed.
std::vector<Node> changed_trees(const SubjectFiles& files, std::span<const KeyChange> changes,
                                std::uint64_t seed);

/// The app of a run. @throws ConfigError or InputError as load_app()
std::unique_ptr<App> changed_app(const StudyConfig& study, const SubjectFiles& files,
                                 const Parts& parts, std::span<const KeyChange> changes,
                                 std::uint64_t seed);

/// Copies of an app's files below a folder, lying to one another as they do: what did not change as
/// it is, the others as `changed` has them. @param used all files that the changed app reads
/// @return the copies, in the order of `used`, of which the first is the app.
/// @throws InputError when one cannot be written
std::vector<std::filesystem::path> write_files(const SubjectFiles& files,
                                               const std::vector<Node>& changed,
                                               const std::vector<std::filesystem::path>& used,
                                               const std::filesystem::path& folder);

/// Writes the app of a run, with everything that it names, below a folder.
/// @return the app's file. @throws InputError when it cannot be written
std::filesystem::path write_app(const SubjectFiles& files, const Parts& parts,
                                std::span<const KeyChange> changes, std::uint64_t seed,
                                const std::filesystem::path& folder);

}  // namespace handspan
