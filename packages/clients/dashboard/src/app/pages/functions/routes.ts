import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { appRoute } from "../../routes.tsx"

const functionsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "functions",
  component: lazyRouteComponent(() => import("./functions.tsx"), "Functions"),
})

const functionRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "functions/$functionName",
  component: lazyRouteComponent(() => import("./function.tsx"), "FunctionPage"),
})

export const functionRoutes = [functionsRoute, functionRoute] as const
