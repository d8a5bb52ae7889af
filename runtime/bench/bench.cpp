// `skein bench`: measurements of what migration costs (overhead while nothing moves, the price of one move, of
// compiling) and of
// threads and shared memory. Here only the choice between them, and how a program is run and measured.
#include "bench/bench.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace skein::launch {

namespace {

/// In the child: waits for the parent's word, then becomes the program. Never returns.
[[noreturn]] void become(const std::vector<std::string> &argv, const std::vector<std::string> &environment, int go,
                         int failure) {
  char byte;
  while (read(go, &byte, 1) < 0 && errno == EINTR)
    ;
  for (const std::string &variable : environment)
    putenv(const_cast<char *>(variable.c_str()));
  std::vector<char *> pointers;
  for (const std::string &argument : argv)
    pointers.push_back(const_cast<char *>(argument.c_str()));
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  int error = errno;
  if (write(failure, &error, sizeof error) < 0)
    _exit(126);
  _exit(127);
}

struct Pipe {
  int read_end, write_end;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
      throw std::string("pipe: ") + strerror(errno);
    read_end = ends[0];
    write_end = ends[1];
  }
  ~Pipe() {
    close_read();
    close_write();
  }
  Pipe(const Pipe &) = delete;
  void close_read() { close_end(read_end); }
  void close_write() { close_end(write_end); }

private:
  static void close_end(int &fd) {
    if (fd >= 0)
      close(fd);
    fd = -1;
  }
};

double seconds(const timeval &time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

/// `all` and groups of it: a Python program, which also calls the others. Debian's Python has Debian's matplotlib.
int run_figures(const Arguments &arguments) {
  const char *python = access("/usr/bin/python3", X_OK) == 0 ? "/usr/bin/python3" : "python3";
  std::vector<std::string> argv = {python, share_directory("bench/figures/main.py"), program_directory() + "/.."};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  std::vector<char *> pointers;
  for (std::string &argument : argv)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  throw std::string("cannot run python3: ") + strerror(errno);
}

struct Benchmark {
  const char *name;
  int (*run)(const Arguments &);
  const char *help;
};

int run_bench(const Arguments &arguments) {
  const Benchmark benchmarks[] = {{"overhead", bench_overhead, bench_overhead_help},
                                  {"compile", bench_compile, bench_compile_help},
                                  {"migrate", bench_migrate, bench_migrate_help},
                                  {"threads", bench_threads, bench_threads_help},
                                  {"shared", bench_shared, bench_shared_help}};
  if (arguments.empty())
    throw std::string("which one? `overhead`, `compile`, `migrate`, `threads`, `shared`, `policies` or `all`");
  if (arguments[0] == "all" || arguments[0] == "policies")
    return run_figures(arguments);
  Arguments rest(arguments.begin() + 1, arguments.end());
  for (const Benchmark &benchmark : benchmarks)
    if (arguments[0] == benchmark.name)
      return std::find(rest.begin(), rest.end(), "--help") != rest.end() ? (fputs(benchmark.help, stdout), 0)
                                                                         : benchmark.run(rest);
  throw "there is no benchmark '" + arguments[0] +
      "'; there are `overhead`, `compile`, `migrate`, `threads`, `shared`, `policies` and `all`";
}

} // namespace

Execution execute(const std::vector<std::string> &argv, const std::vector<std::string> &environment) {
  Pipe output, go, failure;
  fflush(stdout);
  pid_t pid = fork();
  if (pid < 0)
    throw std::string("fork: ") + strerror(errno);
  if (pid == 0) {
    dup2(output.write_end, STDOUT_FILENO);
    go.close_write();
    become(argv, environment, go.read_end, failure.write_end);
  }
  go.close_write();
  output.close_write();
  failure.close_write();

  Execution execution;
  char buffer[65536];
  for (ssize_t n; (n = read(output.read_end, buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR);)
    if (n > 0)
      execution.output.append(buffer, static_cast<size_t>(n));
  int status;
  rusage usage;
  while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR)
    ;
  int error;
  if (read(failure.read_end, &error, sizeof error) == sizeof error)
    throw "cannot run " + argv[0] + ": " + strerror(error);
  execution.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  execution.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  return execution;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  size_t n = values.size();
  return n == 0 ? 0 : n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

std::string share_directory(const std::string &name) {
  std::string bin = program_directory();
  return bin.substr(0, bin.rfind('/')) + "/share/skein/" + name;
}

std::vector<std::string> bare_ucx_environment(const std::string &transport) {
  std::vector<std::string> environment;
  for (const auto &[name, value] : ucx_environment(transport == "tcp" ? "tcp,self" : "posix,cma,self", 2))
    if (name == "UCX_TLS" || !getenv(name.c_str()))
      environment.push_back(name + "=" + value);
  if (transport == "tcp")
    environment.insert(environment.end(), {"UCX_NET_DEVICES=lo", "UCX_MODULES=none"});
  return environment;
}

const Command bench_command = {
    "bench", "measure the cost of being able to move (overhead, compile), of moving (migrate), of threads",
    "usage: skein bench overhead|compile|migrate|threads|shared|policies|all [options]\n\n"
    "  overhead   CPU time of programs compiled by skeincc, beside the same compiled by clang\n"
    "  compile    time to compile them, and sizes of their code and frame maps\n"
    "  migrate    time of one migration between two processes, by parts, beside bare UCX and sockets\n"
    "  threads    time of operations on threads and locks, beside pthreads, Boost and Go\n"
    "  shared     time of loops over shared memory, beside plain C\n"
    "  policies   grep and quadrature on several nodes, by policy: the seeds' figures, as tables and plots\n"
    "  all        all of this, and the other figures of the seeds; writes docs/benchmarks.md if asked to\n\n"
    "`skein bench NAME --help` lists the options.\n",
    run_bench};

} // namespace skein::launch
