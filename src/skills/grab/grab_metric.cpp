#include "skills/grab/grab_metric.hpp"

#include <cmath>

#include "skills/grab/grab_watch.hpp"
#include "study/session_lookup.hpp"

namespace handspan {
namespace {

struct GrabMetricConfig : GrabRule {
  std::string device;  // "": nobody gives up
};

class GrabMetric : public Metric {
 public:
  GrabMetric(const GrabMetricConfig& config, const MetricContext& context)
      : watch_(config, world_of(context.session)),
        person_(config.device.empty() ? nullptr : &person_of(context.session, config.device)) {}

  std::vector<Column> columns() const override {
    return {
        {"lifted", "m", "highest over where it stood"},
        {"slip", "m",
         "farthest that one of the two points by which it is held is from the point of it that "
         "was there when it was lifted, until something else touches it again; more than 10 cm: it "
         "is lost, and the grab is over"},
        {"tilt", "rad", "largest angle of its z axis from the world's, likewise"},
        {"put_back", "", "1: it ended as high as it had been, within 2 cm"},
        {"judged", "", "1: a good grab by the rule"},
        {"took", "s", "from the first touch until it was let go of"}};
  }

  void after_tick(Session& session) noexcept override {
    // one grab: what comes after it is not looked at
    if (!watch_.grab().over) watch_.update(session.now());
  }

  std::optional<bool> done() const noexcept override {
    return watch_.grab().over || (person_ != nullptr && person_->round() > 0);
  }

  void values(Session&, std::span<double> into) override {
    const Grab& grab = watch_.grab();
    const GrabEnd end = watch_.end();
    into[0] = grab.height;
    into[1] = grab.lifted ? grab.slip : NAN;
    into[2] = grab.lifted ? grab.tilt : NAN;
    into[3] = grab.over && grab.lifted && !grab.lost &&
                      std::abs(grab.ended) < watch_.rule().put_back_within
                  ? 1.0
                  : 0.0;
    into[4] = end == GrabEnd::kGood ? 1.0 : 0.0;
    into[5] = grab.over ? seconds(grab.end - grab.begin) : NAN;
  }

 private:
  GrabWatch watch_;
  const Person* person_;
};

}  // namespace

void register_grab_metric(MetricRegistry& registry) {
  using C = GrabMetricConfig;
  const auto schema = with_grab_rule(object<C>("GrabMetric"))
                          .optional("device", &C::device, text(),
                                    "a scripted person: one who begins anew has given up, and the "
                                    "run ends");
  registry.add("grab", schema, "an object taken between two bodies, lifted and put back, once",
               [](const C& config, const MetricContext& context) {
                 return std::make_unique<GrabMetric>(config, context);
               });
}

}  // namespace handspan
