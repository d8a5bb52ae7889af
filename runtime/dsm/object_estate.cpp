// Objects over nodes as pieces of an estate; see object_estate.h.
#include "dsm/object_estate.h"
#include "base/node.h"
#include "net/run/membership.h"
#include "net/wire/link.h"
#include "thread/thread.h"

#include <skein/global.h>
#include <skein/skein.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace skein {

namespace {

using Send = void (*)(const void *data, size_t bytes);

constexpr size_t bytes_at_once = 256 << 10;    // of pieces, before the others get a turn
constexpr size_t value_part = estate_most / 2; // bytes of a value in an item
constexpr size_t waiters_most = (estate_most - sizeof(EstateItemHeader)) / sizeof(EstateWaiter); // likewise

int home_of(uint64_t handle) { return static_cast<int>(handle >> id_node_shift); }
uint64_t padded(uint64_t bytes) { return (bytes + 7) & ~UINT64_C(7); }

/// Collects items, and sends them when a piece is full, and at its end.
class Writer {
public:
  explicit Writer(Send send) : send_(send) {}
  Writer(const Writer &) = delete;
  ~Writer() {
    flush();
    free(piece_);
  }

  /// Room for what follows the header of another item. It is zeroed.
  char *item(EstateItem what, uint64_t handle, size_t bytes) {
    const size_t all = sizeof(EstateItemHeader) + padded(bytes);
    if (used_ + all > estate_most)
      flush();
    if (!piece_)
      piece_ = static_cast<char *>(message_memory(estate_most));
    const EstateItemHeader header = {static_cast<uint64_t>(what), bytes, handle};
    memcpy(piece_ + used_, &header, sizeof header);
    char *body = piece_ + used_ + sizeof header;
    memset(body, 0, padded(bytes));
    used_ += all;
    written_ += all;
    return body;
  }
  template <class Body> void item(EstateItem what, uint64_t handle, const Body &body) {
    memcpy(item(what, handle, sizeof body), &body, sizeof body);
  }
  size_t written() const { return written_; }

private:
  void flush() {
    if (used_)
      send_(piece_, used_);
    used_ = 0;
  }

  Send send_;
  char *piece_ = nullptr;
  size_t used_ = 0, written_ = 0;
};

void write(Writer &to, uint64_t handle, const GlobalObject &object) {
  const SharedValue *value = object.value;
  to.item(EstateItem::object, handle,
          EstateObject{object.kind, object.word, object.parties, object.shape, object.sent,
                       static_cast<uint64_t>(object.deaths), static_cast<uint64_t>(object.orphaned),
                       value ? value->bytes : estate_no_value});
  for (size_t at = 0; value && at < value->bytes; at += value_part) {
    const EstateValue begins = {value->bytes, at};
    const size_t part = std::min(value_part, value->bytes - at);
    char *body = to.item(EstateItem::value, handle, sizeof begins + part);
    memcpy(body, &begins, sizeof begins);
    memcpy(body + sizeof begins, value->data + at, part);
  }
  for (const ObjectWaiter *waiter = object.waiters.first(); waiter;) {
    size_t count = 0;
    for (const ObjectWaiter *next = waiter; next && count < waiters_most; next = next->next)
      count++;
    char *body = to.item(EstateItem::waiters, handle, count * sizeof(EstateWaiter));
    for (; count; count--, body += sizeof(EstateWaiter), waiter = waiter->next) {
      SKEIN_ASSERT(waiter->from != node.self, "a thread of node %d, which leaves, waits for an object", node.self);
      const EstateWaiter words = {static_cast<uint64_t>(waiter->from), waiter->call, waiter->operation,
                                  waiter->argument, waiter->thread};
      memcpy(body, &words, sizeof words);
    }
  }
}

/// Calls function(header, body) for each item until that returns false. False, too, if the piece is no row of items.
template <class Function> bool each_item(const void *data, size_t bytes, Function &&function) {
  const auto *at = static_cast<const char *>(data);
  while (bytes) {
    EstateItemHeader header;
    if (bytes < sizeof header)
      return false;
    memcpy(&header, at, sizeof header);
    bytes -= sizeof header;
    at += sizeof header;
    if (header.bytes > bytes || padded(header.bytes) > bytes || !function(header, at))
      return false;
    bytes -= padded(header.bytes);
    at += padded(header.bytes);
  }
  return true;
}

template <class Body> Body read(const char *at) {
  Body body;
  memcpy(&body, at, sizeof body);
  return body;
}

using Number = unsigned long long;

bool is_thread(uint64_t id) { return id && thread_id_node(id) < node.count; }

bool check_object(int from, const EstateObject &object, Complaint &wrong) {
  const bool round = object.kind == SKEIN_GLOBAL_ROUND, mutex = object.kind == SKEIN_GLOBAL_MUTEX;
  if (object.kind > SKEIN_GLOBAL_EVENT)
    return wrong.say("there are no objects of kind %llu", Number{object.kind});
  if (mutex && object.word && !is_thread(object.word))
    return wrong.say("0x%llx, which holds a mutex, is no thread", Number{object.word});
  if (object.orphaned && (!mutex || !object.word || (object.orphaned != SKEIN_ELOCK && object.orphaned != SKEIN_EDEAD)))
    return wrong.say("an object of kind %llu is an orphan, with the code %llu", Number{object.kind},
                     Number{object.orphaned});
  if (object.kind == SKEIN_GLOBAL_CONDITION && home_of(object.word) != from)
    return wrong.say("the mutex of a condition, 0x%llx, lives elsewhere", Number{object.word});
  if (round && object.word >= object.parties)
    return wrong.say("%llu of %llu parties wait in a round", Number{object.word}, Number{object.parties});
  if (object.sent > 1 || (object.sent && !round) || object.deaths > static_cast<uint64_t>(node.count))
    return wrong.say("an object of kind %llu has sent %llu, after %llu deaths", Number{object.kind},
                     Number{object.sent}, Number{object.deaths});
  if (object.value_bytes != estate_no_value &&
      (object.value_bytes > value_most || (!round && object.kind != SKEIN_GLOBAL_EVENT)))
    return wrong.say("an object of kind %llu has a value of %llu bytes", Number{object.kind},
                     Number{object.value_bytes});
  return true;
}

bool check_waiter(int from, const EstateWaiter &waiter, Complaint &wrong) {
  if (waiter.from >= static_cast<uint64_t>(node.count) || waiter.from == static_cast<uint64_t>(from) || !waiter.call)
    return wrong.say("a thread of node %llu waits for call %llu", Number{waiter.from}, Number{waiter.call});
  if (!operation_waits(waiter.operation) || !is_thread(waiter.thread))
    return wrong.say("thread 0x%llx waits for operation %llu", Number{waiter.thread}, Number{waiter.operation});
  return true;
}

bool check_item(int from, const EstateItemHeader &header, const char *body, Complaint &wrong) {
  if (home_of(header.handle) != from || !thread_id_number(header.handle))
    return wrong.say("0x%llx is no object of node %d", Number{header.handle}, from);
  switch (static_cast<EstateItem>(header.what)) {
  case EstateItem::object:
    return header.bytes == sizeof(EstateObject) ? check_object(from, read<EstateObject>(body), wrong)
                                                : wrong.say("an object in %llu bytes", Number{header.bytes});
  case EstateItem::value: {
    if (header.bytes < sizeof(EstateValue))
      return wrong.say("a value in %llu bytes", Number{header.bytes});
    const auto [value_bytes, offset] = read<EstateValue>(body);
    const uint64_t part = header.bytes - sizeof(EstateValue);
    return (value_bytes <= value_most && part <= value_bytes && offset <= value_bytes - part) ||
           wrong.say("%llu bytes at %llu of a value of %llu", Number{part}, Number{offset}, Number{value_bytes});
  }
  case EstateItem::waiters:
    if (header.bytes % sizeof(EstateWaiter))
      return wrong.say("waiters in %llu bytes", Number{header.bytes});
    for (uint64_t at = 0; at < header.bytes; at += sizeof(EstateWaiter))
      if (!check_waiter(from, read<EstateWaiter>(body + at), wrong))
        return false;
    return true;
  case EstateItem::together: {
    if (header.bytes != sizeof(EstateTogether))
      return wrong.say("a creation in %llu bytes", Number{header.bytes});
    const auto creation = read<EstateTogether>(body);
    return (creation.id >= together_id(from, 0) && creation.id < together_id(from + 1, 0) && creation.left &&
            creation.kind <= SKEIN_GLOBAL_EVENT) ||
           wrong.say("creation 0x%llx waits for %llu parties", Number{creation.id}, Number{creation.left});
  }
  }
  return wrong.say("there are no items of kind %llu", Number{header.what});
}

/// The object of which an item tells. A blank one is made if this is its first item.
GlobalObject &inherited(uint64_t handle) {
  GlobalObject *&object = objects[handle];
  if (!object) {
    object = static_cast<GlobalObject *>(message_memory(sizeof(GlobalObject)));
    *object = {};
  }
  return *object;
}

/// The object's value, of so many bytes, of which some have come or are coming.
SharedValue &inherited_value(GlobalObject &object, uint64_t bytes) {
  if (!object.value || object.value->bytes != bytes) {
    value_drop(object.value);
    object.value = value_new(nullptr, bytes);
    memset(object.value->data, 0, bytes); // if parts never come, nothing of this process is told
  }
  return *object.value;
}

void take_object(uint64_t handle, const EstateObject &words) {
  GlobalObject &object = inherited(handle);
  object.kind = words.kind;
  object.word = words.word;
  object.parties = words.parties;
  object.shape = words.shape;
  object.sent = words.sent != 0;
  object.deaths = static_cast<int>(words.deaths);
  object.orphaned = static_cast<int>(words.orphaned);
  if (words.value_bytes != estate_no_value)
    inherited_value(object, words.value_bytes);
}

void take_value(uint64_t handle, const char *body, uint64_t bytes) {
  const auto [value_bytes, offset] = read<EstateValue>(body);
  memcpy(inherited_value(inherited(handle), value_bytes).data + offset, body + sizeof(EstateValue),
         bytes - sizeof(EstateValue));
}

void take_waiters(uint64_t handle, const char *body, uint64_t bytes) {
  GlobalObject &object = inherited(handle);
  for (uint64_t at = 0; at < bytes; at += sizeof(EstateWaiter)) {
    const auto words = read<EstateWaiter>(body + at);
    auto *waiter = static_cast<ObjectWaiter *>(message_memory(sizeof(ObjectWaiter)));
    *waiter = {nullptr,
               static_cast<int>(words.from),
               words.call,
               words.operation,
               words.argument,
               words.thread,
               0,
               nullptr,
               nullptr,
               0};
    object.waiters.push(waiter);
  }
}

/// The objects to be written, while they are.
struct Handles {
  uint64_t *all;
  size_t count;
} handles;

} // namespace

bool object_estate_next(uint64_t &cursor, Send send) {
  if (cursor == 0) {
    free(handles.all);
    handles = {static_cast<uint64_t *>(message_memory((objects.size() + 1) * sizeof(uint64_t))), 0};
    objects.each([](uint64_t handle, GlobalObject *&) { handles.all[handles.count++] = handle; });
  }
  if (cursor > handles.count) {
    free(handles.all);
    handles = {nullptr, 0};
    return false;
  }
  Writer writer(send);
  while (cursor < handles.count && writer.written() < bytes_at_once) {
    const uint64_t handle = handles.all[cursor++];
    write(writer, handle, **objects.find(handle));
  }
  if (cursor < handles.count)
    return true;
  together.each([&](uint64_t id, Together &creation) {
    writer.item(EstateItem::together, creation.object,
                EstateTogether{id, creation.left, creation.kind, creation.value});
  });
  cursor = handles.count + 1;
  return true;
}

bool object_estate_check(int from, const void *data, size_t bytes, Complaint &wrong) {
  wrong.text[0] = 0;
  if (each_item(data, bytes, [&](const EstateItemHeader &header, const char *body) {
        return check_item(from, header, body, wrong);
      }))
    return true;
  return wrong.text[0] ? false : wrong.say("its items end beyond its end");
}

void object_estate_take(const void *data, size_t bytes, WaiterQueue &granted) {
  Guard guard(objects_lock);
  each_item(data, bytes, [&](const EstateItemHeader &header, const char *body) {
    switch (static_cast<EstateItem>(header.what)) {
    case EstateItem::object:
      take_object(header.handle, read<EstateObject>(body));
      break;
    case EstateItem::value:
      take_value(header.handle, body, header.bytes);
      break;
    case EstateItem::waiters:
      take_waiters(header.handle, body, header.bytes);
      break;
    case EstateItem::together: {
      const auto creation = read<EstateTogether>(body);
      together[creation.id] = {header.handle, creation.left, creation.kind, creation.value};
      return true;
    }
    }
    for (int i = 0; i < deaths_known(); i++)
      object_without(inherited(header.handle), dead_node(i), granted);
    return true;
  });
}

} // namespace skein
