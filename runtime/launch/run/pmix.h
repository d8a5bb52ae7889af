// What the ranks of a job tell each other by PMIx, which mpirun and srun serve: enough to find rank 0. libpmix is
// loaded when a job asks for it, and left again before anything else happens, so that the launcher and its agents stay
// what they are: processes of one kernel thread.
#ifndef SKEIN_LAUNCH_RUN_PMIX_H
#define SKEIN_LAUNCH_RUN_PMIX_H

#include <functional>
#include <string>

namespace skein::launch {

struct PmixJob {
  unsigned rank = 0, ranks = 1;
  std::string word; // what rank 0 has told all
};

/// Meets the other ranks. `word_of_first` is called in rank 0, with the number of ranks. Blocks until all are there.
/// Throws a std::string.
PmixJob pmix_meet(const std::function<std::string(unsigned ranks)> &word_of_first);

} // namespace skein::launch

#endif
