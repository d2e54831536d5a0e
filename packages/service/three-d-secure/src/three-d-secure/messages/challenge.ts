import * as z from "zod"
import { always, type MessageOf, onlyWhen, optional } from "./field.ts"
import { messageExtension, uuid, yesNo } from "./formats.ts"

const creq = <Version extends "2.2.0" | "2.3.1">(version: Version) => ({
  messageType: always(z.literal("CReq")),
  messageVersion: always(z.literal(version)),
  threeDSServerTransID: always(uuid),
  acsTransID: always(uuid),
  challengeWindowSize: always(z.enum(["01", "02", "03", "04", "05"])),
  messageExtension: optional(messageExtension(version)),
})

const cres = <Version extends "2.2.0" | "2.3.1">(version: Version) => ({
  messageType: always(z.literal("CRes")),
  messageVersion: always(z.literal(version)),
  threeDSServerTransID: always(uuid),
  acsTransID: always(uuid),
  transStatus: onlyWhen(z.enum(["Y", "N", "D"]), [{ messageCategory: ["01"] }], [{}]),
  /** Only for apps, yet seen in browsers. */
  challengeCompletionInd: optional(yesNo),
  messageExtension: optional(messageExtension(version)),
})

export const CREQ_2_2_0 = creq("2.2.0")
export const CREQ_2_3_1 = creq("2.3.1")
export const CRES_2_2_0 = cres("2.2.0")
export const CRES_2_3_1 = cres("2.3.1")

/** The challenge request, which a browser posts to the access control server. */
export type CReq = MessageOf<typeof CREQ_2_2_0> | MessageOf<typeof CREQ_2_3_1>
/** The final challenge response, which a browser brings back. It proves nothing: only the `RReq` counts. */
export type CRes = MessageOf<typeof CRES_2_2_0> | MessageOf<typeof CRES_2_3_1>
