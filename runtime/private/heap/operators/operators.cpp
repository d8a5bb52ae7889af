// Operators new of C++ programs with a private heap.
//
// A member of libskein.a of its own: only translation units compiled with -fskein-heap=private call what is here. Such
// a unit also defines the operators new and delete, weakly (compiler/passes/private/PrivateHeap.cpp), by calling these
// functions and skein_free. So they are replaced for the whole program, libstdc++.so included, since code in headers
// allocates what code in the library frees, and the other way round: no block is ever freed by another allocator than
// its own. (What existed before the first thread lies in libc's heap; skein_free knows by the address.) A program's own
// operators go before the weak ones.
//
// (Defined here, weakly or not, the operators would be taken by each program that has a `new`: an archive's member is
// linked for any name that it defines.)
#include <skein/heap.h>

#include <new>

extern "C" {
void *__skein_malloc(size_t bytes, const void *layout);
void *__skein_aligned_alloc(size_t alignment, size_t bytes, const void *layout);
}

namespace {

/// The type of the block that the operator called next shall allocate. If that is the program's own, the type is lost.
__thread const void *wanted;

const void *take_wanted() {
  const void *layout = wanted;
  wanted = nullptr;
  return layout;
}

struct Wanting {
  explicit Wanting(const void *layout) { wanted = layout; }
  ~Wanting() { wanted = nullptr; }
  Wanting(const Wanting &) = delete;
  Wanting &operator=(const Wanting &) = delete;
};

/// Until there is memory, as long as the program's handler helps.
template <typename Allocate> inline void *try_hard(Allocate allocate) {
  for (;;) {
    if (void *block = allocate())
      return block;
    std::new_handler handler = std::get_new_handler();
    if (!handler)
      throw std::bad_alloc();
    handler();
  }
}

template <typename Allocate> inline void *or_null(Allocate allocate) noexcept {
  try {
    return allocate();
  } catch (...) {
    return nullptr;
  }
}

} // namespace

extern "C" {

// --- what the weak operators call ---

void *skein_own_new(size_t bytes) {
  const void *layout = take_wanted();
  return try_hard([=] { return __skein_malloc(bytes ? bytes : 1, layout); });
}
void *skein_own_new_aligned(size_t bytes, std::align_val_t alignment) {
  const void *layout = take_wanted();
  return try_hard([=] { return __skein_aligned_alloc(static_cast<size_t>(alignment), bytes ? bytes : 1, layout); });
}
void *skein_own_new_nothrow(size_t bytes) noexcept {
  return or_null([=] { return operator new(bytes); });
}
void *skein_own_new_array_nothrow(size_t bytes) noexcept {
  return or_null([=] { return operator new[](bytes); });
}
void *skein_own_new_aligned_nothrow(size_t bytes, std::align_val_t alignment) noexcept {
  return or_null([=] { return operator new(bytes, alignment); });
}
void *skein_own_new_array_aligned_nothrow(size_t bytes, std::align_val_t alignment) noexcept {
  return or_null([=] { return operator new[](bytes, alignment); });
}

// --- what new expressions call ---

void *__skein_new(size_t bytes, const void *layout) {
  Wanting wanting(layout);
  return operator new(bytes);
}
void *__skein_new_array(size_t bytes, const void *layout) {
  Wanting wanting(layout);
  return operator new[](bytes);
}
void *__skein_new_aligned(size_t bytes, std::align_val_t alignment, const void *layout) {
  Wanting wanting(layout);
  return operator new(bytes, alignment);
}
void *__skein_new_array_aligned(size_t bytes, std::align_val_t alignment, const void *layout) {
  Wanting wanting(layout);
  return operator new[](bytes, alignment);
}
void *__skein_new_nothrow(size_t bytes, const std::nothrow_t &tag, const void *layout) noexcept {
  Wanting wanting(layout);
  return operator new(bytes, tag);
}
void *__skein_new_array_nothrow(size_t bytes, const std::nothrow_t &tag, const void *layout) noexcept {
  Wanting wanting(layout);
  return operator new[](bytes, tag);
}
}
