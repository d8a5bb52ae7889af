// Why a thread could not move: a code of the public API and one line of text.
//
// A refusal is an answer, not an error of the runtime: the thread goes on where it is. What asked for the move hands
// the code and the text to the program (skein_error_text) or to the report of the stress mode.
//
// The text is built only when a move is refused, so a move that succeeds does not pay for it.
#ifndef SKEIN_MIGRATE_REFUSAL_H
#define SKEIN_MIGRATE_REFUSAL_H

#include <stdint.h>

namespace skein {

struct Refusal {
  int code;          // SKEIN_E*, 0 while nothing was refused
  bool unknown_code; // it was refused for a return address that the maps do not know
  const char *rule;  // of skein-check (docs/rules.md), which finds such things in the source; null: there is none
  char text[512];

  constexpr Refusal() : code(0), unknown_code(false), rule(nullptr) { text[0] = 0; }
  explicit operator bool() const { return code != 0; }

  // Fills in code and text. Always returns false, so that a check can end with `return refusal.set(...)`.
  [[gnu::cold, gnu::format(printf, 3, 4)]] bool set(int why, const char *format, ...);
};

// How often moves were refused, by the text of the refusal without its addresses, for reports at exit.
class RefusalCounts {
public:
  // True: this is the first one with that text.
  bool add(const char *text);
  uint64_t all() const { return refused; }
  // Prints "WHO: WHAT 3 times: TEXT", one line for each text, the most frequent first.
  void print(const char *who, const char *what = "refused") const;

private:
  struct Reason {
    uint64_t count;
    char text[sizeof(Refusal::text)];
  };
  static constexpr unsigned reasons_max = 64;
  uint64_t refused = 0;
  Reason reasons[reasons_max] = {}; // the last one counts all reasons for which there is no room
  unsigned reason_count = 0;
};

// The words that refuse one move. The first is the reason; with check=pointers the look goes on after it, and each is
// named in the log, once.
class RefusingWords {
public:
  explicit RefusingWords(Refusal &why) : why(why) {}
  // True if the look at further words goes on.
  [[gnu::cold]] bool add(const Refusal &found);
  bool any() const { return found_any; }

private:
  Refusal &why;
  bool found_any = false;
};

} // namespace skein

#endif
