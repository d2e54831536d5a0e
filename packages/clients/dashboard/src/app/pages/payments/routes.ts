import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { appRoute } from "../../routes.tsx"
import { type PaymentsSearch, readPaymentsSearch } from "./payments-search.ts"

const paymentsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "payments",
  validateSearch: (search: Record<string, unknown>): PaymentsSearch => readPaymentsSearch(search),
  component: lazyRouteComponent(() => import("./payments.tsx"), "Payments"),
})

const cardRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "payments/cards/$cardId",
  component: lazyRouteComponent(() => import("./card.tsx"), "CardPage"),
})

const networkTokenRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "payments/network-tokens/$tokenId",
  component: lazyRouteComponent(() => import("./network-token.tsx"), "NetworkTokenPage"),
})

const sessionRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "payments/3ds-sessions/$sessionId",
  component: lazyRouteComponent(() => import("./session.tsx"), "SessionPage"),
})

const merchantRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "payments/merchants/$merchantId",
  component: lazyRouteComponent(() => import("./merchant.tsx"), "MerchantPage"),
})

const acquirerRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "payments/acquirers/$acquirerId",
  component: lazyRouteComponent(() => import("./acquirer.tsx"), "AcquirerPage"),
})

const alertRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "payments/alerts/$alertId",
  component: lazyRouteComponent(() => import("./alert.tsx"), "AlertPage"),
})

export const paymentRoutes = [
  paymentsRoute,
  cardRoute,
  networkTokenRoute,
  sessionRoute,
  merchantRoute,
  acquirerRoute,
  alertRoute,
] as const
