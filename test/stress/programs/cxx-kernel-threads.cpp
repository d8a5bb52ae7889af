// std::thread, std::async and std::call_once: libstdc++ starts the kernel threads, and keeps an address of the caller's
// stack in a thread-local variable of its own.
// refused: kernel-thread, thread-local, foreign, number, heap, ambiguous, heap-word, deep
// flags: -fskein-globals=private -fskein-heap=private
#include "hop.h"
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

static std::mutex lock;
static std::vector<std::string> said;
static int total;

int main() {
  int local = 5;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; i++)
    threads.emplace_back([&local, i] {
      hop();
      std::lock_guard<std::mutex> guard(lock);
      total += local + i;
      said.push_back("thread " + std::to_string(i) + " of this program");
    });
  for (auto &each : threads)
    each.join();
  hop();
  std::string longest = "none";
  for (auto &each : said)
    if (each.size() > longest.size())
      longest = each;
  printf("%d %zu %zu\n", total, said.size(), longest.size());
  auto later = std::async(std::launch::async, [] { return std::string(40, 'x'); });
  std::once_flag once;
  std::call_once(once, [&] {
    hop();
    local = 7;
  });
  printf("%s %d\n", later.get().c_str(), local);
}
