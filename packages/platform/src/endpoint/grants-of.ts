import type { Grant } from "../stage/grants.ts"
import type { Endpoint } from "./endpoint.ts"

const IDEMPOTENCY_GRANTS = [
  "dynamodb:GetItem/events",
  "dynamodb:PutItem/events",
] as const satisfies readonly Grant[]

/** Returns everything that an endpoint's role must allow: its declared grants, and those of the platform's own work. */
export function grantsOf({ auth, writes, grants }: Endpoint<never>): readonly Grant[] {
  const all = new Set<Grant>(grants)
  for (const scheme of auth) for (const grant of scheme.grants) all.add(grant)
  if (writes) for (const grant of IDEMPOTENCY_GRANTS) all.add(grant)
  return [...all].sort()
}
