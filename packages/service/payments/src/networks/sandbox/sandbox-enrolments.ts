import { createHash } from "node:crypto"
import type {
  EnrolAcquirerRequest,
  EnrolMerchantRequest,
  EnrolmentAnswer,
  RegisterDomainRequest,
} from "../messages/enrolment.ts"

const SLOW_MS = 2 * 60_000
const DOMAIN_MS = 1_000

/** @param nowMs epoch milliseconds */
export function sandboxMerchant(request: EnrolMerchantRequest, nowMs: number): EnrolmentAnswer {
  const { merchant, service, requestedAt, tokenRequestorIdentifier } = request
  const active: EnrolmentAnswer = {
    status: "active",
    ...(service.startsWith("network-tokens/") && {
      tokenRequestorIdentifier: tokenRequestorIdentifier ?? identifierOf(merchant.id, service),
    }),
  }
  if (merchant.name.endsWith("Failed")) return { status: "failed" }
  if (merchant.name.endsWith("Pending")) return { status: "pending" }
  return merchant.name.endsWith("Slow") ? activeAfter(SLOW_MS, active, requestedAt, nowMs) : active
}

/** @param nowMs epoch milliseconds */
export function sandboxDomain(
  { domain, requestedAt }: RegisterDomainRequest,
  nowMs: number,
): EnrolmentAnswer {
  if (domain.startsWith("fail")) return { status: "failed" }
  return activeAfter(DOMAIN_MS, { status: "active" }, requestedAt, nowMs)
}

export function sandboxAcquirer({ configuration }: EnrolAcquirerRequest): EnrolmentAnswer {
  if (configuration.acquirerMerchantIdentifier.endsWith("000001")) return { status: "failed" }
  if (configuration.acquirerMerchantIdentifier.endsWith("000002")) return { status: "pending" }
  return { status: "active" }
}

function activeAfter(
  waitMs: number,
  active: EnrolmentAnswer,
  requestedAt: number,
  nowMs: number,
): EnrolmentAnswer {
  const restMs = requestedAt + waitMs - nowMs
  return restMs <= 0 ? active : { status: "pending", checkAfterMs: Math.min(restMs, waitMs) }
}

/** Returns 11 digits, as token service providers assign them. */
function identifierOf(merchantId: string, service: string): string {
  const digest = createHash("sha256").update(`${merchantId}\0${service}`).digest()
  return String(10_000_000_000 + (digest.readUIntBE(0, 6) % 90_000_000_000))
}
