import { type Counting, type Counts, startCountedCloud } from "./counted-service.ts"
import { OPERATIONS } from "./operations.ts"

/** The AWS calls of an operation, by the state of its environment's caches. */
export interface OperationCounts {
  readonly name: string
  /** The first request of an environment. */
  readonly cold: Counts
  /** Of one request, on average over `WARM_REQUESTS` that come at once. */
  readonly warm: Counts
  /** The first request after 10 seconds: caches of settings are read again. */
  readonly refreshed: Counts
  /** The first request after 5 minutes: an app's keys are opened again. */
  readonly reopened: Counts
  /** The first request after an hour: the use of the API key is noted again. */
  readonly noted: Counts
}

export const REFRESH_MS = 10_000
export const REOPEN_MS = 5 * 60_000
export const NOTE_MS = 60 * 60_000
const WARM_REQUESTS = 50

/** Counts every operation, each in an environment of its own. */
export async function countOperations(): Promise<readonly OperationCounts[]> {
  const cloud = await startCountedCloud()
  try {
    const counted: OperationCounts[] = []
    for (const { name, prepare } of OPERATIONS) {
      const other = cloud.newEnvironment()
      const request = await prepare(other, cloud)
      await other.settle()
      const environment = cloud.newEnvironment()
      counted.push({ name, ...(await countOperation(environment, request)) })
      await environment.settle()
    }
    return counted
  } finally {
    await cloud.close()
  }
}

/**
 * Counts one request, repeatedly, in an environment that has answered none.
 *
 * @param warmRequests the number of requests in the average of `warm`
 */
export async function countOperation<Request>(
  environment: Counting<Request>,
  request: Request,
  warmRequests = WARM_REQUESTS,
): Promise<Omit<OperationCounts, "name">> {
  const cold = await environment.count(request)
  // Counters that count ahead do so from their second use on.
  await environment.send(request)
  const total = new Map<string, number>()
  for (let times = 0; times < warmRequests; times++) {
    for (const [name, count] of Object.entries(await environment.count(request))) {
      total.set(name, (total.get(name) ?? 0) + count)
    }
  }
  const warm = Object.fromEntries([...total].map(([name, count]) => [name, count / warmRequests]))
  const after = async (durationMs: number) => {
    environment.passTime(durationMs + 1)
    return environment.count(request)
  }
  const refreshed = await after(REFRESH_MS)
  const reopened = await after(REOPEN_MS)
  return { cold, warm, refreshed, reopened, noted: await after(NOTE_MS) }
}

/** Counts the calls whose name begins with a prefix. */
export function callsOf(counts: Counts, prefix = ""): number {
  return Object.entries(counts).reduce((sum, [name, count]) => sum + (name.startsWith(prefix) ? count : 0), 0)
}
