import type { App, Environment, Scope } from "@sealway/accounts"
import { type LocalService, type LocalServiceOptions, startLocalService } from "@sealway/local"
import { createApp, issueApiKey } from "@sealway/management"
import type { AwsCall, Hosting } from "@sealway/ports"
import { SYSTEM } from "@sealway/records"
import { afterAll, beforeAll } from "vitest"

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
  readonly text: string
  /** The body as JSON; undefined when it is not JSON. */
  readonly json: unknown
}

export interface CallOptions {
  /** Default: `application/json` where there is a body. Null sends no Content-Type. */
  readonly contentType?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Default: the sandbox app's API key. Null sends no credentials. */
  readonly auth?: { readonly user: string; readonly key: string } | null
}

/** A whole service in memory for the tests of one file. */
export interface TestService {
  readonly service: LocalService
  readonly url: string
  readonly awsCalls: AwsCall[]
  readonly sandbox: Identity
  readonly production: Identity
  readonly team: { readonly id: string; readonly auth: { readonly user: string; readonly key: string } }
  get(path: string, options?: CallOptions): Promise<Answer>
  head(path: string, options?: CallOptions): Promise<Answer>
  delete(path: string, options?: CallOptions): Promise<Answer>
  /** @param body text or bytes are sent unchanged; anything else as JSON */
  post(path: string, body: unknown, options?: CallOptions): Promise<Answer>
  patch(path: string, body: unknown, options?: CallOptions): Promise<Answer>
  call(method: string, path: string, body: unknown, options?: CallOptions): Promise<Answer>
  /** Creates an app of the team, with an API key of these scopes. */
  newApp(environment: Environment, scopes?: readonly (Scope | "*")[]): Promise<Identity>
  /** Creates a data role of an app, without policies. */
  newRole(app: App, slug: string): Promise<void>
  /** Creates another API key of an app. */
  newKey(app: App, scopes: readonly (Scope | "*")[]): Promise<{ readonly user: string; readonly key: string }>
}

export interface Identity {
  readonly app: App
  readonly auth: { readonly user: string; readonly key: string }
}

/**
 * Starts a service before the tests of a file and stops it after them.
 *
 * @param options other options that the service is started with
 */
export function useService(
  hosting: Hosting = "container",
  options: Pick<
    LocalServiceOptions,
    | "dashboard"
    | "dnsServers"
    | "enclaveRoot"
    | "identityProvider"
    | "logLevel"
    | "memoryBytes"
    | "publicUrl"
    | "trust"
    | "workers"
  > = {},
): TestService {
  const awsCalls: AwsCall[] = []
  let started:
    | (Omit<TestService, "awsCalls" | "newRole" | "call" | "get" | "head" | "delete" | "post" | "patch"> & {
        readonly service: LocalService
      })
    | undefined

  beforeAll(async () => {
    const service = await startLocalService({
      unconfinedFunctions: true,
      ...options,
      port: 0,
      dataFolder: null,
      hosting,
      onAwsCall: (call) => awsCalls.push(call),
    })
    const { credentials, platform, url } = service
    const identify = async (environment: Environment): Promise<Identity> => {
      const found = credentials.apps.find((each) => each.environment === environment)
      const app = found && (await platform.directory.app(found.id))
      if (!found || !app) throw new Error(`The service has no ${environment} app`)
      return { app, auth: { user: app.id, key: found.apiKey } }
    }
    const newKey = async (app: App, scopes: readonly (Scope | "*")[]) => {
      const { id: appId, teamId, environment: kind } = app
      const wanted = { kind, teamId, appId, name: "Another", scopes, expiresAt: null }
      return { user: appId, key: (await issueApiKey(platform, wanted, SYSTEM)).key }
    }
    started = {
      service,
      url,
      newKey,
      sandbox: await identify("sandbox"),
      production: await identify("production"),
      team: { id: credentials.teamId, auth: { user: credentials.teamId, key: credentials.teamKey } },
      async newApp(environment, scopes = ["*"]) {
        const app = await createApp(platform, credentials.teamId, { name: "Another", environment }, SYSTEM)
        return { app, auth: await newKey(app, scopes) }
      },
    }
  })
  afterAll(() => started?.service.close())

  const running = () => {
    if (started === undefined) throw new Error("The service has not started yet")
    return started
  }
  const call = async (method: string, path: string, body: unknown, options: CallOptions): Promise<Answer> => {
    const { auth = running().sandbox.auth, contentType = "application/json", headers = {} } = options
    const response = await fetch(running().url + path, {
      method,
      headers: {
        ...(body !== undefined && contentType !== null && { "content-type": contentType }),
        ...(auth && { authorization: basic(auth) }),
        ...headers,
      },
      ...(body !== undefined && { body: encodeBody(body) }),
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    return {
      status: response.status,
      headers: response.headers,
      bytes,
      // Only where a test asks: files have 25 MB.
      get text() {
        return bytes.toString()
      },
      get json() {
        return parseJson(bytes.toString())
      },
    }
  }
  return {
    awsCalls,
    get service() {
      return running().service
    },
    get url() {
      return running().url
    },
    get sandbox() {
      return running().sandbox
    },
    get production() {
      return running().production
    },
    get team() {
      return running().team
    },
    get: (path, options = {}) => call("GET", path, undefined, options),
    head: (path, options = {}) => call("HEAD", path, undefined, options),
    delete: (path, options = {}) => call("DELETE", path, undefined, options),
    post: (path, body, options = {}) => call("POST", path, body, options),
    patch: (path, body, options = {}) => call("PATCH", path, body, options),
    call: (method, path, body, options = {}) => call(method, path, body, options),
    newApp: (environment, scopes) => running().newApp(environment, scopes),
    async newRole(app, slug) {
      const auth = await running().newKey(app, ["dataRole:write"])
      const { status, text } = await call("POST", "/data-roles", { slug, name: slug }, { auth })
      if (status !== 201) throw new Error(`The role is not created: ${text}`)
    },
    newKey: (app, scopes) => running().newKey(app, scopes),
  }
}

export function basic({ user, key }: { readonly user: string; readonly key: string }): string {
  return `Basic ${Buffer.from(`${user}:${key}`).toString("base64")}`
}

function encodeBody(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (typeof body === "string") return body
  if (body instanceof Uint8Array) return new Uint8Array(body)
  return JSON.stringify(body)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
