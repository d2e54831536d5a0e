import { type App, type AuditAuthor, type FilteredPage, pageFiltered } from "@sealway/platform"
import { deleteEnrolled, type KeepingDependencies, requireEnrolled } from "../enrolments/keep-enrolled.ts"
import { type Subscription, type SubscriptionStatus, statusOf } from "./subscription.ts"
import { SUBSCRIPTIONS } from "./subscription-kind.ts"

/** How many subscriptions one call reads to find those that match. */
export const MAX_LOOKED_AT = 1_000

export interface SubscriptionFilter {
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

/**
 * Returns a page of an app's subscriptions, newest first. Reads at most 1,000 of them, so a filtered page may hold few or
 * none although more follow.
 */
export function listSubscriptions(
  dependencies: Pick<KeepingDependencies, "paymentsTable" | "keyring" | "log">,
  app: App,
  { limit, startingAfter }: { readonly limit: number; readonly startingAfter?: string | undefined },
  { merchant, status }: SubscriptionFilter,
): Promise<FilteredPage<Subscription>> {
  return pageFiltered(SUBSCRIPTIONS.table.newestFirst(dependencies, app, startingAfter), {
    limit,
    maxLookedAt: MAX_LOOKED_AT,
    takes: (subscription) =>
      subscription.deletedAt === null &&
      (merchant === undefined || subscription.details.merchantId === merchant) &&
      (status === undefined || statusOf(subscription) === status),
  })
}

/**
 * Deletes a subscription. Callers no longer find it; the record stays until the network has confirmed the end.
 *
 * @throws NotFoundError, ConflictError when another call changes it
 */
export async function deleteSubscription(
  dependencies: KeepingDependencies,
  app: App,
  id: string,
  author: AuditAuthor,
): Promise<void> {
  const subscription = await requireSubscription(dependencies, app, id)
  await deleteEnrolled(SUBSCRIPTIONS, dependencies, app, subscription, author)
}
