import { createHash } from "node:crypto"
import type { App } from "@sealway/accounts"
import { createdAtSchema, showTimes, updatedAtSchema } from "@sealway/bins"
import { ConflictError, ID_RANDOM_BYTES, idsFrom, NotFoundError, randomPartOf } from "@sealway/kernel"
import type { AuditAuthor } from "@sealway/records"
import * as z from "zod"
import { findEnrolment } from "../enrolments/enrolled-record.ts"
import type { KeepingDependencies } from "../enrolments/keep-enrolled.ts"
import { changeMerchant, requireMerchant } from "../merchants/manage-merchants.ts"
import { type Merchant, RETRIES } from "../merchants/merchant.ts"

export const RETRY_NETWORKS = ["mastercard"] as const

/** A merchant's enrolment for intelligent retries in API responses. */
export const retryEnrolmentSchema = z
  .object({
    id: z.string(),
    network: z.enum(RETRY_NETWORKS),
    status: z.enum(["pending", "active", "failed"]),
    createdAt: createdAtSchema,
    updatedAt: updatedAtSchema,
  })
  .meta({ id: "RetryEnrolment" })

export type RetryEnrolment = z.infer<typeof retryEnrolmentSchema>

/**
 * Returns the enrolment of a merchant: its `intelligentRetries` as a resource of its own. Each request for it creates
 * another id, so that the id of a deleted one never means a later one.
 *
 * @returns null when the merchant is not enrolled
 */
export function retryEnrolmentOf(merchant: Merchant): RetryEnrolment | null {
  const enrolment = findEnrolment(merchant, RETRIES)
  if (enrolment === null || !merchant.details.retries.isEnabled) return null
  const { round, status, requestedAt, newsAt } = enrolment
  if (status === "inactive" || status === "withdrawing") return null
  const name = createHash("sha256").update(`retry-enrolment\0${merchant.id}\0${round}`).digest()
  return {
    id: idsFrom("retry_enrolment", requestedAt) + randomPartOf(name.subarray(0, ID_RANDOM_BYTES)),
    network: "mastercard",
    status,
    ...showTimes({
      createdAt: requestedAt,
      updatedAt: status !== "pending" && newsAt > requestedAt ? newsAt : null,
    }),
  }
}

/** @throws NotFoundError for a merchant that the app does not have */
export async function listRetryEnrolments(
  dependencies: Pick<KeepingDependencies, "paymentsTable" | "keyring">,
  app: App,
  merchantId: string,
): Promise<readonly RetryEnrolment[]> {
  const enrolment = retryEnrolmentOf(await requireMerchant(dependencies, app, merchantId))
  return enrolment === null ? [] : [enrolment]
}

/** @throws NotFoundError */
export async function requireRetryEnrolment(
  dependencies: Pick<KeepingDependencies, "paymentsTable" | "keyring">,
  app: App,
  merchantId: string,
  id: string,
): Promise<RetryEnrolment> {
  return enrolmentOfId(await requireMerchant(dependencies, app, merchantId), id)
}

function enrolmentOfId(merchant: Merchant, id: string): RetryEnrolment {
  const enrolment = retryEnrolmentOf(merchant)
  if (enrolment?.id !== id) throw new NotFoundError("The retry enrolment")
  return enrolment
}

/**
 * Enrols a merchant, also one whose enrolment has failed.
 *
 * @throws NotFoundError, ConflictError when it is enrolled, or others keep changing it; ApiError `service-unavailable` when the app
 * has no network
 */
export async function createRetryEnrolment(
  dependencies: KeepingDependencies,
  app: App,
  merchantId: string,
  author: AuditAuthor,
): Promise<RetryEnrolment> {
  const changes = { retries: { isEnabled: true } }
  const merchant = await changeMerchant(dependencies, app, merchantId, changes, author, requireUnenrolled)
  const enrolment = retryEnrolmentOf(merchant)
  if (enrolment === null) throw new Error("A merchant that was enrolled is not")
  return enrolment
}

function requireUnenrolled(merchant: Merchant): void {
  const status = retryEnrolmentOf(merchant)?.status ?? "failed"
  if (status === "failed") return
  throw new ConflictError("The merchant is already enrolled for intelligent retries.")
}

/** @throws NotFoundError, ConflictError when others keep changing the merchant */
export async function deleteRetryEnrolment(
  dependencies: KeepingDependencies,
  app: App,
  merchantId: string,
  id: string,
  author: AuditAuthor,
): Promise<void> {
  const changes = { retries: { isEnabled: false } }
  await changeMerchant(dependencies, app, merchantId, changes, author, (merchant) => {
    enrolmentOfId(merchant, id)
  })
}
