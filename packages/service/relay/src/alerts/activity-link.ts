import type { Relay } from "../relays/relay.ts"

/** The page of a relay's activity, by the id of its app and its own. */
const DASHBOARD_PATH = "/dashboard"

/**
 * Returns where the dashboard is; null when there is none.
 *
 * @param browserUrl where browsers reach the API: `https://dashboard.example.com/api`
 */
export function dashboardUrlOf(browserUrl: string | null, hasDashboard: boolean): string | null {
  return hasDashboard && browserUrl !== null ? new URL(DASHBOARD_PATH, browserUrl).href : null
}

/**
 * Returns where people see a request through a relay: its page in the dashboard. Without a dashboard, the path of the
 * API that returns it.
 *
 * @param dashboardUrl `https://dashboard.example.com/dashboard`; null for none
 * @param activityId null for the list of all of the relay's requests
 */
export function activityLink(
  dashboardUrl: string | null,
  { id, appId }: Pick<Relay, "id" | "appId">,
  activityId: string | null,
): string {
  if (dashboardUrl === null) return `/relays/${id}/activity${activityId === null ? "" : `/${activityId}`}`
  const page = `${dashboardUrl}/apps/${appId}/relays/${id}`
  return activityId === null ? `${page}?tab=activity` : `${page}/activity/${activityId}`
}
