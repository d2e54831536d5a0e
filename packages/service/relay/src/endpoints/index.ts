import type { Endpoint } from "@sealway/http"
import type { RelayDependencies } from "../dependencies.ts"
import { createRelay } from "./create-relay.ts"
import { createAlert } from "./create-relay-alert.ts"
import { createCustomDomain } from "./create-relay-custom-domain.ts"
import { deleteRelay } from "./delete-relay.ts"
import { deleteCustomDomain } from "./delete-relay-custom-domain.ts"
import { getRelayOutbound } from "./get-relay-outbound.ts"
import { getRelayActivity, listRelayActivity } from "./relay-activity.ts"
import { deleteAlert, getAlert, listAlerts } from "./relay-alerts.ts"
import { getCustomDomain, listCustomDomains } from "./relay-custom-domains.ts"
import { getRelay, listRelays } from "./relays.ts"
import { testRelay } from "./test-relay.ts"
import { testAlert } from "./test-relay-alert.ts"
import { updateRelay } from "./update-relay.ts"
import { updateAlert } from "./update-relay-alert.ts"
import { verifyCustomDomain } from "./verify-relay-custom-domain.ts"

export const relayEndpoints: readonly Endpoint<RelayDependencies>[] = [
  createRelay,
  listRelays,
  getRelay,
  updateRelay,
  deleteRelay,
  createCustomDomain,
  listCustomDomains,
  getCustomDomain,
  verifyCustomDomain,
  deleteCustomDomain,
  createAlert,
  listAlerts,
  getAlert,
  updateAlert,
  deleteAlert,
  testAlert,
  testRelay,
  listRelayActivity,
  getRelayActivity,
  getRelayOutbound,
]
