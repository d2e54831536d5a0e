/** For the Node.js that npm installs. */
export const SERVICE_FLAGS: readonly string[]
/** Returns those of the flags that a version of Node.js knows, such as `22.18.0`. */
export function serviceFlagsOf(version: string): readonly string[]
/** The environment of a Node.js that must use little memory. */
export const MEMORY_ENVIRONMENT: Readonly<Record<"MALLOC_ARENA_MAX" | "MALLOC_TRIM_THRESHOLD_", string>>
