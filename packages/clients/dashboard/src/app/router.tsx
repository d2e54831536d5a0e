import { createRouter } from "@tanstack/react-router"
import { appSettingsRoute, appsRoute } from "./pages/apps/routes.ts"
import { enclaveRoutes } from "./pages/enclaves/routes.ts"
import { fileRoutes } from "./pages/files/routes.ts"
import { functionRoutes } from "./pages/functions/routes.ts"
import { homeRoute } from "./pages/home/routes.ts"
import { honeyRoutes } from "./pages/honey/routes.ts"
import { keysRoute } from "./pages/keys/routes.ts"
import { paymentRoutes } from "./pages/payments/routes.ts"
import { playgroundRoute } from "./pages/playground/routes.ts"
import { policyRoutes } from "./pages/policies/routes.ts"
import { relayRoutes } from "./pages/relays/routes.ts"
import { subjectRoutes } from "./pages/subjects/routes.ts"
import { teamRoutes } from "./pages/team/routes.ts"
import { webhookRoutes } from "./pages/webhooks/routes.ts"
import { appRoute, indexRoute, rootRoute, teamRoute } from "./routes.tsx"

const routeTree = rootRoute.addChildren([
  indexRoute,
  appRoute.addChildren([
    homeRoute,
    playgroundRoute,
    ...policyRoutes,
    ...relayRoutes,
    ...functionRoutes,
    ...enclaveRoutes,
    ...paymentRoutes,
    ...honeyRoutes,
    ...subjectRoutes,
    ...fileRoutes,
    ...webhookRoutes,
    keysRoute,
    appSettingsRoute,
  ]),
  teamRoute.addChildren([appsRoute, ...teamRoutes]),
])

/** Every page has an address below `/dashboard`. */
export const router = createRouter({
  routeTree,
  basepath: "/dashboard",
  defaultPreload: "intent",
  scrollRestoration: true,
})

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router
  }
}
