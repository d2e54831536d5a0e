import { findAppOfTeam } from "@sealway/accounts"
import { readingEndpoint, teamKey } from "@sealway/http"
import { custodyOf, listKeyVersions as list } from "@sealway/keys"
import * as z from "zod"
import type { ManagementDependencies } from "../dependencies.ts"
import { appPathSchema } from "./parameters.ts"

const replySchema = z
  .object({
    data: z
      .array(
        z
          .object({
            version: z.int().describe("From 1, one more for each rotation"),
            custody: z
              .enum(["envelope", "hsm"])
              .describe("Where its private keys are, see `custody` of the app"),
            createdAt: z.int().describe("Epoch milliseconds"),
          })
          .meta({ id: "ListedKeyVersion" }),
      )
      .describe("Newest first, at most 100"),
    hasMore: z.boolean().describe("Always false"),
  })
  .meta({ id: "KeyVersionList" })

export const listKeyVersions = readingEndpoint({
  id: "list-key-versions",
  path: "/apps/{app_id}/keys",
  tag: "Keys",
  summary: "List the key versions of an app",
  description:
    "New values are encrypted with the newest one. The others still decrypt. The keys themselves are not shown: `GET /keys` returns the newest public keys. How many values are encrypted with each is not known, because values are not stored here.",
  auth: [teamKey()],
  request: { path: appPathSchema },
  schema: replySchema,
  reply: "The key versions",
  grants: ["dynamodb:Query/keys"],
  async read({ principal: { team }, path }, { directory, keysTable }: ManagementDependencies) {
    const app = await findAppOfTeam(directory, team.id, path.app_id)
    const versions = await list(keysTable, app.id)
    const data = versions.map(({ version, createdAt, ...record }) => ({
      version,
      custody: custodyOf(record),
      createdAt,
    }))
    return { data, hasMore: false }
  },
})
