import { UNLIMITED } from "../limits/allowance.ts"
import type { Limiter } from "../limits/limiter.ts"

/** A limiter that lets everything through. */
export const NO_LIMITS: Limiter = { admit: () => UNLIMITED, settle: () => null, flush: async () => undefined }
