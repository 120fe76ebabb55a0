#include "core/build_info.hpp"

#include <gtest/gtest.h>

namespace handspan {
namespace build_info_test {

TEST(BuildInfo, NamesBuildCompilerAndCpu) {
  // the linker's id is a hash of 20 bytes
  EXPECT_EQ(build_id().size(), 40U);
  EXPECT_EQ(build_id().find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(build_id(), build_id());
  EXPECT_FALSE(compiler().empty());
  EXPECT_FALSE(cpu_model().empty());
}

}  // namespace build_info_test
}  // namespace handspan
