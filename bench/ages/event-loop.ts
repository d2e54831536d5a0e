import * as z from "zod"
import { serviceFlagsOf } from "../../scripts/node-flags.mjs"
import type { Row } from "../benchmark.ts"
import { startServer } from "../server-process.ts"

const LONGEST_ALLOWED_MS = 20

const blocksSchema = z.object({ clients: z.number(), symmetric: z.number() })

/** Measures in a process with the flags of the service: how memory is collected determines the longest blocks. */
export async function measureBlocks(): Promise<readonly Row[]> {
  const child = startServer("ages/event-loop-process.ts", [], serviceFlagsOf(process.versions.node))
  try {
    const { clients, symmetric } = blocksSchema.parse(await child.nextLine())
    const row = (name: string, figure: number): Row => ({
      name: `longest block of the event loop, 10,000 values: ${name}`,
      figure,
      unit: "ms",
      ratio: LONGEST_ALLOWED_MS / figure,
      requiredRatio: 1,
    })
    return [row("encrypted by clients", clients), row("encrypted symmetrically", symmetric)]
  } finally {
    child.stop()
  }
}
