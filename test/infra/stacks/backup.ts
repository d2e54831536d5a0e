import { TABLES } from "@sealway/ports"
import { beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { statementsOf } from "../iam-policy.ts"
import { configuredStage, type SynthesizedStage, stageLike, synthesizeStage } from "../synthesize-stage.ts"

const COPY_VAULT = "arn:aws:backup:us-west-2:111122223333:backup-vault:sealway"
const RESTORED = "restored-config"

let changed: SynthesizedStage
beforeAll(() => {
  changed = synthesizeStage(
    stageLike("production", {
      backup: { retentionDays: 35, copyToVaultArn: COPY_VAULT },
      restoredTables: { config: RESTORED },
    }),
  )
})

const planSchema = z.object({
  BackupPlan: z.object({
    BackupPlanRule: z.tuple([
      z.looseObject({
        Lifecycle: z.object({ DeleteAfterDays: z.number() }),
        CopyActions: z.array(
          z.object({
            DestinationBackupVaultArn: z.string(),
            Lifecycle: z.object({ DeleteAfterDays: z.number() }),
          }),
        ),
      }),
    ]),
  }),
})

describe("the backup of a stage", () => {
  test("has every table in use and every bucket of data, and a copy where the setting says", () => {
    const [selection] = changed.ofType("AWS::Backup::BackupSelection")
    const { Resources } = z
      .object({ BackupSelection: z.object({ Resources: z.array(z.string()) }) })
      .parse(selection?.properties).BackupSelection
    const own = TABLES.filter(({ name }) => name !== "config").map(({ name }) => `data/Tables${name}.Arn`)
    expect(Resources.sort()).toEqual(
      [
        ...own,
        `arn:aws:dynamodb:us-east-1:<AWS::AccountId>:table/${RESTORED}`,
        ...["data/Files.Arn", "functions/Code.Arn"],
      ].sort(),
    )
    const [plan] = changed.ofType("AWS::Backup::BackupPlan")
    const [rule] = planSchema.parse(plan?.properties).BackupPlan.BackupPlanRule
    const lifecycle = { DeleteAfterDays: 35 }
    expect(rule.Lifecycle).toEqual(lifecycle)
    expect(rule.CopyActions).toEqual([{ DestinationBackupVaultArn: COPY_VAULT, Lifecycle: lifecycle }])
  })

  test("stays in an encrypted vault from which nobody deletes, when its stack goes", () => {
    const [vault] = changed.ofType("AWS::Backup::BackupVault")
    expect(vault).toMatchObject({
      deletionPolicy: "Retain",
      updateReplacePolicy: "Retain",
      properties: { BackupVaultName: "sealway-production-backup", EncryptionKeyArn: "keys/StorageKey.Arn" },
    })
    if (vault === undefined) throw new Error("There is no vault")
    const denied = statementsOf(vault, "AccessPolicy").filter(({ Effect }) => Effect === "Deny")
    expect(denied.flatMap(({ Action }) => Action)).toContain("backup:DeleteRecoveryPoint")
  })

  test("is told to the stage's topic when it fails", () => {
    const rule = changed.resources.find(({ id }) => id === "monitoring/FailedBackups")
    expect(rule?.properties).toMatchObject({
      EventPattern: { source: ["aws.backup"], detail: { state: expect.arrayContaining(["FAILED"]) } },
      Targets: [{ Arn: "alarms/Alarms" }],
    })
  })

  test("is absent from a stage without the setting", () => {
    for (const name of ["ada", "production"]) {
      expect(configuredStage(name).resources.filter(({ type }) => type.startsWith("AWS::Backup"))).toEqual([])
    }
  })
})

describe("a restored table", () => {
  test("takes the place of the stage's own in environments, permissions, alarms and outputs, which stays", () => {
    expect(changed.ofType("AWS::DynamoDB::Table").map(({ id }) => id)).toContain("data/Tablesconfig")
    expect(changed.outputs.get("ConfigTable")).toBe(RESTORED)
    const users = ["AWS::Lambda::Function", "AWS::IAM::ManagedPolicy", "AWS::CloudWatch::Alarm"]
    const used = users
      .flatMap((type) => changed.ofType(type))
      .map(({ properties }) => JSON.stringify(properties))
    expect(used.filter((text) => text.includes("data/Tablesconfig"))).toEqual([])
    for (const type of users) {
      const texts = changed.ofType(type).map(({ properties }) => JSON.stringify(properties))
      expect(texts.filter((text) => text.includes(RESTORED)).length).toBeGreaterThan(0)
    }
  })
})

test("keeps older versions of files for 30 days", () => {
  const files = configuredStage("ada").resources.find(({ id }) => id === "data/Files")
  expect(files?.properties).toMatchObject({
    VersioningConfiguration: { Status: "Enabled" },
    LifecycleConfiguration: {
      Rules: [{ NoncurrentVersionExpiration: { NoncurrentDays: 30 }, Status: "Enabled" }],
    },
  })
})

test("creates keys that can be replicated to other regions", () => {
  const keys = configuredStage("ada").ofType("AWS::KMS::Key")
  expect(keys.map(({ properties }) => properties.MultiRegion)).toEqual([true, true])
})
