import { once } from "node:events"
import { request } from "node:http"
import * as z from "zod"
import { basic } from "../../test/support/service.ts"
import type { Reachable } from "./tortured-service.ts"

/** What a client knows after a request. */
export type Outcome =
  | { readonly kind: "acknowledged"; readonly json: Json; readonly location: string | null }
  /** It had no effect. */
  | { readonly kind: "refused"; readonly status: number; readonly code: string }
  /** No answer, or one that does not say whether there was an effect. */
  | { readonly kind: "unknown"; readonly status: number | null }

export type Json = Readonly<Record<string, unknown>>

export interface Credentials {
  readonly user: string
  readonly key: string
}

export interface Request {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE"
  readonly path: string
  readonly auth: Credentials
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const jsonSchema = z.looseObject({})
const problemSchema = z.looseObject({ code: z.string() })
const TIMEOUT_MS = 20_000

/** Sends a request as soon as the service can be reached. */
export async function send(
  service: Reachable,
  { method, path, auth, body, headers = {} }: Request,
): Promise<Outcome> {
  const { url } = await service.ready()
  try {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: basic(auth),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = await response.text()
    if (response.ok) {
      const json = text === "" ? {} : asObject(JSON.parse(text))
      return { kind: "acknowledged", json, location: response.headers.get("location") }
    }
    if (response.status >= 500 || response.status === 408) return { kind: "unknown", status: response.status }
    const problem = problemSchema.safeParse(JSON.parse(text))
    return { kind: "refused", status: response.status, code: problem.success ? problem.data.code : "" }
  } catch {
    return { kind: "unknown", status: null }
  }
}

/** Sends JSON through a relay. Null: there was no answer. */
export async function sendThroughRelay(
  service: Reachable,
  relayDomain: string,
  body: unknown,
): Promise<Json | null> {
  const { relayUrl } = await service.ready()
  try {
    const sent = request(`${relayUrl}/echo`, {
      method: "POST",
      headers: { host: relayDomain, "content-type": "application/json" },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    sent.end(JSON.stringify(body))
    const [response] = await once(sent, "response")
    const bytes = Buffer.concat(await Array.fromAsync<Buffer>(response))
    return response.statusCode === 200 ? jsonSchema.parse(JSON.parse(bytes.toString())) : null
  } catch {
    return null
  }
}

function asObject(value: unknown): Json {
  const object = jsonSchema.safeParse(value)
  return object.success ? object.data : { value }
}
