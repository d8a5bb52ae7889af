// The knobs' parser and table; the list is knobs.def.
#include "base/knobs.h"
#include "base/log.h"
#include "base/reborn.h"
#include "base/text.h"

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace skein {

Knobs knobs;

namespace {

enum class Kind : uint8_t { switch_, count, size, text, choice };

/// How one knob is read; parallel to knob_table.
struct Reader {
  Kind kind;
  void *value;
  uint64_t least, most; // of a number
  bool or_zero;         // it may also be 0, which stands for something else
};

const Reader readers[] = {
#define KNOB_CHOICE(name, type, fallback, choices, help) {Kind::choice, &knobs.name, 0, 0, false},
#define KNOB_SWITCH(name, fallback, help) {Kind::switch_, &knobs.name, 0, 0, false},
#define KNOB_COUNT(name, fallback, least, most, help) {Kind::count, &knobs.name, least, most, false},
#define KNOB_SIZE(name, fallback, least, most, help) {Kind::size, &knobs.name, least, most, (fallback) == 0},
#define KNOB_TEXT(name, fallback, help) {Kind::text, &knobs.name, 0, 0, false},
#include "base/knobs.def"
};

bool parse_number(const char *text, bool with_unit, uint64_t *to) {
  if (*text < '0' || *text > '9') // strtoull would take signs and spaces
    return false;
  errno = 0;
  char *end;
  unsigned long long number = std::strtoull(text, &end, 10);
  if (errno)
    return false;
  unsigned shift = 0;
  if (with_unit && *end)
    switch (*end++) {
    case 'k':
    case 'K':
      shift = 10;
      break;
    case 'm':
    case 'M':
      shift = 20;
      break;
    case 'g':
    case 'G':
      shift = 30;
      break;
    default:
      return false;
    }
  if (*end || (number << shift) >> shift != number)
    return false;
  *to = number << shift;
  return true;
}

/// Index of `value` among "a|b|c", or -1.
int choice_index(const char *choices, const char *value) {
  size_t length = std::strlen(value);
  int index = 0;
  for (const char *at = choices;; index++) {
    const char *bar = std::strchr(at, '|');
    size_t width = bar ? static_cast<size_t>(bar - at) : std::strlen(at);
    if (width == length && !std::memcmp(at, value, length))
      return index;
    if (!bar)
      return -1;
    at = bar + 1;
  }
}

bool set(const Reader &reader, const KnobInfo &info, const char *value) {
  switch (reader.kind) {
  case Kind::switch_: {
    int index = choice_index("on|off|1|0|yes|no", value);
    if (index < 0)
      return false;
    *static_cast<bool *>(reader.value) = index % 2 == 0;
    return true;
  }
  case Kind::count:
  case Kind::size: {
    uint64_t number;
    if (!parse_number(value, reader.kind == Kind::size, &number) || number > reader.most ||
        (number < reader.least && !(reader.or_zero && number == 0)))
      return false;
    *static_cast<uint64_t *>(reader.value) = number;
    return true;
  }
  case Kind::text:
    *static_cast<const char **>(reader.value) = text_copy(value); // kept for the life of the process
    return true;
  case Kind::choice: {
    int index = choice_index(info.values, value);
    if (index < 0)
      return false;
    *static_cast<uint8_t *>(reader.value) = static_cast<uint8_t>(index);
    return true;
  }
  }
  return false;
}

} // namespace

int knobs_parse(const char *options, char *error, size_t error_bytes, bool (*wanted)(const char *name)) {
  if (!options)
    return 0;
  for (const char *at = options; *at;) {
    size_t length = std::strcspn(at, ",");
    char pair[512];
    if (length >= sizeof pair) {
      std::snprintf(error, error_bytes, "SKEIN_OPTIONS: an entry of %zu characters is too long", length);
      return 2;
    }
    std::memcpy(pair, at, length);
    pair[length] = 0;
    at += length + (at[length] == ',');
    if (!length)
      continue; // "a=1,,b=2" and a trailing comma are harmless
    char *equals = std::strchr(pair, '=');
    if (!equals) {
      std::snprintf(error, error_bytes, "SKEIN_OPTIONS: \"%s\" is not of the form key=value", pair);
      return 2;
    }
    *equals = 0;
    size_t index = 0;
    while (index < knob_count && std::strcmp(knob_table[index].name, pair))
      index++;
    if (index == knob_count) {
      std::snprintf(error, error_bytes, "SKEIN_OPTIONS: there is no knob \"%s\" (`skein knobs` lists them)", pair);
      return 2;
    }
    const KnobInfo &info = knob_table[index];
    if (wanted && !wanted(info.name))
      continue;
    if (!set(readers[index], info, equals + 1)) {
      std::snprintf(error, error_bytes, "SKEIN_OPTIONS: %s=%s is not possible; %s takes %s", info.name, equals + 1,
                    info.name, info.values);
      return 2;
    }
  }
  return 0;
}

int knobs_from_environment(char *error, size_t error_bytes) {
  if (int status = knobs_parse(std::getenv("SKEIN_OPTIONS"), error, error_bytes))
    return status;
  if (knobs.stack_max && knobs.stack_max < knobs.stack) {
    std::snprintf(error, error_bytes,
                  "SKEIN_OPTIONS: stack_max=%" PRIu64 " is not possible; the largest stack has at least stack=%" PRIu64,
                  knobs.stack_max, knobs.stack);
    return 2;
  }
  if (!*knobs.report)
    return 0;
  const int file = open(knobs.report, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) { // better now than that the report is missing in the end
    std::snprintf(error, error_bytes, "SKEIN_OPTIONS: report=%s cannot be written: %s", knobs.report,
                  std::strerror(errno));
    return 2;
  }
  close(file);
  return 0;
}

const char *(*reborn_variable)(const char *name);

void knobs_reborn() {
  char error[640];
  const auto may_differ = [](const char *name) {
    return !std::strcmp(name, "tcp_listen") || !std::strcmp(name, "heartbeat_ms") || !std::strcmp(name, "deaths");
  };
  const char *options = reborn_variable ? reborn_variable("SKEIN_OPTIONS") : nullptr;
  if (int status = knobs_parse(options, error, sizeof error, may_differ)) {
    log("%s", error);
    _Exit(status);
  }
}

void knobs_start() {
  char error[640];
  if (int status = knobs_from_environment(error, sizeof error)) {
    log("%s", error);
    _Exit(status);
  }
}

} // namespace skein
