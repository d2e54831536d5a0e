import type { Workload, WorkloadContext } from "./workload.ts"

/** Decrypts a value of a strict role, whose record must be in the audit log before the value is answered. */
export function createStrictWork({ ledger, ask }: WorkloadContext): Workload {
  const { app, strict } = ledger
  return async () => {
    const body = { value: strict.token }
    const outcome = await ask({ method: "POST", path: "/decrypt", auth: app.auth, body })
    if (outcome.kind === "acknowledged") strict.answered++
    else if (outcome.kind === "unknown") strict.unanswered++
  }
}
