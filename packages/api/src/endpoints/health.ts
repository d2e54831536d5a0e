import { endpoint } from "@sealway/platform"
import * as z from "zod"
import manifest from "../../package.json" with { type: "json" }

const healthSchema = z.object({ status: z.literal("ok"), version: z.string() }).meta({ id: "Health" })

/** Tells that a process answers. It asks nothing of AWS, so it costs nothing to ask often. */
export const health = endpoint({
  id: "health",
  method: "GET",
  path: "/health",
  tag: "Service",
  summary: "Tell whether the service answers",
  description: "For load balancers and monitors.",
  auth: [],
  request: { path: z.object({}), headers: z.object({}), body: { kind: "none" } },
  status: 200,
  reply: { kind: "object", schema: healthSchema, description: "The service answers" },
  errors: [],
  grants: [],
  answer: () => ({ body: { status: "ok" as const, version: manifest.version } }),
})
