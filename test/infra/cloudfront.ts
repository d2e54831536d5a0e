import { once } from "node:events"
import { type IncomingMessage, type ServerResponse, request as sendHttp } from "node:http"
import { createServer } from "node:https"
import { createContext, Script } from "node:vm"
import * as z from "zod"
import { createSelfSigned } from "../support/self-signed.ts"
import { permissionsOf, statementsOf } from "./iam-policy.ts"
import type { SynthesizedStage } from "./synthesize-stage.ts"

const behaviourSchema = z.object({
  PathPattern: z.string().optional(),
  TargetOriginId: z.string(),
  AllowedMethods: z.array(z.string()),
  OriginRequestPolicyId: z.string().optional(),
  ResponseHeadersPolicyId: z.string().optional(),
  FunctionAssociations: z.tuple([
    z.object({ EventType: z.literal("viewer-request"), FunctionARN: z.string() }),
  ]),
})

const distributionSchema = z.object({
  Origins: z.array(
    z.object({
      Id: z.string(),
      OriginCustomHeaders: z.array(z.object({ HeaderName: z.string(), HeaderValue: z.string() })).default([]),
    }),
  ),
  DefaultCacheBehavior: behaviourSchema,
  CacheBehaviors: z.array(behaviourSchema),
})

const headersPolicySchema = z.object({
  ResponseHeadersPolicyConfig: z.object({
    SecurityHeadersConfig: z.object({
      ContentSecurityPolicy: z.object({ ContentSecurityPolicy: z.string() }).optional(),
      ContentTypeOptions: z.object({ Override: z.literal(true) }),
      ReferrerPolicy: z.object({ ReferrerPolicy: z.string() }).optional(),
      StrictTransportSecurity: z.object({ AccessControlMaxAgeSec: z.number() }),
    }),
    CustomHeadersConfig: z
      .object({ Items: z.array(z.object({ Header: z.string(), Value: z.string() })) })
      .default({ Items: [] }),
  }),
})

const valuesSchema = z.record(z.string(), z.object({ value: z.string() }))
const resultSchema = z.union([
  z.object({
    statusCode: z.number(),
    headers: valuesSchema,
    body: z.object({ encoding: z.literal("text"), data: z.string() }).optional(),
  }),
  z.object({ uri: z.string(), headers: valuesSchema }),
])

/** Of AWS: Managed-AllViewerExceptHostHeader. */
const ALL_VIEWER_EXCEPT_HOST = "b689b0a8-53d0-40ab-baf2-68738e2966ac"

/** A file in the bucket of a distribution. */
export interface StoredFile {
  readonly bytes: Uint8Array
  readonly contentType: string
  readonly cacheControl: string
}

export interface CloudFrontOptions {
  readonly stage: SynthesizedStage
  /** The bucket, by keys. */
  readonly files: ReadonlyMap<string, StoredFile>
  /** Where the API is, as the stand-in for API Gateway. It may not be known yet. */
  readonly apiUrl: () => string
  /** What CloudFormation puts in the place of a reference to a secret. */
  readonly resolveSecret: (text: string) => string
  /** The address that every viewer seems to have. */
  readonly viewerIp: string
}

/** CloudFront in front of a dashboard, as far as this process needs it. */
export interface CloudFront {
  /** `https://localhost:1234` */
  readonly url: string
  /** The certificate that clients must trust, in PEM. */
  readonly certificate: string
  close(): Promise<void>
}

/**
 * Starts a stand-in for the CloudFront distribution of a stage's dashboard. Behaviours, functions, headers and origins
 * are those of the stage's template. It caches nothing.
 */
export async function startCloudFront(options: CloudFrontOptions): Promise<CloudFront> {
  const distribution = distributionOf(options.stage)
  const { privateKey: key, certificate } = createSelfSigned("DNS:localhost,IP:127.0.0.1")
  const server = createServer({ key, cert: certificate }, (request, response) => {
    serve(request, response, distribution, options).catch((error: unknown) => {
      response.writeHead(502).end(String(error))
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = z.object({ port: z.number() }).parse(server.address())
  return {
    url: `https://localhost:${port}`,
    certificate,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type Distribution = ReturnType<typeof distributionOf>

function distributionOf({ resources, ofType }: SynthesizedStage) {
  const property = (id: string, name: string) => resources.find((each) => each.id === id)?.properties[name]
  const functions = new Map(
    ofType("AWS::CloudFront::Function").map(({ id }) => [
      `${id}.FunctionARN`,
      new Script(`${String(property(id, "FunctionCode"))}\nhandler(event)`),
    ]),
  )
  const policies = new Map<string, Readonly<Record<string, string>>>(
    ofType("AWS::CloudFront::ResponseHeadersPolicy").map(({ id, properties }) => {
      const { SecurityHeadersConfig: security, CustomHeadersConfig: custom } =
        headersPolicySchema.parse(properties).ResponseHeadersPolicyConfig
      const headers = {
        ...(security.ContentSecurityPolicy && {
          "content-security-policy": security.ContentSecurityPolicy.ContentSecurityPolicy,
        }),
        ...(security.ReferrerPolicy && { "referrer-policy": security.ReferrerPolicy.ReferrerPolicy }),
        "strict-transport-security": `max-age=${security.StrictTransportSecurity.AccessControlMaxAgeSec}`,
        "x-content-type-options": "nosniff",
        ...Object.fromEntries(custom.Items.map(({ Header, Value }) => [Header, Value])),
      }
      return [`${id}.Id`, headers] as const
    }),
  )
  const bucketPolicy = resources.find(({ id }) => id === "dashboard/FilesPolicy")
  const allowed = bucketPolicy ? statementsOf(bucketPolicy).filter(({ Effect }) => Effect === "Allow") : []
  return {
    ...distributionSchema.parse(property("dashboard/Distribution", "DistributionConfig")),
    functions,
    policies,
    mayList: permissionsOf(allowed).includes("s3:ListBucket on dashboard/Files.Arn"),
  }
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  { DefaultCacheBehavior, CacheBehaviors, Origins, functions, policies, mayList }: Distribution,
  { files, apiUrl, resolveSecret, viewerIp }: CloudFrontOptions,
): Promise<void> {
  const { method = "", url = "/", headers } = request
  const [uri = "", query] = url.split(/\?(.*)/s)
  // It chooses by the path without dot segments, and passes on what was sent.
  const { pathname } = new URL(uri, "https://viewer")
  const behaviour =
    CacheBehaviors.find(({ PathPattern = "" }) => pathname.startsWith(PathPattern.replace("*", ""))) ??
    DefaultCacheBehavior
  if (!behaviour.AllowedMethods.includes(method)) {
    response.writeHead(403).end("This distribution is not configured to allow the HTTP request method")
    return
  }
  const event = {
    viewer: { ip: viewerIp },
    request: {
      method,
      uri,
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, { value: `${value}` }]),
      ),
    },
  }
  const script = functions.get(behaviour.FunctionAssociations[0].FunctionARN)
  const result = resultSchema.parse(
    JSON.parse(JSON.stringify(script?.runInContext(createContext({ event })))),
  )
  if ("statusCode" in result) {
    const plain = Object.entries(result.headers).map(([name, { value }]) => [name, value])
    response.writeHead(result.statusCode, Object.fromEntries(plain)).end(result.body?.data)
    return
  }
  const policy = policies.get(behaviour.ResponseHeadersPolicyId ?? "")
  if (behaviour.TargetOriginId === "files") {
    const file = files.get(result.uri.slice(1))
    // S3 tells those that may list a bucket what is missing, and nobody else.
    if (file === undefined) {
      response
        .writeHead(mayList ? 404 : 403, { ...policy, "content-type": "application/xml" })
        .end("<Error/>")
      return
    }
    const own = { "content-type": file.contentType, "cache-control": file.cacheControl }
    response.writeHead(200, { ...policy, ...own }).end(method === "HEAD" ? undefined : file.bytes)
    return
  }
  if (behaviour.OriginRequestPolicyId !== ALL_VIEWER_EXCEPT_HOST) throw new Error("Unknown policy")
  const { host: _, ...forwarded } = result.headers
  const custom = Origins.find(({ Id }) => Id === behaviour.TargetOriginId)?.OriginCustomHeaders ?? []
  const passed = sendHttp(new URL(apiUrl()), {
    method,
    path: query === undefined ? result.uri : `${result.uri}?${query}`,
    headers: {
      ...Object.fromEntries(Object.entries(forwarded).map(([name, { value }]) => [name, value])),
      ...Object.fromEntries(
        custom.map(({ HeaderName, HeaderValue }) => [HeaderName, resolveSecret(HeaderValue)]),
      ),
      // API Gateway's, which the gateway of one machine does not add.
      "x-forwarded-proto": "https",
    },
  })
  request.pipe(passed)
  const [answer]: IncomingMessage[] = await once(passed, "response")
  if (answer === undefined) throw new Error("The API does not answer")
  response.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...policy })
  answer.pipe(response)
}
