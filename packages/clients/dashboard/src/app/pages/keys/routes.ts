import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { appRoute } from "../../routes.tsx"

export const keysRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "keys",
  component: lazyRouteComponent(() => import("./keys.tsx"), "Keys"),
})
