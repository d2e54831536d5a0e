import { endpoint } from "@sealway/http"
import * as z from "zod"
import manifest from "../../package.json" with { type: "json" }

const functionsSchema = z
  .object({
    confinement: z
      .enum(["namespaces", "landlock", "seccomp", "none"])
      .meta({
        description: "What isolates functions from this machine's other processes and files, strongest first",
      }),
    network: z
      .enum(["public", "private", "none", "host"])
      .meta({
        description:
          "What functions may connect to: public addresses; private, link-local and loopback ones too; nothing; or everything that this machine reaches. Metadata services of clouds only with `host`",
      }),
    languages: z
      .array(z.enum(["node", "python"]))
      .meta({ description: "Languages of the functions that can run here" }),
  })
  .meta({ description: "Absent in the cloud, where AWS Lambda runs functions" })

const healthSchema = z
  .object({ status: z.literal("ok"), version: z.string(), functions: functionsSchema.optional() })
  .meta({ id: "Health" })

/** How functions run on this machine. */
export interface LocalFunctions {
  readonly confinement: z.infer<typeof functionsSchema>["confinement"]
  readonly network: z.infer<typeof functionsSchema>["network"]
  /** The languages whose functions run. */
  readonly languages: readonly ("node" | "python")[]
}

export interface HealthDependencies {
  /** Null in the cloud. */
  readonly localFunctions: LocalFunctions | null
}

/** Answers when the process does. It makes no AWS call, so frequent checks cost nothing. */
export const health = endpoint({
  id: "health",
  method: "GET",
  path: "/health",
  tag: "Service",
  summary: "Check that the service is up",
  description: "For load balancers and monitoring.",
  auth: [],
  reveals: "nothing",
  status: 200,
  reply: { kind: "object", schema: healthSchema, description: "The service is up" },
  errors: [],
  grants: [],
  answer: (_, { localFunctions }: HealthDependencies) => ({
    body: {
      status: "ok" as const,
      version: manifest.version,
      ...(localFunctions && { functions: { ...localFunctions, languages: [...localFunctions.languages] } }),
    },
  }),
})
