#pragma once
// One source that asks for several references at once, as a policy does for both hands: one object
// with one state, one set of inputs and parameters, and a part for each reference.
#include <string>
#include <vector>

#include "reference/source.hpp"

namespace handspan {

/// The whole has the name NAME of the app; inputs, parameters, channels and state are its own. Each
/// part is a source "NAME.PART", of which the mode `follow` gives authority over one reference. So
/// who moves what, and what one does when another is lost (hold_together), is as of any sources.
class PartedSource : public Source {
 public:
  /// Names of the parts, at least one: "left", "right".
  virtual std::vector<std::string> parts() const = 0;
  /// A part, which lives as long as the whole. In a tick the arbiter asks each that has authority,
  /// in the order in which the references were added; what is found for all of them at once is
  /// found when the first is asked (Moment::tick says whether that was before). Of a part's own
  /// state(), declare() and parameters nobody asks: the whole has them.
  virtual Source& part(std::size_t i) = 0;

  /// The whole moves nothing by itself.
  void start(const Moment&, const Motion&) final {}
  SourceAnswer update(const Moment&, const Motion&, Motion&) final {
    return {SourceStatus::kSilent, "it is asked for by its parts"};
  }
};

/// A part as a source of its own.
class PartOfSource : public Source {
 public:
  /// @param part outlives it
  explicit PartOfSource(Source& part) : part_(part) {}

  void start(const Moment& moment, const Motion& reference) override {
    part_.start(moment, reference);
  }
  void resume(const Moment& moment, const Motion& reference) override {
    part_.resume(moment, reference);
  }
  bool ends() const override { return part_.ends(); }
  std::optional<Tolerance> tolerance() const override { return part_.tolerance(); }
  std::string text() const override { return part_.text(); }
  Eigen::Matrix3d R_WO() const override { return part_.R_WO(); }
  std::string_view asks_for() const override { return part_.asks_for(); }
  bool jumps() const override { return part_.jumps(); }
  bool shares_feedback() const override { return part_.shares_feedback(); }
  SourceAnswer update(const Moment& moment, const Motion& reference, Motion& wanted) override {
    return part_.update(moment, reference, wanted);
  }
  bool shift(const Eigen::Vector3d& p, const Eigen::Matrix3d& R) override {
    return part_.shift(p, R);
  }
  bool button(std::string_view name) const override { return part_.button(name); }
  bool has_button(std::string_view name) const override { return part_.has_button(name); }

 private:
  Source& part_;
};

}  // namespace handspan
