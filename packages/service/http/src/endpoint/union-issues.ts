import type * as z from "zod"

type Issue = z.core.$ZodIssue
type Issues = readonly Issue[]

/**
 * Returns the issues of the member of a union that a value comes closest to: the one with the fewest unknown fields, then
 * with the fewest issues. Where several are equally close, says what begins each of them.
 */
export function issuesWithinUnion(issue: Issue): Issues {
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return [issue]
  const ofItsType = issue.errors.filter((issues) => !issues.some(isOfAnotherType))
  if (ofItsType.length === 0) return [{ ...issue, message: expectedTypes(issue.errors) ?? issue.message }]
  const least = ofItsType.map(distanceOf).reduce((one, other) => (isLess(other, one) ? other : one))
  const closest = ofItsType.filter((issues) => !isLess(least, distanceOf(issues)))
  const beginnings = new Set(closest.map(beginningOf))
  const [only = []] = closest
  if (beginnings.size > 1 && !beginnings.has(null)) {
    return [{ ...issue, message: `One of these fields is required: ${[...beginnings].join(", ")}` }]
  }
  return only.map((each) => ({ ...each, path: [...issue.path, ...each.path] })).flatMap(issuesWithinUnion)
}

const isOfAnotherType = ({ path, code }: Issue): boolean => path.length === 0 && code === "invalid_type"

/** The number of unknown fields, and of issues. */
function distanceOf(issues: Issues): readonly [number, number] {
  const unknown = issues.flatMap((each) => (each.code === "unrecognized_keys" ? each.keys : []))
  return [unknown.length, issues.length]
}

function isLess(one: readonly [number, number], other: readonly [number, number]): boolean {
  return one[0] === other[0] ? one[1] < other[1] : one[0] < other[0]
}

/** Returns the first field that is missing or wrong; null when all are right. */
function beginningOf(issues: Issues): string | null {
  const [name] = issues.find(({ path }) => path.length > 0)?.path ?? []
  return name === undefined ? null : String(name)
}

/** Returns null when a member says nothing of the type that it expects. */
function expectedTypes(errors: readonly Issues[]): string | null {
  const types = errors.map((issues) => issues.find(isOfAnotherType))
  const names = new Set(types.map((each) => (each?.code === "invalid_type" ? each.expected : null)))
  return names.has(null) ? null : `Invalid input: expected ${[...names].join(" or ")}`
}
