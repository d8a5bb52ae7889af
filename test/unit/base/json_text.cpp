// Texts in JSON.
#include "launch/traces/json_string.h"

#include <gtest/gtest.h>

namespace skein {
namespace {

TEST(JsonText, StandsInQuotes) {
  EXPECT_EQ(json_string(""), R"("")");
  EXPECT_EQ(json_string("node 1 of zürich"), R"("node 1 of zürich")");
}

TEST(JsonText, EscapesWhatWouldEndIt) {
  EXPECT_EQ(json_string(R"(a "b" \ c)"), R"("a \"b\" \\ c")");
  EXPECT_EQ(json_string(std::string_view("\0\t\x1f ", 4)), R"("\u0000\u0009\u001f ")");
}

} // namespace
} // namespace skein
