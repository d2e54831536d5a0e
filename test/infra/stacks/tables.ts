import { beforeAll, describe, expect, test } from "vitest"
import { type Statement, statementsOf } from "../iam-policy.ts"
import { configuredStage, relayedStage, type SynthesizedStage } from "../synthesize-stage.ts"

/** All that writes an item. Transactions and batches ask for these, or have actions that IAM names by themselves. */
const ITEM_WRITES = ["PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"].map(
  (name) => `dynamodb:${name}`,
)
const PARTIQL_WRITES = ["PartiQLInsert", "PartiQLUpdate", "PartiQLDelete"].map((name) => `dynamodb:${name}`)
const WRITES = [...ITEM_WRITES, ...PARTIQL_WRITES]

/** What issues, changes and ends keys, sessions and memberships. Whatever is not listed may not write to their table. */
const WRITERS_OF_KEYS: Readonly<Record<string, readonly string[]>> = {
  ...writers(["PutItem"], ["create-app", "update-app", "rotate-keys"]),
  ...writers(["PutItem"], ["create-api-key", "narrow-api-key", "revoke-api-key", "rotate-api-key"]),
  ...writers(["PutItem"], ["create-team-key", "revoke-team-key"]),
  ...writers(["PutItem"], ["create-invitation", "revoke-invitation", "update-member", "renew-session"]),
  ...writers(
    ["DeleteItem", "PutItem"],
    ["delete-member", "revoke-member-session", "revoke-session", "sign-out"],
  ),
  ...writers(["DeleteItem", "PutItem"], ["use-sign-in-link", "finish-oidc-sign-in"]),
  ...writers(["PutItem"], ["create-sign-in-link"]),
}
const WRITERS_OF_AUDIT = writers(["PutItem"], ["audit-writer"])

function writers(actions: readonly string[], names: readonly string[]): Record<string, readonly string[]> {
  return Object.fromEntries(names.map((name) => [name, actions]))
}

/** Returns the statements that allow something, of all policies that the stage gives to a role, by the role's name. */
function allowedTo({ ofType }: SynthesizedStage): ReadonlyMap<string, readonly Statement[]> {
  const policies = ofType("AWS::IAM::ManagedPolicy").map((policy) => ({
    roles: JSON.stringify(policy.properties.Roles),
    allowed: statementsOf(policy).filter(({ Effect }) => Effect === "Allow"),
  }))
  return new Map(
    ofType("AWS::IAM::Role").map(({ id, properties: { RoleName } }) => [
      String(RoleName ?? id).replace(/^sealway-[a-z]+-/, ""),
      policies.filter(({ roles }) => roles.includes(`"${id}"`)).flatMap(({ allowed }) => allowed),
    ]),
  )
}

/** Returns what of a table's items each role may write, whatever the conditions. */
function writersOf(stage: SynthesizedStage, table: string): Record<string, readonly string[]> {
  const arn = `data/Tables${table}.Arn`
  const found = [...allowedTo(stage)].map(([role, statements]) => {
    const isOfTable = ({ Resource }: Statement) => Resource.some((each) => isLike(arn, each))
    const actions = statements.filter(isOfTable).flatMap(({ Action }) => Action)
    const written = WRITES.filter((write) => actions.some((action) => isLike(write, action)))
    return [role, written.map((action) => action.replace("dynamodb:", "")).sort()] as const
  })
  return Object.fromEntries(found.filter(([, written]) => written.length > 0))
}

function isLike(value: string, pattern: string): boolean {
  const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"))
  return new RegExp(`^${parts.join(".*")}$`).test(value)
}

const sorted = (record: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1)))

describe.each([
  ["a personal stage", () => configuredStage("ada")],
  ["production", () => configuredStage("production")],
  ["a stage with relays", relayedStage],
] as const)("in %s", (_name, synthesized) => {
  let stage: SynthesizedStage
  beforeAll(() => {
    stage = synthesized()
  })

  test("only what issues, changes and ends keys, members and sessions may write to their table", () => {
    expect(sorted(writersOf(stage, "keys"))).toEqual(sorted(WRITERS_OF_KEYS))
  })

  test("only its writer may add to the audit log, and no role may change or delete a record", () => {
    expect(writersOf(stage, "audit")).toEqual(WRITERS_OF_AUDIT)
  })

  test("every permission of a role is in a policy that this test reads", () => {
    const others = stage
      .ofType("AWS::IAM::Role")
      .filter(({ properties }) => "Policies" in properties || "ManagedPolicyArns" in properties)
    // AWS Backup has policies of AWS.
    expect(others.map(({ id }) => id).filter((id) => !id.startsWith("backup/"))).toEqual([])
    expect(stage.ofType("AWS::IAM::Policy")).toEqual([])
    expect(Object.keys(writersOf(stage, "config")).length).toBeGreaterThan(20)
  })

  test("the table of the audit log itself refuses changes to everybody, and additions to all but its writer", () => {
    const table = stage.ofType("AWS::DynamoDB::Table").find(({ id }) => id === "data/Tablesaudit")
    const policy = { ...table, properties: Object(table?.properties.ResourcePolicy) }
    const statements = statementsOf(policy as never)
    const denied = (sid: string) => statements.find(({ Sid }) => Sid === sid)
    const name = String(
      stage.ofType("AWS::IAM::Role").find(({ id }) => id === "audit/WriterRole")?.properties.RoleName,
    )
    const everybody = { Effect: "Deny", Principal: { AWS: ["*"] }, Resource: ["*"] }
    expect(denied("NobodyChangesRecords")).toMatchObject({ ...everybody, Condition: {} })
    // A batch deletes with the permission to write batches alone.
    expect(denied("OnlyItsWriterAddsRecords")).toMatchObject({
      ...everybody,
      Action: ["dynamodb:PutItem"],
      Condition: { ArnNotEquals: { "aws:PrincipalArn": [`arn:aws:iam::<AWS::AccountId>:role/${name}`] } },
    })
    expect(name).toMatch(/^sealway-[a-z]+-audit-writer$/)
    expect(statements.flatMap(({ Action }) => Action).sort()).toEqual([...WRITES].sort())
  })
})
