#pragma once
// Who moves which reference. The modes of an app give sources authority over a reference, per axis,
// one or several that share. The reference follows what they ask for within its limits and within
// its leash from the measured arm (reference.hpp).
//
// Whenever nobody asks for anything, for whatever reason, the arm stops: the one mechanism of all
// holds. When nobody drives any reference of an arm, it brakes with all of its joints in the least
// time (control/joint_stop.hpp); the references go with the arm and stay where it comes to rest. An
// arm that is at rest already, at its reference or kept from it by a force, keeps its references;
// one that presses in a motion keeps, along the force that it feels, how far its reference is
// ahead, so that what is squeezed stays squeezed. When others drive the arm in other references, a
// reference goes on from where the arm is and brakes to rest by its own limits. A source begins
// from the reference as it is then, so nothing jumps.
#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/fixed_text.hpp"
#include "core/index.hpp"
#include "reference/event.hpp"
#include "reference/reference.hpp"
#include "reference/source.hpp"

namespace handspan {

using ReferenceIndex = Index<Reference>;
using SourceIndex = Index<Source>;

/// Of one source over a reference.
struct Authority {
  SourceIndex source;
  Axes axes = kAllAxes;
  double share = 1.0;      // against the others on the same axes; more than 0
  bool reengages = false;  // goes on by itself when a source that was lost is good again; else
                           // only after resume(), or when it is given authority anew
};

/// In whose axes authority over a pose is given: of the world, of the frame itself (as its
/// reference is), of the operator (Source::R_WO() of the first person who drives it), of a contact
/// (z along the force that the arm feels, as it was last; before any: the world's), or any that
/// stand still.
enum class AxesOf : std::uint8_t { kWorld, kTool, kOperator, kContact, kFixed };
struct AuthorityAxes {
  AxesOf of = AxesOf::kWorld;
  Eigen::Matrix3d R_WA = Eigen::Matrix3d::Identity();  // of kFixed
};

/// Why a reference holds that no mode has given to anybody.
inline constexpr std::string_view kNobody = "nobody has authority";

class Arbiter {
 public:
  /// @param arms whose tasks it drives; outlives this. None: references brake to rest by their own
  /// limits
  explicit Arbiter(EventList& events, WholeArm* arms = nullptr) : events_(events), arms_(arms) {}

  // at set-up; a reference has the name of its task

  ReferenceIndex add(std::unique_ptr<Reference> reference);
  /// One with parts (parted_source.hpp) adds those too, as NAME.PART.
  /// @throws InputError when the name is taken
  SourceIndex add_source(std::string name, std::unique_ptr<Source> source);

  /// These hold one thing between them: once all of them have been followed at the same time, all
  /// brake to a hold in the tick in which one is no longer driven, and go on when all are driven
  /// again, each from where its reference is then. One may be followed alone before that, and again
  /// after nobody drove any of them for a second.
  /// @throws InputError when one is in such a group already
  void hold_together(std::vector<ReferenceIndex> references);

  /// @throws InputError naming those there are
  ReferenceIndex find_reference(std::string_view name) const;
  SourceIndex find_source(std::string_view name) const;
  IndexRange<Reference> references() const { return {slots_.size()}; }
  IndexRange<Source> sources() const { return {sources_.size()}; }
  const Reference& reference(ReferenceIndex r) const { return *at(r).reference; }
  const std::string& source_name(SourceIndex s) const { return sources_[s.value].name; }
  Source& source(SourceIndex s) { return *sources_[s.value].source; }
  const Source& source(SourceIndex s) const { return *sources_[s.value].source; }

  // in a tick; nothing allocates or throws

  /// References become the tasks', at rest.
  void start();
  /// These have authority over the reference from now on; none: it holds. A source that had
  /// authority elsewhere loses it there. At most kMaxSharing. Axes other than the world's are for
  /// references of frames.
  void give_authority(ReferenceIndex reference, std::span<const Authority> authorities,
                      const Moment& moment, const AuthorityAxes& axes = {});
  /// The reference becomes where the frame or the joints are now, at rest: for tasks that had no
  /// weight and get it back.
  void rebase(ReferenceIndex reference);
  /// How often that was done to it.
  std::uint32_t rebases(ReferenceIndex r) const { return at(r).rebases; }
  /// All references brake to rest and stay until resume(). The first reason stands.
  void stop(std::string_view reason);
  /// Sources that have authority start anew from the references.
  void resume(const Moment& moment);
  bool stopped() const { return stopped_; }
  /// Hands an input to the source it is for. @return false when there is no such source
  bool receive(const Moment& moment, const Input& input);
  /// Asks the sources, moves the references and gives them to the tasks.
  void update(const Moment& moment);
  /// The task follows this in this tick instead of what update() found, which goes on from its own.
  void impose(ReferenceIndex reference, const Motion& motion);

  /// Whether all sources with authority over it that have an end have come to it, one at least, and
  /// the reference is where they wanted it.
  bool done(ReferenceIndex r) const { return at(r).done; }
  bool holding(ReferenceIndex r) const { return at(r).holding; }
  /// Whether a plan has authority over it that is not at its end, or nobody was asked yet.
  bool under_way(ReferenceIndex reference) const;
  /// Why it holds, in words.
  std::string_view reason(ReferenceIndex r) const { return at(r).reason; }

  /// Who has authority over what now, as the events say that told of it.
  void tell_authorities(EventList& events) const;
  void declare(ChannelTable& channels, Rate rate);
  /// Of all sources, when all channels are declared. @return what is wrong: a source, and why
  std::vector<std::pair<std::string, std::string>> connect(const ChannelTable& channels);
  /// The same of all references: which, and why.
  std::vector<std::pair<std::string, std::string>> connect_references(const ChannelTable& channels);
  void publish(ChannelTable& channels, Nanoseconds stamp) const;
  void state(StateArchive& archive);

 private:
  // One source that has authority over a reference.
  struct Driver {
    Authority authority;
    bool begun = false;    // start() was called since it got authority
    bool started = false;  // follows the reference it was started from
    bool lost = false;     // until it is started anew
    bool done = false;
    bool fresh = true;            // it was started and did not drive the reference since
    bool jump = false;            // it announces a jump in this tick
    bool gives_feedback = false;  // it gives shares of feedback in this tick
    FeedbackShares feedback;      // these
    Axes axes{};                  // in which it has a say in this tick
    double share = 1.0;           // in this tick
    Motion asked;                 // what it asks for
    void state(StateArchive& archive) {
      archive(authority.source.value, authority.axes, authority.share, authority.reengages, begun,
              started, lost, done, fresh, jump, gives_feedback, feedback, axes, share, asked);
    }
  };
  // A reference and who drives it.
  struct Slot {
    std::unique_ptr<Reference> reference;
    std::array<Driver, kMaxSharing> drivers;
    std::uint32_t count = 0;  // of drivers
    AuthorityAxes axes;       // R_WA: of a contact too, as it was last
    bool holding = true, done = false;
    bool pending = false;  // authority was given, and nobody asked since
    bool driven = false;   // somebody drives it in this tick
    bool begins = false;   // a hold began, and the arm does not stop yet
    FixedText<126> reason = kNobody;
    double reason_share = -1.0;    // of who says why, in this tick
    FixedText<126> reason_before;  // of the tick before
    std::uint32_t rebases = 0;
    BooleanChannel holding_channel;

    std::span<Driver> active() { return {drivers.data(), count}; }
    std::span<const Driver> active() const { return {drivers.data(), count}; }
    const std::string& name() const { return reference->name(); }
    int mechanism() const { return reference->mechanism(); }
    void state(StateArchive& archive) {
      archive(drivers, count, axes.of, axes.R_WA, holding, done, pending, driven, begins, reason,
              reason_before, rebases);
    }
  };
  struct Named {
    std::string name;
    std::unique_ptr<Source> source;
  };
  struct Together {
    std::vector<ReferenceIndex> references;
    bool engaged = false;  // all were followed at the same time
    double idle = 0.0;     // since any of them was driven [s]
    void state(StateArchive& archive) { archive(engaged, idle); }
  };

  const Slot& at(ReferenceIndex r) const { return slots_[r.value]; }
  Slot& at(ReferenceIndex r) { return slots_[r.value]; }
  bool ask(Slot& slot, Driver& driver, const Moment& moment);
  void cannot_move(Slot& slot, Driver& driver, const SourceAnswer& why) const;
  void lose(Slot& slot, const Driver& driver, const char* reason) const;
  void ask_all(Slot& slot, const Moment& moment);
  void go_on(Driver& driver, const Slot& slot, const Moment& moment);
  void keep_together(Together& together, const Moment& moment);
  void settle(Slot& slot);
  void hold(Slot& slot, std::string_view reason);
  void find_stops();
  void find_stop(int mechanism);
  void begin_stop(int mechanism);
  void move(Slot& slot, const Moment& moment);
  const Eigen::Matrix3d* find_axes(Slot& slot) const;
  void revoke(SourceIndex source, const Slot& keeps);
  void tell_authority(const Slot& slot, EventList& events) const;

  EventList& events_;
  WholeArm* arms_;
  std::vector<Slot> slots_;
  std::vector<Named> sources_;
  std::vector<Together> together_;
  bool stopped_ = false;
};

}  // namespace handspan
