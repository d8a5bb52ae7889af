/* The agenda of a simulation: events to come, the earliest first; see simulation.h. A heap with four children to a
 * node: half as deep as one with two, and the children lie in one or two cache lines. */
#include "simulation/simulation.h"

#include <stdlib.h>

int agenda_put(struct agenda *agenda, struct event event) {
  if (agenda->count == agenda->room) {
    const size_t room = agenda->room ? 2 * agenda->room : 1024;
    struct event *more = realloc(agenda->events, room * sizeof *more);
    if (!more)
      return 0;
    agenda->events = more;
    agenda->room = room;
  }
  struct event *events = agenda->events;
  size_t at = agenda->count++;
  while (at && event_before(&event, &events[(at - 1) / 4])) {
    events[at] = events[(at - 1) / 4];
    at = (at - 1) / 4;
  }
  events[at] = event;
  return 1;
}

void agenda_arrange(struct agenda *agenda) {
  const size_t count = agenda->count;
  for (agenda->count = 0; agenda->count < count;)
    agenda_put(agenda, agenda->events[agenda->count]); /* for which there is room */
}

struct event agenda_take(struct agenda *agenda) {
  struct event *events = agenda->events;
  const struct event first = events[0], last = events[--agenda->count];
  const size_t count = agenda->count;
  size_t at = 0;
  for (size_t child; (child = 4 * at + 1) < count;) {
    const size_t end = child + 4 < count ? child + 4 : count;
    size_t best = child;
    while (++child < end)
      if (event_before(&events[child], &events[best]))
        best = child;
    if (!event_before(&events[best], &last))
      break;
    events[at] = events[best];
    at = best;
  }
  if (count)
    events[at] = last;
  return first;
}
