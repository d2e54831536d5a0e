import { setTimeout as delay } from "node:timers/promises"
import * as z from "zod"
import { type Credentials, type Json, type Request, send } from "./caller.ts"
import type { Reachable } from "./tortured-service.ts"

const pageSchema = z.looseObject({
  data: z.array(z.looseObject({})),
  hasMore: z.boolean(),
  continueAfter: z.string().nullish(),
})
const TRIES = 20

/** Every record of a list. @param id the member that pages go on with */
export async function readAll(
  service: Reachable,
  auth: Credentials,
  path: string,
  id: "id" | "name" = "id",
): Promise<readonly Json[]> {
  const found: Json[] = []
  let after: string | null | undefined
  do {
    const query = `${path.includes("?") ? "&" : "?"}limit=100${after ? `&startingAfter=${encodeURIComponent(after)}` : ""}`
    const page = pageSchema.parse(await read(service, { method: "GET", path: path + query, auth }))
    found.push(...page.data)
    const last = page.data.at(-1)?.[id]
    after = page.hasMore ? (page.continueAfter ?? (last === undefined ? null : String(last))) : null
  } while (after)
  return found
}

/** Repeats a request that changes nothing until it is answered. @throws Error when it never is */
export async function read(service: Reachable, request: Request): Promise<Json> {
  for (let tries = 0; ; tries++) {
    const outcome = await send(service, request)
    if (outcome.kind === "acknowledged") return outcome.json
    if (tries === TRIES) throw new Error(`${request.path} is not answered: ${JSON.stringify(outcome)}`)
    await delay(250)
  }
}
