import { setImmediate } from "node:timers/promises"
import type { Work } from "@sealway/kernel"
import { importAppPublicKey } from "../crypto/app-public-key.ts"
import { compressPoint, uncompressPoint } from "../crypto/curve.ts"
import { sealFileInChunks, sealFileInSteps } from "../files/seal-file.ts"
import type { SealMetadata } from "../format/encode-metadata.ts"
import { LARGE_VALUE_BYTES } from "../values/large-value.ts"
import { createRenewingSource } from "../values/renewing-source.ts"
import { createSealingKeyToward, type SealingKey } from "../values/sealing-key.ts"
import {
  type ClientSealing,
  type ClientSealingKey,
  type ClientValue,
  requireUncompressedPoint,
  WRONG_APP_KEY,
} from "./client-sealing.ts"

/** How much is sealed before others have their turn: some milliseconds of work. A value costs as much as 1,024 characters. */
const WORK_PER_TURN = 1_048_576
const WORK_PER_VALUE = 1024

/** Seals on `node:crypto`, which Deno and Bun have too: many times as fast as WebCrypto for many values. */
export const nodeSealing: ClientSealing = {
  name: "node",
  keysFor({ appPublicKey, debug, now }) {
    requireUncompressedPoint(appPublicKey)
    const compressed = compressPoint(appPublicKey)
    const isOnCurve = uncompressPoint("prime256v1", compressed)?.equals(appPublicKey) ?? false
    if (!isOnCurve) throw new TypeError(WRONG_APP_KEY)
    const app = importAppPublicKey(compressed)
    return createRenewingSource(() => clientKey(createSealingKeyToward(app, debug)), { now })
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
  let work = 0
  for (const { type, text } of values) {
    work += WORK_PER_VALUE + text.length
    if (work > WORK_PER_TURN) {
      await setImmediate()
      work = 0
    }
    const isLarge = text.length >= LARGE_VALUE_BYTES && text.isWellFormed()
    tokens.push(
      isLarge
        ? (await inTurns(key.sealInSteps(type, Buffer.from(text), metadata))).toString("latin1")
        : key.seal(type, text, metadata),
    )
  }
  return tokens
}

async function inTurns<Result>(work: Work<Result>): Promise<Result> {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
    await setImmediate()
  }
}
