import { generateKeyPairSync } from "node:crypto"
import { bindRequest } from "@sealway/enclave/request"
import { createSimulatedNitro, pcrsOf } from "@sealway/enclave/testing"
import type { GrantRequest, GrantRequests, Prerequisites } from "./grant-request.ts"

/** The root of what is attested: give it to the service. */
export const NITRO = await createSimulatedNitro(Date.now, pcrsOf(1))

const PCRS = { pcr0: "01".repeat(48) }
const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-384" })
const ENCLAVE = { name: "Checkout", pcrs: PCRS }

async function prepareEnclave(given: Prerequisites): Promise<Record<string, string>> {
  const { id = "" } = await given.prepare("create-enclave", { body: ENCLAVE })
  return { enclave_id: id }
}

/** Requests about enclaves that do everything the endpoints do. */
export const ENCLAVE_REQUESTS: GrantRequests = {
  "create-enclave": () => ({ body: ENCLAVE }),
  "list-enclaves": () => ({}),
  "get-enclave": async (given) => ({ path: await prepareEnclave(given) }),
  "delete-enclave": async (given) => ({ path: await prepareEnclave(given) }),
}

/**
 * Builds the requests of an attested enclave: with an API key, without one, and one that is refused. None of them can be
 * repeated.
 *
 * @param permitted a token of a role whose policies permit the enclave
 * @param refused a token of another role
 */
export function attestedRequests(
  { app }: Prerequisites,
  { permitted, refused }: { readonly permitted: string; readonly refused: string },
): readonly GrantRequest[] {
  const attested = (data: string): GrantRequest => {
    const userData = bindRequest(app.id, Buffer.from(JSON.stringify(data)))
    const document = nitroDocument(userData)
    return { body: { attestation: document.toString("base64"), data }, repeatedStatus: 401 }
  }
  return [
    attested(permitted),
    { ...attested(refused), status: 403 },
    { ...attested(permitted), auth: "nobody", headers: { "x-service-app-id": app.id } },
  ]
}

/** The policy of a role that only permits the enclave of `attestedRequests`. */
export const ENCLAVE_CONDITIONS = { sources: ["enclave"], enclavePcrs: PCRS }

function nitroDocument(userData: Uint8Array): Buffer {
  return NITRO.attest({ publicKey: publicKey.export({ format: "der", type: "spki" }), userData })
}
