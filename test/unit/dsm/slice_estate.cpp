// What a node that leaves says of its slice must be all that its heir needs, and an heir must believe nothing that
// cannot be right (dsm/slice_estate.h). Here one process is both: it is node 1, which has a slice without a file, and
// then node 0, with that slice's place empty.
#include "../net/lone_node.h"

#include "base/node.h"
#include "dsm/allocator.h"
#include "dsm/owner.h"
#include "dsm/ranges.h"
#include "dsm/slice_estate.h"
#include "dsm/slices.h"
#include "net/run/leaving.h"

#include <gtest/gtest.h>
#include <string>
#include <sys/mman.h>

using namespace skein;
using namespace skein::test::lone_node;

namespace {

constexpr int leaver = 1;
constexpr uint64_t page = 4096, large = 3 << 20, array = common_area + page;

unsigned char *bytes_at(uint64_t address) { return reinterpret_cast<unsigned char *>(address); }
const char *release(uint64_t address) {
  static Why why;
  return shared_release(address, why) ? nullptr : why.text;
}
bool allowed(uint64_t address, uint64_t bytes, bool write) {
  Why why;
  return access_allowed(address, bytes, write, why);
}

/// Lets the peer ask for a change of pages, and say that it has made it. Returns where they are.
uint64_t change(RangeChange what, uint64_t begin, uint64_t bytes, uint64_t detail) {
  sent.clear();
  deliver(tell<ChangeMessage>(uint64_t{7}, static_cast<uint64_t>(what), begin, bytes, detail, uint64_t{0}));
  const auto *range = heard<RangeMessage>();
  EXPECT_NE(range, nullptr);
  deliver(tell<ReplyMessage>(range->call, uint64_t{0}));
  const auto *reply = heard<ReplyMessage>();
  EXPECT_TRUE(reply && reply->value == 0);
  uint64_t address = 0;
  memcpy(&address, reply + 1, sizeof address);
  return address;
}

/// All pieces of a part.
std::vector<Bytes> pieces_of(const EstatePart &part) {
  std::vector<Bytes> pieces;
  uint64_t cursor = 0;
  for (bool more = true; more;) {
    sent.clear();
    more = part.next(cursor);
    EXPECT_EQ(sent.size(), more ? 1u : 0u);
    for (const Bytes &message : sent) {
      EXPECT_EQ(reinterpret_cast<const EstateMessage *>(message.data())->kind, static_cast<uint64_t>(part.kind));
      EXPECT_LE(message.size(), sizeof(EstateMessage) + estate_most);
      pieces.emplace_back(message.begin() + sizeof(EstateMessage), message.end());
    }
  }
  return pieces;
}

/// Empty: the heir believes it. Else why not.
std::string wrong_with(const EstatePart &part, const Bytes &piece) {
  Complaint wrong;
  return part.check(leaver, piece.data(), piece.size(), wrong) ? "" : wrong.text;
}
void take(const EstatePart &part, const Bytes &piece) {
  EXPECT_EQ(wrong_with(part, piece), "");
  part.take(leaver, piece.data(), piece.size());
}
void put(Bytes &piece, size_t at, uint64_t word) { memcpy(&piece.at(at), &word, sizeof word); }
void put_line(Bytes &piece, size_t at, uint32_t line) { memcpy(&piece.at(at), &line, sizeof line); }

constexpr size_t used_at = 16, given_at = 24, blocks_at = 40, lines_at = 48; // in a piece about blocks

/// Node 1 as it leaves.
struct Slice {
  uint64_t small, freed, big, freed_big, overwritten, pages;
  std::vector<Bytes> blocks, contents;

  Slice() {
    start(leaver, true);
    small = shared_allocate(100);
    freed = shared_allocate(1000);
    big = shared_allocate(large);
    freed_big = shared_allocate(large);
    overwritten = shared_allocate(64);
    memset(bytes_at(small), 0x11, 100);
    memset(bytes_at(big + 5 * page), 0x22, 300 * page);
    memset(bytes_at(freed_big), 0x33, large);
    EXPECT_EQ(release(freed), nullptr);
    EXPECT_EQ(release(freed_big), nullptr);
    bytes_at(overwritten)[-56] ^= 1;
    deliver(tell<RangeMessage>(uint64_t{3}, static_cast<uint64_t>(RangeChange::array), array, 4 * page, uint64_t{0}));
    bytes_at(slice_begin(leaver) + array)[3 * page] = 0x44;
    pages = change(RangeChange::map, 0, 3 * page, 0);
    memset(bytes_at(pages), 0x55, page);
    memset(bytes_at(pages) + 2 * page, 0x66, page);
    change(RangeChange::protect, pages + 2 * page, page, PROT_NONE);
    blocks = pieces_of(blocks_estate);
    contents = pieces_of(pages_estate);
    node.self = 0;
    munmap(bytes_at(slice_begin(leaver)), slice_bytes);
    slices_mapped[leaver] = false;
  }
};
const Slice &slice() {
  static const Slice slice;
  return slice;
}

/// The same once node 0 has adopted it.
const Slice &inherited() {
  const Slice &was = slice();
  if (slice_kept(leaver))
    return was;
  uint64_t bytes = 0;
  for (const Bytes &piece : was.contents) {
    bytes += piece.size();
    take(pages_estate, piece);
  }
  EXPECT_LT(bytes, 320 * page) << "pages of zeros are left out";
  EXPECT_FALSE(slice_reachable(leaver));
  const uint64_t before = shared_blocks();
  for (const Bytes &piece : was.blocks)
    take(blocks_estate, piece);
  EXPECT_TRUE(slice_kept(leaver));
  EXPECT_TRUE(slice_reachable(leaver));
  EXPECT_EQ(shared_blocks(), 2 * before) << "this process has told of its own, and taken them";
  return was;
}

} // namespace

TEST(SliceEstate, MalformedPiecesAreNotBelieved) {
  const Bytes blocks = slice().blocks.at(0);
  ASSERT_EQ(wrong_with(blocks_estate, blocks), "");
  const auto believed = [&](auto &&change) {
    Bytes other = blocks;
    change(other);
    return wrong_with(blocks_estate, other).empty();
  };
  EXPECT_FALSE(believed([](Bytes &piece) { piece.resize(40); }));
  EXPECT_FALSE(believed([](Bytes &piece) { piece.resize(piece.size() - 4); }));
  EXPECT_FALSE(believed([](Bytes &piece) { put(piece, used_at, block_area_bytes + 64); }));
  EXPECT_FALSE(believed([](Bytes &piece) { put(piece, used_at, 64); }));
  EXPECT_FALSE(believed([](Bytes &piece) { put(piece, used_at, 10 * page + 8); }));
  EXPECT_FALSE(believed([](Bytes &piece) { put(piece, given_at, 6); })) << "more than there are";
  EXPECT_FALSE(believed([](Bytes &piece) { put(piece, blocks_at, 4); })) << "fewer than are told";
  EXPECT_FALSE(believed([](Bytes &piece) { put(piece, blocks_at, UINT64_MAX); }));
  EXPECT_FALSE(believed([](Bytes &piece) { put_line(piece, lines_at, 64); })) << "in the first page's header";
  EXPECT_FALSE(believed([](Bytes &piece) { put_line(piece, lines_at + 4, 66); })) << "without room for a header";
  EXPECT_FALSE(believed([](Bytes &piece) { put_line(piece, lines_at + 16, UINT32_MAX); }));
  EXPECT_FALSE(believed([](Bytes &piece) { put_line(piece, lines_at + 8, 0); })) << "not in order";

  const Bytes contents = slice().contents.at(0);
  ASSERT_EQ(wrong_with(pages_estate, contents), "");
  const auto run = [](uint64_t begin, uint64_t bytes, size_t follow) {
    Bytes piece(16 + follow);
    put(piece, 0, begin);
    put(piece, 8, bytes);
    return wrong_with(pages_estate, piece).empty();
  };
  const uint64_t begin = slice_begin(leaver);
  EXPECT_TRUE(run(begin, page, page));
  EXPECT_FALSE(run(begin, page, page - 8));
  EXPECT_FALSE(run(begin, page, page + 8));
  EXPECT_FALSE(run(begin + 8, page, page));
  EXPECT_FALSE(run(begin, 0, 0));
  EXPECT_FALSE(run(begin, 64, 64));
  EXPECT_FALSE(run(begin - page, page, page)) << "in the heir's own slice";
  EXPECT_FALSE(run(begin + slice_bytes - page, 2 * page, 2 * page));
  EXPECT_FALSE(run(UINT64_MAX - page + 1, page, page));
}

TEST(SliceEstate, TheHeirHasAllThatTheOwnerHad) {
  const Slice &was = inherited();
  EXPECT_NE(wrong_with(pages_estate, was.contents.at(0)), "") << "it is too late";

  for (uint64_t i = 0; i < 100; i++)
    ASSERT_EQ(bytes_at(was.small)[i], 0x11);
  for (uint64_t i = 0; i < large; i++)
    ASSERT_EQ(bytes_at(was.big)[i], i >= 5 * page && i < 305 * page ? 0x22 : 0) << i;
  const unsigned char *part = bytes_at(slice_begin(leaver) + array);
  EXPECT_EQ(part[3 * page], 0x44);
  EXPECT_EQ(part[3 * page + 1], 0);
  EXPECT_EQ(bytes_at(was.pages)[0], 0x55);
  EXPECT_EQ(bytes_at(was.pages)[page], 0);

  EXPECT_TRUE(allowed(was.small, 100, true));
  EXPECT_FALSE(allowed(was.small, 101, true));
  EXPECT_FALSE(allowed(was.freed, 8, false));
  EXPECT_TRUE(allowed(slice_begin(leaver) + array, 4 * page, true));
  EXPECT_FALSE(allowed(slice_begin(leaver) + array, 5 * page, true));
  EXPECT_TRUE(allowed(was.pages, 2 * page, true));
  EXPECT_FALSE(allowed(was.pages + 2 * page, 1, false));
  EXPECT_DEATH(*const_cast<volatile unsigned char *>(bytes_at(was.pages + 2 * page)), "");
  mprotect(bytes_at(was.pages + 2 * page), page, PROT_READ);
  EXPECT_EQ(bytes_at(was.pages)[2 * page + 7], 0x66);
}

TEST(SliceEstate, TheHeirFreesAndTellsMistakes) {
  const Slice &was = inherited();
  EXPECT_STREQ(release(was.freed), "the block of 1000 bytes has been freed before");
  EXPECT_STREQ(release(was.overwritten),
               "the program has overwritten the block's header: something writes before its block");
  EXPECT_NE(std::string(release(was.big + 64)).find("64 bytes inside the one of 3145728 bytes"), std::string::npos);
  EXPECT_EQ(release(was.small), nullptr);
  EXPECT_STREQ(release(was.small), "the block of 100 bytes has been freed before");
  EXPECT_FALSE(allowed(was.small, 8, false));
  EXPECT_EQ(release(was.big), nullptr);
  std::vector<unsigned char> resident(large / page);
  ASSERT_EQ(mincore(bytes_at((was.big + page - 1) & -page), large - page, resident.data()), 0);
  for (size_t i = 0; i + 1 < resident.size(); i++)
    EXPECT_FALSE(resident[i] & 1) << "its pages were given back: " << i;
}
