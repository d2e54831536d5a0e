import { codeOf } from "../../test/support/functions.ts"
import type { Json } from "./caller.ts"
import type { Random } from "./random.ts"

/** What is created, changed and deleted, one record at a time. */
export interface Kind {
  readonly name: string
  /** Whose credentials it requires. */
  readonly by: "team" | "app"
  /** @param appId of the client's app */
  path(appId: string): string
  /** Returns the fields that identify it: no other record of the app has them. */
  body(name: string, random: Random): Json
  /** Returns null when it is never changed. */
  change(random: Random): Json | null
  readonly isDeleted: boolean
  /** The field of the body that no two records share. */
  readonly unique: string
  /** The field of an answer that names it in paths. */
  readonly id: "id" | "name"
  /** Returns whether a listed one was deleted. Default: one that is listed exists. */
  isGone?(found: Json): boolean
  /** The most live records of a client. */
  readonly atMost: number
  /** How its list continues. Default: by the last record's id. */
  readonly pages?: "numbered"
}

const text = (random: Random) => `Changed ${random.between(1, 1_000_000_000)}`

/** The end of the names of merchants whose networks take two minutes in the sandbox. */
export const SLOW = "Slow"

/** Merchants' names have letters, digits and spaces. */
const lettersOf = (name: string) => name.replaceAll(/[^a-zA-Z0-9]/g, " ")

const FUNCTION_CODE = codeOf({ "index.mjs": "export const handler = async (payload) => payload" })

export const KINDS: readonly [Kind, ...Kind[]] = [
  {
    name: "app",
    by: "team",
    path: () => "/apps",
    body: (name) => ({ name, environment: "sandbox" }),
    change: (random) => ({ name: text(random) }),
    isDeleted: false,
    unique: "name",
    id: "id",
    atMost: 15,
  },
  {
    name: "API key",
    by: "team",
    path: (appId) => `/apps/${appId}/api-keys`,
    body: (name) => ({ name, scopes: ["api:decrypt"] }),
    change: () => null,
    isDeleted: true,
    unique: "name",
    id: "id",
    isGone: ({ revokedAt }) => typeof revokedAt === "number",
    atMost: 10,
  },
  {
    name: "role",
    by: "app",
    path: () => "/data-roles",
    body: (name) => ({ slug: name, name }),
    change: (random) => ({ name: text(random) }),
    isDeleted: true,
    unique: "slug",
    id: "id",
    atMost: 30,
  },
  {
    name: "policy",
    by: "app",
    path: () => "/data-policies",
    body: (name) => ({ name, effect: "permit", roles: ["used"], conditions: { sources: ["api"] } }),
    change: (random) => ({ conditions: { ipRanges: [`10.${random.between(0, 255)}.0.0/16`] } }),
    isDeleted: true,
    unique: "name",
    id: "id",
    atMost: 30,
  },
  {
    name: "relay",
    by: "app",
    path: () => "/relays",
    body: (name) => ({ destinationDomain: `${name}.example.com` }),
    change: (random) => ({ encryptEmptyStrings: random.next() < 0.5 }),
    isDeleted: true,
    unique: "destinationDomain",
    id: "id",
    atMost: 20,
  },
  {
    name: "webhook endpoint",
    by: "app",
    path: () => "/webhook-endpoints",
    body: (name) => ({ url: `https://${name}.example.com/hook`, events: ["enclave.deployment.*"] }),
    change: (random) => ({ description: text(random) }),
    isDeleted: true,
    unique: "url",
    id: "id",
    atMost: 20,
  },
  {
    name: "function",
    by: "app",
    path: () => "/functions",
    body: (name) => ({ name, language: "node@24", handler: "index.mjs", code: FUNCTION_CODE }),
    change: () => null,
    isDeleted: true,
    unique: "name",
    id: "name",
    atMost: 3,
  },
  {
    name: "honey token",
    by: "app",
    path: () => "/honey-tokens",
    body: (name) => ({ name, shape: "card-number" }),
    change: () => null,
    isDeleted: true,
    unique: "name",
    id: "id",
    atMost: 10,
  },
  {
    name: "merchant",
    by: "app",
    path: () => "/payments/merchants",
    body: (name, random) => ({
      name: random.next() < 0.5 ? lettersOf(name) : `${lettersOf(name)} ${SLOW}`,
      website: "https://shop.example.com",
      categoryCode: "5411",
      business: {
        legalName: "Shop Limited",
        address: { line1: "1 High Street", city: "Dublin", postalCode: "D01", country: "ie" },
      },
    }),
    change: (random) => ({ shortName: `Changed ${random.between(1, 1_000_000_000)}` }),
    isDeleted: true,
    unique: "name",
    id: "id",
    atMost: 10,
    pages: "numbered",
  },
  {
    name: "acquirer",
    by: "app",
    path: () => "/payments/acquirers",
    body: (name) => ({
      name,
      configurations: [
        { network: "visa", bin: "400000", acquirerMerchantIdentifier: "123456", country: "ie" },
        { network: "mastercard", bin: "520000", acquirerMerchantIdentifier: "123456", country: "ie" },
      ],
    }),
    change: (random) => ({ description: text(random) }),
    isDeleted: true,
    unique: "name",
    id: "id",
    atMost: 10,
    pages: "numbered",
  },
]

/** Fields that no answer shows. */
const HIDDEN = ["code", "shape"]

/** Returns whether an answer shows the other fields of a request as they were sent. */
export function shows(found: Json, sent: Json): boolean {
  return Object.entries(sent).every(([name, value]) => HIDDEN.includes(name) || covers(found[name], value))
}

/** Compares one way: an answer may have more than was sent. */
function covers(found: unknown, sent: unknown): boolean {
  if (Array.isArray(sent)) {
    return (
      Array.isArray(found) &&
      found.length === sent.length &&
      sent.every((each, index) => covers(found[index], each))
    )
  }
  if (typeof sent !== "object" || sent === null) return found === sent
  if (typeof found !== "object" || found === null) return false
  const members = new Map(Object.entries(found))
  return Object.entries(sent).every(([name, value]) => covers(members.get(name), value))
}
