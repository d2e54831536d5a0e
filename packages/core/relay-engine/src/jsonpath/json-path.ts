/** A compiled selector (RFC 9535): plain data, checked and bounded, without anything executable. */
export interface JsonPath {
  /** As it was written. */
  readonly selector: string
  readonly segments: readonly Segment[]
  /** For a selector of variables of GraphQL; absent for others. */
  readonly graphql?: GraphqlSelection
  /** For an XML selector: selects in a `LenientXmlTree` everything that some parser may read as selected. */
  readonly lenient?: readonly Segment[]
  /** For an XML selector: the same as `segments` in a document with any root. */
  readonly anyRoot?: readonly Segment[]
  /** For an XML selector: the names of its elements and attributes alone. */
  readonly merged?: readonly Segment[]
  /** For an XML selector: the same with elements at any position instead of certain ones. */
  readonly anywhere?: readonly Segment[]
}

/** What a selector selects of the variables of a GraphQL request (GraphQL over HTTP, section 5.4). */
export interface GraphqlSelection {
  /** Selects the query that the variables are for. */
  readonly query: readonly Segment[]
  /** Selects what holds the variables, of which only a part is selected; null when all of them are. */
  readonly holder: readonly Segment[] | null
  /** The variables that are selected, or of which something is; null for all. */
  readonly variables: ReadonlySet<string> | null
  /** The names on the way to selected values, below the variables too; null for all. */
  readonly names: ReadonlySet<string> | null
  /** Those of the values themselves. */
  readonly last: ReadonlySet<string>
}

/** RFC 9535, section 2.5. */
export interface Segment {
  /** `..`: looks in the nodes themselves and in everything below them. */
  readonly descendant: boolean
  readonly selectors: readonly Selector[]
}

/** RFC 9535, section 2.3. */
export type Selector =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "wildcard" }
  /** Counts from the end when negative. */
  | { readonly kind: "index"; readonly index: number }
  /** Null: as far as possible in the direction of `step`. */
  | {
      readonly kind: "slice"
      readonly start: number | null
      readonly end: number | null
      readonly step: number
    }
  | { readonly kind: "filter"; readonly test: Test }

/** A query inside a filter. */
export interface Query {
  /** `$`: from the root; `@`: from the node that the filter tests. */
  readonly absolute: boolean
  readonly segments: readonly Segment[]
}

/** A condition on a node. */
export type Test =
  | { readonly kind: "and" | "or"; readonly left: Test; readonly right: Test }
  | { readonly kind: "not"; readonly test: Test }
  | { readonly kind: "exists"; readonly query: Query }
  | {
      readonly kind: "compare"
      readonly operator: Operator
      readonly left: Comparable
      readonly right: Comparable
    }
  /** `match()` and `search()`: a pattern for the whole text, or for a part of it. */
  | {
      readonly kind: "pattern"
      readonly whole: boolean
      readonly text: Comparable
      readonly pattern: Comparable
    }

export type Operator = "==" | "!=" | "<" | "<=" | ">" | ">="

/** What has a value, or none, when a filter is tested. */
export type Comparable =
  | { readonly kind: "literal"; readonly value: string | number | boolean | null }
  /** A singular query: only names and indexes. */
  | { readonly kind: "query"; readonly query: Query }
  | { readonly kind: "length"; readonly argument: Comparable }
  | { readonly kind: "count" | "value"; readonly query: Query }
