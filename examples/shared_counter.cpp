// The C++ interface of Active Threads (TR-97-038): integers that all nodes share.
//
// `total` is a variable of the program, so each node has an object of that name. After create_global has been called on
// every node they all name one integer, on node 0. `parts` points into shared memory: the pointer means the same
// everywhere, and so a thread may take it along. At the end a standard algorithm adds up a distributed array.
#include <skein/shared.hpp>

#include <algorithm>
#include <cstdio>
#include <numeric>

static shared_int total;

static void work(int node, shared_long *parts, skein_semaphore_t met, skein_semaphore_t go) {
  skein_push_self(node);
  total.create_global(0);
  skein_semaphore_signal(met);
  skein_semaphore_wait(go); // everybody's `total` is the same now
  for (int i = 1; i <= 1000; i++) {
    __atomic_fetch_add(&total, 1, __ATOMIC_RELAXED); // by all at once
    parts[node] += i;                                // by this thread alone
  }
}

int main() {
  const int nodes = skein_nodes();
  shared_long *parts = new shared_long[nodes];
  skein_semaphore_t met = skein_semaphore_create(0), go = skein_semaphore_create(0);
  auto *threads = new skein_thread_t[nodes];
  for (int i = 0; i < nodes; i++)
    threads[i] = skein_spawn(work, i, parts, met, go);
  for (int i = 0; i < nodes; i++)
    skein_semaphore_wait(met);
  for (int i = 0; i < nodes; i++)
    skein_semaphore_signal(go);
  bool right = true;
  for (int i = 0; i < nodes; i++) {
    skein_join(threads[i]);
    right = right && parts[i] == 500500;
  }
  std::printf("%d nodes counted to %d\n", nodes, static_cast<int>(total));
  right = right && total == 1000 * nodes;

  skein::array<int> squares(100, SKEIN_CYCLIC); // element i on node i % nodes
  std::iota(squares.begin(), squares.end(), 1);
  std::transform(squares.begin(), squares.end(), squares.begin(), [](int i) { return i * i; });
  const int sum = std::accumulate(squares.begin(), squares.end(), 0);
  std::printf("the squares to 100 make %d\n", sum);

  delete[] threads;
  delete[] parts;
  skein_semaphore_free(met);
  skein_semaphore_free(go);
  return right && sum == 338350 ? 0 : 1;
}
