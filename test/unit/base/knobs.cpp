// Parsing of SKEIN_OPTIONS and the table that people see.
#include "base/knobs.h"

#include <gtest/gtest.h>
#include <set>
#include <string>

using namespace skein;

namespace {

struct KnobsTest : testing::Test {
  Knobs before = knobs;
  char error[640] = "";
  int parse(const char *options) { return knobs_parse(options, error, sizeof error); }
  void TearDown() override { knobs = before; }
};

TEST_F(KnobsTest, NothingGivenKeepsDefaults) {
  EXPECT_EQ(parse(nullptr), 0);
  EXPECT_EQ(parse(""), 0);
  EXPECT_EQ(knobs.stack, 64u << 10);
  EXPECT_EQ(knobs.stacks, StackStrategy::auto_);
  EXPECT_EQ(knobs.check, Checks::on);
}

TEST_F(KnobsTest, EachKindOfValue) {
  EXPECT_EQ(parse("stacks=reserve,stack=256K,workers=3,check=off"), 0);
  EXPECT_EQ(knobs.stacks, StackStrategy::reserve);
  EXPECT_EQ(knobs.stack, 256u << 10);
  EXPECT_EQ(knobs.workers, 3u);
  EXPECT_EQ(knobs.check, Checks::off);
  EXPECT_EQ(parse("stack=1M,check=on,stacks=relocate"), 0);
  EXPECT_EQ(knobs.stack, 1u << 20);
  EXPECT_EQ(knobs.check, Checks::on);
  EXPECT_EQ(parse("stack=70000"), 0);
  EXPECT_EQ(knobs.stack, 70000u);
}

TEST_F(KnobsTest, LastOneWinsAndEmptyEntriesAreHarmless) {
  EXPECT_EQ(parse(",workers=1,,workers=2,"), 0);
  EXPECT_EQ(knobs.workers, 2u);
}

TEST_F(KnobsTest, UnknownKeyIsNamedReject) {
  EXPECT_EQ(parse("worker=2"), 2);
  EXPECT_NE(std::string(error).find("\"worker\""), std::string::npos) << error;
}

TEST_F(KnobsTest, BadValuesReject) {
  for (const char *options :
       {"stack=", "stack=-1", "stack= 64K", "stack=64X", "stack=64KB", "workers=2K", "check=maybe",
        "check=", "stacks=both", "stacks=", "stack=99999999999999999999", "stack=18446744073709551615K"}) {
    EXPECT_EQ(parse(options), 2) << options;
    EXPECT_NE(std::string(error).find("takes"), std::string::npos) << error;
  }
}

TEST_F(KnobsTest, EveryNumberHasItsBounds) {
  for (const char *options :
       {"workers=100000", "message_credits=0", "stack=1K", "stack=2G", "shared_cache=1", "heartbeat_ms=4000000000",
        "stack_max=1", "stack_max=16383", "grow_first=1", "grow_first=2G"}) {
    EXPECT_EQ(parse(options), 2) << options;
    EXPECT_NE(std::string(error).find(" from "), std::string::npos) << error;
  }
  for (size_t i = 0; i < knob_count; i++) { // "a number from 1 to 64", "a size from 4K to 1G"
    const std::string name = knob_table[i].name, values = knob_table[i].values;
    const size_t from = values.find(" from "), to = values.find(" to ");
    if (from == std::string::npos)
      continue;
    if (values.starts_with("0, or "))
      EXPECT_EQ(parse((name + "=0").c_str()), 0) << error;
    for (const std::string &bound : {values.substr(from + 6, to - from - 6), values.substr(to + 4)})
      EXPECT_EQ(parse((name + "=" + bound).c_str()), 0) << error;
    EXPECT_EQ(parse((name + "=18446744073709551615").c_str()), 2) << name;
  }
}

TEST_F(KnobsTest, NoEqualsSignReject) {
  EXPECT_EQ(parse("check"), 2);
  EXPECT_NE(std::string(error).find("key=value"), std::string::npos) << error;
}

TEST_F(KnobsTest, TableHasEachKnobOnceWithHelp) {
  std::set<std::string> names;
  for (size_t i = 0; i < knob_count; i++) {
    EXPECT_TRUE(names.insert(knob_table[i].name).second) << knob_table[i].name;
    EXPECT_GT(std::string(knob_table[i].help).size(), 10u) << knob_table[i].name;
  }
  EXPECT_TRUE(names.count("stack") && names.count("workers") && names.count("stacks"));
}

TEST_F(KnobsTest, TableShowsSizesAndChoicesAsTheyAreTyped) {
  for (size_t i = 0; i < knob_count; i++) {
    if (std::string(knob_table[i].name) == "stack")
      EXPECT_STREQ(knob_table[i].fallback, "64K");
    if (std::string(knob_table[i].name) == "stacks") {
      EXPECT_STREQ(knob_table[i].values, "auto|relocate|reserve|shared");
      EXPECT_STREQ(knob_table[i].fallback, "auto");
    }
    // What the table calls the default has to be accepted as a value.
    if (*knob_table[i].fallback && isalnum(knob_table[i].fallback[0])) {
      std::string pair = std::string(knob_table[i].name) + "=" + knob_table[i].fallback;
      EXPECT_EQ(parse(pair.c_str()), 0) << error;
    }
  }
}

TEST(KnobsDeathTest, MistakeEndsTheProgramWithStatus2) {
  EXPECT_EXIT(
      {
        setenv("SKEIN_OPTIONS", "wrokers=2", 1);
        knobs_start();
      },
      testing::ExitedWithCode(2), "skein: SKEIN_OPTIONS: there is no knob \"wrokers\"");
}

} // namespace
