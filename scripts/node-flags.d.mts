export const SERVICE_FLAGS: readonly string[]
/** Environment of Node.js for what is to take little memory. */
export const MEMORY_ENVIRONMENT: { readonly MALLOC_TRIM_THRESHOLD_: string }
