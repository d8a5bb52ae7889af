// zstd without malloc; see compression.h.
#include "checkpoint/store/compression.h"
#include "checkpoint/store/store_format.h"

#include <algorithm>
#define ZSTD_STATIC_LINKING_ONLY // workspaces of one's own are not among what shared objects of it promise
#include <zstd.h>

namespace skein::store {

size_t compressor_bytes(int level) {
  size_t most = 0; // zstd chooses its tables by the size of what it gets
  for (size_t bytes = page_bytes; bytes <= chunk_bytes; bytes += page_bytes)
    most = std::max(most, ZSTD_estimateCCtxSize_usingCParams(ZSTD_getCParams(level, bytes, 0)));
  return most;
}

size_t decompressor_bytes() { return ZSTD_estimateDCtxSize(); }

void *compressor_new(void *workspace, size_t bytes, int level) {
  ZSTD_CCtx *context = ZSTD_initStaticCCtx(workspace, bytes);
  if (!context || ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)))
    return nullptr;
  // Their size follows from the index, and they have a digest.
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  ZSTD_CCtx_setParameter(context, ZSTD_c_format, ZSTD_f_zstd1_magicless);
  return context;
}

size_t compress(void *compressor, void *to, size_t room, const void *from, size_t bytes) {
  const size_t done = ZSTD_compress2(static_cast<ZSTD_CCtx *>(compressor), to, room, from, bytes);
  return ZSTD_isError(done) ? 0 : done;
}

void *decompressor_new(void *workspace, size_t bytes) {
  ZSTD_DCtx *context = ZSTD_initStaticDCtx(workspace, bytes);
  if (context)
    ZSTD_DCtx_setParameter(context, ZSTD_d_format, ZSTD_f_zstd1_magicless);
  return context;
}

bool decompress(void *decompressor, void *to, size_t bytes, const void *from, size_t compressed) {
  return ZSTD_decompressDCtx(static_cast<ZSTD_DCtx *>(decompressor), to, bytes, from, compressed) == bytes;
}

} // namespace skein::store
