import { BOUNDARY } from "../relay/document.ts"
import type { BodyName, WrapperName } from "./bodies.ts"

/** A body that is sent repeatedly while small requests are measured. */
export interface Case {
  readonly name: string
  readonly door: "api" | "relay"
  readonly path: string
  readonly contentType: string
  readonly body: BodyName
  /** Whether it is encrypted first, and the tokens are sent. */
  readonly isEncrypted?: boolean
  /** The document that a token is put into. */
  readonly wrapper?: WrapperName
  /** The status of its answer. Default: 200. */
  readonly status?: number
  /** Bodies at a time. Default: 1. */
  readonly senders?: number
}

const JSON_TYPE = "application/json"
const XML_TYPE = "application/xml"
const FORM_TYPE = "application/x-www-form-urlencoded"
const MULTIPART_TYPE = `multipart/form-data; boundary=${BOUNDARY}`

const API: readonly Case[] = [
  api("/encrypt", "20,000 fields"),
  api("/encrypt", "250,000 strings"),
  api("/encrypt", "250,000 numbers"),
  api("/encrypt", "one value of 5 MB"),
  { ...api("/encrypt", "25 MB of bytes"), contentType: "application/octet-stream" },
  { ...api("/decrypt", "45,000 values"), isEncrypted: true },
  { ...api("/decrypt", "one value of 5 MB"), isEncrypted: true },
  { ...api("/rewrap", "45,000 values"), isEncrypted: true },
  { ...api("/client-side-tokens", "a payload of 250,000 numbers"), status: 201 },
  { ...api("/client-side-tokens", "a payload of 100,000 members"), status: 201 },
]

const RELAY: readonly Case[] = [
  relay("$..*", "/all", JSON_TYPE, "250,000 strings"),
  relay("$..*", "/all", JSON_TYPE, "250,000 numbers"),
  relay("$..*", "/all", JSON_TYPE, "one value of 5 MB of escapes"),
  relay("$..*", "/all", JSON_TYPE, "20,000 patients"),
  relay("$..*", "/all", JSON_TYPE, "10,000 lists of depth 250"),
  { ...relay("$..*", "/opened", JSON_TYPE, "45,000 values"), isEncrypted: true },
  relay("$.a", "/a", JSON_TYPE, "870,000 names like one that is encrypted"),
  relay("watched", "/a", JSON_TYPE, "card numbers that are none"),
  relay("watched", "/a", JSON_TYPE, "tokens that are none"),
  relay("$..*", "/all", XML_TYPE, "200,000 elements"),
  relay("$.r", "/a", XML_TYPE, "300,000 attributes"),
  { ...relay("$.r", "/a", XML_TYPE, "240,000 attributes with a prefix"), status: 400 },
  relay("$..*", "/all", XML_TYPE, "5 MB of references"),
  { ...opened(XML_TYPE, "one value of 5 MB of ampersands"), wrapper: "xml" },
  { ...relay("a field", "/a", FORM_TYPE, "5 MB of &"), status: 413 },
  relay("a field", "/a", FORM_TYPE, "10,000 fields of 500 bytes"),
  relay("a field", "/a", FORM_TYPE, "one field of 5 MB"),
  { ...opened(FORM_TYPE, "one value of 5 MB of ampersands"), wrapper: "form" },
  { ...relay("a field", "/a", MULTIPART_TYPE, "5 MB of parts"), status: 413 },
  relay("a field", "/a", MULTIPART_TYPE, "1,000 parts of 5 KB"),
  relay("a field", "/a", MULTIPART_TYPE, "one quoted-printable part of 5 MB"),
  relay("a file", "/a", MULTIPART_TYPE, "a file of 25 MB"),
  { ...relay("$..name, 30 at a time", "/names", JSON_TYPE, "20,000 patients"), senders: 30 },
]

export const CASES: readonly Case[] = [...API, ...RELAY]

function api(path: string, body: BodyName): Case {
  return { name: path, door: "api", path, contentType: JSON_TYPE, body }
}

function relay(name: string, path: string, contentType: string, body: BodyName): Case {
  const format = contentType.replace(/;.*/, "").replace(/^.*[/-]/, "")
  return { name: `relay, ${format}, ${name}`, door: "relay", path, contentType, body }
}

function opened(contentType: string, body: BodyName): Case {
  return { ...relay("opened", "/opened", contentType, body), isEncrypted: true }
}
