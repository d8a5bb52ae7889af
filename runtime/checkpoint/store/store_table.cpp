// The table of libskein_checkpoint.so; see checkpoint/store.h. Writers and readers lie in mappings of their own.
#include "checkpoint/store/store_reader.h"
#include "checkpoint/store/store_writer.h"

#include <new>

namespace skein::store {

namespace {

template <class T, class... Arguments> T *make(Fault &fault, Arguments... arguments) {
  OwnMemory memory(arguments...);
  void *at = memory.get(sizeof(T));
  if (!at) {
    fault.set("no memory for a checkpoint");
    return nullptr;
  }
  memory.keep(); // until end()
  return new (at) T(arguments...);
}

template <class T> void end(T *object) {
  object->~T();
  __builtin_memset(static_cast<void *>(object), 0, sizeof *object); // with the key
  asm volatile("" : : "r"(object) : "memory");
  system(SYS_munmap, object, sizeof *object);
}

skein_checkpoint_writer *create(const skein_checkpoint_setup *setup, char *error, size_t error_bytes) {
  Fault fault{error, error_bytes};
  auto *writer = make<skein_checkpoint_writer>(fault);
  if (writer && !writer->create(*setup, fault)) {
    end(writer);
    return nullptr;
  }
  return writer;
}

int add(skein_checkpoint_writer *writer, uintptr_t address, const void *bytes, size_t count, char *error,
        size_t error_bytes) {
  Fault fault{error, error_bytes};
  return writer->add(address, bytes, count, fault) ? 0 : -1;
}

void abandon(skein_checkpoint_writer *writer) {
  writer->remove();
  end(writer);
}

int finish(skein_checkpoint_writer *writer, const void *head, size_t head_bytes, skein_checkpoint_result *result,
           char *error, size_t error_bytes) {
  Fault fault{error, error_bytes};
  const bool done = writer->finish(head, head_bytes, *result, fault);
  abandon(writer); // of a file that is finished nothing is removed
  return done ? 0 : -1;
}

skein_checkpoint_reader *open(const char *path, const unsigned char *key, void *own, char *error, size_t error_bytes) {
  Fault fault{error, error_bytes};
  auto *reader = make<skein_checkpoint_reader>(fault, own);
  if (reader && !reader->open(path, key, fault)) {
    end(reader);
    return nullptr;
  }
  return reader;
}

const void *head(skein_checkpoint_reader *reader, size_t *bytes) { return reader->head(*bytes); }

int read(skein_checkpoint_reader *reader, int threads, skein_checkpoint_place_fn place, void *context, char *error,
         size_t error_bytes) {
  Fault fault{error, error_bytes};
  return reader->read(threads > 0 ? static_cast<unsigned>(threads) : 1, place, context, fault) ? 0 : -1;
}

void close(skein_checkpoint_reader *reader) { end(reader); }

int refers(const char *path, skein_checkpoint_refers_fn each, void *context, char *error, size_t error_bytes) {
  Fault fault{error, error_bytes};
  OwnMemory memory;
  StoreFile file(memory);
  if (!file.open(path, fault))
    return -1;
  for (uint32_t i = 0; i < file.header.holders; i++)
    each(context, file.holders[i].name);
  return 0;
}

constexpr skein_checkpoint_store table = {
    SKEIN_CHECKPOINT_STORE_VERSION, create, add, finish, abandon, open, head, read, close, refers,
};

} // namespace

} // namespace skein::store

extern "C" [[gnu::visibility("default")]] const skein_checkpoint_store *skein_checkpoint_store_table() {
  return &skein::store::table;
}
