#pragma once
// The server's time of a page's samples. A page measures how far its clock is off with pings, and
// what it found changes when a quicker ping comes: by some 10 ms, some seconds after it was loaded.
// A hand whose stamps leapt by that would have moved otherwise than the operator's.

namespace handspan {

/// Of one device of one client.
class SampleClock {
 public:
  /// How fast the offset that is used goes to the one that is told [s/s].
  static constexpr double kSlew = 0.02;
  /// Further away than this it is another clock: it is taken at once [s].
  static constexpr double kOtherClock = 0.5;

  /// @param stamp by the page's clock [s] @param offset of the server's from it, as the page has it
  /// [s] @return the server's time [s]; it rises where stamps rise, whatever offset is told, but
  /// for another clock
  double server_time(double stamp, double offset);

 private:
  double stamp_ = 0.0, offset_ = 0.0;  // of the last sample, as used
  bool known_ = false;
};

}  // namespace handspan
