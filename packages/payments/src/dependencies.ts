import type { Platform, Table } from "@sealway/platform"
import type { DataRoles } from "@sealway/policies"
import { type CardNetworks, createCardNetworks } from "./networks/create-card-networks.ts"

/** What the endpoints of this package need. */
export interface PaymentDependencies
  extends Pick<
      Platform,
      | "configTable"
      | "directory"
      | "keyring"
      | "audit"
      | "accessLog"
      | "events"
      | "queues"
      | "draws"
      | "envelope"
      | "log"
      | "now"
      | "wallClock"
      | "allowPrivateDestinations"
    >,
    CardNetworks {
  readonly paymentsTable: Table
  readonly dataRoles: DataRoles
}

export interface PaymentServices {
  readonly dataRoles: DataRoles
}

/** A platform whose configuration names the table of payments. */
export type PaymentPlatform = Omit<PaymentDependencies, "dataRoles" | keyof CardNetworks>

export function createPaymentDependencies(
  platform: PaymentPlatform,
  { dataRoles }: PaymentServices,
): PaymentDependencies {
  const { configTable, paymentsTable, directory, keyring, audit, accessLog, events, queues } = platform
  const { draws, envelope, log, now, wallClock, allowPrivateDestinations } = platform
  return {
    ...{ configTable, paymentsTable, directory, keyring, audit, accessLog, events, queues },
    ...{ draws, envelope, log, now, wallClock, allowPrivateDestinations, dataRoles },
    ...createCardNetworks(platform),
  }
}
