import { type BinData, type BinTableDependencies, createBinData } from "@sealway/bins"
import type { Platform } from "@sealway/http"
import type { DataRoles } from "@sealway/policies"
import { type CardNetworks, createCardNetworks } from "./networks/create-card-networks.ts"

/** The dependencies of this package's endpoints. */
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
    BinTableDependencies,
    CardNetworks {
  readonly binData: BinData
  readonly dataRoles: DataRoles
}

export interface PaymentServices {
  readonly dataRoles: DataRoles
  /** Default: new data. A process that also computes fingerprints passes the same. */
  readonly binData?: BinData
}

/** A platform whose configuration names the payments table. */
export type PaymentPlatform = Omit<
  PaymentDependencies,
  "binRows" | keyof PaymentServices | keyof CardNetworks
>

export function createPaymentDependencies(
  platform: PaymentPlatform,
  {
    dataRoles,
    binData = createBinData({ table: platform.paymentsTable, now: platform.now }),
  }: PaymentServices,
): PaymentDependencies {
  const { configTable, paymentsTable, directory, keyring, audit, accessLog, events, queues } = platform
  const { draws, envelope, log, now, wallClock, allowPrivateDestinations } = platform
  return {
    configTable,
    paymentsTable,
    directory,
    keyring,
    audit,
    accessLog,
    events,
    queues,
    draws,
    envelope,
    log,
    now,
    wallClock,
    allowPrivateDestinations,
    dataRoles,
    binData,
    binRows: paymentsTable,
    ...createCardNetworks(platform),
  }
}
