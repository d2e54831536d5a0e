import { ANY_TYPE, UNTYPED } from "@sealway/relay-engine"
import type { Relay } from "../relays/relay.ts"
import { actionsOf, type PlacedSelection, selectionsOf } from "./check-routes.ts"
import { hasLiteralPrefix, LITERAL_PREFIX } from "./literal-prefix.ts"

export const RELAY_WARNINGS = [
  "decrypts-without-authentication",
  "data-subject-without-authentication",
  "role-on-decrypt",
  "certificate-expires-soon",
  "unknown-content-types-pass",
  "unmatched-pass",
  "content-types-pass",
  "locations-pass",
  "prefix-without-namespace",
] as const

/** Something allowed that may be a mistake. */
export interface RelayWarning {
  readonly code: (typeof RELAY_WARNINGS)[number]
  /** JSON Pointer into the relay. */
  readonly pointer: string
  readonly detail: string
}

const SOON_MS = 30 * 24 * 60 * 60_000

/** @param nowMs epoch milliseconds */
export function warningsOf(relay: Relay, nowMs: number): readonly RelayWarning[] {
  const { routes, authentication, clientCertificate, unknownContentTypes } = relay
  const warnings: RelayWarning[] = []
  const placed = [...selectionsOf(routes)]
  const decrypting = placed.filter(({ action }) => action.action === "decrypt")
  const [first] = decrypting
  // With a client certificate, API keys are always required.
  const isOpen = authentication === null && clientCertificate === null
  if (first !== undefined && isOpen) {
    warnings.push({
      code: "decrypts-without-authentication",
      pointer: "/authentication",
      detail:
        "The relay decrypts values for anyone who sends it a request. Require an API key, or make sure that the roles' policies permit no more than you intend.",
    })
  }
  const named = [...actionsOf(routes)].find(
    ({ direction, action }) => direction === "request" && action.dataSubject !== undefined,
  )
  if (named !== undefined && isOpen) {
    warnings.push({
      code: "data-subject-without-authentication",
      pointer: `${named.pointer}/dataSubject`,
      detail:
        "Anyone who sends the relay a request chooses whose data it encrypts, and creates data subjects. Require an API key, or make sure that only your own programs reach the relay.",
    })
  }
  for (const { pointer, selection } of decrypting) {
    if (selection.role === null) continue
    warnings.push({
      code: "role-on-decrypt",
      pointer: `${pointer}/role`,
      detail: "A role has no effect on decryption: values keep the role that they were encrypted with.",
    })
  }
  if (clientCertificate !== null && clientCertificate.expiresAt - nowMs < SOON_MS) {
    const isOver = clientCertificate.expiresAt <= nowMs
    warnings.push({
      code: "certificate-expires-soon",
      pointer: "/clientCertificate/expiresAt",
      detail: isOver
        ? "The client certificate has expired."
        : "The client certificate expires within 30 days.",
    })
  }
  const sealing = placed.filter(
    ({ direction, action }) => direction === "request" && action.action === "encrypt",
  )
  if (unknownContentTypes === "pass" && sealing.some(({ selection }) => isOfBody(selection))) {
    warnings.push({
      code: "unknown-content-types-pass",
      pointer: "/unknownContentTypes",
      detail:
        "Bodies of unknown types pass unencrypted, and some destinations read fields from them. Refuse them unless the relay must pass some.",
    })
  }
  warnings.push(...warningsOfPassing(relay, placed))
  if (!relay.rewriteLocations && sealing.length > 0) {
    warnings.push({
      code: "locations-pass",
      pointer: "/rewriteLocations",
      detail:
        "A redirect of the destination to itself leads clients past the relay, and they send their requests there unencrypted. Rewrite such URLs unless your clients follow no redirects.",
    })
  }
  for (const { pointer, selection } of placed) {
    if (!hasLiteralPrefix(selection)) continue
    warnings.push({
      code: "prefix-without-namespace",
      pointer: `${pointer}/selector`,
      detail: LITERAL_PREFIX,
    })
  }
  return warnings
}

/** What passes although no route or no selection describes it. */
function warningsOfPassing(
  { unmatched, passContentTypes }: Relay,
  placed: readonly PlacedSelection[],
): readonly RelayWarning[] {
  const sealing = placed.filter(({ action }) => action.action === "encrypt")
  const warnings: RelayWarning[] = []
  if (unmatched === "pass" && sealing.length > 0) {
    warnings.push({
      code: "unmatched-pass",
      pointer: "/unmatched",
      detail:
        "Requests that match no route pass unencrypted, and a destination may treat some of them like those that do. Refuse them unless the relay must pass some.",
    })
  }
  const isAny = passContentTypes.includes(ANY_TYPE)
  const passes = isAny || passContentTypes.includes(UNTYPED)
  if (passes && sealing.some(({ selection }) => isOfBody(selection))) {
    warnings.push({
      code: "content-types-pass",
      pointer: "/passContentTypes",
      detail: isAny
        ? "Bodies of types that no selection is for pass unencrypted, such as a form where only JSON is selected. Add selections for the types that your clients send, and list the files that may pass."
        : "Bodies of type application/octet-stream pass whatever they contain, and some destinations read JSON, XML or forms from them. List the types of the files that may pass instead.",
    })
  }
  return warnings
}

function isOfBody({ type }: PlacedSelection["selection"]): boolean {
  return type !== "header" && type !== "query"
}
