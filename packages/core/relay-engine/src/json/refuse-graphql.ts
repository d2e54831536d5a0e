import type { Work } from "@sealway/kernel"
import { UnreadableBodyError } from "../body/located-body.ts"
import type { JsonPath, Segment } from "../jsonpath/json-path.ts"
import type { NodeWalk } from "../jsonpath/select-nodes.ts"
import type { WalkBudget } from "../tree/walk-budget.ts"
import { hasSelectedLiteral } from "./graphql-literals.ts"
import type { JsonTree } from "./json-tree.ts"
import type { SelectedLeaves } from "./selected-leaves.ts"

const ROOT = 0
const EACH: Segment = { descendant: false, selectors: [{ kind: "wildcard" }] }

/** Reading a character of a GraphQL query takes as long as visiting this many nodes. */
const STEPS_PER_QUERY_CHARACTER = 2

/** What stands for no variables. */
const NO_VARIABLES = /^(?:\{\s*\}|null)?$/

/** A JSON body in which all selections are known. */
export interface GraphqlBody {
  readonly tree: JsonTree
  /** Finds what servers read. */
  readonly walk: NodeWalk
  readonly budget: WalkBudget
  readonly leaves: SelectedLeaves
  readonly encrypting: ReadonlySet<number>
}

/**
 * Refuses GraphQL requests whose server would find a value for selected variables in another place: in the query, in
 * variables that are a text, or in a list of requests (batching).
 *
 * @throws UnreadableBodyError
 */
export function* refuseGraphql(
  body: GraphqlBody,
  path: Required<Pick<JsonPath, "selector" | "segments" | "graphql">>,
): Work<void> {
  const { tree, walk, leaves, encrypting } = body
  const { selector, segments, graphql } = path
  const batches = tree.kind(ROOT) === "array" ? [[EACH]] : []
  for (const before of [[], ...batches]) {
    yield* refuseLiterals(body, path, before)
    if (graphql.holder !== null) yield* refuseText(body, selector, [...before, ...graphql.holder])
  }
  for (const before of batches) {
    if (yield* leaves.covers(yield* walk.select([...before, ...segments]), encrypting)) continue
    throw new UnreadableBodyError(
      "malformed",
      `The GraphQL requests are a list, and servers could find \`${selector}\` in each: send them one by one, or select it in the list too.`,
    )
  }
}

/** Refuses values that the query has in the places of variables. */
function* refuseLiterals(
  { tree, walk, budget }: GraphqlBody,
  { selector, graphql }: Required<Pick<JsonPath, "selector" | "graphql">>,
  before: readonly Segment[],
): Work<void> {
  for (const node of yield* walk.select([...before, ...graphql.query])) {
    if (tree.kind(node) !== "string") continue
    const query = String(tree.scalar(node))
    budget.spend(STEPS_PER_QUERY_CHARACTER * query.length)
    if (!(yield* hasSelectedLiteral(query, graphql))) continue
    throw new UnreadableBodyError(
      "malformed",
      `The GraphQL query has a value where \`${selector}\` is encrypted: pass it as the variable that the selector names.`,
    )
  }
}

/**
 * Refuses variables that are a text, in which nothing is selected. Servers parse it: express-graphql, Apollo Server up to
 * 3, graphene-django, and the controller that graphql-ruby generates for Rails.
 */
function* refuseText({ tree, walk }: GraphqlBody, selector: string, holder: readonly Segment[]): Work<void> {
  for (const node of yield* walk.select(holder)) {
    if (tree.kind(node) !== "string" || NO_VARIABLES.test(String(tree.scalar(node)).trim())) continue
    throw new UnreadableBodyError(
      "malformed",
      `The GraphQL variables are a text, and servers that parse it could find \`${selector}\` in it: pass them as an object.`,
    )
  }
}
