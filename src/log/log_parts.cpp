#include "log/log_parts.hpp"

#include "log/replay_reference.hpp"

namespace handspan {

void register_log(Parts& parts) { register_replay_reference(parts); }

}  // namespace handspan
