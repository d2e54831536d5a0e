import { CORS, createService, type ServedEndpoint } from "@sealway/api"
import {
  type AwsCall,
  type Configuration,
  createPlatform,
  type Hosting,
  type Platform,
  QUEUES,
  TABLES,
} from "@sealway/platform"
import { startEmbeddedCloud } from "./cloud/start-embedded-cloud.ts"
import { createCloudClients } from "./cloud-clients.ts"
import type { Credentials } from "./credentials-file.ts"
import { ensureFirstApps } from "./first-start.ts"
import { API_GATEWAY_LIMITS, CONTAINER_LIMITS, createGateway, type Route } from "./gateway/index.ts"
import { ensureStageKey } from "./stage-key.ts"

export interface LocalServiceOptions {
  /** 0 picks a free one. */
  readonly port: number
  /** Null keeps everything in memory. */
  readonly dataFolder: string | null
  readonly hosting: Hosting
  /** Default: `WARN`. `INFO` logs every refused request. */
  readonly logLevel?: Configuration["logLevel"]
  /** Told of each AWS call of the handlers before it is sent. */
  readonly onAwsCall?: (call: AwsCall) => void
}

/** Sealway on one machine. */
export interface LocalService {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  readonly credentials: Credentials
  /** What the handlers stand on, for what has no endpoint. */
  readonly platform: Platform
  /** Lets requests in flight finish, then stops everything and frees the data folder. */
  close(): Promise<void>
}

const HOST = "127.0.0.1"

/**
 * Starts the embedded cloud, the handlers on it and the gateway before them.
 *
 * @throws EmbeddedCloudError when the cloud cannot start, for one because the data folder is in use
 * @throws Error with code `EADDRINUSE` when the port is taken
 */
export async function startLocalService(options: LocalServiceOptions): Promise<LocalService> {
  const { port, dataFolder, hosting, logLevel, onAwsCall } = options
  const cloud = await startEmbeddedCloud({ dataFolder, tables: TABLES, queues: QUEUES })
  try {
    const { configuration, clients } = createCloudClients(cloud, {
      hosting,
      ...(logLevel && { logLevel }),
      ...(onAwsCall && { onCall: onAwsCall }),
    })
    await ensureStageKey(clients.kms)
    const platform = createPlatform(configuration, clients)
    const credentials = await ensureFirstApps(platform, dataFolder)
    const gateway = createGateway({
      routes: createService(platform).flatMap(routesOf),
      limits: hosting === "container" ? CONTAINER_LIMITS : API_GATEWAY_LIMITS,
      cors: CORS,
      onError: (error, endpoint) => platform.log.error("handler failed", { endpoint, error }),
    })
    const { url } = await gateway.listen({ port, host: HOST })
    return {
      url,
      credentials,
      platform,
      async close() {
        await gateway.close()
        clients.dynamodb.destroy()
        clients.kms.destroy()
        clients.sqs.destroy()
        await cloud.close()
      },
    }
  } catch (error) {
    await cloud.close()
    throw error
  }
}

function routesOf({ endpoint, handler }: ServedEndpoint): Route[] {
  const { id, method, path, aliases = [] } = endpoint
  return [path, ...aliases].map((each) => ({ method, path: each, functionName: id, handler }))
}
