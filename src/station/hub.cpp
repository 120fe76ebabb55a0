#include "station/hub.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "session/who_acts.hpp"
#include "station/access.hpp"
#include "station/hub_impl.hpp"

namespace handspan {
namespace {

constexpr double kMostSkew = 1.0;                 // of a sample's stamp against now [s]
constexpr double kMostClock = 1e9;                // of stamps and offsets [s]
constexpr std::size_t kMostClientsOfAddress = 8;  // of another machine; one is kept for this one
constexpr double kBytesOfMessage = 1024.0;        // a longer one counts as several

}  // namespace

Hub::Hub(HubOptions options, Services& services)
    : options_(std::move(options)), services_(services) {}

Hub::~Hub() = default;

void Hub::set_loop(LiveLoop& loop) {
  loop_ = &loop;
  put_back_ = 0;
  put_back_why_.clear();
  Session& session = loop.session;
  parameters_ = persons_parameters(session.parameters());
  about_ = describe_loop(session);
  shown_ = shown_layout(session);
  channels_.clear();
  letters_ = 0;
  for (std::size_t c = 0; c < shown_.channels.size(); ++c) {
    channels_.emplace(shown_.channels[c].name, c);
    letters_ += shown_.channels[c].name.size();
  }
  devices_.clear();
  const ChannelTable& table = session.channels();
  for (std::size_t d = 0; d < session.devices().size(); ++d) {
    const DeviceState& state = session.devices().state_of(d);
    Device device;
    device.name = state.name();
    device.numbers = state.layout().numbers();
    for (const DeviceOutput& output : state.layout().outputs)
      device.outputs.push_back({output.name, output.size, {}, {}, {}, false});
    device.takes_samples = session.devices().takes_page(d);
    device.box = &session.mailbox(device.name);
    device.age = table.find("device." + device.name + ".age").index;
    device.present = table.find("device." + device.name + ".present").index;
    devices_.push_back(std::move(device));
  }
  rows_.clear();
  if (session.whole_arm() != nullptr)
    for (const QpRow& row : session.whole_arm()->problem().rows()) rows_.push_back(row.name);
  machines_.clear();
  for (const auto& machine : session.machines())
    machines_.push_back(table.find("mode." + machine.name()).index);
  judges_.clear();
  for (std::size_t j = 0; j < session.judges().size(); ++j)
    judges_.push_back(session.judges().name(j));
  for (auto& [number, client] : clients_) {
    client->last_samples.assign(devices_.size(), -1);
    client->clocks.assign(devices_.size(), {});
  }
  episode_task_.clear();
  status_due_ = true;
  loop.tap.latest().refresh();
  // who operated goes on
  set_operator(operator_, scripted_);
}

Hub::Client* Hub::find(int client) {
  const auto found = clients_.find(client);
  return found == clients_.end() ? nullptr : found->second.get();
}

int Hub::add(Connection& connection, const Visitor& visitor, Nanoseconds now) {
  auto client = std::make_unique<Client>();
  client->number = next_client_++;
  client->connection = &connection;
  client->visitor = visitor;
  client->since = client->allowance_at = client->work_at = client->next_frame = now;
  client->period = std::llround(1e9 / options_.rate);
  client->last_samples.assign(devices_.size(), -1);
  client->clocks.resize(devices_.size());
  const int number = client->number;
  clients_.emplace(number, std::move(client));
  return number;
}

// Why one more client cannot be welcomed; "" when it can.
std::string Hub::no_room(const Visitor& visitor) const {
  std::size_t all = 0, others = 0, of_address = 0;
  for (const auto& [number, client] : clients_) {
    if (!client->welcomed) continue;
    ++all;
    others += client->visitor.local ? 0U : 1U;
    of_address += client->visitor.group == visitor.group ? 1U : 0U;
  }
  if (all >= kMostClients)
    return fmt::format("{} clients are here, which is the most; close another page", all);
  if (visitor.local) return "";
  if (of_address >= kMostClientsOfAddress)
    return fmt::format(
        "{} clients of {} are here, which is the most of one address; close another page",
        of_address, visitor.group);
  if (others + 1 >= kMostClients)
    return fmt::format(
        "{} clients of other machines are here, which is the most; close another page", others);
  return "";
}

void Hub::close(Client& client, CloseCode code, std::string_view reason) {
  ++counts_.closed;
  Connection& connection = *client.connection;
  gone(client.number);
  connection.close(code, reason);
}

void Hub::gone(int client) {
  if (find(client) == nullptr) return;
  clients_.erase(client);
  status_due_ = true;
  if (client == operator_) set_operator(0, false);
}

void Hub::end_device(int device) {
  std::vector<Client*> theirs;
  for (auto& [number, client] : clients_)
    if (client->visitor.device == device) theirs.push_back(client.get());
  for (Client* client : theirs)
    close(*client, CloseCode::kNotPaired,
          "the pairing of this device was ended; pairing needs the code that the terminal shows");
}

void Hub::close_all(std::string_view reason) {
  while (!clients_.empty()) {
    Connection& connection = *clients_.begin()->second->connection;
    clients_.erase(clients_.begin());
    connection.close(CloseCode::kGoing, reason);
  }
}

// Of messages a second: a second's worth at once, then as many as come back with time.
bool Hub::allowed(Client& client, std::size_t bytes, Nanoseconds now) {
  client.allowance = std::min(
      kMostMessages, client.allowance + kMostMessages * seconds(now - client.allowance_at));
  client.allowance_at = now;
  client.allowance -= std::max(1.0, std::ceil(static_cast<double>(bytes) / kBytesOfMessage));
  if (client.allowance >= 0.0) return true;
  close(client, CloseCode::kTooFast,
        fmt::format("more than {:.0f} messages of a kilobyte a second", kMostMessages));
  return false;
}

void Hub::too_large(int client) {
  if (Client* c = find(client))
    close(
        *c, CloseCode::kTooLarge,
        fmt::format("a message of more than {} bytes", c->welcomed ? kMostBytes : kMostHelloBytes));
}

void Hub::text(int client, std::string_view text, Nanoseconds now) {
  Client* c = find(client);
  if (c == nullptr || !allowed(*c, text.size(), now)) return;
  if (text.size() > (c->welcomed ? kMostBytes : kMostHelloBytes)) {
    too_large(client);
    return;
  }
  const Json message = Json::parse(text, nullptr, false);
  if (!message.is_object() || !message.contains("type") || !message["type"].is_string()) {
    close(*c, CloseCode::kMalformed, "a text message that is not a JSON object with a type");
    return;
  }
  // a value of another kind than the protocol's
  try {
    if (c->welcomed)
      request(*c, message, now);
    else
      hello(*c, message, now);
  } catch (const Json::exception&) {
    // request() changes nothing before it has read all that it needs
    if (Client* still = find(client))
      close(*still, CloseCode::kMalformed,
            fmt::format("'{}' with a key missing or of another type than it has",
                        shown(message["type"].get<std::string>())));
  }
}

void Hub::hello(Client& client, const Json& message, Nanoseconds now) {
  if (message["type"] != "hello") {
    close(client, CloseCode::kMalformed, "the first message must be a hello");
    return;
  }
  const auto version = message.at("protocol").get<std::int64_t>();
  if (version != kProtocol) {
    const std::string reason = fmt::format(
        "protocol {} was asked for and this server speaks {}; reload the page", version, kProtocol);
    client.connection->send_text(Json{{"type", "refused"}, {"reason", reason}}.dump());
    close(client, CloseCode::kVersion, reason);
    return;
  }
  const auto name = message.at("name").get<std::string>();
  const auto role = message.at("role").get<std::string>();
  if (!is_person_name(name) || (role != "operator" && role != "viewer")) {
    close(client, CloseCode::kMalformed,
          fmt::format("a hello without a name of 1 to {} bytes or a role (operator, viewer)",
                      kLongestPersonName));
    return;
  }
  if (const std::string full = no_room(client.visitor); !full.empty()) {
    close(client, CloseCode::kTooMany, full);
    return;
  }
  client.name = name;
  client.operates = role == "operator";
  client.welcomed = true;
  client.next_frame = now;
  Json welcome = about_;
  const std::vector<double>& values = loop_->tap.latest().value().parameters;
  for (std::size_t p = 0; p < values.size(); ++p) welcome["parameters"][p]["value"] = values[p];
  welcome["type"] = "welcome";
  welcome["protocol"] = kProtocol;
  welcome["version"] = HANDSPAN_VERSION;
  welcome["session"] = options_.session;
  welcome["you"] = client.number;
  welcome["clock"] = {{"server", seconds(now)}};
  client.connection->send_text(welcome.dump());
  status_due_ = true;
}

void Hub::bytes(int client, std::span<const std::uint8_t> bytes, Nanoseconds now) {
  Client* c = find(client);
  if (c == nullptr || !allowed(*c, bytes.size(), now)) return;
  if (bytes.size() > kMostBytes) {
    too_large(client);
    return;
  }
  if (!c->welcomed) {
    close(*c, CloseCode::kMalformed, "the first message must be a hello");
    return;
  }
  std::string cause;
  if (const auto decoded = decode_sample(bytes, cause))
    sample(*c, *decoded, now);
  else
    close(*c, CloseCode::kMalformed, cause);
}

void Hub::sample(Client& client, const SampleMessage& sample, Nanoseconds now) {
  const auto malformed = [&](const std::string& cause) {
    close(client, CloseCode::kMalformed, cause);
  };
  if (sample.device >= devices_.size() || !devices_[sample.device].takes_samples)
    return malformed(fmt::format("a sample of device {}, which takes none", sample.device));
  Device& device = devices_[sample.device];
  if (sample.numbers.size() != device.numbers)
    return malformed(fmt::format("a sample of '{}' with {} numbers; it has {}", device.name,
                                 sample.numbers.size(), device.numbers));
  std::int64_t& last = client.last_samples[sample.device];
  if (sample.sequence <= last)
    return malformed(fmt::format("sample {} of '{}' after {}; they must rise", sample.sequence,
                                 device.name, last));
  last = sample.sequence;
  if (client.number != operator_) {
    ++counts_.not_operator;
    return;
  }
  // what a stalled network gives late must not move anything
  if (!(std::abs(sample.stamp) < kMostClock && std::abs(sample.offset) < kMostClock) ||
      std::abs(sample.stamp + sample.offset - seconds(now)) > kMostSkew) {
    ++counts_.wrong_time;
    return;
  }
  const double stamp = client.clocks[sample.device].server_time(sample.stamp, sample.offset);
  Input input;
  input.kind = InputKind::kSample;
  // in slow motion a hand is as fast as the arms see it
  input.stamp = std::llround(stamp * 1e9 * options_.pace);
  input.to = device.name;
  input.text = client.name;
  input.set(sample.numbers);
  ++(device.box->post(input) ? counts_.samples : counts_.lost);
}

void Hub::post(InputKind kind, std::string_view to, std::string_view text,
               std::optional<double> number) {
  Input input;
  input.stamp = steady_now();
  input.kind = kind;
  input.to = to;
  input.text = text;
  if (number) input.set(std::array{*number});
  if (!loop_->session.mailbox("operator").post(input))
    throw InputError("the loop takes no inputs now; try again");
}

bool Hub::may_command(const Client& client) const {
  return client.number == operator_ || (operator_ == 0 && client.operates);
}

void Hub::set_operator(int client, bool scripted) {
  operator_ = client;
  scripted_ = client == 0 && scripted;
  status_due_ = true;
  tell_operator();
}

// The name and whether devices in the loop act go as one input: at every tick the log has the name
// of who acted in it.
void Hub::tell_operator() {
  const Client* c = find(operator_);
  const std::string_view name = c != nullptr ? std::string_view(c->name)
                                : scripted_  ? acts_alone(loop_->session)
                                             : kNobodyActs;
  try {
    post(InputKind::kOperator, "", name, scripted_ ? 1.0 : 0.0);
    operator_told_ = true;
  } catch (const InputError&) {
    // a loop that stands still takes nothing: poll() tries again
    operator_told_ = false;
  }
}

}  // namespace handspan
