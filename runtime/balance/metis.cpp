// METIS; see metis.h.
#include "balance/metis.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

namespace skein {

namespace {

// What metis.h says of METIS 5. Its integers have 32 or 64 bits, as it was built; those of distributions have 32.
using Integer = int32_t;
constexpr size_t options_count = 40;
enum { option_seed = 8, option_imbalance = 16 };
constexpr int done = 1;

using Defaults = int (*)(Integer *options);
using Partition = int (*)(Integer *vertices, Integer *constraints, Integer *first, Integer *neighbours,
                          Integer *vertex_weights, Integer *sizes, Integer *edge_weights, Integer *parts, float *shares,
                          float *imbalances, Integer *options, Integer *cut, Integer *part);
Defaults set_defaults;
Partition by_bisection, at_once;

constexpr uint32_t bisected_most = 8; // so many parts, or fewer, are better found by bisection

/// Options of 64 bits are set up to the end of a buffer twice as long.
[[maybe_unused]] bool has_integers_of_32_bits() {
  Integer options[2 * options_count] = {};
  set_defaults(options);
  return options[options_count - 1] != 0 && options[options_count] == 0;
}

/// The handlers of these signals are as they were when this ends.
class SignalsKept {
public:
  SignalsKept() {
    for (int i = 0; i < count; i++)
      sigaction(signals[i], nullptr, &before_[i]);
  }
  ~SignalsKept() {
    for (int i = 0; i < count; i++)
      sigaction(signals[i], &before_[i], nullptr);
  }

private:
  static constexpr int count = 2, signals[count] = {SIGABRT, SIGTERM};
  struct sigaction before_[count];
};

} // namespace

const char *metis_load() {
#if defined(SKEIN_ASAN) || defined(SKEIN_TSAN)
  return "it is not used under sanitizers, which do not know its libc";
#else
  static const char *wrong = nullptr;
  if (by_bisection || wrong)
    return wrong;
  void *library = dlmopen(LM_ID_NEWLM, "libmetis.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return wrong = strdup(dlerror());
  set_defaults = reinterpret_cast<Defaults>(dlsym(library, "METIS_SetDefaultOptions"));
  at_once = reinterpret_cast<Partition>(dlsym(library, "METIS_PartGraphKway"));
  const auto bisection = reinterpret_cast<Partition>(dlsym(library, "METIS_PartGraphRecursive"));
  if (!set_defaults || !at_once || !bisection)
    return wrong = "libmetis.so.5 has not the functions of METIS 5";
  if (!has_integers_of_32_bits())
    return wrong = "libmetis.so.5 was built with integers of 64 bits";
  by_bisection = bisection;
  return nullptr;
#endif
}

bool metis_partition(const PlacementProblem &problem, int32_t *part) {
  if (!by_bisection || problem.threads < 2 * problem.nodes)
    return false;
  const uint32_t ends = problem.first[problem.threads];
  auto *first = static_cast<Integer *>(malloc((problem.threads + size_t{1}) * sizeof(Integer)));
  auto *neighbours = static_cast<Integer *>(malloc(std::max(ends, 1u) * sizeof(Integer)));
  auto *weights = static_cast<Integer *>(malloc(std::max(ends, 1u) * sizeof(Integer)));
  bool found = false;
  if (first && neighbours && weights) {
    for (uint32_t i = 0; i <= problem.threads; i++)
      first[i] = static_cast<Integer>(problem.first[i]);
    for (uint32_t i = 0; i < ends; i++) {
      neighbours[i] = static_cast<Integer>(problem.neighbours[i].vertex);
      weights[i] = static_cast<Integer>(std::clamp(problem.neighbours[i].us * 10, 1.0f, 1e6f));
    }
    Integer vertices = static_cast<Integer>(problem.threads), parts = static_cast<Integer>(problem.nodes);
    Integer constraints = 1, cut = 0, options[options_count];
    set_defaults(options);
    options[option_seed] = 1;
    options[option_imbalance] = 100; // thousandths: a part may have a tenth more than its share
    const Partition partition = problem.nodes <= bisected_most ? by_bisection : at_once;
    SignalsKept kept;
    found = partition(&vertices, &constraints, first, neighbours, nullptr, nullptr, weights, &parts, nullptr, nullptr,
                      options, &cut, part) == done;
  }
  free(first);
  free(neighbours);
  free(weights);
  for (uint32_t i = 0; found && i < problem.threads; i++)
    found = part[i] >= 0 && static_cast<uint32_t>(part[i]) < problem.nodes;
  return found;
}

} // namespace skein
