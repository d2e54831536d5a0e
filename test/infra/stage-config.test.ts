import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { serviceEndpoints } from "@sealway/api"
import { describe, expect, test } from "vitest"
import { buildApp } from "../../stacks/app.ts"
import {
  checkStage,
  parseImage,
  requireRecipients,
  resolveStage,
  type StageConfig,
  type StageRelay,
} from "../../stacks/config.ts"
import { roleName } from "../../stacks/names.ts"
import { ROOT } from "../support/start.ts"
import { DASHBOARD_DOMAIN, IMAGE_BY_DIGEST, RELAY_STAGE } from "./made-up-stage.ts"
import { placeholderBundles, stageLike, temporaryFolder } from "./synthesize-stage.ts"

describe("a stage", () => {
  test("is a personal one when it is not configured, with the URL of API Gateway", () => {
    expect(resolveStage("ada")).toMatchObject({
      stage: "ada",
      region: "us-east-1",
      isProtected: false,
      domain: null,
      isTraced: false,
      reservedConcurrencyOf: {},
    })
  })

  test("is protected as production, and keeps its logs for more than a year", () => {
    const { isProtected, logRetentionDays } = resolveStage("production")
    expect(isProtected).toBe(true)
    expect(logRetentionDays).toBeGreaterThan(365)
  })

  test.each(["a", "ada-2", "a".repeat(20)])("may be named %s", (name) => {
    expect(resolveStage(name).stage).toBe(name)
  })

  test.each(["", "Ada", "2a", "-a", "a-", "a_b", "a b", "a".repeat(21), "__proto__", "ada\n"])(
    "may not be named %j",
    (name) => {
      expect(() => resolveStage(name)).toThrow("A stage's name must be")
    },
  )

  test.each([
    ["signIn.issuer", { signIn: { issuer: "http://login.example", clientId: "a", clientSecretArn: null } }],
    [
      "signIn.issuer",
      { signIn: { issuer: "https://a:b@login.example", clientId: "a", clientSecretArn: null } },
    ],
    ["dashboardApiUrl", { dashboardApiUrl: "https://dashboard.example.com/api?x" }],
    [
      "signIn.clientSecretArn",
      {
        signIn: {
          issuer: "https://login.example",
          clientId: "a",
          clientSecretArn: "arn:aws:secretsmanager:eu-west-1:123456789012:secret:x",
        },
      },
    ],
  ])("refuses a %s that would not work", (setting, changes) => {
    expect(() => checkStage({ ...resolveStage("ada"), ...changes })).toThrow(`The ${setting} of`)
  })

  test.each([
    { percent: 0, minutes: 5 },
    { percent: 100, minutes: 5 },
    { percent: 10.5, minutes: 5 },
    { percent: 10, minutes: 0 },
    { percent: 10, minutes: 2_881 },
  ])("refuses a canary of $percent percent for $minutes minutes", (canary) => {
    expect(() => stageLike("ada", { canary })).toThrow("The canary of the stage ada must have")
  })

  test("refuses a canary of a function whose instances are kept started, and accepts it beside others", () => {
    const canary = { percent: 10, minutes: 5 }
    expect(() => stageLike("ada", { canary, provisionedConcurrencyOf: { decrypt: 2 } })).toThrow(
      "provisionedConcurrencyOf must not name decrypt",
    )
    expect(stageLike("ada", { canary, provisionedConcurrencyOf: { relay: 2 } }).canary).toEqual(canary)
  })

  test.each([
    [
      "an address for its API besides",
      { dashboardApiUrl: "https://dashboard.example.com/api" },
      "its dashboardApiUrl must be null",
    ],
    [
      "a name that is none",
      { dashboard: { domain: { ...DASHBOARD_DOMAIN, name: "https://dashboard.example.com" } } },
      "must be a lower-case domain name",
    ],
    [
      "a certificate that CloudFront does not accept",
      {
        dashboard: {
          domain: { ...DASHBOARD_DOMAIN, certificateArn: "arn:aws:acm:eu-west-1:1:certificate/1" },
        },
      },
      "must be in us-east-1",
    ],
  ])("refuses a dashboard with %s", (_, changes, message) => {
    const stage = { ...resolveStage("ada"), dashboard: { domain: null }, ...changes }
    expect(() => checkStage(stage)).toThrow(message)
  })

  test.each([
    [{ isProtected: false, backup: { retentionDays: 35, copyToVaultArn: null } }, "must be protected"],
    [{ backup: { retentionDays: 0, copyToVaultArn: null } }, "from 1 to 36,500"],
    [{ backup: { retentionDays: 1.5, copyToVaultArn: null } }, "from 1 to 36,500"],
    [{ backup: { retentionDays: 1, copyToVaultArn: "sealway" } }, "must be the ARN of a backup vault"],
    [{ restoredTables: { config: "a table" } }, "restoredTables.config of the stage production must be"],
  ])("refuses backups and restored tables that AWS would refuse: %j", (changes, message) => {
    expect(() => stageLike("production", changes)).toThrow(message)
  })

  test.each([
    [{ isProtected: false }, "must be protected"],
    [{ auditExport: { mode: "GOVERNANCE", retentionDays: 0 } as const }, "from 1 to 36,500"],
    [{ restoredTables: { audit: "restored-audit" } }, "its auditExport must be null"],
  ])("refuses an export of the audit log that would not work: %j", (changes, message) => {
    const auditExport = { mode: "COMPLIANCE", retentionDays: 400 } as const
    expect(() => stageLike("production", { auditExport, ...changes })).toThrow(message)
  })

  test("is not deployed when it is protected and its alarms would reach nobody, unless that is said", () => {
    const script = join(ROOT, "stacks", "synth.ts")
    const out = join(temporaryFolder(), "assembly")
    const { status, stderr } = spawnSync(process.execPath, [script, "--stage", "production", "--out", out], {
      encoding: "utf8",
    })
    expect(status).not.toBe(0)
    expect(stderr).toContain("Nobody would be notified of alarms of the stage production.")
    expect(() => requireRecipients(resolveStage("production"))).toThrow('or to "none" on purpose')
    for (const alarmEmails of ["none", ["alarms@example.com"]] as const) {
      expect(() => requireRecipients(stageLike("production", { alarmEmails }))).not.toThrow()
    }
    expect(() => requireRecipients(resolveStage("ada"))).not.toThrow()
  })

  test("refuses a certificate of another region than its own", () => {
    const domain = { name: "api.example.com", certificateArn: "arn:aws:acm:us-east-1:1:certificate/1" }
    expect(() => checkStage({ ...resolveStage("ada"), region: "eu-west-1", domain })).toThrow(
      "must be in its region",
    )
    expect(checkStage({ ...resolveStage("ada"), domain }).domain).toEqual(domain)
  })

  test.each([
    "cn-north-1",
    "us-gov-west-1",
    "us-iso-east-1",
    "us-isob-east-1",
    "eusc-de-east-1",
    "",
    "us-east",
  ])("refuses the region %j, which is not a commercial one", (region) => {
    expect(() => checkStage({ ...resolveStage("ada"), region })).toThrow("commercial regions")
  })

  test.each(["us-east-1", "eu-central-2", "ap-southeast-5", "il-central-1", "mx-central-1"])(
    "accepts the region %s",
    (region) => {
      expect(checkStage({ ...resolveStage("ada"), region }).region).toBe(region)
    },
  )

  test.each([
    [1, false],
    [2, true],
    [1_000, true],
    [1_001, false],
  ])("accepts a concurrency of %d: %s", (concurrency, isTaken) => {
    for (const setting of [
      "webhookConcurrency",
      "slowWebhookConcurrency",
      "functionRunConcurrency",
    ] as const) {
      const check = () => checkStage({ ...resolveStage("ada"), [setting]: concurrency })
      if (isTaken) expect(check()[setting]).toBe(concurrency)
      else expect(check).toThrow(`The ${setting} of the stage ada must be from 2 to 1,000`)
    }
  })
})

describe("the limits of function runs", () => {
  const check = (functionRunsPerApp: number, functionRunsPerStage: number) => () =>
    checkStage({ ...resolveStage("ada"), functionRunsPerApp, functionRunsPerStage })

  test.each([
    [1, 1],
    [20, 10_000],
  ])("may be %d for an app and %d for the stage", (perApp, perStage) => {
    expect(check(perApp, perStage)().functionRunsPerStage).toBe(perStage)
  })

  test.each([
    [0, 1],
    [2, 1],
    [1, 10_001],
    [1.5, 2],
    [Number.NaN, 2],
  ])("may not be %d for an app and %d for the stage", (perApp, perStage) => {
    expect(check(perApp, perStage)).toThrow("must be whole numbers from 1 to 10,000")
  })
})

describe("a stage's relays", () => {
  const withRelay = (changes: Partial<StageRelay>) => () =>
    checkStage({ ...resolveStage("ada"), relay: { ...RELAY_STAGE, ...changes } })

  test("do not exist unless the stage says where they are", () => {
    expect(resolveStage("ada").relay).toBeNull()
    expect(withRelay({})().relay).toEqual(RELAY_STAGE)
  })

  test.each([
    "",
    "relay",
    "Relay.example.com",
    "*.example.com",
    "relay..example.com",
    "-r.example.com",
    "r.example.com.",
  ])("may not be at %j", (domain) => {
    expect(withRelay({ domain })).toThrow("must be a lower-case domain name")
  })

  test("refuse a certificate of another region than the stage's", () => {
    const certificateArn = "arn:aws:acm:eu-west-1:111122223333:certificate/1"
    expect(withRelay({ certificateArn })).toThrow("must be in its region")
  })

  test.each([
    "sealway-relay",
    "sealway-relay:1",
    "docker.io/sealway/relay:1",
    RELAY_STAGE.image.replace(":0.1.0", ""),
  ])("refuse %s as their image, which is not one of ECR at one version", (image) => {
    expect(withRelay({ image })).toThrow("must be an ECR image with a tag or a digest")
  })

  test("refuse a viewer's certificate that is not in us-east-1, as CloudFront would", () => {
    const viewerCertificateArn = "arn:aws:acm:eu-west-1:111122223333:certificate/1"
    expect(withRelay({ viewerCertificateArn })).toThrow("must be in us-east-1")
  })

  test("accept a firewall in us-east-1 only, with a limit that AWS WAF accepts", () => {
    const firewall = { requestsPer5Minutes: 10 }
    expect(withRelay({ firewall })().relay?.firewall).toEqual(firewall)
    expect(withRelay({ firewall: { requestsPer5Minutes: 2_000_000_000 } })).not.toThrow()
    for (const requestsPer5Minutes of [9, 10.5, 2_000_000_001, Number.NaN]) {
      expect(withRelay({ firewall: { requestsPer5Minutes } })).toThrow("must be a whole number from 10")
    }
    const certificateArn = "arn:aws:acm:eu-west-1:111122223333:certificate/1"
    const relay = { ...RELAY_STAGE, certificateArn, firewall }
    expect(() => checkStage({ ...resolveStage("ada"), region: "eu-west-1", relay })).toThrow(
      "cannot have a firewall in eu-west-1",
    )
  })

  test("accept an image by its tag, or by its digest", () => {
    const digest = `sha256:${"0".repeat(64)}`
    const name = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/team/relay"
    const parts = { account: "111122223333", region: "eu-west-1", repository: "team/relay" }
    expect(parseImage(`${name}:0.1.0`)).toEqual({ ...parts, tagOrDigest: "0.1.0" })
    expect(parseImage(`${name}@${digest}`)).toEqual({ ...parts, tagOrDigest: digest })
  })

  test("accept an image in a protected stage by its digest only", () => {
    const production = (image: string) => () =>
      checkStage({ ...resolveStage("production"), relay: { ...RELAY_STAGE, image } })
    expect(production(IMAGE_BY_DIGEST)().relay?.image).toBe(IMAGE_BY_DIGEST)
    expect(production(RELAY_STAGE.image)).toThrow("must be given by its digest")
  })

  test.each([
    [0, 1, false],
    [1, 1, true],
    [2, 1, false],
  ])("with %d to %d containers are accepted: %s", (minContainers, maxContainers, isTaken) => {
    const check = withRelay({ minContainers, maxContainers })
    if (isTaken) expect(check().relay).toMatchObject({ minContainers, maxContainers })
    else expect(check).toThrow("must have a minimum of at least 1 container")
  })
})

describe("a role's name", () => {
  test("is refused when IAM would refuse it", () => {
    const stage = { stage: "a".repeat(20) }
    expect(roleName(stage, "f".repeat(35))).toHaveLength(64)
    expect(() => roleName(stage, "f".repeat(36))).toThrow("longer than 64 characters")
  })
})

describe("the stacks", () => {
  const build =
    (bundled: readonly { readonly id: string }[], changes: Partial<StageConfig> = {}) =>
    () =>
      buildApp({
        stage: stageLike("ada", changes),
        outFolder: temporaryFolder(),
        bundles: placeholderBundles(temporaryFolder(), bundled),
      })

  test("are refused while a function has no bundle", () => {
    expect(build(serviceEndpoints.filter(({ id }) => id !== "encrypt"))).toThrow(
      "There is no bundle for encrypt.",
    )
  })

  test("are refused while a bundle has no function", () => {
    expect(build([...serviceEndpoints, { id: "forgotten" }])).toThrow(
      "There is no function for the bundles forgotten.",
    )
  })

  test("are refused when restoredTables names a table that does not exist", () => {
    expect(build(serviceEndpoints, { restoredTables: { konfig: "restored" } })).toThrow(
      "restoredTables names no table: konfig.",
    )
  })

  test.each(["memoryMbOf", "reservedConcurrencyOf", "provisionedConcurrencyOf"])(
    "are refused when %s names a function that does not exist",
    (setting) => {
      const changes = { [setting]: { encript: 512 } }
      expect(build(serviceEndpoints, changes)).toThrow(`${setting} names no function: encript.`)
    },
  )

  test.each(["audit-writer", "webhook-sweeper"])(
    "are refused when %s would have started instances that nobody calls",
    (name) => {
      expect(build(serviceEndpoints, { provisionedConcurrencyOf: { [name]: 1 } })).toThrow(
        `provisionedConcurrencyOf must not name ${name}`,
      )
    },
  )
})
