import { createHash } from "node:crypto"
import {
  CloudFrontClient,
  CreateDistributionTenantCommand,
  DeleteDistributionTenantCommand,
  type DistributionTenant,
  GetDistributionTenantByDomainCommand,
  GetManagedCertificateDetailsCommand,
  type ManagedCertificateDetails,
  UpdateDistributionTenantCommand,
} from "@aws-sdk/client-cloudfront"
import { ConflictError } from "@sealway/kernel"
import type { Connect } from "@sealway/ports"
import type { DomainStatus, RelayEdge } from "./relay-edge.ts"

/** The tag with the distribution of a tenant, by which permissions separate stages. */
export const DISTRIBUTION_TAG = "sealway:distribution"

export interface CloudFrontEdgeOptions {
  readonly client: Pick<CloudFrontClient, "send">
  /** The id of the multi-tenant distribution. */
  readonly distributionId: string
  /** The target of the domains' DNS records. */
  readonly connectionGroupId: string
  /** The suffix of the relays' own domains: `relay.example.com`. */
  readonly relayDomain: string
  /** Relays' own domains are also served with it: `eu` for `x.app-1.eu.relay.example.com`. */
  readonly regionLabel: "us" | "eu" | null
  /** Tags of the tenants, in addition to `DISTRIBUTION_TAG`. */
  readonly tags: Readonly<Record<string, string>>
}

/** An existing distribution tenant, at the version that an update must name. */
interface FoundTenant {
  readonly id: string
  readonly version: string
  readonly tenant: DistributionTenant
}

/**
 * Creates the edge for CloudFront in front of the relays: each domain is a distribution tenant, with a certificate that
 * CloudFront requests and renews. CloudFront validates the domain over HTTP, so its DNS record must already lead to the
 * connection group. Each call of `status` takes the next step: an issued certificate is put to use.
 */
export function createCloudFrontEdge(options: CloudFrontEdgeOptions): RelayEdge {
  const { client, distributionId, connectionGroupId } = options
  const tags = Object.entries({ ...options.tags, [DISTRIBUTION_TAG]: distributionId })

  const find = async (domain: string): Promise<FoundTenant | null> => {
    const found = await client
      .send(new GetDistributionTenantByDomainCommand({ Domain: domain }))
      .catch(nullWhen("EntityNotFound"))
    if (found === null) return null
    const { DistributionTenant: tenant, ETag: version } = found
    if (tenant?.Id === undefined || version === undefined)
      throw new Error("CloudFront returned a tenant without id or version")
    return { id: tenant.Id, version, tenant }
  }
  const isOurs = ({ tenant }: FoundTenant) => tenant.DistributionId === distributionId

  const create = (domain: string) =>
    client.send(
      new CreateDistributionTenantCommand({
        DistributionId: distributionId,
        ConnectionGroupId: connectionGroupId,
        Name: tenantName(domain),
        Domains: namesOf(domain, options).map((Domain) => ({ Domain })),
        Enabled: true,
        ManagedCertificateRequest: certificateRequest(domain),
        Tags: { Items: tags.map(([Key, Value]) => ({ Key, Value })) },
      }),
    )

  const certificateOf = async ({ id }: FoundTenant): Promise<ManagedCertificateDetails | null> => {
    const answer = await client
      .send(new GetManagedCertificateDetailsCommand({ Identifier: id }))
      .catch(nullWhen("EntityNotFound"))
    return answer?.ManagedCertificateDetails ?? null
  }

  /** Does nothing when somebody else has changed the tenant: the next call handles it. */
  const update = async (
    { id, version, tenant }: FoundTenant,
    changes: Pick<DistributionTenant, "Enabled" | "Customizations"> & { readonly renewedFor?: string },
  ): Promise<string | null> => {
    const { renewedFor, ...others } = changes
    const updated = await client
      .send(
        new UpdateDistributionTenantCommand({
          Id: id,
          IfMatch: version,
          DistributionId: tenant.DistributionId,
          ConnectionGroupId: tenant.ConnectionGroupId,
          Domains: tenant.Domains?.map(({ Domain }) => ({ Domain })),
          Customizations: tenant.Customizations,
          Parameters: tenant.Parameters,
          Enabled: tenant.Enabled,
          ...others,
          ...(renewedFor !== undefined && { ManagedCertificateRequest: certificateRequest(renewedFor) }),
        }),
      )
      .catch(nullWhen("PreconditionFailed", "InvalidIfMatchVersion", "EntityNotFound"))
    return updated?.ETag ?? null
  }

  return {
    async attach(domain) {
      const found = await find(domain)
      if (found === null) {
        await create(domain).catch(async (error) => {
          if (!isNamed(error, "CNAMEAlreadyExists", "EntityAlreadyExists")) throw error
          // Another process was faster; or the domain belongs to another distribution, in any account.
          const other = await find(domain)
          if (other === null || !isOurs(other)) throw domainTaken(error)
        })
        return
      }
      if (!isOurs(found)) throw domainTaken()
      if (found.tenant.Customizations?.Certificate !== undefined) {
        if (found.tenant.Enabled !== true) await update(found, { Enabled: true })
        return
      }
      const hasFailed = statusOfCertificate(await certificateOf(found)) === "failed"
      if (hasFailed || found.tenant.Enabled !== true) {
        await update(found, { Enabled: true, ...(hasFailed && { renewedFor: domain }) })
      }
    },

    async status(domain) {
      const found = await find(domain)
      if (found === null) return "pending"
      if (!isOurs(found)) return "failed"
      const { Customizations, Domains = [], Enabled } = found.tenant
      if (Enabled !== true) return "pending"
      if (Customizations?.Certificate !== undefined) {
        return Domains.some(({ Domain, Status }) => Domain === domain && Status === "active")
          ? "active"
          : "pending"
      }
      const details = await certificateOf(found)
      const status = statusOfCertificate(details)
      if (status !== "active" || details?.CertificateArn === undefined) return status
      await update(found, {
        Customizations: { ...Customizations, Certificate: { Arn: details.CertificateArn } },
      })
      return "pending"
    },

    async detach(domain) {
      const found = await find(domain)
      if (found === null || !isOurs(found)) return
      const version = found.tenant.Enabled === true ? await update(found, { Enabled: false }) : found.version
      if (version === null) return
      await client
        .send(new DeleteDistributionTenantCommand({ Id: found.id, IfMatch: version }))
        // Until CloudFront has disabled it everywhere it remains, and serves nothing; `attach` reuses it.
        .catch(
          nullWhen("EntityNotFound", "ResourceNotDisabled", "PreconditionFailed", "InvalidIfMatchVersion"),
        )
    },
  }
}

/** Longer than for other services: creating a tenant with a certificate takes seconds. */
const REQUEST_TIMEOUT_MS = 8_000

/** Creates the client. CloudFront is called in `us-east-1`, wherever the stage is. */
export function createCloudFrontClient(connect: Connect): CloudFrontClient {
  return connect("cloudfront", ({ requestHandler, ...config }) => {
    const patient = { ...requestHandler, requestTimeout: REQUEST_TIMEOUT_MS }
    return new CloudFrontClient({ ...config, region: "us-east-1", requestHandler: patient })
  })
}

/** Shortens a domain, because a tenant's name may not be as long as one. */
function tenantName(domain: string): string {
  return `relay-${createHash("sha256").update(domain).digest("hex").slice(0, 40)}`
}

function namesOf(domain: string, { relayDomain, regionLabel }: CloudFrontEdgeOptions): readonly string[] {
  const ending = `.${relayDomain}`
  if (regionLabel === null || !domain.endsWith(ending)) return [domain]
  return [domain, `${domain.slice(0, -ending.length)}.${regionLabel}${ending}`]
}

function certificateRequest(domain: string) {
  return { ValidationTokenHost: "cloudfront", PrimaryDomainName: domain } as const
}

/** `active`: it was issued. */
function statusOfCertificate(details: ManagedCertificateDetails | null): DomainStatus {
  if (details?.CertificateStatus === "issued") return "active"
  return details?.CertificateStatus === "pending-validation" ? "pending" : "failed"
}

function domainTaken(cause?: unknown): ConflictError {
  return new ConflictError("Another CloudFront distribution uses this domain.", { cause })
}

function isNamed(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof Error && names.includes(error.name)
}

/** Handles errors whose names mean that a thing does not exist, or has changed. */
function nullWhen(...names: readonly string[]): (error: unknown) => null {
  return (error) => {
    if (isNamed(error, ...names)) return null
    throw error
  }
}
