export const SERVICE_FLAGS: readonly string[]
/** The environment of a Node.js that must use little memory. */
export const MEMORY_ENVIRONMENT: Readonly<Record<"MALLOC_ARENA_MAX" | "MALLOC_TRIM_THRESHOLD_", string>>
