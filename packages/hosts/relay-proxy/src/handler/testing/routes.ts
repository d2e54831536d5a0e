import type { Action, Route } from "@sealway/relay-engine"

/** Creates an action on what a JSONPath selects. */
export function actionOn(action: Action["action"], selector: string, role: string | null = null): Action {
  return { action, selections: [{ type: "json", selector, role }] }
}

/** Creates a route for every request, with no actions except the given ones. */
export function routeWith(changes: Partial<Route>): Route {
  return { method: null, path: "/**", request: [], response: [], ...changes }
}
