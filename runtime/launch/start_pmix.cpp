// A program that mpirun or srun has started as one of several ranks becomes `skein rank`, which starts it again as a
// node of one run (launch/command/rank_command.cpp). So `mpirun -n 4 ./program` is a run of four nodes.
//
// That happens before any constructor of the program, so nothing has been done that would be done twice. The ranks are
// not nodes themselves, since a node has a parent that collects its status, examines it, and kills it.
#include "launch/start_pmix.h"

#include "base/knobs.h"
#include "base/log.h"
#include "net/wire/bootstrap.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace skein {

void start_as_rank(int count, char **arguments) {
  if (getenv(bootstrap::descriptor_variable))
    return;
  if (!getenv("PMIX_RANK") || !getenv("PMIX_NAMESPACE")) {
    const char *tasks = getenv("SLURM_STEP_NUM_TASKS"), *task = getenv("SLURM_PROCID");
    if (tasks && task && atoi(tasks) > 1 && strcmp(task, "0") == 0)
      log("this is one of %s tasks of srun, and each is a run of its own; with `srun --mpi=pmix` they are one", tasks);
    return;
  }
  knobs_start();
  if (!knobs.pmix)
    return;
  auto **command = static_cast<char **>(calloc(static_cast<size_t>(count) + 3, sizeof(char *)));
  char program[4096];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (!command || length <= 0)
    fatal("this process is a rank of a PMIx job, and /proc does not tell its program");
  program[length] = 0;
  const char *skein = getenv("SKEIN_COMMAND");
  command[0] = const_cast<char *>(skein ? skein : "skein");
  command[1] = const_cast<char *>("rank");
  command[2] = program;
  for (int i = 1; i < count; i++)
    command[i + 2] = arguments[i];
  execvp(command[0], command);
  fatal("this process is a rank of a PMIx job (mpirun, srun), and becomes a node of a run by the command %s, which "
        "cannot be started: %s. Put its folder into PATH, or its path into SKEIN_COMMAND; SKEIN_OPTIONS=pmix=off makes "
        "each rank a run of its own",
        command[0], strerror(errno));
}

} // namespace skein
