#include "skills/toss/toss_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <string_view>
#include <utility>

#include "skills/toss/toss_watch.hpp"

namespace handspan {
namespace {

constexpr double kInDegrees = 180.0 / std::numbers::pi;

template <class... Args>
VerdictText formatted(fmt::format_string<Args...> format, Args&&... args) {
  char text[VerdictText::kMost];
  const auto end = fmt::format_to_n(text, sizeof text, format, std::forward<Args>(args)...);
  return std::string_view(text, std::min(end.size, sizeof text));
}

class TossJudge : public Judge {
 public:
  TossJudge(const TossRule& rule, const JudgeContext& context)
      : watch_(rule, context.scene, context.world) {}

  void update(Nanoseconds now) override {
    // what is taken again is tossed anew, also when it was taken in the air
    if (watch_.toss().released >= 0 && watch_.held()) watch_.begin_anew();
    watch_.update(now);
  }

  Verdict verdict() const override {
    if (watch_.toss().released < 0) return Verdict::kNone;
    const TossEnd end = watch_.end();
    return end == TossEnd::kOpen   ? Verdict::kOpen
           : end == TossEnd::kGood ? Verdict::kGood
                                   : Verdict::kNotGood;
  }

  VerdictText words() const override {
    const TossRule& rule = watch_.rule();
    const std::string& on = rule.into.empty() ? rule.belt : rule.into;
    const double tilt = kInDegrees * watch_.max_tilt(), yaw = kInDegrees * watch_.yaw(),
                 max_tilt = kInDegrees * rule.max_tilt, max_yaw = kInDegrees * rule.max_yaw;
    switch (watch_.end()) {
      case TossEnd::kOpen:
        return {};
      case TossEnd::kMissed:
        return formatted("it did not meet {} within {:g} s", on, rule.longest);
      case TossEnd::kTumbled:
        return formatted("it tumbled: tilted by {:.1f}°, at most {:g}°", tilt, max_tilt);
      case TossEnd::kMoves:
        return formatted("it was not at rest within {:g} s", rule.longest);
      case TossEnd::kElsewhere:
        return formatted("it came to rest beside {}", on);
      case TossEnd::kTurned:
        return formatted("it lies turned by {:.1f}° to {}, less than {:g}° wanted", yaw, on,
                         max_yaw);
      case TossEnd::kGood:
        return formatted("landed on its bottom, tilted by at most {:.1f}°, lies {:.1f}° to {}",
                         tilt, yaw, on);
    }
    return {};
  }

  std::string text() const override {
    const TossRule& rule = watch_.rule();
    return fmt::format(
        "{} from {}: rests on {} within {:g} s, tilted by at most {:g} deg, turned by less than "
        "{:g} deg",
        rule.object, rule.cup, rule.into.empty() ? rule.belt : rule.into, rule.longest,
        kInDegrees * rule.max_tilt, kInDegrees * rule.max_yaw);
  }

  void state(StateArchive& archive) override { archive(watch_); }

 private:
  TossWatch watch_;
};

}  // namespace

void register_toss_judge(JudgeRegistry& registry) {
  registry.add("toss", with_toss_rule(object<TossRule>("TossJudge")),
               "each toss of an object from a cup onto a belt: lands on its bottom, does not "
               "tumble, and rests along it",
               [](const TossRule& rule, const JudgeContext& context) {
                 return std::make_unique<TossJudge>(rule, context);
               });
}

}  // namespace handspan
