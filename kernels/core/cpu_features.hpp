// What the processor at hand can do: kernels that use vectors have a version for each of these, and one for any other.
#pragma once

namespace hedgerow {

#if defined(__x86_64__)
// Eight doubles at a time.
inline bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

// Four doubles at a time.
inline bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#endif

}  // namespace hedgerow
