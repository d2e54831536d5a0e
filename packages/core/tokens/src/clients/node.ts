import { setImmediate } from "node:timers/promises"
import type { Work } from "@sealway/kernel"
import { importAppPublicKey } from "../crypto/app-public-key.ts"
import { compressPoint, uncompressPoint } from "../crypto/curve.ts"
import { sealFileInChunks, sealFileInSteps } from "../files/seal-file.ts"
import type { SealMetadata } from "../format/encode-metadata.ts"
import { LARGE_VALUE_BYTES } from "../values/large-value.ts"
import { createRenewingSource } from "../values/renewing-source.ts"
import { createSealingKeyToward, createSubjectSealingKey, type SealingKey } from "../values/sealing-key.ts"
import {
  type ClientSealing,
  type ClientSealingKey,
  type ClientValue,
  requireUncompressedPoint,
  WRONG_APP_KEY,
} from "./client-sealing.ts"

/** How much is sealed before others have their turn: some milliseconds of work. A value costs as much as 1,024 characters. */
const WORK_PER_TURN = 2_097_152
const WORK_PER_VALUE = 1024

/** Seals on `node:crypto`, which Deno and Bun have too: many times as fast as WebCrypto for many values. */
export const nodeSealing: ClientSealing = {
  name: "node",
  keysFor({ appPublicKey, subjectId, debug, now }) {
    requireUncompressedPoint(appPublicKey)
    const compressed = compressPoint(appPublicKey)
    const isOnCurve = uncompressPoint("prime256v1", compressed)?.equals(appPublicKey) ?? false
    if (!isOnCurve) throw new TypeError(WRONG_APP_KEY)
    const app = importAppPublicKey(compressed)
    const createKey = () =>
      subjectId === undefined
        ? createSealingKeyToward(app, debug)
        : createSubjectSealingKey(app, subjectId, debug)
    return createRenewingSource(() => clientKey(createKey()), { now })
  },
}

function clientKey(key: SealingKey): ClientSealingKey {
  return {
    sealAll: (values, metadata) => sealAll(key, values, metadata),
    async sealFile(bytes) {
      const { buffer, byteOffset, length } = await inTurns(sealFileInSteps(bytes, key))
      return new Uint8Array(buffer, byteOffset, length)
    },
    startFile: () => sealFileInChunks(key),
  }
}

async function sealAll(
  key: SealingKey,
  values: readonly ClientValue[],
  metadata: SealMetadata | undefined,
): Promise<string[]> {
  const tokens: string[] = []
  for (;;) {
    sealInTurn(key, values, metadata, tokens)
    const next = values[tokens.length]
    if (next === undefined) return tokens
    if (isLarge(next)) {
      const token = await inTurns(key.sealInSteps(next.type, Buffer.from(next.text), metadata))
      tokens.push(token.toString("latin1"))
    }
    await setImmediate()
  }
}

/** Seals values from where the tokens end, until others have their turn or there is a large one. */
function sealInTurn(
  key: SealingKey,
  values: readonly ClientValue[],
  metadata: SealMetadata | undefined,
  tokens: string[],
): void {
  let work = 0
  for (let index = tokens.length; index < values.length && work < WORK_PER_TURN; index++) {
    const value = values[index]
    if (value === undefined || isLarge(value)) return
    tokens.push(key.seal(value.type, value.text, metadata))
    work += WORK_PER_VALUE + value.text.length
  }
}

/** A text with a lone surrogate is not: it is refused at once, while its UTF-8 would hide the surrogate. */
function isLarge({ text }: ClientValue): boolean {
  return text.length >= LARGE_VALUE_BYTES && text.isWellFormed()
}

async function inTurns<Result>(work: Work<Result>): Promise<Result> {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
    await setImmediate()
  }
}
