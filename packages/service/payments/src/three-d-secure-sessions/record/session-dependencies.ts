import type { App, Directory } from "@sealway/accounts"
import type { Keyring } from "@sealway/keys"
import type { Draws, Log, QueueSender, Table } from "@sealway/ports"
import type { Events } from "@sealway/records"
import type { ThreeDSNetwork } from "../../networks/three-d-secure-network.ts"

/** What 3-D Secure sessions need from a process. */
export interface SessionDependencies {
  readonly paymentsTable: Table
  readonly keyring: Pick<Keyring, "newest" | "open">
  readonly directory: Pick<Directory, "app">
  readonly events: Pick<Events, "publish">
  readonly queues: QueueSender
  readonly draws: Draws
  readonly log: Pick<Log, "warn">
  readonly cardNetworkOf: (app: App, wallClock?: () => number) => ThreeDSNetwork
  /** Epoch milliseconds. */
  readonly wallClock: () => number
}
