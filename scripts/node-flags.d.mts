export const SERVICE_FLAGS: readonly string[]
