import type { AReq } from "./areq.ts"
import type { ARes } from "./ares.ts"
import type { MessageVersion } from "./versions.ts"

/** What one side knows of a transaction when a message of it comes in: what the message must agree with. */
export interface Transaction {
  /** The version of the request holds for the whole transaction. */
  readonly messageVersion: MessageVersion
  readonly threeDSServerTransID: string
  /** Absent until the response is there. */
  readonly dsTransID?: string
  /** Absent until the response is there. */
  readonly acsTransID?: string
  readonly deviceChannel: "02" | "03"
  readonly messageCategory: "01" | "02"
  /** What the requestor would rather have. Empty: it said nothing. */
  readonly threeDSRequestorChallengeInd: readonly string[]
}

/** @param ares absent until the response is there */
export function transactionOf(areq: AReq, ares?: Pick<ARes, "dsTransID" | "acsTransID">): Transaction {
  const { messageVersion, threeDSServerTransID, deviceChannel, messageCategory } = areq
  const { threeDSRequestorChallengeInd: wish = [] } = areq
  return {
    ...{ messageVersion, threeDSServerTransID, deviceChannel, messageCategory },
    threeDSRequestorChallengeInd: typeof wish === "string" ? [wish] : wish,
    ...(ares !== undefined && { dsTransID: ares.dsTransID, acsTransID: ares.acsTransID }),
  }
}
