import { documentOf } from "../document-of.ts"
import { BOUNDARY, createDocument, createUpload } from "../relay/document.ts"

const MB = 1_048_576
const DISPOSITION = `--${BOUNDARY}\r\nContent-Disposition: form-data; name=`

/** Bodies that take the most work within the limits, by name. */
export const BODIES = {
  "20,000 fields": () => Buffer.from(documentOf(20_000)),
  "250,000 strings": () => Buffer.from(`[${Array(250_000).fill('"a"').join(",")}]`),
  "250,000 numbers": () => Buffer.from(`[${Array(250_000).fill(7).join(",")}]`),
  "a payload of 250,000 numbers": () =>
    Buffer.from(`{"action":"api:decrypt","payload":{"a":[${Array(250_000).fill(7).join(",")}]}}`),
  "a payload of 100,000 members": () => {
    const members = Array.from({ length: 100_000 }, (_, index) => `"${index.toString(36)}":7`)
    return Buffer.from(`{"action":"api:decrypt","payload":{${members.join(",")}}}`)
  },
  "45,000 values": () => Buffer.from(JSON.stringify(Array(45_000).fill("value"))),
  "one value of 5 MB": () => Buffer.from(JSON.stringify("x".repeat(5 * MB - 2))),
  "one value of 5 MB of ampersands": () => Buffer.from(JSON.stringify("&".repeat(5 * MB - 2))),
  "one value of 5 MB of escapes": () => Buffer.from(`"${'\\"'.repeat(2.5 * MB - 1)}"`),
  "20,000 patients": createDocument,
  "10,000 lists of depth 250": () => Buffer.from(`[${listsOf(10_000, 250)}]`),
  "870,000 names like one that is encrypted": () =>
    Buffer.from(`{${Array(870_000).fill('"-":1').join(",")}}`),
  "card numbers that are none": () =>
    Buffer.from(JSON.stringify({ text: "4242 4242 4242 424 ".repeat(270_000) })),
  "tokens that are none": () => Buffer.from(JSON.stringify({ text: "ev:AAAA:".repeat(600_000) })),
  "300,000 attributes": () => attributes(300_000, ""),
  "240,000 attributes with a prefix": () => attributes(240_000, "p:"),
  "200,000 elements": () => Buffer.from(`<r>${"<e>41</e>".repeat(200_000)}</r>`),
  "5 MB of references": () => Buffer.from(`<r><a>${"&amp;".repeat(MB - 10)}</a></r>`),
  "5 MB of &": () => Buffer.alloc(5 * MB, "&"),
  "10,000 fields of 500 bytes": () => Buffer.from(`a=${"%41".repeat(165)}&`.repeat(9_999)),
  "one field of 5 MB": () => Buffer.from(`a=${"%41".repeat(1.66 * MB)}`),
  "5 MB of parts": () => multipart("a", "", "1", 60_000),
  "1,000 parts of 5 KB": () => multipart("a", "", "x".repeat(5_000), 990),
  "one quoted-printable part of 5 MB": () =>
    multipart("b", "\r\nContent-Transfer-Encoding: quoted-printable", "=41".repeat(1.6 * MB), 1),
  "a file of 25 MB": createUpload,
  "25 MB of bytes": () => Buffer.alloc(25 * MB, "sealway"),
} as const

export type BodyName = keyof typeof BODIES

/** Documents that contain an encrypted one, by name. */
export const WRAPPERS = {
  form: (token: string) => Buffer.from(`a=${encodeURIComponent(token)}`),
  xml: (token: string) => Buffer.from(`<r><a>${token}</a></r>`),
} as const

export type WrapperName = keyof typeof WRAPPERS

/** Builds no more bytes than a body may have. */
function listsOf(count: number, depth: number): string {
  const list = "[".repeat(depth) + "]".repeat(depth)
  return Array(count).fill(list).join(",")
}

function attributes(count: number, prefix: string): Buffer {
  const list = Array.from({ length: count }, (_, index) => `${prefix}a${index}="4"`)
  return Buffer.from(`<r xmlns:p="p" ${list.join(" ")}/>`)
}

function multipart(name: string, headers: string, content: string, parts: number): Buffer {
  const part = `${DISPOSITION}"${name}"${headers}\r\n\r\n${content}\r\n`
  return Buffer.from(`${part.repeat(parts)}--${BOUNDARY}--\r\n`)
}
