import { hash } from "node:crypto"
import { createService } from "@sealway/api"
import { createPlatform, routesOf } from "@sealway/http"
import { createCloudClients, ensureStageKey, startEmbeddedCloud } from "@sealway/local"
import { API_GATEWAY_LIMITS, createGateway } from "@sealway/local/testing"
import { createFirstApps, type FirstKeys, issueFirstKeys } from "@sealway/management"
import { QUEUES, TABLES } from "@sealway/ports"
import { CLIENT, startProvider, type TestProvider } from "../support/identity-provider.ts"
import { type CloudFront, type StoredFile, startCloudFront } from "./cloudfront.ts"
import { stageLike, synthesizeStage } from "./synthesize-stage.ts"

/** The address that callers have at CloudFront. */
export const VIEWER_IP = "203.0.113.9"
const ORIGIN_SECRET = "s".repeat(64)

/** A stage's dashboard and API, with the real handlers, behind a stand-in for CloudFront. */
export interface DashboardService {
  readonly edge: CloudFront
  /** Where the API is without CloudFront. */
  readonly apiUrl: string
  readonly provider: TestProvider
  readonly keys: FirstKeys
  close(): Promise<void>
}

/** @param files the dashboard's, by their keys in the bucket */
export async function startDashboardService(
  files: ReadonlyMap<string, StoredFile>,
): Promise<DashboardService> {
  const stage = synthesizeStage(stageLike("ada", { dashboard: { domain: null } }), { endpoints: [] })
  let apiUrl = ""
  const edge = await startCloudFront({
    stage,
    files,
    viewerIp: VIEWER_IP,
    apiUrl: () => apiUrl,
    resolveSecret: (text) =>
      text.startsWith("{{resolve:secretsmanager:dashboard/OriginSecret:") ? ORIGIN_SECRET : text,
  })
  const provider = await startProvider(() => `${edge.url}/api/sign-in/oidc/callback`)
  const cloud = await startEmbeddedCloud({ dataFolder: null, tables: TABLES, queues: QUEUES })
  const identityProvider = { issuer: provider.issuer, ...CLIENT }
  const { configuration, clients } = createCloudClients(cloud, { identityProvider })
  await ensureStageKey(cloud)
  const platform = createPlatform(
    {
      ...configuration,
      hosting: "api-gateway",
      dashboardApiUrl: `${edge.url}/api`,
      dashboardOriginHash: hash("sha256", ORIGIN_SECRET, "hex"),
      signIn: { links: false, provider: identityProvider, hasDashboard: true },
    },
    clients,
  )
  const service = createService(platform)
  const gateway = createGateway({
    routes: service.endpoints.flatMap(({ endpoint, handler }) =>
      routesOf(endpoint).map((route) => ({ ...route, functionName: endpoint.id, handler })),
    ),
    answerUnknown: () => ({ statusCode: 404, body: "unknown" }),
    limits: API_GATEWAY_LIMITS,
    cors: null,
    onError: (error) => {
      throw error
    },
  })
  ;({ url: apiUrl } = await gateway.listen({ port: 0, host: "127.0.0.1" }))
  return {
    edge,
    apiUrl,
    provider,
    keys: await issueFirstKeys(platform, await createFirstApps(platform)),
    async close() {
      await edge.close()
      await gateway.close()
      await service.flush()
      clients.destroy()
      await provider.close()
      await cloud.close()
    },
  }
}
