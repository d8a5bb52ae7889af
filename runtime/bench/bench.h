// What the benchmarks of `skein bench` share: running a program and measuring it.
#ifndef SKEIN_BENCH_BENCH_H
#define SKEIN_BENCH_BENCH_H

#include "launch/command/command.h"

#include <cstdint>
#include <string>
#include <vector>

namespace skein::launch {

/// What one execution of a program cost.
struct Execution {
  int status = 0;         // exit status; 128 + signal if it was killed
  double cpu_seconds = 0; // user + system, of the program and the children it waited for
  std::string output;     // standard output; standard error goes where ours goes
};

/// Runs argv[0] (searched in PATH) with `environment` ("NAME=value") added to ours, and waits. Throws std::string if it
/// cannot be started.
Execution execute(const std::vector<std::string> &argv, const std::vector<std::string> &environment = {});

double median(std::vector<double> values);

/// Directory `name` of the parts that `skein` brings along: <root>/share/skein/<name>.
std::string share_directory(const std::string &name);

/// The environment of the yardsticks that are bare UCX, over "shm" as in a run, or "tcp", which no run uses.
std::vector<std::string> bare_ucx_environment(const std::string &transport);

int bench_overhead(const Arguments &arguments);
int bench_compile(const Arguments &arguments);
int bench_migrate(const Arguments &arguments);
int bench_threads(const Arguments &arguments);
int bench_shared(const Arguments &arguments);

extern const char *const bench_overhead_help;
extern const char *const bench_compile_help;
extern const char *const bench_migrate_help;
extern const char *const bench_threads_help;
extern const char *const bench_shared_help;

} // namespace skein::launch

#endif
