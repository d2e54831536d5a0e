import { type Grant, KEY_PARTS, PARTS_WITHIN } from "@sealway/ports"
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
  return withoutSmallerParts([...all]).sort()
}

/** Leaves out the permission to open a part of key versions beside the one to open a larger part. */
export function withoutSmallerParts<Name extends string>(grants: readonly Name[]): Name[] {
  const given = new Set<string>(grants)
  const larger = KEY_PARTS.filter((part) => given.has(`kms:Decrypt/${part}`))
  const smaller = larger.flatMap((part) => PARTS_WITHIN[part].filter((each) => each !== part))
  const superfluous = new Set<string>(smaller.map((part) => `kms:Decrypt/${part}`))
  return grants.filter((grant) => !superfluous.has(grant))
}
