#pragma once
// What sources that ask somebody slower than a tick have in common: when they ask, what becomes of
// answers, and how they follow the poses that an answer brings. A kind of such a source says what
// goes into a question and who answers it (session/planned_move.cpp, session/policy.cpp).
//
// An answer is refused, and an event says why, when its question was never asked, when what it was
// asked from has changed (versions.hpp), when its stamp is before that of the answer before, when
// it was cut, or when its poses are none. The poses that are under way then go on, and it asks
// again.
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/object.hpp"
#include "core/values.hpp"
#include "reference/answer_parts.hpp"
#include "reference/pose_chunk.hpp"
#include "reference/slow_worker.hpp"
#include "reference/source.hpp"
#include "reference/versions.hpp"

namespace handspan {

struct AskingConfig {
  std::string task;      // whose reference it moves
  double latency = 0.1;  // between a question and its answer [s]
  double every = 1.0;    // between questions [s]
  ChunkRule chunks = ChunkRule::kReplace;
  std::optional<double> timeout;  // after the last pose [s]; none: it stands at it
  ReadsConfig reads;
};

class AskingSource : public Source {
 public:
  void start(const Moment& moment, const Motion& reference) final;
  void resume(const Moment& moment, const Motion& reference) final;
  SourceAnswer update(const Moment& moment, const Motion& reference, Motion& wanted) final;
  void receive(const Moment& moment, const Input& input) final;
  void declare(ChannelTable& channels, Rate rate) override;
  void publish(ChannelTable& channels, Nanoseconds stamp) const override;
  SlowWorker* worker() final { return worker_.get(); }
  void state(StateArchive& archive) override;

  // for who looks on
  std::uint32_t refused() const { return refused_; }
  std::uint32_t late() const { return late_; }
  std::uint64_t answered() const { return answered_; }

 protected:
  /// @param numbers of a question  @throws InputError as Reads
  AskingSource(const AskingConfig& config, const SourceContext& context, std::size_t numbers,
               SlowWorker::Work work);

  // of a kind; in a tick, nothing allocates or throws

  /// Fills in the numbers of a question whose answer is to be taken at question.due.
  virtual void ask(const Moment& moment, const Motion& reference, Question& question) = 0;
  /// The frame that the rows of an answer to that question are given in.
  virtual const char* frame_at(Nanoseconds /*stamp*/, Pose& /*X_WF*/) const { return nullptr; }
  /// Everything else that a run changes.
  virtual void own_state(StateArchive&) {}

  /// The poses under way.
  const PoseChunk& chunk() const { return chunk_; }
  /// At set-up: questions have so many numbers.
  void resize_questions(std::size_t numbers);
  const Reads& reads() const { return reads_; }
  /// Who answers stops: what it uses of a derived class goes with that. For destructors.
  void end_worker() { worker_.reset(); }

 private:
  struct Asked {
    Question question;
    Seen seen;
    std::uint32_t epoch = 0;
    void state(StateArchive& archive) {
      archive(question.id, question.stamp, question.due, question.numbers, seen, epoch);
    }
  };
  void put(const Moment& moment, const Motion& reference);
  void refuse(const Moment& moment, std::uint64_t id, std::string_view why, bool again = true);
  void fail(const Moment& moment, std::string_view why);
  void take(const Moment& moment, const Input& input, std::size_t asked);
  void drop(std::size_t asked);

  std::string name_;
  AskingConfig config_;
  Reads reads_;
  AnswerParts parts_;
  PoseChunk chunk_;
  std::array<Asked, kMostAsked> asked_;  // that wait for their answers, in the order of asking
  std::uint32_t waiting_ = 0;            // of asked_
  std::uint64_t last_id_ = 0;
  std::uint32_t epoch_ = 0;     // how often it began anew
  bool active_ = false;         // it had something to follow in the last update
  std::int64_t since_ = -1;     // the tick in which it came to have
  Nanoseconds next_ask_ = 0;    // [ns]
  Nanoseconds stamp_ = 0;       // of what the poses under way were asked from [ns]
  Nanoseconds last_stamp_ = 0;  // of the last answer that was taken, since it began [ns]
  std::uint64_t answered_ = 0;  // answers that were taken
  std::uint32_t refused_ = 0, late_ = 0;
  bool failed_ = false;          // the last answer says that there is none
  std::array<char, 127> why_{};  // as a text that ends with 0
  NumberChannel age_channel_;
  IntegerChannel answered_channel_, refused_channel_, late_channel_;
  std::unique_ptr<SlowWorker> worker_;  // last: its thread ends first
};

/// The word of a rule, for the documentation of the schema (core/defaults.hpp).
std::string default_text(const ChunkRule& rule);

/// The keys that all of them have.
template <class Config>
ObjectSchema<Config> asking_keys(const ObjectSchema<Config>& keys, bool has_timeout) {
  auto schema =
      keys.required("task", &Config::task, text(), "whose reference it moves")
          .optional("latency", &Config::latency, number("s").min(0).max(60),
                    "from a question to its answer. On the virtual clock the answer is taken "
                    "exactly then; on the wall clock as it comes, and later ones are counted")
          .optional("every", &Config::every, number("s").above(0).max(3600), "it asks again")
          .optional(
              "chunks", &Config::chunks,
              choice<ChunkRule>({{"replace", ChunkRule::kReplace}, {"blend", ChunkRule::kBlend}}),
              "what new poses do with those under way: replace, or blend: as long as the old "
              "ones last, from them to the new ones")
          .optional("reads", &Config::reads, reads_schema());
  if (has_timeout)
    schema = schema.optional("timeout", &Config::timeout, number("s").min(0).max(60),
                             "after the last pose it counts as lost");
  return schema;
}

}  // namespace handspan
