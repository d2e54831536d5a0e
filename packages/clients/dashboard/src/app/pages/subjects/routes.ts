import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { appRoute } from "../../routes.tsx"

const dataSubjectsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "data-subjects",
  component: lazyRouteComponent(() => import("./data-subjects.tsx"), "DataSubjects"),
})

const dataSubjectRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "data-subjects/$dataSubjectId",
  component: lazyRouteComponent(() => import("./data-subject.tsx"), "DataSubjectPage"),
})

export const subjectRoutes = [dataSubjectsRoute, dataSubjectRoute] as const
