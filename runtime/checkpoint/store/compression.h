// zstd without malloc: contexts in memory that the caller gives (checkpoint/store.h says why).
#ifndef SKEIN_CHECKPOINT_STORE_COMPRESSION_H
#define SKEIN_CHECKPOINT_STORE_COMPRESSION_H

#include <cstddef>

namespace skein::store {

inline constexpr int level_min = -7, level_max = 19;

/// Bytes of workspace for chunks of at most chunk_bytes.
size_t compressor_bytes(int level);
size_t decompressor_bytes();

/// Null if the workspace is too small.
void *compressor_new(void *workspace, size_t bytes, int level);
/// Bytes written to `to`; 0: they would not fit into `room`.
size_t compress(void *compressor, void *to, size_t room, const void *from, size_t bytes);

void *decompressor_new(void *workspace, size_t bytes);
/// Whether `from` holds exactly these bytes, compressed.
bool decompress(void *decompressor, void *to, size_t bytes, const void *from, size_t compressed);

} // namespace skein::store

#endif
