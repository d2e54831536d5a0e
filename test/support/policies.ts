import { expect } from "vitest"
import type { Identity, TestService } from "./service.ts"

export interface AppWithRole {
  readonly app: Identity
  readonly auth: Identity["auth"]
  /** The slug of a role without policies. */
  readonly role: string
  /** A token of the role, as JSON. */
  readonly token: string
}

let made = 0

/** Returns a slug that no test of the file has used yet. */
export const newSlug = () => `role-${++made}`

/** Creates an app with a role, and a token of it that holds `secret-value`. */
export async function newAppWithRole(service: TestService): Promise<AppWithRole> {
  const app = await service.newApp("sandbox")
  const role = newSlug()
  const { auth } = app
  expect((await service.post("/data-roles", { slug: role, name: "A role" }, { auth })).status).toBe(201)
  const headers = { "x-service-data-role": role }
  return {
    app,
    auth,
    role,
    token: (await service.post("/encrypt", '"secret-value"', { auth, headers })).text,
  }
}

/** Returns the id in an answer. */
export function idOf(json: unknown): string {
  return typeof json === "object" && json !== null && "id" in json ? String(json.id) : ""
}

/** Returns a policy that always applies, with changes. */
export const policyOf = (role: string, changes: object = {}) => ({
  name: "A policy",
  effect: "permit",
  roles: [role],
  conditions: {},
  ...changes,
})
