#pragma once
// A source that is fed from outside with poses, one at a time or as chunks that reach into the
// future: a program's own tracker, a policy, vision. Registered as `pose_stream`.
//
// An input of kind sample for it:
//   text empty: numbers are rows of 8: time after the tick that takes it [s], x y z [m] in W,
//     quaternion x y z w (its length does not matter). Times rise. A chunk replaces what is left of
//     the one before from its first time on.
//   text "buttons": one number a button of `buttons`, down when above 0.5
// Between poses it moves in straight lines and geodesics; its velocity is theirs. `timeout` after
// the last pose's time it is lost: so a chunk that ends in time is not.
#include <string>
#include <vector>

#include "reference/source.hpp"

namespace handspan {

struct PoseStreamConfig {
  double timeout = 0.1;              // [s]
  bool relative = false;             // poses are moved so that the first one is where the reference
                                     // is when the source gets authority
  std::vector<std::string> buttons;  // names
};

class PoseStream : public Source {
 public:
  PoseStream(const PoseStreamConfig& config, const SourceContext& context);
  void start(const Moment& moment, const Motion& reference) override;
  SourceAnswer update(const Moment& moment, const Motion& reference, Motion& wanted) override;
  bool shift(const Eigen::Vector3d& p, const Eigen::Matrix3d& R) override;
  void receive(const Moment& moment, const Input& input) override;
  bool button(std::string_view name) const override;
  bool has_button(std::string_view name) const override;
  void state(StateArchive& archive) override;

 private:
  struct Point {
    Nanoseconds time = 0;
    Eigen::Vector3d p = Eigen::Vector3d::Zero();
    Eigen::Quaterniond q = Eigen::Quaterniond::Identity();
    void state(StateArchive& archive) { archive(time, p, q.coeffs()); }
  };
  static constexpr std::size_t kMostPoints = 2 * (kMostInputNumbers / 8);

  void take(const Moment& moment, const Input& input);

  PoseStreamConfig config_;
  std::array<Point, kMostPoints> points_;  // in the order of their times
  std::uint32_t count_ = 0;
  bool fresh_ = false;           // something came since it was lost
  std::uint8_t fault_kind_ = 0;  // what was wrong with the last input; 0: nothing
  bool based_ = false;
  Pose X_WS_;                                            // relative: from the stream's frame S to W
  Eigen::Matrix3d R_now_ = Eigen::Matrix3d::Identity();  // of the stream, in this tick
  std::vector<std::uint8_t> down_;
};

/// pose_stream.
void register_pose_stream(SourceRegistry& registry);

}  // namespace handspan
