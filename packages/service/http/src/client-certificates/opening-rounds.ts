/**
 * Counts the rounds of key derivation that opening a password-protected file takes, as the file itself states. OpenSSL
 * runs as many as the file says, for hours if need be, and blocks the process meanwhile. So they are counted before
 * opening.
 *
 * Counts every number that follows a salt: iterations of PBKDF2, of the PKCS #5 and #12 schemes and of the MAC of PKCS
 * #12, and the product of the scrypt parameters. Rounds named in an encrypted part of a file are not seen.
 *
 * @param bytes DER or BER; anything else counts as nothing
 */
export function openingRounds(bytes: Buffer): number {
  return roundsIn(readElements(bytes, "values", 0).elements)
}

/** Counts the rounds of everything in a PEM file, like `openingRounds`. */
export function openingRoundsOfPem(pem: string): number {
  return base64RunsOf(pem)
    .map((run) => openingRounds(Buffer.from(run, "base64")))
    .reduce((sum, rounds) => sum + rounds, 0)
}

/** Returns the consecutive lines of base64, joined, whatever surrounds them. OpenSSL reads a line up to a dash. */
function base64RunsOf(pem: string): readonly string[] {
  return pem
    .split(/\r?\n/)
    .map((line) => line.split("-", 1)[0]?.trim() ?? "")
    .map((line) => (/^[0-9A-Za-z+/=]+$/.test(line) ? line : "\n"))
    .join("")
    .split("\n")
    .filter((run) => run !== "")
}

const INTEGER = 0x02
const OCTET_STRING = 0x04
const CONSTRUCTED = 0x20
/** Indefinite length: two zero bytes mark the end. */
const INDEFINITE = 0x80
const MAX_LENGTH_BYTES = 6
/** OpenSSL accepts no larger iteration counts. */
const MAX_NUMBER_BYTES = 8
const MAX_DEPTH = 32

interface Element {
  /** An octet string in parts has the tag of a whole one. */
  readonly tag: number
  readonly content: Buffer
  readonly inner: readonly Element[]
}

function roundsIn(elements: readonly Element[]): number {
  let rounds = 0
  for (const [index, { tag, inner }] of elements.entries()) {
    rounds += roundsIn(inner)
    if (tag !== OCTET_STRING) continue
    const [iterations = null, ...others] = elements.slice(index + 1, index + 4).map(numberOf)
    // scrypt has N, r and p; PBKDF2 has its iterations, and sometimes the key length.
    const [r = null, p = null] = others
    rounds += (iterations ?? 0) * (p === null ? 1 : (r ?? 1) * p)
  }
  return rounds
}

function numberOf({ tag, content }: Element): number | null {
  if (tag !== INTEGER || content.length > MAX_NUMBER_BYTES) return null
  return content.reduce((number, byte) => number * 256 + byte, 0)
}

/**
 * Reads elements as far as they are readable.
 *
 * @param kind `parts`: joins octet strings; `values`: looks inside them, because PKCS #12 nests files in them
 * @returns the end offset
 */
function readElements(
  bytes: Buffer,
  kind: "values" | "parts",
  depth: number,
): { readonly elements: readonly Element[]; readonly end: number } {
  const elements: Element[] = []
  let at = 0
  while (depth < MAX_DEPTH && at + 2 <= bytes.length) {
    const tag = bytes[at] ?? 0
    const first = bytes[at + 1] ?? 0
    at += 2
    if (tag === 0 && first === 0) break
    const lengthBytes = first > INDEFINITE ? first - INDEFINITE : 0
    if (lengthBytes > MAX_LENGTH_BYTES || at + lengthBytes > bytes.length) break
    const length =
      first === INDEFINITE ? bytes.length : lengthBytes === 0 ? first : bytes.readUIntBE(at, lengthBytes)
    at += lengthBytes
    const rest = bytes.subarray(at, at + length)
    if (tag === (OCTET_STRING | CONSTRUCTED)) {
      const { elements: parts, end } = readElements(rest, "parts", depth + 1)
      const content = Buffer.concat(parts.map((part) => part.content))
      const inner = kind === "parts" ? [] : readElements(content, "values", depth + 1).elements
      elements.push({ tag: OCTET_STRING, content, inner })
      at += first === INDEFINITE ? end : rest.length
    } else if ((tag & CONSTRUCTED) !== 0 || (tag === OCTET_STRING && kind === "values")) {
      const { elements: inner, end } = readElements(rest, "values", depth + 1)
      elements.push({ tag, content: rest, inner })
      at += first === INDEFINITE ? end : rest.length
    } else {
      elements.push({ tag, content: rest, inner: [] })
      at += rest.length
    }
  }
  return { elements, end: at }
}
