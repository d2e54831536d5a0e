import type { Team } from "@sealway/accounts"
import * as z from "zod"

export const teamSchema = z
  .object({ id: z.string(), name: z.string(), createdAt: z.int().describe("Epoch milliseconds") })
  .meta({ id: "Team" })

export const showTeam = ({ id, name, createdAt }: Team) => ({ id, name, createdAt })
