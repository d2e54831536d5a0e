import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { teamRoute } from "../../routes.tsx"

export const appsRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: "apps",
  component: lazyRouteComponent(() => import("./apps.tsx"), "Apps"),
})
