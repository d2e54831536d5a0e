/**
 * Flags of Node.js for the service. Without the first, the young generation of Node.js 24 grows to 128 MiB, and so do the
 * pauses of its collections, in which all requests wait. With 4 instead of 16, `POST /encrypt` of one field is a quarter
 * slower. Without the second, V8 soon allocates the garbage of schema checks in the old generation, which then grows to
 * two or three times its size before it is collected: an import of BIN rows took 100 MiB more. The last two belong
 * together: buffers of requests that have become old count for the heap's limit, and the heap grows by a fifth of what is
 * alive before it is collected. By default V8 first collects it at 250 MB or so, buffers and garbage included: in two of
 * three imports of BIN rows, the service took 130 MiB more.
 *
 * For the Node.js that npm installs, which is 24 or newer; see `serviceFlagsOf`.
 */
export const SERVICE_FLAGS = [
  "--max-semi-space-size=16",
  "--no-allocation-site-pretenuring",
  "--heap-growing-percent=20",
  "--external-memory-accounted-in-global-limit",
]

/** Returns those of the flags that a version of Node.js knows: it would not start with another. */
export function serviceFlagsOf(version) {
  return Number.parseInt(version, 10) >= 24 ? SERVICE_FLAGS : SERVICE_FLAGS.slice(0, -1)
}

/**
 * The environment of a Node.js that must use little memory. With it, glibc returns freed memory to the system from
 * 128 KB on; by default it raises that limit to 64 MB once a large block was freed. And all threads allocate in one arena:
 * by default each has another, and keeps what it has freed there. An import of BIN rows took 20 to 40 MiB more.
 */
export const MEMORY_ENVIRONMENT = { MALLOC_ARENA_MAX: "1", MALLOC_TRIM_THRESHOLD_: "131072" }
