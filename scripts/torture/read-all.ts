import { setTimeout as delay } from "node:timers/promises"
import * as z from "zod"
import { type Credentials, type Json, type Request, send } from "./caller.ts"
import type { Reachable } from "./tortured-service.ts"

const pageSchema = z.looseObject({
  data: z.array(z.looseObject({})),
  hasMore: z.boolean(),
  continueAfter: z.string().nullish(),
})
const numberedPageSchema = z.looseObject({
  data: z.array(z.looseObject({})),
  nextPage: z.number().nullable(),
})
const TRIES = 20

/** How a list continues: by a field of its last record, or by the numbers of its pages. */
export type Pages = "id" | "name" | "numbered"

/** Reads every record of a list. */
export async function readAll(
  service: Reachable,
  auth: Credentials,
  path: string,
  pages: Pages = "id",
): Promise<readonly Json[]> {
  if (pages === "numbered") return readNumbered(service, auth, path)
  const found: Json[] = []
  let after: string | null | undefined
  do {
    const query = `${path.includes("?") ? "&" : "?"}limit=100${after ? `&startingAfter=${encodeURIComponent(after)}` : ""}`
    const page = pageSchema.parse(await read(service, { method: "GET", path: path + query, auth }))
    found.push(...page.data)
    const last = page.data.at(-1)?.[pages]
    after = page.hasMore ? (page.continueAfter ?? (last === undefined ? null : String(last))) : null
  } while (after)
  return found
}

async function readNumbered(service: Reachable, auth: Credentials, path: string): Promise<readonly Json[]> {
  const found: Json[] = []
  let number: number | null = 0
  do {
    const request: Request = { method: "GET", path: `${path}?page=${number}`, auth }
    const page = numberedPageSchema.parse(await read(service, request))
    found.push(...page.data)
    number = page.nextPage
  } while (number !== null)
  return found
}

/** Repeats a request that changes nothing until it is answered. @throws Error when it never is, or is refused */
export async function read(service: Reachable, request: Request): Promise<Json> {
  for (let tries = 0; ; tries++) {
    const outcome = await send(service, request)
    if (outcome.kind === "acknowledged") return outcome.json
    const isRefused = outcome.kind === "refused" && outcome.code !== "too-many-requests"
    if (isRefused || tries === TRIES)
      throw new Error(`${request.path} is not answered: ${JSON.stringify(outcome)}`)
    await delay(250)
  }
}
