// Models that make no sense, a second simulation at the same time, processes that hold what stays behind, and calls
// that cannot be right: each is refused with a reason, and another simulation can follow.
//
// RUN: %skeincc -O2 -Wno-skein-global %s -lm -o %t && %run -n 2 --timeout 60 %t 2>&1 | FileCheck %s
// RUN: not %run -n 1 --timeout 60 %t hold 2>&1 | FileCheck --check-prefix=HOLD %s
// RUN: not %run -n 2 --timeout 60 %t travel 2>&1 | FileCheck --check-prefix=TRAVEL %s
// RUN: not %run -n 1 --timeout 60 %t resource 2>&1 | FileCheck --check-prefix=RESOURCE %s
#include <skein/bundle.h>
#include <skein/simulation.h>
#include <skein/sync.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void nothing(struct skein_process *self, uint64_t site) {
  (void)self;
  (void)site;
}

static void try(const char *what, struct skein_model model) {
  struct skein_simulated done;
  const int code = skein_simulate(&model, &done);
  printf("%s: %s %s\n", what, skein_error_name(code), code ? skein_error_text() : "");
  fflush(stdout);
}

static void carries(struct skein_process *self, uint64_t site) {
  char *baggage = strdup("memory of the process");
  skein_sim_travel(self, 1 - (uint32_t)site, 1);
  puts(baggage);
  free(baggage);
}

static void too_early(struct skein_process *self, uint64_t site) { skein_sim_travel(self, (uint32_t)site, 0.5); }
static void backwards(struct skein_process *self, uint64_t site) { skein_sim_hold(self, -1 - (double)site); }
static void no_resource(struct skein_process *self, uint64_t site) { skein_sim_acquire(self, 3 + (uint32_t)site); }

/* Waits for the simulation that another thread has begun. */
static void second(void) {
  struct skein_model model = {.sites = 2, .lookahead = 1, .until = 10, .begin = nothing};
  try("second", model);
}
static void starts_another(struct skein_process *self, uint64_t site) {
  if (site == 0)
    skein_join(skein_spawn_with(&(struct skein_attributes){.bundle = skein_bundle_root()}, second));
  skein_sim_hold(self, 1);
}

int main(int argc, char **argv) {
  if (argc > 1) {
    struct skein_model model = {.sites = 1, .lookahead = 1, .until = 10};
    model.begin = !strcmp(argv[1], "hold") ? backwards : !strcmp(argv[1], "travel") ? too_early : no_resource;
    skein_simulate(&model, NULL);
    return 0;
  }
  try("no site", (struct skein_model){.lookahead = 1, .until = 10, .begin = nothing});
  try("no begin", (struct skein_model){.sites = 1, .lookahead = 1, .until = 10});
  try("no lookahead", (struct skein_model){.sites = 1, .until = 10, .begin = nothing});
  try("less than none",
      (struct skein_model){.sites = 1, .lookahead = -1, .until = 1, .begin = nothing, .optimistic = 1});
  try("none", (struct skein_model){.sites = 1, .until = 10, .begin = nothing, .optimistic = 1});
  try("no end", (struct skein_model){.sites = 1, .lookahead = 1, .until = -1, .begin = nothing});
  try("no number", (struct skein_model){.sites = 1, .lookahead = (double)NAN, .until = 1, .begin = nothing});
  try("right", (struct skein_model){.sites = 1, .lookahead = 1, .until = 10, .begin = nothing});
  try("carries", (struct skein_model){.sites = 2, .lookahead = 1, .until = 10, .begin = carries});
  try("after that", (struct skein_model){.sites = 5, .lookahead = 1, .until = 10, .begin = nothing});
  try("first", (struct skein_model){.sites = 2, .lookahead = 1, .until = 10, .begin = starts_another});
  try("after all", (struct skein_model){.sites = 5, .lookahead = 1, .until = 10, .begin = nothing});
  return 0;
}
// CHECK: no site: SKEIN_EREFUSED skein_simulate: a model has at least one site
// CHECK: no begin: SKEIN_EREFUSED
// CHECK: no lookahead: SKEIN_EREFUSED skein_simulate: a model's lookahead is greater than 0
// CHECK: less than none: SKEIN_EREFUSED
// CHECK: none: SKEIN_OK
// CHECK: no end: SKEIN_EREFUSED skein_simulate: a model's end is at time 0 or later
// CHECK: no number: SKEIN_EREFUSED skein_simulate: a model's lookahead is greater than 0
// CHECK: right: SKEIN_OK
// CHECK: carries: SKEIN_EPOINTER {{.*}}`carries`{{.*}}process heap
// CHECK: after that: SKEIN_OK
// CHECK: second: SKEIN_EREFUSED skein_simulate: another simulation runs
// CHECK: first: SKEIN_OK
// CHECK: after all: SKEIN_OK
// HOLD: skein: process 0 at site 0, at time 0: skein_sim_hold: -1 is no time to hold
// TRAVEL: skein: process 0 at site 0, at time 0: skein_sim_travel: 0.5 is less than the model's lookahead of 1
// RESOURCE: skein: process 0 at site 0, at time 0: skein_sim_acquire: there is no resource 3; each site has 0
