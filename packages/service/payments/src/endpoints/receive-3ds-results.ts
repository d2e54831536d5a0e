import { MAX_PAYMENT_BYTES } from "@sealway/bins"
import { endpoint } from "@sealway/http"
import { InvalidRequestError, isId, UnauthorizedError } from "@sealway/kernel"
import * as z from "zod"
import type { PaymentDependencies } from "../dependencies.ts"
import { isResultsProof } from "../three-d-secure-sessions/record/session-urls.ts"
import { receiveResults } from "../three-d-secure-sessions/steps/receive-results.ts"
import { SESSION_GRANTS } from "./session-grants.ts"
import { capabilityParameter, transactionPathSchema } from "./three-d-secure-parameters.ts"

const messageSchema = z.record(z.string(), z.unknown())

export const receive3dsResults = endpoint({
  id: "receive-3ds-results",
  method: "POST",
  path: "/payments/3ds-results/{app_id}/{transaction_id}/{proof}",
  tag: "3D Secure",
  summary: "Receive the results of a challenge",
  description:
    "The `threeDSServerURL` of EMV 3-D Secure: the directory server sends an RReq here and receives an RRes or an Erro. The end of the path proves that the sender got the URL from Sealway. Repeated results change nothing.",
  auth: [],
  reveals: "nothing",
  request: {
    path: transactionPathSchema.extend({ proof: capabilityParameter("Known only to the network") }),
    body: { kind: "object", schema: messageSchema, maxBytes: 2 * MAX_PAYMENT_BYTES },
  },
  status: 200,
  reply: { kind: "object", schema: messageSchema, description: "An RRes or an Erro" },
  errors: ["unauthorized"],
  grants: SESSION_GRANTS,
  async answer({ path, body }, dependencies: PaymentDependencies) {
    const { app_id: appId, transaction_id: transactionId, proof } = path
    const { directory, keyring } = dependencies
    const app = isId("app", appId) ? await directory.app(appId) : null
    const isKnown = app !== null && app.status !== "disabled"
    if (!isKnown || !(await isResultsProof(keyring, app, transactionId, proof))) throw new UnauthorizedError()
    if (String(body.threeDSServerTransID).toLowerCase() !== transactionId.toLowerCase()) {
      throw new InvalidRequestError("The message and its URL belong to different transactions.")
    }
    return { body: { ...(await receiveResults(dependencies, app, body)) } }
  },
})
