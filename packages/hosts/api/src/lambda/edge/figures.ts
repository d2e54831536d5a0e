import type { EdgeMiddleware, EdgePlatform } from "./edge-middleware.ts"

/** Writes the figures and limits that are due before it answers: afterwards, Lambda may freeze the process for good. */
export function figures({ stats, limiter }: Pick<EdgePlatform, "stats" | "limiter">): EdgeMiddleware {
  return {
    async after() {
      await Promise.all([stats.settle(), limiter.settle()])
    },
  }
}
