#include "log/log_layout.hpp"

#include <algorithm>

namespace handspan {

std::string topic_of(std::string_view channel) {
  std::string topic = "/" + std::string(channel);
  std::ranges::replace(topic, '.', '/');
  return topic;
}

}  // namespace handspan
