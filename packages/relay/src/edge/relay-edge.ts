import type { Grant } from "@sealway/platform"

/** Whether requests for a domain reach the relays: DNS, certificate and all. */
export const DOMAIN_STATUSES = ["active", "pending", "failed"] as const
export type DomainStatus = (typeof DOMAIN_STATUSES)[number]

/** What stands in front of the relays and has to know each domain, to have a certificate for it. */
export interface RelayEdge {
  /** Makes a domain known. Safe to repeat: what is missing or has failed is begun anew. */
  attach(domain: string): Promise<void>
  /** Of a domain that was never attached: `pending`. */
  status(domain: string): Promise<DomainStatus>
  /** Safe to repeat, and for a domain that was never attached. */
  detach(domain: string): Promise<void>
}

/** What asking a deployment's edge about a domain needs of AWS: it is brought a step further while it is asked about. */
export const EDGE_STATUS_GRANTS = [
  "cloudfront:GetDistributionTenantByDomain",
  "cloudfront:GetManagedCertificateDetails",
  "cloudfront:UpdateDistributionTenant",
] as const satisfies readonly Grant[]

/** What making a domain known to it needs. */
export const EDGE_ATTACH_GRANTS = [
  ...EDGE_STATUS_GRANTS,
  "cloudfront:CreateDistributionTenant",
] as const satisfies readonly Grant[]

/** What taking a domain from it needs. */
export const EDGE_DETACH_GRANTS = [
  "cloudfront:GetDistributionTenantByDomain",
  "cloudfront:UpdateDistributionTenant",
  "cloudfront:DeleteDistributionTenant",
] as const satisfies readonly Grant[]

/** For a process that takes requests for every host itself: each domain is active at once. */
export function createLocalEdge(): RelayEdge {
  return {
    attach: async () => {},
    status: async () => "active",
    detach: async () => {},
  }
}
