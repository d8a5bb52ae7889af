// The scheduler customisation of Ariadne, a thread library that programs may come from, as a bundle: the program gives
// the four functions that it gave to Ariadne. One lock guards all four, since Ariadne calls them from one kernel thread
// only.
//
// putTopThread gets a thread that is to be the next one to run: a thread that arrived from another node, as a_migrate
// of Ariadne wants it.
#include "sched/bundle.h"

namespace skein {

namespace {

SpinLock lock{Rank::queue};

const skein_ariadne &calls_of(skein_bundle *bundle) { return *static_cast<const skein_ariadne *>(bundle->data); }

void ready(skein_bundle *bundle, skein_tcb *thread, unsigned) {
  const skein_ariadne &calls = calls_of(bundle);
  Guard guard(lock);
  calls.putReadyThread(calls.context, thread);
}

void incoming(skein_bundle *bundle, skein_tcb *thread, unsigned) {
  const skein_ariadne &calls = calls_of(bundle);
  Guard guard(lock);
  (calls.putTopThread ? calls.putTopThread : calls.putReadyThread)(calls.context, thread);
}

skein_tcb *ariadne_idle(skein_bundle *bundle, unsigned) {
  const skein_ariadne &calls = calls_of(bundle);
  Guard guard(lock);
  return calls.getReadyThread(calls.context);
}

int ariadne_take(skein_bundle *bundle, skein_tcb *thread) {
  const skein_ariadne &calls = calls_of(bundle);
  if (!calls.getNamedThread)
    return 0;
  Guard guard(lock);
  return calls.getNamedThread(calls.context, thread->id) == thread;
}

constinit const skein_bundle_events ariadne = {.name = "ariadne",
                                               .thread_unblocked = ready,
                                               .processor_idle = ariadne_idle,
                                               .take = ariadne_take,
                                               .incoming = incoming};

} // namespace

} // namespace skein

extern "C" struct skein_bundle *skein_bundle_create_ariadne(const char *name, const struct skein_ariadne *calls,
                                                            struct skein_bundle *parent) {
  return skein::bundle_create_with(name, &skein::ariadne, parent, const_cast<skein_ariadne *>(calls));
}
