import {
  countJsonItems,
  MAX_SEALED_VALUES,
  type Task,
  UNWEIGHED_BYTES,
  type Work,
  waitFor,
} from "@sealway/kernel"
import { literalBeginsLikeToken, scanScalars } from "./json-tokens.ts"

/**
 * What a document takes while its values are sealed, answer included: for each value its place, its token as text and in
 * the answer, and the edit. Measured with Node.js 24: 494 bytes for each of 100,000 values of one character, 675 for each
 * of 50,000 values of 90 characters with a role; 14 MB for one value of 5 MB.
 */
const SEALING = { perValue: 600, perByte: 3 }

/**
 * The same while tokens are opened, their keys included. Measured: 1,046 bytes for each of 100,000 short tokens, 1,296 for
 * each of 50,000 of 257 characters; those with keys of their own take up to 400 more. 17 MB for one value of 5 MB.
 */
const OPENING = { perToken: 1_500, perByte: 3 }

/** The same while they are opened and sealed again. Measured: 1,372 and 1,912 bytes; 25 MB for one value of 5 MB. */
const REWRAPPING = { perToken: 2_000, perByte: 4 }

/** The place of a string that might have been a token. */
const PER_CANDIDATE = 64

/** No token is shorter. */
const MIN_TOKEN_BYTES = 64
const MIN_CANDIDATE_BYTES = '"ev:",'.length

/** Up to this size, a document is weighed as if it were full of tokens: that is small work, and counting takes longer. */
const UNCOUNTED_BYTES = 16_384

/** A sealed or opened file, and what the sealing of its parts leaves. The file that was sent is the body. */
const FILE_COPIES = 2

/** Reserves the memory that sealing the values of a document takes. */
export function* reserveToSeal(bytes: Buffer, task: Task): Work<void> {
  if (bytes.length <= UNWEIGHED_BYTES) return
  const values = Math.min((yield* countJsonItems(bytes)) + 1, MAX_SEALED_VALUES)
  yield* waitFor(task.reserve(SEALING.perValue * values + SEALING.perByte * bytes.length))
}

/**
 * Reserves the memory that opening the tokens of a document takes.
 *
 * @param more bytes that the caller makes of it
 */
export function* reserveToOpen(bytes: Buffer, task: Task, more = 0): Work<void> {
  yield* reserveForTokens(bytes, task, OPENING, more)
}

/** Reserves the memory that opening the tokens of a document, and sealing them again, takes. */
export function* reserveToRewrap(bytes: Buffer, task: Task): Work<void> {
  yield* reserveForTokens(bytes, task, REWRAPPING, 0)
}

/** Reserves the memory that sealing or opening a file takes, or both. */
export function* reserveForFile(bytes: Buffer, task: Task, files: 1 | 2 = 1): Work<void> {
  if (bytes.length > UNWEIGHED_BYTES) yield* waitFor(task.reserve(files * FILE_COPIES * bytes.length))
}

function* reserveForTokens(
  bytes: Buffer,
  task: Task,
  { perToken, perByte }: { readonly perToken: number; readonly perByte: number },
  more: number,
): Work<void> {
  if (bytes.length <= UNWEIGHED_BYTES) return
  let candidates = bytes.length / MIN_CANDIDATE_BYTES
  let tokens = bytes.length / MIN_TOKEN_BYTES
  if (bytes.length > UNCOUNTED_BYTES) {
    candidates = 0
    tokens = 0
    yield* scanScalars(bytes, (kind, start, end) => {
      if (!literalBeginsLikeToken(bytes, kind, start)) return
      candidates++
      if (end - start > MIN_TOKEN_BYTES) tokens++
    })
  }
  const held = perToken * tokens + PER_CANDIDATE * candidates + perByte * bytes.length
  yield* waitFor(task.reserve(held + more))
}
