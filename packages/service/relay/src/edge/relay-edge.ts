import { loadOnce } from "@sealway/kernel"
import type { Grant } from "@sealway/ports"

/** Whether requests for a domain reach the relays, including DNS and certificate. */
export const DOMAIN_STATUSES = ["active", "pending", "failed"] as const
export type DomainStatus = (typeof DOMAIN_STATUSES)[number]

/** The edge in front of the relays, which must know each domain to have a certificate for it. */
export interface RelayEdge {
  /** Registers a domain. Safe to repeat: what is missing or has failed is started again. */
  attach(domain: string): Promise<void>
  /** Returns `pending` for a domain that was never attached. */
  status(domain: string): Promise<DomainStatus>
  /** Safe to repeat, and for a domain that was never attached. */
  detach(domain: string): Promise<void>
}

/** The AWS permissions for asking a deployment's edge about a domain, which also advances it. */
export const EDGE_STATUS_GRANTS = [
  "cloudfront:GetDistributionTenantByDomain",
  "cloudfront:GetManagedCertificateDetails",
  "cloudfront:UpdateDistributionTenant",
] as const satisfies readonly Grant[]

/** The AWS permissions for registering a domain. */
export const EDGE_ATTACH_GRANTS = [
  ...EDGE_STATUS_GRANTS,
  "cloudfront:CreateDistributionTenant",
] as const satisfies readonly Grant[]

/** The AWS permissions for detaching a domain. */
export const EDGE_DETACH_GRANTS = [
  "cloudfront:GetDistributionTenantByDomain",
  "cloudfront:UpdateDistributionTenant",
  "cloudfront:DeleteDistributionTenant",
] as const satisfies readonly Grant[]

/** Returns an edge that the first call creates, because its client takes time to load and few processes call it. */
export function createRelayEdgeOnFirstUse(create: () => Promise<RelayEdge>): RelayEdge {
  const edge = loadOnce(create)
  return {
    attach: async (domain) => (await edge()).attach(domain),
    status: async (domain) => (await edge()).status(domain),
    detach: async (domain) => (await edge()).detach(domain),
  }
}

/** Creates the edge of a process that serves every host itself: each domain is active immediately. */
export function createLocalEdge(): RelayEdge {
  return { attach: async () => {}, status: async () => "active", detach: async () => {} }
}
