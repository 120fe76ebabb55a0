#include "core/escape.hpp"

#include <gtest/gtest.h>

namespace handspan {
namespace {

TEST(Escape, WhatMeansSomethingInMarkupHasItsName) {
  EXPECT_EQ(escaped("a < b && \"c\" > d"), "a &lt; b &amp;&amp; &quot;c&quot; &gt; d");
  // once: what is escaped already is text too
  EXPECT_EQ(escaped("&lt;"), "&amp;lt;");
  EXPECT_EQ(escaped("5° it's\n"), "5° it's\n");
}

}  // namespace
}  // namespace handspan
