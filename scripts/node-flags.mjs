/**
 * Flags of Node.js for the service. A young generation of three times 4 MiB instead of three times 16: a collection
 * of it copies what has survived in a third of the time, during which every request waits, and the service takes some
 * 40 MiB less. Throughput is the same.
 */
export const SERVICE_FLAGS = ["--max-semi-space-size=4"]
