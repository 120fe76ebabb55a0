#pragma once
// The mode by which sources move a reference: one alone, or several that share it, such as a plan
// that a person corrects. A move is a source of its own that one state has for itself.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "session/mode.hpp"

namespace handspan {

/// What a source that is made for one state is of, beside its own keys.
template <class Config>
struct OfTask : Config {
  std::string task;
};

class FollowMode : public Mode {
 public:
  struct Share {
    std::string source;
    std::vector<bool> axes = std::vector<bool>(6, true);
    double share = 1.0;
  };
  struct Config {
    std::string task;
    std::vector<Share> sources;
    bool reengages = false;
    std::string axes_of = "world";
  };

  /// Of sources of the app. @throws InputError: a source or a frame that is not there, sources of
  /// another kind than the reference, more of them than may share
  FollowMode(const Config& config, const ModeContext& context);
  /// Of one that it adds, named as the mode. @throws InputError: it is of another kind
  FollowMode(const std::string& task, std::unique_ptr<Source> source, const ModeContext& context);

  void enter(const ModeMoment& at) override;
  /// At its end when all sources are at theirs, the reference is where they wanted it, and the arm
  /// where they ask for it.
  bool update(const ModeMoment& at) override;
  EventText waits_for(const ModeMoment& at) const override;
  std::string text() const override;
  std::vector<std::string> drives() const override { return {task_}; }
  std::vector<Following> follows() const override;
  void state(StateArchive& archive) override { archive(waited_); }

 protected:
  ReferenceIndex reference() const { return reference_; }

 private:
  void add(SourceIndex source, const Share& share, bool reengages, const ModeContext& context);
  bool is_there(const Arbiter& arbiter) const;

  std::string task_, text_;
  ReferenceIndex reference_;
  std::vector<Authority> authorities_;
  AuthorityAxes axes_;
  bool own_ = false;     // its source is its own
  double waited_ = 0.0;  // for the arm, at the sources' end [s]
};

/// What sources are made for, of a mode that makes one.
SourceContext source_context(const ModeContext& context);

/// follow.
void register_follow_mode(ModeRegistry& registry);

}  // namespace handspan
