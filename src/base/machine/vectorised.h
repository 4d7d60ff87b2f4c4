#pragma once

// A function compiled for AVX-512, AVX2 and any processor, chosen when the program starts. The
// operations are the same in each, additions and multiplications that are never fused and never
// reordered, and so are the bits. (Sanitizers cannot run before the dynamic linker has chosen.)
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SOTTO_VECTORISED __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define SOTTO_VECTORISED
#endif
