import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { appRoute } from "../../routes.tsx"

/** How far the charts of the first page look back. */
export type Span = "hour" | "day" | "month"

export const homeRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/",
  validateSearch: ({ span }: Record<string, unknown>): { readonly span?: Span } =>
    span === "hour" || span === "month" ? { span } : {},
  component: lazyRouteComponent(() => import("./home.tsx"), "Home"),
})
