import { availableParallelism } from "node:os"
import * as z from "zod"

/** What the container is told beside the platform's configuration. */
export interface ContainerSettings {
  /** See `behindCloudFront`. */
  readonly originSecret: string
  /** Where requests that came by way of CloudFront arrive, over TLS. 0 takes a free one, here and below. */
  readonly originPort: number
  /** Where clients of the forward proxy connect, with TLS or without. */
  readonly proxyPort: number
  /** The same, for clients that send credentials only when they are asked for them. */
  readonly strictProxyPort: number
  /** Where load balancers ask whether to send anything here. */
  readonly healthPort: number
  /** Processes that share the work; 1 does it by itself. */
  readonly workers: number
}

/** More than any machine that this is made for has cores. */
const MAX_WORKERS = 256

const portSchema = z.coerce.number().int().min(0).max(65_535)

const environmentSchema = z.object({
  SEALWAY_RELAY_ORIGIN_SECRET: z.string().min(32),
  SEALWAY_RELAY_ORIGIN_PORT: portSchema.default(7443),
  SEALWAY_RELAY_PROXY_PORT: portSchema.default(7402),
  SEALWAY_RELAY_STRICT_PROXY_PORT: portSchema.default(7403),
  SEALWAY_RELAY_HEALTH_PORT: portSchema.default(7480),
  SEALWAY_RELAY_WORKERS: z
    .stringFormat("count", /^[1-9][0-9]{0,2}$/)
    .transform(Number)
    .refine((count) => count <= MAX_WORKERS)
    .optional(),
})

/**
 * @param cores that there are, as many as workers where nothing is said of them
 * @throws Error naming every variable that is missing or malformed, without its value
 */
export function parseContainerSettings(
  environment: Readonly<Record<string, string | undefined>>,
  cores = availableParallelism(),
): ContainerSettings {
  const parsed = environmentSchema.safeParse(environment)
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`)
    throw new Error(`The configuration is not usable: ${problems.join("; ")}`)
  }
  const variables = parsed.data
  return {
    originSecret: variables.SEALWAY_RELAY_ORIGIN_SECRET,
    originPort: variables.SEALWAY_RELAY_ORIGIN_PORT,
    proxyPort: variables.SEALWAY_RELAY_PROXY_PORT,
    strictProxyPort: variables.SEALWAY_RELAY_STRICT_PROXY_PORT,
    healthPort: variables.SEALWAY_RELAY_HEALTH_PORT,
    workers: variables.SEALWAY_RELAY_WORKERS ?? Math.min(cores, MAX_WORKERS),
  }
}
