import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { appRoute } from "../../routes.tsx"

export const playgroundRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "playground",
  component: lazyRouteComponent(() => import("./playground.tsx"), "Playground"),
})
