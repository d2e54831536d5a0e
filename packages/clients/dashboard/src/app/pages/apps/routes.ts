import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { appRoute, teamRoute } from "../../routes.tsx"

export const appsRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: "apps",
  component: lazyRouteComponent(() => import("./apps.tsx"), "Apps"),
})

export const appSettingsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "settings",
  component: lazyRouteComponent(() => import("./app-settings.tsx"), "AppSettings"),
})
