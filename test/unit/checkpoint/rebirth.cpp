// A process is copied to a file, and another one becomes it: all kinds of memory, and what the kernel is told again.
// The program starts itself, as two processes of a life: `--live COPY LIBRARY` lives until it has been copied, and is
// then replaced by one that is made of the copy.
#include "checkpoint/copy.h"
#include "checkpoint/mappings.h"
#include "checkpoint/restore.h"
#include "net/wire/bootstrap.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <string>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace skein;

static void early() { restore_if_asked(); }
[[gnu::used, gnu::section(".init_array.00000")]] static void (*const early_entry)() = early;

namespace {

constexpr int guard_install = 102;
thread_local int local = 5;
int global;
volatile sig_atomic_t handled;

[[noreturn]] void fail(const char *what) {
  fprintf(stderr, "not as it was: %s (errno %d)\n", what, errno);
  _exit(1);
}
void must(bool good, const char *what) {
  if (!good)
    fail(what);
}

void *another_thread(void *to) {
  *static_cast<int *>(to) = ++local;
  return to;
}

char *map(size_t bytes, int protection, int flags = 0) {
  void *at = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  must(at != MAP_FAILED, "mmap");
  return static_cast<char *>(at);
}

bool is_killed_by(int signal, char *touched) {
  const pid_t child = fork();
  if (child == 0) {
    ::signal(SIGSEGV, SIG_DFL);
    *static_cast<volatile char *>(touched) = 1;
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == signal;
}

void say_written(const char *why, uint64_t) {
  if (why)
    fail(why);
}

int live(char **arguments) {
  const std::string path = arguments[2], notes = path + ".notes";
  if (const char *why = copy_library_load(arguments[3]))
    fail(why);

  printf("not flushed yet; ");
  local = 77;
  global = 88;
  std::vector<std::string> words;
  for (int i = 0; i < 20000; i++)
    words.push_back("a word with the number " + std::to_string(i));
  constexpr size_t large_bytes = 8 << 20, sparse_bytes = UINT64_C(1) << 44, page = 4096;
  auto *large = static_cast<char *>(malloc(large_bytes));
  memset(large, 7, large_bytes);
  char *hidden = map(1 << 20, PROT_READ | PROT_WRITE);
  strcpy(hidden + 5000, "inaccessible");
  mprotect(hidden, 1 << 20, PROT_NONE);
  char *sparse = map(sparse_bytes, PROT_READ | PROT_WRITE, MAP_NORESERVE);
  sparse[sparse_bytes / 2] = 9;
  const bool guarded = madvise(sparse + 100 * page, 10 * page, guard_install) == 0;
  signal(SIGUSR1, [](int) { handled = handled + 1; });
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR2);
  sigprocmask(SIG_BLOCK, &blocked, nullptr);
  const int file = open(notes.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
  must(write(file, "hello world", 11) == 11 && lseek(file, 6, SEEK_SET) == 6, "the file of notes");
  must(chdir("/usr") == 0, "chdir");
  umask(0123);
  const itimerval hour = {{0, 0}, {3600, 0}};
  setitimer(ITIMER_REAL, &hour, nullptr);

  char why[512] = "";
  const auto none_shared = [](uint64_t, uint64_t) { return false; };
  switch (copy_process({path.c_str(), nullptr, nullptr, 2, none_shared, {}, say_written}, why, sizeof why)) {
  case Copied::failed:
    fail(why);
  case Copied::made: {
    int status = -1;
    wait(&status);
    must(status == 0, "the writer");
    setenv(bootstrap::restore_variable, path.c_str(), 1);
    setenv(bootstrap::checkpoint_variable, arguments[3], 1);
    setenv(bootstrap::descriptor_variable, "0", 1);
    setenv("REBORN_WITH", "other words", 1);
    execv("/proc/self/exe", arguments);
    fail("exec");
  }
  case Copied::reborn:
    break;
  }
  must(local == 77 && global == 88, "variables");
  for (size_t i = 0; i < words.size(); i++)
    must(words[i] == "a word with the number " + std::to_string(i), "blocks of malloc");
  for (size_t i = 0; i < large_bytes; i++)
    must(large[i] == 7, "a large block");
  must(mprotect(hidden, 1 << 20, PROT_READ) == 0 && strcmp(hidden + 5000, "inaccessible") == 0, "inaccessible memory");
  must(sparse[sparse_bytes / 2] == 9 && sparse[sparse_bytes / 4] == 0, "sparse memory");
  must(!guarded || is_killed_by(SIGSEGV, sparse + 105 * page), "guards");
  must(is_killed_by(SIGSEGV, reinterpret_cast<char *>(const_cast<int *>(&guard_install))), "constants");
  pthread_t thread;
  int got = 0;
  must(pthread_create(&thread, nullptr, another_thread, &got) == 0 && pthread_join(thread, nullptr) == 0 && got == 6,
       "another kernel thread");
  raise(SIGUSR1);
  must(handled == 1, "handlers of signals");
  sigset_t mask;
  sigprocmask(SIG_BLOCK, nullptr, &mask);
  must(sigismember(&mask, SIGUSR2) && !sigismember(&mask, SIGUSR1), "the mask of signals");
  char text[20] = "";
  must(read(file, text, sizeof text - 1) == 5 && strcmp(text, "world") == 0, "the position in a file");
  char folder[100];
  must(getcwd(folder, sizeof folder) && strcmp(folder, "/usr") == 0, "the folder");
  must(umask(0) == 0123, "the mask of files");
  itimerval left;
  must(getitimer(ITIMER_REAL, &left) == 0 && left.it_value.tv_sec > 3000, "the timer");
  must(copy_variable("REBORN_WITH") && strcmp(copy_variable("REBORN_WITH"), "other words") == 0 &&
           !getenv("REBORN_WITH"),
       "the environment");
  for (size_t bytes = 1; bytes < 1 << 20; bytes *= 3)
    free(malloc(bytes));
  printf("all as it was\n");
  return 0;
}

struct Life {
  int status;
  std::string output;
};

Life lived(bool at_fixed_addresses = false) {
  char folder[] = "/tmp/skein-rebirth-XXXXXX";
  EXPECT_NE(mkdtemp(folder), nullptr);
  const std::string copy = std::string(folder) + "/copy";
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    if (at_fixed_addresses)
      personality(static_cast<unsigned long>(personality(0xffffffff)) | ADDR_NO_RANDOMIZE);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execl("/proc/self/exe", "test-rebirth", "--live", copy.c_str(), SKEIN_CHECKPOINT_LIBRARY_PATH, nullptr);
    _exit(127);
  }
  close(ends[1]);
  Life life;
  char text[4096];
  for (ssize_t bytes; (bytes = read(ends[0], text, sizeof text)) > 0;)
    life.output.append(text, static_cast<size_t>(bytes));
  close(ends[0]);
  waitpid(child, &life.status, 0);
  unlink(copy.c_str());
  unlink((copy + ".notes").c_str());
  rmdir(folder);
  return life;
}

} // namespace

TEST(Rebirth, AllIsAsItWas) {
  for (int i = 0; i < 5; i++) { // at other addresses each time
    const Life life = lived();
    EXPECT_EQ(life.status, 0);
    EXPECT_EQ(life.output, "not flushed yet; all as it was\n");
  }
}

// Then everything of the new process lies where something of the old one belongs.
TEST(Rebirth, WhereAllAddressesCollide) {
  const Life life = lived(true);
  EXPECT_EQ(life.status, 0);
  EXPECT_EQ(life.output, "not flushed yet; all as it was\n");
}

TEST(Mappings, AreThoseOfTheProcess) {
  char *at = map(64 << 10, PROT_READ | PROT_WRITE);
  mprotect(at + (16 << 10), 16 << 10, PROT_READ);
  char words[256];
  Mappings mappings;
  ASSERT_TRUE(mappings.read(nullptr, 0, words, sizeof words)) << words;
  unsigned found = 0;
  uint64_t last = 0;
  for (const Mapping &mapping : mappings) {
    EXPECT_LE(last, mapping.region.begin);
    last = mapping.region.end;
    EXPECT_FALSE(mappings.own().overlaps(mapping.region.begin, mapping.region.end));
    if (mapping.region.begin == reinterpret_cast<uint64_t>(at) + (16 << 10)) {
      EXPECT_EQ(mapping.region.protection, static_cast<uint32_t>(PROT_READ));
      EXPECT_EQ(mapping.region.end - mapping.region.begin, 16u << 10);
      EXPECT_FALSE(mapping.has_pages);
      found++;
    }
    found += (mapping.region.flags & region_vdso) != 0;
  }
  EXPECT_EQ(found, 2u);
  munmap(at, 64 << 10);
}

TEST(PageFinder, FindsWhatHasContents) {
  constexpr size_t page = 4096;
  char *at = map(64 * page, PROT_READ | PROT_WRITE);
  madvise(at, 64 * page, MADV_NOHUGEPAGE);
  for (const size_t touched : {3, 4, 5, 40})
    at[touched * page] = 1;
  char words[256];
  Mappings mappings;
  ASSERT_TRUE(mappings.read(nullptr, 0, words, sizeof words)) << words;
  const PageFinder finder;
  ASSERT_EQ(finder.fault(), nullptr) << finder.fault();
  std::string found;
  for (const Mapping &mapping : mappings) {
    const auto begin = reinterpret_cast<uint64_t>(at);
    if (mapping.region.begin > begin || mapping.region.end <= begin)
      continue;
    PageSpan span;
    for (uint64_t next = begin; next < begin + 64 * page && finder.contents(mapping, next, span);)
      if (span.begin < begin + 64 * page)
        found += std::to_string((span.begin - begin) / page) + "-" + std::to_string((span.end - begin) / page) + " ";
  }
  EXPECT_EQ(found.substr(0, 10), "3-6 40-41 ");
  munmap(at, 64 * page);
}

int main(int count, char **arguments) {
  if (count == 4 && strcmp(arguments[1], "--live") == 0)
    return live(arguments);
  testing::InitGoogleTest(&count, arguments);
  return RUN_ALL_TESTS();
}
