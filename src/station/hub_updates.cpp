// What clients are sent: frames at their rates, status, events, outputs of their devices.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "station/hub_impl.hpp"

namespace handspan {
namespace {

constexpr Nanoseconds kStatusPeriod = kSecond / 10, kStatusOnChange = kSecond / 30;
// at least as often events are looked for; and a frame whose client is busy is tried again
constexpr Nanoseconds kLook = 10'000'000, kAgain = 2'000'000;

std::string text_of(const nlohmann::json& message) {
  return message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

Nanoseconds Hub::poll(Nanoseconds now) {
  if (loop_ == nullptr) return now + kLook;
  Nanoseconds next = now + kLook;
  if (!operator_told_) tell_operator();
  if (loop_->tap.latest().refresh())
    for (auto& [number, client] : clients_) client->fresh = client->fresh || !client->player;
  send_events();
  send_outputs();
  std::vector<int> late;
  for (auto& [number, client] : clients_)
    if (!client->welcomed && now - client->since > kHelloTime) late.push_back(number);
  for (const int number : late) close(*find(number), CloseCode::kNoHello, "no hello within 5 s");
  if (now >= next_status_ ||
      (status_due_ && now >= next_status_ - kStatusPeriod + kStatusOnChange)) {
    status_due_ = false;
    next_status_ = now + kStatusPeriod;
    Json message = status();
    for (auto& [number, client] : clients_) {
      if (!client->welcomed || client->connection->waiting() >= kMostWaitingStatus) continue;
      message["you_operate"] = number == operator_;
      message["replay"] = nullptr;
      if (client->player) {
        LoopTap& tap = client->player->tap();
        Json replay = said(tap.latest().value(), tap);
        replay["start"] = client->player->start();
        replay["end"] = client->player->end();
        replay["message"] = client->player->message();
        message["replay"] = std::move(replay);
      }
      client->connection->send_text(text_of(message));
    }
  }
  for (auto& [number, client] : clients_) {
    if (!client->welcomed) continue;
    if (now >= client->next_frame) send_frame(*client, now);
    next = std::min(next, now >= client->next_frame ? now + kAgain : client->next_frame);
  }
  return next;
}

// One at a time: what comes while it is on its way is not kept, the newest goes next.
void Hub::send_frame(Client& client, Nanoseconds now) {
  LoopTap& tap = client.player ? client.player->tap() : loop_->tap;
  if (client.player) client.fresh = tap.latest().refresh() || client.fresh;
  if (!client.fresh || client.connection->waiting() > 0) return;
  FrameHead head;
  head.sequence = ++client.sequence;
  if (const RecordingStatus recording = services_.recording(); recording.on && !recording.failed)
    head.flags |= kRecordingFlag;
  if (client.player) head.flags |= kReplayFlag;
  encode_frame(head, tap.latest().value(), tap, shown_.channels, client.channels, client.frame);
  client.connection->send_bytes(client.frame);
  client.fresh = false;
  // in step with its rate, unless it fell behind
  client.next_frame = std::max(client.next_frame + client.period, now);
}

void Hub::send_events() {
  Event event;
  while (loop_->tap.events().take(event)) {
    status_due_ = true;
    if (event.kind == "episode" && event.name == "start") episode_task_ = event.text.view();
    if (event.kind == "scene" && event.name == "put back") {
      ++put_back_;
      put_back_why_ = event.text.view();
    }
    const std::string text = text_of({{"type", "event"},
                                      {"tick", event.tick},
                                      {"kind", event.kind.view()},
                                      {"name", event.name.view()},
                                      {"text", event.text.view()}});
    for (auto& [number, client] : clients_) {
      if (!client->welcomed) continue;
      if (client->connection->waiting() < kMostWaitingEvents)
        client->connection->send_text(text);
      else
        ++client->lost_events;
    }
  }
}

double Hub::size_of(const OutputValues& values) {
  return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

// A pulse that is shorter than the time between two looks is told by its largest value.
void Hub::send_outputs() {
  SentOutput sent;
  while (loop_->tap.outputs().take(sent)) {
    Output& output = devices_[sent.device].outputs[sent.output];
    output.newest = sent.values;
    if (size_of(sent.values) > size_of(output.most)) output.most = sent.values;
    output.pending = true;
  }
  Client* client = find(operator_);
  for (Device& device : devices_)
    for (Output& output : device.outputs) {
      if (!output.pending) continue;
      if (client != nullptr && client->connection->waiting() >= kMostWaitingEvents) continue;
      const OutputValues values = output.most;
      // its end goes with the next look
      output.pending = values != output.newest;
      output.most = output.newest;
      if (values == output.sent || !device.takes_samples) continue;
      output.sent = values;
      if (client == nullptr) continue;
      Json list = Json::array();
      for (std::size_t i = 0; i < output.size; ++i) list.push_back(values[i]);
      client->connection->send_text(text_of({{"type", "output"},
                                             {"device", device.name},
                                             {"output", output.name},
                                             {"values", list}}));
    }
}

StationStatus Hub::told_people() const {
  const LoopState& state = loop_->tap.latest().value();
  const auto who = clients_.find(operator_);
  return {state.time, clients_.size(), who == clients_.end() ? "" : who->second->name,
          services_.recording().on, state.pacer};
}

// what has a verdict, or goes on
Hub::Json Hub::judged(const LoopState& state) const {
  Json judged = Json::object();
  for (std::size_t j = 0; j < std::min(judges_.size(), state.judged.size()); ++j)
    if (state.judged[j].verdict != Verdict::kNone)
      judged[judges_[j]] = {{"verdict", name_of(state.judged[j].verdict)},
                            {"words", state.judged[j].words.view()}};
  return judged;
}

// what a loop says of itself, live or in a replay
Hub::Json Hub::said(const LoopState& state, const LoopTap& tap) const {
  Json mode = Json::object(), holding = Json::object(), limits = Json::array(),
       relaxed = Json::array();
  for (const std::size_t channel : machines_) {
    const ChannelInfo& info = shown_.channels[channel];
    // "mode.NAME"; a recording may be of an app with other states
    const auto at = static_cast<std::size_t>(state.integers[tap.first(channel)]);
    mode[info.name.substr(5)] = at < info.choices.size() ? info.choices[at] : "";
  }
  for (std::size_t r = 0; r < state.references.size(); ++r)
    if (state.references[r].holding)
      holding[shown_.references[r]] = state.references[r].reason.view();
  const auto name_rows = [&](const std::vector<std::uint16_t>& rows, Json& names) {
    for (const std::uint16_t row : rows)
      if (row < rows_.size()) names.push_back(rows_[row]);
  };
  name_rows(state.active, limits);
  name_rows(state.gave_way, relaxed);
  return {{"mode", mode},
          {"judged", judged(state)},
          {"stopped", state.stopped},
          {"reason", state.stopped && !state.references.empty()
                         ? std::string(state.references.front().reason.view())
                         : ""},
          {"holding", holding},
          {"limits", limits},
          {"relaxed", relaxed}};
}

Hub::Json Hub::status() {
  const LoopState& state = loop_->tap.latest().value();
  const LoopTap& tap = loop_->tap;
  Json status = said(state, tap);
  judged_.update(status["judged"]);
  Json operators = Json::object(), clients = Json::array(), devices = Json::object(),
       parameters = Json::object();
  const Json who = operator_ != 0 ? Json(operator_) : Json();
  for (const auto& name : shown_.references) operators[name] = who;
  for (const Device& device : devices_) {
    operators[device.name] = who;
    const double age = state.numbers[tap.first(device.age)];
    devices[device.name] = {{"age", age < 0.0 ? Json() : Json(age)},
                            {"present", state.integers[tap.first(device.present)] != 0}};
  }
  for (const auto& [number, client] : clients_)
    if (client->welcomed)
      clients.push_back({{"id", number},
                         {"name", client->name},
                         {"role", client->operates ? "operator" : "viewer"}});
  for (std::size_t p = 0; p < state.parameters.size(); ++p)
    parameters[loop_->session.parameters().info(parameters_[p]).name] = state.parameters[p];
  const RecordingStatus recording = services_.recording();
  status.update(
      {{"type", "status"},
       {"tick", state.tick},
       {"judged", judged_},
       {"operators", operators},
       {"clients", clients},
       {"recording",
        {{"on", recording.on && !recording.failed},
         {"file", recording.file},
         {"seconds", recording.seconds},
         {"message", recording.message},
         {"free", recording.free ? Json(*recording.free) : Json()},
         {"left", recording.left ? Json(*recording.left) : Json()}}},
       {"episode", {{"on", state.in_episode}, {"task", state.in_episode ? episode_task_ : ""}}},
       {"parameters", parameters},
       {"put_back", {{"count", put_back_}, {"why", put_back_why_}}},
       {"late_ticks", state.pacer.overruns},
       {"slipped", seconds(state.pacer.slipped)},
       {"devices", devices},
       {"inputs_lost", state.lost_inputs},
       {"samples_refused", counts_.not_operator + counts_.wrong_time},
       {"scripted", scripted_}});
  return status;
}

}  // namespace handspan
