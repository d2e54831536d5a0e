import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { connectAccount } from "../../infra/empty-stage/aws-account.ts"
import { type EmptyingOptions, emptyStage } from "../../infra/empty-stage/empty-stage.ts"
import { type FakeAccount, type FakeKey, startStageAccount } from "./stage-account.ts"

const arn = {
  function: (name: string) => `arn:aws:lambda:us-east-1:111122223333:function:${name}`,
  logGroup: (name: string) => `arn:aws:logs:us-east-1:111122223333:log-group:${name}`,
  distribution: (id: string) => `arn:aws:cloudfront::111122223333:distribution/${id}`,
  key: (id: string) => `arn:aws:kms:us-east-1:111122223333:key/${id}`,
  bucket: (name: string) => `arn:aws:s3:::${name}`,
}
const ofStack = (stage: string) => ({ "sealway:stage": stage })
const ofService = (stage: string) => ({ "sealway:stage": stage, "sealway:made-by": "service" })

const ofApp = (stage: string) => ({
  ...ofService(stage),
  "sealway:team": "team_1",
  "sealway:app": "app_1",
  "sealway:key": "x",
})

const OLD = "sealway-ada-fn-func_old-1"
const NEW = "sealway-ada-fn-func_new-1"
const OTHERS = "sealway-bob-fn-func_1-1"
/** As the service names tenants. */
const NAME = `relay-${"0".repeat(40)}`
const logGroupOf = (name: string) => `/aws/lambda/${name}`

let account: FakeAccount
let stop: () => void
let printed: string[]
let pauses: number

beforeEach(async () => {
  account = {
    tags: new Map<string, Record<string, string>>([
      [arn.function(NEW), ofService("ada")],
      [arn.logGroup(logGroupOf(NEW)), ofService("ada")],
      [arn.function(OTHERS), ofService("bob")],
      [arn.logGroup(logGroupOf(OTHERS)), ofService("bob")],
      [arn.function("sealway-ada-api-Encrypt"), ofStack("ada")],
      [arn.function("untagged-meanwhile"), {}],
      [arn.distribution("DADA"), ofStack("ada")],
      [arn.distribution("DBOB"), ofStack("bob")],
      // Listed by its tags for as long as KMS keeps it.
      [arn.key("key-1"), ofApp("ada")],
      [arn.bucket("sealway-ada-functions-code"), ofStack("ada")],
      [arn.bucket("sealway-ada-functions-gone"), ofStack("ada")],
      [arn.bucket("sealway-bob-functions-code"), ofStack("bob")],
    ]),
    functions: new Set(["other", OTHERS, OLD, "sealway-ada-api-Encrypt", NEW]),
    logGroups: new Set([OTHERS, OLD, NEW, "sealway-ada-fn-func_lost-1"].map(logGroupOf)),
    tenants: new Map(
      ["a", "b", "c"].map((name, index) => [
        `dt_${name}`,
        {
          distributionId: "DADA",
          name: NAME,
          domain: `${name}.example.com`,
          isEnabled: index > 0,
          notYet: index,
        },
      ]),
    ),
    buckets: new Map([
      ["sealway-ada-functions-code", new Set(["v1", "v2", "marker1", "v3", "marker2"])],
      ["sealway-bob-functions-code", new Set(["v1"])],
    ]),
    keys: new Map(
      [
        ["key-1", ofApp("ada"), "KEY_AGREEMENT"],
        ["key-2", ofApp("ada"), "KEY_AGREEMENT"],
        ["key-bob", ofApp("bob"), "KEY_AGREEMENT"],
        ["key-stage", ofStack("ada"), "ENCRYPT_DECRYPT"],
        ["key-tagged", ofApp("ada"), "ENCRYPT_DECRYPT"],
      ].map(([id, tags, usage]) => [String(id), { tags, usage, isPending: false } as FakeKey]),
    ),
    changes: [],
  }
  account.tenants.set("dt_bob", {
    distributionId: "DBOB",
    name: NAME,
    domain: "bob.example.com",
    isEnabled: true,
    notYet: 0,
  })
  printed = []
  pauses = 0
  vi.stubEnv("AWS_ACCESS_KEY_ID", "id")
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret")
  const { endpoint, close } = await startStageAccount(account)
  vi.stubEnv("AWS_ENDPOINT_URL", endpoint)
  stop = close
})
afterEach(() => {
  stop()
  vi.unstubAllEnvs()
})

const empty = (changes: Partial<EmptyingOptions> = {}) =>
  emptyStage({
    stage: "ada",
    isDryRun: false,
    isConfirmed: true,
    confirm: null,
    print: (line) => printed.push(line),
    sleep: async () => void pauses++,
    connect: (region) => connectAccount(region, process.env.AWS_ENDPOINT_URL),
    ...changes,
  })

const LEFT = [
  `  function             ${NEW}`,
  `  function             ${OLD}`,
  "  log group            /aws/lambda/sealway-ada-fn-func_lost-1",
  `  log group            ${logGroupOf(NEW)}`,
  `  log group            ${logGroupOf(OLD)}`,
  "  distribution tenant  dt_a (a.example.com)",
  "  distribution tenant  dt_b (b.example.com)",
  "  distribution tenant  dt_c (c.example.com)",
  "  key of an app        key-1, with which values can be decrypted",
  "  key of an app        key-2, with which values can be decrypted",
  "  bucket               sealway-ada-functions-code, all versions of all objects",
]

describe("emptying a stage", () => {
  test("deletes what the service created, with tags or from before there were tags, and nothing of another stage or of a stack", async () => {
    expect(await empty()).toBe(0)
    expect(account.functions).toEqual(new Set(["other", OTHERS, "sealway-ada-api-Encrypt"]))
    expect(account.logGroups).toEqual(new Set([logGroupOf(OTHERS)]))
    expect([...account.tenants.keys()]).toEqual(["dt_bob"])
    expect(account.tenants.get("dt_bob")?.isEnabled).toBe(true)
    const pending = [...account.keys].filter(([, { isPending }]) => isPending)
    expect(pending.map(([id]) => id)).toEqual(["key-1", "key-2"])
    expect(account.buckets).toEqual(
      new Map([
        ["sealway-ada-functions-code", new Set()],
        ["sealway-bob-functions-code", new Set(["v1"])],
      ]),
    )
    expect(printed.slice(1, 1 + LEFT.length)).toEqual(LEFT)
    expect(printed.at(-1)).toBe("Now remove the stage: npx sst remove --stage ada")
  })

  test("leaves alone what nobody can delete: the exported audit log", async () => {
    account.tags.set(arn.bucket("sealway-ada-audit-export-records"), {
      ...ofStack("ada"),
      "sealway:audit-export": "true",
    })
    account.buckets.set("sealway-ada-audit-export-records", new Set(["v1"]))
    await empty({ isConfirmed: true })
    expect(account.buckets.get("sealway-ada-audit-export-records")?.size).toBe(1)
  })

  test("leaves the dashboard alone, which the deployment itself uploads and deletes", async () => {
    const ofDashboard = { ...ofStack("ada"), "sealway:dashboard": "true" }
    account.tags.set(arn.distribution("DDASH"), ofDashboard)
    account.tags.set(arn.bucket("sealway-ada-dashboard-files"), ofDashboard)
    account.buckets.set("sealway-ada-dashboard-files", new Set(["v1"]))
    // It has no tenants in truth. If it is asked for some, this one would be found.
    const tenant = { distributionId: "DDASH", name: NAME, domain: "a", isEnabled: true, notYet: 0 }
    account.tenants.set("dt_asked", tenant)
    expect(await empty()).toBe(0)
    expect(account.buckets.get("sealway-ada-dashboard-files")?.size).toBe(1)
    expect(account.tenants.get("dt_asked")?.isEnabled).toBe(true)
  })

  test("deletes functions before their log groups, and switches all tenants off before it waits for the first", async () => {
    await empty()
    const kinds = account.changes.map((change) => change.replace(/ (sealway|\/aws).*/, ""))
    expect(kinds.slice(0, 5)).toEqual(["function", "function", "log group", "log group", "log group"])
    expect(account.changes.filter((change) => change.startsWith("tenant"))).toEqual([
      "tenant dt_b off",
      "tenant dt_c off",
      "tenant dt_a",
      "tenant dt_b",
      "tenant dt_c",
    ])
    expect(pauses).toBe(3)
  })

  test("does nothing a second time", async () => {
    await empty()
    account.changes.length = 0
    printed.length = 0
    expect(await empty({ isConfirmed: false })).toBe(0)
    expect(account.changes).toEqual([])
    expect(printed).toEqual([
      "The stage ada in us-east-1 has no leftovers: CloudFormation can remove everything.",
    ])
  })

  test("continues where it was interrupted", async () => {
    const [functions, tenants] = [account.functions, account.tenants]
    const lost = new Error("lost")
    const once = empty({
      sleep: async () => {
        throw lost
      },
    })
    await expect(once).rejects.toBe(lost)
    expect([functions.has(NEW), tenants.has("dt_a"), tenants.has("dt_b")]).toEqual([false, false, true])
    expect(await empty()).toBe(0)
    expect([...tenants.keys()]).toEqual(["dt_bob"])
  })

  test("only lists in a dry run", async () => {
    expect(await empty({ isDryRun: true })).toBe(0)
    expect(printed.slice(1)).toEqual([...LEFT, "Nothing was removed."])
    expect(account.changes).toEqual([])
  })

  test("deletes nothing without consent, and asks once, after it has listed what it would delete", async () => {
    const asked: string[][] = []
    const confirm = (answer: boolean) => async (question: string) => {
      asked.push([...printed, question])
      return answer
    }
    expect(await empty({ isConfirmed: false })).toBe(2)
    expect(printed.at(-1)).toBe("No terminal to confirm on. Pass --yes.")
    expect(await empty({ isConfirmed: false, confirm: confirm(false) })).toBe(1)
    expect(account.changes).toEqual([])
    expect(asked).toHaveLength(1)
    expect(asked[0]?.slice(-2)).toEqual([
      LEFT.at(-1),
      "Remove all of it from the stage ada? This cannot be undone.",
    ])
    expect(await empty({ isConfirmed: false, confirm: confirm(true) })).toBe(0)
  })

  test("refuses a protected stage, and a name that is no stage's, before it calls AWS", async () => {
    const connect = () => {
      throw new Error("asked")
    }
    expect(await empty({ stage: "production", connect })).toBe(2)
    expect(printed[0]).toContain("The stage production is protected.")
    await expect(empty({ stage: "Ada", connect })).rejects.toThrow("A stage's name must be")
  })

  test("looks again for as long as AWS lists what is gone, and says so when it does not stop", async () => {
    const gone = arn.function("sealway-ada-fn-func_gone-1")
    account.tags.set(gone, ofService("ada"))
    const forget = async () => {
      if (++pauses === 5) account.tags.delete(gone)
    }
    expect(await empty({ sleep: forget })).toBe(0)
    account.tags.set(gone, ofService("ada"))
    expect(await empty()).toBe(1)
    expect(printed.at(-1)).toContain("Some resources still exist or were created again.")
  })

  test("leaves alone what somebody else's tags point at, and names it", async () => {
    const [theirs, bucket] = [arn.function("payroll"), arn.bucket("payroll")]
    account.tags.set(theirs, ofService("ada")).set(bucket, ofStack("ada"))
    account.tags.set(arn.logGroup("payroll"), ofService("ada"))
    account.functions.add("payroll")
    account.logGroups.add("payroll")
    account.buckets.set("payroll", new Set(["v1"]))
    account.tenants.set("dt_theirs", {
      distributionId: "DADA",
      name: "payroll",
      domain: "payroll.example.com",
      isEnabled: true,
      notYet: 0,
    })
    expect(await empty()).toBe(1)
    expect(printed.slice(-4).sort()).toEqual([
      "  arn:aws:cloudfront::111122223333:distribution-tenant/dt_theirs",
      `  ${theirs}`,
      `  ${arn.logGroup("payroll")}`,
      `  ${bucket}`,
    ])
    expect([account.functions.has("payroll"), account.logGroups.has("payroll")]).toEqual([true, true])
    expect([account.buckets.get("payroll")?.size, account.tenants.get("dt_theirs")?.isEnabled]).toEqual([
      1,
      true,
    ])
  })

  test("names what it cannot delete, deletes the rest, and says that it is not done", async () => {
    const other = "arn:aws:sns:us-east-1:111122223333:topic"
    account.tags.set(other, ofService("ada"))
    expect(await empty()).toBe(1)
    expect(printed.at(-1)).toBe(`  ${other}`)
    expect(account.functions.has(NEW)).toBe(false)
  })

  test("fails when S3 keeps an object, and when CloudFront does not switch a tenant off for 20 minutes", async () => {
    account.buckets.set("sealway-ada-functions-code", new Set(["kept"]))
    await expect(empty()).rejects.toThrow(
      "S3 could not delete objects in the bucket sealway-ada-functions-code: AccessDenied.",
    )
    account.tenants.set("dt_d", {
      distributionId: "DADA",
      name: NAME,
      domain: "d",
      isEnabled: true,
      notYet: 1_000,
    })
    await expect(empty()).rejects.toThrow("CloudFront has not disabled the distribution tenant dt_d yet.")
  })
})
