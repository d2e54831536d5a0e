import { randomBytes } from "node:crypto"
import {
  agreedContentKey,
  type ContentKey,
  contentKeyId,
  createKeyAgreement,
  createSealingKeySource,
  createSubjectKey,
  createSymmetricKeys,
  generatePrivateKey,
  isAgreed,
  isSymmetric,
  openToken,
  type ParsedToken,
  parseToken,
  type SealedContent,
  type SubjectKey,
  type SymmetricKeys,
  uncompressPublicKey,
} from "@sealway/tokens"
import { nodeSealing } from "@sealway/tokens/clients/node"
import type { Row } from "./benchmark.ts"
import { type Contender, compare } from "./compare.ts"

export const description = `Encrypting and decrypting the 16-byte values of a document for a data subject, beside the same values for none, on one
thread, in microseconds for each value. Each document has a new ephemeral key or salt. \`ratio\` is how many times as long as ordinary
values the others take; keys are in memory. What reading them from DynamoDB takes is in [Data subjects](data-subjects.md#cost).

- *data subject* is \`c3cy\`, sealed by Sealway; *by a client* is \`c3cz\`, sealed to the public key of the data subject.
- *first value* has a document of one value, of a data subject whose key was just read: its key pair is made too, for \`c3cz\`.`

const UNIT = "µs/value"
const SUBJECT_ID = randomBytes(16)
const app = createKeyAgreement("prime256v1", generatePrivateKey("prime256v1"))
const now = () => performance.now()

/** What seals and opens values of one kind. */
interface Kind {
  readonly name: string
  seal(values: readonly string[]): Promise<readonly string[]> | readonly string[]
  keyOf(sealed: SealedContent): { readonly contentKey: ContentKey; readonly publicKey: Buffer }
}

export async function run(): Promise<readonly Row[]> {
  const subject = newSubject(randomBytes(32))
  const kinds = [ordinary(), symmetric(), ofSubject(subject), await byClient(subject)] as const
  const rows: Row[] = []
  for (const size of [1, 100]) {
    const values = Array.from({ length: size }, (_, index) => String(4_242_424_200_000_000 + index))
    const [first, ...others] = await Promise.all(kinds.map((kind) => contendersOf(kind, values)))
    if (first === undefined) throw new Error("There is nothing to compare")
    const document = size === 1 ? "a document of 1 value" : `a document of ${size} values`
    for (const way of ["encrypt", "decrypt"] as const) {
      rows.push(...(await compared(`${way} ${document}`, [first[way], ...others.map((each) => each[way])])))
    }
  }
  return [...rows, ...(await compareFirstValues())]
}

function newSubject(key: Buffer): SubjectKey {
  return createSubjectKey({ subjectId: SUBJECT_ID, key, appPublicKey: app.publicKey, debug: false })
}

function ordinary(): Kind {
  const source = createSealingKeySource({ appPublicKey: app.publicKey, debug: false, now, maxAgeMs: 0 })
  return {
    name: "ordinary",
    seal: (values) => {
      const key = source.current(values.length)
      return values.map((value) => key.seal("string", value))
    },
    keyOf: (sealed) => ({ contentKey: agreedContentKey(sealed, app), publicKey: app.publicKey }),
  }
}

function symmetric(): Kind {
  const keys: SymmetricKeys = createSymmetricKeys({
    keyVersion: 1,
    valueKey: randomBytes(32),
    appPublicKey: app.publicKey,
    debug: false,
    now,
    maxAgeMs: 0,
  })
  return {
    name: "symmetric",
    seal: (values) => {
      const key = keys.sealingKeys.current(values.length)
      return values.map((value) => key.seal("string", value))
    },
    keyOf(sealed) {
      if (!isSymmetric(sealed)) throw new Error("Not symmetric")
      return { contentKey: keys.contentKey(sealed), publicKey: app.publicKey }
    },
  }
}

function ofSubject(subject: SubjectKey): Kind {
  return {
    name: "data subject",
    seal: (values) => {
      const key = subject.createSealingKey()
      return values.map((value) => key.seal("string", value))
    },
    keyOf: (sealed) => openingKey(subject, sealed),
  }
}

async function byClient(subject: SubjectKey): Promise<Kind> {
  const keysFor = () =>
    nodeSealing.keysFor({
      appPublicKey: uncompressPublicKey("prime256v1", subject.publicKey),
      subjectId: SUBJECT_ID,
      debug: false,
      now,
    })
  return {
    name: "data subject, by a client",
    seal: async (values) => {
      const key = await (await keysFor()).current(values.length)
      return key.sealAll(values.map((text) => ({ type: "string", text })))
    },
    keyOf: (sealed) => openingKey(subject, sealed),
  }
}

function openingKey(subject: SubjectKey, sealed: SealedContent) {
  if (isAgreed(sealed) || isSymmetric(sealed)) throw new Error("Of no data subject")
  return { contentKey: subject.contentKey(sealed), publicKey: subject.boundKey(sealed) }
}

/** Fails when the kind does not return its input: its speed would mean nothing. */
async function contendersOf(kind: Kind, values: readonly string[]) {
  const tokens = await kind.seal(values)
  const open = () => openAll(kind, tokens)
  if (open().join() !== values.join()) throw new Error(`${kind.name} does not return the values`)
  const items = values.length
  const encrypt: Contender = { name: kind.name, items, run: () => kind.seal(values) }
  const decrypt: Contender = { name: kind.name, items, run: open }
  return { encrypt, decrypt }
}

/** Opens as the service does: with one content key for each key segment. */
function openAll({ keyOf }: Pick<Kind, "keyOf">, tokens: readonly string[]): string[] {
  const keys = new Map<string, ReturnType<Kind["keyOf"]>>()
  let previous: ParsedToken | null = null
  return tokens.map((text) => {
    const token = parseToken(text, previous)
    if (token === null) throw new Error("Not a token")
    previous = token
    const id = contentKeyId(token)
    const key = keys.get(id) ?? keyOf(token)
    keys.set(id, key)
    return openToken(token, key.contentKey, key.publicKey).value.toString()
  })
}

async function compareFirstValues(): Promise<readonly Row[]> {
  const key = randomBytes(32)
  const subject = newSubject(key)
  const first = ordinary()
  const contenders: Contender[] = []
  for (const kind of [first, ofSubject(subject), await byClient(subject)]) {
    const tokens = await kind.seal(["4242424242424242"])
    const keyOf = kind === first ? kind.keyOf : (sealed: SealedContent) => openingKey(newSubject(key), sealed)
    contenders.push({ name: kind.name, items: 1, run: () => openAll({ keyOf }, tokens) })
  }
  const [ordinaryValue, ...others] = contenders
  return ordinaryValue === undefined ? [] : compared("decrypt the first value", [ordinaryValue, ...others])
}

async function compared(group: string, contenders: readonly [Contender, ...Contender[]]): Promise<Row[]> {
  const results = await compare(contenders)
  return results.map(({ name, microseconds, ratio }, index) => ({
    name: `${group}: ${name}`,
    figure: microseconds,
    unit: UNIT,
    ratio: index === 0 ? null : ratio,
    requiredRatio: null,
  }))
}
