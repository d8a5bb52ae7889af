// How fast memory gets into a file and back (checkpoint/store.h), beside cp: `skein bench checkpoint` calls it.
//
//     checkpoint_rows LIBRARY FOLDER KIND MIB LEVEL THREADS SEALED ROUNDS
//
// For each round it prints seconds: cp of a file with the same bytes, which lies in the page cache, until it is on the
// disk; the first checkpoint; a second one after a hundredth of the pages has changed; reading that back; then the
// sizes of the two files in MiB. Files of a round are removed before the next thing is measured.
#include "checkpoint/store.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr size_t page = 4096;

struct Dice {
  uint64_t state = 88172645463325252;
  uint64_t roll() {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
  }
};

[[noreturn]] void wrong(const char *what, const char *why) {
  fprintf(stderr, "checkpoint_rows: %s: %s\n", what, why);
  exit(1);
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void fill_noise(char *at, Dice &dice) {
  for (size_t i = 0; i < page; i += 8) {
    const uint64_t word = dice.roll();
    memcpy(at + i, &word, 8);
  }
}

/// Words of a vocabulary, of which some are frequent.
void fill_text(char *at, Dice &dice) {
  for (size_t i = 0; i < page;) {
    const uint64_t roll = dice.roll();
    char word[32];
    const int length =
        snprintf(word, sizeof word, roll % 3 ? "%s " : "%s%u, ",
                 (const char *[]){"the", "thread", "of", "node", "moves", "memory", "a", "to"}[roll >> 8 & 7],
                 static_cast<unsigned>((roll >> 16 & 0xffff) * (roll >> 32 & 0xffff) >> 20));
    const size_t bytes = static_cast<size_t>(length) < page - i ? static_cast<size_t>(length) : page - i;
    memcpy(at + i, word, bytes);
    i += bytes;
  }
}

/// As arrays of a computation: sums of small steps.
void fill_numbers(char *at, Dice &dice) {
  static double last = 1;
  for (size_t i = 0; i < page; i += 8) {
    last += static_cast<double>(dice.roll() >> 40) * 1e-9;
    memcpy(at + i, &last, 8);
  }
}

void fill(const char *kind, char *at, uint64_t number, Dice &dice) {
  if (strcmp(kind, "noise") == 0)
    fill_noise(at, dice);
  else if (strcmp(kind, "text") == 0)
    fill_text(at, dice);
  else if (strcmp(kind, "numbers") == 0)
    fill_numbers(at, dice);
  else if (strcmp(kind, "zeros") != 0)
    wrong(kind, "is no kind of memory");
  else if (number % 64 < 16) // three quarters are zeros
    fill_text(at, dice);
}

void copy_by_cp(const char *from, const char *to) {
  const pid_t child = fork();
  if (child == 0) {
    execlp("cp", "cp", "--reflink=never", from, to, nullptr);
    _exit(127);
  }
  int status = 1;
  waitpid(child, &status, 0);
  const int file = open(to, O_RDONLY | O_CLOEXEC);
  if (status != 0 || file < 0 || fsync(file) != 0)
    wrong("cp", "failed");
  close(file);
}

struct Place {
  char *memory;
  char *back;
};

} // namespace

int main(int count, char **arguments) {
  if (count != 9)
    wrong("usage", "checkpoint_rows LIBRARY FOLDER KIND MIB LEVEL THREADS SEALED ROUNDS");
  void *handle = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  auto table =
      handle ? reinterpret_cast<skein_checkpoint_store_table_fn>(dlsym(handle, SKEIN_CHECKPOINT_SYMBOL)) : nullptr;
  if (!table)
    wrong(arguments[1], dlerror());
  const skein_checkpoint_store &store = *table();
  const std::string folder = arguments[2];
  const char *kind = arguments[3];
  const size_t bytes = strtoull(arguments[4], nullptr, 10) << 20;
  const int level = atoi(arguments[5]), threads = atoi(arguments[6]);
  const unsigned char key[SKEIN_CHECKPOINT_KEY_BYTES] = "for measuring";
  const unsigned char *sealed = atoi(arguments[7]) ? key : nullptr;

  const auto map = [bytes] {
    return static_cast<char *>(
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0));
  };
  Dice dice;
  Place place = {map(), map()};
  for (size_t at = 0; at < bytes; at += page)
    fill(kind, place.memory + at, at / page, dice);
  const std::string plain = folder + "/plain", copy = folder + "/copy", first = folder + "/first",
                    second = folder + "/second";
  FILE *file = fopen(plain.c_str(), "w");
  if (!file || fwrite(place.memory, 1, bytes, file) != bytes || fclose(file) != 0)
    wrong(plain.c_str(), "cannot be written");

  char error[512] = "";
  const auto save = [&](const std::string &to, const char *previous) {
    const skein_checkpoint_setup setup = {to.c_str(), previous, sealed, level, threads, nullptr, nullptr};
    skein_checkpoint_result result;
    skein_checkpoint_writer *writer = store.create(&setup, error, sizeof error);
    if (!writer ||
        store.add(writer, reinterpret_cast<uintptr_t>(place.memory), place.memory, bytes, error, sizeof error) != 0 ||
        store.finish(writer, "", 0, &result, error, sizeof error) != 0)
      wrong("writing", error);
    return static_cast<double>(result.bytes_written) / (1 << 20);
  };
  const auto load = [&](const std::string &from) {
    skein_checkpoint_reader *reader = store.open(from.c_str(), sealed, nullptr, error, sizeof error);
    const auto put = [](void *context, uintptr_t address, size_t, int zeros) -> void * {
      const auto &to = *static_cast<Place *>(context);
      return zeros ? nullptr : to.back + (address - reinterpret_cast<uintptr_t>(to.memory));
    };
    if (!reader || store.read(reader, threads, put, &place, error, sizeof error) != 0)
      wrong("reading", error);
    store.close(reader);
  };
  sync();
  for (int round = atoi(arguments[8]); round > 0; round--) {
    const double t0 = now();
    copy_by_cp(plain.c_str(), copy.c_str());
    const double t1 = now();
    unlink(copy.c_str());
    sync(); // giving its blocks back is work for the disk, too
    const double t2 = now();
    const double first_size = save(first, nullptr);
    const double t3 = now();
    for (size_t i = 0; i < bytes / page / 100; i++)
      fill_noise(place.memory + dice.roll() % (bytes / page) * page, dice);
    const double t4 = now();
    const double second_size = save(second, first.c_str());
    const double t5 = now();
    load(second);
    const double t6 = now();
    if (memcmp(place.memory, place.back, bytes) != 0)
      wrong("reading", "what came back differs");
    unlink(first.c_str());
    unlink(second.c_str());
    sync();
    printf("%.4f %.4f %.4f %.4f %.1f %.1f\n", t1 - t0, t3 - t2, t5 - t4, t6 - t5, first_size, second_size);
    fflush(stdout);
  }
  unlink(plain.c_str());
  return 0;
}
