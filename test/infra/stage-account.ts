import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { XMLParser } from "fast-xml-parser"
import * as z from "zod"

export interface FakeTenant {
  readonly distributionId: string
  readonly name: string
  readonly domain: string
  isEnabled: boolean
  /** How often CloudFront reports that it has not switched it off everywhere. */
  notYet: number
}

export interface FakeKey {
  readonly tags: Readonly<Record<string, string>>
  readonly usage: string
  isPending: boolean
}

/** The content of an AWS account, as far as the removal of a stage is concerned. Lists have pages of two. */
export interface FakeAccount {
  /** ARN to tags. */
  readonly tags: Map<string, Record<string, string>>
  readonly functions: Set<string>
  readonly logGroups: Set<string>
  /** By id. */
  readonly tenants: Map<string, FakeTenant>
  /** By id. */
  readonly keys: Map<string, FakeKey>
  /** Name to versions and delete markers of objects. */
  readonly buckets: Map<string, Set<string>>
  /** What was deleted or changed, in order. */
  readonly changes: string[]
}

const PAGE = 2

class Refusal extends Error {
  readonly code: string
  constructor(code: string) {
    super(code)
    this.code = code
  }
}

const filtersSchema = z.object({
  PaginationToken: z.string().optional(),
  TagFilters: z.array(z.object({ Key: z.string(), Values: z.array(z.string()) })),
  ResourceTypeFilters: z.array(z.string()).optional(),
})

export async function startStageAccount(account: FakeAccount) {
  const server = createServer(async (request, response) => {
    const body = await text(request)
    try {
      const target = String(request.headers["x-amz-target"] ?? "")
      const url = new URL(request.url ?? "", "http://aws")
      response.end(
        answer(request.method ?? "", url, target, body, (name, value) => response.setHeader(name, value)),
      )
    } catch (error) {
      const code = error instanceof Refusal ? error.code : "InternalFailure"
      const isJson =
        request.headers["x-amz-target"] !== undefined || request.url?.startsWith("/2015-03-31") === true
      response.writeHead(error instanceof Refusal ? 409 : 500, { "x-amzn-errortype": code })
      response.end(
        isJson
          ? JSON.stringify({ __type: code })
          : `<ErrorResponse><Error><Code>${code}</Code></Error><Code>${code}</Code></ErrorResponse>`,
      )
    }
  })

  function answer(
    method: string,
    url: URL,
    target: string,
    body: string,
    setHeader: (name: string, value: string) => void,
  ): string {
    if (target.endsWith(".GetResources"))
      return JSON.stringify(getResources(filtersSchema.parse(JSON.parse(body))))
    if (target.startsWith("TrentService.")) return JSON.stringify(answerKms(target, JSON.parse(body)))
    if (target.startsWith("Logs_")) return JSON.stringify(answerLogs(target, JSON.parse(body)))
    if (url.pathname.startsWith("/2015-03-31/functions")) return JSON.stringify(answerLambda(method, url))
    if (url.pathname.startsWith("/2020-05-31/")) return answerCloudFront(method, url, body, setHeader)
    return answerS3(url, body)
  }

  function getResources({
    PaginationToken = "0",
    TagFilters,
    ResourceTypeFilters,
  }: z.infer<typeof filtersSchema>) {
    const serviceOf = (arn: string) => arn.split(":")[2] ?? ""
    // Like AWS, it still lists for a while what has lost its tags.
    const found = [...account.tags].filter(
      ([arn, tags]) =>
        (ResourceTypeFilters ?? [serviceOf(arn)]).includes(serviceOf(arn)) &&
        (Object.keys(tags).length === 0 ||
          TagFilters.every(({ Key, Values }) => Values.includes(tags[Key] ?? ""))),
    )
    const at = Number(PaginationToken)
    return {
      ResourceTagMappingList: found
        .slice(at, at + PAGE)
        .map(([ResourceARN, tags]) => ({
          ResourceARN,
          Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
        })),
      PaginationToken: at + PAGE < found.length ? String(at + PAGE) : "",
    }
  }

  function answerLogs(
    target: string,
    { logGroupName = "", logGroupNamePrefix = "", nextToken = "0" }: Record<string, string>,
  ): object {
    if (target.endsWith(".DeleteLogGroup")) {
      if (!account.logGroups.delete(logGroupName)) throw new Refusal("ResourceNotFoundException")
      account.tags.delete(`arn:aws:logs:us-east-1:111122223333:log-group:${logGroupName}`)
      account.changes.push(`log group ${logGroupName}`)
      return {}
    }
    const found = [...account.logGroups].filter((name) => name.startsWith(logGroupNamePrefix))
    const at = Number(nextToken)
    return {
      logGroups: found.slice(at, at + PAGE).map((name) => ({ logGroupName: name })),
      ...(at + PAGE < found.length && { nextToken: String(at + PAGE) }),
    }
  }

  function answerKms(target: string, { KeyId = "", Marker = "0" }: Record<string, string>): object {
    if (target.endsWith(".ListKeys")) {
      const [at, ids] = [Number(Marker), [...account.keys.keys()]]
      return {
        Keys: ids.slice(at, at + PAGE).map((id) => ({ KeyId: id })),
        ...(at + PAGE < ids.length && { NextMarker: String(at + PAGE), Truncated: true }),
      }
    }
    const key = account.keys.get(KeyId)
    if (key === undefined) throw new Refusal("NotFoundException")
    if (target.endsWith(".ListResourceTags")) {
      return { Tags: Object.entries(key.tags).map(([TagKey, TagValue]) => ({ TagKey, TagValue })) }
    }
    if (target.endsWith(".ScheduleKeyDeletion")) {
      key.isPending = true
      account.changes.push(`key ${KeyId}`)
      return {}
    }
    return { KeyMetadata: { KeyId, KeyUsage: key.usage, ...(key.isPending && { DeletionDate: 1 }) } }
  }

  function answerLambda(method: string, { pathname, searchParams }: URL): object {
    if (method === "DELETE") {
      const name = pathname.split("/").at(-1) ?? ""
      if (!account.functions.delete(name)) throw new Refusal("ResourceNotFoundException")
      account.tags.delete(`arn:aws:lambda:us-east-1:111122223333:function:${name}`)
      account.changes.push(`function ${name}`)
      return {}
    }
    const at = Number(searchParams.get("Marker") ?? 0)
    const found = [...account.functions]
    return {
      Functions: found.slice(at, at + PAGE).map((FunctionName) => ({ FunctionName })),
      ...(at + PAGE < found.length && { NextMarker: String(at + PAGE) }),
    }
  }

  function answerCloudFront(
    method: string,
    { pathname }: URL,
    body: string,
    setHeader: (name: string, value: string) => void,
  ): string {
    const [, , kind, id = ""] = pathname.split("/")
    if (kind === "distribution-tenants") {
      const { ListDistributionTenantsRequest: wanted } = z
        .object({
          ListDistributionTenantsRequest: z.object({
            AssociationFilter: z.object({ DistributionId: z.string() }),
            Marker: z.coerce.number().default(0),
          }),
        })
        .parse(new XMLParser().parse(body))
      const found = [...account.tenants].filter(
        ([, { distributionId }]) => distributionId === wanted.AssociationFilter.DistributionId,
      )
      const page = found.slice(wanted.Marker, wanted.Marker + PAGE)
      const next =
        wanted.Marker + PAGE < found.length ? `<NextMarker>${wanted.Marker + PAGE}</NextMarker>` : ""
      const summaries = page.map(
        ([each, { name, domain }]) =>
          `<DistributionTenantSummary><Id>${each}</Id><Name>${name}</Name><Arn>arn:aws:cloudfront::111122223333:distribution-tenant/${each}</Arn><Domains><member><Domain>${domain}</Domain></member></Domains></DistributionTenantSummary>`,
      )
      return `<ListDistributionTenantsResult>${next}<DistributionTenantList>${summaries.join("")}</DistributionTenantList></ListDistributionTenantsResult>`
    }
    const tenant = account.tenants.get(id)
    if (tenant === undefined) throw new Refusal("EntityNotFound")
    if (method === "DELETE") {
      if (tenant.isEnabled || tenant.notYet-- > 0) throw new Refusal("ResourceNotDisabled")
      account.tenants.delete(id)
      account.changes.push(`tenant ${id}`)
      return ""
    }
    if (method === "PUT") {
      tenant.isEnabled = !body.includes("<Enabled>false</Enabled>")
      account.changes.push(`tenant ${id} off`)
    }
    setHeader("ETag", "E1")
    const { distributionId, domain, isEnabled } = tenant
    return `<DistributionTenant><Id>${id}</Id><DistributionId>${distributionId}</DistributionId><Domains><member><Domain>${domain}</Domain></member></Domains><Enabled>${isEnabled}</Enabled></DistributionTenant>`
  }

  function answerS3({ pathname, searchParams }: URL, body: string): string {
    const name = pathname.split("/")[1] ?? ""
    const bucket = account.buckets.get(name)
    if (bucket === undefined) throw new Refusal("NoSuchBucket")
    if (searchParams.has("delete")) {
      for (const [, version = ""] of body.matchAll(/<VersionId>([^<]+)<\/VersionId>/g)) {
        if (version === "kept") {
          return "<DeleteResult><Error><Key>k</Key><Code>AccessDenied</Code></Error></DeleteResult>"
        }
        bucket.delete(version)
      }
      account.changes.push(`objects of ${name}`)
      return "<DeleteResult/>"
    }
    const versions = [...bucket].slice(0, Math.min(PAGE, Number(searchParams.get("max-keys") ?? PAGE)))
    const elements = versions.map((version) => {
      const kind = version.startsWith("marker") ? "DeleteMarker" : "Version"
      return `<${kind}><Key>k</Key><VersionId>${version}</VersionId></${kind}>`
    })
    return `<ListVersionsResult>${elements.join("")}</ListVersionsResult>`
  }

  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
