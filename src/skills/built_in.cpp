#include "skills/built_in.hpp"

#include "control/control_parts.hpp"
#include "data/data_parts.hpp"
#include "device/device_parts.hpp"
#include "log/log_parts.hpp"
#include "mujoco/mujoco_parts.hpp"
#include "person/person_parts.hpp"
#include "plant/plant_parts.hpp"
#include "reference/reference_parts.hpp"
#include "session/session_parts.hpp"
#include "skills/grab/grab_parts.hpp"
#include "skills/toss/toss_parts.hpp"
#include "study/study_parts.hpp"
#include "teleop/teleop_parts.hpp"

namespace handspan {

Parts built_in_parts() {
  Parts parts;
  register_plants(parts);
  register_mujoco(parts);
  register_control(parts);
  register_references(parts);
  register_devices(parts);
  register_teleop(parts);
  register_persons(parts);
  register_session(parts);
  register_log(parts);
  register_data(parts);
  register_study(parts);
  register_toss(parts);
  register_grab(parts);
  return parts;
}

}  // namespace handspan
