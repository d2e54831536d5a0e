import { randomBytes } from "node:crypto"
import { startEmbeddedCloud } from "@sealway/local"

export type Service = "s3"

/** How a suite reaches the service that it tests. */
export interface ServiceUnderTest {
  /** For the constructor of an AWS SDK client. */
  readonly client: {
    readonly endpoint?: string
    readonly region?: string
    readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string }
  }
  close(): Promise<void>
}

/**
 * Starts the embedded service for the suite; or, when `SEALWAY_CONTRACT_<SERVICE>_ENDPOINT` is set, uses the service
 * there (`aws`: AWS itself), with the SDK's own region and credentials.
 */
export async function serviceUnderTest(service: Service): Promise<ServiceUnderTest> {
  const endpoint = endpointFromEnvironment(service)
  if (endpoint) return { client: endpoint === "aws" ? {} : { endpoint }, close: async () => undefined }
  const cloud = await startEmbeddedCloud({ dataFolder: null, tables: [], queues: [] })
  const { region, credentials, endpoints } = cloud
  return { client: { endpoint: endpoints[service], region, credentials }, close: () => cloud.close() }
}

function endpointFromEnvironment(service: Service): string | undefined {
  return process.env[`SEALWAY_CONTRACT_${service.toUpperCase()}_ENDPOINT`]
}

/** Returns a resource name that no other run uses. */
export function uniqueName(): string {
  return `sealway-contract-${randomBytes(8).toString("hex")}`
}

/** AWS takes its time to create tables and queues. */
export const SET_UP_TIMEOUT_MS = 120_000
