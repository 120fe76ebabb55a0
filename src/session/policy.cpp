#include "session/policy.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.hpp"
#include "reference/asking_source.hpp"
#include "reference/pose_history.hpp"
#include "session/policy_socket.hpp"

namespace handspan {
namespace {

using PolicyJson = nlohmann::json;

struct PolicyConfig : AskingConfig {
  PolicyConfig() {
    every = 0.2;
    timeout = 0.1;
  }
  std::filesystem::path socket;
  std::vector<std::string> observations;
  bool relative = false;
  double answers_within = 5.0;  // [s], by the wall clock
};

double finite_number(const PolicyJson& value, const std::string& what) {
  const double x = value.is_number() ? value.get<double>() : NAN;
  if (!std::isfinite(x)) throw InputError(what + " is not a finite number");
  return x;
}

const PolicyJson& member(const PolicyJson& message, const char* key) {
  const auto found = message.find(key);
  if (found == message.end()) throw InputError(fmt::format("its answer has no '{}'", key));
  return *found;
}

PolicyJson parsed(const std::string& message) {
  try {
    PolicyJson json = PolicyJson::parse(message);
    if (json.is_object()) return json;
  } catch (const PolicyJson::exception& error) {
    throw InputError(fmt::format("its answer is not JSON: {}", error.what()));
  }
  throw InputError("its answer is not an object of JSON");
}

std::uint64_t question_of(const PolicyJson& message) {
  const PolicyJson& id = member(message, "question");
  if (!id.is_number_unsigned()) throw InputError("'question' of its answer is not a whole number");
  return id.get<std::uint64_t>();
}

// The numbers of an answer: dt, then the rows.
void read_policy(const PolicyJson& message, Answer& answer) {
  if (const auto why = message.find("failure"); why != message.end()) {
    if (!why->is_string()) throw InputError("'failure' of its answer is not a text");
    throw InputError("it has no answer: " + shown(why->get<std::string>()));
  }
  if (const auto stamp = message.find("stamp"); stamp != message.end()) {
    const double time = finite_number(*stamp, "'stamp' of its answer");
    if (!(time >= 0.0 && time < 1e9))
      throw InputError(
          "'stamp' of its answer is not a time of the run, which counts seconds from 0");
    answer.stamp = std::llround(time * 1e9);
  }
  const PolicyJson& poses = member(message, "poses");
  if (!poses.is_array() || poses.empty() || poses.size() > kMostPoses)
    throw InputError(
        fmt::format("'poses' of its answer is not a list of 1 to {} rows", kMostPoses));
  answer.numbers.push_back(finite_number(member(message, "dt"), "'dt' of its answer"));
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const PolicyJson& row = poses[i];
    if (!row.is_array() || row.size() != kRowNumbers)
      throw InputError(
          fmt::format("poses[{}] of its answer is not a row of {} numbers", i, kRowNumbers));
    for (std::size_t k = 0; k < kRowNumbers; ++k)
      answer.numbers.push_back(finite_number(row[k], fmt::format("poses[{}][{}]", i, k)));
  }
}

class Policy : public AskingSource {
 public:
  Policy(const PolicyConfig& config, const SourceContext& context)
      : AskingSource(config, context, 0,
                     [this](const Question& question, Answer& answer,
                            const std::atomic<bool>& stops) { exchange(question, answer, stops); }),
        config_(config),
        history_(context.history) {
    if (!config.relative) return;
    if (history_ == nullptr) throw InputError("it is relative, and nobody keeps where frames were");
    frame_ = history_->track(context.arbiter->reference(reads().reference()).frame_name());
  }
  // its thread uses what is in here
  ~Policy() override { end_worker(); }

  void connect(const ChannelTable& channels) override {
    channels_ = &channels;
    std::size_t numbers = 0;
    for (const std::string& name : config_.observations) {
      const ChannelId id = channels.find(name);
      const ChannelInfo& info = channels.info(id);
      const bool whole = info.type == ChannelType::kInteger || info.type == ChannelType::kBoolean ||
                         info.type == ChannelType::kChoice;
      observed_.push_back({id, !whole, info.size});
      numbers += info.size;
    }
    resize_questions(numbers);
  }
  void open() override { socket_ = std::make_unique<PolicySocket>(config_.socket); }
  std::string text() const override {
    return fmt::format("moves as a program says that connects to {}", config_.socket.string());
  }

 protected:
  void ask(const Moment&, const Motion&, Question& question) override {
    auto to = question.numbers.begin();
    for (const Observed& observed : observed_) {
      if (!observed.doubles) {
        *to++ = static_cast<double>(channels_->integer(observed.channel));
        continue;
      }
      const auto values = channels_->numbers(observed.channel);
      to = std::copy(values.begin(), values.end(), to);
    }
  }
  // relative rows are seen from where the arm's frame was measured when the question was asked
  const char* frame_at(Nanoseconds stamp, Pose& X_WF) const override {
    return config_.relative ? history_->pose_at(frame_, stamp, X_WF) : nullptr;
  }

 private:
  struct Observed {
    ChannelId channel;
    bool doubles = true;
    std::size_t size = 1;
  };

  // In the worker's thread. An answer to a question of before, which came too late for it, is
  // passed over.
  void exchange(const Question& question, Answer& answer, const std::atomic<bool>& stops) const {
    if (!socket_) throw InputError("nobody can connect in this run");
    PolicyJson message = {{"question", question.id}, {"stamp", seconds(question.stamp)}};
    PolicyJson& observations = message["observations"] = PolicyJson::object();
    std::size_t at = 0;
    for (std::size_t i = 0; i < observed_.size(); ++i) {
      const auto first = question.numbers.begin() + static_cast<std::ptrdiff_t>(at);
      observations[config_.observations[i]] =
          std::vector<double>(first, first + static_cast<std::ptrdiff_t>(observed_[i].size));
      at += observed_[i].size;
    }
    const auto until =
        PolicySocket::Clock::now() + std::chrono::duration_cast<PolicySocket::Clock::duration>(
                                         std::chrono::duration<double>(config_.answers_within));
    socket_->send(message.dump(), until, stops);
    for (;;) {
      const PolicyJson reply = parsed(socket_->receive(until, stops));
      const std::uint64_t id = question_of(reply);
      if (id > question.id || id == 0)
        throw InputError(fmt::format("it answers question {}, which was never asked", id));
      if (id == question.id) return read_policy(reply, answer);
    }
  }

  PolicyConfig config_;
  PoseHistory* history_;
  PoseHistory::Id frame_;
  const ChannelTable* channels_ = nullptr;
  std::vector<Observed> observed_;
  std::unique_ptr<PolicySocket> socket_;  // none: it is not open, as in a replay
};

}  // namespace

void register_policy(SourceRegistry& registry) {
  registry.add(
      "policy",
      asking_keys(object<PolicyConfig>("Policy"), true)
          .required("socket", &PolicyConfig::socket, text(),
                    "path of the Unix domain socket that handspan listens on; from where handspan "
                    "is started")
          .optional("observations", &PolicyConfig::observations, list(text()).max_size(256),
                    "channels, by name, whose values go into each question")
          .optional("relative", &PolicyConfig::relative, boolean(),
                    "poses are seen from where the frame was measured when the question was asked; "
                    "else they are in the world")
          .optional("answers_within", &PolicyConfig::answers_within, number("s").above(0).max(600),
                    "by the wall clock, the wait for a client among it; else there is no answer"),
      "moves as another program says, asked with observations over a socket",
      [](const PolicyConfig& config, const SourceContext& context) {
        return std::make_unique<Policy>(config, context);
      });
}

}  // namespace handspan
