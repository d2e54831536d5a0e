import type { Program } from "../program.ts"
import { commitInGroups } from "./commit-in-groups.ts"
import { completeAndDelete } from "./complete-and-delete.ts"
import { deliverToFailing, deliverToSlow } from "./deliver-event.ts"
import { deployAndWork } from "./deploy-and-work.ts"
import { eraseAndEncrypt, eraseOnce, eraseTwice, sweepAndRestore } from "./erase-and-encrypt.ts"
import { revokeWhileDecrypting } from "./revoke-while-decrypting.ts"
import { rotateKeys } from "./rotate-keys.ts"
import { runLater, runTwice } from "./run-twice.ts"
import { spendBudget } from "./spend-budget.ts"
import { twoChallengeResponses } from "./two-challenge-responses.ts"

/** Programs of a few requests and workers, each with its own promise. `writes.ts` has one for each endpoint besides. */
export const PROGRAMS: readonly Program[] = [
  rotateKeys,
  eraseAndEncrypt,
  eraseTwice,
  eraseOnce,
  sweepAndRestore,
  completeAndDelete,
  deployAndWork,
  runTwice,
  runLater,
  revokeWhileDecrypting,
  spendBudget,
  deliverToFailing,
  deliverToSlow,
  twoChallengeResponses,
  commitInGroups,
]
