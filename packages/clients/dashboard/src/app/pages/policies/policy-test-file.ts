import type { DecryptionContext } from "@sealway/sdk/api"

/** One test of a role's policies. */
export interface PolicyTest {
  readonly name: string
  /** The service checks its fields. */
  readonly context: DecryptionContext
  readonly expect: "permit" | "masked" | "deny"
  /** Names of the policies that must decide. Undefined: any may. */
  readonly decidedBy: readonly string[] | undefined
}

/** A file of tests, as `sealway policies test` reads it. */
export interface PolicyTestFile {
  readonly role: string
  /** Names of the policies to test. Undefined: all policies of the role. */
  readonly policies: readonly string[] | undefined
  readonly tests: readonly PolicyTest[]
}

/** A file is no file of policy tests. */
export class PolicyTestFileError extends Error {
  override readonly name = "PolicyTestFileError"
}

/**
 * Reads the content of a file of policy tests. Its proofs are left to `sealway policies prove`.
 *
 * @throws PolicyTestFileError that says what is wrong
 */
export function readPolicyTestFile(content: unknown): PolicyTestFile {
  const { role, policies, tests, proofs: _proofs, ...others } = objectOf(content, "The file")
  refuseOthers(others, "The file")
  if (typeof role !== "string") throw new PolicyTestFileError("role must be the slug of a data role.")
  if (!Array.isArray(tests) || tests.length === 0) {
    throw new PolicyTestFileError("tests must be a list with at least one test.")
  }
  const names = policies === undefined ? undefined : namesOf(policies, "policies")
  return { role, policies: names, tests: tests.map((test, index) => readTest(test, `Test ${index + 1}`)) }
}

function readTest(content: unknown, place: string): PolicyTest {
  const { name, context = {}, expect, decidedBy, ...others } = objectOf(content, place)
  refuseOthers(others, place)
  if (typeof name !== "string") throw new PolicyTestFileError(`${place}: name must be a text.`)
  if (expect !== "permit" && expect !== "masked" && expect !== "deny") {
    throw new PolicyTestFileError(`${place}: expect must be permit, masked or deny.`)
  }
  return {
    name,
    expect,
    context: objectOf(context, `${place}: context`),
    decidedBy: decidedBy === undefined ? undefined : namesOf(decidedBy, `${place}: decidedBy`),
  }
}

function objectOf(content: unknown, place: string): Readonly<Record<string, unknown>> {
  if (typeof content === "object" && content !== null && !Array.isArray(content)) {
    return Object.fromEntries(Object.entries(content))
  }
  throw new PolicyTestFileError(`${place} must be an object.`)
}

function namesOf(content: unknown, place: string): readonly string[] {
  if (Array.isArray(content) && content.every((name) => typeof name === "string")) return content
  throw new PolicyTestFileError(`${place} must be a list of names.`)
}

function refuseOthers(others: object, place: string): void {
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new PolicyTestFileError(`${place} has an unknown field: ${unknown}.`)
}
