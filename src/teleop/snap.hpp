#pragma once
// A press that turns what is moved to the orientation of a frame of the scene (the grab thesis,
// App. C: plates parallel to the box's sides).
#include <string>

#include "core/object.hpp"
#include "core/values.hpp"

namespace handspan {

/// Pressed while a hand or a jog moves the frame; from there on it is turned as before.
struct SnapConfig {
  std::string control, frame;
};

inline ObjectSchema<SnapConfig> snap_schema() {
  return object<SnapConfig>("Snap", "sets the orientation to that of a frame")
      .required("control", &SnapConfig::control, text(), "of the device")
      .required("frame", &SnapConfig::frame, text(), "of the scene");
}

}  // namespace handspan
