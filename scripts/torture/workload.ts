import type { Outcome, Request } from "./caller.ts"
import type { Ledger } from "./ledger.ts"
import type { Random } from "./random.ts"
import type { Reachable } from "./tortured-service.ts"

/** What a client shares with its workloads. */
export interface WorkloadContext {
  readonly service: Reachable
  readonly ledger: Ledger
  readonly random: Random
  /** Sends a request, counts a refusal, and waits a little after anything but an acknowledgement. */
  ask(request: Request): Promise<Outcome>
  /** Returns a name that nothing else has. */
  nextName(): string
}

/** Does one of the things that a client does beside others. */
export type Workload = () => Promise<void>
