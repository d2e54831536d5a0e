import { once } from "node:events"
import { createServer, type IncomingMessage } from "node:http"
import { text } from "node:stream/consumers"
import { XMLParser } from "fast-xml-parser"
import * as z from "zod"

/** A distribution tenant as CloudFront stores it. */
export interface StoredTenant {
  readonly id: string
  version: number
  distributionId: string
  connectionGroupId: string
  name: string
  domains: string[]
  isEnabled: boolean
  certificateArn: string | null
  tags: Record<string, string>
  /** The status of the requested certificate. */
  certificateStatus: string
  certificateRequests: number
}

/** A part of CloudFront's API: operations on distribution tenants, over REST and XML, in memory. */
export interface CloudFrontServer extends AsyncDisposable {
  readonly url: string
  /** By name. */
  readonly tenants: Map<string, StoredTenant>
  /** The calls in order: `POST /distribution-tenant`. */
  readonly calls: string[]
  /** Answers the next call of an operation with an error of CloudFront. */
  failNext(call: string, code: string, status: number): void
}

const VERSION_PREFIX = "/2020-05-31"
const NAMESPACE = "http://cloudfront.amazonaws.com/doc/2020-05-31/"
const CERTIFICATE_ARN = "arn:aws:acm:us-east-1:111122223333:certificate/"

const listOf = <Item extends z.ZodType>(item: Item) =>
  z.union([item, z.array(item)]).transform((value) => [value].flat())

const requestSchema = z.object({
  DistributionId: z.string(),
  ConnectionGroupId: z.string(),
  Name: z.string().optional(),
  Domains: z.object({ member: listOf(z.object({ Domain: z.string() })) }),
  Enabled: z.stringbool(),
  Customizations: z.object({ Certificate: z.object({ Arn: z.string() }).optional() }).optional(),
  ManagedCertificateRequest: z
    .object({ ValidationTokenHost: z.literal("cloudfront"), PrimaryDomainName: z.string() })
    .optional(),
  Tags: z
    .object({ Items: z.object({ Tag: listOf(z.object({ Key: z.string(), Value: z.string() })) }) })
    .optional(),
})

class Refusal extends Error {
  readonly code: string
  readonly status: number
  constructor(code: string, status: number) {
    super(code)
    this.code = code
    this.status = status
  }
}

interface Answer {
  readonly status: number
  readonly xml: string
  readonly version?: number
}

export async function startCloudFrontServer(): Promise<CloudFrontServer> {
  const tenants = new Map<string, StoredTenant>()
  const calls: string[] = []
  const failures = new Map<string, Refusal>()
  let made = 0

  const requireTenant = (isIt: (tenant: StoredTenant) => boolean): StoredTenant => {
    const found = [...tenants.values()].find(isIt)
    if (found === undefined) throw new Refusal("EntityNotFound", 404)
    return found
  }
  const requireVersion = (tenant: StoredTenant, { headers }: IncomingMessage) => {
    if (headers["if-match"] !== etag(tenant.version)) throw new Refusal("PreconditionFailed", 412)
  }

  async function answer(request: IncomingMessage): Promise<Answer> {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost")
    const [, kind = "", id = ""] = pathname.slice(VERSION_PREFIX.length).split("/")
    const call = `${request.method} /${kind}`
    calls.push(call)
    // Like CloudFront, refuses requests that are unsigned, or signed for another service or region.
    const scope = /Credential=[^/]+\/\d{8}\/us-east-1\/cloudfront\/aws4_request/
    if (!scope.test(request.headers.authorization ?? "")) throw new Refusal("AccessDenied", 403)
    const body = await text(request)
    const failure = failures.get(call)
    failures.delete(call)
    if (failure !== undefined) throw failure

    if (call === "GET /managed-certificate") {
      const tenant = requireTenant((each) => each.id === id)
      if (tenant.certificateRequests === 0) throw new Refusal("EntityNotFound", 404)
      return { status: 200, xml: detailsXml(tenant) }
    }
    if (call === "GET /distribution-tenant") {
      const domain = searchParams.get("domain") ?? ""
      const tenant = requireTenant(({ domains }) => domains.includes(domain))
      return { status: 200, xml: tenantXml(tenant), version: tenant.version }
    }
    if (call === "POST /distribution-tenant") {
      const wanted = parse(body, "CreateDistributionTenantRequest")
      const domains = wanted.Domains.member.map(({ Domain }) => Domain)
      if (tenants.has(wanted.Name ?? "")) throw new Refusal("EntityAlreadyExists", 409)
      if ([...tenants.values()].some((each) => each.domains.some((domain) => domains.includes(domain)))) {
        throw new Refusal("CNAMEAlreadyExists", 409)
      }
      const tenant: StoredTenant = {
        id: `dt_${++made}`,
        version: 1,
        distributionId: wanted.DistributionId,
        connectionGroupId: wanted.ConnectionGroupId,
        name: wanted.Name ?? "",
        domains,
        isEnabled: wanted.Enabled,
        certificateArn: null,
        tags: Object.fromEntries(wanted.Tags?.Items.Tag.map(({ Key, Value }) => [Key, Value]) ?? []),
        certificateStatus: "pending-validation",
        certificateRequests: wanted.ManagedCertificateRequest === undefined ? 0 : 1,
      }
      tenants.set(tenant.name, tenant)
      return { status: 201, xml: tenantXml(tenant), version: tenant.version }
    }
    const tenant = requireTenant((each) => each.id === id)
    requireVersion(tenant, request)
    if (call === "PUT /distribution-tenant") {
      const wanted = parse(body, "UpdateDistributionTenantRequest")
      tenant.version += 1
      tenant.isEnabled = wanted.Enabled
      tenant.domains = wanted.Domains.member.map(({ Domain }) => Domain)
      tenant.connectionGroupId = wanted.ConnectionGroupId
      tenant.certificateArn = wanted.Customizations?.Certificate?.Arn ?? null
      if (wanted.ManagedCertificateRequest !== undefined) {
        tenant.certificateRequests += 1
        tenant.certificateStatus = "pending-validation"
      }
      return { status: 200, xml: tenantXml(tenant), version: tenant.version }
    }
    if (call !== "DELETE /distribution-tenant") throw new Refusal("UnknownOperation", 404)
    if (tenant.isEnabled) throw new Refusal("ResourceNotDisabled", 409)
    tenants.delete(tenant.name)
    return { status: 204, xml: "" }
  }

  const server = createServer((request, response) => {
    answer(request).then(
      ({ status, xml, version }) => {
        if (version !== undefined) response.setHeader("ETag", etag(version))
        response.writeHead(status, { "content-type": "text/xml" }).end(xml)
      },
      (error) => {
        const { code, status } = error instanceof Refusal ? error : new Refusal("InternalError", 500)
        const xml = `<ErrorResponse xmlns="${NAMESPACE}"><Error><Type>Sender</Type><Code>${code}</Code><Message>Refused</Message></Error></ErrorResponse>`
        response.writeHead(status, { "content-type": "text/xml" }).end(xml)
      },
    )
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("The server has no port")
  return {
    url: `http://127.0.0.1:${address.port}`,
    tenants,
    calls,
    failNext: (call, code, status) => failures.set(call, new Refusal(code, status)),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}

const etag = (version: number) => `E${version}`

function parse(body: string, root: string): z.infer<typeof requestSchema> {
  const document: unknown = new XMLParser({ parseTagValue: false }).parse(body)
  return z.object({ [root]: requestSchema }).parse(document)[root] ?? requestSchema.parse(null)
}

function tenantXml(tenant: StoredTenant): string {
  const { id, distributionId, connectionGroupId, name, domains, isEnabled, certificateArn } = tenant
  const status = certificateArn === null ? "inactive" : "active"
  const members = domains.map(
    (domain) => `<member><Domain>${domain}</Domain><Status>${status}</Status></member>`,
  )
  const certificate =
    certificateArn === null
      ? ""
      : `<Customizations><Certificate><Arn>${certificateArn}</Arn></Certificate></Customizations>`
  return `<DistributionTenant xmlns="${NAMESPACE}"><Id>${id}</Id><DistributionId>${distributionId}</DistributionId><Name>${name}</Name><Domains>${members.join("")}</Domains>${certificate}<ConnectionGroupId>${connectionGroupId}</ConnectionGroupId><Enabled>${isEnabled}</Enabled><Status>Deployed</Status></DistributionTenant>`
}

function detailsXml({ id, certificateStatus }: StoredTenant): string {
  return `<ManagedCertificateDetails xmlns="${NAMESPACE}"><CertificateArn>${CERTIFICATE_ARN}${id}</CertificateArn><CertificateStatus>${certificateStatus}</CertificateStatus><ValidationTokenHost>cloudfront</ValidationTokenHost></ManagedCertificateDetails>`
}
