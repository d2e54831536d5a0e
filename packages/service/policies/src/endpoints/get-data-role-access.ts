import { apiKey, readingEndpoint } from "@sealway/http"
import { NotFoundError } from "@sealway/kernel"
import * as z from "zod"
import type { PolicyDependencies } from "../dependencies.ts"
import { readPolicyBook } from "../records/policy-book.ts"
import {
  descriptionSchema,
  fromSchema,
  ONLY_ON_ONE_MACHINE,
  requireProver,
  showDescription,
} from "./description-schema.ts"
import { rolePathSchema } from "./role-schema.ts"

const replySchema = z
  .object({ role: z.string(), access: descriptionSchema, from: fromSchema })
  .meta({ id: "DataRoleAccess" })

export const getRoleAccess = readingEndpoint({
  id: "get-data-role-access",
  path: "/data-roles/{role_id}/access",
  tag: "Data policies",
  summary: "Show who can ever decrypt a role's values",
  description: `Returns all requests that the role's policies permit, for full values or masks of them, proved for every possible request. Budgets are not counted. What takes longer than 10 seconds is not known. ${ONLY_ON_ONE_MACHINE} who\`.`,
  auth: [apiKey("dataPolicy:read")],
  request: { path: rolePathSchema },
  schema: replySchema,
  reply: "All permitted requests",
  errors: ["invalid-request", "not-found"],
  // They apply in the cloud, where it refuses every request.
  grants: [],
  async read({ principal: { app }, path, task }, dependencies: PolicyDependencies) {
    const prover = requireProver(dependencies.prover)
    const book = await readPolicyBook(dependencies.configTable, app.id)
    const role = book.roles.find(({ id, slug }) => id === path.role_id || slug === path.role_id)
    if (role === undefined) throw new NotFoundError("The data role")
    const { rules } = book.policiesOf(role)
    const question = { role: role.slug, rules, hasMask: role.mask !== null, nowMs: dependencies.wallClock() }
    const { access, fromMs } = await prover.access(app.id, question, task)
    return { role: role.slug, access: showDescription(access), from: fromMs }
  },
})
