import { DynamoDbError, invalid, notOffered } from "./dynamodb-error.ts"

/** The fields of a request, as JSON. */
export type RequestMembers = ReadonlyMap<string, unknown>

/** @throws DynamoDbError SerializationException */
export function parseMembers(body: string): RequestMembers {
  const value = parseJson(body)
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new DynamoDbError("SerializationException", "The body is not a JSON object.")
  }
  return new Map(Object.entries(value))
}

/**
 * Refuses fields that are not listed: ignoring one would give a different answer than DynamoDB.
 *
 * @throws DynamoDbError ValidationException
 */
export function allowMembers(members: RequestMembers, names: readonly string[]): void {
  for (const name of members.keys()) if (!names.includes(name)) throw notOffered("a member of the request")
}

/** @throws DynamoDbError ValidationException when it is not a string */
export function textMember(members: RequestMembers, name: string): string {
  const value = members.get(name)
  if (typeof value !== "string") throw invalid(`The parameter '${name}' must be a string.`)
  return value
}

/** @throws DynamoDbError ValidationException when it is present and not a string */
export function optionalTextMember(members: RequestMembers, name: string): string | null {
  return members.has(name) ? textMember(members, name) : null
}

/** @throws DynamoDbError ValidationException when it is present and neither true nor false */
export function booleanMember(members: RequestMembers, name: string, otherwise: boolean): boolean {
  const value = members.get(name) ?? otherwise
  if (typeof value !== "boolean") throw invalid(`The parameter '${name}' must be a boolean.`)
  return value
}

/**
 * Returns one of the supported values; the first one by default.
 *
 * @throws DynamoDbError ValidationException
 */
export function choiceMember<Choice extends string>(
  members: RequestMembers,
  name: string,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  const value = members.get(name) ?? choices[0]
  const chosen = choices.find((each) => each === value)
  if (chosen === undefined) throw notOffered(`this value of '${name}'`)
  return chosen
}

const TABLE_NAME = /^[a-zA-Z0-9_.-]{3,255}$/

/** @throws DynamoDbError ValidationException */
export function tableNameMember(members: RequestMembers): string {
  const name = textMember(members, "TableName")
  if (!TABLE_NAME.test(name)) throw invalid("TableName must be 3 to 255 letters, digits, '_', '-' or '.'.")
  return name
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    // The parser's own message quotes the body.
    throw new DynamoDbError("SerializationException", "The body is not JSON.")
  }
}
