/* A closed network of queues: a customer waits for the server of its site, is served for an exponential time of mean 1,
 * and is then on its way for a time of mean 1, to another site with the given probability. Prints what phold.c does,
 * and how busy a server was, beside what mean value analysis says (Reiser and Lavenberg, 1980): the network is
 * symmetric, so all servers are equally busy.
 *
 *     queue_network [sites [customers of a site [remote % [lookahead [until [bytes]]]]]] */
#include "bench_model.h"

enum { server = 0 };

static void customer(struct skein_process *self, uint64_t unused) {
  (void)unused;
  struct skein_stream stream = skein_stream_make(1, self->number);
  const struct parameters now = *(const struct parameters *)skein_sim_memory(self);
  for (;;) {
    skein_sim_acquire(self, server);
    skein_sim_hold(self, skein_stream_exponential(&stream, 1));
    skein_sim_release(self, server);
    ((struct parameters *)skein_sim_memory(self))->visits++;
    go_on(self, &stream, &now);
  }
}

static void begin(struct skein_process *self, uint64_t site) {
  (void)site;
  begin_with(self, customer);
}

/* Customers that a server serves in a unit of time. */
static double truth(double sites, double customers) {
  double length = 0, throughput = 0; /* of one queue, of all */
  for (double n = 1; n <= customers; n++) {
    const double response = 1 + length;
    throughput = n / (response + 1);
    length = throughput / sites * response;
  }
  return throughput / sites;
}

int main(int argc, char **argv) {
  double until;
  const uint64_t visits = simulate(argc, argv, begin, 1, &until);
  printf("busy %.4f, in truth %.4f\n", (double)visits / all.sites / until,
         truth(all.sites, (double)all.sites * all.population));
  return 0;
}
