import { setTimeout as delay } from "node:timers/promises"
import { strToU8, zipSync } from "fflate"
import type { TestService } from "./service.ts"

/** Packs code as `POST /functions` accepts it. */
export function codeOf(files: Readonly<Record<string, string>>): string {
  const entries = Object.entries(files).map(([name, text]) => [name, strToU8(text)])
  return Buffer.from(zipSync(Object.fromEntries(entries))).toString("base64")
}

/** Deploys a function and waits until it is ready or has failed. @returns the function */
export async function deployFunction(
  service: TestService,
  name: string,
  handler: string,
  source: string,
  settings: object = {},
): Promise<unknown> {
  const language = handler.endsWith(".py") ? "python@3.13" : "node@24"
  const body = { name, language, handler, code: codeOf({ [handler]: source }), ...settings }
  const answer = await service.post("/functions", body)
  if (answer.status !== 202) throw new Error(`The function is not deployed: ${answer.text}`)
  for (;;) {
    const { json } = await service.get(`/functions/${name}`)
    const isSettled =
      typeof json === "object" && json !== null && "status" in json && json.status !== "deploying"
    if (isSettled) return json
    await delay(20)
  }
}
