#include "log/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "log/channel_messages.hpp"
#include "log/hash_rows.hpp"
#include "log/logged_hashes.hpp"
#include "log/logged_plants.hpp"
#include "record/messages.hpp"

namespace handspan {
namespace {

constexpr std::size_t kMostShown = 8;  // channels of a difference

// Values of channels as recorded at one tick against the session's.
class ChannelComparison {
 public:
  explicit ChannelComparison(const LogFile& log) : log_(log) {}

  /// @param most difference that is none @return what differs, with values
  std::vector<std::string> differences(Session& session, double most, double& worst,
                                       std::size_t& found) const {
    std::vector<std::string> text;
    std::vector<double> values;
    std::string word;
    const std::int64_t tick = session.ticks();
    McapQuery query;
    query.from = query.to = tick * log_.base_period();
    const ChannelTable& table = session.channels();
    log_.reader().messages(query, [&](const McapChannel& channel, const McapMessage& message) {
      const auto name = channel.metadata.find("channel"), type = channel.metadata.find("type");
      if (name == channel.metadata.end() || type == channel.metadata.end()) return true;
      ++found;
      const auto compare = [&](const std::string& of, std::span<const double> was) {
        const auto ids = table.select(of);
        if (ids.empty()) return;
        const auto is = table.numbers(ids.front());
        for (std::size_t i = 0; i < was.size() && i < static_cast<std::size_t>(is.size()); ++i) {
          const double now = is[static_cast<Eigen::Index>(i)];
          const double difference = std::abs(now - was[i]) / std::max(1.0, std::abs(was[i]));
          worst = std::max(worst, std::isfinite(difference) ? difference : HUGE_VAL);
          if (difference <= most || text.size() == kMostShown) continue;
          text.push_back(fmt::format("{}[{}] was {:.17g} and is {:.17g}", of, i, was[i], now));
        }
      };
      if (type->second == "group") {
        const auto m = decode<messages::JointState>(message.bytes);
        compare(name->second + ".q", m.position);
        compare(name->second + ".v", m.velocity);
        compare(name->second + ".tau", m.effort);
      } else if (holds_doubles(channel_type(type->second))) {
        read_channel(log_.reader().schema(channel.schema)->name, message.bytes, values, word);
        compare(name->second, values);
      }
      return true;
    });
    return text;
  }

 private:
  const LogFile& log_;
};

// Compares each tick with the log.
class Verifier : public SessionWatcher {
 public:
  Verifier(const LogFile& log, const ReplayOptions& options, ReplayReport& report)
      : log_(log), options_(options), report_(report), hashes_(log.hashes()), channels_(log) {
    report.by_values = !report.other_machine.empty();
    key_frames_ = log.key_frames();
  }

  void after_tick(Session& session) noexcept override {
    if (report_.difference) return;
    const std::int64_t tick = session.ticks() - 1;
    if (report_.by_values) {
      by_values(session);
      return;
    }
    const TickHashes* was = hashes_.at(tick);
    if (was == nullptr) return;
    ++report_.compared;
    const TickHashes now = session.hashes();
    for (std::size_t q = 0; q < kQuantities; ++q) {
      const auto quantity = static_cast<Quantity>(q);
      // what was observed is given, and the simulation behind it is not there
      if (options_.open && quantity == Quantity::kPlant) continue;
      if ((now[q] & kHashBits) == (*was)[q]) continue;
      report_.difference = Difference{tick, quantity, {}};
      find_channels(session);
      return;
    }
  }

 private:
  void by_values(Session& session) noexcept {
    if (!std::ranges::binary_search(key_frames_, session.ticks())) return;
    std::size_t found = 0;
    try {
      auto differ = channels_.differences(session, options_.tolerance, report_.worst, found);
      if (found > 0) ++report_.compared;
      if (!differ.empty())
        report_.difference = Difference{session.ticks() - 1, Quantity::kPlant, std::move(differ)};
    } catch (const std::exception& error) {
      report_.difference = Difference{session.ticks() - 1, Quantity::kPlant, {error.what()}};
    }
  }
  void find_channels(Session& session) noexcept {
    try {
      std::size_t found = 0;
      double worst = 0.0;
      report_.difference->channels = channels_.differences(session, 0.0, worst, found);
    } catch (const std::exception& error) {
      report_.difference->channels = {error.what()};
    }
  }

  const LogFile& log_;
  const ReplayOptions& options_;
  ReplayReport& report_;
  LoggedHashes hashes_;
  std::vector<std::int64_t> key_frames_;
  ChannelComparison channels_;
};

}  // namespace

ReplayReport replay(LogFile& log, const Parts& parts, const ReplayOptions& options) {
  log.refuse_imported("be run again");
  if (options.open && (options.from > 0 || log.first_tick() > 0))
    throw InputError(
        fmt::format("{}: an open replay begins where its session began; leave --from out, and "
                    "record from the beginning",
                    log.file().string()));
  if (!options.open && all_observed(log))
    throw InputError(
        fmt::format("{}: its plant was no simulation and cannot run again; replay what it observed "
                    "with --open",
                    log.file().string()));
  const App app = log.app(parts);
  ReplayReport report;
  report.other_machine = log.other_machine();
  Session session(app, replay_options(log, app, options.open));
  if (session.base_period() != log.base_period())
    throw InputError(fmt::format("{}: its ticks are {} ns and this handspan makes them {} ns",
                                 log.file().string(), log.base_period(), session.base_period()));
  const std::int64_t from = options.from / log.base_period();
  if (from > log.ticks())
    throw InputError(fmt::format("{}: it ends at {:.3f} s, before {:.3f} s", log.file().string(),
                                 seconds(log.ticks() * log.base_period()), seconds(options.from)));
  if (!options.open && (from > 0 || log.first_tick() > 0)) {
    const auto [tick, bytes] = log.key_frame(std::max(from, log.first_tick()));
    session.restore(bytes);
  }
  report.first_tick = session.ticks();
  std::optional<Verifier> verifier;
  if (options.verify) {
    verifier.emplace(log, options, report);
    session.watch(*verifier);
  }
  const std::int64_t end =
      std::min(log.ticks(), options.to.value_or(INT64_MAX) / log.base_period());
  RunOptions run;
  run.to_the_end = true;
  run.progress = [&](Nanoseconds now) {
    if (report.difference) return false;
    return !options.progress || options.progress(now);
  };
  // @return whether it came to its end
  const auto part = [&](std::int64_t until) {
    const std::int64_t before = session.ticks();
    run.until = until * log.base_period();
    report.summary = run_session(session, run);
    report.ticks += session.ticks() - before;
    return session.ticks() >= until;
  };
  for (const LostTicks& lost : log.lost()) {
    if (lost.first >= end) break;
    if (session.ticks() > lost.last) continue;
    if (!part(std::max(session.ticks(), lost.first))) return report;
    const auto next = options.open ? std::nullopt : log.resumes(lost);
    report.gaps.push_back({session.ticks(), next.value_or(log.ticks())});
    if (!next || *next >= end) return report;
    session.restore(log.key_frame(*next).second);
  }
  if (!part(end)) return report;
  if (!options.to && !log.lost().empty() && log.lost().back().first >= end)
    report.gaps.push_back({end, end});
  return report;
}

}  // namespace handspan
