import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { appRoute } from "../../routes.tsx"

const honeyTokensRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "honey-tokens",
  component: lazyRouteComponent(() => import("./honey-tokens.tsx"), "HoneyTokens"),
})

const honeyTokenRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "honey-tokens/$honeyTokenId",
  component: lazyRouteComponent(() => import("./honey-token.tsx"), "HoneyTokenPage"),
})

export const honeyRoutes = [honeyTokensRoute, honeyTokenRoute] as const
