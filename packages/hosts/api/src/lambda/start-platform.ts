import { createPlatform, type Platform } from "@sealway/http"
import { parseConfiguration } from "@sealway/ports"
import { createAwsClients } from "@sealway/ports/aws"

export type ProcessEnvironment = Readonly<Record<string, string | undefined>>

/**
 * Creates the platform of a Lambda function, once in its life: what this returns stays warm between invocations.
 *
 * @param environment see `parseConfiguration`
 */
export function startPlatform(environment: ProcessEnvironment): Platform {
  const configuration = parseConfiguration(environment)
  return createPlatform(configuration, createAwsClients(configuration))
}
