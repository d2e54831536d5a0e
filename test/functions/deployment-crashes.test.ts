import { createService } from "@sealway/api"
import { BUCKETS, createCloudClients, ensureStageKey, startEmbeddedCloud } from "@sealway/local"
import { createApp, createTeam } from "@sealway/management"
import { type App, createPlatform, QUEUES, SYSTEM, TABLES } from "@sealway/platform"
import { expect, test, vi } from "vitest"
import { deployFunction } from "../../packages/functions/src/deploy/deploy-function.ts"
import { reconcileFunction } from "../../packages/functions/src/deploy/reconcile-function.ts"
import { findFunction } from "../../packages/functions/src/records/function-table.ts"
import { startWorkers } from "../../packages/local/src/workers/workers.ts"
import { codeOf } from "../support/functions.ts"
import { withFolder } from "../support/start.ts"

const CODE = Buffer.from(codeOf({ "index.mjs": "export const handler = () => 1" }), "base64")
const SETTINGS = {
  language: "node@24",
  handler: "index.mjs",
  timeoutSeconds: 30,
  memoryMb: 256,
  callbackUrl: null,
} as const

/** Starts a process over a data folder that makes no AWS call once it is dead. Queues are lost when it ends. */
async function startProcess(dataFolder: string) {
  const cloud = await startEmbeddedCloud({ dataFolder, tables: TABLES, queues: QUEUES, buckets: BUCKETS })
  let callsLeft = Number.POSITIVE_INFINITY
  const { configuration, clients } = createCloudClients(cloud, {
    logLevel: "ERROR",
    onCall() {
      callsLeft -= 1
      if (callsLeft < 0) throw new Error("The process is dead")
    },
  })
  const platform = createPlatform(configuration, clients)
  const { functions, payments } = createService(platform, cloud.functions)
  return {
    cloud,
    clients,
    platform,
    functions,
    payments,
    dieAfter(calls: number) {
      callsLeft = calls
    },
    isDead: () => callsLeft < 0,
  }
}

type Process = Awaited<ReturnType<typeof startProcess>>

/** Deploys a function and does what its message asks for, while the process lives. @returns whether it was accepted */
async function deploy({ functions }: Process, app: App, name: string): Promise<boolean> {
  try {
    const { id } = await deployFunction(functions, app, name, SETTINGS, CODE, SYSTEM)
    const work = { kind: "function", id, appId: app.id, functionName: name } as const
    await reconcileFunction(work, functions).catch(() => undefined)
    return true
  } catch {
    return false
  }
}

test(
  "completes an accepted deployment whatever step the process died at",
  () =>
    withFolder(async (folder) => {
      let running = await startProcess(folder)
      const { platform, cloud } = running
      await ensureStageKey(cloud)
      const team = await createTeam(platform, "Team", SYSTEM)
      const app = await createApp(platform, team.id, { name: "App", environment: "sandbox" }, SYSTEM)

      let accepted = 0
      for (let calls = 0, isOver = false; !isOver; calls++) {
        const name = `f-${calls}`
        running.dieAfter(calls)
        const isAccepted = await deploy(running, app, name)
        if (isAccepted) accepted += 1
        isOver = !running.isDead()
        await running.cloud.close()

        running = await startProcess(folder)
        const { functions, cloud } = running
        const workers = await startWorkers(running.platform, running, cloud)
        await vi.waitFor(async () => {
          const found = await findFunction(functions.configTable, app.id, name)
          // Without an answer it may have been written or not; what was written must be deployed too.
          if (isAccepted) expect(found).not.toBeNull()
          if (found !== null) {
            expect(found).toMatchObject({ status: "ready", active: { number: 1 }, lastError: null })
          }
        }, 10_000)
        await workers.close()
      }
      await running.cloud.close()
      expect(accepted).toBeGreaterThan(3)
    }),
  120_000,
)
