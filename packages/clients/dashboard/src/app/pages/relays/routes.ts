import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { appRoute } from "../../routes.tsx"
import { type RelaySearch, readRelaySearch } from "./relay-search.ts"

const relaysRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "relays",
  component: lazyRouteComponent(() => import("./relays.tsx"), "Relays"),
})

const relayRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "relays/$relayId",
  validateSearch: (search: Record<string, unknown>): RelaySearch => readRelaySearch(search),
  component: lazyRouteComponent(() => import("./relay.tsx"), "RelayPage"),
})

/** Alerts link here. */
const relayRequestRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "relays/$relayId/activity/$activityId",
  component: lazyRouteComponent(() => import("./relayed-request.tsx"), "RelayedRequest"),
})

export const relayRoutes = [relaysRoute, relayRoute, relayRequestRoute] as const
