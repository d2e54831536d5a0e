import type { AwsService, Configuration } from "../stage/configuration.ts"

export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/** The settings of a client of the SDK. */
export interface AwsClientConfig {
  readonly region: string
  readonly endpoint?: string
  readonly maxAttempts: number
  readonly retryMode: "standard"
  readonly requestHandler: {
    readonly connectionTimeout: number
    readonly requestTimeout: number
    readonly throwOnRequestTimeout: boolean
  }
  readonly credentials?: AwsCredentials
}

/** Creates a client of the SDK with the settings of the process. Who calls it loads that client: few need each. */
export type Connect = <Client extends SdkClient>(
  service: AwsService,
  create: (config: AwsClientConfig) => Client,
) => Client

/** The common part of the SDK's clients. */
interface SdkClient {
  readonly middlewareStack: { add(middleware: Middleware, place: { step: "initialize"; name: string }): void }
  destroy(): void
}

type Middleware = <Args, Result>(
  next: (args: Args) => Promise<Result>,
  context: { readonly commandName?: string },
) => (args: Args) => Promise<Result>

/** Where AWS is called: the part of `Configuration` that clients need. */
export interface AwsPlace extends Pick<Configuration, "region"> {
  readonly endpoints: Partial<Configuration["endpoints"]>
}

export interface ConnectionOptions {
  /** Default: the SDK's own chain (a Lambda's role). */
  readonly credentials?: AwsCredentials
  /**
   * The timeout of one attempt of a call, for the head of its answer; there are three attempts. Default: 3,000, so that a
   * stalled service ends as a 503 well before the request's own limit.
   */
  readonly requestTimeoutMs?: number
  /** Called before each API call, once for all its retries: to count calls and check grants. */
  readonly onCall?: OnCall
}

export type OnCall = (call: AwsCall) => void

/** An AWS API call, named as IAM names it. */
export interface AwsCall {
  readonly service: AwsService
  readonly operation: string
  /** The table or queue, `files` for their bucket, or the part of a key version that is decrypted; null for everything else. */
  readonly resource: string | null
}

const CONNECTION_TIMEOUT_MS = 1_000
/** Applies to one attempt of a call. */
export const REQUEST_TIMEOUT_MS = 3_000

/** Returns how a process creates clients of the SDK, and what closes all of them. */
export function createConnections(
  { region, endpoints }: AwsPlace,
  { credentials, requestTimeoutMs = REQUEST_TIMEOUT_MS, onCall }: ConnectionOptions,
): { readonly connect: Connect; destroy(): void } {
  const clients: SdkClient[] = []
  const common: AwsClientConfig = {
    region,
    maxAttempts: 3,
    // Else the environment or ~/.aws/config could choose another, which waits before calls.
    retryMode: "standard",
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: requestTimeoutMs,
      // The SDK would only log a warning for a request timeout.
      throwOnRequestTimeout: true,
    },
    ...(credentials && { credentials }),
  }
  return {
    connect(service, create) {
      const endpoint = endpoints[service]
      const client = create({ ...common, ...(endpoint && { endpoint }) })
      clients.push(client)
      const add = (name: string, middleware: Middleware) =>
        client.middlewareStack.add(middleware, { step: "initialize", name })
      add("unreadableAnswers", unreadableAnswers)
      if (onCall !== undefined) add("reportCall", reportCall(service, onCall))
      return client
    },
    destroy() {
      for (const client of clients) client.destroy()
    },
  }
}

/** The SDK would quote from what is no JSON. It may be a proxy's, and it may be a part of a secret. */
const unreadableAnswers: Middleware = (next) => async (args) => {
  try {
    return await next(args)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const metadata = "$metadata" in error ? { $metadata: error.$metadata } : {}
    throw Object.assign(new Error("Unknown"), { name: "Unknown", ...metadata })
  }
}

function reportCall(service: AwsService, onCall: OnCall): Middleware {
  return (next, { commandName }) =>
    (args) => {
      onCall({ service, operation: operationOf(commandName), resource: null })
      return next(args)
    }
}

/** Commands whose names differ in IAM. */
const IAM_NAMES: ReadonlyMap<string, string> = new Map([
  ["Invoke", "InvokeFunction"],
  ["ListObjectsV2", "ListBucket"],
])

function operationOf(commandName: string | undefined): string {
  const name = (commandName ?? "unknown").replace(/Command$/, "")
  return IAM_NAMES.get(name) ?? name
}
