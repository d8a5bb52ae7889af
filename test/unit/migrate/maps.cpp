// The index of the frame maps must find what is there, and believe nothing that is damaged.
#include "migrate/maps.h"

#include "map_builder.h"

#include <gtest/gtest.h>
#include <skein/skein.h>

using namespace skein;

namespace {

PretendFunction function_at(uint32_t entry) {
  PretendFunction function;
  function.entry = entry;
  function.locals = {{-24, 1, 8, SKEIN_LOCAL_POINTER, SKEIN_BASE_CFA}};
  function.sites = {{10, {0}}, {20, {}}, {30, {0}}};
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
    EXPECT_EQ(site.site->return_offset, offset % 64);
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
  EXPECT_EQ(site.site->flags, SKEIN_SITE_PINNED);
  EXPECT_EQ(site.site->first, SKEIN_PIN_FRAME);
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
  skein_function_map *map = builder.add(function_at(64));
  builder.add(function_at(128));
  GetParam().damage(map);
  MapIndex index;
  Refusal why;
  EXPECT_FALSE(index.build(builder.begin(), builder.end(), why));
  EXPECT_EQ(why.code, SKEIN_EPINNED);
  EXPECT_NE(std::string(why.text).find(GetParam().what), std::string::npos) << why.text;
  EXPECT_FALSE(index.find_site(pretend_pc(0, 10))); // nor is any other map of that program
}

skein_local_map *locals(skein_function_map *map) { return const_cast<skein_local_map *>(map_locals(map)); }
skein_site_map *sites(skein_function_map *map) { return const_cast<skein_site_map *>(map_sites(map)); }

INSTANTIATE_TEST_SUITE_P(
    All, DamagedMaps,
    testing::Values(DamageCase{"another version", [](skein_function_map *map) { map->version++; }},
                    DamageCase{"wrong size", [](skein_function_map *map) { map->size = 0; }},
                    DamageCase{"wrong size", [](skein_function_map *map) { map->size -= 8; }},
                    DamageCase{"wrong size", [](skein_function_map *map) { map->size += 4; }},
                    DamageCase{"wrong size", [](skein_function_map *map) { map->size = 0x7fffff8; }},
                    DamageCase{"wrong size", [](skein_function_map *map) { map->index_count = ~0u; }},
                    DamageCase{"wrong size", [](skein_function_map *map) { map->site_count = 0xffff; }},
                    DamageCase{"unknown kind", [](skein_function_map *map) { map->flags = 0x80; }},
                    DamageCase{"frame size", [](skein_function_map *map) { map->frame_size = 0; }},
                    DamageCase{"frame size", [](skein_function_map *map) { map->frame_size = 33; }},
                    DamageCase{"local", [](skein_function_map *map) { locals(map)->kind = 4; }},
                    DamageCase{"local", [](skein_function_map *map) { locals(map)->base = 3; }},
                    DamageCase{"local", [](skein_function_map *map) { locals(map)->base = SKEIN_BASE_BP; }},
                    DamageCase{"local", [](skein_function_map *map) { locals(map)->count = 0xffffffff; }},
                    DamageCase{"local", [](skein_function_map *map) { map->va_save_base = 3; }},
                    DamageCase{"local", [](skein_function_map *map) { map->alignment_log2 = 64; }},
                    DamageCase{"site", [](skein_function_map *map) { sites(map)[0].return_offset = 20; }},
                    DamageCase{"site", [](skein_function_map *map) { sites(map)[2].return_offset = 65; }},
                    DamageCase{"site", [](skein_function_map *map) { sites(map)[2].count = 2; }},
                    DamageCase{"site", [](skein_function_map *map) { sites(map)[2].first = 0xffff; }},
                    DamageCase{"site",
                               [](skein_function_map *map) { const_cast<uint16_t *>(map_indices(map))[1] = 1; }}));

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
