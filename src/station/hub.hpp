#pragma once
// The rules of docs/protocol.md: who is there, who operates, what each may ask for, what each is
// sent. Knows neither sockets nor HTTP; all of it on the I/O thread. Of the loop it takes copies,
// and gives it inputs through mailboxes.
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "station/connection.hpp"
#include "station/live_loop.hpp"
#include "station/places.hpp"
#include "station/services.hpp"
#include "station/welcome.hpp"

namespace handspan {

struct HubOptions {
  std::string session;         // a name for this life of the server
  double rate = kDefaultRate;  // of frames, until a client asks for another [Hz]
  double pace = 1.0;           // of simulated time to the clock's
};

/// What was not done since it was no operator's, too old, or did not fit.
struct HubCounts {
  std::uint64_t samples = 0;       // given to the loop
  std::uint64_t not_operator = 0;  // samples of clients that do not operate
  std::uint64_t wrong_time = 0;    // samples whose stamps are not of now
  std::uint64_t lost = 0;          // samples that found a full mailbox
  std::uint64_t closed = 0;        // clients that were closed for what they sent
};

class Hub {
 public:
  Hub(HubOptions options, Services& services);
  ~Hub();

  /// The loop that clients see from here on; between its ticks, or before the first. It must stay
  /// until another one is given or the hub is gone.
  void set_loop(LiveLoop& loop);

  /// A socket that speaks the protocol, of a device that showed its token. @return the client's
  /// number; it counts as one from its welcome on
  int add(Connection& connection, const Visitor& visitor, Nanoseconds now);
  void text(int client, std::string_view text, Nanoseconds now);
  void bytes(int client, std::span<const std::uint8_t> bytes, Nanoseconds now);
  /// It sent something too long.
  void too_large(int client);
  /// Its socket is closed.
  void gone(int client);
  /// Closes the clients of a device whose token has ended.
  void end_device(int device);
  /// Sends what is due. @return when it wants to be called again, by the same clock [ns]
  Nanoseconds poll(Nanoseconds now);
  void close_all(std::string_view reason);

  std::size_t clients() const { return clients_.size(); }
  int operating() const { return operator_; }
  const HubCounts& counts() const { return counts_; }
  /// What the loop's clients were told.
  const ShownLayout& told() const { return shown_; }
  StationStatus told_people() const;

 private:
  using Json = nlohmann::json;
  struct Client;
  using OutputValues = std::array<double, kMostOutputNumbers>;
  struct Output {
    std::string name;
    std::size_t size = 1;
    OutputValues most{}, newest{}, sent{};
    bool pending = false;
  };
  struct Device {
    std::string name;
    std::size_t numbers = 0;
    bool takes_samples = false;
    Mailbox* box = nullptr;
    std::vector<Output> outputs;
    std::size_t age = 0, present = 0;  // channels
  };
  struct Refusal {
    std::string reason;
  };

  Client* find(int client);
  bool allowed(Client& client, std::size_t bytes, Nanoseconds now);
  std::string no_room(const Visitor& visitor) const;
  void close(Client& client, CloseCode code, std::string_view reason);
  void hello(Client& client, const Json& message, Nanoseconds now);
  void request(Client& client, const Json& message, Nanoseconds now);
  void sample(Client& client, const SampleMessage& sample, Nanoseconds now);
  void answer(Client& client, const Json& id, const std::string& reason);
  Services::Done answer_later(int client, Json id);
  bool may_command(const Client& client) const;
  void post(InputKind kind, std::string_view to, std::string_view text,
            std::optional<double> number = {});
  void set_operator(int client, bool scripted);
  void tell_operator();

  void subscribe(Client& client, const Json& message, Nanoseconds now);
  void tell_devices(Client& client, Nanoseconds now);
  void set_parameter(const std::string& name, double value);
  void list(Client& client, const Json& id);
  void replay(Client& client, const Json& message, const Json& id);

  void send_events();
  void send_outputs();
  static double size_of(const OutputValues& values);
  void send_frame(Client& client, Nanoseconds now);
  Json status();
  Json said(const LoopState& state, const LoopTap& tap) const;
  Json judged(const LoopState& state) const;

  HubOptions options_;
  Services& services_;
  LiveLoop* loop_ = nullptr;
  Json about_;
  ShownLayout shown_;
  std::map<std::string, std::size_t, std::less<>> channels_;  // of shown_, by name
  std::size_t letters_ = 0;                                   // of all their names
  std::vector<std::size_t> parameters_;  // of the loop's table, that persons may set
  std::vector<Device> devices_;
  std::vector<std::string> rows_;      // of the QP
  std::vector<std::size_t> machines_;  // channels of their states
  std::vector<std::string> judges_;
  Json judged_ = Json::object();  // what each said last: it stays when the app begins anew
  std::map<int, std::unique_ptr<Client>> clients_;
  int next_client_ = 1, operator_ = 0;
  bool scripted_ = true, operator_told_ = true, status_due_ = true;
  Nanoseconds next_status_ = 0;
  std::string episode_task_;
  std::uint64_t put_back_ = 0;  // times that the app put its scene back, since it began
  std::string put_back_why_;
  HubCounts counts_;
};

}  // namespace handspan
