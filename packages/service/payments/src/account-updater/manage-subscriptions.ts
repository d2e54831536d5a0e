import type { App } from "@sealway/accounts"
import type { FilteredPage, RecordPageRequest } from "@sealway/ports"
import type { AuditAuthor } from "@sealway/records"
import { deleteEnrolled } from "../enrolments/change-enrolled.ts"
import { type KeepingDependencies, requireEnrolled } from "../enrolments/keep-enrolled.ts"
import { pageEnrolled } from "../enrolments/page-enrolled.ts"
import { type Subscription, type SubscriptionStatus, statusOf } from "./subscription.ts"
import { SUBSCRIPTIONS } from "./subscription-kind.ts"

export interface SubscriptionFilter extends RecordPageRequest {
  /** Id. */
  readonly merchant?: string | undefined
  readonly status?: SubscriptionStatus | undefined
}

/** @throws NotFoundError */
export function requireSubscription(
  dependencies: Pick<KeepingDependencies, "paymentsTable" | "keyring">,
  app: App,
  id: string,
): Promise<Subscription> {
  return requireEnrolled(SUBSCRIPTIONS, dependencies, app, id)
}

/** Lists subscriptions, newest first. */
export function listSubscriptions(
  dependencies: Pick<KeepingDependencies, "paymentsTable" | "keyring" | "log">,
  app: App,
  { merchant, status, ...page }: SubscriptionFilter,
): Promise<FilteredPage<Subscription>> {
  return pageEnrolled(
    SUBSCRIPTIONS,
    dependencies,
    app,
    page,
    (subscription) =>
      (merchant === undefined || subscription.details.merchantId === merchant) &&
      (status === undefined || statusOf(subscription) === status),
  )
}

/**
 * Deletes a subscription. Callers no longer find it; the record stays until the network has confirmed the end.
 *
 * @throws NotFoundError, ConflictError when others keep changing it
 */
export function deleteSubscription(
  dependencies: KeepingDependencies,
  app: App,
  id: string,
  author: AuditAuthor,
): Promise<void> {
  return deleteEnrolled(SUBSCRIPTIONS, dependencies, app, id, author)
}
