import { randomBytes } from "node:crypto"

/** The region that functions and signed URLs are told: there is none here. */
export const EMBEDDED_REGION = "us-east-1"

/** The credentials that sign URLs of objects. */
export interface EmbeddedCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** Generates new ones for each start, so that leaked ones from a log or an environment do not work later. */
export function randomCredentials(): EmbeddedCredentials {
  return {
    accessKeyId: `SEALWAY${randomBytes(8).toString("hex").toUpperCase()}`,
    secretAccessKey: randomBytes(32).toString("base64url"),
  }
}
