import * as z from "zod"
import type { AgentOptions } from "./create-agent.ts"

export interface AgentConfiguration extends AgentOptions {
  readonly port: number
  readonly ingressPort: number
}

const port = z
  .stringFormat("port", /^[1-9][0-9]{0,4}$/)
  .transform(Number)
  .refine((number) => number <= 65_535, "This must be a port")

const environmentSchema = z
  .object({
    SEALWAY_URL: z.string().refine((text) => {
      const url = URL.parse(text)
      return url?.protocol === "https:" && url.origin === text
    }, "This must be an origin, such as https://api.example.com"),
    SEALWAY_TEAM: z.string().regex(/^team_[0-9a-z]{12,60}$/, "This must be the id of a team"),
    SEALWAY_APP: z.string().regex(/^app_[0-9a-z]{12,60}$/, "This must be the id of an app"),
    SEALWAY_API_KEY: z.string().min(1).optional(),
    SEALWAY_AGENT_PORT: port.default(9_999),
    SEALWAY_INGRESS_PORT: port.default(8_008),
    SEALWAY_TARGET_PORT: port.optional(),
  })
  .refine(
    ({ SEALWAY_TARGET_PORT: target, SEALWAY_AGENT_PORT: agent, SEALWAY_INGRESS_PORT: ingress }) =>
      target !== agent && target !== ingress,
    { path: ["SEALWAY_TARGET_PORT"], message: "This must be the program's port, not one of the agent's" },
  )

/** Reads the configuration of the agent. @throws Error naming every variable that is missing or malformed */
export function parseAgentConfiguration(
  environment: Readonly<Record<string, string | undefined>>,
): AgentConfiguration {
  const parsed = environmentSchema.safeParse(environment)
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`)
    throw new Error(`The configuration is invalid: ${problems.join("; ")}`)
  }
  const variables = parsed.data
  return {
    serviceUrl: variables.SEALWAY_URL,
    teamId: variables.SEALWAY_TEAM,
    appId: variables.SEALWAY_APP,
    apiKey: variables.SEALWAY_API_KEY ?? null,
    port: variables.SEALWAY_AGENT_PORT,
    ingressPort: variables.SEALWAY_INGRESS_PORT,
    targetPort: variables.SEALWAY_TARGET_PORT ?? null,
  }
}
