// Loading libpmix, and one exchange; see pmix.h.
#include "launch/run/pmix.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <pmix.h>

namespace skein::launch {

namespace {

struct Library {
  void *handle = nullptr;
  decltype(&PMIx_Init) init = nullptr;
  decltype(&PMIx_Finalize) finalize = nullptr;
  decltype(&PMIx_Put) put = nullptr;
  decltype(&PMIx_Commit) commit = nullptr;
  decltype(&PMIx_Fence) fence = nullptr;
  decltype(&PMIx_Get) get = nullptr;
  decltype(&PMIx_Error_string) error_string = nullptr;

  template <class Function> void find(Function &function, const char *name) {
    function = reinterpret_cast<Function>(dlsym(handle, name));
    if (!function)
      throw std::string("libpmix.so.2 has no function ") + name;
  }
  void check(pmix_status_t status, const char *what) const {
    if (status != PMIX_SUCCESS)
      throw std::string("PMIx: ") + what + ": " + error_string(status);
  }
};

Library load() {
  Library library;
  library.handle = dlopen("libpmix.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!library.handle)
    throw std::string("this is a rank of a PMIx job (mpirun, srun), and libpmix cannot be loaded: ") + dlerror();
  library.find(library.init, "PMIx_Init");
  library.find(library.finalize, "PMIx_Finalize");
  library.find(library.put, "PMIx_Put");
  library.find(library.commit, "PMIx_Commit");
  library.find(library.fence, "PMIx_Fence");
  library.find(library.get, "PMIx_Get");
  library.find(library.error_string, "PMIx_Error_string");
  return library;
}

constexpr char key[] = "skein.run";

} // namespace

PmixJob pmix_meet(const std::function<std::string(unsigned ranks)> &word_of_first) {
  const Library pmix = load();
  pmix_proc_t self;
  pmix.check(pmix.init(&self, nullptr, 0), "this process is no rank that its server knows");
  PmixJob job;
  job.rank = self.rank;

  pmix_proc_t whom = self;
  whom.rank = PMIX_RANK_WILDCARD;
  pmix_value_t *found = nullptr;
  pmix.check(pmix.get(&whom, PMIX_JOB_SIZE, nullptr, 0, &found), "the number of ranks");
  job.ranks = found->data.uint32;

  if (job.rank == 0) {
    job.word = word_of_first(job.ranks);
    pmix_value_t value;
    memset(&value, 0, sizeof value);
    value.type = PMIX_STRING;
    value.data.string = job.word.data();
    pmix.check(pmix.put(PMIX_GLOBAL, key, &value), "publishing where the run is");
  }
  pmix.check(pmix.commit(), "publishing where the run is");
  pmix_info_t with_data;
  memset(&with_data, 0, sizeof with_data);
  strncpy(with_data.key, PMIX_COLLECT_DATA, PMIX_MAX_KEYLEN);
  with_data.value.type = PMIX_BOOL;
  with_data.value.data.flag = true;
  pmix.check(pmix.fence(&whom, 1, &with_data, 1), "meeting the other ranks");
  if (job.rank != 0) {
    whom.rank = 0;
    pmix.check(pmix.get(&whom, key, nullptr, 0, &found), "finding rank 0");
    if (found->type == PMIX_STRING)
      job.word = found->data.string;
  }
  pmix.check(pmix.finalize(nullptr, 0), "leaving");
  return job; // what was got is not freed: that takes the library's own functions, and the process is a short one
}

} // namespace skein::launch
