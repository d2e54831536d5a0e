import type { Program } from "../engine/program.ts"
import { completeAndDelete } from "./complete-and-delete.ts"
import { eraseAndEncrypt, eraseTwice, sweepAndRestore } from "./erase-and-encrypt.ts"
import { revokeWhileDecrypting } from "./revoke-while-decrypting.ts"
import { rotateKeys } from "./rotate-keys.ts"
import { runLater, runTwice } from "./run-twice.ts"
import { twoChallengeResponses } from "./two-challenge-responses.ts"

/** Programs of a few requests and workers, each with its own promise. `writes.ts` has one for each endpoint besides. */
export const PROGRAMS: readonly Program[] = [
  rotateKeys,
  eraseAndEncrypt,
  eraseTwice,
  sweepAndRestore,
  completeAndDelete,
  runTwice,
  runLater,
  revokeWhileDecrypting,
  twoChallengeResponses,
]
