import { NO_LIMITS } from "@sealway/accounts/testing"
import { createService, type ServedEndpoint } from "@sealway/api"
import { createPlatformOver, type Platform, type Ports } from "@sealway/http"
import { processTurns, RequestTask } from "@sealway/kernel"
import { type Item, parseConfiguration, QUEUES, TABLES } from "@sealway/ports"
import {
  Accesses,
  ASKING,
  createMemoryKeys,
  createMemoryTable,
  createProcess,
  createSender,
  deliverables,
  type Messages,
  type Process,
  type QueuedMessage,
  type Reach,
  Scheduler,
  sqsRecord,
  tableCall,
  unavailable,
} from "@sealway/ports/testing"
import type { AccessLog, AccessRecord } from "@sealway/records"
import { NO_STATS } from "@sealway/records/testing"
import type { SQSBatchResponse, SQSEvent } from "aws-lambda"
import { LAMBDA_CONTEXT, type ProxyRequest, proxyEvent } from "../../support/proxy-event.ts"
import { createMemoryHosting, createPrograms } from "./function-hosting.ts"
import { createBucket, createMemoryStorage } from "./storage.ts"

/** Where a window of ten minutes, and of an hour, begins. */
const START_MS = 1_699_999_200_000
const STEP_MS = 1
/** How long a request may take, as `Timeout` of the functions of the API says. */
const REQUEST_MS = 29_000
/** More messages than any history leaves. */
const MAX_DELIVERIES = 200

/** What a client got: null when no answer reached it. */
export type Answer = GivenAnswer | null

export interface GivenAnswer {
  readonly status: number
  readonly text: string
  /** The members of its body; none when that is no JSON object. */
  readonly json: Readonly<Record<string, unknown>>
}

/** A process of the service: its memory is its own, everything else is the world's. */
export interface ServiceProcess {
  readonly platform: Platform
  readonly service: ReturnType<typeof createService>
  readonly endpoints: readonly ServedEndpoint[]
  /** Makes a call to the outside. */
  readonly reach: Reach
  /** Sends a request to one of its endpoints. */
  send(endpointId: string, request: SentRequest): Promise<Answer>
  /** Makes a worker of it, which dies with it. */
  worker(
    handler: (event: SQSEvent) => Promise<SQSBatchResponse>,
  ): (event: SQSEvent) => Promise<SQSBatchResponse | null>
  /** Runs something that dies with it. @returns null when it has died */
  run<Result>(act: () => Promise<Result>): Promise<Result | null>
}

export interface SentRequest
  extends Pick<ProxyRequest, "pathParameters" | "queryStringParameters" | "headers"> {
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent unchanged in place of a body. */
  readonly text?: string
  readonly apiKey?: string
  readonly idempotencyKey?: string
}

/** Starts a process that takes the messages of a queue, by its name. */
export type Workers = Readonly<Record<string, () => ReturnType<ServiceProcess["worker"]>>>

/** Everything outside of the processes, in memory: it can be put back to what it was. */
export class World {
  readonly tables = new Map(TABLES.map(({ name }) => [name, new Map<string, Item>()]))
  readonly messages: Messages = new Map<string, QueuedMessage>()
  readonly bucket = createBucket()
  readonly programs = createPrograms()
  /** Access records, which processes write to their log. */
  readonly decryptions = new Map<string, AccessRecord>()
  /** Warnings and errors that processes have logged. */
  readonly logged: string[] = []
  readonly accesses = new Accesses()
  scheduler = this.#newScheduler(START_MS)
  readonly #keys = createMemoryKeys()
  #processes = 0
  #requests = 0
  readonly #sent = { count: 0 }

  get nowMs(): number {
    return this.scheduler.nowMs
  }

  sleep(ms: number): Promise<void> {
    return this.scheduler.sleep(ms)
  }

  /** Remembers the world as it is. @returns what makes it so again, for another history */
  snapshot(): () => void {
    const maps: Map<string, unknown>[] = [
      ...this.tables.values(),
      ...[this.messages, this.bucket.objects, this.bucket.uploads, this.decryptions],
      ...[this.programs.names, this.programs.zips, this.programs.calls],
    ]
    const kept = maps.map((map) => [...map])
    const { nowMs } = this
    const { count } = this.#sent
    return () => {
      this.#sent.count = count
      for (const [index, map] of maps.entries()) {
        map.clear()
        for (const [key, value] of kept[index] ?? []) map.set(key, value)
      }
      this.logged.length = 0
      this.#processes = 0
      this.scheduler = this.#newScheduler(nowMs)
    }
  }

  /** Delivers all messages of queues, one after another, while no history runs. */
  async deliverAll(workers: Workers): Promise<void> {
    const waiting = () => [...this.messages.values()].filter(({ queue }) => workers[queue] !== undefined)
    for (let left = MAX_DELIVERIES, [next] = waiting(); next !== undefined; [next] = waiting()) {
      if (--left < 0) throw new Error("Messages never end")
      const { id, queue, body, visibleAtMs } = next
      this.messages.delete(id)
      this.scheduler.nowMs = Math.max(this.nowMs, visibleAtMs)
      const result = await workers[queue]?.()({ Records: [sqsRecord({ id, body })] })
      if (result?.batchItemFailures.length !== 0)
        throw new Error(`A message of ${queue} fails: ${this.logged.at(-1)}`)
    }
  }

  /** Lets workers take messages while a history runs. */
  deliver(workers: Workers): void {
    const { messages, scheduler } = this
    scheduler.deliverFrom(() =>
      deliverables({
        messages,
        nowMs: () => this.nowMs,
        start: (name, act) => scheduler.start(name, act),
        workerOf: (queue) =>
          workers[queue] === undefined ? null : (event) => workers[queue]?.()(event) ?? Promise.resolve(null),
      }),
    )
  }

  /** Starts a process of the service. */
  start(): ServiceProcess {
    const process = createProcess(`process ${++this.#processes}`)
    const reach: Reach = (call, act) => this.scheduler.reach(process, call, act)
    const platform: Platform = {
      ...createPlatformOver(CONFIGURATION, this.#ports(reach)),
      stats: NO_STATS,
      limiter: NO_LIMITS,
      log: this.#log,
      accessLog: this.#accessLog,
    }
    const service = createService(platform, null, {
      storage: createMemoryStorage(this.bucket, reach),
      functionHosting: createMemoryHosting(this.programs, reach),
    })
    const run = <Result>(act: () => Promise<Result>) => Promise.race([act(), process.death])
    return {
      platform,
      service,
      endpoints: service.endpoints,
      run,
      reach,
      send: (endpointId, request) => this.#send(process, service.endpoints, endpointId, request),
      worker: (handler) => (event) => run(() => handler(event)),
    }
  }

  async #send(
    process: Process,
    endpoints: readonly ServedEndpoint[],
    endpointId: string,
    { apiKey, idempotencyKey, body, text, headers, ...request }: SentRequest,
  ): Promise<Answer> {
    const found = endpoints.find(({ endpoint }) => endpoint.id === endpointId)
    if (found === undefined) throw new Error(`There is no endpoint ${endpointId}`)
    if (this.scheduler.isRunning) process.endsAtMs = this.nowMs + REQUEST_MS
    const { method, path } = found.endpoint
    const event = proxyEvent({
      method,
      path,
      ...request,
      headers: {
        "content-type": "application/json",
        ...(apiKey !== undefined && { "api-key": apiKey }),
        ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(text !== undefined && { body: text }),
    })
    event.requestContext.requestId = `request-${++this.#requests}`
    const task = new RequestTask({ turns: processTurns })
    const answered = await Promise.race([found.handler(event, { ...LAMBDA_CONTEXT, task }), process.death])
    if (answered === null) return null
    const { statusCode = 0, body: encoded = "", isBase64Encoded = false } = answered
    const answer = isBase64Encoded ? Buffer.from(encoded, "base64").toString() : encoded
    // It is on its way: the client may never see it.
    const call = { text: `answer ${statusCode} ${endpointId}`, access: null, faults: ASKING }
    const arrived = await Promise.race([this.scheduler.reach(process, call, () => true), process.death])
    return arrived === null ? null : { status: statusCode, text: answer, json: parseObject(answer) }
  }

  #ports(reach: Reach): Ports {
    const nowMs = () => this.scheduler.nowMs
    const kms = <Result>(text: string, act: () => Promise<Result>) =>
      reach({ text: `kms.${text}`, access: null, faults: [] }, act).then((result) => result)
    return {
      now: nowMs,
      wallClock: nowMs,
      tableOf: (name) =>
        createMemoryTable({
          items: this.tables.get(tableNamed(name)) ?? new Map(),
          wallClock: nowMs,
          reach: (call, act) => reach(tableCall(name, call), act),
        }),
      writtenAudit: null,
      queues: createSender(this.messages, this.#sent, nowMs, reach),
      keys: {
        ...this.#keys,
        seal: (...values) => kms("encrypt", () => this.#keys.seal(...values)),
        open: (...values) => kms("decrypt", () => this.#keys.open(...values)),
      },
      openObjects: () => {
        throw new Error("A program that is explored is given its storage")
      },
      openFunctionHost: () => {
        throw new Error("A program that is explored is given its hosting")
      },
      connect: () => {
        throw new Error("A program that is explored must not call AWS")
      },
    }
  }

  readonly #log: Platform["log"] = {
    info: () => {},
    warn: (message, { error } = {}) => void this.logged.push(`${message}: ${stackOf(error)}`),
    error: (message, { error } = {}) => void this.logged.push(`${message}: ${stackOf(error)}`),
  }

  readonly #accessLog: AccessLog = {
    record: (record) => void this.decryptions.set(String(this.decryptions.size), record),
    flush: async () => {},
  }

  #newScheduler(nowMs: number): Scheduler {
    return new Scheduler(nowMs, STEP_MS, this.accesses, unavailable)
  }
}

const queueVariables = QUEUES.flatMap(({ name }) => {
  const variable = `SEALWAY_${name.toUpperCase().replaceAll("-", "_")}`
  return [
    [`${variable}_QUEUE_URL`, `https://sqs.example/${name}`],
    [`${variable}_DEAD_LETTERS_QUEUE_URL`, `https://sqs.example/${name}-dead-letters`],
  ]
})

const CONFIGURATION = parseConfiguration({
  ...Object.fromEntries(queueVariables),
  AWS_REGION: "us-east-1",
  SEALWAY_API_ORIGIN: "https://api.example.com",
  SEALWAY_CONFIG_TABLE: "config",
  SEALWAY_KEYS_TABLE: "keys",
  SEALWAY_AUDIT_TABLE: "audit",
  SEALWAY_EVENTS_TABLE: "events",
  SEALWAY_RUNS_TABLE: "runs",
  SEALWAY_PAYMENTS_TABLE: "payments",
  SEALWAY_KMS_KEY_ID: "alias/stage",
  SEALWAY_HOSTING: "api-gateway",
  SEALWAY_ACCESS_LOG: "log",
  SEALWAY_SIGN_IN_LINKS: "true",
  SEALWAY_ALLOW_PRIVATE_DESTINATIONS: "true",
  SEALWAY_RELAY_DOMAIN: "relay.example.com",
  SEALWAY_FUNCTION_PREFIX: "explored-",
  SEALWAY_FUNCTION_ROLE_ARN: "arn:aws:iam::000000000000:role/function",
  SEALWAY_FUNCTION_CODE_BUCKET: "code",
  SEALWAY_FILE_BUCKET: "files",
})

function tableNamed(name: string) {
  const found = TABLES.find((table) => table.name === name)
  if (found === undefined) throw new Error(`There is no table ${name}`)
  return found.name
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === "object" ? { ...parsed } : {}
  } catch {
    return {}
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
