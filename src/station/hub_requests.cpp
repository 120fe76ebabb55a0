// What clients ask for. Each handler reads all that it needs before it changes anything: a message
// that is malformed has no effect.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/error.hpp"
#include "core/suggest.hpp"
#include "station/hub_impl.hpp"

namespace handspan {
namespace {

constexpr std::size_t kLongestId = 64, kLongestWord = 62, kLongestText = 126;
// a name that is searched for what was meant costs as much as so many comparisons of it
constexpr double kSearch = 4.0;

// of an event, a mark, a parameter: what fits into an input
std::string short_text(const nlohmann::json& value, std::size_t most, const char* what) {
  auto text = value.get<std::string>();
  if (text.size() > most)
    throw InputError(fmt::format("the {} has {} bytes; {} are the most", what, text.size(), most));
  return text;
}

}  // namespace

void Hub::answer(Client& client, const Json& id, const std::string& reason) {
  if (id.is_null()) return;
  Json message = {{"type", "answer"}, {"to", id}, {"ok", reason.empty()}};
  if (!reason.empty()) message["reason"] = reason;
  client.connection->send_text(
      message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

Services::Done Hub::answer_later(int client, Json id) {
  return [this, client, id = std::move(id)](const std::string& reason) {
    status_due_ = true;
    if (Client* c = find(client)) answer(*c, id, reason);
  };
}

// One function, since it is one branch for each request of the protocol.
void Hub::request(Client& client, const Json& message, Nanoseconds now) {
  const auto type = message["type"].get<std::string>();
  const Json id = message.value("id", Json());
  if (!(id.is_null() || id.is_number() ||
        (id.is_string() && id.get_ref<const std::string&>().size() <= kLongestId))) {
    close(client, CloseCode::kMalformed,
          fmt::format("an id that is not a number or text of at most {} bytes", kLongestId));
    return;
  }
  if (type == "ping") {
    const auto t = message.at("t").get<double>();
    client.connection->send_text(Json{{"type", "pong"}, {"t", t}, {"server", seconds(now)}}.dump());
    return;
  }
  static const std::set<std::string> kCommands = {"resume",  "restart", "event",   "parameter",
                                                  "episode", "record",  "delete",  "replay",
                                                  "seek",    "speed",   "devices", "unpair"};
  static const std::set<std::string> kOthers = {"subscribe", "list",  "ask",
                                                "stop",      "yield", "operate"};
  if (!kCommands.contains(type) && !kOthers.contains(type)) {
    close(client, CloseCode::kMalformed,
          fmt::format("a message of the unknown type '{}'", shown(type)));
    return;
  }
  const int number = client.number;
  try {
    if (kCommands.contains(type) && !may_command(client)) {
      const Client* other = find(operator_);
      throw InputError(
          other != nullptr
              ? fmt::format("'{}' is the operator's, and {} operates; ask for the hand-over", type,
                            other->name)
              : fmt::format("'{}' is the operator's; connect as operator", type));
    }
    if (type == "subscribe") {
      subscribe(client, message, now);
    } else if (type == "list") {
      list(client, id);
      return;
    } else if (type == "stop") {
      post(InputKind::kStop, "", "stopped by " + client.name);
      status_due_ = true;
    } else if (type == "operate") {
      if (!client.operates) throw InputError("you came as a viewer; connect as operator");
      if (const Client* other = find(operator_); other != nullptr && other != &client)
        throw InputError(fmt::format("{} operates; ask for the hand-over", other->name));
      if (number != operator_) set_operator(number, false);
    } else if (type == "ask") {
      Client* other = find(operator_);
      if (!client.operates) throw InputError("you came as a viewer; connect as operator");
      if (other == nullptr) throw InputError("nobody operates; take over with 'operate'");
      if (other == &client) throw InputError("you operate already");
      if (other->connection->waiting() >= kMostWaitingEvents)
        throw InputError(fmt::format("{} does not read what is sent", other->name));
      other->connection->send_text(
          Json{{"type", "asked"}, {"by", {{"id", number}, {"name", client.name}}}}.dump());
    } else if (type == "yield") {
      const Json to = message.at("to");
      if (!(to.is_null() || to.is_number_integer() || to == "scripted")) (void)to.get<int>();
      if (number != operator_) throw InputError("you do not operate");
      if (to.is_number_integer()) {
        const auto wanted = to.get<std::int64_t>();
        const Client* next =
            wanted > 0 && wanted < next_client_ ? find(static_cast<int>(wanted)) : nullptr;
        if (next == nullptr || !next->welcomed || !next->operates)
          throw InputError(fmt::format("there is no client {} that can operate", wanted));
        set_operator(next->number, false);
      } else {
        set_operator(0, !to.is_null());
      }
    } else if (type == "resume") {
      post(InputKind::kResume, "", client.name);
    } else if (type == "restart") {
      services_.restart();
    } else if (type == "event") {
      post(InputKind::kEvent, short_text(message.at("name"), kLongestWord, "event's name"),
           client.name);
    } else if (type == "parameter") {
      const auto value = message.at("value").get<double>();
      set_parameter(message.at("name").get<std::string>(), value);
    } else if (type == "episode") {
      const auto mark = message.at("mark").get<std::string>();
      const std::string text =
          short_text(message.value("text", Json("")), kLongestText, "episode's text");
      constexpr std::string_view kMarks[] = {"start", "success", "failure", "discard", "stop"};
      if (!std::ranges::count(kMarks, mark))
        throw InputError(fmt::format(
            "'{}' is not a mark of an episode; there are start, success, failure, discard, stop",
            shown(mark)));
      post(InputKind::kEpisode, mark, text);
    } else if (type == "record") {
      const bool on = message.at("on").get<bool>();
      services_.record(on, message.value("name", std::string()), answer_later(number, id));
      return;
    } else if (type == "delete") {
      services_.remove(message.at("name").get<std::string>(), answer_later(number, id));
      return;
    } else if (type == "replay") {
      replay(client, message, id);
      return;
    } else if (type == "devices") {
      tell_devices(client, now);
    } else if (type == "unpair") {
      const int device = message.at("device").get<int>();
      if (!services_.unpair(device))
        throw InputError(fmt::format("there is no paired device {}", device));
    } else {
      const double x = message.at(type == "seek" ? "time" : "factor").get<double>();
      if (!client.player) throw InputError("nothing is being replayed; ask for 'replay' before");
      if (type == "seek")
        client.player->seek(x);
      else if (x >= 0.0 && x <= kMostReplayFactor)
        client.player->set_factor(x);
      else
        throw InputError(
            fmt::format("a factor of {:g}; it must be 0 to {:g}", x, kMostReplayFactor));
    }
    answer(client, id, "");
  } catch (const InputError& error) {
    answer(client, id, error.what());
  }
}

// Names in full are looked up; patterns are compared with all names, which is charged.
void Hub::subscribe(Client& client, const Json& message, Nanoseconds now) {
  const auto patterns = message.value("channels", Json::array()).get<std::vector<std::string>>();
  const auto rate = message.value("rate", 1e9 / static_cast<double>(client.period));
  if (!(rate >= 1.0 && rate <= kMostRate))
    throw InputError(fmt::format("a rate of {:g} Hz; it must be 1 to {:g}", rate, kMostRate));
  client.work = std::min(kMostWork, client.work + kMostWork * seconds(now - client.work_at));
  client.work_at = now;
  std::vector<std::size_t> channels;
  for (const auto& pattern : patterns) {
    if (const auto named = channels_.find(pattern); named != channels_.end()) {
      channels.push_back(named->second);
      continue;
    }
    const bool is_pattern = pattern.find_first_of("*?") != std::string::npos;
    client.work -= (is_pattern ? 1.0 : kSearch) * static_cast<double>(pattern.size() * letters_);
    if (client.work < 0.0)
      throw InputError(
          "more patterns, or longer ones, than are compared in a second; give names in full, or "
          "ask again later");
    const std::size_t before = channels.size();
    if (is_pattern)
      for (std::size_t c = 0; c < shown_.channels.size(); ++c)
        if (matches(pattern, shown_.channels[c].name)) channels.push_back(c);
    if (channels.size() > before) continue;
    std::vector<std::string> names;
    for (const auto& info : shown_.channels) names.push_back(info.name);
    const auto near = is_pattern ? std::nullopt : nearest_name(pattern, names);
    throw InputError(fmt::format("there is no channel '{}'{}", shown(pattern),
                                 near ? fmt::format("; did you mean '{}'?", *near) : ""));
  }
  std::ranges::sort(channels);
  const auto twice = std::ranges::unique(channels);
  channels.erase(twice.begin(), twice.end());
  client.channels = std::move(channels);
  client.period = std::llround(1e9 / rate);
}

void Hub::tell_devices(Client& client, Nanoseconds now) {
  Json all = Json::array();
  for (const PairedDevice& device : services_.devices()) {
    const auto here = std::ranges::count_if(clients_, [&](const auto& one) {
      return one.second->welcomed && one.second->visitor.device == device.id;
    });
    all.push_back({{"id", device.id},
                   {"name", device.name},
                   {"address", device.address},
                   {"silent", seconds(std::max<Nanoseconds>(0, now - device.seen))},
                   {"pages", here},
                   {"you", device.id == client.visitor.device}});
  }
  client.connection->send_text(Json{{"type", "devices"}, {"devices", all}}.dump());
}

void Hub::set_parameter(const std::string& name, double value) {
  const ParameterTable& table = loop_->session.parameters();
  const ParameterInfo& info = table.info(table.find(name));
  if (!info.for_persons())
    throw InputError(
        fmt::format("{} is not for persons to set; an app may, with the mode 'set'", name));
  const auto range = info.persons_range();
  if (!(value >= range[0] && value <= range[1])) throw InputError(out_of_range(info, value, range));
  post(InputKind::kParameter, name, "", value);
}

void Hub::list(Client& client, const Json& id) {
  if (client.listing) throw InputError("the list is on its way");
  client.listing = true;
  services_.list([this, number = client.number, id](const std::vector<RecordInfo>& records) {
    Client* c = find(number);
    if (c == nullptr) return;
    c->listing = false;
    Json all = Json::array();
    for (const RecordInfo& record : records) {
      Json episodes = Json::array();
      for (const Episode& episode : record.episodes)
        episodes.push_back({{"start", seconds(episode.start * record.base_period)},
                            {"end", seconds(episode.end * record.base_period)},
                            {"task", episode.task},
                            {"outcome", episode.outcome},
                            {"operator", episode.operator_name}});
      Json entry = {{"name", record.name},
                    {"bytes", record.bytes},
                    {"seconds", record.seconds},
                    {"episodes", episodes},
                    {"thumbnail", nullptr}};
      if (!record.thumbnail.empty()) entry["thumbnail"] = "/thumbnails/" + record.thumbnail;
      if (!record.damage.empty()) entry["damage"] = record.damage;
      if (!record.imported.empty()) entry["imported"] = record.imported;
      all.push_back(entry);
    }
    const Json message = {{"type", "records"}, {"records", all}};
    c->connection->send_text(
        message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    answer(*c, id, "");
  });
}

void Hub::replay(Client& client, const Json& message, const Json& id) {
  if (message.value("off", false)) {
    client.player.reset();
    client.fresh = true;
    answer(client, id, "");
    return;
  }
  services_.replay(message.at("name").get<std::string>(),
                   [this, number = client.number, id](std::shared_ptr<ReplayPlayer> player,
                                                      const std::string& reason) {
                     Client* c = find(number);
                     if (c == nullptr) return;
                     if (player) {
                       c->player = std::move(player);
                       c->fresh = true;
                     }
                     answer(*c, id, reason);
                   });
}

}  // namespace handspan
