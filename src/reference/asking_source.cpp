#include "reference/asking_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"

namespace handspan {

std::string default_text(const ChunkRule& rule) {
  return rule == ChunkRule::kReplace ? "replace" : "blend";
}

AskingSource::AskingSource(const AskingConfig& config, const SourceContext& context,
                           std::size_t numbers, SlowWorker::Work work)
    : name_(context.name),
      config_(config),
      reads_(config.reads, config.task, context),
      parts_(1 + kMostPoses * kRowNumbers),
      worker_(std::make_unique<SlowWorker>(context.name, numbers, std::move(work))) {
  if (const auto kind = context.arbiter->reference(reads_.reference()).kind(); kind != kPoseKind)
    throw InputError(fmt::format("its answers are poses, and '{}' is a reference of type {}",
                                 shown(config.task), kind));
  resize_questions(numbers);
}

void AskingSource::resize_questions(std::size_t numbers) {
  for (Asked& asked : asked_) asked.question.numbers.assign(numbers, 0.0);
  worker_->resize(numbers);
}

void AskingSource::start(const Moment& moment, const Motion&) {
  ++epoch_;
  active_ = failed_ = false;
  chunk_.clear();
  last_stamp_ = 0;
  next_ask_ = moment.now;
}

// The arbiter calls it in the tick in which there is something to follow after there was nothing:
// then it goes on with that. After a stop, or when others held it, its poses are over.
void AskingSource::resume(const Moment& moment, const Motion& reference) {
  if (since_ != moment.tick) start(moment, reference);
}

SourceAnswer AskingSource::update(const Moment& moment, const Motion& reference, Motion& wanted) {
  if (moment.now >= next_ask_ && waiting_ < kMostAsked) put(moment, reference);
  const auto nothing = [&](SourceStatus status, const char* why) {
    active_ = false;
    return SourceAnswer{status, why};
  };
  if (failed_) return nothing(SourceStatus::kLost, why_.data());
  if (chunk_.empty()) return nothing(SourceStatus::kSilent, "waits for its first answer");
  if (config_.timeout && moment.now - chunk_.end() > std::llround(*config_.timeout * 1e9)) {
    chunk_.clear();
    return nothing(SourceStatus::kLost, "no new answer came in time");
  }
  if (!active_) since_ = moment.tick;
  active_ = true;
  wanted.pose = chunk_.at(moment.now);
  return {};
}

void AskingSource::put(const Moment& moment, const Motion& reference) {
  Asked& asked = asked_[waiting_];
  asked.question.id = ++last_id_;
  asked.question.stamp = moment.now;
  // the next tick is the first that can take it
  asked.question.due = moment.now + std::llround(std::max(config_.latency, moment.dt) * 1e9);
  asked.epoch = epoch_;
  reads_.look(asked.seen);
  ask(moment, reference, asked.question);
  next_ask_ = moment.now + std::llround(config_.every * 1e9);
  ++waiting_;
  // where nobody answers, as in a replay, the answer is an input of the log
  worker_->ask(asked.question);
}

void AskingSource::drop(std::size_t asked) {
  std::rotate(asked_.begin() + static_cast<std::ptrdiff_t>(asked),
              asked_.begin() + static_cast<std::ptrdiff_t>(asked) + 1, asked_.begin() + waiting_);
  --waiting_;
}

// `again`: the question waits for an answer all the same, and is asked again.
void AskingSource::refuse(const Moment& moment, std::uint64_t id, std::string_view why,
                          bool again) {
  ++refused_;
  if (again) next_ask_ = std::min(next_ask_, moment.now);
  if (moment.events == nullptr) return;
  char text[166];
  const auto end = fmt::format_to_n(text, sizeof text, "answer {}: {}", id, why);
  moment.events->add("refused", name_, {text, std::min(end.size, sizeof text)});
}

void AskingSource::fail(const Moment& moment, std::string_view why) {
  failed_ = true;
  active_ = false;
  chunk_.clear();
  next_ask_ = std::max(next_ask_, moment.now);
  why_.fill('\0');
  std::copy_n(why.begin(), std::min(why.size(), why_.size() - 1), why_.begin());
}

void AskingSource::receive(const Moment& moment, const Input& input) {
  const AnswerParts::Result part = parts_.take(input);
  const auto find = [&](std::uint64_t id) {
    const auto end = asked_.begin() + waiting_;
    return static_cast<std::size_t>(
        std::find_if(asked_.begin(), end, [&](const Asked& a) { return a.question.id == id; }) -
        asked_.begin());
  };
  if (part.refused != nullptr) {
    const std::size_t asked = find(part.id);
    refuse(moment, part.id, part.refused, asked < waiting_);
    if (asked < waiting_) drop(asked);
  }
  if (!part.whole) return;
  // what was refused may be another one than what is whole
  const auto id = static_cast<std::uint64_t>(input.numbers[0]);
  const std::size_t asked = find(id);
  if (asked == waiting_) {
    refuse(moment, id, "to a question that does not wait for one", false);
    return;
  }
  // between two ticks it is due at the second
  if (moment.now - asked_[asked].question.due >= std::llround(moment.dt * 1e9)) ++late_;
  take(moment, input, asked);
  drop(asked);
}

void AskingSource::take(const Moment& moment, const Input& input, std::size_t at) {
  const Asked& asked = asked_[at];
  const std::uint64_t id = asked.question.id;
  if (asked.epoch != epoch_) return refuse(moment, id, "the source has begun anew since", false);
  if (const auto what = reads_.changed(asked.seen); !what.empty()) return refuse(moment, id, what);
  if (!input.text.empty()) return fail(moment, input.text);
  if (input.stamp < last_stamp_)
    return refuse(moment, id, "its stamp is before that of the answer before");
  if (input.stamp > moment.now + std::llround(60e9))
    return refuse(moment, id, "its stamp is more than a minute ahead");
  Pose X_WF;
  if (const char* why = frame_at(asked.question.stamp, X_WF)) return refuse(moment, id, why);
  const auto numbers = parts_.numbers();
  if (numbers.empty()) return refuse(moment, id, "it is empty");
  if (const char* why = chunk_.take(moment.now, input.stamp, numbers[0], numbers.subspan(1),
                                    config_.chunks, X_WF))
    return refuse(moment, id, why);
  failed_ = false;
  stamp_ = asked.question.stamp;
  last_stamp_ = input.stamp;
  ++answered_;
}

void AskingSource::declare(ChannelTable& channels, Rate rate) {
  const std::string of = "source." + name_;
  age_channel_ = channels.number(of + ".age", "s", rate, "since the stamp of what it follows");
  answered_channel_ = channels.integer(of + ".answered", "", rate, "answers that were taken");
  refused_channel_ = channels.integer(of + ".refused", "", rate, "answers that were refused");
  late_channel_ =
      channels.integer(of + ".late", "", rate, "answers that came later than the latency");
}

void AskingSource::publish(ChannelTable& channels, Nanoseconds stamp) const {
  channels.write(age_channel_, answered_ == 0 ? 0.0 : seconds(stamp - stamp_), stamp);
  channels.write(answered_channel_, static_cast<std::int64_t>(answered_), stamp);
  channels.write(refused_channel_, std::int64_t{refused_}, stamp);
  channels.write(late_channel_, std::int64_t{late_}, stamp);
}

void AskingSource::state(StateArchive& archive) {
  archive(parts_, chunk_, waiting_, last_id_, epoch_, active_, since_, next_ask_, stamp_,
          last_stamp_, answered_, refused_, late_, failed_, why_);
  for (Asked& asked : asked_) archive(asked);
  own_state(archive);
  if (!archive.loading()) return;
  if (waiting_ > kMostAsked) throw InputError("the snapshot is damaged in questions of " + name_);
  why_.back() = '\0';
  // what waits is asked again: whoever answered it before did so for another run
  worker_->forget();
  for (std::uint32_t i = 0; i < waiting_; ++i) worker_->ask(asked_[i].question);
}

}  // namespace handspan
