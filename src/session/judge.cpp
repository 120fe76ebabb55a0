#include "session/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/error.hpp"
#include "core/named.hpp"

namespace handspan {

namespace {

constexpr Verdict kVerdicts[] = {Verdict::kNone, Verdict::kOpen, Verdict::kGood, Verdict::kNotGood};

// by the name at its beginning
Verdict verdict_of(std::string_view words) {
  for (const Verdict verdict : kVerdicts)
    if (words.substr(0, words.find(':')) == name_of(verdict)) return verdict;
  return Verdict::kNone;
}

}  // namespace

const char* name_of(Verdict verdict) {
  constexpr const char* kNames[] = {"none", "open", "good", "not good"};
  return kNames[static_cast<std::size_t>(verdict)];
}

void Judges::make(const Configs& configs, const Scene& scene, World* world,
                  std::vector<ToldVerdict> told) {
  told_ = std::move(told);
  for (const auto& [name, part] : configs) {
    Entry entry;
    entry.name = name;
    try {
      if (world != nullptr) entry.judge = part.make(JudgeContext{name, scene, *world});
    } catch (const ConfigError&) {
      throw;
    } catch (const InputError& error) {
      throw ConfigError(
          {{part.place, "judges." + name, "cannot be made: " + std::string(error.what()), ""}});
    }
    judges_.push_back(std::move(entry));
  }
}

void Judges::declare(ChannelTable& channels, Rate rate) {
  std::vector<std::string> words;
  for (const Verdict verdict : kVerdicts) words.emplace_back(name_of(verdict));
  for (Entry& entry : judges_)
    entry.channel = channels.choice("judge." + entry.name, words, rate, "how it went");
}

std::size_t Judges::find(const std::string& name) const {
  return find_named("the app", "judge", name, judges_, &Entry::name);
}

std::vector<std::string> Judges::texts() const {
  std::vector<std::string> texts;
  for (const Entry& entry : judges_)
    texts.push_back(fmt::format(
        "judge {}: {}", entry.name,
        entry.judge ? entry.judge->text() : std::string("sees nothing: nothing is simulated")));
  return texts;
}

void Judges::set(Entry& entry, Verdict verdict, const VerdictText& words, EventList& events) {
  entry.verdict = verdict;
  entry.words = verdict == Verdict::kGood || verdict == Verdict::kNotGood ? words : VerdictText();
  events.add("judged", entry.name, words);
}

void Judges::update(std::int64_t tick, Nanoseconds now, EventList& events) {
  for (Entry& entry : judges_) {
    if (!entry.judge) continue;
    entry.judge->update(now);
    const Verdict verdict = entry.judge->verdict();
    if (verdict == entry.verdict) continue;
    char text[VerdictText::kMost];
    const VerdictText why = entry.judge->words();
    const auto end = fmt::format_to_n(text, sizeof text, "{}{}{}", name_of(verdict),
                                      why.empty() ? "" : ": ", why.view());
    set(entry, verdict, std::string_view(text, std::min(end.size, sizeof text)), events);
  }
  for (; next_told_ < told_.size() && told_[next_told_].tick <= tick; ++next_told_) {
    const ToldVerdict& told = told_[next_told_];
    for (Entry& entry : judges_)
      if (!entry.judge && entry.name == told.judge)
        set(entry, verdict_of(told.words), told.words, events);
  }
}

void Judges::publish(ChannelTable& channels, Nanoseconds stamp) const {
  for (const Entry& entry : judges_)
    channels.write(entry.channel, static_cast<std::size_t>(entry.verdict), stamp);
}

void Judges::state(StateArchive& archive) {
  for (Entry& entry : judges_) {
    archive.part("judge", entry.name);
    archive(entry.verdict, entry.words);
    if (entry.judge) entry.judge->state(archive);
  }
}

}  // namespace handspan
