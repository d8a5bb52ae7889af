// What only this process knows, used after the thread may have moved.
// RUN: %verify-rule -Wskein-process-resource %s
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <skein/skein.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

void elsewhere(void);

void descriptor(void) {
  int file = open("x", O_RDONLY);
  skein_yield();
  close(file); // expected-warning {{'file' is a descriptor of this process}}
}

void stream(void) {
  FILE *file = fopen("x", "r");
  skein_push_self(1);
  fclose(file); // expected-warning {{'file' is a stream of this process}}
}

int mapping(void) {
  int *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  skein_yield();
  return *memory; // expected-warning {{'memory' is a mapping of this process}}
}

void loaded(void *library) {
  void (*function)(void) = (void (*)(void))dlsym(library, "f");
  skein_yield();
  function(); // expected-warning {{'function' is a place in a library that this process has loaded}}
}

int identity(void) {
  pthread_t self = pthread_self();
  pid_t process = getpid();
  skein_yield();
  return pthread_equal(self, pthread_self()) // expected-warning {{'self' is the id of this process}}
         && process == getpid();             // expected-warning {{'process' is the id of this process}}
}

void perhaps(void) {
  int file = open("x", O_RDONLY);
  elsewhere();
  close(file); // expected-warning {{[-Wskein-pedantic,-Wskein-process-resource]}}
}

// Near misses.
void before(void) {
  FILE *file = fopen("x", "w");
  fputs("text", file);
  fclose(file);
  skein_yield();
}

void standard(void) {
  FILE *out = stdout;
  skein_yield();
  fputs("text", out);
}

int only_compared(void) {
  int file = open("x", O_RDONLY);
  int failed = file < 0;
  close(file);
  skein_yield();
  return failed;
}

void after(void) {
  skein_yield();
  int file = open("x", O_RDONLY);
  close(file);
}

void meant(void) {
  SKEIN_UNTRACKED int file = open("x", O_RDONLY);
  skein_yield();
  close(file);
}

void pinned(void) {
  SKEIN_PINNED {
    int file = open("x", O_RDONLY);
    skein_yield();
    close(file);
  }
}
