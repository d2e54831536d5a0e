import { basic } from "../support/service.ts"
import type { Ready } from "../support/start.ts"

export interface CallOptions {
  /** Default: the sandbox app's, or the team's for paths of the team. Null: none. */
  readonly auth?: { readonly user: string; readonly key: string } | null
  readonly headers?: Readonly<Record<string, string>>
}

export interface CallAnswer {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
  readonly text: string
}

/** Sends requests to a service that runs as a process. @param body bytes are sent unchanged, anything else as JSON */
export function callerOf({ url, teamId, teamKey, apps: [sandbox] }: Ready) {
  const own = { user: sandbox?.id ?? "", key: sandbox?.apiKey ?? "" }
  const team = { user: teamId, key: teamKey }
  return async (
    method: string,
    path: string,
    body?: unknown,
    options: CallOptions = {},
  ): Promise<CallAnswer> => {
    const { auth = /^\/(team|apps|audit-logs)/.test(path) ? team : own, headers = {} } = options
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(auth && { authorization: basic(auth) }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && {
        body: body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body),
      }),
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    return { status: response.status, headers: response.headers, bytes, text: bytes.toString() }
  }
}

export type Call = ReturnType<typeof callerOf>
