import assert from "node:assert/strict"
import { type DynamoDBClient, RestoreTableToPointInTimeCommand } from "@aws-sdk/client-dynamodb"
import type { StageConfig } from "../../stacks/config.ts"
import type { EmulatedStage } from "./deploy-assembly.ts"
import type { DeployedService } from "./service.ts"

const RESTORED_TABLE = "restored-config"
const KEPT = "kept"

/** A restore that a deployment completes. */
export interface Restore extends Pick<StageConfig, "restoredTables"> {
  /** Checks, after the deployment, that the service uses the restored table. */
  check(): Promise<void>
}

/**
 * Restores the config table into another, as docs/operations.md says, and then deletes a data role by mistake.
 *
 * @returns what to deploy
 */
export async function beginRestore(
  { call }: DeployedService,
  { outputs }: EmulatedStage,
  dynamodb: DynamoDBClient,
): Promise<Restore> {
  const created = await call("POST", "/data-roles", { slug: KEPT, name: KEPT })
  assert.equal(created.status, 201, JSON.stringify(created.body))
  const { body: sealed } = await call("POST", "/encrypt", "secret")
  await dynamodb.send(
    new RestoreTableToPointInTimeCommand({
      SourceTableName: outputs.get("ConfigTable"),
      TargetTableName: RESTORED_TABLE,
      UseLatestRestorableTime: true,
    }),
  )
  const deleted = await call("DELETE", `/data-roles/${KEPT}`)
  assert.equal(deleted.status, 200, JSON.stringify(deleted.body))
  return {
    restoredTables: { config: RESTORED_TABLE },
    async check() {
      assert.equal((await call("GET", `/data-roles/${KEPT}`)).status, 200)
      assert.deepEqual((await call("POST", "/decrypt", sealed)).body, "secret")
    },
  }
}
