import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { appRoute } from "../../routes.tsx"
import { type NewPolicySearch, readNewPolicySearch } from "./new-policy-search.ts"

const rolesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "policies",
  component: lazyRouteComponent(() => import("./roles.tsx"), "Roles"),
})

const roleRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "policies/roles/$slug",
  component: lazyRouteComponent(() => import("./role.tsx"), "Role"),
})

const newPolicyRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "policies/new",
  validateSearch: (search: Record<string, unknown>): NewPolicySearch => readNewPolicySearch(search),
  component: lazyRouteComponent(() => import("./policy-pages.tsx"), "NewPolicy"),
})

const policyRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "policies/$policyId",
  component: lazyRouteComponent(() => import("./policy-pages.tsx"), "SavedPolicy"),
})

export const policyRoutes = [rolesRoute, roleRoute, newPolicyRoute, policyRoute] as const
