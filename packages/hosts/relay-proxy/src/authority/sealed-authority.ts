import type { App } from "@sealway/accounts"
import { type Keyring, type KmsEnvelope, openForApp, type SealedPlace, sealForApp } from "@sealway/keys"
import * as z from "zod"
import type { SealedAuthority } from "./authority-table.ts"
import type { Authority } from "./certificates.ts"

/**
 * Seals and opens an authority. The certificate is sealed together with its key: otherwise one that an attacker put
 * into the table would be given to clients as trusted.
 */
export interface AuthoritySeal {
  seal(authority: Authority): Promise<Omit<SealedAuthority, "revision">>
  /** @throws Error when it was not sealed for this place with these keys */
  open(sealed: SealedAuthority): Promise<Authority>
}

const ROOT_CONTEXT = { purpose: "relay-authority" }

/** Creates the seal of the root, which belongs to no app: KMS encrypts it. */
export function rootSeal(envelope: KmsEnvelope): AuthoritySeal {
  return {
    seal: async (authority) => ({
      keyVersion: null,
      sealed: await envelope.seal(await write(authority), ROOT_CONTEXT),
    }),
    open: async ({ sealed }) => read(await envelope.open(sealed, ROOT_CONTEXT)),
  }
}

/** Creates the seal of an app's authority, with the app's keys. */
export function appSeal(keyring: Pick<Keyring, "newest" | "open">, app: App): AuthoritySeal {
  const where: SealedPlace = { app, purpose: "relay-authority", place: "relay-authority" }
  return {
    seal: async (authority) => sealForApp(keyring, where, await write(authority)),
    async open({ keyVersion, sealed }) {
      if (keyVersion === null) throw new Error("The app's authority names no key version")
      const bytes = await openForApp(keyring, where, { keyVersion, sealed })
      if (bytes === null) throw new Error("The app's authority does not open")
      return read(bytes)
    },
  }
}

const contentSchema = z.object({ certificate: z.base64(), privateKey: z.base64() })

/** Returns both as JSON in base64, less than a kilobyte. */
async function write(authority: Authority): Promise<Buffer> {
  const { exportAuthority } = await import("./certificates.ts")
  const { certificate, privateKey } = await exportAuthority(authority)
  return Buffer.from(
    JSON.stringify({
      certificate: certificate.toString("base64"),
      privateKey: privateKey.toString("base64"),
    }),
  )
}

async function read(bytes: Uint8Array): Promise<Authority> {
  const { importAuthority } = await import("./certificates.ts")
  const { certificate, privateKey } = contentSchema.parse(JSON.parse(Buffer.from(bytes).toString()))
  return importAuthority({
    certificate: Buffer.from(certificate, "base64"),
    privateKey: Buffer.from(privateKey, "base64"),
  })
}
