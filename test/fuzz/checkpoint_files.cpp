// The file of a node's memory lies on a disk, where it may be damaged, or made up by somebody. This is a libFuzzer
// target for the code that reads it (runtime/checkpoint/store): open, read, refers, and a writer that is told that it
// is the file before.
//
// Whatever the bytes are: no crash, nothing read or written out of bounds (AddressSanitizer; every piece goes to a
// block of exactly its size), no place that is not of a page in ascending order, a refusal that names the file, and a
// new file that can be read back although the old one was its previous one. test/fuzz/decoder.py runs it.
//
// Mutations start from files that the writer made, with a file that they refer to beside them, and make the digests
// right again most of the time: those only find accidents, so whoever makes up a file gets that far.
#include "checkpoint/store.h"
#include "checkpoint/store/seals.h"
#include "dice.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using namespace skein::store;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
extern "C" const skein_checkpoint_store *skein_checkpoint_store_table();

namespace {

using Bytes = std::vector<uint8_t>;
std::vector<Bytes> originals;
std::string folder;
constexpr unsigned char key[SKEIN_CHECKPOINT_KEY_BYTES] = "for the fuzzer";
constexpr uintptr_t base = 0x7f0000000000;

[[noreturn]] void wrong(const char *what, const char *error) {
  fprintf(stderr, "checkpoint_files: %s (\"%s\")\n", what, error);
  abort();
}

/// Pages in memory; one of noise, of text, of zeros, ...
const char *pages(unsigned seed) {
  static std::map<unsigned, std::unique_ptr<char[]>> made;
  auto &there = made[seed];
  if (!there) {
    there = std::make_unique<char[]>(40 * page_bytes);
    uint64_t state = seed + 1;
    for (size_t i = 0; i < 40 * page_bytes; i++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const size_t kind = i / page_bytes % 3;
      there[i] = static_cast<char>(kind == 0 ? 0 : kind == 1 ? "text "[i % 5] : static_cast<char>(state >> 56));
    }
  }
  return there.get();
}

void write(const std::string &path, const char *previous, const unsigned char *with, unsigned seed, size_t count) {
  char error[512] = "";
  unlink(path.c_str());
  const skein_checkpoint_store &store = *skein_checkpoint_store_table();
  const skein_checkpoint_setup setup = {path.c_str(), previous, with, static_cast<int>(seed % 2), 1, nullptr, nullptr};
  skein_checkpoint_result result;
  skein_checkpoint_writer *writer = store.create(&setup, error, sizeof error);
  if (!writer || store.add(writer, base, pages(seed), count * page_bytes, error, sizeof error) != 0 ||
      store.add(writer, base + 4 * chunk_bytes, pages(seed + 7), 2 * page_bytes, error, sizeof error) != 0 ||
      store.finish(writer, "a head", 6, &result, error, sizeof error) != 0)
    wrong("a file cannot be written", error);
}

Bytes bytes_of(const std::string &path) {
  Bytes bytes(1 << 20);
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const ssize_t got = read(file, bytes.data(), bytes.size());
  close(file);
  if (got < 0)
    wrong("a file cannot be read", path.c_str());
  bytes.resize(static_cast<size_t>(got));
  return bytes;
}

void put(const std::string &path, const uint8_t *data, size_t size) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (::write(file, data, size) != static_cast<ssize_t>(size))
    wrong("a file cannot be written", path.c_str());
  close(file);
}

struct Places {
  std::vector<std::unique_ptr<char[]>> blocks;
  uintptr_t end = 0;
};

void *place(void *context, uintptr_t address, size_t bytes, int zeros) {
  auto &places = *static_cast<Places *>(context);
  if (address < places.end || address % page_bytes || bytes % page_bytes || bytes == 0 ||
      address / chunk_bytes != (address + bytes - 1) / chunk_bytes)
    wrong("a place is none", "");
  places.end = address + bytes;
  if (zeros || address / page_bytes % 5 == 0)
    return nullptr;
  return places.blocks.emplace_back(new char[bytes]).get();
}

/// Makes everything right that needs no key.
void make_plausible(uint8_t *data, size_t size, const unsigned char *with) {
  StoreHeader header;
  memcpy(&header, data, sizeof header);
  memcpy(header.magic, store_magic, sizeof header.magic);
  header.version = store_version;
  header.bytes = size;
  header.sealed = with != nullptr;
  header.key_id = with ? key_id_of(with) : 0;
  // As much of the tail as there is; often enough the sizes are those of the original.
  uint64_t left = size;
  const auto take = [&left](uint64_t count) { return left >= count ? (left -= count, true) : false; };
  if (take(header.tail_at) && take(header.holders_bytes)) {
    digest_bytes(header.digest_key, header.id, data + header.tail_at, static_cast<size_t>(header.holders_bytes),
                 header.holders_digest);
    const uint64_t index = header.chunks < size ? header.chunks * sizeof(StoreEntry) : size;
    uint8_t *at = data + header.tail_at + header.holders_bytes;
    if (take(index)) {
      const auto seal = [&](Part part, uint8_t *bytes, uint64_t count, uint8_t *tag) {
        if (with)
          seal_part(with, header.id, part, bytes, static_cast<size_t>(count), tag);
        else
          digest_bytes(header.digest_key, header.id, bytes, static_cast<size_t>(count), tag);
      };
      seal(Part::index, at, index, header.index_tag);
      if (take(header.head_bytes))
        seal(Part::head, at + index, header.head_bytes, header.head_tag);
    }
  }
  seal_header(with, header);
  memcpy(data, &header, sizeof header);
}

} // namespace

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  char name[] = "/dev/shm/skein-fuzz-XXXXXX";
  folder = mkdtemp(name);
  atexit([] {
    for (const char *file : {"/held", "/one", "/new"})
      unlink((folder + file).c_str());
    rmdir(folder.c_str());
  });
  const std::string held = folder + "/held", one = folder + "/one";
  write(held, nullptr, nullptr, 1, 40);
  for (size_t count : {1, 20, 40})
    for (const char *previous : {static_cast<const char *>(nullptr), held.c_str()}) {
      write(one, previous, nullptr, 1, count);
      originals.push_back(bytes_of(one));
    }
  write(one, nullptr, key, 3, 20);
  originals.push_back(bytes_of(one));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
  Dice dice{seed * UINT64_C(0x9E3779B97F4A7C15) + 1};
  if (size < first_chunk_at || dice.below(16) == 0) {
    const Bytes &original = originals[dice.below(originals.size())];
    size = std::min(original.size(), max_size);
    memcpy(data, original.data(), size);
  }
  if (size < sizeof(StoreHeader))
    return size;
  StoreHeader header;
  memcpy(&header, data, sizeof header);
  const bool sealed = header.sealed == 1;
  for (size_t changes = 1 + dice.below(3); changes > 0; changes--) {
    const bool has_tail = header.tail_at < size;
    size_t at;
    switch (dice.below(5)) {
    case 0: // anywhere, as libFuzzer does it
      size = std::max(LLVMFuzzerMutate(data, size, max_size), sizeof header);
      continue;
    case 1:
      at = dice.below(sizeof header);
      break;
    default: // names and index are what it is all about
      at = has_tail ? header.tail_at + dice.below(size - header.tail_at) : dice.below(size);
    }
    uint64_t word;
    if (at + sizeof word > size)
      continue;
    memcpy(&word, data + at, sizeof word);
    switch (dice.below(4)) {
    case 0:
      word = dice.roll();
      break;
    case 1:
      word += dice.below(17) - 8;
      break;
    case 2:
      word ^= UINT64_C(1) << dice.below(64);
      break;
    default:
      word = ~UINT64_C(0) >> dice.below(64);
    }
    memcpy(data + at, &word, 1u << dice.below(4));
  }
  if (dice.below(16) != 0 && size >= sizeof header)
    make_plausible(data, size, sealed ? key : nullptr);
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const skein_checkpoint_store &store = *skein_checkpoint_store_table();
  const std::string path = folder + "/one", next = folder + "/new";
  put(path, data, size);
  const unsigned char *with = size > 10 && data[10] ? key : nullptr;
  const auto explained = [&](const char *error) {
    if (!strstr(error, folder.c_str()))
      wrong("a refusal does not name the file", error);
  };
  char error[512] = "";
  if (store.refers(
          path.c_str(), [](void *, const char *name) { (void)strlen(name); }, nullptr, error, sizeof error) != 0)
    explained(error);
  for (int threads = 1; threads <= 2; threads++) {
    skein_checkpoint_reader *reader = store.open(path.c_str(), with, nullptr, error, sizeof error);
    if (!reader) {
      explained(error);
      break;
    }
    size_t bytes = 0;
    const auto *head = static_cast<const char *>(store.head(reader, &bytes));
    if (bytes && head[bytes - 1] == 1 && head[0] == 2)
      error[0] = 0; // it was looked at
    Places places;
    if (store.read(reader, threads, place, &places, error, sizeof error) != 0)
      explained(error);
    store.close(reader);
  }
  write(next, path.c_str(), with, 1, 20);
  return 0;
}
