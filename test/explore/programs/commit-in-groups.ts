import { strict as assert } from "node:assert"
import { unavailable } from "@sealway/ports/testing"
import { commitInGroup, createAuditTable, SYSTEM } from "@sealway/records"
import type { Program } from "../program.ts"
import { checkAuditLog } from "../world/accounts.ts"
import type { World } from "../world/world.ts"

const TEAM = "team_1"
const entryOf = (id: string) => ({
  ...SYSTEM,
  teamId: TEAM,
  appId: null,
  action: "app.update",
  target: { type: "app", id },
})

export const commitInGroups: Program = {
  name: "three write to a team's audit log, two of them in a group",
  promises:
    "an acknowledged record is in the audit chain, none is there twice, and the chain has no fork and no gap",
  async prepare(world) {
    const { platform } = world.start()
    await platform.audit.record(entryOf("before"))
    return (world) => {
      const acknowledged = ["before"]
      const inGroup = (name: string) => () =>
        attempt(world, acknowledged, name, async ({ auditTable, wallClock }) => {
          const table = createAuditTable(auditTable)
          const record = { ...entryOf(name), details: {}, at: wallClock() }
          const committed = await commitInGroup({ table, wallClock, random: () => 0 }, TEAM, [record], 2)
          if (committed === null) throw unavailable()
          assert.equal(committed.records[0]?.target.id, name)
        })
      const alone = () => attempt(world, acknowledged, "alone", ({ audit }) => audit.record(entryOf("alone")))
      return {
        actors: { first: inGroup("first"), second: inGroup("second"), alone },
        async check() {
          const reader = world.start()
          await checkAuditLog(reader, TEAM)
          const records = await Array.fromAsync(reader.platform.audit.read(TEAM, null))
          const ids = records.map(({ target }) => target.id)
          assert.equal(new Set(ids).size, ids.length, "a record is in the chain twice")
          for (const id of acknowledged) assert.ok(ids.includes(id), `the record ${id} is lost`)
        },
      }
    }
  },
}

type Platform = ReturnType<World["start"]>["platform"]

/** Does something in a process of its own, which may die or be refused. */
async function attempt(
  world: World,
  acknowledged: string[],
  name: string,
  act: (platform: Platform) => Promise<void>,
): Promise<void> {
  const { platform, run } = world.start()
  const isDone = await run(() =>
    act(platform).then(
      () => true,
      (error: unknown) => {
        if (!(error instanceof Error) || error.name !== unavailable().name) throw error
        return false
      },
    ),
  )
  if (isDone) acknowledged.push(name)
}
