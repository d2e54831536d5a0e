/**
 * Flags of Node.js for the service. Without the first the young generation of Node.js 24 grows to 128 MiB, and collections of
 * it, which all requests wait for, grow with it. With 4 in the place of 16, `POST /encrypt` of one field is a quarter
 * slower. Without the second V8 soon puts most of what a schema's check leaves into the old generation, where it stays until
 * it is two or three times as large: an import of BIN rows took 100 MiB more.
 */
export const SERVICE_FLAGS = ["--max-semi-space-size=16", "--no-allocation-site-pretenuring"]

/**
 * Environment of Node.js for what is to take little memory, where glibc is: what is freed goes back to the system from
 * 128 KB on. By default glibc raises that limit to 64 MB once some large block was freed.
 */
export const MEMORY_ENVIRONMENT = { MALLOC_TRIM_THRESHOLD_: "131072" }
