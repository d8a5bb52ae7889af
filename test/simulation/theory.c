// Queues whose means are known: M/M/1, M/M/3 and a closed network, over many sites. The true means lie within what the
// simulation says of its own errors.
// RUN: %skeincc -O2 %s -lm -o %t && %run -n 1 --timeout 100 %t > %t.1
// RUN: %run -n 2 --timeout 100 %t > %t.2
// RUN: %run -n 2 --timeout 100 %t 10000000 > %t.3 && cmp %t.1 %t.3
// RUN: cat %t.1 && cmp %t.1 %t.2 && FileCheck %s < %t.1
#include <skein/shared.h>
#include <skein/simulation.h>
#include <stdio.h>
#include <stdlib.h>

enum { replications = 16, server = 0 };
static const double until = 8000;

struct queue {
  struct skein_stream arrivals, services;
  struct skein_tally in_system, waited;
  uint64_t customers;
};

/* --- M/M/c: each site is a replication --- */

static void customer(struct skein_process *self, uint64_t unused) {
  (void)unused;
  const double came = self->now;
  skein_sim_acquire(self, server);
  struct queue *queue = skein_sim_memory(self);
  skein_tally_add(&queue->waited, self->now - came);
  skein_sim_hold(self, skein_stream_exponential(&queue->services, 1.0));
  skein_sim_release(self, server);
  skein_tally_add(&queue->in_system, self->now - came);
}

static void source(struct skein_process *self, double between, uint32_t servers) {
  struct queue *queue = skein_sim_memory(self);
  queue->arrivals = skein_stream_make(1, 2 * self->site);
  queue->services = skein_stream_make(1, 2 * self->site + 1);
  skein_sim_units(self, server, servers);
  for (;;) {
    skein_sim_hold(self, skein_stream_exponential(&queue->arrivals, between));
    skein_sim_process(self, customer, 0, 0);
  }
}
static void source_1(struct skein_process *self, uint64_t site) {
  (void)site;
  source(self, 1 / 0.7, 1);
}
static void source_3(struct skein_process *self, uint64_t site) {
  (void)site;
  source(self, 1 / 2.4, 3);
}

struct means {
  double in_system[replications], waited[replications];
};
static void note(uint32_t site, void *memory, uint64_t results) {
  const struct queue *queue = memory;
  skein_shared struct means *means = (skein_shared struct means *)results;
  means->in_system[site] = queue->in_system.mean;
  means->waited[site] = queue->waited.mean;
}

/* Whether the mean of the replications, which are independent, agrees with the true one. The interval is that of 95 %,
 * twice as wide, so that the test fails for no seed by chance. */
static void compare(const char *what, const double *values, double truth) {
  struct skein_tally tally = {0};
  for (int i = 0; i < replications; i++)
    skein_tally_add(&tally, values[i]);
  const double half = skein_tally_half_width(&tally);
  printf("%s: %.4f +- %.4f, in truth %.4f: %s\n", what, tally.mean, half, truth,
         half < truth / 10 && fabs(tally.mean - truth) < 2 * half ? "right" : "wrong");
}

static void queues(const char *name, skein_process_function begin, double in_system, double waited, size_t optimistic) {
  skein_shared struct means *results = skein_shared_alloc(0, sizeof *results);
  const struct skein_model model = {.sites = replications,
                                    .site_bytes = sizeof(struct queue),
                                    .resources = 1,
                                    .lookahead = 1000,
                                    .until = until,
                                    .optimistic = optimistic,
                                    .begin = begin,
                                    .end = note,
                                    .argument = (uint64_t)results};
  struct skein_simulated what;
  if (skein_simulate(&model, &what)) {
    puts(skein_error_text());
    exit(1);
  }
  struct means means = *results;
  printf("%s until %g: %llu processes, %llu events\n", name, what.now, (unsigned long long)what.processes,
         (unsigned long long)what.events);
  compare("time in the system", means.in_system, in_system);
  compare("time in the queue", means.waited, waited);
}

/* --- a closed network: customers go round between a station that thinks and two that serve, on sites of their own; a
 *     way between two takes a fixed time. By mean value analysis. --- */

enum { circulating = 8, stations = 3 };
static const double service[stations] = {0, 1.0, 0.8}, way = 0.25, think = 4.0;

struct station {
  struct skein_stream stream;
  uint64_t left;
};

static void go_round(struct skein_process *self, uint64_t number) {
  struct skein_stream stream = skein_stream_make(7, number);
  for (uint32_t station = 0;; station = (station + 1) % stations) {
    if (station == 0) {
      skein_sim_hold(self, skein_stream_exponential(&stream, think));
    } else {
      skein_sim_acquire(self, server);
      skein_sim_hold(self, skein_stream_exponential(&stream, service[station]));
      skein_sim_release(self, server);
    }
    ((struct station *)skein_sim_memory(self))->left++;
    skein_sim_travel(self, (station + 1) % stations, way);
  }
}

static void begin_round(struct skein_process *self, uint64_t site) {
  for (uint64_t i = 0; site == 0 && i < circulating; i++)
    skein_sim_process(self, go_round, i, 0);
}

static void note_left(uint32_t site, void *memory, uint64_t results) {
  ((skein_shared double *)results)[site] = (double)((struct station *)memory)->left;
}

/* Customers a unit of time. */
static double mean_value_analysis(void) {
  double length[stations] = {0}, throughput = 0;
  for (int n = 1; n <= circulating; n++) {
    double response[stations], cycle = think + stations * way;
    for (int i = 1; i < stations; i++)
      cycle += response[i] = service[i] * (1 + length[i]);
    throughput = n / cycle;
    for (int i = 1; i < stations; i++)
      length[i] = throughput * response[i];
  }
  return throughput;
}

static void network(size_t optimistic) {
  skein_shared double *left = skein_shared_alloc(0, stations * sizeof *left);
  const struct skein_model model = {.sites = stations,
                                    .site_bytes = sizeof(struct station),
                                    .resources = 1,
                                    .lookahead = way,
                                    .until = until,
                                    .optimistic = optimistic,
                                    .begin = begin_round,
                                    .end = note_left,
                                    .argument = (uint64_t)left};
  struct skein_simulated what;
  if (skein_simulate(&model, &what)) {
    puts(skein_error_text());
    exit(1);
  }
  const double truth = mean_value_analysis();
  printf("closed network: %llu events, %llu travels\n", (unsigned long long)what.events,
         (unsigned long long)what.travels);
  for (int i = 0; i < stations; i++) {
    const double throughput = left[i] / until;
    printf("throughput %d: %.4f, in truth %.4f: %s\n", i, throughput, truth,
           fabs(throughput / truth - 1) < 0.02 ? "right" : "wrong");
  }
}

int main(int argc, char **argv) {
  const size_t optimistic = argc > 1 ? (size_t)atoll(argv[1]) : 0; // bytes to undo with
  // M/M/1: 1 / (1 - 0.7). M/M/3: Erlang's C of 2.4 is 0.6472.
  queues("M/M/1", source_1, 1 / 0.3, 1 / 0.3 - 1, optimistic);
  queues("M/M/3", source_3, 0.64719 / 0.6 + 1, 0.64719 / 0.6, optimistic);
  network(optimistic);
  return 0;
}
// CHECK: M/M/1 until 8000: {{[0-9]+}} processes, {{[0-9]+}} events
// CHECK: time in the system: {{.*}}: right
// CHECK: time in the queue: {{.*}}: right
// CHECK: M/M/3 until 8000
// CHECK: time in the system: {{.*}}: right
// CHECK: time in the queue: {{.*}}: right
// CHECK: closed network: {{[0-9]+}} events, {{[1-9][0-9]*}} travels
// CHECK: throughput 0: {{.*}}: right
// CHECK: throughput 1: {{.*}}: right
// CHECK: throughput 2: {{.*}}: right
