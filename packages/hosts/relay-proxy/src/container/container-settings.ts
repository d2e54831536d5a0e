import { availableParallelism } from "node:os"
import * as z from "zod"

/** The container's settings in addition to the platform's configuration. */
export interface ContainerSettings {
  /** See `behindCloudFront`. */
  readonly originSecret: string
  /** The TLS port for requests through CloudFront. 0 picks a free one, here and below. */
  readonly originPort: number
  /** The port for clients of the forward proxy, with TLS or without. */
  readonly proxyPort: number
  /** The same, for clients that only send credentials when challenged. */
  readonly strictProxyPort: number
  /** The port for load balancers' health checks. */
  readonly healthPort: number
  /** How many processes share the work; 1 works alone. */
  readonly workers: number
}

/** More than any suitable machine has cores. */
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
 * Parses the container's settings.
 *
 * @param cores the number of cores, which is the default number of workers
 * @throws Error naming every variable that is missing or malformed, without its value
 */
export function parseContainerSettings(
  environment: Readonly<Record<string, string | undefined>>,
  cores = availableParallelism(),
): ContainerSettings {
  const parsed = environmentSchema.safeParse(environment)
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`)
    throw new Error(`The configuration is invalid: ${problems.join("; ")}`)
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
