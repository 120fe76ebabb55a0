#include "record/message_definitions.hpp"

#include <gtest/gtest.h>

#include "record_support.hpp"

namespace handspan {
namespace message_definitions_test {

TEST(MessageDefinitions, EachTypeIsThereOnceHoweverDeep) {
  const std::string text =
      full_definition("geometry_msgs/Wrench a\ngeometry_msgs/Twist[] b\ngeometry_msgs/Vector3 c\n");
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find("MSG: ", at)) != std::string::npos; ++at) ++count;
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(full_definition("int32 a\n"), "int32 a\n");
}

TEST(MessageDefinitions, SaysWhichTypeIsUnknown) {
  EXPECT_EQ(test::error_of([] { full_definition("geometry_msgs/Pose2D a\n"); }),
            "message type geometry_msgs/Pose2D is not known; add it to the definitions");
}

}  // namespace message_definitions_test
}  // namespace handspan
