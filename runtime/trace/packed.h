// Records as a ring and the chunks of a file have them: packed in words of eight bytes, since a record that is stored
// plainly costs more to carry into the file than to make.
//
//     short  event 6 | form 2 | c 6 | time 18 | thread 32                      nothing else to say
//            the same, a 48 | b 16
//     long   event 6 | form 2 | 0 56, time 64, thread 64, a 64, b 32 | c 32    where something does not fit
//
// From the lowest bit on. Time is the distance from the record before, and 0 if both are of one moment; thread is xored
// with the thread that the kernel thread runs, which the last `runs` names. A text (of the runtime) is its place in a
// table of those met last; one that is not there makes its record long, and takes the place that its hash gives. A word
// of zeros says that the next record is where the next half of the ring begins.
//
// Whoever unpacks must do so from the ring's first byte. Rejected: words of as many bytes as they need, which are half
// as much to write, but take twice as long to make; to let the recorder pack, which then had to look at every record.
#ifndef SKEIN_TRACE_PACKED_H
#define SKEIN_TRACE_PACKED_H

#include "trace/events.h"

#include <cstddef>
#include <cstdint>

namespace skein {

struct TraceRecord {
  uint64_t time; // by the node's clock: chunks say what it is in nanoseconds
  uint64_t thread;
  uint64_t a;
  uint32_t b;
  uint16_t c;
  uint16_t event; // TraceEvent
};

/// Sets of events, by their numbers as bits.
using TraceEvents = uint64_t;
constexpr TraceEvents trace_events(TraceEvent event) { return uint64_t{1} << static_cast<unsigned>(event); }
template <class... More> constexpr TraceEvents trace_events(TraceEvent event, More... more) {
  return trace_events(event) | trace_events(more...);
}

/// The events whose `a` is a function, and those whose `b` is a text.
inline constexpr TraceEvents trace_with_function = 0
#define WORD(name, type) TraceWord::type
#define NONE TraceWord::none
#define TRACE_EVENT(name, class_, a, b, c, help) | (a == TraceWord::function ? trace_events(TraceEvent::name) : 0)
#include "trace/events.def"
    ;
inline constexpr TraceEvents trace_with_text = 0
#define WORD(name, type) TraceWord::type
#define NONE TraceWord::none
#define TRACE_EVENT(name, class_, a, b, c, help) | (b == TraceWord::text ? trace_events(TraceEvent::name) : 0)
#include "trace/events.def"
    ;

static_assert(trace_event_count <= 64);

/// Whether a record of that event is one of the run, and so is missing if it is not there. The others say something to
/// those who read the trace; 0 is the word of zeros.
constexpr bool trace_is_event(uint64_t event) {
  constexpr TraceEvents others = trace_events(static_cast<TraceEvent>(0), TraceEvent::clock, TraceEvent::lost);
  return !(others >> event & 1);
}

inline constexpr size_t trace_packed_words = 5; // of the longest record

/// What those who pack and unpack a ring both know of the records so far; zeros at its beginning.
class TracePacking {
public:
  /// Writes a record and returns where the next one begins. Calls wants(text) for a text that was not met lately.
  template <class Wants> [[gnu::always_inline]] uint64_t *pack(uint64_t *to, const TraceRecord &record, Wants &&wants) {
    const TraceEvents event = uint64_t{1} << record.event;
    uint64_t b = record.b;
    if (event & trace_with_text)
      b = pack_text(record.b, wants);
    const uint64_t time = record.time - time_, thread = record.thread ^ running_;
    time_ = record.time;
    if (event & trace_events(TraceEvent::runs))
      running_ = record.thread;
    if (__builtin_expect((time >> time_bits | thread >> 32 | record.a >> 48 | b >> 16 | record.c >> c_bits) != 0, 0)) {
      to[0] = record.event | form_long << form_at;
      to[1] = time;
      to[2] = thread;
      to[3] = record.a;
      to[4] = record.b | uint64_t{record.c} << 32;
      return to + 5;
    }
    const uint64_t more = record.a | b << 48, form = more != 0;
    to[0] = record.event | form << form_at | uint64_t{record.c} << c_at | time << time_at | thread << 32;
    to[1] = more;
    return to + 1 + form;
  }

  /// Takes a record out of what begins at `from` and ends at `end`, and moves `from` behind it. False: there is no
  /// record. An event of 0 is the word of zeros; what follows it must be skipped.
  bool unpack(const uint64_t *&from, const uint64_t *end, TraceRecord &record) {
    if (from >= end || static_cast<size_t>(end - from) < words(*from))
      return false;
    const uint64_t head = *from, *const at = from;
    record = {};
    record.event = event(head);
    if (record.event >= trace_event_count || form_of(head) > form_long)
      return false;
    from += words(head);
    if (form_of(head) == form_long) {
      record.time = at[1];
      record.thread = at[2];
      record.a = at[3];
      record.b = static_cast<uint32_t>(at[4]);
      record.c = static_cast<uint16_t>(at[4] >> 32);
    } else {
      const uint64_t more = form_of(head) ? at[1] : 0;
      record.time = head >> time_at & ((1 << time_bits) - 1);
      record.thread = head >> 32;
      record.a = more & ((uint64_t{1} << 48) - 1);
      record.b = static_cast<uint32_t>(more >> 48);
      record.c = static_cast<uint16_t>(head >> c_at & ((1 << c_bits) - 1));
    }
    if (!record.event)
      return true;
    time_ = record.time += time_;
    record.thread ^= running_;
    if (record.event == static_cast<uint16_t>(TraceEvent::runs))
      running_ = record.thread;
    if (uint64_t{1} << record.event & trace_with_text) {
      if (form_of(head) == form_long)
        texts_[place_of(record.b)] = record.b;
      else if (record.b)
        record.b = texts_[(record.b - 1) % texts_most];
    }
    return true;
  }

  /// How long the record is that begins with that word.
  static size_t words(uint64_t head) { return form_of(head) == form_long ? trace_packed_words : 1 + form_of(head); }

  /// The event of the record that begins with that word.
  static uint16_t event(uint64_t head) { return head & ((1 << form_at) - 1); }

  /// Of the last record.
  uint64_t time() const { return time_; }

private:
  static constexpr uint64_t form_long = 2;
  static constexpr unsigned form_at = 6, c_at = 8, c_bits = 6, time_at = 14, time_bits = 18;
  static constexpr uint32_t texts_most = 64;

  static uint64_t form_of(uint64_t head) { return head >> form_at & 3; }
  static uint32_t place_of(uint32_t text) { return text * 0x9e3779b9u >> 26; }

  /// The place in the table, from 1; more than fits if the text was not there.
  template <class Wants> uint64_t pack_text(uint32_t text, Wants &&wants) {
    const uint32_t place = place_of(text);
    if (__builtin_expect(texts_[place] == text, 1))
      return text ? place + 1 : 0;
    if (!text)
      return 0;
    texts_[place] = text;
    wants(text);
    return UINT64_MAX;
  }

  uint64_t time_ = 0, running_ = 0;
  uint32_t texts_[texts_most] = {};
};

} // namespace skein

#endif
