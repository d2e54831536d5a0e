import { MAX_PLAIN_FILE_BYTES, spliceBytes } from "@sealway/kernel"
import { compileJsonPath, locateJson } from "@sealway/relay-engine"
import { encodeAtOnce, readAtOnce } from "@sealway/relay-engine/testing"
import {
  createKeyAgreement,
  createSealingKey,
  generatePrivateKey,
  type SealingKey,
  type ValueType,
} from "@sealway/tokens"

const PATIENTS = 20_000

/** Returns the text that replaces a value. */
export type WriteValue = (type: ValueType, text: Buffer) => Buffer

/** Returns a JSON body of 5 MB: 20,000 patients of nine values. */
export function createDocument(): Buffer {
  const patients = Array.from({ length: PATIENTS }, (_, index) => ({
    id: index,
    name: `Patient number ${index} of them`,
    born: "1970-01-01",
    address: { street: `${index % 90} Long Street`, city: "Dublin", country: index % 3 === 0 ? "DE" : "IE" },
    weight: 70.5,
    insured: true,
    notes: "Seen twice this year. ".repeat(3),
  }))
  return Buffer.from(JSON.stringify({ patients }))
}

export const BOUNDARY = "----sealway"
const FILE_BYTES = MAX_PLAIN_FILE_BYTES

/** Returns a multipart body with a file of 25 MB. */
export function createUpload(): Buffer {
  const disposition = 'Content-Disposition: form-data; name="scan"; filename="scan.pdf"'
  const head = `--${BOUNDARY}\r\n${disposition}\r\n\r\n`
  return Buffer.concat([
    Buffer.from(head),
    Buffer.alloc(FILE_BYTES, "sealway"),
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ])
}

/** Seals as the relay does, with one ephemeral key for the whole body. */
export function createSealer(): WriteValue {
  const key = createKey()
  return (type, text) => Buffer.from(key.seal(type, text))
}

/** Does what the relay does with a JSON body, from compiling the selector to the bytes that are sent on. */
export function replaceSelected(bytes: Buffer, selector: string, write: WriteValue): Buffer {
  const body = locateJson(bytes, [compileJsonPath(selector)], { encrypting: new Set([0]) })
  const edits = body.selected.map((value) => ({
    start: value.start,
    end: value.end,
    text: encodeAtOnce(body.write(value, "string", write(value.type, readAtOnce(body.text(value))))),
  }))
  return spliceBytes(bytes, edits)
}

/** Creates a sealing key for an app that does not exist. */
export function createKey(): SealingKey {
  const { publicKey } = createKeyAgreement("prime256v1", generatePrivateKey("prime256v1"))
  return createSealingKey({ appPublicKey: publicKey, debug: false })
}
