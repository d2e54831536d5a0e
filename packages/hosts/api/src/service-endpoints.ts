import { elementEndpoints } from "@sealway/elements"
import { enclaveEndpoints } from "@sealway/enclave"
import { fileEndpoints } from "@sealway/files"
import { formatEndpoints } from "@sealway/formats"
import { functionEndpoints } from "@sealway/functions"
import { honeyEndpoints } from "@sealway/honey"
import type { Endpoint } from "@sealway/http"
import { managementEndpoints } from "@sealway/management"
import { memberEndpoints, oidcEndpoints } from "@sealway/members"
import { paymentEndpoints } from "@sealway/payments"
import { policyEndpoints } from "@sealway/policies"
import { relayEndpoints } from "@sealway/relay"
import { subjectEndpoints } from "@sealway/subjects"
import { fingerprintEndpoints, vaultEndpoints } from "@sealway/vault"
import { webhookEndpoints } from "@sealway/webhooks"
import { getOpenApi } from "./endpoints/get-openapi.ts"
import { health } from "./endpoints/health.ts"

/**
 * The endpoints, by what they depend on: `wiring/<name>.ts` creates the dependencies of those under `<name>`, for a
 * process that serves all of them and for one that serves a single one.
 */
export const ENDPOINTS = {
  vault: vaultEndpoints,
  fingerprints: fingerprintEndpoints,
  policies: policyEndpoints,
  management: managementEndpoints,
  members: memberEndpoints,
  oidc: oidcEndpoints,
  enclave: enclaveEndpoints,
  honey: honeyEndpoints,
  formats: formatEndpoints,
  files: fileEndpoints,
  subjects: subjectEndpoints,
  webhooks: webhookEndpoints,
  functions: functionEndpoints,
  relay: relayEndpoints,
  payments: paymentEndpoints,
  elements: elementEndpoints,
  health: [health],
  openapi: [getOpenApi],
} as const

/** Every endpoint of the service. */
export const serviceEndpoints: readonly Endpoint<never>[] = Object.values(ENDPOINTS).flat()
