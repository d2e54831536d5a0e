import { jsonpath, TokenKind } from "json-p3"
import { SelectorError } from "../errors/selector-error.ts"
import type { Comparable, Operator, Query, Segment, Selector, Test } from "./json-path.ts"
import { Pattern } from "./pattern.ts"

const { selectors, expressions } = jsonpath

type Expression = jsonpath.expressions.FilterExpression

const OPERATORS: ReadonlyMap<string, Operator> = new Map(
  (["==", "!=", "<", "<=", ">", ">="] as const).map((operator) => [operator, operator]),
)

const NO_VALUE = "only values can be compared: literals, queries for one value, and functions that return one"

export interface ConvertedSegments {
  readonly segments: readonly Segment[]
  /** The number of them, including those in queries of filters. */
  readonly descendantSegments: number
}

/**
 * Converts what json-p3 has parsed to plain data. Refuses what its parser allows and RFC 9535 does not, such as a
 * comparison of a comparison.
 *
 * @throws SelectorError
 */
export function convertSegments(segments: readonly jsonpath.JSONPathSegment[]): ConvertedSegments {
  const conversion = new Conversion()
  return { segments: conversion.segments(segments), descendantSegments: conversion.descendantSegments }
}

class Conversion {
  descendantSegments = 0

  segments(segments: readonly jsonpath.JSONPathSegment[]): readonly Segment[] {
    return segments.map((segment) => {
      const descendant = segment.token.kind === TokenKind.DDOT
      if (descendant) this.descendantSegments++
      return { descendant, selectors: segment.selectors.map((selector) => this.#selector(selector)) }
    })
  }

  #selector(selector: jsonpath.JSONPathSelector): Selector {
    if (selector instanceof selectors.NameSelector) return { kind: "name", name: selector.name }
    if (selector instanceof selectors.WildcardSelector) return { kind: "wildcard" }
    if (selector instanceof selectors.IndexSelector) return { kind: "index", index: selector.index }
    if (selector instanceof selectors.SliceSelector) {
      const { start = null, stop = null, step = 1 } = selector
      return { kind: "slice", start, end: stop, step }
    }
    if (selector instanceof selectors.FilterSelector) {
      return { kind: "filter", test: this.#test(selector.expression) }
    }
    throw notUnderstood(selector.token.index, "it is not a selector")
  }

  #test(expression: Expression): Test {
    if (expression instanceof expressions.LogicalExpression) return this.#test(expression.expression)
    if (expression instanceof expressions.PrefixExpression) {
      return { kind: "not", test: this.#test(expression.right) }
    }
    if (expression instanceof expressions.FilterQuery)
      return { kind: "exists", query: this.#query(expression) }
    if (expression instanceof expressions.InfixExpression) return this.#infix(expression)
    if (expression instanceof expressions.FunctionExtension) return this.#pattern(expression)
    throw notUnderstood(expression.token.index)
  }

  #infix({ operator, left, right, token }: jsonpath.expressions.InfixExpression): Test {
    if (operator === "&&" || operator === "||") {
      const kind = operator === "&&" ? "and" : "or"
      return { kind, left: this.#test(left), right: this.#test(right) }
    }
    const comparison = OPERATORS.get(operator)
    if (comparison === undefined) throw notUnderstood(token.index, "it is not an operator")
    const [one, other] = [this.#comparable(left), this.#comparable(right)]
    return { kind: "compare", operator: comparison, left: one, right: other }
  }

  #pattern({ name, args, token }: jsonpath.expressions.FunctionExtension): Test {
    const [text, pattern] = args
    if ((name !== "match" && name !== "search") || text === undefined || pattern === undefined) {
      throw notUnderstood(token.index)
    }
    if (pattern instanceof expressions.StringLiteral) checkPattern(pattern.value, pattern.token.index)
    return {
      kind: "pattern",
      whole: name === "match",
      text: this.#comparable(text),
      pattern: this.#comparable(pattern),
    }
  }

  #comparable(expression: Expression): Comparable {
    if (expression instanceof expressions.NullLiteral) return { kind: "literal", value: null }
    if (
      expression instanceof expressions.StringLiteral ||
      expression instanceof expressions.NumberLiteral ||
      expression instanceof expressions.BooleanLiteral
    ) {
      return { kind: "literal", value: expression.value }
    }
    if (expression instanceof expressions.FilterQuery) {
      if (!expression.path.singularQuery()) throw notUnderstood(expression.token.index, NO_VALUE)
      return { kind: "query", query: this.#query(expression) }
    }
    if (expression instanceof expressions.FunctionExtension) return this.#valueFunction(expression)
    throw notUnderstood(expression.token.index, NO_VALUE)
  }

  #valueFunction({ name, args, token }: jsonpath.expressions.FunctionExtension): Comparable {
    const [argument] = args
    if (name === "length" && argument !== undefined)
      return { kind: "length", argument: this.#comparable(argument) }
    if ((name === "count" || name === "value") && argument instanceof expressions.FilterQuery) {
      return { kind: name, query: this.#query(argument) }
    }
    throw notUnderstood(token.index, NO_VALUE)
  }

  #query(query: jsonpath.expressions.FilterQuery): Query {
    return { absolute: query instanceof expressions.RootQuery, segments: this.segments(query.path.segments) }
  }
}

function checkPattern(source: string, position: number): void {
  const pattern = Pattern.compile(source)
  if (pattern === "invalid") {
    throw new SelectorError("The pattern is not a regular expression (RFC 9485).", position)
  }
  if (pattern === "too-large") {
    throw new SelectorError("The pattern is too large: too long, or with too many repetitions.", position)
  }
}

function notUnderstood(
  position: number,
  reason = "it is not a condition that is true or false for a node",
): SelectorError {
  return new SelectorError(`The selector is not valid JSONPath: ${reason}.`, position)
}
