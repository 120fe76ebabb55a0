#include "log/log_series.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/suggest.hpp"
#include "log/log_layout.hpp"
#include "math/so3.hpp"
#include "record/messages.hpp"

namespace handspan {
namespace {

// What a series of T is read from: the message, the words for it, and its value; none: it is not
// finite.
template <class T>
struct SeriesType;

template <>
struct SeriesType<LoggedPose> {
  using Message = messages::PoseStamped;
  static constexpr char kValues[] = "poses", kNone[] = "is not finite, or has no orientation";
  static std::optional<LoggedPose> value(const Message& m) {
    const Eigen::Vector3d p(m.position[0], m.position[1], m.position[2]);
    const Eigen::Vector4d q(m.orientation[0], m.orientation[1], m.orientation[2], m.orientation[3]);
    if (!p.allFinite() || !q.allFinite() || !(q.norm() > 1e-6)) return std::nullopt;
    return LoggedPose{p, quaternion_from_xyzw(q)};
  }
};

template <>
struct SeriesType<Vector6d> {
  using Message = messages::WrenchStamped;
  static constexpr char kValues[] = "wrenches", kNone[] = "is not finite";
  static std::optional<Vector6d> value(const Message& m) {
    Vector6d F;
    std::ranges::copy(m.force, F.data());
    std::ranges::copy(m.torque, F.data() + 3);
    if (!F.allFinite()) return std::nullopt;
    return F;
  }
};

template <>
struct SeriesType<Eigen::VectorXd> {
  using Message = messages::Vector;
  static constexpr char kValues[] = "vectors", kNone[] = "is not finite";
  static std::optional<Eigen::VectorXd> value(const Message& m) {
    const Eigen::VectorXd x =
        Eigen::VectorXd::Map(m.values.data(), static_cast<Eigen::Index>(m.values.size()));
    if (!x.allFinite()) return std::nullopt;
    return x;
  }
};

void refuse_lost(const ChannelLog& log, const LogSpan& span) {
  for (const McapLoss& loss : log.reader.losses())
    if (loss.from <= span.to.value_or(log.reader.statistics().last_time) && loss.to >= span.from)
      throw InputError(
          fmt::format("{}: a part of it was lost in the time that is asked for, from {:.3f} s on; "
                      "give another, or record it anew",
                      log.file.string(), seconds(loss.from)));
}

// @param type name of its messages
void refuse_other(const ChannelLog& log, const std::string& topic, std::string_view type,
                  const std::string& values) {
  const auto is_of_type = [&](const McapChannel& channel) {
    const McapSchema* schema = log.reader.schema(channel.schema);
    return schema != nullptr && schema->name == type;
  };
  const McapChannel* channel = log.reader.channel(topic);
  if (channel != nullptr && is_of_type(*channel)) return;
  std::vector<std::string> there;
  for (const McapChannel& each : log.reader.channels())
    if (is_of_type(each)) there.push_back(each.topic);
  throw InputError(fmt::format("{} has no {} under {}{}", log.file.string(), values, topic,
                               there.empty() ? std::string("; it has none at all")
                                             : "; " + did_you_mean(topic, there, "it has")));
}

}  // namespace

template <class T>
std::vector<SeriesRow<T>> read_series(const ChannelLog& log, const std::string& channel,
                                      const LogSpan& span, const SeriesOptions& options) {
  using Type = SeriesType<T>;
  const std::string topic = topic_of(channel),
                    values = options.values.empty() ? Type::kValues : options.values;
  refuse_lost(log, span);
  refuse_other(log, topic, message_type<typename Type::Message>().name, values);
  McapQuery query;
  query.topics = {topic};
  if (!options.held) query.from = span.from;
  if (span.to) query.to = *span.to;
  std::vector<SeriesRow<T>> rows;
  log.reader.messages(query, [&](const McapChannel&, const McapMessage& message) {
    if (!rows.empty() && message.log_time <= rows.back().time) return true;
    std::optional<T> value = Type::value(decode<typename Type::Message>(message.bytes));
    if (!value)
      throw InputError(
          fmt::format("{}: one of the {} under {}, at {:.3f} s, {}; give a part "
                      "of the log without it, or record it anew",
                      log.file.string(), values, topic, seconds(message.log_time), Type::kNone));
    // of those before the part begins only the last one holds
    if (!rows.empty() && message.log_time <= span.from) rows.pop_back();
    rows.push_back({message.log_time, message.publish_time, std::move(*value)});
    return true;
  });
  if (rows.size() < options.fewest)
    throw InputError(
        fmt::format("{}: {} has {} {} in the time that is asked for, and {} are the fewest; give "
                    "another part of the log",
                    log.file.string(), topic, rows.size(), values, options.fewest));
  return rows;
}

template std::vector<SeriesRow<LoggedPose>> read_series(const ChannelLog&, const std::string&,
                                                        const LogSpan&, const SeriesOptions&);
template std::vector<SeriesRow<Vector6d>> read_series(const ChannelLog&, const std::string&,
                                                      const LogSpan&, const SeriesOptions&);
template std::vector<SeriesRow<Eigen::VectorXd>> read_series(const ChannelLog&, const std::string&,
                                                             const LogSpan&, const SeriesOptions&);

}  // namespace handspan
