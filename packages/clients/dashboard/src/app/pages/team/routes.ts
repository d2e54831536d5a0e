import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { teamRoute } from "../../routes.tsx"

/** The filters of the audit log, as they are in the address. */
export interface AuditFilters {
  readonly action?: string
  readonly app?: string
  readonly actor?: string
}

const membersRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: "members",
  component: lazyRouteComponent(() => import("./members.tsx"), "Members"),
})

const memberRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: "members/$memberId",
  component: lazyRouteComponent(() => import("./member.tsx"), "MemberPage"),
})

const teamSettingsRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: "settings",
  component: lazyRouteComponent(() => import("./team-settings.tsx"), "TeamSettings"),
})

const auditLogRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: "audit-log",
  validateSearch: (search: Record<string, unknown>): AuditFilters => ({
    ...textOf(search, "action"),
    ...textOf(search, "app"),
    ...textOf(search, "actor"),
  }),
  component: lazyRouteComponent(() => import("./audit-log.tsx"), "AuditLog"),
})

export const teamRoutes = [membersRoute, memberRoute, teamSettingsRoute, auditLogRoute] as const

function textOf(search: Record<string, unknown>, name: keyof AuditFilters): AuditFilters {
  const value = search[name]
  return typeof value === "string" && value !== "" ? { [name]: value } : {}
}
