// Programs that mpirun or srun has started; see start_pmix.cpp.
#ifndef SKEIN_LAUNCH_START_PMIX_H
#define SKEIN_LAUNCH_START_PMIX_H

namespace skein {

/// Called before constructors run. Does not return in a rank of a PMIx job, unless SKEIN_OPTIONS=pmix=off.
void start_as_rank(int count, char **arguments);

} // namespace skein

#endif
