// The file of a node's memory (checkpoint/store.h), by the table of its library, as nodes and the launcher use it.
#include "checkpoint/store.h"
#include "checkpoint/store/store_format.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/rseq.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace skein::store;

namespace {

const skein_checkpoint_store &library() {
  static const skein_checkpoint_store *const table = [] {
    void *handle = dlopen(SKEIN_CHECKPOINT_LIBRARY_PATH, RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(handle, nullptr) << dlerror();
    return reinterpret_cast<skein_checkpoint_store_table_fn>(dlsym(handle, SKEIN_CHECKPOINT_SYMBOL))();
  }();
  return *table;
}

using Page = std::string;
/// A memory: what stands at each page's address.
using Memory = std::map<uintptr_t, Page>;
using Key = std::array<unsigned char, SKEIN_CHECKPOINT_KEY_BYTES>;

std::mt19937_64 &dice() {
  static std::mt19937_64 engine(20261128);
  return engine;
}

Page zeros() { return Page(page_bytes, '\0'); }
Page noise() {
  Page page = zeros();
  for (char &byte : page)
    byte = static_cast<char>(dice()());
  return page;
}
Page text() {
  Page page;
  while (page.size() < page_bytes)
    page += "the value of word " + std::to_string(dice()() % 1000) + "; ";
  page.resize(page_bytes);
  return page;
}
Page any() {
  switch (dice()() % 4) {
  case 0:
    return zeros();
  case 1:
    return noise();
  default:
    return text();
  }
}

constexpr uintptr_t base = 0x7f0000000000;

/// Rows of pages of all lengths with holes of all lengths between them.
Memory rows(unsigned count) {
  Memory memory;
  uintptr_t at = base + dice()() % 32 * page_bytes;
  for (unsigned row = 0; row < count; row++) {
    for (unsigned pages = 1 + dice()() % 40; pages > 0; pages--, at += page_bytes)
      memory[at] = any();
    at += (1 + dice()() % 40) * page_bytes;
  }
  return memory;
}

struct How {
  std::string previous = "";
  const Key *key = nullptr;
  int level = SKEIN_CHECKPOINT_LEVEL;
  int threads = 2;
  bool together = false;                     // rows are given whole, not page by page from anywhere
  skein_checkpoint_fetch_fn fetch = nullptr; // every second page is given without bytes
  void *context = nullptr;
};

struct Written {
  bool done;
  std::string error;
  skein_checkpoint_result result;
};

Written write(const std::string &path, const Memory &memory, const How &how = {}, const std::string &head = "head") {
  Written written = {};
  char error[512] = "";
  const skein_checkpoint_setup setup = {path.c_str(),
                                        how.previous.empty() ? nullptr : how.previous.c_str(),
                                        how.key ? how.key->data() : nullptr,
                                        how.level,
                                        how.threads,
                                        how.fetch,
                                        how.context};
  skein_checkpoint_writer *writer = library().create(&setup, error, sizeof error);
  std::vector<std::string> whole; // rows
  bool good = writer != nullptr;
  for (auto at = memory.begin(); good && at != memory.end();) {
    auto end = std::next(at);
    if (how.together) {
      whole.emplace_back(at->second);
      for (; end != memory.end() && end->first == std::prev(end)->first + page_bytes; ++end)
        whole.back() += end->second;
    }
    const std::string &bytes = how.together ? whole.back() : at->second;
    const bool fetched = how.fetch && at->first / page_bytes % 2;
    good = library().add(writer, at->first, fetched ? nullptr : bytes.data(), bytes.size(), error, sizeof error) == 0;
    at = end;
    if (how.together && whole.size() == whole.capacity())
      whole.reserve(2 * whole.size()); // moves long strings, whose bytes stay
  }
  if (writer && !good)
    library().abandon(writer);
  written.done = good && library().finish(writer, head.data(), head.size(), &written.result, error, sizeof error) == 0;
  written.error = error;
  return written;
}

struct Read {
  bool done;
  std::string error, head;
  Memory memory;
};

/// Every page goes to a place of its own, or whole pieces to one; both are compared with what was written.
Read read(const std::string &path, const Key *key = nullptr, int threads = 2, size_t part = chunk_bytes) {
  Read read = {};
  char error[512] = "";
  skein_checkpoint_reader *reader =
      library().open(path.c_str(), key ? key->data() : nullptr, nullptr, error, sizeof error);
  if (reader) {
    size_t bytes = 0;
    const void *head = library().head(reader, &bytes);
    read.head.assign(static_cast<const char *>(head), bytes);
    struct Placed {
      std::map<uintptr_t, std::string> pieces;
      uintptr_t end = 0;
    } placed;
    const auto place = [](void *context, uintptr_t address, size_t count, int zero) -> void * {
      auto &there = *static_cast<Placed *>(context);
      EXPECT_EQ(address % page_bytes, 0u);
      EXPECT_GE(address, there.end);
      EXPECT_EQ(address / chunk_bytes, (address + count - 1) / chunk_bytes);
      there.end = address + count;
      return (there.pieces[address] = std::string(count, zero ? 'z' : 'd')).data();
    };
    read.done = library().read(reader, threads, place, &placed, error, sizeof error) == 0;
    for (const auto &[address, bytes_there] : placed.pieces)
      for (size_t at = 0; at < bytes_there.size(); at += page_bytes)
        read.memory[address + at] = bytes_there.substr(at, page_bytes);
    library().close(reader);
  }
  read.error = error;
  return read;
}

std::vector<std::string> refers(const std::string &path) {
  std::vector<std::string> names;
  char error[512] = "";
  const int status = library().refers(
      path.c_str(),
      [](void *context, const char *name) { static_cast<std::vector<std::string> *>(context)->emplace_back(name); },
      &names, error, sizeof error);
  EXPECT_EQ(status, 0) << error;
  return names;
}

std::string bytes_of(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void put(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

class Store : public testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/skein-store-XXXXXX";
    folder = mkdtemp(name);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  /// The file of a checkpoint, in a folder of its own.
  std::string path(int number = 1) {
    std::filesystem::create_directories(folder + "/" + std::to_string(number));
    return folder + "/" + std::to_string(number) + "/node-0";
  }
  std::string folder;
  const Key key = {'a', ' ', 'k', 'e', 'y'}, other_key = {'a', 'n', 'o', 't', 'h', 'e', 'r'};
};

TEST_F(Store, GivesBackWhatWasWritten) {
  const Memory memory = rows(40);
  int number = 0;
  for (const Key *with : {static_cast<const Key *>(nullptr), &key})
    for (int level : {0, 1, -7, 3, 19})
      for (bool together : {false, true}) {
        const std::string file = path(++number);
        const Written written =
            write(file, memory, {.key = with, .level = level, .threads = 1 + number % 3, .together = together});
        ASSERT_TRUE(written.done) << written.error;
        EXPECT_EQ(written.result.memory_bytes, memory.size() * page_bytes);
        EXPECT_EQ(written.result.bytes_written, std::filesystem::file_size(file));
        EXPECT_STREQ(written.result.note, "");
        const Read back = read(file, with, 1 + number % 2);
        ASSERT_TRUE(back.done) << back.error;
        EXPECT_EQ(back.head, "head");
        EXPECT_TRUE(back.memory == memory);
        EXPECT_TRUE(refers(file).empty());
      }
}

int fetch_from(void *context, uintptr_t address, void *to) {
  const auto &memory = *static_cast<const Memory *>(context);
  const auto found = memory.find(address);
  if (found == memory.end())
    return ESTALE;
  memcpy(to, found->second.data(), page_bytes);
  return 0;
}

TEST_F(Store, FetchesPagesThatHaveNoBytes) {
  Memory memory = rows(40);
  for (unsigned i = 0; i < 64; i++) // chunks of both kinds of pages, with zeros among them
    memory[base - (i + 1) * page_bytes] = i % 3 ? text() : std::string(page_bytes, 0);
  for (int threads : {1, 3}) {
    const std::string first = path(2 * threads), second = path(2 * threads + 1);
    const Written written = write(first, memory, {.threads = threads, .fetch = fetch_from, .context = &memory});
    ASSERT_TRUE(written.done) << written.error;
    const Read back = read(first);
    ASSERT_TRUE(back.done) << back.error;
    EXPECT_TRUE(back.memory == memory);
    const Written again = write(second, memory, {.previous = first, .fetch = fetch_from, .context = &memory});
    ASSERT_TRUE(again.done) << again.error;
    EXPECT_EQ(again.result.chunks_reused, again.result.chunks);
    EXPECT_TRUE(read(second).memory == memory);
  }
}

TEST_F(Store, MakesNoFileOfPagesThatCannotBeFetched) {
  const Memory memory = rows(40);
  Memory nothing;
  const Written written = write(path(1), memory, {.fetch = fetch_from, .context = &nothing});
  EXPECT_FALSE(written.done);
  EXPECT_NE(written.error.find(strerror(ESTALE)), std::string::npos) << written.error;
  EXPECT_FALSE(std::filesystem::exists(path(1)));
}

TEST_F(Store, HoldsNothingAndMuch) {
  ASSERT_TRUE(write(path(1), {}, {}, "").done);
  const Read nothing = read(path(1));
  EXPECT_TRUE(nothing.done && nothing.memory.empty() && nothing.head.empty()) << nothing.error;
  Memory memory;
  for (unsigned i = 0; i < 20000; i++) // 80 MiB
    memory[base + i * page_bytes] = i % 5 ? text() : noise();
  const std::string head(3 << 20, 'h');
  ASSERT_TRUE(write(path(2), memory, {.together = true}, head).done);
  const Read much = read(path(2));
  EXPECT_TRUE(much.done && much.memory == memory && much.head == head) << much.error;
}

TEST_F(Store, LeavesOutZeros) {
  Memory memory;
  for (unsigned i = 0; i < 4096; i++)
    memory[base + i * page_bytes] = zeros();
  const Written written = write(path(), memory, {.level = 0});
  ASSERT_TRUE(written.done) << written.error;
  EXPECT_EQ(written.result.zero_bytes, memory.size() * page_bytes);
  EXPECT_EQ(written.result.chunks, 0u);
  EXPECT_LE(written.result.bytes_written, first_chunk_at + memory.size() / chunk_pages * sizeof(StoreEntry) + 4);
  EXPECT_TRUE(read(path()).memory == memory);
}

TEST_F(Store, CompressesAtEachLevel) {
  Memory memory;
  for (unsigned i = 0; i < 256; i++)
    memory[base + i * page_bytes] = text();
  for (int level = -7; level <= 19; level++) {
    const Written written = write(path(level + 100), memory, {.level = level});
    ASSERT_TRUE(written.done) << level << ": " << written.error;
    if (level == 0)
      EXPECT_GT(written.result.bytes_written, memory.size() * page_bytes);
    else
      EXPECT_LT(written.result.bytes_written, memory.size() * page_bytes / 2) << level;
  }
  EXPECT_FALSE(write(path(1), memory, {.level = 20}).done);
}

TEST_F(Store, CompressesAgainWhatFollowsNoise) {
  Memory memory;
  for (unsigned i = 0; i < 6144; i++) // 4 MiB of noise, 20 MiB of text
    memory[base + i * page_bytes] = i < 1024 ? noise() : text();
  const Written written = write(path(), memory, {.threads = 1, .together = true});
  ASSERT_TRUE(written.done);
  EXPECT_LT(written.result.bytes_written, 14u << 20);
  EXPECT_TRUE(read(path()).memory == memory);
}

/// Behind the first 16 MiB it depends on the disk what is compressed, but with higher levels all is.
TEST_F(Store, CompressesAllWithHigherLevels) {
  Memory memory;
  constexpr unsigned all = 12288, random = 6144; // 24 MiB of noise, 24 MiB of text
  for (unsigned i = 0; i < all; i++)
    memory[base + i * page_bytes] = i < random ? noise() : text();
  for (int level : {1, 2}) {
    const Written written = write(path(level), memory, {.level = level, .together = true});
    ASSERT_TRUE(written.done) << written.error;
    EXPECT_LT(written.result.bytes_written, ((level == 1 ? all : random + (all - random) / 2) + 1024) * page_bytes);
    const Read back = read(path(level));
    EXPECT_TRUE(back.done && back.memory == memory) << back.error;
  }
}

TEST_F(Store, SkipsAndClears) {
  const Memory memory = {{base, text()}, {base + page_bytes, zeros()}, {base + 2 * page_bytes, noise()}};
  ASSERT_TRUE(write(path(), memory).done);
  struct Places {
    char kept[page_bytes], zero[page_bytes];
  } places = {{}, {1, 2, 3}};
  char error[256] = "";
  skein_checkpoint_reader *reader = library().open(path().c_str(), nullptr, nullptr, error, sizeof error);
  ASSERT_NE(reader, nullptr) << error;
  const auto place = [](void *context, uintptr_t address, size_t, int zero) -> void * {
    auto &to = *static_cast<Places *>(context);
    return address == base ? nullptr : zero ? to.zero : to.kept;
  };
  EXPECT_EQ(library().read(reader, 1, place, &places, error, sizeof error), 0) << error;
  EXPECT_EQ(std::string(places.kept, page_bytes), memory.at(base + 2 * page_bytes));
  EXPECT_EQ(std::string(places.zero, page_bytes), zeros());
  EXPECT_NE(library().read(reader, 1, place, &places, error, sizeof error), 0);
  library().close(reader);
}

TEST_F(Store, TakesItsMemoryWhereItIsTold) {
  ASSERT_TRUE(write(path(), rows(3)).done);
  void *const own = reinterpret_cast<void *>(UINT64_C(0x200000000000));
  char error[256] = "", vector = 0;
  ASSERT_NE(mincore(own, page_bytes, reinterpret_cast<unsigned char *>(&vector)), 0);
  skein_checkpoint_reader *reader = library().open(path().c_str(), nullptr, own, error, sizeof error);
  ASSERT_NE(reader, nullptr) << error;
  EXPECT_EQ(static_cast<void *>(reader), own);
  EXPECT_EQ(mincore(own, page_bytes, reinterpret_cast<unsigned char *>(&vector)), 0);
  library().close(reader);
  EXPECT_NE(mincore(own, page_bytes, reinterpret_cast<unsigned char *>(&vector)), 0);
}

TEST_F(Store, RefusesWhatIsNoMemory) {
  char error[256] = "";
  const std::string file = path(), page = noise();
  const skein_checkpoint_setup setup = {file.c_str(), nullptr, nullptr, 1, 1, nullptr, nullptr};
  skein_checkpoint_writer *writer = library().create(&setup, error, sizeof error);
  ASSERT_NE(writer, nullptr);
  EXPECT_NE(library().add(writer, base + 1, page.data(), page_bytes, error, sizeof error), 0);
  EXPECT_NE(library().add(writer, base, page.data(), page_bytes - 1, error, sizeof error), 0);
  EXPECT_NE(library().add(writer, UINT64_C(1) << 47, page.data(), page_bytes, error, sizeof error), 0);
  EXPECT_EQ(library().add(writer, base, page.data(), page_bytes, error, sizeof error), 0);
  EXPECT_NE(library().add(writer, base, page.data(), page_bytes, error, sizeof error), 0);
  EXPECT_NE(std::string(error).find(file), std::string::npos);
  library().abandon(writer);
  EXPECT_FALSE(std::filesystem::exists(file));
  put(file, "there");
  EXPECT_FALSE(write(file, {}).done);
  EXPECT_EQ(bytes_of(file), "there");
}

// References -------------------------------------------------------------------------------------------------------

TEST_F(Store, WritesOnlyWhatHasChanged) {
  for (const Key *with : {static_cast<const Key *>(nullptr), &key}) {
    Memory memory = rows(100);
    std::vector<Memory> all;
    const int first = with ? 10 : 1;
    for (int number = first; number < first + 5; number++) {
      for (int changes = 0; changes < 5; changes++)
        std::next(memory.begin(), static_cast<long>(dice()() % memory.size()))->second = any();
      memory.erase(std::next(memory.begin(), static_cast<long>(dice()() % memory.size())));
      memory[base + (1 << 24) + static_cast<uintptr_t>(number) * chunk_bytes] = noise();
      const Written written =
          write(path(number), memory, {.previous = number == first ? "" : path(number - 1), .key = with});
      ASSERT_TRUE(written.done) << written.error;
      EXPECT_STREQ(written.result.note, "");
      if (number > first) {
        EXPECT_GE(written.result.chunks_reused + 7, written.result.chunks);
        EXPECT_EQ(written.result.files_referred, refers(path(number)).size());
        EXPECT_GT(written.result.files_referred, 0u);
      }
      all.push_back(memory);
    }
    const auto names = refers(path(first + 4));
    EXPECT_NE(std::find(names.begin(), names.end(), "../" + std::to_string(first) + "/node-0"), names.end());
    for (int number = first; number < first + 5; number++) {
      const Read back = read(path(number), with);
      ASSERT_TRUE(back.done) << back.error;
      EXPECT_TRUE(back.memory == all[static_cast<size_t>(number - first)]) << number;
    }
  }
}

TEST_F(Store, NeedsNotFilesThatItDoesNotName) {
  Memory memory = rows(50);
  ASSERT_TRUE(write(path(1), memory).done);
  ASSERT_TRUE(write(path(2), memory, {.previous = path(1)}).done); // holds nothing itself
  ASSERT_TRUE(write(path(3), memory, {.previous = path(2)}).done);
  EXPECT_EQ(refers(path(3)), std::vector<std::string>{"../1/node-0"});
  std::filesystem::remove_all(folder + "/2");
  EXPECT_TRUE(read(path(3)).memory == memory);
}

TEST_F(Store, GivesUpFilesThatAreHardlyUsed) {
  Memory memory;
  for (unsigned i = 0; i < 64; i++)
    memory[base + i * chunk_bytes] = noise();
  std::string previous;
  for (int number = 1; number < 40; number++) { // each changes a part of what the others have left
    ASSERT_TRUE(write(path(number), memory, {.previous = previous}).done);
    previous = path(number);
    EXPECT_LE(refers(previous).size(), holders_max);
    EXPECT_TRUE(read(previous).memory == memory) << number;
    for (unsigned i = 0; i < 3; i++)
      memory[base + dice()() % 64 * chunk_bytes] = noise();
  }
}

TEST_F(Store, WritesAllWhenThePreviousFileIsOfNoUse) {
  const Memory memory = rows(20);
  ASSERT_TRUE(write(path(1), memory, {.key = &key}).done);
  ASSERT_TRUE(write(path(2), memory).done);
  put(path(3), bytes_of(path(2)).substr(0, 5000));
  const std::pair<std::string, const Key *> cases[] = {
      {path(1), nullptr}, {path(1), &other_key}, {path(2), &key}, {path(3), nullptr}, {folder + "/no", nullptr}};
  int number = 10;
  for (const auto &[previous, with] : cases) {
    const Written written = write(path(++number), memory, {.previous = previous, .key = with});
    ASSERT_TRUE(written.done) << written.error;
    EXPECT_EQ(written.result.chunks_reused, 0u);
    EXPECT_NE(std::string(written.result.note).find(previous), std::string::npos) << written.result.note;
    EXPECT_TRUE(read(path(number), with).memory == memory);
  }
}

TEST_F(Store, NoticesFilesThatAreGoneOrReplaced) {
  const Memory memory = rows(20);
  ASSERT_TRUE(write(path(1), memory).done);
  ASSERT_TRUE(write(path(2), memory, {.previous = path(1)}).done);
  std::filesystem::rename(path(1), path(3));
  const Read gone = read(path(2));
  EXPECT_FALSE(gone.done);
  EXPECT_NE(gone.error.find("No such file"), std::string::npos) << gone.error;
  EXPECT_NE(gone.error.find("/1/node-0"), std::string::npos) << gone.error;
  // The next checkpoint does not refer to what is not there.
  const Written next = write(path(4), memory, {.previous = path(2)});
  EXPECT_TRUE(next.done && next.result.chunks_reused == 0) << next.error;
  EXPECT_NE(std::string(next.result.note).find("No such file"), std::string::npos) << next.result.note;
  ASSERT_TRUE(write(path(1), memory).done);
  const Read replaced = read(path(2));
  EXPECT_FALSE(replaced.done);
  EXPECT_NE(replaced.error.find("replaced"), std::string::npos) << replaced.error;
  std::filesystem::rename(path(3), path(1));
  EXPECT_TRUE(read(path(2)).memory == memory);
}

TEST_F(Store, FindsFilesFromAnywhere) {
  const Memory memory = rows(5);
  const std::string here = std::filesystem::current_path();
  ASSERT_TRUE(write(path(1), memory).done);
  std::filesystem::create_directory(folder + "/deep");
  std::filesystem::current_path(folder + "/deep");
  ASSERT_TRUE(write("node-0", memory, {.previous = "./../deep/.././1/node-0"}).done);
  std::filesystem::current_path(here);
  EXPECT_EQ(refers(folder + "/deep/node-0"), std::vector<std::string>{"../1/node-0"});
  EXPECT_TRUE(read(folder + "/deep/node-0").memory == memory);
}

// Damage and forgery -----------------------------------------------------------------------------------------------

TEST_F(Store, NoticesAnotherKey) {
  ASSERT_TRUE(write(path(1), rows(3), {.key = &key}).done);
  ASSERT_TRUE(write(path(2), rows(3)).done);
  EXPECT_NE(read(path(1), &other_key).error.find("another key"), std::string::npos);
  EXPECT_NE(read(path(1)).error.find("there is no key"), std::string::npos);
  EXPECT_NE(read(path(2), &key).error.find("not sealed"), std::string::npos);
}

TEST_F(Store, HidesWhatItSeals) {
  Memory memory;
  for (unsigned i = 0; i < 64; i++)
    memory[base + i * page_bytes] = text();
  for (int level : {0, 1}) {
    ASSERT_TRUE(write(path(level), memory, {.key = &key, .level = level}, "a secret head").done);
    const std::string bytes = bytes_of(path(level));
    EXPECT_EQ(bytes.find("the value of word"), std::string::npos);
    EXPECT_EQ(bytes.find("a secret head"), std::string::npos);
  }
}

TEST_F(Store, NoticesEveryChangedByte) {
  for (const Key *with : {static_cast<const Key *>(nullptr), &key}) {
    Memory memory = rows(3);
    const std::string first = path(with ? 3 : 1), file = path(with ? 4 : 2);
    ASSERT_TRUE(write(first, memory, {.key = with}).done);
    for (unsigned i = 0; i < 8; i++)
      memory[base + (1 << 24) + i * page_bytes] = i % 2 ? text() : noise();
    ASSERT_TRUE(write(file, memory, {.previous = first, .key = with}).done);
    std::string bytes = bytes_of(file);
    unsigned tried = 0;
    const auto try_at = [&](size_t at) {
      if (at >= sizeof(StoreHeader) && at < first_chunk_at)
        return; // nothing is there
      bytes[at] ^= 0x10;
      put(file, bytes);
      bytes[at] ^= 0x10;
      const Read back = read(file, with);
      tried++;
      if (!with && back.done && back.memory == memory)
        return; // zstd has bits that mean nothing; the digest is of what they were made of
      EXPECT_FALSE(back.done) << at;
      EXPECT_NE(back.error.find(file), std::string::npos) << back.error;
    };
    for (size_t at = 0; at < sizeof(StoreHeader); at++)
      try_at(at);
    for (size_t at = 0; at < bytes.size(); at += 97)
      try_at(at);
    EXPECT_GT(tried, 300u);
    put(file, bytes);
    EXPECT_TRUE(read(file, with).memory == memory);
    // In the file that it refers to, too.
    std::string held = bytes_of(first);
    held[first_chunk_at + 100] ^= 1;
    put(first, held);
    const Read back = read(file, with);
    EXPECT_FALSE(back.done);
    EXPECT_NE(back.error.find("damaged"), std::string::npos) << back.error;
    EXPECT_NE(back.error.find(with ? "/3/node-0" : "/1/node-0"), std::string::npos) << back.error;
  }
}

TEST_F(Store, NoticesThatTheEndIsMissing) {
  for (const Key *with : {static_cast<const Key *>(nullptr), &key}) {
    const std::string file = path(with ? 2 : 1);
    ASSERT_TRUE(write(file, rows(3), {.key = with}).done);
    const std::string bytes = bytes_of(file);
    for (size_t length = 0; length < bytes.size(); length += length < 400 ? 1 : 211) {
      put(file, bytes.substr(0, length));
      const Read back = read(file, with);
      EXPECT_FALSE(back.done) << length;
      EXPECT_NE(back.error.find(length ? "cut off" : "not complete"), std::string::npos) << back.error;
    }
    put(file, bytes + "x");
    EXPECT_NE(read(file, with).error.find("appended"), std::string::npos);
    put(file, std::string(bytes.size(), '\0')); // as it is before its header is written
    EXPECT_NE(read(file, with).error.find("not complete"), std::string::npos);
    put(file, "#!/bin/sh\n");
    EXPECT_NE(read(file, with).error.find("not a node's checkpoint"), std::string::npos);
  }
  EXPECT_NE(read(folder).error.find("is no file"), std::string::npos);
}

TEST_F(Store, NoticesChunksThatChangedPlaces) {
  Memory memory = {{base, noise()}, {base + chunk_bytes, noise()}};
  ASSERT_TRUE(write(path(), memory, {.key = &key, .level = 0, .threads = 1}).done);
  std::string bytes = bytes_of(path());
  const size_t stored = page_bytes + tag_bytes;
  const std::string one = bytes.substr(first_chunk_at, stored), other = bytes.substr(first_chunk_at + stored, stored);
  put(path(), bytes.replace(first_chunk_at, 2 * stored, other + one));
  EXPECT_NE(read(path(), &key).error.find("forged"), std::string::npos);
}

// Failures ---------------------------------------------------------------------------------------------------------

/// In a process of its own. What it returns is shown if it is not empty.
void in_child(const std::function<std::string()> &run) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::string text = run();
    _exit(::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string text(4096, '\0');
  const ssize_t got = ::read(ends[0], text.data(), text.size());
  close(ends[0]);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(text.substr(0, static_cast<size_t>(std::max<ssize_t>(got, 0))), "");
}

TEST_F(Store, SaysThatAFileMayNotGrow) {
  Memory memory;
  for (unsigned i = 0; i < 4096; i++)
    memory[base + i * page_bytes] = noise();
  const std::string file = path();
  in_child([&]() -> std::string {
    const rlimit limit = {8 << 20, 8 << 20};
    setrlimit(RLIMIT_FSIZE, &limit); // whose signal would end the process
    const Written written = write(file, memory, {.together = true});
    if (written.done || written.error.find("File too large") == std::string::npos ||
        written.error.find(file) == std::string::npos)
      return "it said: " + written.error;
    return std::filesystem::exists(file) ? "a part of the file is left" : "";
  });
}

TEST_F(Store, SaysThatTheDiskIsFull) {
  if (mount("none", folder.c_str(), "tmpfs", 0, "size=4m") != 0)
    GTEST_SKIP() << "only root can mount";
  Memory memory;
  for (unsigned i = 0; i < 2048; i++)
    memory[base + i * page_bytes] = noise();
  const std::string file = path();
  const Written written = write(file, memory);
  EXPECT_FALSE(written.done);
  EXPECT_NE(written.error.find("the disk is full"), std::string::npos) << written.error;
  EXPECT_NE(written.error.find(file), std::string::npos) << written.error;
  EXPECT_FALSE(std::filesystem::exists(file));
  memory.erase(std::next(memory.begin(), 512), memory.end());
  EXPECT_TRUE(write(file, memory).done);
  EXPECT_TRUE(read(file).memory == memory);
  umount(folder.c_str());
}

// The process that writes itself -----------------------------------------------------------------------------------

size_t kernel_threads() {
  size_t count = 0;
  DIR *folder = opendir("/proc/self/task");
  while (const dirent *each = readdir(folder))
    count += each->d_name[0] != '.';
  closedir(folder);
  return count;
}

/// The writer, called in a child of fork, must leave all memory of the process as it was, with libc's: it is what it
/// writes. So writable memory that was there is written, and compared with what is there afterwards.
TEST_F(Store, ChangesNothingOfTheProcess) {
#if defined(SKEIN_ASAN) || defined(SKEIN_TSAN)
  GTEST_SKIP() << "sanitizers have memory of their own";
#endif
  library();
  const std::string file = path();
  char *const garbage = static_cast<char *>(malloc(8 << 20)); // so that there is work for more than one thread
  for (size_t i = 0; i < 8 << 20; i++)
    garbage[i] = static_cast<char>(dice()());
  asm volatile("" : : "r"(garbage) : "memory"); // somebody may look at it
  struct Own {                                  // of the test, in memory that is not compared
    struct Row {
      uintptr_t from, to;
    } rows[512];
    struct Piece {
      uintptr_t address;
      size_t bytes;
      char *copy;
    } pieces[65536];
    size_t row_count, piece_count;
    char *next, *end;
    char line[512], error[512];
    skein_checkpoint_result result;
    bool differs(const Piece &piece, size_t at) const {
      // The kernel writes there on which processor the thread is.
      const uintptr_t address = piece.address + at, rseq = reinterpret_cast<uintptr_t>(__builtin_thread_pointer()) +
                                                           static_cast<uintptr_t>(__rseq_offset);
      return memcmp(reinterpret_cast<void *>(address), piece.copy + at, 8) != 0 && address - rseq >= 32;
    }
  };
  constexpr size_t copies = size_t{256} << 20;
  in_child([&]() -> std::string {
    void *shared = mmap(nullptr, sizeof(Own) + copies, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    Own &own = *new (shared) Own();
    own.next = reinterpret_cast<char *>(&own + 1);
    own.end = own.next + copies;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (own.row_count < 512 && fgets(own.line, sizeof own.line, maps)) {
      char may[5];
      Own::Row &row = own.rows[own.row_count];
      if (sscanf(own.line, "%lx-%lx %4s", &row.from, &row.to, may) == 3 && memcmp(may, "rw-p", 4) == 0 &&
          !strstr(own.line, "[stack]"))
        own.row_count++;
    }
    fclose(maps);
    const size_t threads_before = kernel_threads();
    errno = 77;
    const skein_checkpoint_setup setup = {file.c_str(), nullptr, nullptr, 1, 3, nullptr, nullptr};
    const skein_checkpoint_store &table = library();
    skein_checkpoint_writer *writer = table.create(&setup, own.error, sizeof own.error);
    bool good = writer != nullptr;
    for (const Own::Row *row = own.rows; good && row < own.rows + own.row_count; row++)
      good = table.add(writer, row->from, reinterpret_cast<void *>(row->from), row->to - row->from, own.error,
                       sizeof own.error) == 0;
    if (!good || table.finish(writer, "x", 1, &own.result, own.error, sizeof own.error) != 0)
      return own.error;
    skein_checkpoint_reader *reader = table.open(file.c_str(), nullptr, nullptr, own.error, sizeof own.error);
    const auto place = [](void *context, uintptr_t address, size_t bytes, int) -> void * {
      Own &to = *static_cast<Own *>(context);
      if (to.piece_count == sizeof to.pieces / sizeof *to.pieces || bytes > static_cast<size_t>(to.end - to.next))
        return nullptr;
      to.pieces[to.piece_count++] = {address, bytes, to.next};
      to.next += bytes;
      return to.next - bytes;
    };
    if (!reader || table.read(reader, 2, place, &own, own.error, sizeof own.error) != 0)
      return own.error;
    table.close(reader);
    if (errno != 77)
      return "errno has changed";
    for (size_t i = 0; i < own.piece_count; i++)
      for (size_t at = 0; at < own.pieces[i].bytes; at += 8)
        if (own.differs(own.pieces[i], at)) {
          snprintf(own.line, sizeof own.line, "the word at %#lx has changed", own.pieces[i].address + at);
          return own.line;
        }
    if (kernel_threads() != threads_before)
      return "kernel threads are left";
    return own.result.memory_bytes > 8 << 20 && own.piece_count > 128
               ? ""
               : "only " + std::to_string(own.result.memory_bytes) + " bytes and " + std::to_string(own.piece_count) +
                     " pieces were compared";
  });
  free(garbage);
}

} // namespace
