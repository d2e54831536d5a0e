import type { Comparable, Query, Segment, Selector, Test } from "./json-path.ts"

/**
 * Renames the segments' names, including those in queries of filters. Recursive as far as the selector is nested.
 *
 * @param rename returns the names that replace a name
 */
export function mapNames(
  segments: readonly Segment[],
  rename: (name: string) => readonly string[],
): readonly Segment[] {
  const ofQuery = (query: Query): Query => ({ ...query, segments: mapNames(query.segments, rename) })
  const ofComparable = (comparable: Comparable): Comparable => {
    switch (comparable.kind) {
      case "literal":
        return comparable
      case "length":
        return { ...comparable, argument: ofComparable(comparable.argument) }
      case "query":
      case "value":
      case "count":
        return { ...comparable, query: ofQuery(comparable.query) }
    }
  }
  const ofTest = (test: Test): Test => {
    switch (test.kind) {
      case "and":
      case "or":
        return { ...test, left: ofTest(test.left), right: ofTest(test.right) }
      case "not":
        return { ...test, test: ofTest(test.test) }
      case "exists":
        return { ...test, query: ofQuery(test.query) }
      case "compare":
        return { ...test, left: ofComparable(test.left), right: ofComparable(test.right) }
      case "pattern":
        return { ...test, text: ofComparable(test.text), pattern: ofComparable(test.pattern) }
    }
  }
  const ofSelector = (selector: Selector): readonly Selector[] => {
    if (selector.kind === "name") return rename(selector.name).map((name) => ({ ...selector, name }))
    return selector.kind === "filter" ? [{ ...selector, test: ofTest(selector.test) }] : [selector]
  }
  return segments.map((segment) => ({ ...segment, selectors: segment.selectors.flatMap(ofSelector) }))
}
