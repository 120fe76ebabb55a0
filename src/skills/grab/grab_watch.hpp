#pragma once
// An object that two bodies take between them, lift and put back: when a grab begins and ends, and
// whether it was a good one. It goes by what touches and by heights alone, so that scripted
// persons, real ones and replays are judged alike. B is the object, P one of the two bodies.
#include <array>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "core/object.hpp"
#include "core/state_archive.hpp"
#include "core/values.hpp"
#include "plant/world.hpp"

namespace handspan {

struct GrabRule {
  std::string object;
  std::vector<std::string> between;                   // two bodies
  Eigen::Vector3d touch = Eigen::Vector3d::Zero();    // of each, in its frame: p_PT [m]
  double lifted = 0.15;                               // a good one is lifted by more [m]
  double max_slip = 0.005;                            // [m]
  double max_tilt = 15.0 * std::numbers::pi / 180.0;  // [rad]
  double put_back_within = 0.02;                      // [m]
};

/// The keys of the rule.
template <class T>
ObjectSchema<T> with_grab_rule(ObjectSchema<T> schema) {
  return schema.required("object", &T::object, text(), "what is taken")
      .required("between", &T::between, list(text()).size(2), "the two bodies that hold it")
      .optional("touch", &T::touch, vector<3>("m"),
                "the point of each of them that touches it, in its frame")
      .optional("lifted", &T::lifted, number("m").above(0), "a good one is lifted by more")
      .optional("max_slip", &T::max_slip, number("m").above(0), "and slips by no more on the way")
      .optional("max_tilt", &T::max_tilt, number("rad").above(0), "and tilts by no more")
      .optional("put_back_within", &T::put_back_within, number("m").above(0),
                "and ends as high as it stood before, within this");
}

/// What a grab comes to; the first that is so.
enum class GrabEnd : std::uint8_t {
  kOpen,       // not yet
  kNotLifted,  // let go of, and never off what it stood on by itself
  kLost,       // it left the two bodies, or slipped through them
  kLow,        // lifted, and not high enough
  kSlipped,
  kTilted,
  kElsewhere,  // let go of lower or higher than it stood before
  kGood,
};

struct Grab {
  bool touched = false;  // by one of the two: the grab has begun
  bool lifted = false;   // both held it, and it left what it stood on
  bool lost = false, over = false;
  Nanoseconds begin = -1, lift = -1, end = -1;  // -1: not yet
  double stood = 0.0;                           // height of its origin before [m]
  double height = 0.0;                          // largest over that [m]
  double slip = 0.0;   // while nothing else touches it: largest distance of a point T from the
                       // point of B that was there when it was lifted [m]
  double tilt = 0.0;   // likewise: largest angle of B's z axis from the world's [rad]
  double ended = 0.0;  // its height at the end over where it stood [m]
};

class GrabWatch {
 public:
  /// @param world outlives it @throws InputError with the names there are
  GrabWatch(const GrabRule& rule, const World& world);

  // in a tick; nothing allocates, locks or throws

  /// After the plant has advanced. A grab that is over stays until the next one begins.
  void update(Nanoseconds now);

  const GrabRule& rule() const { return rule_; }
  const Grab& grab() const { return state_.grab; }
  GrabEnd end() const;
  void state(StateArchive& archive);

 private:
  struct State {
    Grab grab;
    std::array<Nanoseconds, 2> last_touch = {-1, -1};  // -1: never
    std::array<Eigen::Vector3d, 2> p_BT = {Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
    double stands = 0.0;   // its height while nobody touches it [m]
    bool wait = false;     // until it is let go of
    bool carried = false;  // nothing but the two touches it
  };

  void find_touches(Nanoseconds now);
  bool holds(std::size_t side, Nanoseconds now) const;
  void watch_lift(const Pose& X_WB);
  Eigen::Vector3d p_WT(std::size_t side) const;

  GrabRule rule_;
  const World* world_;
  int object_ = 0;
  std::array<int, 2> holders_ = {0, 0};
  std::vector<std::int8_t> side_;  // by body: 0 or 1 of the two it is part of; -1: neither
  State state_;
};

}  // namespace handspan
