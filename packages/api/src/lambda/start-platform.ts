import { createAwsClients, createPlatform, type Platform, parseConfiguration } from "@sealway/platform"

export type ProcessEnvironment = Readonly<Record<string, string | undefined>>

/**
 * What a Lambda function starts with, once in its life: what this returns stays warm between invocations.
 *
 * @param environment see `parseConfiguration`
 */
export function startPlatform(environment: ProcessEnvironment): Platform {
  const configuration = parseConfiguration(environment)
  return createPlatform(configuration, createAwsClients(configuration))
}
