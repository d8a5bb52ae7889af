// The index of the frame maps must find what is there, and believe nothing that is damaged.
#include "migrate/maps.h"

#include "map_builder.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <skein/skein.h>
#include <sys/mman.h>

using namespace skein;

namespace {

PretendFunction function_at(uint32_t entry) {
  PretendFunction function;
  function.entry = entry;
  function.locals = {{-24, 1, 8, SKEIN_LOCAL_POINTER, SKEIN_BASE_CFA}};
  function.sites = {{10, {0}}, {20, {}}, {30, {0}}};
  return function;
}

// A function with a map of each kind of table: two locals, of which one is long, and a special site.
PretendFunction function_with_all(uint32_t entry) {
  PretendFunction function = function_at(entry);
  function.locals.push_back({-40, 3, 4, SKEIN_LOCAL_AMBIGUOUS, SKEIN_BASE_CFA});
  function.sites = {{10, {0}}, {20, {0, 1}}, {30, {1}, 5}};
  return function;
}

TEST(Maps, FindsEverySiteAndNothingElse) {
  MapBuilder builder;
  for (uint32_t i = 0; i < 100; i++)
    builder.add(function_at(i * 64));
  MapIndex index;
  Refusal why;
  ASSERT_TRUE(index.build(builder.begin(), builder.end(), why)) << why.text;
  EXPECT_EQ(index.function_count(), 100u);
  EXPECT_EQ(index.site_count(), 300u);
  for (uint32_t offset = 0; offset < 6400; offset++) {
    Site site = index.find_site(pretend_pc(0, offset));
    bool expected = offset % 64 == 10 || offset % 64 == 20 || offset % 64 == 30;
    ASSERT_EQ(bool(site), expected) << offset;
    if (!site)
      continue;
    EXPECT_EQ(map_entry(site.function), pretend_pc(offset / 64 * 64, 0));
    EXPECT_EQ(site_return(site.function, site.number), offset % 64);
  }
  EXPECT_FALSE(index.find_site(0));
  EXPECT_FALSE(index.find_site(~uintptr_t{0}));
}

TEST(Maps, FindsTheFunctionOfAnyCodeAddress) {
  MapBuilder builder;
  static const char name[] = "second";
  builder.add(function_at(0));
  PretendFunction named = function_at(64);
  named.name = name;
  builder.add(named);
  MapIndex index;
  Refusal why;
  ASSERT_TRUE(index.build(builder.begin(), builder.end(), why));
  EXPECT_EQ(map_entry(index.find_function(pretend_pc(0, 63))), pretend_pc(0, 0));
  EXPECT_STREQ(map_name(index.find_function(pretend_pc(64, 0))), "second");
  EXPECT_STREQ(map_name(index.find_function(pretend_pc(0, 0))), "?");
  EXPECT_STREQ(map_file(index.find_function(pretend_pc(0, 0))), "pretend.c");
  EXPECT_EQ(index.find_function(pretend_pc(128, 0)), nullptr);
}

TEST(Maps, NoMapsAtAll) {
  MapIndex index;
  Refusal why;
  EXPECT_TRUE(index.build(pretend_maps, pretend_maps, why));
  EXPECT_FALSE(index.find_site(pretend_pc(0, 10)));
}

TEST(Maps, CodeThatTwoMapsClaimIsPinned) {
  MapBuilder builder;
  builder.add(function_at(0));
  builder.add(function_at(0));
  MapIndex index;
  Refusal why;
  ASSERT_TRUE(index.build(builder.begin(), builder.end(), why));
  Site site = index.find_site(pretend_pc(0, 20));
  ASSERT_TRUE(site);
  EXPECT_EQ(site_facts(site).pin, unsigned{SKEIN_PIN_FRAME});
  EXPECT_EQ(site_line(site), 0u);
}

using Damage = void (*)(skein_function_map *);
struct DamageCase {
  const char *what;
  Damage damage;
};

class DamagedMaps : public testing::TestWithParam<DamageCase> {};

TEST_P(DamagedMaps, AreRefused) {
  MapBuilder builder;
  builder.add(function_at(0));
  skein_function_map *map = builder.add(function_with_all(64));
  builder.add(function_at(128));
  GetParam().damage(map);
  MapIndex index;
  Refusal why;
  EXPECT_FALSE(index.build(builder.begin(), builder.end(), why));
  EXPECT_EQ(why.code, SKEIN_EPINNED);
  EXPECT_NE(std::string(why.text).find(GetParam().what), std::string::npos) << why.text;
  EXPECT_FALSE(index.find_site(pretend_pc(0, 10))); // nor is any other map of that program
}

skein_local_map &first_long(skein_function_map *map) { return *const_cast<skein_local_map *>(MapTables(map).longs); }
skein_short_local_map &first_short(skein_function_map *map) {
  return *const_cast<skein_short_local_map *>(MapTables(map).shorts);
}
skein_special_map &first_special(skein_function_map *map) {
  return *const_cast<skein_special_map *>(MapTables(map).specials);
}
void set(const unsigned char *table, size_t at, unsigned char byte) { const_cast<unsigned char *>(table)[at] = byte; }

INSTANTIATE_TEST_SUITE_P(
    All, DamagedMaps,
    testing::Values(
        DamageCase{"another version", [](skein_function_map *map) { map->version++; }},
        DamageCase{"another version", [](skein_function_map *map) { map->version = 5; }},
        DamageCase{"wrong size", [](skein_function_map *map) { map->size = 0; }},
        DamageCase{"wrong size", [](skein_function_map *map) { map->size -= 8; }},
        DamageCase{"wrong size", [](skein_function_map *map) { map->size += 2; }},
        DamageCase{"wrong size", [](skein_function_map *map) { map->size = 0x7fffff8; }},
        DamageCase{"wrong size", [](skein_function_map *map) { map->row_count = 0xffff; }},
        DamageCase{"wrong size", [](skein_function_map *map) { map->site_count = 0xffff; }},
        DamageCase{"wrong size", [](skein_function_map *map) { map->long_count = 0xffff; }},
        DamageCase{"unknown kind", [](skein_function_map *map) { map->flags = 0x80; }},
        DamageCase{"frame size", [](skein_function_map *map) { map->frame_size = 0; }},
        DamageCase{"frame size", [](skein_function_map *map) { map->frame_size = 33; }},
        DamageCase{"local", [](skein_function_map *map) { first_short(map).kind_base = SKEIN_LOCAL_DYNAMIC_POINTER; }},
        DamageCase{"local", [](skein_function_map *map) { first_short(map).kind_base = 3 << SKEIN_SHORT_BASE_SHIFT; }},
        DamageCase{
            "local",
            [](skein_function_map *map) { first_short(map).kind_base = SKEIN_BASE_BP << SKEIN_SHORT_BASE_SHIFT; }},
        DamageCase{"local", [](skein_function_map *map) { first_long(map).kind = 5; }},
        DamageCase{"local", [](skein_function_map *map) { first_long(map).kind = SKEIN_LOCAL_SAVE_AREA; }},
        DamageCase{"local", [](skein_function_map *map) { map->flags |= SKEIN_MAP_VARIADIC; }},
        DamageCase{"local", [](skein_function_map *map) { map->flags |= SKEIN_MAP_BLOCKS; }},
        DamageCase{"local", [](skein_function_map *map) { first_long(map).kind = SKEIN_LOCAL_DYNAMIC_POINTER; }},
        DamageCase{"local", [](skein_function_map *map) { first_long(map).base = 3; }},
        DamageCase{"local", [](skein_function_map *map) { first_long(map).base = SKEIN_BASE_BP; }},
        DamageCase{"local", [](skein_function_map *map) { first_long(map).count = 0xffffffff; }},
        DamageCase{"local", [](skein_function_map *map) { map->alignment_log2 = 64; }},
        DamageCase{"local", [](skein_function_map *map) { map->zero = 1; }},
        DamageCase{"site", [](skein_function_map *map) { set(MapTables(map).returns, 0, 20); }},
        DamageCase{"site", [](skein_function_map *map) { set(MapTables(map).returns, 4, 65); }},
        DamageCase{"site", [](skein_function_map *map) { set(MapTables(map).rows_of_sites, 1, 4); }},
        DamageCase{"site", [](skein_function_map *map) { first_special(map).row = 3; }},
        DamageCase{"site", [](skein_function_map *map) { set(MapTables(map).rows, 2, 4); }},
        DamageCase{"site",
                   [](skein_function_map *map) { // a line that does not end
                     const auto *lines = MapTables(map).lines,
                                *end = reinterpret_cast<unsigned char *>(map) + map->size;
                     for (size_t at = 0; lines + at < end; at++)
                       set(lines, at, 0xff);
                   }},
        DamageCase{"site", [](skein_function_map *map) { map->size -= 4; }},
        DamageCase{"site", [](skein_function_map *map) { map->size += 4; }}));

TEST(Maps, ARowOfAVariadicFunctionHasNoSaveArea) {
  PretendFunction function = function_at(0);
  function.flags = SKEIN_MAP_VARIADIC;
  MapBuilder builder;
  skein_function_map *map = builder.add(function);
  EXPECT_EQ(map_fault(map, map->size), nullptr);
  set(MapTables(map).rows, 0, 2);
  EXPECT_STREQ(map_fault(map, map->size), "with a damaged site");
}

void expect_sites(const PretendFunction &function, bool large) {
  MapBuilder builder;
  const skein_function_map *map = builder.add(function);
  ASSERT_EQ(map_fault(map, map->size), nullptr);
  EXPECT_EQ((map->flags & SKEIN_MAP_LARGE) != 0, large);
  for (uint32_t number = 0; number < function.sites.size(); number++) {
    const PretendSite &site = function.sites[number];
    const SiteFacts facts = site_facts({map, number});
    EXPECT_EQ(site_return(map, number), site.return_offset);
    EXPECT_EQ(site_line({map, number}), site.line);
    EXPECT_EQ(facts.pin, site.pinned);
    EXPECT_EQ(facts.arguments, site.arguments);
    EXPECT_EQ(facts.va_pointers, site.va_pointers);
    std::vector<std::pair<int32_t, uint32_t>> live, expected;
    each_live(map, MapTables(map), facts.live, [&](const skein_local_map &local) {
      live.emplace_back(local.offset, local.count);
      return true;
    });
    for (uint16_t local : site.live)
      expected.emplace_back(function.locals[local].offset, function.locals[local].count);
    std::sort(live.begin(), live.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(live, expected) << number;
  }
}

TEST(Maps, SaysOfEachSiteWhatWasWritten) {
  PretendFunction function = function_at(0);
  function.flags = SKEIN_MAP_BP | SKEIN_MAP_FP;
  function.locals = {{-24, 1, 8, SKEIN_LOCAL_POINTER, SKEIN_BASE_CFA},
                     {-20, 1, 8, SKEIN_LOCAL_POINTER, SKEIN_BASE_CFA},
                     {-(32768 * 8), 255, 8, SKEIN_LOCAL_AMBIGUOUS, SKEIN_BASE_BP},
                     {-(32769 * 8), 256, 8, SKEIN_LOCAL_AMBIGUOUS, SKEIN_BASE_SP},
                     {32767 * 8, 2, 8, SKEIN_LOCAL_POINTER, SKEIN_BASE_SP},
                     {-40, 17, 0, SKEIN_LOCAL_DYNAMIC_POINTER, SKEIN_BASE_CFA}};
  function.sites = {{1, {0, 1, 2, 3, 4, 5}, 0, 0, 3'000'000'000},
                    {2, {}, 0, 0, 0},
                    {3, {5}, 0x3f, 0, 200},
                    {4, {}, 0, SKEIN_PIN_SAME, 199, 300},
                    {50, {3, 4}, 0, 0, 1}};
  expect_sites(function, false);
  function.code_size = 1 << 20;
  function.sites[4].return_offset = 0x12345;
  expect_sites(function, true);
}

TEST(Maps, ManyRowsAndLocals) {
  PretendFunction function = function_at(0);
  function.code_size = 4096;
  function.locals.clear();
  function.sites.clear();
  for (int32_t i = 0; i < 300; i++)
    function.locals.push_back({-8 * i, 1, i % 3 ? uint16_t{8} : uint16_t{4}, SKEIN_LOCAL_POINTER, SKEIN_BASE_CFA});
  for (uint16_t i = 0; i < 300; i++)
    function.sites.push_back({i + 1u, {i, static_cast<uint16_t>((i + 7) % 300)}});
  expect_sites(function, true);
  function.sites.resize(255);
  expect_sites(function, false);
}

// Ends where memory ends, so that reading beyond a map ends the test.
class AtTheEndOfMemory {
public:
  explicit AtTheEndOfMemory(const skein_function_map *map) : bytes(map->size) {
    pages = static_cast<unsigned char *>(
        mmap(nullptr, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(pages + room, page, PROT_NONE);
    std::memcpy(pages + room - bytes, map, bytes);
  }
  ~AtTheEndOfMemory() { munmap(pages, room + page); }
  AtTheEndOfMemory(const AtTheEndOfMemory &) = delete;
  AtTheEndOfMemory &operator=(const AtTheEndOfMemory &) = delete;
  unsigned char *begin() const { return pages + room - bytes; }
  const skein_function_map *map() const { return reinterpret_cast<const skein_function_map *>(begin()); }
  const size_t bytes;

private:
  static constexpr size_t page = 4096, room = 16 * page;
  unsigned char *pages;
};

TEST(Maps, WhateverIsDamagedNothingIsReadOutside) {
  PretendFunction large = function_with_all(0);
  large.code_size = 1 << 20;
  large.flags = SKEIN_MAP_VARIADIC;
  std::mt19937 random(1);
  unsigned accepted = 0, refused = 0;
  for (const PretendFunction &function : {function_with_all(0), large}) {
    MapBuilder builder;
    const skein_function_map *whole = builder.add(function);
    for (int round = 0; round < 20'000; round++) {
      AtTheEndOfMemory damaged(whole);
      for (unsigned n = 1 + random() % 3; n > 0; n--)
        damaged.begin()[random() % damaged.bytes] = static_cast<unsigned char>(random() % 3 ? random() % 8 : random());
      const skein_function_map *map = damaged.map();
      if (map_fault(map, damaged.bytes) != nullptr) {
        refused++;
        continue;
      }
      accepted++;
      const MapTables tables(map);
      for (uint32_t number = 0; number < map->site_count; number++) {
        EXPECT_LE(site_return(map, number), map->code_size);
        site_line({map, number});
        each_live(map, tables, site_facts({map, number}, tables).live, [&](const skein_local_map &local) {
          EXPECT_LT(local.kind, SKEIN_LOCAL_SAVE_AREA);
          EXPECT_LE(local.base, SKEIN_BASE_BP);
          return true;
        });
      }
    }
  }
  EXPECT_GT(accepted, 1000u);
  EXPECT_GT(refused, 1000u);
}

TEST(Maps, EveryTruncationIsRefused) {
  MapBuilder builder;
  builder.add(function_at(0));
  builder.add(function_at(64));
  size_t whole = static_cast<const char *>(builder.end()) - static_cast<const char *>(builder.begin());
  for (size_t bytes = 1; bytes < whole; bytes++) {
    MapIndex index;
    Refusal why;
    bool built = index.build(pretend_maps, pretend_maps + bytes, why);
    EXPECT_EQ(built, bytes == whole / 2) << bytes; // a cut is accepted only between two maps
  }
}

TEST(Maps, IndexingTenThousandSitesTakesLessThanTwoMilliseconds) {
  MapBuilder builder;
  for (uint32_t i = 0; i < 3334; i++)
    builder.add(function_at(i * 64));
  double best = 1e9;
  for (int round = 0; round < 5; round++) {
    MapIndex index;
    Refusal why;
    ASSERT_TRUE(index.build(builder.begin(), builder.end(), why));
    best = std::min(best, index.build_us());
  }
  RecordProperty("us_per_10000_sites", std::to_string(best));
  printf("indexing 10,000 sites: %.0f us\n", best);
  EXPECT_LT(best, 2000);
}

} // namespace
