// HEDGEROW_WIDE before a function: it is compiled a second time for AVX2, and the loader picks what the machine has.
// HEDGEROW_COUNTING before one that counts bits: also for machines that count those of a whole vector at once.
// The results are the same: lanes work element by element, and nothing is contracted to fused multiply-add.
#pragma once

// The thread sanitizer instruments the loader's choice itself, which runs before the sanitizer is there.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_THREAD__)
#define HEDGEROW_AVX2_CLONES [[gnu::target_clones("avx2", "default")]]
#define HEDGEROW_POPCOUNT_CLONES [[gnu::target_clones("arch=icelake-server", "avx2", "default")]]
#else
#define HEDGEROW_AVX2_CLONES
#define HEDGEROW_POPCOUNT_CLONES
#endif
