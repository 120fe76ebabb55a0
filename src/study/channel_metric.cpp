#include "study/channel_metric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/values.hpp"

namespace handspan {
namespace {

enum class OverRun { kMaximum, kMinimum, kMean, kRms, kLast };

struct ChannelMetricConfig {
  std::string channel;
  std::vector<std::int64_t> elements;
  OverRun statistic = OverRun::kMaximum;
  double from = 0.0;
};

class ChannelMetric : public Metric {
 public:
  ChannelMetric(const ChannelMetricConfig& config, const MetricContext& context)
      : config_(config), channel_(context.session.channels().find(config.channel)) {
    const ChannelInfo& info = context.session.channels().info(channel_);
    if (!holds_doubles(info.type))
      throw InputError(fmt::format("the channel '{}' has no numbers", config.channel));
    const auto size = static_cast<std::int64_t>(info.size);
    for (const std::int64_t element : config.elements)
      if (element >= size)
        throw InputError(fmt::format("the channel '{}' has {} numbers, and [{}] is none of them",
                                     config.channel, size, element));
    if (config.elements.empty() && size > 1)
      throw InputError(
          fmt::format("the channel '{}' has {} numbers; say which are meant, as "
                      "elements: [0, 1, 2]: of several their norm counts",
                      config.channel, size));
    unit_ = unit_of(info);
  }

  std::vector<Column> columns() const override { return {{"", unit_, ""}}; }

  void after_tick(Session& session) noexcept override {
    if (seconds(session.now()) < config_.from) return;
    const auto all = session.channels().numbers(channel_);
    double value = all[0];
    if (config_.elements.size() == 1) {
      value = all[config_.elements.front()];
    } else if (config_.elements.size() > 1) {
      value = 0.0;
      for (const std::int64_t i : config_.elements) value += all[i] * all[i];
      value = std::sqrt(value);
    }
    largest_ = count_ == 0 ? value : std::max(largest_, value);
    least_ = count_ == 0 ? value : std::min(least_, value);
    last_ = value;
    sum_ += value;
    squares_ += value * value;
    ++count_;
  }

  void values(Session&, std::span<double> into) override {
    const auto n = static_cast<double>(count_);
    switch (config_.statistic) {
      case OverRun::kMaximum:
        into[0] = largest_;
        break;
      case OverRun::kMinimum:
        into[0] = least_;
        break;
      case OverRun::kMean:
        into[0] = sum_ / n;
        break;
      case OverRun::kRms:
        into[0] = std::sqrt(squares_ / n);
        break;
      case OverRun::kLast:
        into[0] = last_;
        break;
    }
    if (count_ == 0) into[0] = NAN;
  }

 private:
  // "N, N m": of the first half and of the second; "": of several kinds
  std::string unit_of(const ChannelInfo& info) const {
    const std::size_t comma = info.unit.find(", ");
    if (comma == std::string::npos) return info.unit;
    const auto half = static_cast<std::int64_t>(info.size / 2);
    const auto first = [&](std::int64_t element) { return element < half; };
    if (std::ranges::all_of(config_.elements, first)) return info.unit.substr(0, comma);
    if (std::ranges::none_of(config_.elements, first)) return info.unit.substr(comma + 2);
    return "";
  }

  ChannelMetricConfig config_;
  ChannelId channel_;
  std::string unit_;
  double largest_ = 0.0, least_ = 0.0, last_ = 0.0, sum_ = 0.0, squares_ = 0.0;
  std::int64_t count_ = 0;
};

}  // namespace

void register_channel_metric(MetricRegistry& registry) {
  const auto schema =
      object<ChannelMetricConfig>("ChannelMetric")
          .required("channel", &ChannelMetricConfig::channel, text(), "such as left.wrist.wrench")
          .optional("elements", &ChannelMetricConfig::elements, list(integer().min(0)),
                    "which of its numbers, from 0; of several the norm of them")
          .required("statistic", &ChannelMetricConfig::statistic,
                    choice<OverRun>({{"maximum", OverRun::kMaximum},
                                     {"minimum", OverRun::kMinimum},
                                     {"mean", OverRun::kMean},
                                     {"rms", OverRun::kRms},
                                     {"last", OverRun::kLast}}),
                    "over the ticks of the run")
          .optional("from", &ChannelMetricConfig::from, number("s").min(0),
                    "what was before is not");
  registry.add("channel", schema, "a statistic over the run of what a channel says",
               [](const ChannelMetricConfig& config, const MetricContext& context) {
                 return std::make_unique<ChannelMetric>(config, context);
               });
}

}  // namespace handspan
