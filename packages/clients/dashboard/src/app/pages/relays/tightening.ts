import type { Relay, RelayActivity } from "@sealway/sdk/api"

type Options = Pick<Relay, "unmatched" | "passContentTypes" | "unknownContentTypes" | "rewriteLocations">
type Request = Pick<RelayActivity, "id" | "method" | "routes" | "createdAt" | "tolerated">

/** What passes whatever it contains. */
const UNCHECKED: ReadonlySet<string> = new Set(["*", "application/octet-stream"])
const REASONS = {
  unmatched: "no route matches it",
  "request-type": "no selection is for the type of its body",
  "response-type": "no selection is for the type of its response's body",
} as const

/**
 * Returns the options of a relay with which nothing passes that no route and no selection describes, and no redirect leads
 * past the relay.
 */
export function tightened({ passContentTypes }: Pick<Options, "passContentTypes">): Options {
  const listed = passContentTypes.filter((type) => !UNCHECKED.has(type))
  return {
    unmatched: "refuse",
    passContentTypes: listed,
    unknownContentTypes: "refuse",
    rewriteLocations: true,
  }
}

/** A request that would be refused then, or its response, and why. */
export interface Refused extends Omit<Request, "tolerated"> {
  readonly reasons: readonly string[]
}

/** Returns which requests the tightened relay would have refused, in the given order. */
export function refusedWhenTight(requests: readonly Request[]): readonly Refused[] {
  return requests.flatMap(({ id, method, routes, createdAt, tolerated }) =>
    tolerated.length === 0
      ? []
      : [{ id, method, routes, createdAt, reasons: tolerated.map((each) => REASONS[each]) }],
  )
}
