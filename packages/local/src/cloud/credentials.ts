import { randomBytes } from "node:crypto"

/** The region that the embedded services call theirs. */
export const EMBEDDED_REGION = "us-east-1"

/** What every request to the embedded services is signed with. */
export interface EmbeddedCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** New ones for each start: nothing that was logged or left in an environment opens the services later. */
export function randomCredentials(): EmbeddedCredentials {
  return {
    accessKeyId: `SEALWAY${randomBytes(8).toString("hex").toUpperCase()}`,
    secretAccessKey: randomBytes(32).toString("base64url"),
  }
}
