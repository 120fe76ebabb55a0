#pragma once
// Which connections there is room for. A connection is unknown until it shows a token: where room
// is short an unknown one goes, the oldest of the address that has most of them, so that whoever
// holds places without a token keeps nobody out. Knows no sockets; all of it on the I/O thread.
#include <cstddef>
#include <functional>
#include <map>
#include <string>

namespace handspan {

/// Who is at the other end.
struct Visitor {
  std::string address = "127.0.0.1";  // as people write it
  // what counts as one address: of IPv6 the network of 64 bits, of which one machine has all
  std::string group = "this machine";
  bool local = true;  // this machine's loopback
  int device = 0;     // of Access; 0: showed no token
};

inline constexpr std::size_t kMostConnections = 64;  // HTTP and clients together
inline constexpr std::size_t kKeptForLocal = 8;      // of them, for this machine
inline constexpr std::size_t kMostOfAddress = 16;    // of another machine

class Places {
 public:
  using Close = std::function<void()>;

  /// @return the place's number; 0 when all are taken by those who showed a token
  /// @param evicted the address of the one that had to go, if one had
  int take(const Visitor& visitor, std::string& evicted);
  /// What ends it: called at most once, and its place is free by then.
  void set_close(int place, Close close);
  /// It showed the token of a device; 0: it showed none.
  void show(int place, int device);
  void leave(int place) { places_.erase(place); }
  /// Closes those of a device.
  void end_device(int device);
  const Visitor& visitor(int place) const { return places_.at(place).visitor; }
  std::size_t taken() const { return places_.size(); }

 private:
  struct Place {
    Visitor visitor;
    Close close;
  };
  void end(int place);
  // the oldest unknown one of a group; 0: there is none
  int oldest(const std::string& group) const;

  std::map<int, Place> places_;  // numbers rise
  int next_ = 1;
};

/// Gives its place back.
class HeldPlace {
 public:
  HeldPlace(Places& places, int number) : places_(&places), number_(number) {}
  HeldPlace(HeldPlace&& other) noexcept;
  HeldPlace& operator=(HeldPlace&&) = delete;
  ~HeldPlace() {
    if (number_ != 0) places_->leave(number_);
  }

  void set_close(Places::Close close) {
    if (number_ != 0) places_->set_close(number_, std::move(close));
  }
  void show(int device) {
    if (number_ != 0) places_->show(number_, device);
  }

 private:
  Places* places_;
  int number_;
};

}  // namespace handspan
