#include "skills/grab/grab_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "skills/grab/grab_watch.hpp"

namespace handspan {
namespace {

constexpr double kDegreesOf = 180.0 / std::numbers::pi, kMillimetres = 1e3;

template <class... Args>
VerdictText said(fmt::format_string<Args...> format, Args&&... args) {
  char text[VerdictText::kMost];
  const auto end = fmt::format_to_n(text, sizeof text, format, std::forward<Args>(args)...);
  return std::string_view(text, std::min(end.size, sizeof text));
}

class GrabJudge : public Judge {
 public:
  GrabJudge(const GrabRule& rule, const JudgeContext& context) : watch_(rule, context.world) {}

  void update(Nanoseconds now) override { watch_.update(now); }

  Verdict verdict() const override {
    if (!watch_.grab().touched) return Verdict::kNone;
    const GrabEnd end = watch_.end();
    return end == GrabEnd::kOpen   ? Verdict::kOpen
           : end == GrabEnd::kGood ? Verdict::kGood
                                   : Verdict::kNotGood;
  }

  VerdictText words() const override {
    const Grab& grab = watch_.grab();
    const GrabRule& rule = watch_.rule();
    const double height = kMillimetres * grab.height, slip = kMillimetres * grab.slip,
                 tilt = kDegreesOf * grab.tilt;
    switch (watch_.end()) {
      case GrabEnd::kOpen:
        return {};
      case GrabEnd::kNotLifted:
        return said("it was touched, and not lifted by both");
      case GrabEnd::kLost:
        return said("it was lost: it slipped by more than {:.0f} mm", slip);
      case GrabEnd::kLow:
        return said("lifted by {:.0f} mm; more than {:.0f} mm wanted", height,
                    kMillimetres * rule.lifted);
      case GrabEnd::kSlipped:
        return said("it slipped by {:.1f} mm; at most {:g} mm", slip, kMillimetres * rule.max_slip);
      case GrabEnd::kTilted:
        return said("it tilted by {:.1f}°; at most {:g}°", tilt, kDegreesOf * rule.max_tilt);
      case GrabEnd::kElsewhere:
        return said("let go of {:.0f} mm {} where it stood; within {:g} mm",
                    kMillimetres * std::abs(grab.ended), grab.ended < 0.0 ? "below" : "above",
                    kMillimetres * rule.put_back_within);
      case GrabEnd::kGood:
        return said("lifted by {:.0f} mm and put back, slipped by {:.1f} mm, tilted by {:.1f}°",
                    height, slip, tilt);
    }
    return {};
  }

  std::string text() const override {
    const GrabRule& rule = watch_.rule();
    return fmt::format(
        "{} between {} and {}: lifted by more than {:g} mm, slips by at most {:g} mm, tilts by at "
        "most {:g} deg, put back within {:g} mm of its height",
        rule.object, rule.between[0], rule.between[1], kMillimetres * rule.lifted,
        kMillimetres * rule.max_slip, kDegreesOf * rule.max_tilt,
        kMillimetres * rule.put_back_within);
  }

  void state(StateArchive& archive) override { archive(watch_); }

 private:
  GrabWatch watch_;
};

}  // namespace

void register_grab_judge(JudgeRegistry& registry) {
  registry.add("grab", with_grab_rule(object<GrabRule>("GrabJudge")),
               "each time that two bodies take an object: lifted, neither slipped nor tilted, and "
               "put back",
               [](const GrabRule& rule, const JudgeContext& context) {
                 return std::make_unique<GrabJudge>(rule, context);
               });
}

}  // namespace handspan
