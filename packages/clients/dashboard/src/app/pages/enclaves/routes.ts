import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { appRoute } from "../../routes.tsx"

const enclavesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "enclaves",
  component: lazyRouteComponent(() => import("./enclaves.tsx"), "Enclaves"),
})

const enclaveRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "enclaves/$enclaveId",
  component: lazyRouteComponent(() => import("./enclave.tsx"), "EnclavePage"),
})

export const enclaveRoutes = [enclavesRoute, enclaveRoute] as const
