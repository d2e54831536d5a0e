import type { Endpoint } from "@sealway/http"
import type { FingerprintDependencies, VaultDependencies } from "../dependencies.ts"
import { createClientSideToken } from "./create-client-side-token.ts"
import { decrypt } from "./decrypt.ts"
import { encrypt } from "./encrypt.ts"
import { fingerprint, inspect } from "./fingerprint.ts"
import { getAppKeys } from "./get-app-keys.ts"
import { getKeys } from "./get-keys.ts"
import { reveal } from "./reveal.ts"
import { rewrap } from "./rewrap.ts"
import { rotateKeys } from "./rotate-keys.ts"

export const vaultEndpoints: readonly Endpoint<VaultDependencies>[] = [
  encrypt,
  decrypt,
  createClientSideToken,
  reveal,
  rewrap,
  getKeys,
  getAppKeys,
  rotateKeys,
]

/** Beside the others, because their wiring loads data about cards, which would make all others start later. */
export const fingerprintEndpoints: readonly Endpoint<FingerprintDependencies>[] = [fingerprint, inspect]
